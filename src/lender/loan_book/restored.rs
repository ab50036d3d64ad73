//! A book that was restored from a backup: what was due before then may have been sent without the book knowing. A copy
//! knows that it is one. Also the settings of the whole book.

use serde_json::json;

use super::actor::Actor;
use super::advance::{Facts, StepContext};
use super::audit::{self, AuditEntry};
use super::claims::lock_loan;
use super::rows::{damaged_row, quote_states};
use super::{BookError, LoanBook};
use crate::base::time::Timestamp;
use crate::lender::loan::{At, Event, LoanState, Terms};
use crate::lender::store::database::{InstanceId, read_transaction, write_transaction};
use crate::lender::store::error::StoreError;
use crate::lender::store::value::SqlValue;

/// How many loans are changed at a time.
const PAGE: i64 = 200;

impl LoanBook {
    /// Notes in a copy that it is one.
    pub(crate) fn mark_as_copy(&self, now: Timestamp) -> Result<(), StoreError> {
        self.set("copied_at", now.milliseconds().into())
    }

    /// When this book was copied from another, unless [`LoanBook::mark_restored`] has been called since.
    pub(crate) fn copied_at(&self) -> Result<Option<Timestamp>, StoreError> {
        let copied = read_transaction(&*self.database, |tx| {
            tx.query("SELECT copied_at FROM house", &[])?
                .first()
                .map_or(Ok(None), |row| row.integer_if_any("copied_at"))
        })?;
        Ok(copied.and_then(Timestamp::from_milliseconds))
    }

    /// Remembers the lender's time zone, for people who work on the book while the service does not run.
    pub(crate) fn set_zone(&self, zone: &str) -> Result<(), StoreError> {
        self.set("zone", zone.into())
    }

    /// The time zone in which the service ran last.
    pub(crate) fn load_zone(&self) -> Result<Option<String>, StoreError> {
        read_transaction(&*self.database, |tx| {
            let rows = tx.query("SELECT zone FROM house", &[])?;
            rows.first().map_or(Ok(None), |row| Ok(row.text_if_any("zone")?.map(str::to_owned)))
        })
    }

    /// Refuses a currency other than that of the loans and offers in the book: amounts in minor units would change
    /// their worth, and a payment of "100" its size.
    ///
    /// # Errors
    /// [`StoreError::Unsuitable`] if there are loans or open offers in another currency.
    pub(crate) fn check_currency(&self, currency: &str) -> Result<(), StoreError> {
        let open = quote_states([LoanState::Answering, LoanState::Referred, LoanState::Offered].into_iter());
        let loans = "SELECT currency FROM loans WHERE currency IS NOT NULL AND currency <> $1 LIMIT 1";
        let offers = format!(
            "SELECT offers.terms FROM offers JOIN loans ON loans.id = offers.loan WHERE loans.state IN ({open})"
        );
        let other = read_transaction(&*self.database, |tx| {
            if let Some(row) = tx.query(loans, &[currency.into()])?.first() {
                return Ok(Some(row.text("currency")?.to_owned()));
            }
            for row in tx.query(&offers, &[])? {
                let terms: Terms =
                    serde_json::from_str(row.text("terms")?).map_err(|_| damaged_row("the terms of an offer"))?;
                if terms.currency != currency {
                    return Ok(Some(terms.currency));
                }
            }
            Ok(None)
        })?;
        match other {
            None => Ok(()),
            Some(other) => Err(StoreError::Unsuitable(format!(
                "its loans are in currency {other}, and the policy is in {currency}: start this policy on a database \
                 of its own"
            ))),
        }
    }

    fn set(&self, column: &str, value: SqlValue) -> Result<(), StoreError> {
        let sql = format!("UPDATE house SET {column} = $1 WHERE id = 1");
        write_transaction(&*self.database, |tx| tx.execute(&sql, std::slice::from_ref(&value)).map(drop))
    }

    /// Lets every loan that is not at an end ask about what was due before now, before it is sent. Returns how many
    /// loans that are. May be called again if it was interrupted.
    ///
    /// # Errors
    /// [`BookError::Conflict`] while a service runs on this book.
    pub(crate) fn mark_restored(&self, actor: &Actor, at: At<'_>) -> Result<i64, BookError> {
        let all: Vec<InstanceId> = read_transaction(&*self.database, |tx| {
            tx.query("SELECT id FROM instances", &[])?.iter().map(|row| row.integer("id").map(InstanceId)).collect()
        })?;
        if self.database.dead_among(&all)?.len() < all.len() {
            return Err(BookError::Conflict("a service runs on this book; stop it first"));
        }
        self.free_ended_claims(at.now)?;
        let (event, facts) = (Event::Restored, Facts::default());
        let change = StepContext { event: &event, facts: &facts, actor, at };
        let (mut last, mut count) = (0, 0);
        let ended = quote_states(LoanState::ALL.into_iter().filter(|state| state.is_final()));
        let sql = format!("SELECT id FROM loans WHERE id > $1 AND state NOT IN ({ended}) ORDER BY id LIMIT $2");
        loop {
            let ids: Vec<i64> = read_transaction(&*self.database, |tx| {
                tx.query(&sql, &[last.into(), PAGE.into()])?.iter().map(|row| row.integer("id")).collect()
            })?;
            let Some(newest) = ids.last() else { break };
            (last, count) = (*newest, count + ids.len() as i64);
            write_transaction(&*self.database, |tx| {
                for id in &ids {
                    let locked = match lock_loan(tx, *id)? {
                        Ok(locked) => locked,
                        Err(error) => return Ok(Err(error)),
                    };
                    if let Err(error) = self.make_step(tx, locked, &change, None)? {
                        return Ok(Err(error));
                    }
                }
                Ok(Ok(()))
            })??;
        }
        write_transaction(&*self.database, |tx| {
            tx.execute("UPDATE house SET copied_at = NULL", &[])?;
            let detail = json!({ "loans": count, "note": actor.note() });
            audit::add_entry(tx, &AuditEntry { at: at.now, loan: None, actor: actor.name(), event: "restored", detail })
        })?;
        // Last: a book that is only half marked must not be taken for a good one.
        self.reset_seen()?;
        Ok(count)
    }
}
