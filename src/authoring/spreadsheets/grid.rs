//! The cells that a file holds, with their places as a spreadsheet names them.

use crate::statement::formats::workbook::styled::{self, Styled};

/// What a cell of a file holds.
#[derive(Clone, Debug, PartialEq)]
pub enum CellContent {
    /// Nothing.
    Empty,
    /// A text.
    Text(String),
    /// A number.
    Number(f64),
    /// A number that is shown with a percent sign.
    Percent(f64),
    /// A day or a time in ISO 8601.
    Date(String),
    /// True or false.
    Truth(bool),
    /// The error of a formula.
    Error(String),
}

/// The cells of a sheet.
#[derive(Clone, Debug, Default)]
pub struct Grid {
    pub(super) rows: Vec<Vec<CellContent>>,
    /// The ranges of merged cells, such as `B7:C7`.
    pub(super) merged: Vec<String>,
    /// Whether a number and the text of a number differ: in a workbook they do, in CSV all cells are texts.
    pub(super) is_typed: bool,
}

/// Why a sheet does not fit the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SheetMistake {
    /// The cell, such as `B7`, or the row.
    pub place: Option<String>,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: String,
}

impl SheetMistake {
    pub(super) fn new(message: impl Into<String>, help: impl Into<String>) -> SheetMistake {
        SheetMistake { place: None, message: message.into(), help: help.into() }
    }

    pub(super) fn at(row: usize, column: usize, message: impl Into<String>, help: impl Into<String>) -> SheetMistake {
        SheetMistake { place: Some(spreadsheet_cell_name(row, column)), ..SheetMistake::new(message, help) }
    }
}

/// The name of a cell, from its row and column counted from 0.
pub(super) fn spreadsheet_cell_name(row: usize, column: usize) -> String {
    format!("{}{}", column_letters(column), row + 1)
}

/// The letters of a column, counted from 0.
pub(super) fn column_letters(column: usize) -> String {
    let mut letters = String::new();
    let mut rest = column + 1;
    while rest > 0 {
        rest -= 1;
        letters.insert(0, char::from(b'A' + (rest % 26) as u8));
        rest /= 26;
    }
    letters
}

impl Grid {
    /// Reads the sheet `name` of a workbook, or its only sheet.
    ///
    /// # Errors
    /// If the workbook is damaged, or none of several sheets has that name.
    pub fn from_workbook(bytes: &[u8], name: &str) -> Result<Grid, SheetMistake> {
        let read = styled::read_styled_sheet(bytes, name).map_err(|fault| {
            let place = fault.place.map(|place| format!("{place}: ")).unwrap_or_default();
            SheetMistake::new(format!("{place}{}", fault.what), "export the table again and edit that file")
        })?;
        let mut grid = Grid { is_typed: true, ..Grid::default() };
        for (row, column, cell) in read.cells {
            let (row, column) = (row as usize, column as usize);
            if grid.rows.len() <= row {
                grid.rows.resize(row + 1, Vec::new());
            }
            if grid.rows[row].len() <= column {
                grid.rows[row].resize(column + 1, CellContent::Empty);
            }
            grid.rows[row][column] = match cell {
                Styled::Text(text) if text.trim().is_empty() => CellContent::Empty,
                Styled::Text(text) => CellContent::Text(text),
                Styled::Number(number) => CellContent::Number(number),
                Styled::Percent(number) => CellContent::Percent(number),
                Styled::Date(shown) => CellContent::Date(shown),
                Styled::Truth(truth) => CellContent::Truth(truth),
                Styled::Error(error) => CellContent::Error(error.to_owned()),
            };
        }
        let range = |(from, to): &((u32, u32), (u32, u32))| {
            format!(
                "{}:{}",
                spreadsheet_cell_name(from.0 as usize, from.1 as usize),
                spreadsheet_cell_name(to.0 as usize, to.1 as usize)
            )
        };
        grid.merged = read.merged.iter().map(range).collect();
        Ok(grid)
    }

    /// The cell at a place.
    pub(super) fn cell(&self, row: usize, column: usize) -> &CellContent {
        self.rows.get(row).and_then(|cells| cells.get(column)).unwrap_or(&CellContent::Empty)
    }

    pub(super) fn is_blank(&self, row: usize) -> bool {
        self.rows.get(row).is_none_or(|cells| cells.iter().all(|cell| *cell == CellContent::Empty))
    }
}

impl CellContent {
    /// The cell as messages show it.
    pub(super) fn shown(&self) -> String {
        match self {
            CellContent::Empty => String::new(),
            CellContent::Text(text) => text.trim().to_owned(),
            CellContent::Number(number) => super::cells::of_double(*number).unwrap_or_else(|| number.to_string()),
            CellContent::Percent(number) => {
                let percent = super::cells::of_double(*number * 100.0);
                format!("{} %", percent.unwrap_or_else(|| number.to_string()))
            }
            CellContent::Date(shown) => shown.clone(),
            CellContent::Truth(truth) => truth.to_string(),
            CellContent::Error(error) => error.clone(),
        }
    }
}
