//! Score, tables, requirements and the outcome, as docs/rules/reference.md says them.

use super::evaluate::{Case, Known, Made, Why, holds};
use super::model::{Cell, Effect, Hit, Item, Table, Value};
use super::offers::{self, Came};

/// The base and the points of every item.
pub fn score(case: &Case, base: f64, items: &[Item]) -> Known<f64> {
    let mut sum = base;
    for (at, item) in items.iter().enumerate() {
        sum += points(case, at, item)?;
    }
    Ok(sum)
}

/// The first bin that fits; bins are the rows of a table of one column.
fn points(case: &Case, at: usize, item: &Item) -> Known<f64> {
    let value = case.value(&item.on);
    let says = item.bins.iter().any(|(cell, _)| says_unknown(cell));
    for (cell, points) in &item.bins {
        match fits(cell, &value, says) {
            Fit::Yes => return Ok(*points),
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

/// Whether a value fits a cell. An unknown fits `-`, and `unknown` where the column says it somewhere.
fn fits(cell: &Cell, value: &Known<Value>, column_says_unknown: bool) -> Fit {
    match (passes(cell, value.as_ref().ok()), value) {
        (Some(true), _) => Fit::Yes,
        (Some(false), _) => Fit::No,
        (None, Err(why)) if !column_says_unknown => Fit::Undecided(why.clone()),
        (None, _) => Fit::No,
    }
}

fn says_unknown(cell: &Cell) -> bool {
    match cell {
        Cell::Unknown => true,
        Cell::Any(cells) | Cell::None(cells) => cells.iter().any(says_unknown),
        _ => false,
    }
}

/// `None` where the cell asks about a value that is not known.
fn passes(cell: &Cell, value: Option<&Value>) -> Option<bool> {
    match (cell, value) {
        (Cell::Anything, _) => Some(true),
        (Cell::Unknown, value) => Some(value.is_none()),
        (Cell::Sign(sign, bound), Some(value)) => Some(holds(sign, value, bound)),
        (Cell::Range(low, low_in, high, high_in), Some(value)) => {
            let above = holds(if *low_in { ">=" } else { ">" }, value, low);
            let below = holds(if *high_in { "<=" } else { "<" }, value, high);
            Some(above && below)
        }
        (Cell::Any(cells), value) => {
            let all: Vec<Option<bool>> = cells.iter().map(|cell| passes(cell, value)).collect();
            if all.contains(&Some(true)) {
                Some(true)
            } else if all.contains(&None) {
                None
            } else {
                Some(false)
            }
        }
        (Cell::None(cells), value) => passes(&Cell::Any(cells.clone()), value).map(|passes| !passes),
        (_, None) => None,
    }
}

/// The outputs of a table.
pub fn table(case: &Case, at: usize, table: &Table) -> Vec<Known<Value>> {
    let values: Vec<Known<Value>> = table.inputs.iter().map(|input| case.value(input)).collect();
    let says: Vec<bool> =
        (0..values.len()).map(|column| table.rows.iter().any(|(cells, _)| says_unknown(&cells[column]))).collect();
    let row = |cells: &[Cell]| {
        let fits = cells.iter().zip(&values).zip(&says).map(|((cell, value), says)| fits(cell, value, *says));
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
    let answer = find(at, table, row);
    (0..table.outputs.len()).map(|column| answer.clone().map(|row| table.rows[row].1[column].clone())).collect()
}

/// The row that counts.
fn find(at: usize, table: &Table, fits: impl Fn(&[Cell]) -> Fit) -> Known<usize> {
    let mut found: Option<usize> = None;
    for (number, (cells, outputs)) in table.rows.iter().enumerate() {
        match (fits(cells), found) {
            (Fit::No, _) => {}
            // With `first`, a row before it would have been the answer.
            (Fit::Undecided(why), _) => return Err(why),
            (Fit::Yes, None) if table.hit == Hit::First => return Ok(number),
            (Fit::Yes, None) => found = Some(number),
            (Fit::Yes, Some(first)) if table.hit == Hit::Any && table.rows[first].1 == *outputs => {}
            (Fit::Yes, Some(_)) => return Err(Why::ManyRows(at)),
        }
    }
    found.ok_or(Why::NoRow(at))
}

type Reasons = Vec<(String, Effect, Option<Why>)>;

/// Outcome, reasons and offers.
pub fn outcome(case: &mut Case) -> (&'static str, Reasons, Vec<Made>) {
    let mut reasons: Reasons = Vec::new();
    for (at, requirement) in case.policy.requirements.iter().enumerate() {
        let (effect, why) = match case.truth(&requirement.when) {
            Ok(true) => continue,
            Ok(false) => (requirement.otherwise.unwrap_or(Effect::Decline), None),
            Err(why) => (requirement.unknown.unwrap_or(Effect::Refer), Some(why)),
        };
        if effect != Effect::Pass {
            reasons.push((format!("R{at}"), effect, why));
        }
    }
    if let Some(day) = case.person.as_of
        && (case.policy.valid_from.is_some_and(|from| day < from) || case.policy.valid_to.is_some_and(|to| day > to))
    {
        reasons.push(("POLICY_DATES".into(), Effect::Refer, None));
    }
    if let Some(worst) = reasons.iter().map(|(_, effect, _)| *effect).max() {
        return (word(worst), reasons, Vec::new());
    }
    let (mut made, mut unknown) = (Vec::new(), None);
    for came in offers::offers(case) {
        match came {
            Came::Made(offer) => made.push(offer),
            Came::Not => {}
            Came::Unknown(why) => unknown = unknown.or(Some(why)),
        }
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
