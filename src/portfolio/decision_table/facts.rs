//! What is counted of a decision that was made.

use crate::base::date::Day;
use crate::base::time::Timestamp;
use crate::portfolio::LoanOutcome;

/// A decision that was made, without what it was made on. Nothing in it is personal but what became of the loan.
#[derive(Clone, Debug, PartialEq)]
pub struct DecisionFacts {
    pub id: String,
    pub at: Timestamp,
    /// The name of the shadow that decided; `None` for an answer.
    pub shadow: Option<String>,
    /// The id of the answer, if a shadow decided.
    pub answer: Option<String>,
    /// The name of the caller's key.
    pub caller: String,
    /// A digest of the customer; `None` if there is none, or it was erased.
    pub customer: Option<Vec<u8>>,
    pub as_of: Option<Day>,
    /// The policy's name, version and digest.
    pub policy: [String; 3],
    /// The digest of its parameters; empty if a shadow failed.
    pub parameters: String,
    pub engine: String,
    pub arm: Option<String>,
    /// `offer`, `refer`, `decline`, or `failed` for a shadow.
    pub outcome: String,
    /// The ids of its reasons.
    pub reasons: Vec<String>,
    /// The greatest amount offered, in minor units of its currency.
    pub amount_minor: Option<i64>,
    pub currency: Option<String>,
    pub took_us: i64,
    /// What became of the loan, if that was reported.
    pub loan: Option<LoanOutcome>,
}

impl DecisionFacts {
    /// The day on which it was made, in UTC.
    pub fn day(&self) -> Option<Day> {
        let days = self.at.milliseconds().div_euclid(crate::base::time::DAY);
        i32::try_from(days).ok().and_then(Day::checked_from_days)
    }
}
