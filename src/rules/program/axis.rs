//! One column of a table, or the bins of a score item, cut into pieces at every value where a cell begins or ends.
//! Within a piece every cell gives the same answer, so questions about all values become questions about a few.

use std::cmp::Ordering;
use std::collections::HashMap;

use crate::base::money::{Currency, Money};
use crate::base::rational::{Rational, Rounding};
use crate::rules::types::{Repr, Type, Unit};
use crate::rules::value::{Test, Value, compare_values};

/// A part of a column's values.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Piece {
    /// One value.
    At(Value),
    /// Everything between two values, both excluded; `None` is unbounded.
    Between(Option<Value>, Option<Value>),
    Unknown,
}

/// The pieces that a cell fits, as ranges of their numbers in order, ends excluded.
pub(crate) type Fits = Vec<(u32, u32)>;

/// A column: its pieces in ascending order. The last piece is for unknowns.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    pub pieces: Vec<Piece>,
    /// The distinct cells of the column, as the pieces they fit.
    pub cells: Vec<Fits>,
    /// The cell of each row.
    pub of_row: Vec<u32>,
    /// Whether some cell mentions unknowns.
    pub expects_unknown: bool,
}

impl Axis {
    /// The column of these cells, each with its text.
    pub(crate) fn new<'t>(ty: Type, column: impl Iterator<Item = (&'t str, &'t Test)>) -> Axis {
        let (mut known, mut tests, mut of_row) = (HashMap::new(), Vec::new(), Vec::new());
        for (text, test) in column {
            of_row.push(*known.entry(text).or_insert_with(|| {
                tests.push(test);
                (tests.len() - 1) as u32
            }));
        }
        let mut cuts = Vec::new();
        tests.iter().for_each(|test| collect_cell_bounds(test, &mut cuts));
        cuts.sort_by(|a, b| compare_values(a, b).unwrap_or(Ordering::Equal));
        cuts.dedup_by(|a, b| compare_values(a, b) == Some(Ordering::Equal));
        let pieces = cut_axis_into_pieces(ty, cuts);
        let expects_unknown = tests.iter().any(|test| test.expects_unknown());
        let mut axis = Axis { pieces, cells: Vec::new(), of_row, expects_unknown };
        axis.cells = tests.iter().map(|test| axis.fits(test)).collect();
        axis
    }

    /// The number of the piece for unknowns.
    pub(crate) fn unknown(&self) -> u32 {
        self.pieces.len() as u32 - 1
    }

    /// The pieces that the cell of a row fits.
    pub(crate) fn row(&self, row: usize) -> &Fits {
        &self.cells[self.of_row[row] as usize]
    }

    /// All pieces, including that for unknowns.
    pub(crate) fn all(&self) -> Fits {
        vec![(0, self.pieces.len() as u32)]
    }

    fn fits(&self, test: &Test) -> Fits {
        let mut fits = self.fits_known(test);
        if test.passes(None) == Some(true) {
            fits.push((self.unknown(), self.unknown() + 1));
        }
        fits
    }

    fn fits_known(&self, test: &Test) -> Fits {
        match test {
            Test::Anything => vec![(0, self.unknown())],
            Test::Unknown => Vec::new(),
            Test::Equal(value) => self.between(Some((value, true)), Some((value, true))),
            Test::Range(low, high) => {
                fn end(end: &Option<(Value, bool)>) -> Option<(&Value, bool)> {
                    end.as_ref().map(|(value, closed)| (value, *closed))
                }
                self.between(end(low), end(high))
            }
            Test::OneOf(tests) => {
                let mut fits: Fits = tests.iter().flat_map(|test| self.fits_known(test)).collect();
                fits.sort_unstable();
                merge_touching_ranges(fits)
            }
            Test::Not(test) => subtract_pieces(&[(0, self.unknown())], &self.fits_known(test)),
        }
    }

    fn between(&self, low: Option<(&Value, bool)>, high: Option<(&Value, bool)>) -> Fits {
        let known = &self.pieces[..self.unknown() as usize];
        let start = low.map_or(0, |(low, closed)| known.partition_point(|piece| is_below(piece, low, closed)));
        let end =
            high.map_or(known.len(), |(high, closed)| known.partition_point(|piece| !is_above(piece, high, closed)));
        if start < end { vec![(start as u32, end as u32)] } else { Vec::new() }
    }
}

