//! The pages of one column of a row group, gone through from the first to the last. What a page takes up is known by its header before it is read, and
//! a page without a row that is asked for is not read at all. Must not know what a page holds.

use std::collections::VecDeque;
use std::io::Cursor;
use std::ops::Range;

use flate2::Crc;
use polars_buffer::Buffer;
use polars_parquet::parquet::schema::types::PhysicalType;
use polars_parquet::read::ColumnChunkMetadata;
use polars_parquet_format::thrift::protocol::TCompactInputProtocol;
use polars_parquet_format::{Encoding, PageHeader};

use crate::statement::base::error::Error;
use crate::statement::tables::parquet::{FetchColumn, guarded};

/// Bytes that nearly every page's header fits into, and those that none exceeds.
const HEADER_BYTES: (u64, u64) = (1 << 10, 16 << 20);

/// Texts that are stored without what they share with the one before are taken to be so many times larger.
const SHARED_BEGINNINGS: u64 = 8;

/// What a value takes up beside the bytes of a text: the widest number, or where a text lies; and whether it is there.
pub(crate) const VALUE_BYTES: u64 = 17;

/// The pages of a column, as far as they were gone through.
pub(crate) struct Pages {
    /// The place of the next header in the file, and the column's end.
    at: u64,
    end: u64,
    rows: usize,
    is_packed: bool,
    /// Whether values are texts, whose bytes stay.
    is_text: bool,
    /// The first row behind the pages that are known.
    row: usize,
    seen: u32,
    dictionary: Option<Page>,
    /// Those that rows to come may stand in.
    known: VecDeque<Page>,
    /// Whether pages have checksums.
    checked: Option<bool>,
    /// Why nothing behind the pages that are known can be read.
    broken: Option<Error>,
}

/// A page as its header tells of it.
struct Page {
    number: u32,
    /// Where the header and what is stored lie in the file, and how long the header is.
    bytes: Range<u64>,
    header: u64,
    rows: Range<usize>,
    /// Bytes once it is unpacked, and of its values' texts.
    unpacked: u64,
    texts: u64,
    crc: Option<u32>,
}

/// Memory that reading some rows of a column takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Need {
    /// While it is read.
    pub(crate) reading: u64,
    /// From then on.
    pub(crate) held: u64,
}

/// The pages that some rows stand in, behind the dictionary if there is one, and the rows of these pages.
pub(crate) struct Stored {
    pub(crate) bytes: Buffer<u8>,
    pub(crate) rows: Range<usize>,
}

impl Pages {
    /// Those of a column of a row group with so many rows.
    pub(crate) fn new(part: &ColumnChunkMetadata, rows: usize) -> Pages {
        let Range { start: at, end } = part.byte_range();
        let is_packed = part.compressed_size() != part.uncompressed_size();
        let kind = part.descriptor().descriptor.primitive_type.physical_type;
        let is_text = matches!(kind, PhysicalType::ByteArray | PhysicalType::FixedLenByteArray(_));
        let (dictionary, known, checked, broken) = (None, VecDeque::new(), None, None);
        Pages { at, end, rows, is_packed, is_text, row: 0, seen: 0, dictionary, known, checked, broken }
    }

    /// Goes on to the pages of these rows, which come behind those that were asked for before, and says what reading them takes.
    pub(crate) fn go_to(&mut self, rows: &Range<usize>, fetch: &mut FetchColumn<'_>) -> Result<Need, Error> {
        while self.known.front().is_some_and(|page| page.rows.end <= rows.start) {
            self.known.pop_front();
        }
        while self.row < rows.end && self.broken.is_none() {
            match self.next(fetch) {
                Ok(page) if page.rows.end > rows.start => self.known.push_back(page),
                Ok(_) => {}
                Err(wrong) => self.broken = Some(wrong),
            }
        }
        match &self.broken {
            Some(wrong) if self.row < rows.end => Err(wrong.clone()),
            _ => Ok(self.need(rows)),
        }
    }

    fn need(&self, rows: &Range<usize>) -> Need {
        let dictionary = self.dictionary.as_ref();
        let stored: u64 = self.pages(rows).chain(dictionary).map(Page::stored).sum();
        let largest = self.pages(rows).map(|page| page.unpacked).max().unwrap_or_default();
        let of_dictionary = dictionary.map_or(0, |page| page.unpacked);
        let dictionary_values = dictionary.map_or(0, |page| page.rows.len() as u64 * VALUE_BYTES);
        let unpacked = if self.is_packed { largest + of_dictionary } else { 0 };
        let (texts, share) = self.texts(rows);
        let (reading, texts) = if self.is_loose(rows) { (texts, share) } else { (0, texts) };
        let held = rows.len() as u64 * VALUE_BYTES + texts + of_dictionary + dictionary_values;
        Need { reading: stored + unpacked + reading, held }
    }

    /// Bytes of the texts of all pages that these rows stand in, and of the rows alone.
    fn texts(&self, rows: &Range<usize>) -> (u64, u64) {
        let pages = || self.pages(rows).filter(|_| self.is_text);
        (pages().map(|page| page.texts).sum(), pages().map(|page| page.share(rows)).sum())
    }

    /// Whether the texts of these rows are decoded into much more room than they need, because they are few of their pages.
    pub(crate) fn is_loose(&self, rows: &Range<usize>) -> bool {
        let (texts, share) = self.texts(rows);
        self.dictionary.is_none() && texts / 2 > share
    }

    /// The known pages in which these rows stand.
    fn pages(&self, rows: &Range<usize>) -> impl Iterator<Item = &Page> {
        self.known.iter().filter(|page| page.rows.start < rows.end && page.rows.end > rows.start)
    }

