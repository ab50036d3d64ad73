//! Looks at an XLS workbook before the library reads it: the library follows its chains of sectors without end, and
//! lays a sheet out with all its empty cells, so that one damaged number could fill the memory.

use super::sheet::{DAMAGED, LOCKED};
use super::xls_formulas::{Places, SheetFormulas, list_uncalculated_formulas};
use crate::statement::formats::Fault;

/// The most cells of all sheets together, with the empty ones between others. More rows are for XLSX.
const CELLS_MAX: u64 = 16 << 20;
const COLUMNS_MAX: u16 = 256;

/// The last number of a sector; larger ones are marks.
const SECTOR_MAX: u32 = 0xffff_fffa;
const END_OF_CHAIN: u32 = 0xffff_fffe;
/// Streams shorter than this are in the small sectors.
const SMALL: u64 = 4_096;
const SMALL_SECTOR: usize = 64;

/// Checks the chains of sectors, and the extent of each sheet. Returns the formulas of each that were not calculated.
pub(super) fn check_xls_bounds(bytes: &[u8]) -> Result<Vec<Places>, Fault> {
    let file = Compound::open(bytes).ok_or_else(damaged_workbook_fault)?;
    if file.find("EncryptedPackage").is_some() {
        return Err(Fault::new(LOCKED));
    }
    let Some(entry) = file.find("Workbook").or_else(|| file.find("Book")) else {
        return Err(Fault::new("the file has no workbook in it; save the table as XLSX or CSV"));
    };
    let stream = file.stream(entry).filter(|stream| stream.len() as u64 == entry.length);
    let stream = stream.ok_or_else(|| Fault::new(format!("{DAMAGED}, or is cut short")))?;
    let (mut cells, mut formulas) = (0, Vec::new());
    for sheet in find_sheet_starts(&stream)? {
        let records = stream.get(sheet as usize..).ok_or_else(damaged_workbook_fault)?;
        let mut own = SheetFormulas::default();
        cells += count_sheet_cells(records, &mut own)?;
        formulas.push(own);
        if cells > CELLS_MAX {
            return Err(Fault::new(format!(
                "{DAMAGED}, or its sheets have more than {CELLS_MAX} cells; save the sheet as XLSX or CSV"
            )));
        }
    }
    Ok(list_uncalculated_formulas(formulas))
}

fn damaged_workbook_fault() -> Fault {
    Fault::new(DAMAGED)
}

pub(super) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// A file of streams, each a chain of sectors.
struct Compound<'b> {
    bytes: &'b [u8],
    sector: usize,
    /// The sector after each.
    next: Vec<u32>,
    entries: Vec<DirectoryEntry>,
    small: Vec<u8>,
    small_next: Vec<u32>,
}

struct DirectoryEntry {
    name: String,
    start: u32,
    length: u64,
}

impl<'b> Compound<'b> {
    fn open(bytes: &'b [u8]) -> Option<Compound<'b>> {
        let sector = match u16_at(bytes, 30)? {
            9 => 512,
            12 => 4_096,
            _ => return None,
        };
        let mut file = Compound {
            bytes,
            sector,
            next: Vec::new(),
            entries: Vec::new(),
            small: Vec::new(),
            small_next: Vec::new(),
        };
        // The sectors of the table of chains: the first 109 are in the header, the others in a chain of their own.
        let mut tables: Vec<u32> = (0..109).map(|at| u32_at(bytes, 76 + 4 * at)).collect::<Option<_>>()?;
        let mut more = u32_at(bytes, 68)?;
        let mut rest = bytes.len() / sector + 1;
        while more < SECTOR_MAX {
            rest = rest.checked_sub(1)?;
            let list = little_endian_words(file.sector(more)?);
            let (last, list) = list.split_last()?;
            tables.extend(list);
            more = *last;
        }
        for table in tables.into_iter().filter(|table| *table < SECTOR_MAX) {
            let table = little_endian_words(file.sector(table)?);
            file.next.extend(table);
        }
        let directory = file.chain(u32_at(bytes, 48)?, u64::MAX)?;
        file.entries = directory.as_chunks::<128>().0.iter().filter_map(|entry| file.entry(entry)).collect();
        if u32_at(bytes, 64)? > 0 {
            let root = file.entries.first()?;
            file.small = file.chain(root.start, root.length)?;
            file.small_next = little_endian_words(&file.chain(u32_at(bytes, 60)?, u64::MAX)?);
        }
        Some(file)
    }

    fn entry(&self, entry: &[u8]) -> Option<DirectoryEntry> {
        let name = entry.get(..64)?.as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit));
        let name: Vec<u16> = name.take_while(|unit| *unit != 0).collect();
        // The upper half is not used, and not always 0, where sectors are small.
        let high = if self.sector == 512 { 0 } else { u64::from(u32_at(entry, 124)?) };
        Some(DirectoryEntry {
            name: String::from_utf16_lossy(&name),
            start: u32_at(entry, 116)?,
            length: high << 32 | u64::from(u32_at(entry, 120)?),
        })
    }

    fn find(&self, name: &str) -> Option<&DirectoryEntry> {
        self.entries.iter().find(|entry| entry.name.eq_ignore_ascii_case(name))
    }

    /// A sector. The last may be cut.
    fn sector(&self, number: u32) -> Option<&'b [u8]> {
        let from = (number as usize).checked_add(1)?.checked_mul(self.sector)?;
        let to = from.checked_add(self.sector)?.min(self.bytes.len());
        self.bytes.get(from..to)
    }

    /// The bytes of a chain of sectors, up to a length. `None` if the chain has no end.
    fn chain(&self, start: u32, length: u64) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut sector = start;
        while sector != END_OF_CHAIN && (bytes.len() as u64) < length {
            if bytes.len() > self.bytes.len() {
                return None;
            }
            let part = self.sector(sector).filter(|part| !part.is_empty())?;
            bytes.extend_from_slice(part);
            sector = *self.next.get(sector as usize)?;
        }
        truncate_to_length(bytes, length)
    }

    fn stream(&self, entry: &DirectoryEntry) -> Option<Vec<u8>> {
        if entry.length >= SMALL {
            return self.chain(entry.start, entry.length);
        }
        let mut bytes = Vec::new();
        let mut sector = entry.start;
        while sector != END_OF_CHAIN && (bytes.len() as u64) < entry.length {
            let from = (sector as usize).checked_mul(SMALL_SECTOR)?;
            let part = self.small.get(from..)?;
            let part = part.get(..SMALL_SECTOR).unwrap_or(part);
            if part.is_empty() {
                return None;
            }
            bytes.extend_from_slice(part);
            sector = *self.small_next.get(sector as usize)?;
        }
        truncate_to_length(bytes, entry.length)
    }
}

