//! What the rows of a table and the bins of a score have in common: two rows that fit the same values, a row that no value
//! reaches. Looks at cells alone; that two inputs hang together is not known here.

use std::cmp::Ordering;

use super::check::Checker;
use super::ir::{Repr, Type, Unit};
use super::program::{Bin, Hit, Row, Test, Value, compare};
use crate::words::date::Day;
use crate::words::diagnostic::Diagnostic;
use crate::words::money::Money;

/// Comparing each row with each takes time that grows with their square: longer tables go unlooked at.
const ROWS_MAX: usize = 500;

/// The same of the intervals of all cells together: a cell may list thousands of values.
const INTERVALS_MAX: usize = 5_000;

/// An end of an interval: a value, and whether it belongs.
type End = Option<(Value, bool)>;

/// The values that a cell fits.
#[derive(Clone)]
struct Set {
    unknown: bool,
    intervals: Vec<(End, End)>,
}

impl Set {
    fn of(test: &Test, ty: Type) -> Set {
        let mut intervals = known(test, ty);
        intervals.retain(|interval| !is_empty(interval));
        Set { unknown: test.passes(None) == Some(true), intervals }
    }

    fn is_empty(&self) -> bool {
        !self.unknown && self.intervals.is_empty()
    }

    fn and(&self, other: &Set) -> Set {
        Set { unknown: self.unknown && other.unknown, intervals: both(&self.intervals, &other.intervals) }
    }

    /// What this fits and the other does not.
    fn without(&self, other: &Set, ty: Type) -> Set {
        let rest = both(&self.intervals, &outside(&other.intervals, ty));
        Set { unknown: self.unknown && !other.unknown, intervals: rest }
    }

    /// One value of it, for a person; `None` where any would do.
    fn example(&self, checker: &Checker, ty: Type) -> Option<String> {
        let Some((low, high)) = self.intervals.first() else { return Some("unknown".into()) };
        let value = match (low, high) {
            (Some((low, true)), _) => low.clone(),
            (_, Some((high, true))) => high.clone(),
            (Some((Value::Text(low), _)), _) => return Some(format!("something after {low}")),
            (Some((low, _)), Some((high, _))) => Value::Float((low.float()? + high.float()?) / 2.0),
            (Some((low, _)), None) => Value::Float(low.float()? + 1.0),
            (None, Some((high, _))) => Value::Float(high.float()? - 1.0),
            (None, None) => return None,
        };
        Some(match (value, ty.unit) {
            (Value::Int(minor), Unit::Money) => Money::from_minor(minor).display(&checker.currency).to_string(),
            (Value::Float(minor), Unit::Money) => {
                Money::from_minor(minor as i64).display(&checker.currency).to_string()
            }
            (Value::Int(days), Unit::Date) => i32::try_from(days).ok().and_then(Day::checked_from_days)?.to_string(),
            (Value::Int(value), Unit::Boolean) => (value == 1).to_string(),
            (Value::Int(value), _) => value.to_string(),
            (Value::Float(value), _) => value.to_string(),
            (Value::Boolean(value), _) => value.to_string(),
            (Value::Text(text), _) => format!("'{text}'"),
            (Value::List(_), _) => return None,
        })
    }
}

/// True and false are 1 and 0 here, so that what is not true is false.
fn plain(value: &Value) -> Value {
    match value {
        Value::Boolean(value) => Value::Int(i64::from(*value)),
        value => value.clone(),
    }
}

fn known(test: &Test, ty: Type) -> Vec<(End, End)> {
    match test {
        Test::Anything => outside(&[], ty),
        Test::Unknown => Vec::new(),
        Test::Equal(value) => vec![(Some((plain(value), true)), Some((plain(value), true)))],
        Test::Range(low, high) => vec![(whole(low, ty, 1), whole(high, ty, -1))],
        Test::OneOf(tests) => tests.iter().flat_map(|test| known(test, ty)).collect(),
        Test::Not(test) => outside(&known(test, ty), ty),
    }
}

/// Between whole numbers lies nothing: above 2 is from 3 on.
fn whole(end: &End, ty: Type, step: i64) -> End {
    match end {
        Some((Value::Int(value), false)) if matches!(ty.repr, Repr::Int | Repr::Boolean) => {
            Some((Value::Int(value.saturating_add(step)), true))
        }
        Some((value, closed)) => Some((plain(value), *closed)),
        None => None,
    }
}

