//! The book of decisions: each with its policy, its outcome, how long it took and what became of the loan. What is
//! personal in it is sealed. All its SQL is here and runs on every database. Must not know how a decision is made, nor
//! who calls for it.

mod erasure;
mod kept;
mod loan_outcomes;
mod new_decision;

use std::sync::Arc;

use crate::base::digest::Digest;
use crate::base::time::Timestamp;
use crate::lender::runner::Vault;
use crate::lender::store::database::{Database, write_transaction};
use crate::lender::store::error::StoreError;
use crate::lender::store::migrate::Migration;

pub(crate) use erasure::Erased;
pub(crate) use kept::{DecisionFilter, KeptDecision};
pub(crate) use loan_outcomes::{DecisionName, OutcomeRecorded};
pub(crate) use new_decision::{DecisionRole, NewDecision, RequestMark};

/// The steps of the schema.
pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration {
        number: 1,
        name: "decision book",
        sqlite: include_str!("sqlite.sql"),
        postgres: include_str!("postgres.sql"),
    },
    Migration {
        number: 2,
        name: "sources of inputs",
        sqlite: "ALTER TABLE decisions ADD COLUMN sources TEXT",
        postgres: "ALTER TABLE decisions ADD COLUMN sources TEXT",
    },
];

/// The place of the value by which wrong keys show.
const CHECK_CONTEXT: &str = "decision_book.keys_check/1";
/// What the digest in it is for.
const CHECK_PURPOSE: &str = "decision_book.keys_check";

/// The decision book in a database. Clones share it.
#[derive(Clone)]
pub(crate) struct DecisionBook {
    database: Arc<dyn Database>,
    vault: Arc<dyn Vault>,
}

/// A policy by which decisions were made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeptPolicy {
    /// The digest of its files.
    pub digest: String,
    /// The digest of its parameters.
    pub parameters: String,
    /// The engine that decided by it.
    pub engine: String,
    pub name: String,
    pub version: String,
    /// What a reader of its decisions must know: JSON of the room that wrote it.
    pub about: String,
}

impl DecisionBook {
    /// The book in a database that has been brought to [`MIGRATIONS`].
    ///
    /// # Errors
    /// [`StoreError::WrongKeys`] if the keys are not those that it was begun with.
    pub(crate) fn open(database: Arc<dyn Database>, vault: Arc<dyn Vault>) -> Result<DecisionBook, StoreError> {
        let fresh = vault.seal(CHECK_CONTEXT, &vault.keys_check(CHECK_PURPOSE)).map_err(StoreError::Unavailable)?;
        let kept = write_transaction(&*database, |tx| {
            let sql = "INSERT INTO decision_book (id, keys_check) VALUES (1, $1) ON CONFLICT DO NOTHING";
            tx.execute(sql, &[fresh.clone().into()])?;
            let rows = tx.query("SELECT keys_check FROM decision_book", &[])?;
            let row = rows.first().ok_or_else(|| StoreError::Damaged("`decision_book` is empty".to_owned()))?;
            Ok(row.bytes("keys_check")?.to_vec())
        })?;
        let opened = vault.open(CHECK_CONTEXT, &kept).map_err(StoreError::WrongKeys)?;
        match opened == vault.keys_check(CHECK_PURPOSE) {
            true => Ok(DecisionBook { database, vault }),
            false => Err(StoreError::WrongKeys("the line `lookup` is another one".to_owned())),
        }
    }

    /// Notes a policy, unless it is known.
    pub(crate) fn note_policy(&self, policy: &KeptPolicy, at: Timestamp) -> Result<(), StoreError> {
        let sql = "INSERT INTO policies (digest, parameters, engine, name, version, about, first_at) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING";
        let KeptPolicy { digest, parameters, engine, name, version, about } = policy;
        let texts = [digest, parameters, engine, name, version, about].map(|text| text.as_str().into());
        let values = [&texts[..], &[at.milliseconds().into()]].concat();
        write_transaction(&*self.database, |tx| tx.execute(sql, &values).map(drop))
    }

    /// A digest by which equal names are found. With keys, nothing can be learned from it without them.
    fn digest_name(&self, purpose: &str, name: &str) -> Vec<u8> {
        let digest = self.vault.digest(purpose, name.as_bytes());
        digest.map_or_else(|| Digest::compute(name.as_bytes()).as_bytes().to_vec(), |digest| digest.to_vec())
    }
}

/// The place of a record.
fn record_context(id: &str) -> String {
    format!("decisions.record/{id}")
}

#[cfg(test)]
pub(crate) mod tests;