/// Whether all of the piece is below a low end.
fn is_below(piece: &Piece, low: &Value, closed: bool) -> bool {
    match piece {
        Piece::At(value) => match compare_values(value, low) {
            Some(Ordering::Less) => true,
            Some(Ordering::Equal) => !closed,
            _ => false,
        },
        Piece::Between(_, Some(high)) => compare_values(high, low) != Some(Ordering::Greater),
        _ => false,
    }
}

/// Whether all of the piece is above a high end.
fn is_above(piece: &Piece, high: &Value, closed: bool) -> bool {
    match piece {
        Piece::At(value) => match compare_values(value, high) {
            Some(Ordering::Greater) => true,
            Some(Ordering::Equal) => !closed,
            _ => false,
        },
        Piece::Between(Some(low), _) => compare_values(low, high) != Some(Ordering::Less),
        _ => false,
    }
}

/// The values in a cell.
fn collect_cell_bounds(test: &Test, cuts: &mut Vec<Value>) {
    match test {
        Test::Anything | Test::Unknown => {}
        Test::Equal(value) => cuts.push(value.clone()),
        Test::Range(low, high) => cuts.extend([low, high].into_iter().flatten().map(|(value, _)| value.clone())),
        Test::OneOf(tests) => tests.iter().for_each(|test| collect_cell_bounds(test, cuts)),
        Test::Not(test) => collect_cell_bounds(test, cuts),
    }
}

fn cut_axis_into_pieces(ty: Type, cuts: Vec<Value>) -> Vec<Piece> {
    if ty.repr == Repr::Boolean {
        return vec![Piece::At(Value::Boolean(false)), Piece::At(Value::Boolean(true)), Piece::Unknown];
    }
    let is_whole = ty.repr == Repr::Int;
    let mut pieces = Vec::with_capacity(2 * cuts.len() + 2);
    let mut before: Option<Value> = None;
    for cut in cuts {
        pieces.push(Piece::Between(before.take(), Some(cut.clone())));
        // A count is never 2.5.
        if !is_whole || cut.rational().is_none_or(|number| number.is_whole()) {
            pieces.push(Piece::At(cut.clone()));
        }
        before = Some(cut);
    }
    pieces.push(Piece::Between(before, None));
    pieces.retain(|piece| !is_whole || !is_without_whole(piece));
    pieces.push(Piece::Unknown);
    pieces
}

/// Whether no whole number is between the two.
fn is_without_whole(piece: &Piece) -> bool {
    match piece {
        Piece::Between(Some(Value::Int(low)), Some(Value::Int(high))) => {
            low.checked_add(1).is_none_or(|next| next >= *high)
        }
        Piece::Between(Some(low), Some(high)) => match (low.rational().and_then(next_whole), high.rational()) {
            (Some(next), Some(high)) => next >= high,
            _ => false,
        },
        _ => false,
    }
}

impl Piece {
    /// A value in the piece; `None` for unknowns, and for a piece without ends.
    pub(crate) fn example(&self, ty: Type) -> Option<Value> {
        let number = |value: Rational| match ty.repr {
            Repr::Int => value.rounded_to_i64(Rounding::HalfAway).map(Value::Int),
            Repr::Rational => Some(Value::Rational(value)),
            _ => Some(Value::Float(value.to_f64())),
        };
        Some(match self {
            Piece::Unknown => return None,
            Piece::At(value) => match value.rational() {
                Some(value) => number(value)?,
                None => value.clone(),
            },
            Piece::Between(Some(Value::Text(low)), high) => between_texts(low, high.as_ref())?,
            Piece::Between(None, Some(Value::Text(high))) => {
                Value::Text(if high.is_empty() { return None } else { String::new() })
            }
            Piece::Between(None, None) if ty.repr == Repr::Text => Value::Text("any other".into()),
            Piece::Between(low, high) => {
                let between = match (low.as_ref().and_then(Value::rational), high.as_ref().and_then(Value::rational)) {
                    (Some(low), Some(high)) if ty.repr == Repr::Int => next_whole(low)?.min(high),
                    (Some(low), Some(high)) => low.plus(&high)?.divided_by(&Rational::from(2))?,
                    (Some(low), None) => next_whole(low)?,
                    (None, Some(high)) => high.rounded(Rounding::Up).minus(&Rational::ONE)?,
                    (None, None) => Rational::ZERO,
                };
                number(between)?
            }
        })
    }
}

