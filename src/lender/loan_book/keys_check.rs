//! A sealed value by which wrong keys show at the start, and not at the first loan that cannot be read. Knows nothing
//! of keys themselves.

use super::LoanBook;
use super::erasure::SealedValue;
use crate::lender::store::database::{read_transaction, write_transaction};
use crate::lender::store::error::StoreError;

/// How many loans are looked through at a time.
const PAGE: i64 = 50;

impl LoanBook {
    /// The value as it was sealed; `None` in a book from before there was one.
    pub(crate) fn load_keys_check(&self) -> Result<Option<Vec<u8>>, StoreError> {
        read_transaction(&*self.database, |tx| match tx.query("SELECT keys_check FROM house", &[])?.first() {
            Some(row) => Ok(row.bytes_if_any("keys_check")?.map(<[u8]>::to_vec)),
            None => Ok(None),
        })
    }

    /// Stores the value, in the place of `before`. If another process has stored one meanwhile, that one stays.
    pub(crate) fn store_keys_check(&self, before: Option<&[u8]>, sealed: &[u8]) -> Result<(), StoreError> {
        let (sql, mut values) = match before {
            None => ("UPDATE house SET keys_check = $1 WHERE keys_check IS NULL", vec![]),
            Some(before) => ("UPDATE house SET keys_check = $1 WHERE keys_check = $2", vec![before.to_vec().into()]),
        };
        values.insert(0, sealed.to_vec().into());
        write_transaction(&*self.database, |tx| tx.execute(sql, &values).map(drop))
    }

    /// Any sealed value of a loan.
    pub(crate) fn find_sealed_value(&self) -> Result<Option<SealedValue>, StoreError> {
        let mut after = 0;
        loop {
            let (values, last) = self.list_sealed_values(after, PAGE)?;
            let (Some(last), None) = (last, values.first()) else { return Ok(values.into_iter().next()) };
            after = last;
        }
    }
}
