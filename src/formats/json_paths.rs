//! JSON of any shape, by paths such as `accounts[].transactions[].amount`. Must not know what a value means.

use super::{Fault, RowReader};

/// Opens a document. `paths` are the paths that are read; they become the names of the columns.
pub(crate) fn open<'b>(_bytes: &'b [u8], _paths: &[&str]) -> Result<Box<dyn RowReader + 'b>, Fault> {
    Err(Fault::new("json paths are not read yet"))
}
