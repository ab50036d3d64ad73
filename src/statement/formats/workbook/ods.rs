//! Sheets of an OpenDocument workbook. Repeated rows and cells are never written out, so that a few bytes cannot fill
//! the memory.

use std::ops::ControlFlow;

use quick_xml::Reader;
use quick_xml::escape::{resolve_predefined_entity, unescape};
use quick_xml::events::{BytesStart, Event};

use super::cells::{CellValue, to_values};
use super::sheet::{COLUMNS_MAX, DAMAGED, ROWS_MAX, TakeCells, place_of};
use crate::statement::formats::Fault;

/// The most cells of a sheet, with those that are repeated.
const CELLS_MAX: u64 = 100_000_000;

pub(super) struct Ods {
    content: String,
    sheets: Vec<String>,
}

impl Ods {
    /// Opens the content of a workbook.
    pub(super) fn new(content: String) -> Result<Ods, Fault> {
        let mut xml = Reader::from_str(&content);
        let mut sheets: Vec<String> = Vec::new();
        let mut is_sheet = false;
        loop {
            match xml.read_event().map_err(|wrong| broken_xml_fault(&wrong))? {
                Event::Start(element) if element.local_name().as_ref() == "spreadsheet" => is_sheet = true,
                Event::Start(element) | Event::Empty(element) if element.local_name().as_ref() == "table" => {
                    sheets.push(find_local_attribute(&element, "name")?.unwrap_or_default());
                }
                Event::Eof => break,
                _ => {}
            }
        }
        if !is_sheet {
            return Err(Fault::new("the document has no sheets; save the table as a spreadsheet or as CSV"));
        }
        Ok(Ods { content, sheets })
    }

    pub(super) fn sheets(&self) -> Vec<String> {
        self.sheets.clone()
    }

    pub(super) fn each_row(&self, sheet: &str, take: &mut TakeCells<'_>) -> Result<(), Fault> {
        let mut rows = OdsRows { xml: Reader::from_str(&self.content), row: 0, cells: 0 };
        while let Some(element) = rows.next_element()? {
            if element.local_name().as_ref() == "table"
                && find_local_attribute(&element, "name")?.as_deref() == Some(sheet)
            {
                let read = rows.each(take);
                let row = rows.row;
                return read.map_err(|fault| Fault { place: Some(place_of(sheet, Some(row))), ..fault });
            }
        }
        Ok(())
    }
}

/// The rows of a sheet, as they come.
struct OdsRows<'x> {
    xml: Reader<&'x [u8]>,
    /// The next row, from 0.
    row: u32,
    /// How many cells were read.
    cells: u64,
}

/// A cell, and in how many columns it is.
struct OdsCell {
    kind: CellKind,
    text: String,
    columns: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CellKind {
    Text,
    Number,
    Iso,
    /// A formula without a value.
    Uncalculated,
    Empty,
}

impl OdsCell {
    fn value(&self) -> CellValue<'_> {
        match self.kind {
            CellKind::Text => CellValue::Text(&self.text),
            // A number of XML is one of Rust.
            CellKind::Number => self.text.trim().parse().map_or(CellValue::Text(&self.text), CellValue::Number),
            CellKind::Iso => CellValue::Iso(&self.text),
            CellKind::Uncalculated => CellValue::Uncalculated,
            CellKind::Empty => CellValue::Empty,
        }
    }
}