/// All that lies in none of the intervals.
fn outside(intervals: &[(End, End)], ty: Type) -> Vec<(End, End)> {
    let truth = |value| Some((Value::Int(value), true));
    let mut rest = vec![if ty.repr == Repr::Boolean { (truth(0), truth(1)) } else { (None, None) }];
    for (low, high) in intervals {
        let opposite = |end: &End| end.as_ref().map(|(value, closed)| (value.clone(), !closed));
        let mut around = Vec::new();
        around.extend(low.is_some().then(|| (None, whole(&opposite(low), ty, -1))));
        around.extend(high.is_some().then(|| (whole(&opposite(high), ty, 1), None)));
        rest = both(&rest, &around);
    }
    rest
}

fn both(left: &[(End, End)], right: &[(End, End)]) -> Vec<(End, End)> {
    let mut common = Vec::new();
    for (low, high) in left {
        for (other_low, other_high) in right {
            let interval = (inner(low, other_low, Ordering::Greater), inner(high, other_high, Ordering::Less));
            common.extend((!is_empty(&interval)).then_some(interval));
        }
    }
    common
}

/// The narrower of two ends.
fn inner(left: &End, right: &End, narrower: Ordering) -> End {
    match (left, right) {
        (None, end) | (end, None) => end.clone(),
        (Some((a, a_closed)), Some((b, b_closed))) => match compare(a, b) {
            Some(Ordering::Equal) => Some((a.clone(), *a_closed && *b_closed)),
            order if order == Some(narrower) => left.clone(),
            _ => right.clone(),
        },
    }
}

fn is_empty((low, high): &(End, End)) -> bool {
    let (Some((low, low_closed)), Some((high, high_closed))) = (low, high) else { return false };
    match compare(low, high) {
        Some(Ordering::Less) => false,
        Some(Ordering::Equal) => !(*low_closed && *high_closed),
        _ => true,
    }
}

/// Complains about rows that take a value from each other.
pub(super) fn rows(checker: &mut Checker, table: &str, hit: Hit, inputs: &[(String, Type)], rows: &[Row]) {
    if rows.len() > ROWS_MAX {
        return;
    }
    let set = |row: &Row| row.tests.iter().zip(inputs).map(|(test, (_, ty))| Set::of(test, *ty)).collect();
    let sets: Vec<Vec<Set>> = rows.iter().map(set).collect();
    if sets.iter().flatten().map(|set| set.intervals.len()).sum::<usize>() > INTERVALS_MAX {
        return;
    }
    for later in 1..rows.len() {
        for earlier in 0..later {
            let common =
                sets[earlier].iter().zip(&sets[later]).map(|(a, b)| Some(a.and(b)).filter(|set| !set.is_empty()));
            let Some(common) = common.collect::<Option<Vec<Set>>>() else { continue };
            let disagree = hit == Hit::Unique || hit == Hit::Any && rows[earlier].values != rows[later].values;
            let mut left = sets[later].iter().zip(&sets[earlier]).zip(inputs);
            let covered = left.all(|((later, earlier), (_, ty))| later.without(earlier, *ty).is_empty());
            let (first, second) = (earlier + 1, later + 1);
            if disagree {
                let value = |(set, (name, ty)): (&Set, &(String, Type))| {
                    Some(format!("{name} = {}", set.example(checker, *ty)?))
                };
                let values: Vec<String> = common.iter().zip(inputs).filter_map(value).collect();
                let values = if values.is_empty() { "everything".to_string() } else { values.join(", ") };
                let message = format!("rows {first} and {second} of `{table}` both fit {values}");
                let help = match hit {
                    Hit::Unique => "draw the cells apart, or say hit = \"first\"",
                    _ => "give them the same values, draw the cells apart, or say hit = \"first\"",
                };
                let diagnostic = Diagnostic::error("overlap", rows[later].span, message);
                checker.diagnostics.push(diagnostic.label(format!("overlaps row {first}")).help(help));
                break;
            }
            if hit == Hit::First && covered {
                let message = format!("row {second} of `{table}` is never reached: row {first} fits all that it fits");
                let diagnostic = Diagnostic::warning("unreachable", rows[later].span, message);
                checker.diagnostics.push(diagnostic.label("never reached").help("move it up or delete it"));
                break;
            }
        }
    }
}

/// Complains about bins that no value reaches.
pub(super) fn bins(checker: &mut Checker, bins: &[Bin], ty: Type) {
    if bins.len() > ROWS_MAX {
        return;
    }
    let mut before: Vec<Set> = Vec::new();
    for bin in bins {
        let set = Set::of(&bin.test, ty);
        let left = before.iter().fold(set.clone(), |left, earlier| left.without(earlier, ty));
        if left.is_empty() {
            let message = "this bin is never reached: the bins before it hold all of it";
            let diagnostic = Diagnostic::warning("unreachable", bin.span, message);
            checker.diagnostics.push(diagnostic.label("never reached").help("the first bin that fits counts"));
        }
        before.push(set);
    }
}
