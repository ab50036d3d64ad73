//! Rows of a bank format that was read whole, in the columns of [`entry`](super::entry).

use std::ops::ControlFlow;

use super::entry::{ENTRY_COLUMNS, at, entry_names};
use super::exact::Exact;
use super::{Fault, RowNoun, RowReader, RowValue, TakeRow};

/// A row: an entry, or a balance between entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EntryRow {
    /// Its position from 0. It never decreases from row to row.
    pub(crate) ordinal: u32,
    cells: [Kept; ENTRY_COLUMNS.len()],
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Kept {
    #[default]
    Empty,
    Text(String),
    Digits(String),
}

impl EntryRow {
    pub(crate) fn new(ordinal: u32) -> EntryRow {
        EntryRow { ordinal, cells: Default::default() }
    }

    /// Puts a text. An empty text leaves the cell empty.
    pub(crate) fn text(&mut self, at: usize, text: impl Into<String>) {
        let text = text.into();
        self.put(at, if text.is_empty() { Kept::Empty } else { Kept::Text(text) });
    }

    /// Puts a text that is there as written, even if it is empty.
    pub(crate) fn written(&mut self, at: usize, text: &str) {
        self.put(at, Kept::Text(text.to_owned()));
    }

    pub(crate) fn digits(&mut self, at: usize, amount: Exact) {
        self.put(at, Kept::Digits(amount.to_string()));
    }

    /// Puts an amount on its side: below 0 is a debit.
    pub(crate) fn movement(&mut self, amount: Exact) {
        self.digits(if amount.is_negative() { at::DEBIT } else { at::CREDIT }, amount.absolute());
    }

    fn put(&mut self, at: usize, kept: Kept) {
        if let Some(cell) = self.cells.get_mut(at) {
            *cell = kept;
        }
    }

    /// The text of a cell, empty if there is none.
    pub(crate) fn text_at(&self, at: usize) -> &str {
        match self.cells.get(at) {
            Some(Kept::Text(text) | Kept::Digits(text)) => text,
            Some(Kept::Empty) | None => "",
        }
    }

    /// Whether it says the same, whatever its place.
    pub(crate) fn says_the_same(&self, other: &EntryRow) -> bool {
        self.cells == other.cells
    }

    fn values(&self) -> [RowValue<'_>; ENTRY_COLUMNS.len()] {
        self.cells.each_ref().map(|kept| match kept {
            Kept::Empty => RowValue::Empty,
            Kept::Text(text) => RowValue::Text(text),
            Kept::Digits(digits) => RowValue::Digits(digits),
        })
    }
}

/// The rows of a file that is known to be whole.
pub(crate) struct EntryRows {
    names: Vec<String>,
    noun: RowNoun,
    rows: Vec<EntryRow>,
}

impl EntryRows {
    pub(crate) fn new(noun: RowNoun, rows: Vec<EntryRow>) -> EntryRows {
        EntryRows { names: entry_names(), noun, rows }
    }
}

impl RowReader for EntryRows {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn noun(&self) -> RowNoun {
        self.noun
    }

    fn read(&mut self, take: &mut TakeRow<'_>) -> Result<(), Fault> {
        for row in &self.rows {
            if let ControlFlow::Break(()) = take(row.ordinal, &row.values()) {
                break;
            }
        }
        Ok(())
    }
}

/// A text of several that shows all of them: a text that another one contains is not repeated.
pub(crate) fn join_narration_texts<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let mut whole = String::new();
    for text in texts.into_iter().map(str::trim).filter(|text| !text.is_empty()) {
        if whole.contains(text) {
            continue;
        }
        if text.contains(whole.as_str()) {
            whole.clear();
        }
        if !whole.is_empty() {
            whole.push(' ');
        }
        whole.push_str(text);
    }
    whole
}

/// The text with single blanks.
pub(crate) fn single_blanks(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narration_shows_each_text_once() {
        assert_eq!(join_narration_texts(["POS LAGOS", "", " POS LAGOS 12 "]), "POS LAGOS 12");
        assert_eq!(join_narration_texts(["SALARY MARCH", "MARCH"]), "SALARY MARCH");
        assert_eq!(join_narration_texts(["ADA OBI", "RENT"]), "ADA OBI RENT");
        assert_eq!(join_narration_texts([]), "");
    }
}
