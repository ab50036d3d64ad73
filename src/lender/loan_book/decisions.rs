//! Decisions as the book keeps them, and the offers that they make.

use super::OfferRow;
use crate::base::time::Timestamp;
use crate::lender::store::database::Transaction;
use crate::lender::store::error::StoreError;

/// A decision to be recorded.
#[derive(Clone, Debug)]
pub(crate) struct NewDecision {
    /// `offer`, `refer` or `decline`.
    pub(crate) outcome: String,
    /// The policy's name, version and digest.
    pub(crate) policy: [String; 3],
    /// The whole record, sealed.
    pub(crate) record: Option<Vec<u8>>,
    /// The offers.
    pub(crate) offers: Vec<OfferRow>,
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
