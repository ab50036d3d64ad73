//! OFX and QFX, version 1 (SGML) and 2 (XML). Must not know what a value means.
//!
//! `header` says how the text is encoded, `markup` makes a tree of either version, and `statement` makes rows of it.

mod header;
mod markup;
mod statement;
#[cfg(test)]
mod tests;

use super::entry_rows::EntryRows;
use super::text_lines::decode_bank_text;
use super::{Fault, RowNoun, RowReader};

/// Opens a file.
pub(crate) fn open_ofx_file(bytes: &[u8]) -> Result<Box<dyn RowReader + '_>, Fault> {
    let declared = header::declared_ofx_encoding(bytes)?;
    let text = decode_bank_text(bytes, declared);
    let tree = markup::Tree::read(&text)?;
    Ok(Box::new(EntryRows::new(RowNoun::Entry, statement::rows_of_ofx_statements(&tree)?)))
}
