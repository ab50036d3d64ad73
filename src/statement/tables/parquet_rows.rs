//! Streams the rows of a Parquet table block by block. Another thread decodes the next block while the rows of one are
//! passed on, as far as memory allows.

use std::io::SeekFrom;
use std::ops::Range;
use std::sync::mpsc::{Receiver, channel, sync_channel};
use std::thread;

use polars::prelude::PolarsResult;
use polars_arrow::bitmap::Bitmap;
use polars_buffer::Buffer;
use polars_parquet::read::{Filter, RowGroupMetadata};

use crate::statement::base::error::{Error, show_source_text};
use crate::statement::cells::cell::Cell;
use crate::statement::formats::table_format::TableFormat;
use crate::statement::rows::collector::Places;
use crate::statement::tables::parquet::{Content, decode_parquet_pages, find_column};
use crate::statement::tables::parquet_cells::Chunks;
use crate::statement::tables::parquet_pages::{Need, Pages, Stored, VALUE_BYTES};
use crate::statement::tables::parquet_schema::{Form, Leaf};
use crate::statement::tables::row_codec::{LOST, pack_row};
use crate::statement::tables::row_mapper::RowMapper;
use crate::statement::tables::table_source::{Next, ReadSeek, RowsRequest, SeenRow, Table, Take};
use crate::statement::tables::table_start::next_row_ordinal;

/// The most rows of a block, and its decoded bytes, estimated from the metadata of its row group. Neither depends on
/// the available memory, so a damaged page affects the same customers everywhere. Several blocks are decoded as one if
/// memory allows, and one by one if something is wrong with them.
const BLOCK_ROWS: u64 = 1 << 16;
const BLOCK_BYTES: u64 = 2 << 20;

/// Blocks that are decoded as one may take the memory for columns divided by this.
const TOGETHER_PART: u64 = 8;

pub(crate) fn each_parquet_row(
    file: &mut dyn ReadSeek,
    asked: &RowsRequest<'_>,
    take: &mut Take<'_>,
) -> Result<Table, Error> {
    let length = file.seek(SeekFrom::End(0)).map_err(Error::table)?;
    let content = Content::read(file)?;
    let mut names = content.names(asked.columns);
    let added = asked.added(&names);
    names.extend(added.iter().map(|(name, _)| name.as_str()));
    let mapper = RowMapper::new(asked.columns, &names)?;
    mapper.refuse_repeated_names(&names)?;
    let (given_back, free) = channel();
    let mut decoder = Decoder {
        file: (file, length),
        leaves: &content.leaves,
        mapper: &mapper,
        added: &added,
        asked,
        group: None,
        free,
        held: 0,
    };
    let all = content.groups.iter().map(|group| group.num_rows() as u64).fold(0, u64::saturating_add);
    let mut rows =
        RowFeed { mapper: &mapper, added: &added, ordinal: 0, all, packed: Vec::new(), customer: String::new() };
    let groups = content.groups.iter().enumerate();
    let mut blocks =
        groups.flat_map(|(number, group)| row_spans(number, group, &content.leaves, &mapper, asked.memory)).peekable();
    let mut first = blocks.next();
    // Most tables in a data lake have one block, which is not worth a thread.
    let is_only = blocks.peek().is_none() && first.as_ref().is_none_or(|first| first.is_block());
    let only = if is_only { first.take().map(|span| decoder.block(&span)) } else { None };
    let (send, receive) = sync_channel(0);
    thread::scope(|scope| {
        if first.is_some() {
            let decode = move || {
                for span in first.into_iter().chain(blocks) {
                    if !decoder.each_block(span, &mut |decoded| send.send(decoded).is_ok()) {
                        return;
                    }
                }
            };
            thread::Builder::new().spawn_scoped(scope, decode).map_err(Error::table)?;
        } else {
            drop(send);
        }
        for decoded in only.into_iter().chain(receive) {
            let block = decoded?;
            if rows.block(&block, take)? == Next::Stop {
                break;
            }
            let bytes = block.bytes;
            drop(block);
            // The receiver is gone once all is decoded.
            let _ = given_back.send(bytes);
        }
        // The decoder no longer waits for memory.
        drop(given_back);
        Ok::<(), Error>(())
    })?;
    Ok(Table::of_rows(asked.label, TableFormat::Parquet, &names))
}

/// Some rows of the row group with this number.
struct RowSpan<'a> {
    number: usize,
    group: &'a RowGroupMetadata,
    rows: Range<usize>,
    /// Rows of a block.
    step: usize,
}

