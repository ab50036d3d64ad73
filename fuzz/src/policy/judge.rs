//! Score, tables, requirements and the outcome, as docs/reference/rules.md defines them.

use super::evaluate::{Case, Known, Made, Why, decided};
use super::functions::{has, letters};
use super::model::{Bound, Cell, Condition, Effect, HitPolicy, Item, Kind, Member, Said, Score, Table, Value};
use super::numbers::{arithmetic, exactly, holds, nearest, order};
use super::offers::{self, Came};
use crate::exact::{self, Exact};

/// The weight of a point in a score with a scale: points to double the odds.
fn factor(scale: (f64, f64, f64)) -> f64 {
    scale.2 / std::f64::consts::LN_2
}

/// What an item's points add to the score.
fn gain(score: &Score, item: &Item, points: &Exact) -> Value {
    match score.scale {
        None => Value::Exact(points * item.weight.as_ref().unwrap_or(&Exact::ONE)),
        Some(scale) => {
            let weight = item.weight.as_ref().map_or(1.0, exact::nearest);
            Value::Double(exact::nearest(points) * (weight * factor(scale)))
        }
    }
}

/// The base and the points of every item.
pub fn score(case: &Case, score: &Score) -> Known<Value> {
    let mut sum = match score.scale {
        None => Value::Exact(score.base.clone()),
        Some(scale) => {
            let (points, odds, _) = scale;
            Value::Double((points - factor(scale) * libm::log(odds)) + factor(scale) * exact::nearest(&score.base))
        }
    };
    for (at, item) in score.items.iter().enumerate() {
        sum = arithmetic('+', &sum, &gain(score, item, points(case, at, item)?), Kind::Number)?;
    }
    Ok(sum)
}

/// An item, the points lost there, and the reason if its value is unknown.
pub type Lost = (usize, f64, Option<Why>);

/// The items with the greatest losses: those with a code, known points and less than their best.
pub fn points_lost(case: &Case, score: &Score) -> Vec<Lost> {
    let mut lost = Vec::new();
    for (at, item) in score.items.iter().enumerate().filter(|(_, item)| item.has_code) {
        let gains = item.bins.iter().map(|(_, points)| gain(score, item, points));
        let best = gains.reduce(|best, gain| if holds(">", &gain, &best) { gain } else { best });
        if let (Some(best), Ok(gained)) = (best, points(case, at, item)) {
            let gained = gain(score, item, gained);
            if holds(">", &best, &gained) {
                let less = arithmetic('-', &best, &gained, Kind::Number).expect("points are no large numbers");
                lost.push((at, less, case.value(&item.on).err()));
            }
        }
    }
    // The greatest loss first; of equals the first in the file.
    lost.sort_by(|left, right| order(&right.1, &left.1));
    lost.truncate(score.reasons.unwrap_or(4));
    lost.into_iter().map(|(at, less, why)| (at, nearest(&less), why)).collect()
}

/// The first matching bin; bins are the rows of a table with one column.
fn points<'i>(case: &Case, at: usize, item: &'i Item) -> Known<&'i Exact> {
    let value = case.value(&item.on);
    let says = item.bins.iter().any(|(cell, _)| says_unknown(cell));
    for (cell, points) in &item.bins {
        match fits(case, cell, &value, says) {
            Fit::Yes => return Ok(points),
            Fit::No => {}
            Fit::Undecided(why) => return Err(why),
        }
    }
    Err(Why::NoBin(at))
}

enum Fit {
    Yes,
    No,
    Undecided(Why),
}

/// Whether a value matches a cell. An unknown matches `-`, and `unknown` if the column has it somewhere.
fn fits(case: &Case, cell: &Cell, value: &Known<Value>, column_says_unknown: bool) -> Fit {
    match passes(case, cell, value) {
        Ok(true) => Fit::Yes,
        Ok(false) => Fit::No,
        Err(_) if value.is_err() && column_says_unknown => Fit::No,
        Err(why) => Fit::Undecided(why),
    }
}

fn says_unknown(cell: &Cell) -> bool {
    match cell {
        Cell::Unknown => true,
        Cell::Any(cells) | Cell::None(cells) => cells.iter().any(says_unknown),
        _ => false,
    }
}

