//! The rows of a Parquet table, a stretch of a row group at a time: one is decoded by another thread while the one before is handed on. Must not know
//! what a row means beyond its customer.

use std::io::SeekFrom;
use std::ops::Range;
use std::sync::mpsc::sync_channel;
use std::thread;

use polars::prelude::PolarsResult;
use polars_buffer::Buffer;
use polars_parquet::read::RowGroupMetadata;

use crate::statement::cell::Cell;
use crate::statement::error::Error;
use crate::statement::intake::Places;
use crate::statement::parquet::{Content, read_group};
use crate::statement::parquet_cells::Chunks;
use crate::statement::parquet_schema::Leaf;
use crate::statement::rows_read::{Asked, LOST, Next, ReadSeek, SeenRow, Table, Take, no_name_twice, pack_row};
use crate::statement::sheet::Sheet;
use crate::statement::table::next;

/// Rows whose columns are held at once: those of a large row group are read in several stretches.
const STRETCH_ROWS: usize = 1 << 16;

pub(crate) fn each(file: &mut dyn ReadSeek, asked: &Asked<'_>, take: &mut Take<'_>) -> Result<Table, Error> {
    let length = file.seek(SeekFrom::End(0)).map_err(Error::table)?;
    let content = Content::of(file)?;
    let mut names = content.names(asked.columns);
    let added = asked.added(&names);
    names.extend(added.iter().map(|(name, _)| name.as_str()));
    let sheet = Sheet::new(asked.columns, &names)?;
    no_name_twice(&names, &sheet)?;
    let mut decoder = Decoder { file, length, leaves: &content.leaves, sheet: &sheet, all: asked.rows };
    let mut rows = Rows { sheet: &sheet, added, asked, ordinal: 0, packed: Vec::new() };
    let mut stretches = content.groups.iter().flat_map(|group| {
        let stretches = (0..group.num_rows()).step_by(STRETCH_ROWS);
        stretches.map(move |from| (group, from..group.num_rows().min(from + STRETCH_ROWS)))
    });
    let first = stretches.next().map(|(group, stretch)| decoder.stretch(group, stretch)).transpose()?;
    let (send, receive) = sync_channel(0);
    thread::scope(|scope| {
        let mut behind = stretches.peekable();
        // Most tables of a lake have one stretch, which is not worth a thread.
        if behind.peek().is_some() {
            let decode = move || {
                for (group, stretch) in behind {
                    let decoded = decoder.stretch(group, stretch);
                    let is_last = decoded.is_err();
                    if send.send(decoded).is_err() || is_last {
                        return;
                    }
                }
            };
            thread::Builder::new().spawn_scoped(scope, decode).map_err(Error::table)?;
        } else {
            drop(send);
        }
        for decoded in first.map(Ok).into_iter().chain(receive) {
            if rows.stretch(&decoded?, take)? == Next::Stop {
                break;
            }
        }
        Ok::<(), Error>(())
    })?;
    Ok(Table::of_rows(asked.label, &names))
}

/// Some rows, column by column.
struct Stretch {
    rows: usize,
    columns: Vec<Option<Chunks>>,
    /// Why there is no more than whose they are.
    lost: Option<String>,
}

struct Decoder<'a> {
    file: &'a mut dyn ReadSeek,
    length: u64,
    leaves: &'a [Leaf],
    sheet: &'a Sheet<'a>,
    /// Whether more is asked for than whose the rows are.
    all: bool,
}

impl Decoder<'_> {
    fn stretch(&mut self, group: &RowGroupMetadata, stretch: Range<usize>) -> Result<Stretch, Error> {
        let mut fetch = |chunk: Range<u64>| fetch(self.file, self.length, chunk);
        let customer_at = self.sheet.customer_at();
        let rows = stretch.len();
        // A stretch that is a whole row group is read without counting.
        let some = (rows < group.num_rows()).then_some(stretch);
        let whose = |at: usize| Some(at) == customer_at;
        let all = |at: usize| self.sheet.uses(at);
        let wanted: &dyn Fn(usize) -> bool = if self.all { &all } else { &whose };
        let (columns, lost) = match read_group(&mut fetch, group, self.leaves, wanted, some.clone()) {
            Ok(columns) => (columns, None),
            // Whose the rows are is known as long as that column can be read.
            Err(wrong) => (read_group(&mut fetch, group, self.leaves, &whose, some)?, Some(wrong.told())),
        };
        Ok(Stretch { rows, columns, lost })
    }
}

struct Rows<'a> {
    sheet: &'a Sheet<'a>,
    added: Vec<&'a (String, String)>,
    asked: &'a Asked<'a>,
    ordinal: u32,
    packed: Vec<u8>,
}

impl Rows<'_> {
    fn stretch(&mut self, stretch: &Stretch, take: &mut Take<'_>) -> Result<Next, Error> {
        let mut cells = Vec::with_capacity(stretch.columns.len() + self.added.len());
        let columns = || stretch.columns.iter().map(Option::as_ref);
        for row in 0..stretch.rows {
            cells.clear();
            cells.extend(columns().map(|column| column.map_or(Cell::Null, |column| column.cell(row))));
            cells.extend(self.added.iter().map(|(_, value)| Cell::Text(value)));
            if self.row(&cells, stretch.lost.as_deref(), take)? == Next::Stop {
                return Ok(Next::Stop);
            }
        }
        Ok(Next::Row)
    }

    fn row(&mut self, cells: &[Cell<'_>], lost: Option<&str>, take: &mut Take<'_>) -> Result<Next, Error> {
        let customer = self.sheet.customer(cells, &Places::Rows, self.ordinal)?;
        match lost {
            _ if !self.asked.rows => {}
            None => pack_row(cells, self.sheet, &mut self.packed),
            Some(what) => {
                self.packed.clear();
                self.packed.push(LOST);
                self.packed.extend_from_slice(what.as_bytes());
            }
        }
        let ordinal = self.ordinal;
        self.ordinal = next(ordinal)?;
        Ok(take(SeenRow { customer: &customer, ordinal, bytes: &self.packed }))
    }
}

/// These bytes of a file of this length.
pub(super) fn fetch(file: &mut dyn ReadSeek, length: u64, chunk: Range<u64>) -> PolarsResult<Buffer<u8>> {
    if chunk.start > chunk.end || chunk.end > length {
        polars::prelude::polars_bail!(ComputeError: "a column lies beyond the file's end");
    }
    let mut bytes = vec![0; (chunk.end - chunk.start) as usize];
    file.seek(SeekFrom::Start(chunk.start))?;
    file.read_exact(&mut bytes)?;
    Ok(Buffer::from(bytes))
}
