//! Traverses the pages of one column of a row group, from the first to the last. A page's header gives its size before
//! it is read, and a page without a requested row is not read at all.

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
use crate::statement::tables::parquet::{FetchColumn, catch_parquet_panic};

/// A size into which nearly every page's header fits, and one that none exceeds.
const HEADER_BYTES: (u64, u64) = (1 << 10, 16 << 20);

/// Delta-encoded texts omit what they share with the one before. Decoded, they are assumed to be this many times
/// larger.
const SHARED_BEGINNINGS: u64 = 8;

/// The memory of a value beside the bytes of a text: the widest number, or the view of a text, and whether it is null.
pub(crate) const VALUE_BYTES: u64 = 17;

/// The pages of a column, as far as they were traversed.
pub(crate) struct Pages {
    /// The offset of the next header in the file, and the column's end.
    at: u64,
    end: u64,
    rows: usize,
    is_packed: bool,
    /// Whether values are texts, whose bytes remain in memory.
    is_text: bool,
    /// The first row after the known pages.
    row: usize,
    seen: u32,
    dictionary: Option<DescribedPage>,
    /// Pages that may hold rows to come.
    known: VecDeque<DescribedPage>,
    /// Whether pages have checksums.
    checked: Option<bool>,
    /// Why nothing after the known pages can be read.
    broken: Option<Error>,
}

/// A page, as its header describes it.
struct DescribedPage {
    number: u32,
    /// Where the header and the content are in the file, and how long the header is.
    bytes: Range<u64>,
    header: u64,
    rows: Range<usize>,
    /// The bytes of the unpacked page, and of its values' texts.
    unpacked: u64,
    texts: u64,
    crc: Option<u32>,
}

/// The memory needed to read some rows of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Need {
    /// Only while reading.
    pub(crate) reading: u64,
    /// From then on.
    pub(crate) held: u64,
}

/// The pages that hold some rows, after the dictionary if there is one, and the rows of these pages.
pub(crate) struct Stored {
    pub(crate) bytes: Buffer<u8>,
    pub(crate) rows: Range<usize>,
}

impl Pages {
    /// The pages of a column of a row group with this number of rows.
    pub(crate) fn new(part: &ColumnChunkMetadata, rows: usize) -> Pages {
        let Range { start: at, end } = part.byte_range();
        let is_packed = part.compressed_size() != part.uncompressed_size();
        let kind = part.descriptor().descriptor.primitive_type.physical_type;
        let is_text = matches!(kind, PhysicalType::ByteArray | PhysicalType::FixedLenByteArray(_));
        let (dictionary, known, checked, broken) = (None, VecDeque::new(), None, None);
        Pages { at, end, rows, is_packed, is_text, row: 0, seen: 0, dictionary, known, checked, broken }
    }