/// The least whole number above it.
fn next_whole(number: Rational) -> Option<Rational> {
    number.rounded(Rounding::Down).plus(&Rational::ONE)
}

/// A text after `low` and before `high`.
fn between_texts(low: &str, high: Option<&Value>) -> Option<Value> {
    let after = ["!", " ", "\t", "\u{1}"].map(|sign| Value::Text(format!("{low}{sign}")));
    after.into_iter().find(|after| high.is_none_or(|high| compare_values(after, high) == Some(Ordering::Less)))
}

/// A value of a type, for people.
pub(crate) fn format_typed_value(value: &Value, ty: Type, currency: &Currency) -> String {
    match (value, ty.unit) {
        (Value::Int(minor), Unit::Money) => Money::from_minor(*minor).display(currency).to_string(),
        (Value::Rational(minor), Unit::Money) => of_mean(minor, currency),
        (Value::Float(minor), Unit::Money) => {
            Rational::from_f64(*minor).map_or_else(|| minor.to_string(), |minor| of_mean(&minor, currency))
        }
        (Value::Int(number), unit) if unit.is_iso() => unit.iso(value).unwrap_or_else(|| number.to_string()),
        (Value::Rational(_) | Value::Float(_), unit) if unit.is_iso() => unit.iso(value).unwrap_or_else(|| "?".into()),
        (Value::Int(value), _) => value.to_string(),
        (Value::Rational(value), _) => value.to_string(),
        (Value::Float(value), _) => value.to_string(),
        (Value::Boolean(value), _) => value.to_string(),
        (Value::Text(text), _) => format!("'{text}'"),
        (Value::Entry(_), _) => "an entry".to_owned(),
        (Value::List(items), _) => {
            items.iter().map(|item| format_typed_value(item, ty, currency)).collect::<Vec<_>>().join(", ")
        }
    }
}

/// A mean of money, with its digits below the minor unit, so that it looks different from other values.
fn of_mean(minor: &Rational, currency: &Currency) -> String {
    const DECIMALS: usize = 6;
    let digits = minor.absolute().to_decimals(DECIMALS);
    let (whole, rest) = digits.split_at(digits.len() - DECIMALS - 1);
    let Ok(whole) = whole.parse::<i64>() else { return minor.to_string() };
    let whole = Money::from_minor(whole).display(currency).to_string();
    let rest = rest.trim_end_matches('0');
    let sign = if minor.signum() < 0 { "-" } else { "" };
    match (rest.trim_start_matches('.'), currency.exponent()) {
        ("", _) => format!("{sign}{whole}"),
        (digits, 0) => format!("{sign}{whole}.{digits}"),
        (digits, _) => format!("{sign}{whole}{digits}"),
    }
}

/// Merges ranges that touch or overlap. The ranges are in order.
fn merge_touching_ranges(fits: Fits) -> Fits {
    let mut merged: Fits = Vec::with_capacity(fits.len());
    for (start, end) in fits {
        match merged.last_mut() {
            Some(last) if last.1 >= start => last.1 = last.1.max(end),
            _ => merged.push((start, end)),
        }
    }
    merged
}

/// The pieces of the first without those of the second.
pub(crate) fn subtract_pieces(fits: &[(u32, u32)], other: &[(u32, u32)]) -> Fits {
    let mut rest = Vec::new();
    for (mut start, end) in fits.iter().copied() {
        for (from, to) in other.iter().copied() {
            if to <= start || from >= end {
                continue;
            }
            if from > start {
                rest.push((start, from));
            }
            start = start.max(to);
        }
        if start < end {
            rest.push((start, end));
        }
    }
    rest
}

/// The pieces of both.
pub(crate) fn intersect_pieces(fits: &[(u32, u32)], other: &[(u32, u32)]) -> Fits {
    let (mut both, mut left, mut right) = (Vec::new(), 0, 0);
    while let (Some(a), Some(b)) = (fits.get(left), other.get(right)) {
        let (start, end) = (a.0.max(b.0), a.1.min(b.1));
        if start < end {
            both.push((start, end));
        }
        if a.1 < b.1 { left += 1 } else { right += 1 }
    }
    both
}
