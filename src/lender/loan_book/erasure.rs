//! Removing personal data: of a loan that is at an end, for ever, and from an old key to the current one. The audit
//! stays as it is, because it holds nothing personal.

use serde_json::json;

use super::actor::Actor;
use super::audit::{self, AuditEntry};
use super::claims::lock_loan;
use super::rows::quote_states;
use super::{BookError, BookResult, LoanBook};
use crate::base::time::Timestamp;
use crate::lender::loan::LoanState;
use crate::lender::store::database::{Transaction, read_transaction, write_transaction};
use crate::lender::store::error::StoreError;
use crate::lender::store::value::SqlValue;

/// A sealed value of the book, and what identifies its place.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SealedValue {
    /// The loan's number in the book.
    pub(crate) loan: i64,
    /// The decision's number; `None` for the personal data of the acceptance.
    pub(crate) decision: Option<i64>,
    /// The reference that the value is bound to.
    pub(crate) reference: String,
    /// The value.
    pub(crate) sealed: Vec<u8>,
}

const UNFINISHED: &str = "a message or a payment of the loan is not finished yet; try again later";

impl LoanBook {
    /// Removes the personal data of a loan that is at an end. `pseudonym` takes the place of the customer's id. Returns
    /// whether there was any.
    ///
    /// # Errors
    /// [`BookError::Conflict`] if the loan is not at an end.
    pub(crate) fn erase_loan(
        &self,
        loan: i64,
        pseudonym: &str,
        actor: &Actor,
        now: Timestamp,
    ) -> Result<bool, BookError> {
        write_transaction(&*self.database, |tx| erase_in(tx, loan, pseudonym, actor, now))?
    }

    /// The loans at an end since before a moment that still have personal data, in order, after this number.
    pub(crate) fn list_erasable(&self, before: Timestamp, after: i64, most: i64) -> Result<Vec<i64>, StoreError> {
        let ended = quote_states(LoanState::ALL.into_iter().filter(|state| may_be_erased(*state)));
        let sql = format!(
            "SELECT id FROM loans WHERE id > $1 AND changed_at < $2 AND state IN ({ended}) AND request_digest <> $3 \
             ORDER BY id LIMIT $4"
        );
        let values = [after.into(), before.milliseconds().into(), ERASED.into(), most.into()];
        read_transaction(&*self.database, |tx| tx.query(&sql, &values)?.iter().map(|row| row.integer("id")).collect())
    }

    /// The sealed values of loans after this number, in order of the loans: all of at most so many loans.
    pub(crate) fn list_sealed_values(
        &self,
        after: i64,
        most: i64,
    ) -> Result<(Vec<SealedValue>, Option<i64>), StoreError> {
        read_transaction(&*self.database, |tx| {
            let sql = "SELECT id, loan_reference_id, private FROM loans WHERE id > $1 ORDER BY id LIMIT $2";
            let rows = tx.query(sql, &[after.into(), most.into()])?;
            let Some(last) = rows.last() else { return Ok((Vec::new(), None)) };
            let last = last.integer("id")?;
            let mut values = Vec::new();
            for row in &rows {
                if let (Some(sealed), Some(reference)) =
                    (row.bytes_if_any("private")?, row.text_if_any("loan_reference_id")?)
                {
                    let (reference, sealed) = (reference.to_owned(), sealed.to_vec());
                    values.push(SealedValue { loan: row.integer("id")?, decision: None, reference, sealed });
                }
            }
            let sql = "SELECT decisions.loan, decisions.number, decisions.record, loans.reference FROM decisions JOIN \
                       loans ON loans.id = decisions.loan WHERE decisions.loan > $1 AND decisions.loan <= $2 AND \
                       decisions.record IS NOT NULL ORDER BY decisions.loan, decisions.number";
            for row in tx.query(sql, &[after.into(), last.into()])? {
                values.push(SealedValue {
                    loan: row.integer("loan")?,
                    decision: Some(row.integer("number")?),
                    reference: row.text("reference")?.to_owned(),
                    sealed: row.bytes("record")?.to_vec(),
                });
            }
            Ok((values, Some(last)))
        })
    }