/// Unknown if the cell tests a value that is unknown, or compares with one.
fn passes(case: &Case, cell: &Cell, value: &Known<Value>) -> Known<bool> {
    // If both are unknown, the value gives the reason.
    let compares = |sign: &str, bound: &Bound| {
        let value = value.as_ref().map_err(Clone::clone)?;
        Ok(holds(sign, value, &case.bound(bound)?))
    };
    match cell {
        Cell::Anything => Ok(true),
        Cell::Unknown => Ok(value.is_err()),
        Cell::Sign(sign, bound) => compares(sign, bound),
        Cell::Range(low, low_in, high, high_in) => {
            let above = compares(if *low_in { ">=" } else { ">" }, low);
            decided([above, compares(if *high_in { "<=" } else { "<" }, high)].into_iter(), false)
        }
        Cell::Any(cells) => decided(cells.iter().map(|cell| passes(case, cell, value)), true),
        Cell::None(cells) => passes(case, &Cell::Any(cells.clone()), value).map(|passes| !passes),
        Cell::Has(name, part) => {
            let (value, part) = (value.clone()?, case.bound(part)?);
            Ok(match value {
                Value::List(values) => values.iter().any(|value| holds("=", value, &part)),
                value => has(name, &letters(&value), &letters(&part)),
            })
        }
    }
}

/// The outputs of a table.
pub fn table(case: &Case, at: usize, table: &Table) -> Vec<Known<Value>> {
    let values: Vec<Known<Value>> = table.inputs.iter().map(|input| case.value(input)).collect();
    let says: Vec<bool> =
        (0..values.len()).map(|column| table.rows.iter().any(|(cells, _)| says_unknown(&cells[column]))).collect();
    let row = |cells: &[Cell]| {
        let fits = cells.iter().zip(&values).zip(&says).map(|((cell, value), says)| fits(case, cell, value, *says));
        let mut row = Fit::Yes;
        for fit in fits {
            row = match (row, fit) {
                (_, Fit::No) | (Fit::No, _) => Fit::No,
                (Fit::Yes, fit) => fit,
                (undecided, _) => undecided,
            };
        }
        row
    };
    let found = find(at, table, row);
    (0..table.outputs.len()).map(|column| output(case, at, table, column, found.clone()?)).collect()
}

/// The rows that count; for hit policies that take one, that one.
fn find(at: usize, table: &Table, fits: impl Fn(&[Cell]) -> Fit) -> Known<Vec<usize>> {
    let mut found: Vec<usize> = Vec::new();
    for (number, (cells, outputs)) in table.rows.iter().enumerate() {
        match fits(cells) {
            Fit::No => {}
            // With `first`, an earlier row would have been the answer.
            Fit::Undecided(why) => return Err(why),
            Fit::Yes if table.hit == HitPolicy::First => return Ok(vec![number]),
            Fit::Yes if table.hit == HitPolicy::Unique && !found.is_empty() => return Err(Why::ManyRows(at)),
            Fit::Yes
                if table.hit == HitPolicy::Any
                    && found.first().is_some_and(|first| table.rows[*first].1 != *outputs) =>
            {
                return Err(Why::ManyRows(at));
            }
            Fit::Yes => found.push(number),
        }
    }
    if matches!(table.hit, HitPolicy::Priority | HitPolicy::OutputOrder) {
        let rank = |row: &usize| -> Vec<usize> {
            let said = table.rows[*row].1.iter().zip(&table.outputs).filter(|(_, output)| !output.values.is_empty());
            said.map(|(said, output)| {
                // No value comes after all others.
                output.values.iter().position(|value| Said::Value(value.clone()) == *said).unwrap_or(usize::MAX)
            })
            .collect()
        };
        found.sort_by_key(rank);
    }
    if !table.hit.is_many() {
        found.truncate(1);
    }
    Ok(found)
}

fn output(case: &Case, at: usize, table: &Table, column: usize, found: Vec<usize>) -> Known<Value> {
    let (mut said, mut none) = (found.iter().map(|row| &table.rows[*row].1[column]).collect::<Vec<_>>(), false);
    if said.is_empty() {
        match &table.otherwise {
            Some(otherwise) => said.push(&otherwise[column]),
            None if table.hit.is_many() => none = true,
            None => return Err(Why::NoRow(at)),
        }
    }
    if table.hit == HitPolicy::CollectCount {
        return Ok(Value::Whole(said.len() as i64));
    }
    let value = |said: &Said| match said {
        Said::Value(value) => Ok(value.clone()),
        // Values in a table are exact.
        Said::Worked(expr) => case.value(expr).map(|value| match value {
            value if table.outputs[column].kind.is_fraction() => Value::Exact(exactly(&value)),
            value => value,
        }),
    };
    let values: Vec<Value> = said.into_iter().map(value).collect::<Known<_>>()?;
    let best =
        |sign: &str| values.iter().cloned().reduce(|best, value| if holds(sign, &value, &best) { value } else { best });
    match table.hit {
        HitPolicy::CollectSum => sum(table.outputs[column].kind, &values),
        HitPolicy::CollectMin => best("<").ok_or(Why::Said("no_value")),
        HitPolicy::CollectMax => best(">").ok_or(Why::Said("no_value")),
        hit if hit.is_list() => Ok(Value::List(values)),
        _ if none => Err(Why::NoRow(at)),
        _ => Ok(values[0].clone()),
    }
}

