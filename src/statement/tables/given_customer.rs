//! The customer that a command gives to a whole document.

use crate::statement::base::error::Error;
use crate::statement::columns::frame::Statements;
use crate::statement::columns_file::Columns;

impl Columns {
    /// Names the customer of statements that were read from a document.
    pub(crate) fn name_customer(&self, statements: Statements) -> Result<Statements, Error> {
        match &self.given_customer {
            Some(customer) => statements.for_customer(customer),
            None => Ok(statements),
        }
    }
}
