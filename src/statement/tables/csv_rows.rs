//! Streams the rows of a CSV table. Must not know what a row means beyond its customer.

use std::io::{self, Read};

use crate::statement::base::error::Error;
use crate::statement::columns::collector::Places;
use crate::statement::normalize::cell::Cell;
use crate::statement::tables::csv_quotes;
use crate::statement::tables::read::{csv_error, next};
use crate::statement::tables::row_codec::pack_row;
use crate::statement::tables::row_mapper::RowMapper;
use crate::statement::tables::table_source::{Asked, Next, ROW_BYTES_MAX, SeenRow, Table, TableFormat, Take};
use crate::words::date::Zone;

/// How many bytes are buffered, and how many must be obsolete before they are discarded.
const KEPT_BYTES: usize = 1 << 16;

/// Keeps the last bytes read, so that a row's source text is available.
struct Kept<'r> {
    inner: &'r mut dyn Read,
    bytes: Vec<u8>,
    /// The offset of the first kept byte in the table.
    from: u64,
    begun: bool,
}

impl Read for Kept<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.bytes.len() > ROW_BYTES_MAX {
            return Err(io::Error::other("a row is longer than any row of a table; is a quote not closed?"));
        }
        let mut read = self.inner.read(into)?;
        if !self.begun && read > 0 {
            self.begun = true;
            // Some programs begin every file with a byte order mark, which is not part of the first column's name.
            while read < 3 {
                match self.inner.read(into.get_mut(read..).unwrap_or_default())? {
                    0 => break,
                    more => read += more,
                }
            }
            if into.starts_with(b"\xef\xbb\xbf") && read >= 3 {
                into.copy_within(3..read, 0);
                read -= 3;
                if read == 0 {
                    read = self.inner.read(into)?;
                }
            }
        }
        self.bytes.extend_from_slice(into.get(..read).unwrap_or_default());
        Ok(read)
    }
}

impl Kept<'_> {
    /// The text between two places.
    fn text(&self, from: u64, to: u64) -> &str {
        let at = |place: u64| usize::try_from(place.saturating_sub(self.from)).unwrap_or(usize::MAX);
        let bytes = self.bytes.get(at(from)..at(to).min(self.bytes.len())).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }

    /// Discards the bytes before this place, once there are enough of them.
    fn forget(&mut self, place: u64) {
        let gone = usize::try_from(place.saturating_sub(self.from)).unwrap_or_default();
        if gone >= KEPT_BYTES {
            self.bytes.drain(..gone.min(self.bytes.len()));
            self.from += gone as u64;
        }
    }
}

/// Whether the header has one of these columns. An unusual header is searched as raw bytes.
pub(crate) fn names_column(bytes: &mut dyn Read, names: &[&str]) -> bool {
    let kept = Kept { inner: bytes, bytes: Vec::new(), from: 0, begun: false };
    let mut source = csv::ReaderBuilder::new().buffer_capacity(KEPT_BYTES).from_reader(kept);
    let header = source.byte_headers().cloned();
    let is_odd = |column: &[u8]| column.iter().any(|byte| b"\0\"\r\n".contains(byte));
    match header {
        Ok(header) if header.len() > 1 && !header.iter().any(is_odd) => {
            header.iter().any(|column| names.iter().any(|name| column.trim_ascii() == name.as_bytes()))
        }
        // Other separators, unclosed quotes, or UTF-16: search whatever was read.
        _ => {
            let read = &source.get_ref().bytes;
            read.contains(&0) || names.iter().any(|name| memchr::memmem::find(read, name.as_bytes()).is_some())
        }
    }
}

/// The customer of the row before.
#[derive(Default)]
struct Last {
    cell: String,
    customer: String,
    /// Whether this customer's rows are not requested.
    is_passed_over: bool,
}

impl Last {
    fn set(&mut self, cell: &str, customer: &str, is_passed_over: bool) {
        for (slot, text) in [(&mut self.cell, cell), (&mut self.customer, customer)] {
            slot.clear();
            slot.push_str(text);
        }
        self.is_passed_over = is_passed_over;
    }
}

pub(crate) fn each(bytes: &mut dyn Read, asked: &Asked<'_>, take: &mut Take<'_>) -> Result<Table, Error> {
    let kept = Kept { inner: bytes, bytes: Vec::new(), from: 0, begun: false };
    let mut source = csv::ReaderBuilder::new().buffer_capacity(KEPT_BYTES).from_reader(kept);
    let header = source.headers().map_err(csv_error)?.clone();
    let mut from = source.position().byte();
    if header.is_empty() || header.iter().all(|name| name.trim().is_empty()) {
        return Err(Error::not_a_statement("the table is empty: it has no header"));
    }
    if let Some(what) = csv_quotes::fault(source.get_ref().text(0, from), |_, _| false) {
        return Err(Error::table(format!("the header: {what}")));
    }
    let mut names: Vec<&str> = header.iter().collect();
    let added = asked.added(&names);
    names.extend(added.iter().map(|(name, _)| name.as_str()));
    let mapper = RowMapper::new(asked.columns, &names)?;
    mapper.refuse_repeated_names(&names)?;
    let zone = Zone::parse("UTC");
    let row_in = |column: usize, line: &str| zone.as_ref().is_some_and(|zone| mapper.reads_as_row(column, line, zone));
    let mut record = csv::StringRecord::new();
    let (mut ordinal, mut packed, mut before) = (0_u32, Vec::new(), 0);
    // The customer may be a given column, which comes after those of the table.
    let customer_at = Some(mapper.customer_at()).filter(|at| *at < header.len());
    let mut last = Last::default();
    loop {
        let read = source.read_record(&mut record);
        let to = source.position().byte();
        let ended = matches!(read, Ok(false));
        // Only such a row can have swallowed others. The last row is checked once no other follows.
        let looked_at = if ended { Some((before, from)) } else { Some((from, to)) };
        let suspect = ended || read.is_err() || record.as_slice().contains(['\r', '\n']);
        if let Some((from, to)) = looked_at.filter(|_| suspect)
            && let Some(what) = csv_quotes::fault(source.get_ref().text(from, to), row_in)
        {
            let row = if ended { ordinal.saturating_sub(1) } else { ordinal };
            return Err(Error::table(format!("{}: {what}", Places::Rows.name(row))));
        }
        if !read.map_err(csv_error)? {
            break;
        }
        let cell = customer_at.and_then(|at| record.get(at)).unwrap_or_default();
        packed.clear();
        // In most tables a customer's rows are contiguous.
        if !last.is_passed_over || last.cell != cell {
            let given = added.iter().map(|(_, value)| Cell::Text(value));
            let cells: Vec<Cell<'_>> = record.iter().map(Cell::Text).chain(given).collect();
            let Some(customer) = mapper.customer_unless_skipped(&cells, &Places::Rows, ordinal)? else {
                (before, from) = (from, to);
                ordinal = next(ordinal)?;
                continue;
            };
            let is_wanted = (asked.rows)(&customer);
            if is_wanted {
                pack_row(&cells, |at| mapper.uses(at), &mut packed);
            }
            last.set(cell, &customer, !is_wanted);
        }
        if take(SeenRow { customer: &last.customer, ordinal, bytes: &packed, of_rows: None }) == Next::Stop {
            break;
        }
        (before, from) = (from, to);
        source.get_mut().forget(before);
        ordinal = next(ordinal)?;
    }
    Ok(Table::of_rows(asked.label, TableFormat::Csv, &names))
}