impl<'x> OdsRows<'x> {
    /// The next element that begins. `None` at the end of the document.
    fn next_element(&mut self) -> Result<Option<BytesStart<'x>>, Fault> {
        loop {
            match self.xml.read_event().map_err(|wrong| broken_xml_fault(&wrong))? {
                Event::Start(element) => return Ok(Some(element)),
                Event::Eof => return Ok(None),
                _ => {}
            }
        }
    }

    /// The rows up to the end of the table. Tables within it are none of its rows.
    fn each(&mut self, take: &mut TakeCells<'_>) -> Result<(), Fault> {
        loop {
            match self.xml.read_event().map_err(|wrong| broken_xml_fault(&wrong))? {
                Event::Start(element) if element.local_name().as_ref() == "table-row" => {
                    let rows = read_repeat_count(&element, "number-rows-repeated")?;
                    let cells = self.cells_of_row()?;
                    if self.pass_on(rows, &cells, take)?.is_break() {
                        return Ok(());
                    }
                }
                Event::Empty(element) if element.local_name().as_ref() == "table-row" => {
                    self.row = self.row.saturating_add(read_repeat_count(&element, "number-rows-repeated")?);
                }
                Event::Start(element) if is_aside(element.local_name().as_ref()) => self.pass_over(&element)?,
                Event::End(element) if element.local_name().as_ref() == "table" => return Ok(()),
                Event::Eof => return Err(Fault::new(format!("{DAMAGED}: the sheet has no end"))),
                _ => {}
            }
        }
    }

    /// Passes a row on as often as it is repeated.
    fn pass_on(&mut self, rows: u32, cells: &[OdsCell], take: &mut TakeCells<'_>) -> Result<ControlFlow<()>, Fault> {
        let filled = cells.iter().rposition(|cell| cell.kind != CellKind::Empty);
        let Some(last) = filled else {
            self.row = self.row.saturating_add(rows);
            return Ok(ControlFlow::Continue(()));
        };
        let cells = cells.get(..=last).unwrap_or_default();
        let width: u64 = cells.iter().map(|cell| u64::from(cell.columns)).sum();
        for _ in 0..rows {
            self.cells += width;
            if width > u64::from(COLUMNS_MAX) || self.row >= ROWS_MAX || self.cells > CELLS_MAX {
                return Err(Fault::new("the sheet has more cells than any sheet; the workbook is damaged"));
            }
            let mut column = 0;
            let placed = cells.iter().flat_map(|cell| {
                let first = column;
                column += cell.columns;
                let columns = if cell.kind == CellKind::Empty { first..first } else { first..column };
                columns.map(|column| (column, cell.value()))
            });
            let placed: Vec<_> = placed.collect();
            let taken = to_values(placed.into_iter(), false, |values| take(self.row, values));
            let taken = taken.ok_or_else(|| Fault::new(DAMAGED))?;
            self.row += 1;
            if taken.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn cells_of_row(&mut self) -> Result<Vec<OdsCell>, Fault> {
        let mut cells = Vec::new();
        loop {
            match self.xml.read_event().map_err(|wrong| broken_xml_fault(&wrong))? {
                Event::Start(element) if is_cell(element.local_name().as_ref()) => {
                    let text = self.text_of_cell()?;
                    cells.push(read_ods_cell(&element, text)?);
                }
                Event::Empty(element) if is_cell(element.local_name().as_ref()) => {
                    cells.push(read_ods_cell(&element, String::new())?);
                }
                Event::Start(element) if is_aside(element.local_name().as_ref()) => self.pass_over(&element)?,
                Event::End(element) if element.local_name().as_ref() == "table-row" => return Ok(cells),
                Event::Eof => return Err(Fault::new(format!("{DAMAGED}: a row has no end"))),
                _ => {}
            }
        }
    }

    /// The text within a cell: its paragraphs, one a line.
    fn text_of_cell(&mut self) -> Result<String, Fault> {
        let mut text = String::new();
        let (mut paragraphs, mut depth) = (0, 0_u32);
        loop {
            match self.xml.read_event().map_err(|wrong| broken_xml_fault(&wrong))? {
                Event::Start(element) => match element.local_name().as_ref() {
                    name if is_aside(name) => self.pass_over(&element)?,
                    "p" => {
                        if paragraphs > 0 {
                            text.push('\n');
                        }
                        (paragraphs, depth) = (paragraphs + 1, depth + 1);
                    }
                    _ => {}
                },
                Event::Empty(element) => match element.local_name().as_ref() {
                    "p" => {
                        if paragraphs > 0 {
                            text.push('\n');
                        }
                        paragraphs += 1;
                    }
                    "s" => {
                        let blanks = read_repeat_count(&element, "c")?.min(1_000);
                        text.extend((0..blanks).map(|_| ' '));
                    }
                    "tab" => text.push('\t'),
                    "line-break" => text.push('\n'),
                    _ => {}
                },
                Event::Text(content) if depth > 0 => text.push_str(&content),
                Event::CData(content) if depth > 0 => text.push_str(&content),
                Event::GeneralRef(entity) if depth > 0 => match resolve_predefined_entity(&entity) {
                    Some(letter) => text.push_str(letter),
                    None => match entity.resolve_char_ref() {
                        Ok(Some(letter)) => text.push(letter),
                        _ => return Err(Fault::new(format!("{DAMAGED}: it has an unknown entity"))),
                    },
                },
                Event::End(element) => match element.local_name().as_ref() {
                    "p" => depth = depth.saturating_sub(1),
                    name if is_cell(name) => return Ok(text),
                    _ => {}
                },
                Event::Eof => return Err(Fault::new(format!("{DAMAGED}: a cell has no end"))),
                _ => {}
            }
        }
    }

    fn pass_over(&mut self, element: &BytesStart<'_>) -> Result<(), Fault> {
        self.xml.read_to_end(element.name()).map(drop).map_err(|wrong| broken_xml_fault(&wrong))
    }
}

fn is_cell(name: &str) -> bool {
    matches!(name, "table-cell" | "covered-table-cell")
}

/// Whether an element is no part of the table: notes, drawings and tables within it.
fn is_aside(name: &str) -> bool {
    matches!(name, "annotation" | "shapes" | "frame" | "table" | "forms" | "tracked-changes" | "dde-links")
}

fn read_ods_cell(element: &BytesStart<'_>, text: String) -> Result<OdsCell, Fault> {
    let columns = read_repeat_count(element, "number-columns-repeated")?;
    let value_type = find_local_attribute(element, "value-type")?;
    let declared = |name: &str| find_local_attribute(element, name);
    let (kind, text) = match value_type.as_deref() {
        // A formula that ended in an error has an empty value, and the error's name as its text.
        Some("string") if has_error(element)? => (CellKind::Text, text),
        Some("float" | "currency" | "percentage") => (CellKind::Number, declared("value")?.unwrap_or(text)),
        Some("date") => (CellKind::Iso, declared("date-value")?.unwrap_or(text)),
        Some("time") => (CellKind::Text, declared("time-value")?.unwrap_or(text)),
        Some("boolean") => (CellKind::Text, declared("boolean-value")?.unwrap_or(text)),
        Some("string") => (CellKind::Text, declared("string-value")?.unwrap_or(text)),
        _ => (CellKind::Text, text),
    };
    if !text.is_empty() {
        return Ok(OdsCell { kind, text, columns });
    }
    // A formula may give an empty text, and then says that it is a text.
    let is_unknown = value_type.as_deref() != Some("string") && declared("formula")?.is_some();
    Ok(OdsCell { kind: if is_unknown { CellKind::Uncalculated } else { CellKind::Empty }, text, columns })
}

/// Whether a program marked the cell as an error.
fn has_error(element: &BytesStart<'_>) -> Result<bool, Fault> {
    let kind = element.try_get_attribute("calcext:value-type");
    let kind = kind.map_err(|wrong| Fault::new(format!("{DAMAGED}: {wrong}")))?;
    Ok(kind.is_some_and(|kind| kind.value.as_ref() == "error"))
}

/// An attribute by its local name. Where a program adds its own beside the standard's, the standard's counts.
fn find_local_attribute(element: &BytesStart<'_>, name: &str) -> Result<Option<String>, Fault> {
    let mut other = None;
    for attribute in element.attributes() {
        let attribute = attribute.map_err(|wrong| Fault::new(format!("{DAMAGED}: {wrong}")))?;
        if attribute.key.local_name().as_ref() != name {
            continue;
        }
        let value = unescape(&attribute.value).map_err(|wrong| Fault::new(format!("{DAMAGED}: {wrong}")))?;
        let prefix = attribute.key.prefix();
        if prefix.is_some_and(|prefix| prefix.as_ref() == "calcext") {
            other = Some(value.into_owned());
        } else {
            return Ok(Some(value.into_owned()));
        }
    }
    Ok(other)
}

fn read_repeat_count(element: &BytesStart<'_>, name: &str) -> Result<u32, Fault> {
    match find_local_attribute(element, name)? {
        None => Ok(1),
        Some(count) => count.trim().parse().map_err(|_| Fault::new(format!("{DAMAGED}: `{name}` is no count"))),
    }
}

fn broken_xml_fault(wrong: &quick_xml::Error) -> Fault {
    Fault::new(format!("{DAMAGED}: {wrong}"))
}