    /// Advances to the pages of these rows, which must come after those of the last call. Returns the memory to read
    /// them.
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
        let stored: u64 = self.pages(rows).chain(dictionary).map(DescribedPage::stored).sum();
        let largest = self.pages(rows).map(|page| page.unpacked).max().unwrap_or_default();
        let of_dictionary = dictionary.map_or(0, |page| page.unpacked);
        let dictionary_values = dictionary.map_or(0, |page| page.rows.len() as u64 * VALUE_BYTES);
        let unpacked = if self.is_packed { largest + of_dictionary } else { 0 };
        let (texts, share) = self.texts(rows);
        let (reading, texts) = if self.is_loose(rows) { (texts, share) } else { (0, texts) };
        let held = rows.len() as u64 * VALUE_BYTES + texts + of_dictionary + dictionary_values;
        Need { reading: stored + unpacked + reading, held }
    }

    /// The bytes of the texts in all pages of these rows, and of the rows alone.
    fn texts(&self, rows: &Range<usize>) -> (u64, u64) {
        let pages = || self.pages(rows).filter(|_| self.is_text);
        (pages().map(|page| page.texts).sum(), pages().map(|page| page.share(rows)).sum())
    }

    /// Whether decoding the texts of these rows takes much more memory than they need, because they are only a small
    /// part of their pages.
    pub(crate) fn is_loose(&self, rows: &Range<usize>) -> bool {
        let (texts, share) = self.texts(rows);
        self.dictionary.is_none() && texts / 2 > share
    }

    /// The known pages of these rows.
    fn pages(&self, rows: &Range<usize>) -> impl Iterator<Item = &DescribedPage> {
        self.known.iter().filter(|page| page.rows.start < rows.end && page.rows.end > rows.start)
    }

    /// Reads the pages of rows to which [`Pages::go_to`] has advanced, and verifies their checksums.
    pub(crate) fn read(&self, rows: &Range<usize>, fetch: &mut FetchColumn<'_>) -> Result<Stored, Error> {
        let stored: u64 = self.pages(rows).chain(&self.dictionary).map(DescribedPage::stored).sum();
        let mut all = Vec::new();
        for page in self.dictionary.iter().chain(self.pages(rows)) {
            let bytes = catch_parquet_panic(|| fetch(page.bytes.clone()))?;
            let content = usize::try_from(page.header).ok().and_then(|header| bytes.get(header..)).unwrap_or_default();
            let mut crc = Crc::new();
            if page.crc.is_some() {
                crc.update(content);
            }
            if page.crc.is_some_and(|written| written != crc.sum()) {
                let what = format!("page {} does not match the checksum that was written with it", page.number);
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

    /// The next page with values. Keeps the dictionary, which comes first.
    fn next(&mut self, fetch: &mut FetchColumn<'_>) -> Result<DescribedPage, Error> {
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
            let (unpacked, texts) = unpacked_page_sizes(&header)
                .ok_or_else(|| Error::table(format!("page {} has a size below 0", self.seen)))?;
            let page = |rows| DescribedPage { number: self.seen, bytes, header: length, rows, unpacked, texts, crc };
            if let Some(dictionary) = &header.dictionary_page_header {
                let values = usize::try_from(dictionary.num_values).unwrap_or_default();
                self.dictionary = Some(page(0..values));
                continue;
            }
            // Other kinds of pages hold no values.
            let Some(values) = count_page_values(&header) else { continue };
            let rows = self.row..self.row.saturating_add(values);
            if rows.end > self.rows {
                return Err(Error::table(format!("its pages hold {} values of {}", rows.end, self.rows)));
            }
            self.row = rows.end;
            return Ok(page(rows));
        }
    }

    /// The next header, and its length.
    fn header(&self, fetch: &mut FetchColumn<'_>) -> Result<(PageHeader, u64), Error> {
        let mut most = HEADER_BYTES.0;
        loop {
            let to = self.at.saturating_add(most).min(self.end);
            let bytes = catch_parquet_panic(|| fetch(self.at..to))?;
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

impl DescribedPage {
    fn stored(&self) -> u64 {
        self.bytes.end - self.bytes.start
    }

    /// The bytes of its texts that belong to some rows, as if all texts had the same length.
    fn share(&self, rows: &Range<usize>) -> u64 {
        let own = self.rows.end.min(rows.end).saturating_sub(self.rows.start.max(rows.start));
        let share = u128::from(self.texts) * own as u128 / (self.rows.len() as u128).max(1);
        u64::try_from(share).unwrap_or(u64::MAX)
    }
}

/// The number of values of a page. `None` if the page holds no values, or if the number is negative.
fn count_page_values(header: &PageHeader) -> Option<usize> {
    let values = match (&header.data_page_header, &header.data_page_header_v2) {
        (Some(page), _) => page.num_values,
        (None, Some(page)) => page.num_values,
        (None, None) => return None,
    };
    usize::try_from(values).ok()
}

/// The bytes of an unpacked page, and of its values' texts. `None` if the size is negative.
fn unpacked_page_sizes(header: &PageHeader) -> Option<(u64, u64)> {
    let unpacked = u64::try_from(header.uncompressed_page_size).ok()?;
    let encoding = match (&header.data_page_header, &header.data_page_header_v2) {
        (Some(page), _) => Some(page.encoding),
        (None, page) => page.as_ref().map(|page| page.encoding),
    };
    let times = if encoding == Some(Encoding::DELTA_BYTE_ARRAY) { SHARED_BEGINNINGS } else { 1 };
    Some((unpacked, unpacked.saturating_mul(times)))
}
