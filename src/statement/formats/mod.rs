//! Statements in the formats of banks, spreadsheets and aggregators become rows of plain values. Must not know
//! what a value means, how records are normalized, nor where the bytes came from.
//!
//! Each format has a reader of its own behind [`RowReader`]. A file is read whole or refused with its place.

pub(crate) mod camt;
pub(crate) mod entry;
mod entry_rows;
mod exact;
pub(crate) mod json;
pub(crate) mod json_paths;
pub(crate) mod layout;
pub(crate) mod mt940;
pub(crate) mod ofx;
pub(crate) mod qif;
mod repeats;
pub(crate) mod table_format;
#[cfg(test)]
mod tests;
mod text_lines;
pub(crate) mod workbook;
pub(crate) mod xml_root;

use std::ops::ControlFlow;

/// A value of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum RowValue<'v> {
    /// Nothing was written.
    Empty,
    /// As it was written; its notation is a matter of the columns file.
    Text(&'v str),
    /// A plain decimal number by its digits, as JSON writes it: `-13.37`. No notation applies.
    Digits(&'v str),
    /// A number of a spreadsheet.
    Number(f64),
    /// A day of a spreadsheet, in days since 1970-01-01.
    Day(i32),
    /// A local time of a spreadsheet, in seconds since 1970-01-01.
    Moment(i64),
    /// A formula of a spreadsheet without a value.
    Uncalculated,
}

/// Why a file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Where: `line 12`, `entry 5`, `sheet "May", row 7`.
    pub(crate) place: Option<String>,
    /// What is wrong and what to do.
    pub(crate) what: String,
}

impl Fault {
    pub(crate) fn new(what: impl Into<String>) -> Fault {
        Fault { place: None, what: what.into() }
    }

    pub(crate) fn at(place: impl Into<String>, what: impl Into<String>) -> Fault {
        Fault { place: Some(place.into()), what: what.into() }
    }
}

/// What the rows of a format are called in messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowNoun {
    /// `row 5`.
    Row,
    /// `entry 5`.
    Entry,
    /// `line 5`.
    Line,
}

/// Receives a row: its position from 0 (in a sheet, all rows count), and a value for each of the reader's names.
pub(crate) type TakeRow<'t> = dyn FnMut(u32, &[RowValue<'_>]) -> ControlFlow<()> + 't;

/// Reads the rows of a file.
pub(crate) trait RowReader {
    /// The names of the columns.
    fn names(&self) -> &[String];

    /// What a row is called.
    fn noun(&self) -> RowNoun;

    /// The cell after this label, above the header.
    fn cells_after(&self, _label: &str) -> Vec<String> {
        Vec::new()
    }

    /// The cells of each line above the header.
    fn lines_above(&self) -> &[Vec<String>] {
        &[]
    }

    /// The first row below the header that has more of these names than the header, where the header may be another
    /// than the first row.
    fn row_with(&mut self, _names: &[&str]) -> Option<u32> {
        None
    }

    /// Passes each row to `take`, in the order of the file, until it breaks. A fault after some rows refuses the file.
    fn read(&mut self, take: &mut TakeRow<'_>) -> Result<(), Fault>;
}
