//! External sort of rows by customer, in bounded memory: sorted runs on disk, merged as they are read.
//!
//! In most tables a customer's rows are contiguous. Such rows are sorted, written and merged as one group.

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

use super::disk::Disk;
use crate::run::batch::own_files;
use crate::statement::Next;

/// The number of runs merged at once: each takes a buffer and an open file.
const RUNS_AT_ONCE: usize = 64;

const BUFFER_BYTES: usize = 1 << 17;

/// Bytes of the first runs: small, so that sorting begins early and its memory is reused.
const FIRST_RUN_BYTES: usize = 1 << 25;

/// After this many runs, the size of the next ones doubles, so that there are few runs.
const RUNS_PER_SIZE: usize = 4;

/// About how many bytes a group has: merging holds one per run in memory.
const GROUP_BYTES: usize = 1 << 16;

/// Bytes before each row within a group: its ordinal and its length.
const ROW_HEAD: usize = 8;

/// Bytes before each group in a run: four numbers.
const GROUP_HEAD: usize = 16;

/// Collects rows and writes them in sorted runs. Other threads sort and write a run while the next one is collected.
pub(crate) struct Sorter<'p> {
    folder: PathBuf,
    pool: &'p ThreadPool,
    disk: &'p Disk<'p>,
    /// Bytes of the run that is being collected.
    run_bytes: usize,
    /// The most bytes of a run.
    run_bytes_max: usize,
    collected: RunRows,
    spilling: Option<Receiver<io::Result<RunRows>>>,
    runs: Vec<PathBuf>,
    made: usize,
}

/// Rows that will become a run.
#[derive(Default)]
struct RunRows {
    bytes: Vec<u8>,
    groups: Vec<CustomerRows>,
}

/// Consecutive rows of one customer in a table. Its bytes are the customer's name, then each row.
#[derive(Clone, Copy)]
struct CustomerRows {
    from: usize,
    customer: u32,
    table: u32,
    /// The ordinal of the first row.
    ordinal: u32,
    /// Bytes of the rows.
    length: u32,
}

/// A group read back from a run. Groups are ordered by customer, table and ordinal.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SortedCustomerRows {
    pub(crate) customer: String,
    pub(crate) table: u32,
    ordinal: u32,
    bytes: Vec<u8>,
}

impl<'p> Sorter<'p> {
    /// A sorter that holds at most `memory` bytes and writes its runs into `folder`, after removing old runs there.
    pub(crate) fn new(
        folder: &Path,
        memory: u64,
        (pool, disk): (&'p ThreadPool, &'p Disk<'p>),
    ) -> io::Result<Sorter<'p>> {
        if folder.exists() {
            own_files::remove_runs(folder)?;
        }
        fs::create_dir_all(folder)?;
        // One half is collected while the other is written.
        let run_bytes_max = usize::try_from(memory / 2).unwrap_or(usize::MAX);
        Ok(Sorter {
            folder: folder.to_owned(),
            pool,
            disk,
            run_bytes: FIRST_RUN_BYTES.min(run_bytes_max),
            run_bytes_max,
            collected: RunRows::default(),
            spilling: None,
            runs: Vec::new(),
            made: 0,
        })
    }

    /// Adds a row. Rows must come in the order of their tables, and of the rows within a table.
    pub(crate) fn push(&mut self, customer: &str, table: u32, ordinal: u32, bytes: &[u8]) -> io::Result<()> {
        let more = customer.len() + ROW_HEAD + bytes.len();
        if !self.collected.groups.is_empty()
            && self.collected.held() + more + size_of::<CustomerRows>() > self.run_bytes
        {
            self.spill()?;
            if self.runs.len().is_multiple_of(RUNS_PER_SIZE) {
                self.run_bytes = self.run_bytes.saturating_mul(2).min(self.run_bytes_max);
            }
        }
        let held = &mut self.collected;
        let from = held.bytes.len();
        if from + more > held.bytes.capacity() {
            // Doubles, but not beyond the size of a run.
            let wanted = (held.bytes.capacity() * 2).clamp(1 << 20, self.run_bytes.max(1 << 20));
            held.bytes.reserve_exact(wanted.saturating_sub(from).max(more));
        }
        held.push(customer, table, ordinal, bytes).ok_or_else(|| io::Error::other("a row is too long"))
    }

