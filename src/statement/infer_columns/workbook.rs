//! A workbook becomes lines of cells.

use std::io::Cursor;

use calamine::{Data, Reader, Sheets, open_workbook_auto_from_rs};

use super::grid::{CellKind, FileCell, Line};

/// A workbook: its sheets that have rows, by their names.
pub(crate) struct Book {
    pub(crate) sheets: Vec<(String, Vec<Line>)>,
    /// Whether its days count from 1904.
    pub(crate) is_1904: bool,
}

/// Reads a workbook.
pub(crate) fn read_workbook_lines(bytes: &[u8]) -> Result<Book, String> {
    let mut book = open_workbook_auto_from_rs(Cursor::new(bytes)).map_err(|error| error.to_string())?;
    let mut sheets = Vec::new();
    for name in book.sheet_names() {
        // A sheet of charts has no range.
        let Ok(range) = book.worksheet_range(&name) else { continue };
        let (top, left) = range.start().unwrap_or_default();
        let lines: Vec<Line> = range
            .rows()
            .enumerate()
            .map(|(at, row)| {
                let margin = std::iter::repeat_n(FileCell::default(), left as usize);
                Line {
                    number: top as usize + at + 1,
                    cells: margin.chain(row.iter().map(cell_of_workbook_data)).collect(),
                }
            })
            .collect();
        if !lines.is_empty() {
            sheets.push((name, lines));
        }
    }
    let is_1904 = match &book {
        Sheets::Xlsx(book) => book.has_1904_epoch(),
        Sheets::Xls(book) => book.has_1904_epoch(),
        Sheets::Xlsb(_) | Sheets::Ods(_) => false,
    };
    Ok(Book { sheets, is_1904 })
}

fn cell_of_workbook_data(data: &Data) -> FileCell {
    let (text, kind) = match data {
        Data::Empty => (String::new(), CellKind::Text),
        Data::Int(number) => (number.to_string(), CellKind::Number),
        Data::Float(number) => (number.to_string(), CellKind::Number),
        Data::DateTime(moment) if moment.is_datetime() => {
            let (year, month, day, hour, minute, second, _) = moment.to_ymd_hms_milli();
            let time = match (hour, minute, second) {
                (0, 0, 0) => String::new(),
                _ => format!("T{hour:02}:{minute:02}:{second:02}"),
            };
            (format!("{year:04}-{month:02}-{day:02}{time}"), CellKind::Day)
        }
        Data::DateTimeIso(text) => (text.clone(), CellKind::Day),
        other => (other.to_string(), CellKind::Text),
    };
    FileCell { text, kind }
}
