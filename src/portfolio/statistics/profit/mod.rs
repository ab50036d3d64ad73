//! What a cut-off earns: expected loss, the profit of a loan under declared economics, and the profit curve.
//!
//! Money goes in as whole minor units (kobo, cents). Each part of a loan is rounded to the nearest minor unit, half
//! away from zero; sums are then exact.

mod curve;

pub use curve::{CutOff, ProfitCurve, profit_curve};

use serde::Serialize;

use crate::portfolio::statistics::error::StatisticsError;

/// What lending earns and costs: declared, never estimated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Economics {
    /// The share of the amount lost when a loan goes bad, 0 to 1.
    pub loss_given_default: f64,
    /// What a good loan earns.
    pub income: Income,
    /// The cost of money per year, as a share of the amount: 0.1 is 10%; 0 to 100.
    pub funding_rate: f64,
    /// The cost of each application, approved or not, in minor units.
    pub cost_per_application: i64,
    /// The cost of each loan, in minor units.
    pub cost_per_loan: i64,
}

/// What a good loan earns. A bad one earns nothing: the cautious reading.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Income {
    /// A share of the amount over the life of the loan, 0 to 100.
    Margin(f64),
    /// The interest and fees of each loan, [`Loan::income`].
    OfLoan,
}

/// One application.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loan {
    /// Its score; higher is safer.
    pub score: f64,
    /// The amount at risk (exposure at default), in minor units; 0 to 2^53.
    pub amount: i64,
    /// Years for which the amount is funded, 0 to 100.
    pub years: f64,
    /// Interest and fees over its life, in minor units; read only with [`Income::OfLoan`].
    pub income: i64,
    /// The predicted probability of going bad, 0 to 1, if there is one.
    pub predicted: Option<f64>,
    /// Whether it went bad; `None` if nobody knows, as for a declined application.
    pub bad: Option<bool>,
}

/// The largest amount that a float holds exactly, 2^53 minor units.
const MOST_AMOUNT: f64 = 9_007_199_254_740_992.0;

/// The expected loss of a loan in minor units, rounded half away from zero:
///
/// ```text
/// expected loss = PD × LGD × EAD
/// ```
///
/// Basel Committee on Banking Supervision 2005, "An Explanatory Note on the Basel II IRB Risk Weight Functions".
///
/// # Errors
/// [`StatisticsError::OutOfRange`] if a probability or share is not within 0 to 1, or the amount not within 0 to 2^53.
///
/// ```
/// use lendwright::portfolio::statistics::profit::expected_loss;
/// assert_eq!(expected_loss(0.04, 0.6, 1_000_000), Ok(24_000));
/// ```
pub fn expected_loss(
    probability_of_default: f64,
    loss_given_default: f64,
    exposure_at_default: i64,
) -> Result<i64, StatisticsError> {
    StatisticsError::within("probability_of_default", probability_of_default, (0.0, 1.0), "0 to 1")?;
    StatisticsError::within("loss_given_default", loss_given_default, (0.0, 1.0), "0 to 1")?;
    let exposure = exposure_at_default as f64;
    StatisticsError::within("exposure_at_default", exposure, (0.0, MOST_AMOUNT), "0 to 2^53 minor units")?;
    Ok((probability_of_default * loss_given_default * exposure).round() as i64)
}

impl Economics {
    /// Refuses rates and costs outside their ranges.
    ///
    /// # Errors
    /// [`StatisticsError::OutOfRange`] names the first one that is.
    pub fn check(&self) -> Result<(), StatisticsError> {
        StatisticsError::within("loss_given_default", self.loss_given_default, (0.0, 1.0), "0 to 1")?;
        StatisticsError::within("funding_rate", self.funding_rate, (0.0, 100.0), "0 to 100 per year")?;
        if let Income::Margin(margin) = self.income {
            StatisticsError::within("margin", margin, (0.0, 100.0), "0 to 100")?;
        }
        Ok(())
    }

    /// The profit of a loan with this outcome, in minor units, without the cost of its application.
    ///
    /// ```text
    /// good: income - funding rate × amount × years - cost per loan
    /// bad:         - funding rate × amount × years - cost per loan - LGD × amount
    /// ```
    ///
    /// Income, funding and loss are each rounded half away from zero. Thomas, Edelman & Crook 2002, "Credit Scoring and
    /// Its Applications", on profit and cut-offs.
    pub fn profit(&self, loan: &Loan, bad: bool) -> i128 {
        let funding = round_to_minor_unit(self.funding_rate * loan.amount as f64 * loan.years);
        let outcome = if bad { -self.loss(loan) } else { self.income(loan) };
        outcome - funding - i128::from(self.cost_per_loan)
    }

    /// What a good loan earns, in minor units.
    fn income(&self, loan: &Loan) -> i128 {
        match self.income {
            Income::Margin(margin) => round_to_minor_unit(margin * loan.amount as f64),
            Income::OfLoan => i128::from(loan.income),
        }
    }

    /// What a bad loan loses, in minor units: LGD × amount.
    fn loss(&self, loan: &Loan) -> i128 {
        round_to_minor_unit(self.loss_given_default * loan.amount as f64)
    }

    /// PD × LGD × amount in minor units; `None` without a prediction.
    fn expected_loss(&self, loan: &Loan) -> Option<i128> {
        loan.predicted.map(|predicted| round_to_minor_unit(predicted * self.loss_given_default * loan.amount as f64))
    }
}

/// To the nearest minor unit, half away from zero. Below 2^52, where halves exist, without calls into a library.
fn round_to_minor_unit(amount: f64) -> i128 {
    const HALVES_END: f64 = 4_503_599_627_370_496.0;
    if amount.abs() >= HALVES_END {
        return amount as i128;
    }
    let whole = amount as i64;
    let rest = amount - whole as f64;
    i128::from(whole + i64::from(rest >= 0.5) - i64::from(rest <= -0.5))
}

/// Refuses loans with values that have no meaning.
fn refuse_meaningless_loans(loans: &[Loan]) -> Result<(), StatisticsError> {
    for (row, loan) in loans.iter().enumerate() {
        if loan.score.is_nan() {
            return Err(StatisticsError::NotANumber { what: "score", row });
        }
        let refuse = |what, value: f64, range| {
            Err(StatisticsError::RowOutOfRange { what, row, value: value.to_string(), range })
        };
        if !(0.0..=MOST_AMOUNT).contains(&(loan.amount as f64)) {
            return refuse("amount", loan.amount as f64, "0 to 2^53 minor units");
        }
        if !(0.0..=100.0).contains(&loan.years) {
            return refuse("years", loan.years, "0 to 100");
        }
        if let Some(predicted) = loan.predicted.filter(|predicted| !(0.0..=1.0).contains(predicted)) {
            return refuse("predicted", predicted, "0 to 1");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
