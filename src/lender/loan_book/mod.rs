//! The loan book: every loan with its offers, decisions, transactions of money, payments, messages and audit. All SQL
//! of the domain is here and runs on every database. Changes go by the table of `loan`; the book adds idempotency, that
//! each change is whole, and that only the process with the claim makes it. Must not know calls, threads or clocks.

mod acceptance;
mod actor;
mod advance;
mod audit;
mod claims;
mod decisions;
mod erasure;
mod ids;
mod keys_check;
mod messages;
mod orders;
mod overview;
mod own_history;
mod parked;
mod payment_match;
mod payment_rows;
mod payments;
mod queries;
mod requests;
mod restored;
mod reversals;
mod rows;
mod seen;
mod step_log;
mod troubles;

use std::sync::Arc;

use crate::base::time::Timestamp;
use crate::lender::loan::Refused;
use crate::lender::store::database::{Database, write_transaction};
use crate::lender::store::error::StoreError;
use crate::lender::store::migrate::Migration;
use crate::lender::store::seen_file::SeenFile;
use ids::{OrderKey, digest_texts};

pub(crate) use acceptance::{AcceptedLoan, NewAcceptance};
pub(crate) use actor::{Actor, Person};
pub(crate) use advance::{ClaimAfter, Facts};
pub(crate) use audit::{AuditRow, Verified};
pub(crate) use claims::{Claimed, Claims};
pub(crate) use decisions::{APPROVED, DECLINED, NewDecision, Override, PolicySaid, REFERRED};
pub(crate) use messages::{MessageClaim, MessageOutcome};
pub(crate) use overview::{DecisionRow, Flow, MessageRow, TABLES, TimeSpan, Troubles};
pub(crate) use own_history::{OWN_FIELDS, OWN_LOAN_FIELDS, OWN_LOANS, OwnHistory};
pub(crate) use parked::Placing;
pub(crate) use payment_match::is_out_of_proportion;
pub(crate) use payment_rows::{PaymentRow, PaymentStatus};
pub(crate) use queries::Filter;
pub(crate) use requests::{NewRequest, RecordedRequest};
pub(crate) use reversals::Reversal;
pub(crate) use rows::{LoanRow, OfferRow, OrderRow};
pub(crate) use troubles::OpenTroubles;

/// The steps of the schema.
pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration {
        number: 1,
        name: "loan book",
        sqlite: include_str!("sqlite.sql"),
        postgres: include_str!("postgres.sql"),
    },
    Migration {
        number: 2,
        name: "keys",
        sqlite: "ALTER TABLE house ADD COLUMN keys_check BLOB;
                 ALTER TABLE house ADD COLUMN keyed_after INTEGER;",
        postgres: "ALTER TABLE house ADD COLUMN keys_check BYTEA, ADD COLUMN keyed_after BIGINT;",
    },
    Migration {
        number: 3,
        name: "reversals",
        sqlite: "ALTER TABLE orders ADD COLUMN reversed_at INTEGER;",
        postgres: "ALTER TABLE orders ADD COLUMN reversed_at BIGINT;",
    },
];

/// Why the book does not do something. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BookError {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Another process has the loan now, or has changed it. What was done for it here is void.
    #[error("the claim on the loan is lost")]
    Lost,
    /// There is no such loan, offer or message, or it is another customer's.
    #[error("there is no such {0}")]
    NotFound(&'static str),
    /// The request contradicts an earlier one, or what is recorded.
    #[error("{0}")]
    Conflict(&'static str),
    /// The loan's table has no such line.
    #[error(transparent)]
    Refused(#[from] Refused),
}

/// The outcome of a transaction that may refuse without an error of the database.
type BookResult<T> = Result<Result<T, BookError>, StoreError>;

/// The loan book in a database.
#[derive(Clone)]
pub(crate) struct LoanBook {
    pub(crate) database: Arc<dyn Database>,
    /// Makes digests that are this book's alone.
    salt: Arc<str>,
    /// What ids derive from; `None` for the salt.
    order_key: Option<OrderKey>,
    /// Knows how far the book has come.
    seen_file: Option<Arc<SeenFile>>,
}

impl LoanBook {
    /// The book in a database that has been brought to [`MIGRATIONS`]. `chance` is a random text for a new book.
    pub(crate) fn open(database: Arc<dyn Database>, chance: &str, now: Timestamp) -> Result<LoanBook, StoreError> {
        let (salt, keyed_after) = write_transaction(&*database, |tx| {
            let sql = "INSERT INTO house (id, salt, created_at) VALUES (1, $1, $2) ON CONFLICT DO NOTHING";
            tx.execute(sql, &[chance.into(), now.milliseconds().into()])?;
            let rows = tx.query("SELECT salt, keyed_after FROM house", &[])?;
            let row = rows.first().ok_or_else(|| StoreError::Damaged("the table `house` is empty".to_owned()))?;
            Ok((Arc::from(row.text("salt")?), row.integer_if_any("keyed_after")?))
        })?;
        Ok(LoanBook { database, salt, order_key: keyed_after.map(OrderKey::missing), seen_file: None })
    }

    /// The database below.
    pub(crate) fn database(&self) -> &Arc<dyn Database> {
        &self.database
    }

    /// A text of this book alone: the same for the same parts.
    fn derive_digest(&self, parts: &[&str]) -> String {
        digest_texts(&self.salt, parts)
    }
}

#[cfg(test)]
pub(crate) mod tests;
