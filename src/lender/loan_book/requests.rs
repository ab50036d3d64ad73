//! Offer requests. They are idempotent: each reference is one loan, however often the request comes.

use serde_json::{Value as Json, json};

use super::actor::Actor;
use super::audit::{self, AuditEntry};
use super::claims::Claimed;
use super::rows::{LOAN_COLUMNS, LoanRow, damaged_row};
use super::{BookError, LoanBook, OfferRow};
use crate::base::time::Timestamp;
use crate::lender::loan::Loan;
use crate::lender::store::database::{InstanceId, read_transaction, write_transaction};
use crate::lender::store::error::StoreError;

/// An offer request to be stored.
#[derive(Clone, Debug)]
pub(crate) struct NewRequest {
    /// Its reference.
    pub(crate) reference: String,
    /// The customer.
    pub(crate) customer_id: String,
    /// What the customer requested, without personal data.
    pub(crate) request: Json,
    /// A digest of everything in it: another content under the same reference is refused.
    pub(crate) fingerprint: String,
}

/// What a request led to.
#[derive(Clone, Debug)]
pub(crate) enum RecordedRequest {
    /// It is new, and claimed by this process.
    New(Claimed),
    /// It was known, and is as it is now.
    Known(LoanRow),
}

impl LoanBook {
    /// Stores an offer request, and claims it. The same request again is the same loan.
    ///
    /// # Errors
    /// [`BookError::Conflict`] if the reference came before with another request.
    pub(crate) fn record_request(
        &self,
        new: &NewRequest,
        instance: InstanceId,
        now: Timestamp,
    ) -> Result<RecordedRequest, BookError> {
        let digest = self.derive_digest(&["request", &new.reference, &new.fingerprint]);
        let loan = Loan::requested(now);
        let text = |json: serde_json::Result<String>| json.map_err(|error| StoreError::Programming(error.to_string()));
        let (body, request) = (text(serde_json::to_string(&loan))?, text(serde_json::to_string(&new.request))?);
        let (row, is_new, known) = write_transaction(&*self.database, |tx| {
            let sql = format!(
                "INSERT INTO loans (reference, request_digest, customer_id, request, state, wake_at, body, instance, \
                 epoch, created_at, changed_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 1, $6, $6) \
                 ON CONFLICT (reference) DO NOTHING RETURNING {LOAN_COLUMNS}"
            );
            let values = [
                new.reference.as_str().into(),
                digest.as_str().into(),
                new.customer_id.as_str().into(),
                request.as_str().into(),
                loan.state.word().into(),
                now.milliseconds().into(),
                body.as_str().into(),
                instance.0.into(),
            ];
            if let Some(row) = tx.query(&sql, &values)?.first() {
                let row = LoanRow::read(row)?;
                let detail = json!({ "to": loan.state.word() });
                let actor = Actor::Provider;
                let entry = AuditEntry { at: now, loan: Some(row.id), actor: actor.name(), event: "requested", detail };
                audit::add_entry(tx, &entry)?;
                return Ok((row, true, digest.clone()));
            }
            let sql = format!("SELECT {LOAN_COLUMNS}, request_digest FROM loans WHERE reference = $1");
            let rows = tx.query(&sql, &[new.reference.as_str().into()])?;
            let row = rows.first().ok_or_else(|| damaged_row("a request"))?;
            Ok((LoanRow::read(row)?, false, row.text("request_digest")?.to_owned()))
        })?;
        match (is_new, known == digest) {
            (true, _) => Ok(RecordedRequest::New(Claimed::new(row, instance))),
            (false, true) => Ok(RecordedRequest::Known(row)),
            (false, false) => Err(BookError::Conflict("this offer request came before with another content")),
        }
    }

    /// The offers of a loan, in order.
    pub(crate) fn list_offers(&self, loan: i64) -> Result<Vec<OfferRow>, StoreError> {
        let sql = "SELECT offer, terms, expires_at FROM offers WHERE loan = $1 ORDER BY place";
        read_transaction(&*self.database, |tx| tx.query(sql, &[loan.into()])?.iter().map(OfferRow::read).collect())
    }
}