impl RowSpan<'_> {
    fn is_block(&self) -> bool {
        self.rows.len() <= self.step
    }

    /// The blocks of these rows.
    fn blocks(&self) -> impl Iterator<Item = RowSpan<'_>> {
        let end = self.rows.end;
        self.rows.clone().step_by(self.step).map(move |from| {
            let rows = from..end.min(from.saturating_add(self.step));
            RowSpan { number: self.number, group: self.group, rows, step: self.step }
        })
    }
}

/// Cuts the rows of a group into spans of blocks that may be decoded as one.
fn row_spans<'a>(
    number: usize,
    group: &'a RowGroupMetadata,
    leaves: &[Leaf],
    mapper: &RowMapper<'_>,
    memory: u64,
) -> impl Iterator<Item = RowSpan<'a>> + use<'a> {
    let rows = group.num_rows();
    let read =
        leaves.iter().enumerate().filter(|(at, _)| mapper.uses(*at)).filter_map(|(_, leaf)| leaf.kind.as_ref().ok());
    let all: u64 = read
        .filter_map(|reads| group.parquet_columns().get(reads.at))
        .map(|part| u64::try_from(part.uncompressed_size()).unwrap_or_default() / (rows as u64).max(1) + VALUE_BYTES)
        .fold(0, u64::saturating_add);
    let step = (BLOCK_BYTES / all.max(1)).clamp(1, BLOCK_ROWS);
    let blocks = (memory / TOGETHER_PART / BLOCK_BYTES).min(BLOCK_ROWS / step).max(1);
    let (step, most) = (step as usize, (step * blocks) as usize);
    (0..rows).step_by(most).map(move |from| RowSpan {
        number,
        group,
        rows: from..rows.min(from.saturating_add(most)),
        step,
    })
}

/// Some rows, column by column: the customers of all, and the cells of the wanted ones.
struct Block {
    rows: usize,
    customers: Option<Chunks>,
    /// The wanted rows. `None` if all are.
    wanted: Option<Bitmap>,
    /// The columns of the wanted rows.
    columns: Vec<Option<Chunks>>,
    /// Why only the customers could be read.
    lost: Option<String>,
    /// Memory that it takes.
    bytes: u64,
}

struct Decoder<'a> {
    file: (&'a mut dyn ReadSeek, u64),
    leaves: &'a [Leaf],
    mapper: &'a RowMapper<'a>,
    added: &'a [&'a (String, String)],
    asked: &'a RowsRequest<'a>,
    /// The number of the current row group, and the pages of each column that was needed.
    group: Option<(usize, Vec<Option<Pages>>)>,
    /// Receives the bytes of blocks that were released.
    free: Receiver<u64>,
    /// The bytes of the blocks that were not.
    held: u64,
}

