//! Where the table is among the lines of a file: its header, its rows, what stands above and below.

use std::collections::BTreeSet;

use super::amounts::looks_like_amount;
use super::dates::looks_like_date;
use super::grid::{FileCell, Line};

/// A table of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileTable {
    /// Lines above the header.
    pub(crate) above: Vec<Line>,
    /// As written.
    pub(crate) header: Vec<String>,
    /// The rows: lines with a day, from the first to the last one that has an amount too.
    pub(crate) rows: Vec<Line>,
    /// Other lines between them.
    pub(crate) strays: Vec<Line>,
    /// Lines below the last row that are not blank.
    pub(crate) below: Vec<Line>,
    /// Lines that begin with a mark of comments and hold neither a day nor an amount.
    pub(crate) comments: Vec<Line>,
    /// The number of rows with a day and an amount.
    pub(crate) movements: usize,
    /// Lines of names above other rows.
    pub(crate) other_headers: Vec<Line>,
}

impl FileTable {
    /// Whether a line is above the header.
    pub(crate) fn is_above(&self, line: &Line) -> bool {
        self.above.iter().any(|above| above.number == line.number)
    }

    /// What stands in the column of days on lines between the rows that have no day: separators, repeated headers.
    pub(crate) fn stray_texts(&self, date_column: usize) -> BTreeSet<&str> {
        let cells = self.strays.iter().filter_map(|line| line.cell(date_column));
        cells.map(FileCell::trimmed).filter(|text| !text.is_empty()).collect()
    }
}

/// What a cell is written like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    Blank,
    Date,
    Amount,
    Text,
    /// Neither letters nor an amount: a line of stars.
    Other,
}

fn look_of_table_cell(cell: &FileCell, serial_column: bool) -> Look {
    if cell.is_blank() {
        Look::Blank
    } else if looks_like_date(cell) || (serial_column && is_bare_date(cell)) {
        Look::Date
    } else if looks_like_amount(cell) {
        Look::Amount
    } else if cell.text.chars().any(char::is_alphabetic) {
        Look::Text
    } else {
        Look::Other
    }
}

/// Digits that may be a date: YYYYMMDD, YYMMDD, or the serial day of a spreadsheet.
fn is_bare_date(cell: &FileCell) -> bool {
    let text = cell.trimmed();
    let whole = text.split('.').next().unwrap_or_default();
    let is_digits = whole.bytes().all(|byte| byte.is_ascii_digit());
    is_digits
        && !super::dates::possible_date_readings(&[&FileCell::text(text)], true, super::dates::DateContext::default())
            .is_empty()
}

/// Finds the table in the lines of a file. `None` if no line has a day and an amount below a line of names.
pub(crate) fn find_table_in_lines(lines: Vec<Line>) -> Option<FileTable> {
    with_dates(&lines, false).or_else(|| with_dates(&lines, true))
}

