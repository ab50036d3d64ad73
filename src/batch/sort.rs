//! Rows put into the order of their customers in bounded memory: sorted runs on disk, merged as they are read. Must not know what a row holds.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use rayon::ThreadPool;
use rayon::prelude::*;

use crate::statement::Next;

/// Runs that are merged at once: each takes a buffer and an open file.
const RUNS_AT_ONCE: usize = 64;

const BUFFER_BYTES: usize = 1 << 17;

/// Gathers rows and lays them down in sorted runs.
pub(super) struct Sorter<'p> {
    folder: PathBuf,
    pool: &'p ThreadPool,
    room: usize,
    bytes: Vec<u8>,
    rows: Vec<Row>,
    runs: Vec<PathBuf>,
    made: usize,
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
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
        let room = usize::try_from(room).unwrap_or(usize::MAX);
        Ok(Sorter {
            folder: folder.to_owned(),
            pool,
            room,
            bytes: Vec::new(),
            rows: Vec::new(),
            runs: Vec::new(),
            made: 0,
        })
    }

    pub(super) fn push(&mut self, customer: &str, table: u32, ordinal: u32, bytes: &[u8]) -> io::Result<()> {
        let more = customer.len() + bytes.len();
        let held = self.bytes.len() + self.rows.len() * size_of::<Row>();
        if !self.rows.is_empty() && held + more + size_of::<Row>() > self.room {
            self.lay_down()?;
        }
        let long = |length: usize| u32::try_from(length).map_err(|_| io::Error::other("a row is too long"));
        let (from, customer_length, length) = (self.bytes.len(), long(customer.len())?, long(bytes.len())?);
        if self.bytes.len() + more > self.bytes.capacity() {
            // Doubled as ever, but not beyond the room there is.
            let wanted = (self.bytes.capacity() * 2).clamp(1 << 20, self.room.max(1 << 20));
            self.bytes.reserve_exact(wanted.saturating_sub(self.bytes.len()).max(more));
        }
        self.bytes.extend_from_slice(customer.as_bytes());
        self.bytes.extend_from_slice(bytes);
        self.rows.push(Row { from, customer: customer_length, table, ordinal, length });
        Ok(())
    }

    fn lay_down(&mut self) -> io::Result<()> {
        let bytes = &self.bytes;
        let customer = |row: &Row| bytes.get(row.from..row.from + row.customer as usize).unwrap_or_default();
        let order = |left: &Row, right: &Row| {
            let key = |row: &Row| (row.table, row.ordinal);
            customer(left).cmp(customer(right)).then_with(|| key(left).cmp(&key(right)))
        };
        let rows = &mut self.rows;
        self.pool.install(|| rows.par_sort_unstable_by(order));
        let path = self.folder.join(format!("run-{}", self.made));
        let mut out = BufWriter::with_capacity(BUFFER_BYTES, File::create(&path)?);
        for row in &self.rows {
            let (customer, rest) = (customer(row), row.from + row.customer as usize);
            write(
                &mut out,
                customer,
                row.table,
                row.ordinal,
                bytes.get(rest..rest + row.length as usize).unwrap_or_default(),
            )?;
        }
        out.flush()?;
        self.runs.push(path);
        self.made += 1;
        self.bytes.clear();
        self.rows.clear();
        Ok(())
    }

    /// Lays down what is left, and merges until few runs remain.
    pub(super) fn finish(mut self) -> io::Result<Vec<PathBuf>> {
        if !self.rows.is_empty() {
            self.lay_down()?;
        }
        (self.bytes, self.rows) = (Vec::new(), Vec::new());
        while self.runs.len() > RUNS_AT_ONCE {
            let some: Vec<PathBuf> = self.runs.drain(..RUNS_AT_ONCE).collect();
            let path = self.folder.join(format!("run-{}", self.made));
            self.made += 1;
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
        Ok(self.runs)
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

fn read(run: &mut impl Read) -> io::Result<Option<SortedRow>> {
    let mut head = [0; 16];
    let mut filled = 0;
    while filled < head.len() {
        match run.read(head.get_mut(filled..).unwrap_or_default())? {
            0 if filled == 0 => return Ok(None),
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            more => filled += more,
        }
    }
    let mut numbers =
        head.chunks_exact(4).map(|four| four.iter().rev().fold(0, |all, byte| (all << 8) | u32::from(*byte)));
    let mut number = || numbers.next().unwrap_or_default();
    let (customer, length, table, ordinal) = (number(), number(), number(), number());
    let mut text = vec![0; customer as usize];
    run.read_exact(&mut text)?;
    let mut bytes = vec![0; length as usize];
    run.read_exact(&mut bytes)?;
    let customer = String::from_utf8(text).map_err(|_| io::Error::other("a sorted run is damaged"))?;
    Ok(Some(SortedRow { customer, table, ordinal, bytes }))
}

/// Hands on the rows of all runs in one order.
pub(super) fn merge(runs: &[PathBuf], mut take: impl FnMut(SortedRow) -> Next) -> io::Result<()> {
    let open = |path: &PathBuf| File::open(path).map(|file| BufReader::with_capacity(BUFFER_BYTES, file));
    let mut runs: Vec<BufReader<File>> = runs.iter().map(open).collect::<Result<_, _>>()?;
    let mut first = BinaryHeap::with_capacity(runs.len());
    for (at, run) in runs.iter_mut().enumerate() {
        if let Some(row) = read(run)? {
            first.push(Reverse((row, at)));
        }
    }
    while let Some(Reverse((row, at))) = first.pop() {
        if let Some(run) = runs.get_mut(at)
            && let Some(next) = read(run)?
        {
            first.push(Reverse((next, at)));
        }
        if take(row) == Next::Stop {
            return Ok(());
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
                got.push((row.customer, row.table, row.ordinal));
                Next::Row
            })
            .unwrap();
            fs::remove_dir_all(&folder).unwrap();
            assert_eq!(got, expected, "{room}");
        }
    }
}
