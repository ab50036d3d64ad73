//! How loans age: cumulative bad rates by full months on book, for each month of loans. Formulas are in `statistics`.

use std::collections::BTreeMap;

use super::summary::VintageCurve;
use crate::base::date::{Day, format_month};
use crate::portfolio::outcomes::LoanOutcome;
use crate::portfolio::statistics::StatisticsError;
use crate::portfolio::statistics::vintages::{LoanHistory, build_vintage_curves};

/// The curve of each month of loans, the oldest first; none if outcomes have no days. If there are curves, also how
/// many loans are in none of them: without a day of the loan or a day until which they were observed, or with one
/// before the loan.
///
/// # Errors
/// If a loan went bad after the day until which it was observed.
pub(super) fn vintage_curves(outcomes: &[Option<LoanOutcome>]) -> Result<(Vec<VintageCurve>, u64), StatisticsError> {
    let mut left_out = 0;
    let mut undated: BTreeMap<i32, u64> = BTreeMap::new();
    let mut loans = Vec::new();
    for outcome in outcomes.iter().flatten() {
        let days = outcome.loan_date.zip(outcome.observed_until);
        let observed = days.and_then(|(paid_out, until)| Some((paid_out, full_months_between(paid_out, until)?)));
        let Some((paid_out, observed)) = observed else {
            left_out += 1;
            continue;
        };
        let cohort = paid_out.month_index();
        let bad_at = outcome.bad_date.and_then(|day| full_months_between(paid_out, day));
        if outcome.bad && bad_at.is_none() {
            // The month in which it went bad is unknown.
            *undated.entry(cohort).or_default() += 1;
            continue;
        }
        loans.push(LoanHistory { cohort, bad_at: bad_at.filter(|_| outcome.bad), observed });
    }
    let found = build_vintage_curves(&loans)?;
    let mut curves: BTreeMap<i32, VintageCurve> = BTreeMap::new();
    for curve in &found {
        curves.insert(
            curve.cohort,
            VintageCurve {
                loans: curve.n,
                bad_rates: (0..=curve.complete_to).map_while(|month| curve.rate(month)).collect(),
                later_bad: curve.later_bad,
                ..VintageCurve::default()
            },
        );
    }
    for (cohort, count) in undated {
        curves.entry(cohort).or_default().undated_bad = count;
    }
    let left_out = if curves.is_empty() { 0 } else { left_out };
    let named = curves.into_iter().map(|(cohort, curve)| VintageCurve { cohort: format_month(cohort), ..curve });
    Ok((named.collect(), left_out))
}

/// Full months from one day to another; `None` if the other is earlier.
fn full_months_between(from: Day, to: Day) -> Option<u16> {
    let months = u32::try_from(to.month_index() - from.month_index()).ok()?;
    let is_full = from.plus_months(months).is_some_and(|day| day <= to);
    u16::try_from(months.checked_sub(u32::from(!is_full))?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Day {
        Day::parse_iso(text).expect("a day")
    }

    #[test]
    fn months_on_book_are_full_months() {
        for (from, to, wanted) in [
            ("2026-01-31", "2026-02-01", Some(0)),
            ("2026-01-31", "2026-02-28", Some(1)),
            ("2026-01-15", "2026-03-14", Some(1)),
            ("2026-01-15", "2026-03-15", Some(2)),
            ("2026-01-15", "2026-01-15", Some(0)),
            ("2026-01-15", "2026-01-14", None),
            ("2026-01-15", "2025-12-31", None),
        ] {
            assert_eq!(full_months_between(day(from), day(to)), wanted, "{from} to {to}");
        }
    }

    #[test]
    fn bad_loans_without_a_usable_day_are_told() {
        let loan = |bad: bool, bad_date: Option<&str>| {
            Some(LoanOutcome {
                bad,
                loan_date: Some(day("2026-01-10")),
                bad_date: bad_date.map(day),
                observed_until: Some(day("2026-05-10")),
                ..LoanOutcome::default()
            })
        };
        let outcomes =
            [loan(false, None), loan(true, Some("2026-03-10")), loan(true, None), loan(true, Some("2025-12-01")), None];
        let (found, _) = vintage_curves(&outcomes).expect("curves");
        let [january] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((january.loans, january.undated_bad, january.later_bad), (2, 2, 0));
        assert_eq!(january.bad_rates, [0.0, 0.0, 0.5, 0.5, 0.5]);
    }
}