impl Decoder<'_> {
    /// Passes on these rows as one block, or block by block if something is wrong with them. False if decoding should
    /// stop.
    fn each_block(&mut self, span: RowSpan<'_>, give: &mut dyn FnMut(Result<Block, Error>) -> bool) -> bool {
        let decoded = self.block(&span);
        if !span.is_block() && decoded.as_ref().map_or_else(Error::is_memory, |block| block.lost.is_some()) {
            self.held -= decoded.map_or(0, |block| block.bytes);
            return span.blocks().all(|block| self.each_block(block, give));
        }
        let goes_on = decoded.is_ok();
        give(decoded) && goes_on
    }

    fn block(&mut self, span: &RowSpan<'_>) -> Result<Block, Error> {
        if self.group.as_ref().is_none_or(|(number, _)| *number != span.number) {
            self.group = Some((span.number, self.leaves.iter().map(|_| None).collect()));
        }
        let (rows, customer_at) = (span.rows.len(), self.mapper.customer_at());
        // The customer may be a given column, which comes after those of the table.
        let own = Some(customer_at).filter(|at| *at < self.leaves.len());
        let need = own.map(|at| self.need(span, at)).transpose()?;
        let mut bytes = need.map_or(0, |need| need.held);
        self.wait_for_memory(span, need.map_or(0, |need| need.reading + need.held))?;
        let customers = own.map(|at| self.column(span, at, None)).transpose()?;
        let wanted = self.wanted(customers.as_ref(), rows);
        let some = wanted.as_ref().filter(|wanted| wanted.unset_bits() > 0).cloned();
        let others = || (0..self.leaves.len()).filter(|at| self.mapper.uses(*at) && Some(*at) != own);
        let others: Vec<usize> =
            if wanted.is_some_and(|wanted| wanted.set_bits() == 0) { Vec::new() } else { others().collect() };
        let mut columns: Vec<Option<Chunks>> = self.leaves.iter().map(|_| None).collect();
        let lost = match self.others(span, &others, some.as_ref(), &mut columns) {
            Ok(more) => {
                bytes += more;
                None
            }
            Err(wrong @ Error::Memory { .. }) => return Err(wrong),
            // The customers are known, because their column could be read.
            Err(wrong) => Some(wrong.describe()),
        };
        self.held += bytes;
        Ok(Block { rows, customers, wanted: some, columns, lost, bytes })
    }

    /// Decodes columns, and returns how many bytes they take.
    fn others(
        &mut self,
        span: &RowSpan<'_>,
        others: &[usize],
        some: Option<&Bitmap>,
        columns: &mut [Option<Chunks>],
    ) -> Result<u64, Error> {
        let needs = others.iter().map(|at| self.need(span, *at)).collect::<Result<Vec<Need>, _>>()?;
        let held = needs.iter().map(|need| need.held).fold(0, u64::saturating_add);
        let reading = needs.iter().map(|need| need.reading).max().unwrap_or_default();
        self.wait_for_memory(span, held.saturating_add(reading))?;
        for at in others {
            let column = self.column(span, *at, some)?;
            if let Some(slot) = columns.get_mut(*at) {
                *slot = Some(column);
            }
        }
        Ok(held)
    }

    /// The wanted rows. `None` if all are.
    fn wanted(&self, customers: Option<&Chunks>, rows: usize) -> Option<Bitmap> {
        let nobody = vec![Cell::Null; self.leaves.len()];
        let given = self.added.iter().map(|(_, value)| Cell::Text(value));
        let mut cells: Vec<Cell<'_>> = nobody.into_iter().chain(given).collect();
        let at = self.mapper.customer_at();
        // A customer that cannot be read is reported when the rows are passed on, unless `skip` reads that they are no
        // records.
        let may_skip = self.mapper.columns.skip.is_some();
        let is_wanted = |cells: &[Cell<'_>]| match self.mapper.customer(cells, &Places::Rows, 0) {
            Ok(customer) => (self.asked.rows)(&customer),
            Err(_) => may_skip,
        };
        let Some(customers) = customers else {
            return (!is_wanted(&cells)).then(|| Bitmap::new_zeroed(rows));
        };
        let (mut last, mut last_wanted) = (Cell::Null, None);
        let wanted: Bitmap = (0..rows)
            .map(|row| {
                let customer = customers.cell(row);
                match last_wanted.filter(|_| same_text(&customer, &last)) {
                    Some(is_wanted) => is_wanted,
                    None => {
                        // There is a cell for each of the table's columns and each given one.
                        *cells.get_mut(at).expect("INVARIANT: the customer's column has a cell") = customer;
                        last = customer;
                        *last_wanted.insert(is_wanted(&cells))
                    }
                }
            })
            .collect();
        (wanted.unset_bits() > 0).then_some(wanted)
    }

    /// Advances to the pages of a column, and returns the memory to read and hold them.
    fn need(&mut self, span: &RowSpan<'_>, at: usize) -> Result<Need, Error> {
        let nothing = Need { reading: 0, held: 0 };
        let Some(leaf) = self.leaves.get(at) else { return Ok(nothing) };
        let (reads, part) = find_column(span.group, leaf)?;
        if reads.form == Form::Nothing {
            return Ok(Need { held: span.rows.len() as u64 * VALUE_BYTES, ..nothing });
        }
        let pages = self.group.as_mut().and_then(|(_, pages)| pages.get_mut(at));
        let Some(pages) = pages.map(|pages| pages.get_or_insert_with(|| Pages::new(part, span.group.num_rows())))
        else {
            return Ok(nothing);
        };
        let (file, length) = &mut self.file;
        pages
            .go_to(&span.rows, &mut |chunk| fetch_column_bytes(*file, *length, chunk))
            .map_err(|wrong| damaged_column_error(&wrong, leaf))
    }

    /// Decodes all or some rows of a column, after [`Decoder::need`] has advanced to its pages.
    fn column(&mut self, span: &RowSpan<'_>, at: usize, some: Option<&Bitmap>) -> Result<Chunks, Error> {
        let wanted = some.map_or(span.rows.len(), Bitmap::set_bits);
        let pages = self.group.as_ref().and_then(|(_, pages)| pages.get(at)).and_then(Option::as_ref);
        let leaf = self.leaves.get(at).ok_or_else(|| Error::table("no such column"))?;
        let Some(pages) = pages else { return Ok(Chunks::nothing(wanted)) };
        let (file, length) = &mut self.file;
        let Stored { bytes, rows } = pages
            .read(&span.rows, &mut |chunk| fetch_column_bytes(*file, *length, chunk))
            .map_err(|wrong| damaged_column_error(&wrong, leaf))?;
        let from = span.rows.start - rows.start;
        let filter = match some {
            None => Filter::Range(from..from + span.rows.len()),
            Some(some) => {
                let behind = rows.end.saturating_sub(span.rows.end);
                let nothing = |rows: usize| std::iter::repeat_n(false, rows);
                Filter::Mask(nothing(from).chain(some.iter()).chain(nothing(behind)).collect())
            }
        };
        let decoded =
            decode_parquet_pages(bytes, find_column(span.group, leaf)?, rows.len(), Some(filter), &leaf.name)?;
        Ok(if pages.is_loose(&span.rows) { decoded.compact() } else { decoded })
    }

    /// Waits until earlier blocks are released, if all together would take too much memory.
    fn wait_for_memory(&mut self, span: &RowSpan<'_>, bytes: u64) -> Result<(), Error> {
        if bytes > self.asked.memory {
            let (number, from, to) = (span.number + 1, span.rows.start + 1, span.rows.end);
            let what = format!("row group {number}: to decode its rows {from} to {to}");
            return Err(Error::Memory { what, bytes });
        }
        // Half of the memory is left free, because the allocator keeps memory per thread.
        while self.held > 0 && self.held.saturating_add(bytes) > self.asked.memory / 2 {
            let Ok(gone) = self.free.recv() else { break };
            self.held = self.held.saturating_sub(gone);
        }
        Ok(())
    }
}

