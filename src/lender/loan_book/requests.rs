//! Offer requests: each reference is one loan. Must not know decisions.

use serde_json::{Value as Json, json};

use super::advance::Actor;
use super::audit::{self, Entry};
use super::claims::{Claimed, claimed};
use super::rows::{LOAN_COLUMNS, LoanRow};
use super::{BookError, LoanBook, OfferRow};
use crate::base::time::Timestamp;
use crate::lender::loan::Loan;
use crate::lender::store::database::{InstanceId, read, write};
use crate::lender::store::error::StoreError;

/// An offer request to be stored.
#[derive(Clone, Debug)]
pub(crate) struct NewRequest {
    /// Its reference.
    pub(crate) reference: String,
    /// The customer.
    pub(crate) customer_id: String,
    /// What is asked for, without personal data.
    pub(crate) request: Json,
    /// Of everything in it.
    pub(crate) fingerprint: String,
}

/// What a request led to.
#[derive(Clone, Debug)]
pub(crate) enum Requested {
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
    pub(crate) fn request(
        &self,
        asked: &NewRequest,
        instance: InstanceId,
        now: Timestamp,
    ) -> Result<Requested, BookError> {
        let digest = self.derived(&["request", &asked.reference, &asked.fingerprint]);
        let loan = Loan::requested(now);
        let text = |json: serde_json::Result<String>| json.map_err(|error| StoreError::Programming(error.to_string()));
        let (body, request) = (text(serde_json::to_string(&loan))?, text(serde_json::to_string(&asked.request))?);
        let (row, is_new, known) = write(&*self.database, |tx| {
            let sql = format!(
                "INSERT INTO loans (reference, request_digest, customer_id, request, state, wake_at, body, instance, \
                 epoch, created_at, changed_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 1, $6, $6) \
                 ON CONFLICT (reference) DO NOTHING RETURNING {LOAN_COLUMNS}"
            );
            let values = [
                asked.reference.as_str().into(),
                digest.as_str().into(),
                asked.customer_id.as_str().into(),
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
                let entry = Entry { at: now, loan: Some(row.id), actor: actor.name(), event: "requested", detail };
                audit::add(tx, &entry)?;
                return Ok((row, true, digest.clone()));
            }
            let sql = format!("SELECT {LOAN_COLUMNS}, request_digest FROM loans WHERE reference = $1");
            let rows = tx.query(&sql, &[asked.reference.as_str().into()])?;
            let row = rows.first().ok_or_else(|| super::rows::damaged("a request"))?;
            Ok((LoanRow::read(row)?, false, row.text("request_digest")?.to_owned()))
        })?;
        match (is_new, known == digest) {
            (true, _) => Ok(Requested::New(claimed(row, instance))),
            (false, true) => Ok(Requested::Known(row)),
            (false, false) => Err(BookError::Conflict("this offer request came before with another content")),
        }
    }

    /// The offers of a loan, in order.
    pub(crate) fn offers(&self, loan: i64) -> Result<Vec<OfferRow>, StoreError> {
        let sql = "SELECT offer, terms, expires_at FROM offers WHERE loan = $1 ORDER BY place";
        read(&*self.database, |tx| tx.query(sql, &[loan.into()])?.iter().map(OfferRow::read).collect())
    }
}