    /// Puts newly sealed values in the place of old ones, in one transaction. One that changed meanwhile is left alone.
    /// Returns how many were replaced.
    pub(crate) fn replace_sealed(&self, values: &[(SealedValue, Vec<u8>)]) -> Result<u64, StoreError> {
        write_transaction(&*self.database, |tx| {
            values.iter().try_fold(0, |sum, (old, new)| {
                let (sql, key): (&str, SqlValue) = match old.decision {
                    None => ("UPDATE loans SET private = $1 WHERE id = $2 AND private = $3", SqlValue::Null),
                    Some(number) => (
                        "UPDATE decisions SET record = $1 WHERE loan = $2 AND record = $3 AND number = $4",
                        number.into(),
                    ),
                };
                let mut parameters = vec![new.clone().into(), old.loan.into(), old.sealed.clone().into()];
                parameters.extend((key != SqlValue::Null).then_some(key));
                Ok(sum + tx.execute(sql, &parameters)?)
            })
        })
    }
}

/// Replaces the digest of an erased request.
pub(super) const ERASED: &str = "erased";

/// Whether the loan is at an end. What is paid later for one that was written off fits nothing then, and a person posts
/// it.
fn may_be_erased(state: LoanState) -> bool {
    state.is_final() || state == LoanState::WrittenOff
}

fn erase_in(tx: &mut dyn Transaction, loan: i64, pseudonym: &str, actor: &Actor, now: Timestamp) -> BookResult<bool> {
    let row = match lock_loan(tx, loan)? {
        Ok(locked) => locked.into_row(),
        Err(error) => return Ok(Err(error)),
    };
    if !may_be_erased(row.loan.state) {
        return Ok(Err(BookError::Conflict("the loan is not at an end, so its personal data is still needed")));
    }
    let loan_id = row.loan_id.as_deref().unwrap_or_default();
    let sql = "SELECT (SELECT COUNT(*) FROM messages WHERE loan = $1 AND standing IN ('waiting', 'sending')) + \
               (SELECT COUNT(*) FROM payments WHERE loan = $1 AND standing IN ('received', 'waiting')) AS unfinished";
    let unfinished = tx.query(sql, &[loan.into()])?;
    if row.instance.is_some() || unfinished.first().map_or(Ok(0), |row| row.integer("unfinished"))? > 0 {
        return Ok(Err(BookError::Conflict(UNFINISHED)));
    }
    // The digests are of personal data, too: the book's salt is enough to try all values.
    let sql = "UPDATE loans SET customer_id = $1, request = '{}', request_digest = $2, private = NULL WHERE id = $3 \
               AND request_digest <> $2";
    if tx.execute(sql, &[pseudonym.into(), ERASED.into(), loan.into()])? == 0 {
        return Ok(Ok(false));
    }
    tx.execute("UPDATE acceptances SET digest = $1 WHERE loan = $2", &[ERASED.into(), loan.into()])?;
    tx.execute("UPDATE decisions SET record = NULL WHERE loan = $1", &[loan.into()])?;
    erase_payments(tx, loan, loan_id, pseudonym)?;
    let mut detail = json!({ "state": row.loan.state.word() });
    if let Some(note) = actor.note() {
        detail["note"] = note.into();
    }
    audit::add_entry(tx, &AuditEntry { at: now, loan: Some(loan), actor: actor.name(), event: "erased", detail })?;
    Ok(Ok(true))
}

/// A digest is part of a payment's key, so each gets one of its own.
fn erase_payments(tx: &mut dyn Transaction, loan: i64, loan_id: &str, pseudonym: &str) -> Result<(), StoreError> {
    let sql = "SELECT payment_ref, digest FROM payments WHERE loan = $1 OR loan_id = $2 ORDER BY payment_ref, digest";
    let payments = tx.query(sql, &[loan.into(), loan_id.into()])?;
    for (number, payment) in payments.iter().enumerate() {
        let sql = "UPDATE payments SET customer_id = $1, digest = $2 WHERE payment_ref = $3 AND digest = $4";
        let digest = format!("{ERASED}-{loan}-{number}");
        let (reference, old) = (payment.text("payment_ref")?, payment.text("digest")?);
        tx.execute(sql, &[pseudonym.into(), digest.into(), reference.into(), old.into()])?;
    }
    Ok(())
}
