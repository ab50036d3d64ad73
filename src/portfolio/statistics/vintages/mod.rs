//! Vintage curves: the cumulative bad rate of each cohort by months on book, only as far as it is known.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::portfolio::statistics::error::StatisticsError;

/// What is known of one loan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoanHistory {
    /// The month in which it was paid out, such as year × 12 + month.
    pub cohort: i32,
    /// Months on book at which it went bad, if it did.
    pub bad_at: Option<u16>,
    /// Months on book up to which its state is known. A loan repaid early is known to the end of the data: it cannot
    /// go bad any more.
    pub observed: u16,
}

/// The curve of one cohort, made by [`build_vintage_curves`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Vintage {
    /// The month in which its loans were paid out.
    pub cohort: i32,
    /// Its loans.
    pub n: u64,
    /// The last month on book at which the state of every loan is known: where the curve ends.
    pub complete_to: u16,
    /// The last month on book at which the state of any loan is known.
    pub observed_to: u16,
    /// Loans that went bad by each month on book, from month 0 to `complete_to`.
    pub cumulative_bad: Vec<u64>,
    /// Loans that went bad after `complete_to`, where others are no longer observed: not on the curve.
    pub later_bad: u64,
}

impl Vintage {
    /// The share of loans that went bad by this month on book; `None` beyond `complete_to`.
    pub fn rate(&self, month: u16) -> Option<f64> {
        self.cumulative_bad.get(usize::from(month)).map(|bad| *bad as f64 / self.n as f64)
    }
}

/// The vintage curve of each cohort, oldest first.
///
/// ```text
/// rate(cohort, m) = loans that went bad at month m or before / loans of the cohort
/// ```
///
/// A bad loan stays bad, so that its state is known for good. The state of any other loan is known up to its
/// `observed`. The curve ends where the first state is unknown (right censoring). It is never an estimate: within
/// `complete_to` it counts every loan. Siddiqi 2006, "Credit Risk Scorecards", on vintage (cohort) analysis.
///
/// # Errors
/// [`StatisticsError::RowOutOfRange`] if a loan went bad after the months observed.
///
/// ```
/// use lendwright::portfolio::statistics::vintages::{LoanHistory, build_vintage_curves};
/// let loan = |bad_at, observed| LoanHistory { cohort: 24_300, bad_at, observed };
/// let curves = build_vintage_curves(&[loan(Some(2), 6), loan(None, 4), loan(Some(5), 5), loan(None, 6)])?;
/// assert_eq!(curves[0].cumulative_bad, [0, 0, 1, 1, 1]);
/// assert_eq!((curves[0].rate(4), curves[0].rate(5), curves[0].later_bad), (Some(0.25), None, 1));
/// # Ok::<(), lendwright::portfolio::statistics::StatisticsError>(())
/// ```
pub fn build_vintage_curves(loans: &[LoanHistory]) -> Result<Vec<Vintage>, StatisticsError> {
    let mut cohorts: BTreeMap<i32, Cohort> = BTreeMap::new();
    for (row, loan) in loans.iter().enumerate() {
        if let Some(month) = loan.bad_at.filter(|month| *month > loan.observed) {
            let value = format!("{month}, with {} months observed", loan.observed);
            return Err(StatisticsError::RowOutOfRange { what: "bad_at", row, value, range: "the months observed" });
        }
        cohorts.entry(loan.cohort).or_default().add(loan);
    }
    Ok(cohorts.into_iter().map(|(month, cohort)| cohort.curve(month)).collect())
}

/// A cohort while its loans are counted.
#[derive(Default)]
struct Cohort {
    n: u64,
    /// The first month after which a loan that is not bad is unknown.
    censored: Option<u16>,
    observed_to: u16,
    /// Loans that went bad in each month on book.
    bad: Vec<u64>,
}

