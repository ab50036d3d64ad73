//! Rows put into the order of their customers in bounded memory: sorted runs on disk, merged as they are read. Must not know what a row holds.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};

use rayon::ThreadPool;
use rayon::prelude::*;

use crate::statement::Next;

/// Runs that are merged at once: each takes a buffer and an open file.
const RUNS_AT_ONCE: usize = 64;

const BUFFER_BYTES: usize = 1 << 17;

/// Bytes of the first run; each next one may have twice as many, so that sorting begins early and runs stay few.
const FIRST_RUN_BYTES: usize = 1 << 25;

/// Gathers rows and lays them down in sorted runs: one is sorted and written by other threads while the next is gathered.
pub(super) struct Sorter<'p> {
    folder: PathBuf,
    pool: &'p ThreadPool,
    /// Bytes of one run.
    room: usize,
    /// Bytes of one run at most.
    room_max: usize,
    gathered: Rows,
    laying: Option<Receiver<io::Result<Rows>>>,
    runs: Vec<PathBuf>,
    made: usize,
}

/// Rows that become a run.
#[derive(Default)]
struct Rows {
    bytes: Vec<u8>,
    rows: Vec<Row>,
}

#[derive(Clone, Copy)]
struct Row {
    from: usize,
    customer: u32,
    table: u32,
    ordinal: u32,
    length: u32,
}

/// A row as it comes back, in the order of customers, tables and places.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SortedRow {
    pub(super) customer: String,
    pub(super) table: u32,
    pub(super) ordinal: u32,
    pub(super) bytes: Vec<u8>,
}

impl<'p> Sorter<'p> {
    /// A sorter that holds at most `room` bytes and lays its runs down in `folder`, which it empties.
    pub(super) fn new(folder: &Path, room: u64, pool: &'p ThreadPool) -> io::Result<Sorter<'p>> {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        fs::create_dir_all(folder)?;
        // One half is gathered while the other is laid down.
        let room_max = usize::try_from(room / 2).unwrap_or(usize::MAX);
        Ok(Sorter {
            folder: folder.to_owned(),
            pool,
            room: FIRST_RUN_BYTES.min(room_max),
            room_max,
            gathered: Rows::default(),
            laying: None,
            runs: Vec::new(),
            made: 0,
        })
    }

    pub(super) fn push(&mut self, customer: &str, table: u32, ordinal: u32, bytes: &[u8]) -> io::Result<()> {
        let more = customer.len() + bytes.len();
        if !self.gathered.rows.is_empty() && self.gathered.held() + more + size_of::<Row>() > self.room {
            self.lay_down()?;
            self.room = self.room.saturating_mul(2).min(self.room_max);
        }
        let long = |length: usize| u32::try_from(length).map_err(|_| io::Error::other("a row is too long"));
        let (customer_length, length) = (long(customer.len())?, long(bytes.len())?);
        let held = &mut self.gathered;
        let from = held.bytes.len();
        if from + more > held.bytes.capacity() {
            // Doubled as ever, but not beyond the room there is.
            let wanted = (held.bytes.capacity() * 2).clamp(1 << 20, self.room.max(1 << 20));
            held.bytes.reserve_exact(wanted.saturating_sub(from).max(more));
        }
        held.bytes.extend_from_slice(customer.as_bytes());
        held.bytes.extend_from_slice(bytes);
        held.rows.push(Row { from, customer: customer_length, table, ordinal, length });
        Ok(())
    }

    /// Hands what was gathered to other threads, once they are done with what they had before.
    fn lay_down(&mut self) -> io::Result<()> {
        let emptied = self.laid_down()?;
        let mut rows = std::mem::replace(&mut self.gathered, emptied);
        let path = self.next_run();
        self.runs.push(path.clone());
        let (done, laying) = sync_channel(1);
        self.laying = Some(laying);
        self.pool.spawn(move || {
            let written = catch_unwind(AssertUnwindSafe(|| rows.lay_down(&path)))
                .unwrap_or_else(|_| Err(io::Error::other("sorting ended early")));
            // Nobody waits where the run has ended.
            let _ = done.send(written.map(|()| rows));
        });
        Ok(())
    }

    /// Waits for what other threads lay down; their room, emptied.
    fn laid_down(&mut self) -> io::Result<Rows> {
        match self.laying.take().map(|laying| laying.recv()) {
            None => Ok(Rows::default()),
            Some(Ok(laid)) => laid,
            Some(Err(_)) => Err(io::Error::other("sorting ended early")),
        }
    }

    fn next_run(&mut self) -> PathBuf {
        self.made += 1;
        self.folder.join(format!("run-{}", self.made - 1))
    }

    /// Lays down what is left, and merges until few runs remain.
    pub(super) fn finish(mut self) -> io::Result<Vec<PathBuf>> {
        if !self.gathered.rows.is_empty() {
            self.lay_down()?;
        }
        self.laid_down()?;
        self.gathered = Rows::default();
        while self.runs.len() > RUNS_AT_ONCE {
            let some: Vec<PathBuf> = self.runs.drain(..RUNS_AT_ONCE).collect();
            let path = self.next_run();
            let mut out = BufWriter::with_capacity(BUFFER_BYTES, File::create(&path)?);
            let mut written = Ok(());
            merge(&some, |row| {
                written = write(&mut out, row.customer.as_bytes(), row.table, row.ordinal, &row.bytes);
                if written.is_ok() { Next::Row } else { Next::Stop }
            })?;
            written?;
            out.flush()?;
            some.iter().try_for_each(fs::remove_file)?;
            self.runs.push(path);
        }
        Ok(std::mem::take(&mut self.runs))
    }
}

impl Drop for Sorter<'_> {
    /// Whoever takes up the folder next finds nobody writing in it.
    fn drop(&mut self) {
        let _ = self.laid_down();
    }
}

