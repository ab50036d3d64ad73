//! Erases what is personal in decisions. What remains is counted: policy, outcome, reasons, amount.

use super::DecisionBook;
use crate::base::time::Timestamp;
use crate::lender::store::database::write_transaction;
use crate::lender::store::error::StoreError;
use crate::lender::store::value::SqlValue;

const ERASE: &str = "UPDATE decisions SET record = NULL, customer = NULL, reference = NULL, request_key = NULL, \
                     request_digest = NULL WHERE record IS NOT NULL AND ";

impl DecisionBook {
    /// Erases the personal part of decisions made before a moment. Returns of how many.
    pub(crate) fn erase_before(&self, moment: Timestamp) -> Result<u64, StoreError> {
        self.erase_where("at < $1", moment.milliseconds().into())
    }

    /// Erases the personal part of a customer's decisions, also of those that shadows made. Returns of how many.
    pub(crate) fn erase_customer(&self, customer: &str) -> Result<u64, StoreError> {
        self.erase_where("customer = $1", self.digest_name("decisions.customer", customer).into())
    }

    fn erase_where(&self, condition: &str, value: SqlValue) -> Result<u64, StoreError> {
        let sql = format!("{ERASE}{condition}");
        let erased = write_transaction(&*self.database, |tx| tx.execute(&sql, std::slice::from_ref(&value)))?;
        if erased > 0 {
            self.database.scrub()?;
        }
        Ok(erased)
    }
}
