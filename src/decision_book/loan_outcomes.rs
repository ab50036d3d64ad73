//! What became of the loans that followed decisions, as the lender reports it.

use super::DecisionBook;
use crate::base::date::Day;
use crate::base::time::Timestamp;
use crate::lender::store::database::write_transaction;
use crate::lender::store::error::StoreError;
use crate::lender::store::value::SqlValue;
use crate::portfolio::LoanOutcome;

/// How a decision is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DecisionName {
    /// Its id.
    Id(String),
    /// The reference of its statement: the latest answer on it is meant.
    Reference(String),
}

/// What a report did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OutcomeRecorded {
    /// It is kept for the decision with this id; `replaced` if an earlier report was another one.
    Kept { decision: String, replaced: bool },
    /// The decision is unknown.
    NoDecision,
    /// The decision with this id made no offer, so no loan followed from it.
    NoOffer { decision: String },
}

impl DecisionBook {
    /// Keeps what became of a loan. A later report replaces an earlier one.
    pub(crate) fn record_outcome(
        &self,
        name: &DecisionName,
        loan: &LoanOutcome,
        at: Timestamp,
    ) -> Result<OutcomeRecorded, StoreError> {
        let kept = match name {
            DecisionName::Id(id) => self.find(id)?,
            DecisionName::Reference(reference) => self.find_by_reference(reference)?,
        };
        let facts = kept.map(|kept| kept.facts).filter(|facts| facts.answer.is_none());
        let Some(facts) = facts else { return Ok(OutcomeRecorded::NoDecision) };
        // A person may lend after a referral.
        if facts.outcome == "decline" {
            return Ok(OutcomeRecorded::NoOffer { decision: facts.id });
        }
        let day = |day: Option<Day>| SqlValue::from(day.map(|day| i64::from(day.days())));
        let values = [
            facts.id.as_str().into(),
            at.milliseconds().into(),
            loan.bad.into(),
            day(loan.loan_date),
            day(loan.bad_date),
            day(loan.observed_until),
            loan.amount.into(),
        ];
        let sql = "INSERT INTO outcomes (decision, at, bad, loan_date, bad_date, observed_until, amount_minor) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (decision) DO UPDATE SET at = $2, bad = $3, \
                   loan_date = $4, bad_date = $5, observed_until = $6, amount_minor = $7";
        write_transaction(&*self.database, |tx| tx.execute(sql, &values).map(drop))?;
        let replaced = facts.loan.as_ref().is_some_and(|before| before != loan);
        Ok(OutcomeRecorded::Kept { decision: facts.id, replaced })
    }
}
