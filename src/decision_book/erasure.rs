//! Erases what is personal in decisions. What remains is counted: policy, outcome, reasons, amount.

use super::DecisionBook;
use crate::base::time::Timestamp;
use crate::lender::store::database::write_transaction;
use crate::lender::store::error::StoreError;
use crate::lender::store::value::SqlValue;

/// What an erasure did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Erased {
    /// Of how many decisions.
    pub decisions: u64,
    /// Whether nothing is left in the files of the database. Somebody who reads it keeps old pages alive.
    pub is_scrubbed: bool,
}

const ERASE: &str = "UPDATE decisions SET record = NULL, customer = NULL, reference = NULL, request_key = NULL, \
                     request_digest = NULL WHERE record IS NOT NULL AND ";

impl DecisionBook {
    /// Erases the personal part of decisions made before a moment.
    pub(crate) fn erase_before(&self, moment: Timestamp) -> Result<Erased, StoreError> {
        self.erase_where("at < $1", moment.milliseconds().into())
    }

    /// Erases the personal part of a customer's decisions, also of those that shadows made.
    pub(crate) fn erase_customer(&self, customer: &str) -> Result<Erased, StoreError> {
        self.erase_where("customer = $1", self.digest_name("decisions.customer", customer).into())
    }

    fn erase_where(&self, condition: &str, value: SqlValue) -> Result<Erased, StoreError> {
        let sql = format!("{ERASE}{condition}");
        let decisions = write_transaction(&*self.database, |tx| tx.execute(&sql, std::slice::from_ref(&value)))?;
        // Also if nothing was erased: an earlier erasure may have left something behind.
        Ok(Erased { decisions, is_scrubbed: self.database.scrub()? })
    }
}