    /// Hands the collected rows to other threads, once they have written the rows before.
    fn spill(&mut self) -> io::Result<()> {
        let emptied = self.wait_for_spill()?;
        let times = if self.runs.len() >= RUNS_AT_ONCE { 2 } else { 1 };
        self.disk.reserve(self.collected.stored(), times)?;
        let mut rows = std::mem::replace(&mut self.collected, emptied);
        let path = self.next_run();
        self.runs.push(path.clone());
        let (done, spilling) = sync_channel(1);
        self.spilling = Some(spilling);
        self.pool.spawn(move || {
            let written = catch_unwind(AssertUnwindSafe(|| rows.write_run(&path)))
                .unwrap_or_else(|_| Err(io::Error::other("sorting ended early")));
            // If the run has ended, nobody receives this.
            let _ = done.send(written.map(|()| rows));
        });
        Ok(())
    }

    /// Waits for other threads to write their run; returns its memory, emptied.
    fn wait_for_spill(&mut self) -> io::Result<RunRows> {
        match self.spilling.take().map(|spilling| spilling.recv()) {
            None => Ok(RunRows::default()),
            Some(Ok(laid)) => laid,
            Some(Err(_)) => Err(io::Error::other("sorting ended early")),
        }
    }

    fn next_run(&mut self) -> PathBuf {
        self.made += 1;
        self.folder.join(format!("run-{}", self.made - 1))
    }

    /// Writes the remaining rows, and merges runs until few remain.
    pub(crate) fn finish(mut self) -> io::Result<Vec<PathBuf>> {
        if !self.collected.groups.is_empty() {
            self.spill()?;
        }
        self.wait_for_spill()?;
        self.collected = RunRows::default();
        while self.runs.len() > RUNS_AT_ONCE {
            let some: Vec<PathBuf> = self.runs.drain(..RUNS_AT_ONCE).collect();
            let path = self.next_run();
            let lengths = some.iter().map(|run| fs::metadata(run).map(|run| run.len()));
            let bytes = lengths.sum::<io::Result<u64>>()?;
            self.disk.reserve(bytes, 1)?;
            let mut out = BufWriter::with_capacity(BUFFER_BYTES, File::create(&path)?);
            let mut written = Ok(());
            merge_sorted_runs(&some, |group| {
                let SortedCustomerRows { customer, table, ordinal, bytes } = group;
                written = write_sorted_row(&mut out, customer.as_bytes(), *table, *ordinal, bytes);
                if written.is_ok() { Next::Row } else { Next::Stop }
            })?;
            written?;
            out.flush()?;
            some.iter().try_for_each(fs::remove_file)?;
            self.disk.release(bytes);
            self.runs.push(path);
        }
        Ok(std::mem::take(&mut self.runs))
    }
}

impl Drop for Sorter<'_> {
    /// Waits, so that no thread still writes when the folder is used again.
    fn drop(&mut self) {
        let _ = self.wait_for_spill();
    }
}

impl RunRows {
    fn held(&self) -> usize {
        self.bytes.len() + self.groups.len() * size_of::<CustomerRows>()
    }

    /// Bytes of the rows as a run.
    fn stored(&self) -> u64 {
        (self.bytes.len() + self.groups.len() * GROUP_HEAD) as u64
    }

    /// Adds a row to the last group, or starts another. `None` if the row is too long.
    fn push(&mut self, customer: &str, table: u32, ordinal: u32, bytes: &[u8]) -> Option<()> {
        let length = u32::try_from(bytes.len()).ok()?;
        let more = length.checked_add(ROW_HEAD as u32)?;
        let own = |group: &CustomerRows| self.bytes.get(group.from..group.from + group.customer as usize);
        let continues = |last: &&mut CustomerRows| {
            last.table == table && own(last) == Some(customer.as_bytes()) && last.length as usize <= GROUP_BYTES
        };
        match self.groups.last_mut().filter(continues).and_then(|last| Some((last.length.checked_add(more)?, last))) {
            Some((length, last)) => last.length = length,
            None => {
                let from = self.bytes.len();
                let customer_length = u32::try_from(customer.len()).ok()?;
                self.groups.push(CustomerRows { from, customer: customer_length, table, ordinal, length: more });
                self.bytes.extend_from_slice(customer.as_bytes());
            }
        }
        self.bytes.extend_from_slice(&ordinal.to_le_bytes());
        self.bytes.extend_from_slice(&length.to_le_bytes());
        self.bytes.extend_from_slice(bytes);
        Some(())
    }

