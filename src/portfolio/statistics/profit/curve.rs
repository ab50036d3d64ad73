//! The profit curve: approvals, losses and profit for each cut-off, and the best one.

use serde::Serialize;

use super::{Economics, Loan, refuse_meaningless_loans};
use crate::portfolio::statistics::error::StatisticsError;
use crate::portfolio::statistics::ties::{KeyedRow, order_key, thin_evenly, value_of};

/// What follows from approving every application with a score at or above a cut-off.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CutOff {
    /// The lowest score approved; `None` approves nobody.
    pub score: Option<f64>,
    /// Applications approved.
    pub approvals: u64,
    /// approvals / applications with a known outcome; `None` without such applications.
    pub approval_rate: Option<f64>,
    /// Approved loans that went bad.
    pub bad: u64,
    /// bad / approvals; `None` without approvals.
    pub bad_rate: Option<f64>,
    /// What bad loans lost, in minor units: Σ LGD × amount.
    pub loss: i128,
    /// What predictions said they would lose, in minor units: Σ PD × LGD × amount; `None` if an approved loan has no
    /// prediction.
    pub expected_loss: Option<i128>,
    /// The profit of approved loans minus the cost of all counted applications, in minor units.
    pub profit: i128,
}

/// Profit by cut-off, made by [`profit_curve`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProfitCurve {
    /// Applications with a known outcome: all that this curve counts.
    pub counted: u64,
    /// Applications without a known outcome, which are not counted.
    pub without_outcome: u64,
    /// Cut-offs from the strictest, which approves nobody, to the loosest, which approves all.
    pub points: Vec<CutOff>,
    /// The cut-off with the highest profit among all, thinned or not; of equal ones the strictest.
    pub best: CutOff,
}

/// The profit curve over the cut-off, with at most `most` points; costs O(n log n).
///
/// There is one cut-off for each distinct score. More than `most` are thinned to points evenly spaced by their place,
/// which always include both ends; the best one takes the place of its nearest neighbour. Only applications with a
/// known outcome count.
///
/// # Errors
/// [`StatisticsError::OutOfRange`] for the economics, or if `most` is below 3. [`StatisticsError::NotANumber`] or
/// [`StatisticsError::RowOutOfRange`] for a loan.
pub fn profit_curve(loans: &[Loan], economics: &Economics, most: usize) -> Result<ProfitCurve, StatisticsError> {
    StatisticsError::at_least("points", most, 3, "3 or more")?;
    economics.check()?;
    refuse_meaningless_loans(loans)?;
    let order = safest_first(loans);
    let ties = || order.chunk_by(|left, right| left.key() == right.key());
    let mut sums = Sums::start(order.len() as u64, economics);
    let mut wanted = thin_evenly(ties().count() + 1, most).skip(1).peekable();
    let mut points = vec![(0, sums)];
    let mut best = (0, sums);
    for (place, tied) in (1..).zip(ties()) {
        sums.add_tied(tied, loans, economics);
        if sums.profit > best.1.profit {
            best = (place, sums);
        }
        if wanted.next_if_eq(&place).is_some() {
            points.push((place, sums));
        }
    }
    keep_best(&mut points, best);
    let counted = order.len() as u64;
    Ok(ProfitCurve {
        counted,
        without_outcome: loans.len() as u64 - counted,
        points: points.iter().map(|(_, sums)| sums.cut_off(counted)).collect(),
        best: best.1.cut_off(counted),
    })
}

/// Puts the best point in the place of its nearest neighbour, unless it is there.
fn keep_best(points: &mut [(usize, Sums)], best: (usize, Sums)) {
    if points.iter().any(|(place, _)| *place == best.0) {
        return;
    }
    let inner = points.len().saturating_sub(1);
    let nearest = points.iter_mut().take(inner).skip(1).min_by_key(|(place, _)| place.abs_diff(best.0));
    if let Some(point) = nearest {
        *point = best;
    }
}

/// Rows with a known outcome, highest score first.
fn safest_first(loans: &[Loan]) -> Vec<KeyedRow> {
    let known = loans.iter().zip(0..).filter(|(loan, _)| loan.bad.is_some());
    let mut order: Vec<KeyedRow> = known.map(|(loan, row)| KeyedRow::new(!order_key(loan.score), row)).collect();
    order.sort_unstable();
    order
}

/// Sums over the approved loans of a cut-off.
#[derive(Clone, Copy)]
struct Sums {
    score: Option<f64>,
    approvals: u64,
    bad: u64,
    loss: i128,
    expected_loss: Option<i128>,
    profit: i128,
}

impl Sums {
    /// Nobody is approved, and every application has cost something.
    fn start(counted: u64, economics: &Economics) -> Sums {
        let profit = -i128::from(economics.cost_per_application) * i128::from(counted);
        Sums { score: None, approvals: 0, bad: 0, loss: 0, expected_loss: Some(0), profit }
    }

    /// Approves the loans with one score.
    fn add_tied(&mut self, tied: &[KeyedRow], loans: &[Loan], economics: &Economics) {
        self.score = tied.first().map(|row| value_of(!row.key()));
        for loan in tied.iter().filter_map(|row| loans.get(row.row())) {
            if let Some(bad) = loan.bad {
                self.add(loan, bad, economics);
            }
        }
    }

    fn add(&mut self, loan: &Loan, bad: bool, economics: &Economics) {
        self.approvals += 1;
        if bad {
            self.bad += 1;
            self.loss += economics.loss(loan);
        }
        let expected = economics.expected_loss(loan);
        self.expected_loss = self.expected_loss.zip(expected).map(|(sum, expected)| sum + expected);
        self.profit += economics.profit(loan, bad);
    }

    fn cut_off(&self, counted: u64) -> CutOff {
        let rate = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
        CutOff {
            score: self.score,
            approvals: self.approvals,
            approval_rate: rate(self.approvals, counted),
            bad: self.bad,
            bad_rate: rate(self.bad, self.approvals),
            loss: self.loss,
            expected_loss: self.expected_loss,
            profit: self.profit,
        }
    }
}
