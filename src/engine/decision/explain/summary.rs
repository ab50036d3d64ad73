//! A statement in a few figures: its period, its records, what came in and went out, who paid. Knows no rules.

use std::collections::BTreeSet;

use super::explanation::{DayTotals, StatementSummary};
use super::numbers::Numbers;
use crate::base::date::Day;

/// Most months without records that are listed; longer gaps are those of a wrong date.
const MONTHS_MAX: usize = 240;

/// What the records that count say together. `days` are their totals.
pub(super) fn summarize_statement(numbers: &Numbers, days: &[DayTotals]) -> StatementSummary {
    let (case, rows) = (numbers.case, numbers.rows_that_count());
    let all = &case.slice.heads[case.statement].rows;
    let sum = |side: fn(&DayTotals) -> i64| days.iter().map(side).fold(0, i64::saturating_add);
    let mut payers = case.evaluated.knows_counterparties().then(BTreeSet::new);
    if let Some(payers) = &mut payers {
        payers.extend(
            rows.clone().filter(|row| numbers.brings_money(*row)).filter_map(|row| case.evaluated.counterparty(row)),
        );
    }
    StatementSummary {
        first_day: days.first().map(|day| day.day),
        last_day: days.last().map(|day| day.day),
        records: rows.len() as u64,
        later_records: (all.len() - rows.len()) as u64,
        inflow: sum(|day| day.inflow),
        outflow: case.slice.has_debit[case.statement].then(|| sum(|day| day.outflow)),
        payers: payers.map(|payers| payers.len() as u64),
        months_without_records: months_without_records(days),
    }
}

/// The first days of the months without records between the first record and the last.
fn months_without_records(days: &[DayTotals]) -> Vec<Day> {
    let pairs = days.iter().zip(days.iter().skip(1));
    let next = |month: Day| Day::from_days(month.days() + 31).month_start();
    let between = pairs.flat_map(|(day, after)| {
        let last = after.day.month_start();
        std::iter::successors(Some(next(day.day.month_start())), move |month| Some(next(*month)))
            .take_while(move |month| *month < last)
    });
    between.take(MONTHS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_between_two_records_are_without() {
        let day = |text: &str| Day::parse_iso(text).expect("a day");
        let found = |days: &[&str]| {
            let totals = |text: &&str| DayTotals { day: day(text), inflow: 1, outflow: 0, balance: None };
            let months = months_without_records(&days.iter().map(totals).collect::<Vec<_>>());
            months.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert!(found(&[]).is_empty());
        assert!(found(&["2026-01-31"]).is_empty());
        assert!(found(&["2026-01-01", "2026-02-28", "2026-03-31"]).is_empty());
        assert_eq!(found(&["2025-11-30", "2026-02-01"]), ["2025-12-01", "2026-01-01"]);
        assert_eq!(found(&["2026-01-31", "2026-03-01", "2026-05-31"]), ["2026-02-01", "2026-04-01"]);
        assert_eq!(found(&["1926-01-31", "2026-03-01"]).len(), MONTHS_MAX);
    }
}