    /// Sorts the rows and writes them to a file, then clears them and keeps their memory.
    fn write_run(&mut self, path: &Path) -> io::Result<()> {
        let bytes = &self.bytes;
        // A lost group would be missing in decisions.
        let part = |from: usize, length: u32| {
            bytes.get(from..from + length as usize).expect("INVARIANT: `push` adds the bytes of every group")
        };
        let customer = |group: &CustomerRows| part(group.from, group.customer);
        let order = |left: &CustomerRows, right: &CustomerRows| {
            let key = |group: &CustomerRows| (group.table, group.ordinal);
            customer(left).cmp(customer(right)).then_with(|| key(left).cmp(&key(right)))
        };
        self.groups.par_sort_unstable_by(order);
        let mut out = BufWriter::with_capacity(BUFFER_BYTES, File::create(path)?);
        for group in &self.groups {
            let rows = group.from + group.customer as usize;
            let content = part(rows, group.length);
            write_sorted_row(&mut out, customer(group), group.table, group.ordinal, content)?;
        }
        out.flush()?;
        self.bytes.clear();
        self.groups.clear();
        Ok(())
    }
}

impl SortedCustomerRows {
    /// The ordinals and the bytes of its rows.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (u32, &[u8])> {
        let mut rest = self.bytes.as_slice();
        std::iter::from_fn(move || {
            let (ordinal, row, behind) = first_row(rest)?;
            rest = behind;
            Some((ordinal, row))
        })
    }

    /// Whether its bytes are complete rows, with nothing left over.
    fn is_whole(&self) -> bool {
        let mut rest = self.bytes.as_slice();
        while let Some((.., behind)) = first_row(rest) {
            rest = behind;
        }
        rest.is_empty()
    }
}