/// Whether two cells are the same text.
fn same_text(one: &Cell<'_>, other: &Cell<'_>) -> bool {
    matches!((one, other), (Cell::Text(one), Cell::Text(other)) if one == other)
}

fn damaged_column_error(wrong: &Error, leaf: &Leaf) -> Error {
    Error::table(format!(
        "as Parquet: the file is damaged: column `{}`: {}",
        show_source_text(&leaf.name),
        wrong.describe()
    ))
}

struct RowFeed<'a> {
    mapper: &'a RowMapper<'a>,
    added: &'a [&'a (String, String)],
    ordinal: u32,
    /// The number of rows of the table.
    all: u64,
    packed: Vec<u8>,
    /// The customer of the row before.
    customer: String,
}

impl RowFeed<'_> {
    fn block(&mut self, block: &Block, take: &mut Take<'_>) -> Result<Next, Error> {
        let mut cells = Vec::with_capacity(block.columns.len() + self.added.len());
        let (customer_at, mut wanted_before, mut last) = (self.mapper.customer_at(), 0, None);
        for row in 0..block.rows {
            let customer = block.customers.as_ref().map_or(Cell::Null, |customers| customers.cell(row));
            let is_wanted = block.wanted.as_ref().is_none_or(|wanted| wanted.get_bit(row));
            if is_wanted || !last.is_some_and(|last| same_text(&customer, &last)) {
                cells.clear();
                let place = if is_wanted { wanted_before } else { usize::MAX };
                let columns = block.columns.iter().map(Option::as_ref);
                cells.extend(columns.map(|column| column.map_or(Cell::Null, |column| column.cell(place))));
                // A given customer is added with the given columns.
                if let Some(cell) = cells.get_mut(customer_at) {
                    *cell = customer;
                }
                cells.extend(self.added.iter().map(|(_, value)| Cell::Text(value)));
            }
            wanted_before += usize::from(is_wanted);
            if !last.is_some_and(|last| same_text(&customer, &last)) {
                let Some(name) = self.mapper.customer_unless_skipped(&cells, &Places::Rows, self.ordinal)? else {
                    self.ordinal = next_row_ordinal(self.ordinal)?;
                    last = None;
                    continue;
                };
                self.customer.clear();
                self.customer.push_str(&name);
            }
            last = Some(customer);
            self.packed.clear();
            match &block.lost {
                _ if !is_wanted => {}
                None => pack_row(&cells, |at| self.mapper.uses(at), &mut self.packed),
                Some(what) => {
                    self.packed.push(LOST);
                    self.packed.extend_from_slice(what.as_bytes());
                }
            }
            let ordinal = self.ordinal;
            self.ordinal = next_row_ordinal(ordinal)?;
            if take(SeenRow { customer: &self.customer, ordinal, bytes: &self.packed, of_rows: Some(self.all) })
                == Next::Stop
            {
                return Ok(Next::Stop);
            }
        }
        Ok(Next::Row)
    }
}

/// Reads these bytes of a file of this length.
pub(crate) fn fetch_column_bytes(file: &mut dyn ReadSeek, length: u64, chunk: Range<u64>) -> PolarsResult<Buffer<u8>> {
    if chunk.start > chunk.end || chunk.end > length {
        polars::prelude::polars_bail!(ComputeError: "a column lies beyond the file's end");
    }
    let mut bytes = vec![0; (chunk.end - chunk.start) as usize];
    file.seek(SeekFrom::Start(chunk.start))?;
    file.read_exact(&mut bytes)?;
    Ok(Buffer::from(bytes))
}
