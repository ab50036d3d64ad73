//! Cells as a file holds them, before anything is known about them.

/// A cell: its text, and whether the file says what it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileCell {
    pub(crate) text: String,
    pub(crate) kind: CellKind,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum CellKind {
    /// A text; it may be a number or a day in some notation.
    #[default]
    Text,
    /// A plain number: digits with a decimal point.
    Number,
    /// A day or a moment, as ISO text.
    Day,
    /// A formula without a value.
    Uncalculated,
}

impl FileCell {
    pub(crate) fn text(text: impl Into<String>) -> FileCell {
        FileCell { text: text.into(), kind: CellKind::Text }
    }

    /// The text without blanks around it.
    pub(crate) fn trimmed(&self) -> &str {
        self.text.trim()
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.trimmed().is_empty()
    }
}

/// A line of a text, or a row of a sheet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    /// From 1.
    pub(crate) number: usize,
    pub(crate) cells: Vec<FileCell>,
}

impl Line {
    pub(crate) fn cell(&self, column: usize) -> Option<&FileCell> {
        self.cells.get(column)
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.cells.iter().all(FileCell::is_blank)
    }

    /// The first cell that is filled.
    pub(crate) fn first_filled(&self) -> Option<&FileCell> {
        self.cells.iter().find(|cell| !cell.is_blank())
    }
}
