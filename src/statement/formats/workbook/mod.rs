//! Workbooks: XLSX, XLS and ODS. Finds the sheet and the table in it. Must not know what a value means.
//!
//! A row is called by the number that a spreadsheet shows beside it. Hidden rows and columns are read like others.

mod cells;
mod ods;
pub(crate) mod sheet;
pub(crate) mod styled;
mod xls_bounds;
mod xls_formulas;
mod zip_parts;

use std::collections::BTreeMap;
use std::io::Cursor;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use calamine::{Data, DataRef, Reader, SheetType, Xls, XlsError, Xlsx, XlsxError};

use self::cells::{CellValue, header_cell_text, to_values};
use self::ods::Ods;
use self::sheet::{DAMAGED, LOCKED, ROWS_MAX, TakeCells, place_of};
use super::layout::{HEADER_WITHIN, Layout, cells_after, is_blank, normal_name};
use super::{Fault, RowNoun, RowReader, RowValue, TakeRow};
use crate::base::date::Day;

/// How many rows are looked at to say where the header may be.
const ROWS_LOOKED_AT: u32 = 60;

/// Opens the sheet that the layout declares, or the only one that has cells.
pub(crate) fn open_workbook_sheet<'b>(bytes: &'b [u8], layout: &Layout) -> Result<Box<dyn RowReader + 'b>, Fault> {
    let mut book = Book::open(bytes)?;
    let sheet = chosen_sheet(&mut book, layout.sheet.as_deref())?;
    let mut found = Above::new(layout);
    book.each_row(&sheet, &mut |row, values| found.look_at(row, values))?;
    let Some((header_row, names)) = found.header else { return Err(found.no_header(&sheet)) };
    let comment = layout.comment.clone();
    Ok(Box::new(Sheet { book, sheet, names, header_row, above: found.above, comment }))
}

/// Receives a row of a sheet that is called so.
#[allow(dead_code, reason = "`columns` uses it, which the feature `engine` lacks")]
pub(crate) type TakeSheetRow<'t> = dyn FnMut(&str, u32, &[RowValue<'_>]) + 't;

/// Passes the rows of all sheets to `take`. Returns whether days count from 1904.
#[allow(dead_code, reason = "`columns` uses it, which the feature `engine` lacks")]
pub(crate) fn read_all_sheets(bytes: &[u8], take: &mut TakeSheetRow<'_>) -> Result<bool, Fault> {
    let mut book = Book::open(bytes)?;
    for sheet in book.sheets() {
        book.each_row(&sheet, &mut |row, values| {
            take(&sheet, row, values);
            ControlFlow::Continue(())
        })?;
    }
    Ok(match &book {
        Book::Xlsx { book, .. } => book.has_1904_epoch(),
        Book::Xls { book, .. } => book.has_1904_epoch(),
        Book::Ods(_) => false,
    })
}

/// A sheet whose header is known.
struct Sheet<'b> {
    book: Book<'b>,
    sheet: String,
    names: Vec<String>,
    header_row: u32,
    /// The cells above the header, row by row.
    above: Vec<Vec<String>>,
    comment: Option<String>,
}

impl RowReader for Sheet<'_> {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn noun(&self) -> RowNoun {
        RowNoun::Row
    }

    fn cells_after(&self, label: &str) -> Vec<String> {
        let rows = self.above.iter().flat_map(|cells| cells_after(label, cells.iter().map(String::as_str)));
        rows.map(str::to_owned).collect()
    }

    fn lines_above(&self) -> &[Vec<String>] {
        &self.above
    }

    fn row_with(&mut self, names: &[&str]) -> Option<u32> {
        let count = |cells: &[String]| {
            let has = |name: &&&str| cells.iter().any(|cell| normal_name(cell) == **name);
            names.iter().filter(has).count()
        };
        let (from, mut best) = (self.header_row, (count(&self.names).max(names.len().min(2).saturating_sub(1)), None));
        let looked = self.book.each_row(&self.sheet, &mut |row, values| {
            if row > from + ROWS_LOOKED_AT {
                return ControlFlow::Break(());
            }
            let cells: Vec<String> = values.iter().map(header_cell_text).collect();
            if row > from && count(&cells) > best.0 {
                best = (count(&cells), Some(row));
            }
            ControlFlow::Continue(())
        });
        looked.ok().and(best.1)
    }

    fn read(&mut self, take: &mut TakeRow<'_>) -> Result<(), Fault> {
        let (header_row, width) = (self.header_row, self.names.len());
        let comment = self.comment.as_deref();
        self.book.each_row(&self.sheet, &mut |row, values| {
            if row <= header_row || is_blank_row(values) || is_comment(values, comment) {
                return ControlFlow::Continue(());
            }
            match values.get(..width) {
                Some(values) => take(row, values),
                None => {
                    let mut whole = values.to_vec();
                    whole.resize(width, RowValue::Empty);
                    take(row, &whole)
                }
            }
        })
    }
}