impl Rows {
    fn held(&self) -> usize {
        self.bytes.len() + self.rows.len() * size_of::<Row>()
    }

    /// Sorts them and writes them to a file; they are none then, and their room stays.
    fn lay_down(&mut self, path: &Path) -> io::Result<()> {
        let bytes = &self.bytes;
        let customer = |row: &Row| bytes.get(row.from..row.from + row.customer as usize).unwrap_or_default();
        let order = |left: &Row, right: &Row| {
            let key = |row: &Row| (row.table, row.ordinal);
            customer(left).cmp(customer(right)).then_with(|| key(left).cmp(&key(right)))
        };
        self.rows.par_sort_unstable_by(order);
        let mut out = BufWriter::with_capacity(BUFFER_BYTES, File::create(path)?);
        for row in &self.rows {
            let rest = row.from + row.customer as usize;
            let content = bytes.get(rest..rest + row.length as usize).unwrap_or_default();
            write(&mut out, customer(row), row.table, row.ordinal, content)?;
        }
        out.flush()?;
        self.bytes.clear();
        self.rows.clear();
        Ok(())
    }
}

fn write(out: &mut impl Write, customer: &[u8], table: u32, ordinal: u32, bytes: &[u8]) -> io::Result<()> {
    out.write_all(&(customer.len() as u32).to_le_bytes())?;
    out.write_all(&(bytes.len() as u32).to_le_bytes())?;
    out.write_all(&table.to_le_bytes())?;
    out.write_all(&ordinal.to_le_bytes())?;
    out.write_all(customer)?;
    out.write_all(bytes)
}

/// The next row of a run in the place of `row`; false at the run's end.
fn read(run: &mut impl Read, row: &mut SortedRow) -> io::Result<bool> {
    let mut head = [0; 16];
    let mut filled = 0;
    while filled < head.len() {
        match run.read(head.get_mut(filled..).unwrap_or_default())? {
            0 if filled == 0 => return Ok(false),
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            more => filled += more,
        }
    }
    let mut numbers =
        head.chunks_exact(4).map(|four| four.iter().rev().fold(0, |all, byte| (all << 8) | u32::from(*byte)));
    let mut number = || numbers.next().unwrap_or_default();
    let (customer, length, table, ordinal) = (number(), number(), number(), number());
    let mut text = std::mem::take(&mut row.customer).into_bytes();
    text.resize(customer as usize, 0);
    run.read_exact(&mut text)?;
    row.customer = String::from_utf8(text).map_err(|_| io::Error::other("a sorted run is damaged"))?;
    (row.table, row.ordinal) = (table, ordinal);
    row.bytes.resize(length as usize, 0);
    run.read_exact(&mut row.bytes)?;
    Ok(true)
}

/// Hands on the rows of all runs in one order.
pub(super) fn merge(runs: &[PathBuf], mut take: impl FnMut(&SortedRow) -> Next) -> io::Result<()> {
    let open = |path: &PathBuf| File::open(path).map(|file| BufReader::with_capacity(BUFFER_BYTES, file));
    let mut runs: Vec<BufReader<File>> = runs.iter().map(open).collect::<Result<_, _>>()?;
    let mut first = BinaryHeap::with_capacity(runs.len());
    for (at, run) in runs.iter_mut().enumerate() {
        let mut row = SortedRow::default();
        if read(run, &mut row)? {
            first.push(Reverse((row, at)));
        }
    }
    while let Some(mut next) = first.peek_mut() {
        let Reverse((row, at)) = &mut *next;
        if take(row) == Next::Stop {
            return Ok(());
        }
        let goes_on = match runs.get_mut(*at) {
            Some(run) => read(run, row)?,
            None => false,
        };
        if !goes_on {
            PeekMut::pop(next);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_any_size_come_back_in_one_order() {
        let rows: Vec<(String, u32, u32)> =
            (0..2_000_u32).map(|row| (format!("c{}", row * 7_919 % 97), row * 31 % 3, row)).collect();
        let mut expected = rows.clone();
        expected.sort();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        for room in [1, 100, 5_000, 1 << 20] {
            let folder = std::env::temp_dir().join(format!("lendwright-sort-{}-{room}", std::process::id()));
            let mut sorter = Sorter::new(&folder, room, &pool).unwrap();
            for (customer, table, ordinal) in &rows {
                sorter.push(customer, *table, *ordinal, customer.as_bytes()).unwrap();
            }
            let runs = sorter.finish().unwrap();
            let mut got = Vec::new();
            merge(&runs, |row| {
                assert_eq!(row.bytes, row.customer.as_bytes());
                got.push((row.customer.clone(), row.table, row.ordinal));
                Next::Row
            })
            .unwrap();
            fs::remove_dir_all(&folder).unwrap();
            assert_eq!(got, expected, "{room}");
        }
    }
}