    /// Reads the pages of rows that were gone to, and holds them against their checksums.
    pub(crate) fn read(&self, rows: &Range<usize>, fetch: &mut FetchColumn<'_>) -> Result<Stored, Error> {
        let stored: u64 = self.pages(rows).chain(&self.dictionary).map(Page::stored).sum();
        let mut all = Vec::new();
        for page in self.dictionary.iter().chain(self.pages(rows)) {
            let bytes = guarded(|| fetch(page.bytes.clone()))?;
            let content = usize::try_from(page.header).ok().and_then(|header| bytes.get(header..)).unwrap_or_default();
            let mut crc = Crc::new();
            if page.crc.is_some() {
                crc.update(content);
            }
            if page.crc.is_some_and(|written| written != crc.sum()) {
                let what = format!("page {} has not the checksum that was written with it", page.number);
                return Err(Error::table(what));
            }
            if self.dictionary.is_none() && bytes.len() as u64 == stored {
                return Ok(Stored { bytes, rows: page.rows.clone() });
            }
            all.reserve_exact(usize::try_from(stored).unwrap_or_default().saturating_sub(all.len()));
            all.extend_from_slice(&bytes);
        }
        let from = self.pages(rows).next().map_or(rows.start, |page| page.rows.start);
        let to = self.pages(rows).last().map_or(rows.end, |page| page.rows.end);
        Ok(Stored { bytes: Buffer::from(all), rows: from..to })
    }

    /// The next page with values. A dictionary, which comes first, is kept.
    fn next(&mut self, fetch: &mut FetchColumn<'_>) -> Result<Page, Error> {
        loop {
            if self.at >= self.end {
                return Err(Error::table(format!("its pages hold {} values of {}", self.row, self.rows)));
            }
            let (header, length) = self.header(fetch)?;
            self.seen += 1;
            let unfound = || Error::table(format!("page {} cannot be found", self.seen));
            let stored = u64::try_from(header.compressed_page_size).map_err(|_| unfound())?;
            let end = self.at.checked_add(length + stored).filter(|end| *end <= self.end).ok_or_else(unfound)?;
            let crc = header.crc.map(i32::cast_unsigned);
            if *self.checked.get_or_insert(crc.is_some()) != crc.is_some() {
                return Err(Error::table("some of its pages have a checksum and some have none"));
            }
            let bytes = std::mem::replace(&mut self.at, end)..end;
            let (unpacked, texts) =
                sizes(&header).ok_or_else(|| Error::table(format!("page {} has a size below 0", self.seen)))?;
            let page = |rows| Page { number: self.seen, bytes, header: length, rows, unpacked, texts, crc };
            if let Some(dictionary) = &header.dictionary_page_header {
                let values = usize::try_from(dictionary.num_values).unwrap_or_default();
                self.dictionary = Some(page(0..values));
                continue;
            }
            // Any other kind of page holds no values.
            let Some(values) = values(&header) else { continue };
            let rows = self.row..self.row.saturating_add(values);
            if rows.end > self.rows {
                return Err(Error::table(format!("its pages hold {} values of {}", rows.end, self.rows)));
            }
            self.row = rows.end;
            return Ok(page(rows));
        }
    }

    /// The header at the place that was reached, and its length.
    fn header(&self, fetch: &mut FetchColumn<'_>) -> Result<(PageHeader, u64), Error> {
        let mut most = HEADER_BYTES.0;
        loop {
            let to = self.at.saturating_add(most).min(self.end);
            let bytes = guarded(|| fetch(self.at..to))?;
            let mut cursor = Cursor::new(&bytes[..]);
            let mut protocol = TCompactInputProtocol::new(&mut cursor, bytes.len());
            if let Ok(header) = PageHeader::read_from_in_protocol(&mut protocol) {
                return Ok((header, cursor.position()));
            }
            if to == self.end || most >= HEADER_BYTES.1 {
                return Err(Error::table(format!("page {} cannot be found", self.seen + 1)));
            }
            most *= 8;
        }
    }
}

impl Page {
    fn stored(&self) -> u64 {
        self.bytes.end - self.bytes.start
    }

    /// The part of its texts that some rows have, as if all were of one length.
    fn share(&self, rows: &Range<usize>) -> u64 {
        let own = self.rows.end.min(rows.end).saturating_sub(self.rows.start.max(rows.start));
        let share = u128::from(self.texts) * own as u128 / (self.rows.len() as u128).max(1);
        u64::try_from(share).unwrap_or(u64::MAX)
    }
}

/// How many values a page of values has; nothing where it has none, or fewer than that.
fn values(header: &PageHeader) -> Option<usize> {
    let values = match (&header.data_page_header, &header.data_page_header_v2) {
        (Some(page), _) => page.num_values,
        (None, Some(page)) => page.num_values,
        (None, None) => return None,
    };
    usize::try_from(values).ok()
}

/// Bytes of a page that is unpacked, and of its values' texts; nothing where it says that these are less than none.
fn sizes(header: &PageHeader) -> Option<(u64, u64)> {
    let unpacked = u64::try_from(header.uncompressed_page_size).ok()?;
    let encoding = match (&header.data_page_header, &header.data_page_header_v2) {
        (Some(page), _) => Some(page.encoding),
        (None, page) => page.as_ref().map(|page| page.encoding),
    };
    let times = if encoding == Some(Encoding::DELTA_BYTE_ARRAY) { SHARED_BEGINNINGS } else { 1 };
    Some((unpacked, unpacked.saturating_mul(times)))
}
