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
mod messages;
mod orders;
mod overview;
mod parked;
mod payment_match;
mod payment_rows;
mod payments;
mod queries;
mod requests;
mod restored;
mod rows;

use std::sync::Arc;

use crate::base::digest::Hasher;
use crate::base::time::Timestamp;
use crate::lender::loan::{Order, Refused};
use crate::lender::store::database::{Database, write_transaction};
use crate::lender::store::error::StoreError;
use crate::lender::store::migrate::Migration;

pub(crate) use acceptance::NewAcceptance;
pub(crate) use actor::{Actor, Person};
pub(crate) use advance::{ClaimAfter, Facts};
pub(crate) use audit::{AuditRow, Verified};
pub(crate) use claims::{Claimed, Claims};
pub(crate) use decisions::NewDecision;
pub(crate) use messages::{MessageClaim, MessageOutcome};
pub(crate) use overview::{Flow, MessageRow, TABLES, TimeSpan, Troubles};
pub(crate) use parked::Placing;
pub(crate) use payment_match::is_out_of_proportion;
pub(crate) use payment_rows::{PaymentRow, PaymentStatus};
pub(crate) use queries::Filter;
pub(crate) use requests::{NewRequest, RecordedRequest};
pub(crate) use rows::{LoanRow, OfferRow, OrderRow};

/// The steps of the schema.
pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    number: 1,
    name: "loan book",
    sqlite: include_str!("sqlite.sql"),
    postgres: include_str!("postgres.sql"),
}];

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
    /// Makes ids that are this book's alone.
    salt: Arc<str>,
}

impl LoanBook {
    /// The book in a database that has been brought to [`MIGRATIONS`]. `chance` is a random text for a new book.
    pub(crate) fn open(database: Arc<dyn Database>, chance: &str, now: Timestamp) -> Result<LoanBook, StoreError> {
        let salt = write_transaction(&*database, |tx| {
            let sql = "INSERT INTO house (id, salt, created_at) VALUES (1, $1, $2) ON CONFLICT DO NOTHING";
            tx.execute(sql, &[chance.into(), now.milliseconds().into()])?;
            let rows = tx.query("SELECT salt FROM house", &[])?;
            let row = rows.first().ok_or_else(|| StoreError::Damaged("the table `house` is empty".to_owned()))?;
            row.text("salt").map(Arc::from)
        })?;
        Ok(LoanBook { database, salt })
    }

    /// The database below.
    pub(crate) fn database(&self) -> &Arc<dyn Database> {
        &self.database
    }

    /// A text of this book alone: the same for the same parts.
    fn derive_digest(&self, parts: &[&str]) -> String {
        let mut hasher = Hasher::new();
        for part in std::iter::once(&&*self.salt).chain(parts) {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
        hasher.finish().to_string()
    }

    /// The id under which the provider carries out a transaction of money: one for each loan, kind, instalment, attempt
    /// and amount, always the same. By it the provider carries the transaction out at most once. With the amount, a
    /// debit that a restored book plans anew does not pass for another one that was made.
    fn derive_transaction_id(&self, row: &LoanRow, order: &Order) -> String {
        let parts = [row.id.to_string(), order.instalment.to_string(), order.attempt.to_string()];
        let [id, instalment, attempt] = parts.each_ref().map(String::as_str);
        let amount = order.amount_minor.to_string();
        // The reference too: after a backup was restored, the number may be another request's.
        let about = ["transaction", order.kind.word(), &row.reference, id, instalment, attempt, &amount];
        let digest = self.derive_digest(&about);
        format!("LW-{}-{}", order.kind.word().to_uppercase(), &digest[..24])
    }

    /// The id of a loan that the provider gave none.
    fn derive_loan_id(&self, row: &LoanRow) -> String {
        format!("LN-{}", &self.derive_digest(&["loan", &row.reference, &row.id.to_string()])[..20])
    }
}

#[cfg(test)]
pub(crate) mod tests;
