//! Decisions as the book keeps them, the offers that they make, and what persons make of them. The offers of a referral
//! are conditional: no event of the table lets one be sent or accepted before a person has approved.

use serde_json::{Value as Json, json};

use super::actor::Actor;
use super::audit::{self, AuditEntry};
use super::{LoanBook, OfferRow};
use crate::base::time::Timestamp;
use crate::lender::loan::Event;
use crate::lender::store::database::{Transaction, read_transaction, write_transaction};
use crate::lender::store::error::StoreError;

/// A decision to be recorded.
#[derive(Clone, Debug)]
pub(crate) struct NewDecision {
    /// `offer`, `refer` or `decline` by the policy; [`APPROVED`] or [`DECLINED`] by a person.
    pub(crate) outcome: String,
    /// The policy's name, version and digest.
    pub(crate) policy: [String; 3],
    /// The whole record, sealed.
    pub(crate) record: Option<Vec<u8>>,
    /// The offers.
    pub(crate) offers: Vec<OfferRow>,
}

/// The outcome of a decision of the policy: its offers wait for a person.
pub(crate) const REFERRED: &str = "refer";
/// The outcome of a person who approves.
pub(crate) const APPROVED: &str = "approved";
/// The outcome of a person who declines.
pub(crate) const DECLINED: &str = "declined";

/// A person's decision in the place of the policy's, for the audit: nothing personal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Override {
    /// The reason as a code, if one was given.
    pub(crate) code: Option<String>,
    /// What the policy had said; `None` if it could not decide.
    pub(crate) policy_said: Option<PolicySaid>,
}

/// What the policy had said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PolicySaid {
    /// `offer`, `refer` or `decline`.
    pub(crate) outcome: String,
    /// The policy's name, version and digest.
    pub(crate) policy: [String; 3],
    /// The ids of its reasons.
    pub(crate) reasons: Vec<String>,
    /// The greatest amount that would have been offered, in minor units.
    pub(crate) most_minor: Option<i64>,
    /// Its currency, by number.
    pub(crate) currency: Option<String>,
}

/// The word of a person's decision in the audit. It is not the service's own decision.
pub(super) const fn name_override(event: &Event) -> &'static str {
    match event {
        Event::Approved { .. } => "override_approved",
        Event::Disapproved => "override_declined",
        other => other.word(),
    }
}

/// What the audit keeps of a person's decision: what the policy had said, and what the person made of it.
pub(super) fn describe_override(overridden: &Override, made: &[OfferRow]) -> Json {
    let said = overridden.policy_said.as_ref().map(|said| {
        let [name, version, digest] = &said.policy;
        json!({
            "outcome": said.outcome, "policy": name, "version": version, "digest": digest, "reasons": said.reasons,
            "most_minor": said.most_minor, "currency": said.currency,
        })
    });
    let offer = |row: &OfferRow| json!({ "offer": row.offer.offer_id, "amount_minor": row.offer.amount_offered });
    let made: Vec<Json> = made.iter().map(offer).collect();
    json!({ "code": overridden.code, "policy_said": said, "person_made": made })
}

impl LoanBook {
    /// The sealed record of the policy's last decision, if it is kept.
    pub(crate) fn load_decision_record(&self, loan: i64) -> Result<Option<Vec<u8>>, StoreError> {
        let sql = "SELECT record FROM decisions WHERE loan = $1 AND record IS NOT NULL ORDER BY number DESC LIMIT 1";
        read_transaction(&*self.database, |tx| match tx.query(sql, &[loan.into()])?.first() {
            Some(row) => Ok(row.bytes_if_any("record")?.map(<[u8]>::to_vec)),
            None => Ok(None),
        })
    }

    /// Records that a person is shown personal data of a loan. This comes before they see it.
    pub(crate) fn record_showing(
        &self,
        loan: i64,
        what: &[&str],
        actor: &Actor,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let mut detail = json!({ "shown": what });
        if let Some(note) = actor.note().filter(|note| !note.is_empty()) {
            detail["note"] = note.into();
        }
        write_transaction(&*self.database, |tx| {
            let (event, detail) = ("personal_shown", detail.clone());
            audit::add_entry(tx, &AuditEntry { at, loan: Some(loan), actor: actor.name(), event, detail })
        })
    }
}

/// Records a decision of a loan. Its offers replace those of an earlier one.
pub(super) fn record_decision(
    tx: &mut dyn Transaction,
    loan: i64,
    decision: &NewDecision,
    now: Timestamp,
) -> Result<(), StoreError> {
    let rows = tx.query("SELECT COUNT(*) AS decisions FROM decisions WHERE loan = $1", &[loan.into()])?;
    let number = rows.first().map_or(Ok(0), |row| row.integer("decisions"))? + 1;
    let [name, version, digest] = &decision.policy;
    let sql = "INSERT INTO decisions (loan, number, at, outcome, policy_name, policy_version, policy_digest, record) \
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    let values = [
        loan.into(),
        number.into(),
        now.milliseconds().into(),
        decision.outcome.as_str().into(),
        name.as_str().into(),
        version.as_str().into(),
        digest.as_str().into(),
        decision.record.clone().into(),
    ];
    tx.execute(sql, &values)?;
    // A later decision replaces the offers of an earlier one.
    tx.execute("DELETE FROM offers WHERE loan = $1", &[loan.into()])?;
    let text = |json: serde_json::Result<String>| json.map_err(|error| StoreError::Programming(error.to_string()));
    for (place, row) in (1_i64..).zip(&decision.offers) {
        let sql =
            "INSERT INTO offers (loan, offer_id, place, offer, terms, expires_at) VALUES ($1, $2, $3, $4, $5, $6)";
        let values = [
            loan.into(),
            row.offer.offer_id.as_str().into(),
            place.into(),
            text(serde_json::to_string(&row.offer))?.into(),
            text(serde_json::to_string(&row.terms))?.into(),
            row.expires_at.milliseconds().into(),
        ];
        tx.execute(sql, &values)?;
    }
    Ok(())
}
