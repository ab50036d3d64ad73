//! ISO 20022 camt.052, camt.053 and camt.054 of any version. Must not know what a value means.

use super::{Fault, RowReader};

/// Opens a file.
pub(crate) fn open(_bytes: &[u8]) -> Result<Box<dyn RowReader + '_>, Fault> {
    Err(Fault::new("camt is not read yet"))
}
