//! Decisions on their way into the book.

use std::time::Duration;

use super::{DecisionBook, record_context};
use crate::base::digest::Digest;
use crate::base::time::Timestamp;
use crate::engine::decision::Decision;
use crate::lender::sources::SourceNote;
use crate::lender::store::database::{Transaction, write_transaction};
use crate::lender::store::error::StoreError;
use crate::lender::store::value::SqlValue;

/// What a decision counts for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DecisionRole {
    /// It is the answer.
    InForce,
    /// A shadow decided it too, for comparison alone.
    Shadow {
        /// The name of the shadow.
        name: String,
        /// The id of the decision in force.
        answer: String,
    },
}

/// A request that may come again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RequestMark {
    /// A digest of caller, path and idempotency key.
    pub key: [u8; 32],
    /// The digest of everything that the answer depends on.
    pub request: Digest,
}

/// A decision to be kept.
#[derive(Clone, Debug)]
pub(crate) struct NewDecision {
    pub id: String,
    pub at: Timestamp,
    pub role: DecisionRole,
    /// The name of the caller's key; empty without keys.
    pub caller: String,
    pub mark: Option<RequestMark>,
    /// How long it took.
    pub took: Duration,
    /// How sources were queried for inputs.
    pub sources: Vec<SourceNote>,
    /// The decision; of a shadow that failed, its policy's name, version and digest.
    pub decided: Result<Box<Decision>, [String; 3]>,
}

/// The level of compression: a record shrinks to a third, and a higher level wins little.
const ZSTD_LEVEL: i32 = 1;

const INSERT: &str = "INSERT INTO decisions (id, at, shadow, answer, caller, request_key, request_digest, customer, \
    reference, as_of, policy_name, policy_version, policy_digest, parameters, engine, arm, outcome, reasons, \
    amount_minor, currency, took_us, record, sources) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, \
    $22, $23)";

/// The places of customer, reference and record among the values.
const PERSONAL: [usize; 3] = [7, 8, 21];

/// The label of a statement without a reference.
const NO_REFERENCE: &str = "-";

impl DecisionBook {
    /// Keeps a decision. When this returns, it is on the disk.
    ///
    /// # Errors
    /// [`StoreError::Duplicate`] if another decision has the same mark.
    pub(crate) fn keep(&self, new: &NewDecision) -> Result<(), StoreError> {
        let values = self.values_of(new)?;
        write_transaction(&*self.database, |tx: &mut dyn Transaction| {
            let mut values = values.clone();
            if let DecisionRole::Shadow { answer, .. } = &new.role
                && is_erased(tx, answer)?
            {
                PERSONAL.into_iter().for_each(|place| values[place] = SqlValue::Null);
            }
            tx.execute(INSERT, &values).map(drop)
        })
    }

    fn values_of(&self, new: &NewDecision) -> Result<Vec<SqlValue>, StoreError> {
        let took_us = i64::try_from(new.took.as_micros()).unwrap_or(i64::MAX);
        let (shadow, answer) = match &new.role {
            DecisionRole::InForce => (None, None),
            DecisionRole::Shadow { name, answer } => (Some(name.as_str()), Some(answer.as_str())),
        };
        let mut values: Vec<SqlValue> = vec![
            new.id.as_str().into(),
            new.at.milliseconds().into(),
            shadow.into(),
            answer.into(),
            new.caller.as_str().into(),
            new.mark.as_ref().map(|mark| mark.key.to_vec()).into(),
            new.mark.as_ref().map(|mark| mark.request.as_bytes().to_vec()).into(),
        ];
        values.extend(match &new.decided {
            Ok(decision) => self.values_of_decision(&new.id, decision, took_us)?,
            Err(policy) => values_of_failure(policy, took_us),
        });
        let wrong = |error: serde_json::Error| StoreError::Programming(error.to_string());
        let notes =
            (!new.sources.is_empty()).then(|| serde_json::to_string(&new.sources)).transpose().map_err(wrong)?;
        values.push(notes.into());
        Ok(values)
    }

    fn values_of_decision(&self, id: &str, decision: &Decision, took_us: i64) -> Result<Vec<SqlValue>, StoreError> {
        let wrong = |error: std::io::Error| StoreError::Programming(error.to_string());
        let plain = zstd::encode_all(decision.to_line().as_bytes(), ZSTD_LEVEL).map_err(wrong)?;
        let sealed = self.vault.seal(&record_context(id), &plain).map_err(StoreError::Sealed)?;
        let greatest = decision.offers.iter().max_by_key(|offer| offer.amount_offered);
        let reasons: Vec<&str> = decision.reasons.iter().map(|reason| reason.id.as_str()).collect();
        let arm = decision.arm.and_then(|arm| serde_json::to_value(arm).ok());
        let policy = &decision.policy;
        let reference = Some(decision.statement.as_str()).filter(|label| *label != NO_REFERENCE);
        Ok(vec![
            decision.customer.as_deref().map(|name| self.digest_name("decisions.customer", name)).into(),
            reference.map(|name| self.digest_name("decisions.reference", name)).into(),
            decision.as_of.map(|day| i64::from(day.days())).into(),
            policy.name.as_str().into(),
            policy.version.as_str().into(),
            policy.digest.to_string().into(),
            decision.digests.parameters.to_string().into(),
            decision.engine.as_str().into(),
            arm.as_ref().and_then(|arm| arm.as_str()).into(),
            decision.outcome.word().into(),
            reasons.join(";").into(),
            greatest.map(|offer| offer.amount_offered).into(),
            greatest.map(|offer| offer.currency.as_str()).into(),
            took_us.into(),
            sealed.into(),
        ])
    }
}

/// Whether the personal part of an answer was erased since.
fn is_erased(tx: &mut dyn Transaction, answer: &str) -> Result<bool, StoreError> {
    let sql = "SELECT id FROM decisions WHERE id = $1 AND record IS NOT NULL";
    Ok(tx.query(sql, &[answer.into()])?.is_empty())
}

fn values_of_failure([name, version, digest]: &[String; 3], took_us: i64) -> Vec<SqlValue> {
    let engine = crate::base::engine::describe_engine();
    vec![
        SqlValue::Null,
        SqlValue::Null,
        SqlValue::Null,
        name.as_str().into(),
        version.as_str().into(),
        digest.as_str().into(),
        "".into(),
        engine.into(),
        SqlValue::Null,
        "failed".into(),
        "".into(),
        SqlValue::Null,
        SqlValue::Null,
        took_us.into(),
        SqlValue::Null,
    ]
}