impl Cohort {
    fn add(&mut self, loan: &LoanHistory) {
        self.n += 1;
        self.observed_to = self.observed_to.max(loan.observed);
        let Some(month) = loan.bad_at else {
            self.censored = Some(self.censored.map_or(loan.observed, |month| month.min(loan.observed)));
            return;
        };
        let month = usize::from(month);
        if self.bad.len() <= month {
            self.bad.resize(month + 1, 0);
        }
        if let Some(count) = self.bad.get_mut(month) {
            *count += 1;
        }
    }

    fn curve(self, cohort: i32) -> Vintage {
        let complete_to = self.censored.unwrap_or(self.observed_to);
        let shown = usize::from(complete_to) + 1;
        let by_month = self.bad.iter().copied().chain(std::iter::repeat(0)).take(shown);
        let cumulative_bad = by_month.scan(0, |sum, bad| {
            *sum += bad;
            Some(*sum)
        });
        Vintage {
            cohort,
            n: self.n,
            complete_to,
            observed_to: self.observed_to,
            cumulative_bad: cumulative_bad.collect(),
            later_bad: self.bad.iter().skip(shown).sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loan(cohort: i32, bad_at: Option<u16>, observed: u16) -> LoanHistory {
        LoanHistory { cohort, bad_at, observed }
    }

    #[test]
    fn by_hand() {
        // docs/reference/statistics/vintages.md
        let loans = [
            loan(202_402, None, 3),
            loan(202_401, Some(2), 6),
            loan(202_401, None, 4),
            loan(202_401, Some(5), 5),
            loan(202_401, None, 6),
            loan(202_402, Some(1), 3),
        ];
        let found = build_vintage_curves(&loans).unwrap();
        assert_eq!(found.iter().map(|curve| curve.cohort).collect::<Vec<_>>(), [202_401, 202_402]);
        let january = &found[0];
        assert_eq!((january.n, january.complete_to, january.observed_to, january.later_bad), (4, 4, 6, 1));
        assert_eq!(january.cumulative_bad, [0, 0, 1, 1, 1]);
        assert_eq!((january.rate(2), january.rate(4), january.rate(5)), (Some(0.25), Some(0.25), None));
        assert_eq!(found[1].cumulative_bad, [0, 1, 1, 1]);
    }

    #[test]
    fn a_bad_loan_does_not_end_the_curve() {
        let found = build_vintage_curves(&[loan(1, Some(1), 1), loan(1, None, 3)]).unwrap();
        assert_eq!(found[0].cumulative_bad, [0, 1, 1, 1]);
        let all_bad = build_vintage_curves(&[loan(1, Some(0), 2), loan(1, Some(2), 3)]).unwrap();
        assert_eq!((all_bad[0].complete_to, all_bad[0].rate(3)), (3, Some(1.0)));
    }

    #[test]
    fn edges() {
        assert_eq!(build_vintage_curves(&[]), Ok(vec![]));
        assert_eq!(build_vintage_curves(&[loan(i32::MIN, None, 0)]).unwrap()[0].cumulative_bad, [0]);
        assert_eq!(build_vintage_curves(&[loan(0, Some(u16::MAX), u16::MAX)]).unwrap()[0].cumulative_bad.len(), 65_536);
        assert!(build_vintage_curves(&[loan(0, Some(4), 3)]).is_err());
    }

    #[test]
    fn every_cell_counts_loans_whose_state_is_known() {
        let loans: Vec<_> = (0..500_u32)
            .map(|row| {
                let observed = (row * 7 % 13) as u16 + 5;
                let bad_at = (row % 5 == 0).then_some((row * 3 % 17) as u16).filter(|month| *month <= observed);
                loan((row % 4) as i32, bad_at, observed)
            })
            .collect();
        for curve in build_vintage_curves(&loans).unwrap() {
            let cohort: Vec<_> = loans.iter().filter(|loan| loan.cohort == curve.cohort).collect();
            for month in 0..20 {
                let bad = cohort.iter().filter(|loan| loan.bad_at.is_some_and(|at| at <= month)).count();
                let known = cohort.iter().all(|loan| loan.observed >= month || loan.bad_at.is_some());
                assert_eq!(curve.rate(month), known.then(|| bad as f64 / cohort.len() as f64));
            }
        }
    }
}