fn truncate_to_length(mut bytes: Vec<u8>, length: u64) -> Option<Vec<u8>> {
    bytes.truncate(usize::try_from(length).unwrap_or(usize::MAX));
    Some(bytes)
}

fn little_endian_words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// The records of a stream: each with its kind and its content.
fn iterate_biff_records(mut stream: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let (kind, length) = (u16_at(stream, 0)?, u16_at(stream, 2)?);
        let content = stream.get(4..4 + usize::from(length))?;
        stream = stream.get(4 + usize::from(length)..)?;
        Some((kind, content))
    })
}

const END: u16 = 0x000a;

/// Where the records of each sheet begin.
fn find_sheet_starts(stream: &[u8]) -> Result<Vec<u32>, Fault> {
    let mut sheets = Vec::new();
    for (kind, content) in iterate_biff_records(stream).take_while(|(kind, _)| *kind != END) {
        match kind {
            0x002f if u16_at(content, 0) != Some(0) => return Err(Fault::new(LOCKED)),
            0x0085 => sheets.push(u32_at(content, 0).ok_or_else(damaged_workbook_fault)?),
            _ => {}
        }
    }
    Ok(sheets)
}

/// How many cells a sheet has from its first to its last. Notes its formulas.
fn count_sheet_cells(sheet: &[u8], formulas: &mut SheetFormulas) -> Result<u64, Fault> {
    let (mut rows, mut columns) = (None, None);
    let mut widen = |row: u16, column: u16| {
        let grow = |bounds: &mut Option<(u16, u16)>, at: u16| {
            let (least, most) = bounds.unwrap_or((at, at));
            *bounds = Some((least.min(at), most.max(at)));
        };
        grow(&mut rows, row);
        grow(&mut columns, column);
        if column < COLUMNS_MAX { Ok(()) } else { Err(damaged_workbook_fault()) }
    };
    // Charts within a sheet have records of their own.
    let (mut depth, mut announced, mut has_end) = (0_u32, 0, false);
    for (kind, content) in iterate_biff_records(sheet) {
        let (first, second) = (u16_at(content, 0), u16_at(content, 2));
        if depth == 1 {
            formulas.note(kind, content);
        }
        match (kind, first, second) {
            (0x0809, ..) => depth += 1,
            (END, ..) => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    has_end = true;
                    break;
                }
            }
            // Cells: formulas, numbers, texts, truth values.
            (0x0006 | 0x0203 | 0x0204 | 0x0205 | 0x00d6 | 0x00fd | 0x027e, Some(row), Some(column)) => {
                widen(row, column)?;
            }
            // Several numbers in one row.
            (0x00bd, Some(row), Some(column)) => {
                widen(row, column)?;
                let last = content.len().checked_sub(2).and_then(|at| u16_at(content, at));
                widen(row, last.filter(|last| *last >= column).ok_or_else(damaged_workbook_fault)?)?;
            }
            // The extent that the file claims, for which the library makes room.
            (0x0200, ..) => announced = claimed_cell_count(content).ok_or_else(damaged_workbook_fault)?.max(announced),
            _ => {}
        }
    }
    if !has_end {
        return Err(damaged_workbook_fault());
    }
    let span = |bounds: Option<(u16, u16)>| bounds.map_or(0, |(least, most)| u64::from(most - least) + 1);
    Ok(announced.max(span(rows) * span(columns)))
}

/// The number of cells for which the library makes room. It counts on past the largest number where a sheet ends before
/// it begins; `None` then.
fn claimed_cell_count(content: &[u8]) -> Option<u64> {
    let (first_row, end_row, columns) = match content.len() {
        10 => (u16_at(content, 0)?.into(), u16_at(content, 2)?.into(), 4),
        _ => (u32_at(content, 0)?, u32_at(content, 4)?, 8),
    };
    let (first, end) = (u16_at(content, columns)?, u16_at(content, columns + 2)?);
    let first = if first >= COLUMNS_MAX || end < first { 0 } else { first };
    if end_row == 0 || end == 0 {
        return Some(0);
    }
    let rows = u64::from(end_row.checked_sub(first_row)?);
    Some(rows.max(1) * u64::from(end.checked_sub(first)?).max(1))
}
