//! SWIFT MT940 and MT942: statements and interim reports, one or more in a file. Must not know what a value means.
//!
//! `fields` finds messages and their fields, `statement_line` reads `:61:`, `details` reads `:86:`, and `message` joins
//! them to rows and checks the sums.

mod details;
mod fields;
mod message;
mod statement_line;
#[cfg(test)]
mod tests;

use super::entry_rows::EntryRows;
use super::text_lines::decode_bank_text;
use super::{Fault, RowNoun, RowReader};

/// Opens a file.
pub(crate) fn open_mt940_file(bytes: &[u8]) -> Result<Box<dyn RowReader + '_>, Fault> {
    let text = decode_bank_text(bytes, None);
    let messages = fields::split_into_messages(&text)?;
    Ok(Box::new(EntryRows::new(RowNoun::Line, message::rows_of_mt940_messages(&messages)?)))
}