/// The rows of a sheet up to its header.
struct Above<'l> {
    layout: &'l Layout,
    above: Vec<Vec<String>>,
    header: Option<(u32, Vec<String>)>,
    /// The row that has the most of the header's names, and what it lacks.
    nearest: Option<(u32, Vec<String>)>,
}

impl<'l> Above<'l> {
    fn new(layout: &'l Layout) -> Above<'l> {
        Above { layout, above: Vec::new(), header: None, nearest: None }
    }

    fn look_at(&mut self, row: u32, values: &[RowValue<'_>]) -> ControlFlow<()> {
        if row as usize >= HEADER_WITHIN.max(self.layout.skip_lines.unwrap_or_default() as usize + HEADER_WITHIN) {
            return ControlFlow::Break(());
        }
        if is_blank_row(values) {
            return ControlFlow::Continue(());
        }
        let cells: Vec<String> = values.iter().map(header_cell_text).collect();
        let missing = self.layout.missing_names(cells.iter().map(String::as_str));
        let is_above = self.layout.skip_lines.is_some_and(|count| row < count)
            || is_comment(values, self.layout.comment.as_deref());
        if is_above || !missing.is_empty() {
            let is_nearer = self.nearest.as_ref().map_or(self.layout.header.len(), |(_, least)| least.len());
            if !is_above && missing.len() < is_nearer {
                self.nearest = Some((row, missing.into_iter().map(str::to_owned).collect()));
            }
            if self.above.len() < HEADER_WITHIN {
                self.above.push(values.iter().map(above_cell_text).collect());
            }
            return ControlFlow::Continue(());
        }
        let mut names: Vec<String> = cells.iter().map(|cell| normal_name(cell).into_owned()).collect();
        let width = names.iter().rposition(|name| !name.is_empty()).map_or(0, |last| last + 1);
        names.truncate(width);
        self.header = Some((row, names));
        ControlFlow::Break(())
    }

    fn no_header(&self, sheet: &str) -> Fault {
        let place = place_of(sheet, None);
        if self.layout.header.is_empty() {
            return Fault::at(place, "it has no header: no row there has a cell");
        }
        let listed = |names: &[String]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let nearest = self.nearest.as_ref();
        let nearest = nearest.map(|(row, missing)| format!("; row {} has all but {}", row + 1, listed(missing)));
        Fault::at(
            place,
            format!(
                "none of the first {HEADER_WITHIN} rows has all names of [file] header: {}{}; `lendwright columns \
                 FILE` shows the sheet's rows and writes a columns file",
                listed(&self.layout.header),
                nearest.unwrap_or_default()
            ),
        )
    }
}

/// The text of a cell above the header. A day is one that people read.
fn above_cell_text(value: &RowValue<'_>) -> String {
    match value {
        RowValue::Day(days) => Day::from_days(*days).to_string(),
        value => header_cell_text(value),
    }
}

fn is_blank_row(values: &[RowValue<'_>]) -> bool {
    values.iter().all(|value| match value {
        RowValue::Empty => true,
        RowValue::Text(text) => is_blank(text),
        _ => false,
    })
}

fn is_comment(values: &[RowValue<'_>], mark: Option<&str>) -> bool {
    let Some(mark) = mark else { return false };
    let first = values.iter().find(|value| !is_blank_row(std::slice::from_ref(value)));
    matches!(first, Some(RowValue::Text(text)) if text.trim_start().starts_with(mark))
}

/// The declared sheet, or the only one with cells.
fn chosen_sheet(book: &mut Book<'_>, declared: Option<&str>) -> Result<String, Fault> {
    let names = book.sheets();
    let listed = |names: &[String]| names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    if let Some(declared) = declared {
        return match names.iter().find(|name| *name == declared) {
            Some(name) => Ok(name.clone()),
            None => Err(Fault::new(format!(
                "the workbook has no sheet \"{declared}\", which [file] declares; it has {}",
                listed(&names)
            ))),
        };
    }
    let mut filled = Vec::new();
    for name in names {
        let mut has_cells = false;
        book.each_row(&name, &mut |_, values| {
            has_cells = !is_blank_row(values);
            if has_cells { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        if has_cells {
            filled.push(name);
        }
    }
    match filled.as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(Fault::new("the workbook has no cells")),
        several => Err(Fault::new(format!(
            "the workbook has {} sheets with cells; say in a columns file which one to read: [file] sheet = one of {}",
            several.len(),
            listed(several)
        ))),
    }
}

/// An open workbook.
enum Book<'b> {
    Xlsx { book: Box<Xlsx<Cursor<&'b [u8]>>>, is_uncalculated: bool },
    Xls { book: Box<Xls<Cursor<&'b [u8]>>>, uncalculated: Vec<xls_formulas::Places> },
    Ods(Ods),
}

impl<'b> Book<'b> {
    fn open(bytes: &'b [u8]) -> Result<Book<'b>, Fault> {
        match bytes {
            [b'P', b'K', ..] => match zip_parts::check_zip_parts(bytes)? {
                zip_parts::WorkbookKind::OpenXml { is_uncalculated } => {
                    let book = guard_library_panic(|| Xlsx::new(Cursor::new(bytes)).map_err(xlsx_fault))?;
                    Ok(Book::Xlsx { book: Box::new(book), is_uncalculated })
                }
                zip_parts::WorkbookKind::OpenDocument(content) => Ok(Book::Ods(Ods::new(content)?)),
            },
            [0xd0, 0xcf, 0x11, 0xe0, ..] => {
                let uncalculated = xls_bounds::check_xls_bounds(bytes)?;
                let book = guard_library_panic(|| Xls::new(Cursor::new(bytes)).map_err(xls_fault))?;
                Ok(Book::Xls { book: Box::new(book), uncalculated })
            }
            _ => Err(Fault::new(
                "the file is no workbook, whatever its name says: banks name HTML and text so; save it as XLSX or CSV \
                 in a spreadsheet program, or give a CSV the ending .csv",
            )),
        }
    }

    /// The names of its sheets.
    fn sheets(&self) -> Vec<String> {
        let metadata = match self {
            Book::Xlsx { book, .. } => book.sheets_metadata(),
            Book::Xls { book, .. } => book.sheets_metadata(),
            Book::Ods(book) => return book.sheets(),
        };
        let sheets = metadata.iter().filter(|sheet| sheet.typ == SheetType::WorkSheet);
        sheets.map(|sheet| sheet.name.clone()).collect()
    }

    /// Passes the rows with cells to `take`, until it breaks.
    fn each_row(&mut self, sheet: &str, take: &mut TakeCells<'_>) -> Result<(), Fault> {
        match self {
            Book::Xlsx { book, is_uncalculated } => xlsx_rows(book, sheet, *is_uncalculated, take),
            Book::Xls { book, uncalculated } => xls_rows(book, sheet, uncalculated, take),
            Book::Ods(book) => book.each_row(sheet, take),
        }
    }
}

/// A cell of an XLSX sheet.
struct XlsxCell<'c> {
    place: (u32, u32),
    value: DataRef<'c>,
    /// Whether it is a formula that was never calculated.
    is_unknown: bool,
}

impl XlsxCell<'_> {
    fn value(&self) -> CellValue<'_> {
        if self.is_unknown { CellValue::Uncalculated } else { CellValue::from(&self.value) }
    }
}

/// Reads the cells as they come, so that a large sheet is never in memory.
fn xlsx_rows(
    book: &mut Xlsx<Cursor<&[u8]>>,
    sheet: &str,
    is_uncalculated: bool,
    take: &mut TakeCells<'_>,
) -> Result<(), Fault> {
    let is_1904 = book.has_1904_epoch();
    let in_sheet = |fault: Fault, row: Option<u32>| Fault { place: Some(place_of(sheet, row)), ..fault };
    let opened = guard_library_panic(|| book.worksheet_cells_reader(sheet).map_err(xlsx_fault));
    let mut reader = opened.map_err(|fault| in_sheet(fault, None))?;
    // The cells of one row, and the first cell after it.
    let mut row: Vec<XlsxCell<'_>> = Vec::new();
    let mut carried: Option<XlsxCell<'_>> = None;
    loop {
        row.clear();
        row.extend(carried.take());
        let mut number = row.first().map(|cell| cell.place.0);
        let read = guard_library_panic(|| {
            while let Some(cell) = reader.next_cell_with_formula_metadata().map_err(xlsx_fault)? {
                let is_empty = cell.value == DataRef::Empty;
                let is_unknown = cell.formula.is_some() && (is_empty || is_uncalculated);
                if is_empty && !is_unknown {
                    continue;
                }
                let cell = XlsxCell { place: cell.pos, value: cell.value, is_unknown };
                if number.is_some_and(|number| number != cell.place.0) {
                    carried = Some(cell);
                    break;
                }
                number = Some(cell.place.0);
                row.push(cell);
            }
            Ok(())
        });
        read.map_err(|fault| in_sheet(fault, number))?;
        let Some(number) = number else { return Ok(()) };
        let next = carried.as_ref().map(|cell| cell.place.0);
        if next.is_some_and(|next| next <= number) || number >= ROWS_MAX {
            return Err(in_sheet(Fault::new("its rows are not in order; the workbook is damaged"), Some(number)));
        }
        let cells = row.iter().map(|cell| (cell.place.1, cell.value()));
        let is_stopped = to_values(cells, is_1904, |values| take(number, values));
        let is_stopped = is_stopped.ok_or_else(|| in_sheet(Fault::new(DAMAGED), Some(number)))?;
        if is_stopped.is_break() || next.is_none() {
            return Ok(());
        }
    }
}

fn xls_rows(
    book: &mut Xls<Cursor<&[u8]>>,
    sheet: &str,
    uncalculated: &[xls_formulas::Places],
    take: &mut TakeCells<'_>,
) -> Result<(), Fault> {
    let is_1904 = book.has_1904_epoch();
    let range = guard_library_panic(|| book.worksheet_range(sheet).map_err(xls_fault))?;
    let (first_row, first_column) = range.start().unwrap_or_default();
    let mut rows = (first_row..).zip(range.rows()).peekable();
    let at = book.sheets_metadata().iter().position(|own| own.name == sheet);
    // Cells in their order: those with a value, and the formulas without one.
    let mut unknown = at.and_then(|at| uncalculated.get(at)).into_iter().flatten().copied().peekable();
    let first_of = |place: Option<u32>, other: Option<u32>| place.into_iter().chain(other).min();
    while let Some(row) = first_of(rows.peek().map(|(row, _)| *row), unknown.peek().map(|(row, _)| *row)) {
        let mut cells: BTreeMap<u32, CellValue<'_>> = BTreeMap::new();
        if let Some((_, own)) = rows.next_if(|(number, _)| *number == row) {
            let filled = (first_column..).zip(own).filter(|(_, cell)| **cell != Data::Empty);
            cells.extend(filled.map(|(column, cell)| (column, CellValue::from(cell))));
        }
        while let Some((_, column)) = unknown.next_if(|(number, _)| *number == row) {
            cells.insert(column, CellValue::Uncalculated);
        }
        let is_stopped =
            to_values(cells.iter().map(|(column, cell)| (*column, *cell)), is_1904, |values| take(row, values));
        let is_stopped = is_stopped.ok_or_else(|| Fault::at(place_of(sheet, Some(row)), DAMAGED))?;
        if is_stopped.is_break() {
            break;
        }
    }
    Ok(())
}

/// Turns a panic of the library into an error: damaged files can cause one.
fn guard_library_panic<T>(read: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| Err(Fault::new(DAMAGED)))
}

fn xlsx_fault(wrong: XlsxError) -> Fault {
    match wrong {
        XlsxError::Password => Fault::new(LOCKED),
        other => Fault::new(format!("{DAMAGED}: {other}")),
    }
}

fn xls_fault(wrong: XlsError) -> Fault {
    match wrong {
        XlsError::Password => Fault::new(LOCKED),
        other => Fault::new(format!("{DAMAGED}: {other}")),
    }
}

#[cfg(test)]
mod tests;
