//! Transition matrices and roll rates: how loans move between bands of days past due from one month to the next.

use std::collections::BTreeMap;

use serde::Serialize;

/// What is known of a loan in one month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoanMonth {
    /// Which loan, by any number.
    pub loan: usize,
    /// The month, such as year × 12 + month.
    pub month: i32,
    /// The band of days past due; 0 is the best.
    pub band: usize,
}

/// How loans move, made by [`count_transitions`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Transitions {
    /// For each month that loans move from, by its number: `counts[from][to]`.
    pub months: Vec<(i32, Vec<Vec<u64>>)>,
    /// Of each band, how many loans have no row in the next month although others do: repaid, sold or written off.
    pub gone: Vec<u64>,
}

impl Transitions {
    /// The moves of all months together: `counts[from][to]`.
    pub fn all(&self) -> Vec<Vec<u64>> {
        let bands = self.gone.len();
        let mut all = vec![vec![0; bands]; bands];
        for (_, counts) in &self.months {
            for (sum, row) in all.iter_mut().zip(counts) {
                sum.iter_mut().zip(row).for_each(|(sum, count)| *sum += count);
            }
        }
        all
    }
}

/// Counts the moves from each month to the next, over `bands` bands. Months of a loan with a gap between them are no
/// move.
///
/// ```text
/// transition(from, to) = loans in `from` that are in `to` a month later / loans in `from` with a row a month later
/// roll rate(from)      = loans in `from` that are in a worse band a month later / the same
/// ```
///
/// Siddiqi 2006, "Credit Risk Scorecards", on roll rate analysis; Thomas, Edelman & Crook 2002, "Credit Scoring and Its
/// Applications", on Markov chains of accounts. A band of `bands` or more counts as the last.
///
/// ```
/// use lendwright::portfolio::statistics::transitions::{LoanMonth, count_transitions, roll_rate};
/// let at = |loan, month, band| LoanMonth { loan, month, band };
/// let moved = count_transitions(&[at(1, 5, 0), at(1, 6, 1), at(2, 5, 0), at(2, 6, 0), at(2, 7, 0)], 2);
/// assert_eq!(moved.all(), [[2, 1], [0, 0]]);
/// assert_eq!(moved.gone, [0, 1]);
/// assert_eq!(roll_rate(&moved.all(), 0), Some(1.0 / 3.0));
/// ```
pub fn count_transitions(rows: &[LoanMonth], bands: usize) -> Transitions {
    let mut sorted: Vec<LoanMonth> = rows.to_vec();
    sorted.sort_unstable_by_key(|row| (row.loan, row.month));
    let last = sorted.iter().map(|row| row.month).max();
    let band = |row: &LoanMonth| row.band.min(bands.saturating_sub(1));
    let mut months: BTreeMap<i32, Vec<Vec<u64>>> = BTreeMap::new();
    let mut gone = vec![0; bands];
    for (at, row) in sorted.iter().enumerate() {
        match sorted.get(at + 1).filter(|next| next.loan == row.loan) {
            Some(next) if next.month == row.month + 1 => {
                let counts = months.entry(row.month).or_insert_with(|| vec![vec![0; bands]; bands]);
                counts[band(row)][band(next)] += 1;
            }
            Some(_) => {}
            None if Some(row.month) < last => gone[band(row)] += 1,
            None => {}
        }
    }
    Transitions { months: months.into_iter().collect(), gone }
}

/// The share of a band's loans that are in a worse band a month later; `None` without such loans.
pub fn roll_rate(counts: &[Vec<u64>], band: usize) -> Option<f64> {
    let row = counts.get(band)?;
    let all: u64 = row.iter().sum();
    let worse: u64 = row.iter().skip(band + 1).sum();
    (all > 0).then(|| worse as f64 / all as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(loan: usize, month: i32, band: usize) -> LoanMonth {
        LoanMonth { loan, month, band }
    }

    #[test]
    fn by_hand() {
        // docs/reference/statistics/transitions.md
        let rows = [
            at(1, 1, 0),
            at(1, 2, 1),
            at(1, 3, 2),
            at(2, 1, 0),
            at(2, 2, 0),
            at(2, 3, 0),
            at(3, 1, 1),
            at(3, 2, 0),
            at(4, 1, 0),
            at(4, 3, 0),
        ];
        let found = count_transitions(&rows, 3);
        assert_eq!(found.all(), [[2, 1, 0], [1, 0, 1], [0, 0, 0]]);
        assert_eq!(found.months.iter().map(|(month, _)| *month).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(found.gone, [1, 0, 0]);
        let all = found.all();
        assert_eq!([0, 1, 2].map(|band| roll_rate(&all, band)), [Some(1.0 / 3.0), Some(0.5), None]);
    }

    #[test]
    fn the_order_of_rows_does_not_matter_and_each_move_counts_once() {
        let rows: Vec<LoanMonth> = (0..400_usize).map(|row| at(row % 40, (row / 40) as i32, row * 7 % 5)).collect();
        let mut backwards = rows.clone();
        backwards.reverse();
        let found = count_transitions(&rows, 4);
        assert_eq!(found, count_transitions(&backwards, 4));
        assert_eq!(found.all().iter().flatten().sum::<u64>(), 40 * 9);
        for (month, counts) in &found.months {
            for (from, row) in counts.iter().enumerate() {
                for (to, count) in row.iter().enumerate() {
                    let is = |loan: usize, month: i32, band: usize| {
                        rows.iter().any(|row| (row.loan, row.month, row.band.min(3)) == (loan, month, band))
                    };
                    let wanted = (0..40).filter(|loan| is(*loan, *month, from) && is(*loan, month + 1, to)).count();
                    assert_eq!(*count, wanted as u64);
                }
            }
        }
    }
}
