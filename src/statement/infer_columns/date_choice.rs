//! Which reading of the dates is right, where the order of day and month is ambiguous. What nothing proves is asked.

use std::collections::BTreeSet;

use super::answers::{Answers, Doubt};
use super::dates::{DateOrder, DateReading};
use super::grid::Line;
use super::periods;
use crate::base::date::Day;

/// Days between the two dates of a record.
const NEAR: i32 = 7;
/// More days are between them where a card settles late.
const SETTLED: i32 = 31;
/// Days ahead of today that no export is of.
const FAR: i32 = 3_653;

/// The order of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DayOrder {
    OldestFirst,
    NewestFirst,
}

/// What may prove how dates are read.
pub(crate) struct DateProofs<'p> {
    pub(crate) cleared: &'p [DateReading],
    pub(crate) groups: &'p [&'p str],
    pub(crate) by_balance: Option<DayOrder>,
    /// The lines above and below the table.
    pub(crate) around: &'p [Line],
}

/// Chooses among the readings of the dates.
pub(crate) fn choose_date_reading(
    trans: &[DateReading],
    proofs: &DateProofs<'_>,
    answers: &Answers,
    doubts: &mut Vec<Doubt>,
) -> (DateReading, String) {
    let first = trans.first().cloned().unwrap_or_else(|| DateReading {
        pattern: None,
        order: DateOrder::Year,
        two_digit_years: false,
        months: None,
        days: Vec::new(),
        seconds: Vec::new(),
    });
    let differ = trans.iter().any(|reading| reading.days != first.days);
    if !differ {
        doubts.extend(far_future(&first, answers));
        return (first, String::new());
    }
    if let Some(day_first) = answers.day_first {
        let wanted = if day_first { DateOrder::Day } else { DateOrder::Month };
        if let Some(reading) = trans.iter().find(|reading| reading.order == wanted) {
            return (reading.clone(), "as the command line says".to_owned());
        }
    }
    if let Some((reading, reason)) = proved_dates(trans, proofs, answers) {
        return (reading.clone(), reason);
    }
    doubts.push(date_question(trans));
    (first, String::new())
}

/// The reading that another column, a stated period, the day of today or the order of the rows proves.
fn proved_dates<'r>(
    trans: &'r [DateReading],
    proofs: &DateProofs<'_>,
    answers: &Answers,
) -> Option<(&'r DateReading, String)> {
    // Another column with one reading: days are near each other, on every row.
    if let [other] = proofs.cleared {
        let near: Vec<&DateReading> = trans.iter().filter(|reading| is_near(reading, other, NEAR)).collect();
        if let [one] = near.as_slice() {
            return Some((one, "the other column of dates proves it".to_owned()));
        }
    }
    if let Some(reading) = periods::only_within(proofs.around, trans) {
        return Some((reading, "only so are the rows within the period that the file states".to_owned()));
    }
    let is_past = |reading: &&DateReading| !is_after(reading, answers.today, 1);
    if let [one] = trans.iter().filter(is_past).collect::<Vec<_>>().as_slice() {
        return Some((one, "only so is no day in the future".to_owned()));
    }
    // Rows without balances may be grouped by something else than their days.
    let by_balance = proofs.by_balance?;
    let distinct = |reading: &DateReading| reading.days.iter().flatten().collect::<BTreeSet<_>>().len();
    let is_ordered = |reading: &&DateReading| {
        distinct(reading) >= 4 && row_day_direction(&reading.days, proofs.groups) == Some(by_balance)
    };
    match trans.iter().filter(is_ordered).collect::<Vec<_>>().as_slice() {
        [one] => Some((one, "only so are the rows in the order of their balances".to_owned())),
        _ => None,
    }
}

/// Whether the days of two columns are near each other on every row.
fn is_near(one: &DateReading, other: &DateReading, days: i32) -> bool {
    let mut pairs = one.days.iter().zip(&other.days).filter_map(|(a, b)| Some((*a)? - (*b)?));
    pairs.all(|distance| distance.abs() <= days)
}

/// Whether a day is more than so many days after today.
fn is_after(reading: &DateReading, today: Option<i32>, days: i32) -> bool {
    today.is_some_and(|today| reading.days.iter().flatten().any(|day| *day > today + days))
}

/// The reading of a second column of dates that fits the first one. `None` if none does for certain.
pub(crate) fn find_matching_reading(readings: &[DateReading], trans: &DateReading) -> Option<DateReading> {
    let near: Vec<&DateReading> = readings.iter().filter(|reading| is_near(reading, trans, SETTLED)).collect();
    let same = near.iter().find(|reading| reading.order == trans.order);
    match (same, near.as_slice()) {
        (Some(same), _) => Some((*same).clone()),
        (None, [one]) => Some((*one).clone()),
        _ => None,
    }
}

/// A doubt about years of another calendar, or of a century that nobody meant.
fn far_future(reading: &DateReading, answers: &Answers) -> Option<Doubt> {
    let last = reading.days.iter().flatten().max()?;
    is_after(reading, answers.today, FAR).then(|| {
        Doubt::open(format!(
            "the last day would be {}; dates of another calendar are not read, and a century is declared under [dates]",
            Day::from_days(*last)
        ))
    })
}

/// Shows what the dates would be in each reading, and asks.
fn date_question(trans: &[DateReading]) -> Doubt {
    let answer = |reading: &DateReading| {
        let days = || reading.days.iter().flatten();
        let (first, last) = (days().min().copied().unwrap_or(0), days().max().copied().unwrap_or(0));
        let (first, last) = (Day::from_days(first), Day::from_days(last));
        let pattern = reading.pattern.as_deref().unwrap_or_default();
        match reading.order {
            DateOrder::Day => format!("--day-first if the rows are of {first} to {last}"),
            DateOrder::Month => format!("--month-first if they are of {first} to {last}"),
            DateOrder::Year => format!("trans_date = \"{pattern}\", by hand, if they are of {first} to {last}"),
        }
    };
    let answers: Vec<String> = trans.iter().map(answer).collect();
    let what =
        format!("no date proves what comes first, the day, the month or the year; say {}", answers.join(", or "));
    let has_option = trans.iter().all(|reading| reading.order != DateOrder::Year);
    Doubt { has_option, ..Doubt::open(what) }
}

/// How often days rise and fall from row to row.
pub(crate) fn row_day_direction(days: &[Option<i32>], groups: &[&str]) -> Option<DayOrder> {
    let (mut rises, mut falls) = (0, 0);
    let mut last: std::collections::BTreeMap<&str, i32> = std::collections::BTreeMap::new();
    for (day, group) in days.iter().zip(groups) {
        let Some(day) = day else { continue };
        if let Some(before) = last.insert(group, *day) {
            rises += usize::from(before < *day);
            falls += usize::from(before > *day);
        }
    }
    match (rises, falls) {
        (1.., 0) => Some(DayOrder::OldestFirst),
        (0, 1..) => Some(DayOrder::NewestFirst),
        _ => None,
    }
}
