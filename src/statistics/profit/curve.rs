//! The profit curve: approvals, losses and profit for each cut-off, and the best one.

use serde::Serialize;

use super::{Economics, Loan, check};
use crate::statistics::StatisticsError;
use crate::statistics::ties::{order_key, thinned, value_of};

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
    check(loans)?;
    let cut_offs = cut_offs(loans, economics);
    let counted = loans.iter().filter(|loan| loan.bad.is_some()).count() as u64;
    let rated = |sums: &Sums| sums.cut_off(counted);
    let nobody = Sums::start(counted, economics);
    let all = || std::iter::once(&nobody).chain(&cut_offs);
    let best =
        all().enumerate().fold((0, &nobody), |best, next| if next.1.profit > best.1.profit { next } else { best });
    let wanted = kept(cut_offs.len() + 1, most, best.0);
    let points = wanted.into_iter().filter_map(|place| match place.checked_sub(1) {
        None => Some(&nobody),
        Some(place) => cut_offs.get(place),
    });
    Ok(ProfitCurve {
        counted,
        without_outcome: loans.len() as u64 - counted,
        points: points.map(rated).collect(),
        best: rated(best.1),
    })
}

/// The places of the points, ascending: evenly spaced, with `best` among them.
fn kept(count: usize, most: usize, best: usize) -> Vec<usize> {
    let mut places: Vec<usize> = thinned(count, most).collect();
    if places.binary_search(&best).is_err() {
        let inner = places.len().saturating_sub(1).max(1);
        let nearest = places.iter_mut().take(inner).skip(1).min_by_key(|place| place.abs_diff(best));
        if let Some(place) = nearest {
            *place = best;
        }
    }
    places
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

/// The sums of every distinct score, highest first.
fn cut_offs(loans: &[Loan], economics: &Economics) -> Vec<Sums> {
    let known = loans.iter().zip(0_usize..).filter(|(loan, _)| loan.bad.is_some());
    let mut order: Vec<(u64, usize)> = known.map(|(loan, row)| (!order_key(loan.score), row)).collect();
    order.sort_unstable();
    let mut sums = Sums::start(order.len() as u64, economics);
    let ties = order.chunk_by(|left, right| left.0 == right.0);
    ties.map(|tied| {
        for (key, row) in tied {
            sums.score = Some(value_of(!key));
            if let Some((loan, bad)) = loans.get(*row).and_then(|loan| loan.bad.map(|bad| (loan, bad))) {
                sums.add(loan, bad, economics);
            }
        }
        sums
    })
    .collect()
}
