//! SWIFT MT940 and MT942. Must not know what a value means.

use super::{Fault, RowReader};

/// Opens a file.
pub(crate) fn open(_bytes: &[u8]) -> Result<Box<dyn RowReader + '_>, Fault> {
    Err(Fault::new("mt940 is not read yet"))
}