/// The sum; each value may be of any size.
fn sum(kind: Kind, values: &[Value]) -> Known<Value> {
    let all = values.iter().fold(Exact::ZERO, |sum, value| sum + exactly(value));
    match kind.is_fraction() {
        true => super::numbers::fraction(all),
        false => exact::int(&all).map(Value::Whole).ok_or(Why::Said("overflow")),
    }
}

/// Whether enough members of a block hold; the first unknown member gives the reason if that is undecided.
fn condition(case: &Case, asked: &Condition) -> Known<bool> {
    match asked {
        Condition::When(expr) => case.truth(expr),
        Condition::Block(least, _, members) => {
            let truths: Vec<Known<bool>> = members.iter().map(|one| member(case, one)).collect();
            let hold = truths.iter().filter(|truth| **truth == Ok(true)).count();
            let fail = truths.iter().filter(|truth| **truth == Ok(false)).count();
            if hold >= *least {
                Ok(true)
            } else if members.len() - fail < *least {
                Ok(false)
            } else {
                truths.into_iter().find(Result::is_err).expect("an unknown keeps it open")
            }
        }
    }
}

fn member(case: &Case, member: &Member) -> Known<bool> {
    match (condition(case, &member.condition), member.unknown_holds) {
        (Err(_), Some(holds)) => Ok(holds),
        (truth, _) => truth,
    }
}

/// The missing required inputs in the order of declaration: for each file those of the request, then of the bureau.
pub fn missing(case: &Case) -> Vec<usize> {
    let (policy, order) = (case.policy, case.policy.order());
    let is_missing = |at: &usize| policy.required[*at] && case.person.inputs[*at].is_none();
    let mut missing: Vec<usize> = (0..case.person.inputs.len()).filter(is_missing).collect();
    let place = |at: &usize| order.iter().position(|file| *file == policy.homes.inputs[*at]);
    missing.sort_by_key(|at| (place(at), policy.bureau[*at]));
    missing
}

type Reasons = Vec<(String, Effect, Option<Why>)>;

/// Outcome, reasons, and offers with the rule that made each.
pub fn outcome(case: &mut Case) -> (&'static str, Reasons, Vec<(usize, Made)>) {
    let mut reasons: Reasons = Vec::new();
    // Outside its dates a policy tests nothing.
    if let Some(day) = case.person.as_of
        && (case.policy.valid_from.is_some_and(|from| day < from) || case.policy.valid_to.is_some_and(|to| day > to))
    {
        return ("refer", vec![("POLICY_DATES".into(), Effect::Refer, None)], Vec::new());
    }
    // Nothing is decided without the required inputs.
    if !missing(case).is_empty() {
        return ("refer", vec![("INPUT_MISSING".into(), Effect::Refer, None)], Vec::new());
    }
    for at in case.policy.in_order(&case.policy.homes.requirements) {
        let requirement = &case.policy.requirements[at];
        let (effect, why) = match condition(case, &requirement.condition) {
            Ok(true) => continue,
            Ok(false) => (requirement.otherwise.unwrap_or(Effect::Decline), None),
            Err(why) => (requirement.unknown.unwrap_or(Effect::Refer), Some(why)),
        };
        if effect != Effect::Pass {
            reasons.push((format!("R{at}"), effect, why));
        }
    }
    if let Some(worst) = reasons.iter().map(|(_, effect, _)| *effect).max() {
        return (word(worst), reasons, Vec::new());
    }
    let (mut made, mut unknown) = (Vec::new(), None);
    for (rule, came) in offers::offers(case) {
        match came {
            Came::Made(offer) => made.push((rule, offer)),
            Came::Not => {}
            Came::Unknown(why) => unknown = unknown.or(Some(why)),
        }
    }
    // If an offer has the tenure asked for, the others are not made.
    if let Some(asked) = offers::asked_tenure(case)
        && made.iter().any(|(_, offer)| i64::from(offer.tenure) == asked)
    {
        made.retain(|(_, offer)| i64::from(offer.tenure) == asked);
    }
    match (made.is_empty(), unknown) {
        (false, _) => ("offer", reasons, made),
        (true, Some(why)) => ("refer", vec![("OFFER_UNKNOWN".into(), Effect::Refer, Some(why))], made),
        (true, None) => ("decline", vec![("NO_OFFER".into(), Effect::Decline, None)], made),
    }
}

fn word(effect: Effect) -> &'static str {
    match effect {
        Effect::Pass => "offer",
        Effect::Refer => "refer",
        Effect::Decline => "decline",
    }
}