fn with_dates(lines: &[Line], bare: bool) -> Option<FileTable> {
    let looks: Vec<Vec<Look>> =
        lines.iter().map(|line| line.cells.iter().map(|cell| look_of_table_cell(cell, bare)).collect()).collect();
    let date_column = column_looking_most(&looks, Look::Date)?;
    let is_row = |at: usize| {
        looks.get(at).is_some_and(|looks: &Vec<Look>| {
            let amounts = looks.iter().enumerate().any(|(column, look)| {
                column != date_column && (*look == Look::Amount || (bare && *look == Look::Date))
            });
            looks.get(date_column) == Some(&Look::Date) && amounts
        })
    };
    let headers: Vec<usize> = (0..lines.len()).filter(|at| is_header(&looks, *at, date_column, &is_row)).collect();
    let segments = headers.iter().enumerate().map(|(index, header)| {
        let end = headers.get(index + 1).copied().unwrap_or(lines.len());
        (*header, end, (*header..end).filter(|at| is_row(*at)).count())
    });
    // The first of the headers with the most rows.
    let (header, _, _) = segments.clone().rev().max_by_key(|(_, _, rows)| *rows)?;
    let others = segments.filter(|(at, _, rows)| *at != header && *rows > 0).map(|(at, ..)| at);
    let other_headers: Vec<Line> = others.filter_map(|at| lines.get(at).cloned()).collect();
    let last = (header..lines.len()).rev().find(|at| is_row(*at))?;
    let between = lines.get(header + 1..=last)?.iter().filter(|line| !line.is_blank());
    let has_mark = |line: &&Line| line.first_filled().is_some_and(|cell| cell.trimmed().starts_with('#'));
    let says_something = |line: &&Line| {
        line.cells.iter().any(|cell| matches!(look_of_table_cell(cell, bare), Look::Date | Look::Amount))
    };
    // Where a row begins with the mark, as a number of a cheque does, no line is a comment.
    let has_comments = !between.clone().any(|line| has_mark(&line) && says_something(&line));
    let (comments, rows): (Vec<&Line>, Vec<&Line>) = between.partition(|line| has_comments && has_mark(line));
    let has_day =
        |line: &&Line| line.cell(date_column).is_some_and(|cell| look_of_table_cell(cell, bare) == Look::Date);
    let (rows, strays): (Vec<&Line>, Vec<&Line>) = rows.into_iter().partition(has_day);
    Some(FileTable {
        above: lines.get(..header)?.iter().filter(|line| !line.is_blank()).cloned().collect(),
        header: lines.get(header)?.cells.iter().map(|cell| cell.text.clone()).collect(),
        rows: rows.into_iter().cloned().collect(),
        strays: strays.into_iter().cloned().collect(),
        below: lines.get(last + 1..)?.iter().filter(|line| !line.is_blank()).cloned().collect(),
        comments: comments.into_iter().cloned().collect(),
        movements: (header..=last).filter(|at| is_row(*at)).count(),
        other_headers,
    })
}

/// The column that most often looks like this; the first of several.
fn column_looking_most(looks: &[Vec<Look>], wanted: Look) -> Option<usize> {
    let width = looks.iter().map(Vec::len).max()?;
    let count = |column: usize| looks.iter().filter(|looks| looks.get(column) == Some(&wanted)).count();
    let counts = (0..width).map(|column| (column, count(column)));
    counts.rev().max_by_key(|(_, count)| *count).filter(|(_, count)| *count > 0).map(|(column, _)| column)
}

/// Whether a line holds names: texts only, one of them above the dates, and soon a row below.
fn is_header(looks: &[Vec<Look>], at: usize, date_column: usize, is_row: &dyn Fn(usize) -> bool) -> bool {
    let Some(line) = looks.get(at) else { return false };
    let texts = line.iter().filter(|look| **look == Look::Text).count();
    texts >= 2
        && !line.iter().any(|look| matches!(look, Look::Date | Look::Amount))
        && line.get(date_column) == Some(&Look::Text)
        && (at + 1..at + 6).find(|next| is_row(*next)).is_some_and(|row| names_row(line, looks.get(row)))
}

/// Whether names stand above the amounts of a row too.
fn names_row(names: &[Look], row: Option<&Vec<Look>>) -> bool {
    let has_name = |column: usize| names.get(column) == Some(&Look::Text);
    row.is_some_and(|row| row.iter().enumerate().any(|(column, look)| *look == Look::Amount && has_name(column)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statement::infer_columns::text::split_into_cells;

    #[test]
    fn the_header_is_the_line_of_names_above_days_and_amounts() {
        let text = "Account Name,ADA OBI,\nPeriod,01/03/2026,31/03/2026\nOpening,\"1,000.00\"\n\n\
                    Date,Details,Amount,\n01/03/2026,POS,-5.00,\n# note\n02/03/2026,NIP,7.00,\n\nTotal,,2.00\n";
        let table = find_table_in_lines(split_into_cells(text, ',')).expect("a table");
        assert_eq!(table.header, ["Date", "Details", "Amount", ""]);
        assert_eq!((table.above.len(), table.rows.len(), table.below.len(), table.comments.len()), (3, 2, 1, 1));
        assert_eq!(find_table_in_lines(split_into_cells("a,b\nc,d\n", ',')), None);
        assert_eq!(find_table_in_lines(split_into_cells("01/03/2026,5.00\n", ',')), None);
    }
}