/// The first row's ordinal, its bytes, and the bytes after it.
fn first_row(bytes: &[u8]) -> Option<(u32, &[u8], &[u8])> {
    let (ordinal, rest) = bytes.split_first_chunk()?;
    let (length, rest) = rest.split_first_chunk()?;
    let (row, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    Some((u32::from_le_bytes(*ordinal), row, rest))
}

fn write_sorted_row(out: &mut impl Write, customer: &[u8], table: u32, ordinal: u32, bytes: &[u8]) -> io::Result<()> {
    out.write_all(&(customer.len() as u32).to_le_bytes())?;
    out.write_all(&(bytes.len() as u32).to_le_bytes())?;
    out.write_all(&table.to_le_bytes())?;
    out.write_all(&ordinal.to_le_bytes())?;
    out.write_all(customer)?;
    out.write_all(bytes)
}

/// Reads the next group of a run into `group`; false at the end of the run.
fn read_next_group(run: &mut impl Read, group: &mut SortedCustomerRows) -> io::Result<bool> {
    let mut head = [0; GROUP_HEAD];
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
    let mut text = std::mem::take(&mut group.customer).into_bytes();
    text.resize(customer as usize, 0);
    run.read_exact(&mut text)?;
    let damaged = || io::Error::other("a sorted run is damaged");
    group.customer = String::from_utf8(text).map_err(|_| damaged())?;
    (group.table, group.ordinal) = (table, ordinal);
    group.bytes.resize(length as usize, 0);
    run.read_exact(&mut group.bytes)?;
    if group.is_whole() { Ok(true) } else { Err(damaged()) }
}

/// Passes the groups of all runs to `take`, in order.
pub(crate) fn merge_sorted_runs(runs: &[PathBuf], mut take: impl FnMut(&SortedCustomerRows) -> Next) -> io::Result<()> {
    let open = |path: &PathBuf| File::open(path).map(|file| BufReader::with_capacity(BUFFER_BYTES, file));
    let mut runs: Vec<BufReader<File>> = runs.iter().map(open).collect::<Result<_, _>>()?;
    let mut first = BinaryHeap::with_capacity(runs.len());
    for (at, run) in runs.iter_mut().enumerate() {
        let mut group = SortedCustomerRows::default();
        if read_next_group(run, &mut group)? {
            first.push(Reverse((group, at)));
        }
    }
    while let Some(mut next) = first.peek_mut() {
        let Reverse((group, at)) = &mut *next;
        if take(group) == Next::Stop {
            return Ok(());
        }
        let continues = match runs.get_mut(*at) {
            Some(run) => read_next_group(run, group)?,
            None => false,
        };
        if !continues {
            PeekMut::pop(next);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::batch::gate::Gate;
    use crate::run::batch::tables::first_pass::FirstPass;

    /// Rows of tables in which a customer has `together` consecutive rows.
    fn rows(together: u32) -> Vec<(String, u32, u32)> {
        let row = |row: u32| (format!("c{}", row / together * 7_919 % 97), row / 700, row);
        (0..2_000).map(row).collect()
    }

    #[test]
    fn runs_of_any_size_come_back_in_one_order() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        for (together, memory) in
            [1, 3, 40].into_iter().flat_map(|rows| [1, 100, 5_000, 1 << 20].map(|memory| (rows, memory)))
        {
            let rows = rows(together);
            let mut expected = rows.clone();
            expected.sort();
            let folder =
                std::env::temp_dir().join(format!("lendwright-sort-{}-{together}-{memory}", std::process::id()));
            let gate = Gate::new(1);
            let pass = FirstPass::new(&gate);
            let disk = Disk::new(None, &pass);
            let mut sorter = Sorter::new(&folder, memory, (&pool, &disk)).unwrap();
            let content =
                |customer: &str, row: u32| customer.repeat(row as usize % 3 * if row % 500 == 1 { 9_000 } else { 1 });
            for (customer, table, ordinal) in &rows {
                sorter.push(customer, *table, *ordinal, content(customer, *ordinal).as_bytes()).unwrap();
            }
            let runs = sorter.finish().unwrap();
            assert_eq!(disk.used(), runs.iter().map(|run| fs::metadata(run).unwrap().len()).sum::<u64>());
            let mut got = Vec::new();
            let mut groups = 0;
            merge_sorted_runs(&runs, |group| {
                groups += 1;
                for (ordinal, bytes) in group.rows() {
                    assert_eq!(bytes, content(&group.customer, ordinal).as_bytes());
                    got.push((group.customer.clone(), group.table, ordinal));
                }
                Next::Row
            })
            .unwrap();
            fs::remove_dir_all(&folder).unwrap();
            assert_eq!(got, expected, "{together} {memory}");
            // Groups at the end of a table and groups of long rows are shorter.
            let most = 2_000 / together as usize + 20;
            assert!(memory < 1 << 20 || together == 1 || groups <= most, "{together}: {groups}");
        }
    }

    #[test]
    fn a_damaged_run_is_an_error() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let gate = Gate::new(1);
        let pass = FirstPass::new(&gate);
        let disk = Disk::new(None, &pass);
        let mut sorter = Sorter::new(&folder.path().join("runs"), 1 << 20, (&pool, &disk)).unwrap();
        for row in 0..3 {
            sorter.push("c", 0, row, b"abc").unwrap();
        }
        let runs = sorter.finish().unwrap();
        let whole = fs::read(&runs[0]).unwrap();
        for length in 1..whole.len() {
            fs::write(&runs[0], &whole[..length]).unwrap();
            merge_sorted_runs(&runs, |_| Next::Row).expect_err("cut short");
        }
        // A row's length that is too large by one.
        let mut other = whole.clone();
        other[16 + 1 + 4] += 1;
        fs::write(&runs[0], &other).unwrap();
        assert_eq!(
            merge_sorted_runs(&runs, |_| Next::Row).expect_err("damaged").to_string(),
            "a sorted run is damaged"
        );
    }
}
