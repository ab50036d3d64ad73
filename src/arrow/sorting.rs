//! Sorts rows by customer on disk, in bounded memory, with the sorter of batches.

use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use rayon::prelude::*;

use super::error::Error;
use super::request::TableRequest;
use super::results::Results;
use super::unit::{CustomerPieces, decide_sorted};
use crate::run::batch::gate::Gate;
use crate::run::batch::tables::customers::Customers;
use crate::run::batch::tables::disk::Disk;
use crate::run::batch::tables::first_pass::FirstPass;
use crate::run::batch::tables::sort::{Sorter, merge_sorted_runs};
use crate::statement::{Next, Table};

/// Bytes of a unit of customers.
const UNIT_BYTES: u64 = 4 << 20;

/// The least bytes of memory for sorting.
const MEMORY_MIN: u64 = 1 << 20;

/// The most bytes of one customer's records.
const CUSTOMER_BYTES_MAX: u64 = u32::MAX as u64;

/// Rows that are being sorted by a thread of their own, which also decides them.
pub(crate) struct Sorting {
    send: SyncSender<Vec<CustomerPieces>>,
    found: Receiver<Result<Results, Error>>,
    thread: JoinHandle<()>,
}

impl Sorting {
    pub(crate) fn start(
        asked: &Arc<TableRequest>,
        table: Table,
        memory: u64,
        temp: Option<&Path>,
    ) -> Result<Sorting, Error> {
        let folder = TemporaryFolder::create(temp)?;
        let threads = rayon::current_num_threads();
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| Error::Sorting(std::io::Error::other(error)))?;
        let (send, rows) = sync_channel::<Vec<CustomerPieces>>(1);
        let (done, found) = sync_channel(threads);
        let asked = Arc::clone(asked);
        let sort = move || {
            let sorter = SortedCustomers { asked: &asked, table: &table, pool: &pool, folder: &folder.0, memory };
            if let Err(error) = sorter.run(&rows, &done) {
                // Whoever waited has stopped if this fails.
                let _ = done.send(Err(error));
            }
        };
        let thread = thread::Builder::new().name("lendwright-sort".to_owned()).spawn(sort)?;
        Ok(Sorting { send, found, thread })
    }

    /// Adds rows.
    pub(crate) fn push(&mut self, rows: Vec<CustomerPieces>) -> Result<(), Error> {
        match self.send.send(rows) {
            Ok(()) => Ok(()),
            // The thread has ended, and says why.
            Err(_) => match self.found.recv() {
                Ok(Err(error)) => Err(error),
                _ => Err(Error::Internal("sorting ended early")),
            },
        }
    }

    /// Passes what is found about all customers to `take`, in order.
    pub(crate) fn finish(self, take: &mut dyn FnMut(Results) -> Result<(), Error>) -> Result<(), Error> {
        let Sorting { send, found, thread } = self;
        drop(send);
        let mut taken = Ok(());
        for results in &found {
            taken = results.and_then(&mut *take);
            if taken.is_err() {
                break;
            }
        }
        drop(found);
        match (taken, thread.join()) {
            (Err(error), _) => Err(error),
            (Ok(()), Err(_)) => Err(Error::Internal("sorting ended early")),
            (Ok(()), Ok(())) => Ok(()),
        }
    }
}

/// What the thread works with.
struct SortedCustomers<'s> {
    asked: &'s TableRequest,
    table: &'s Table,
    pool: &'s rayon::ThreadPool,
    folder: &'s Path,
    memory: u64,
}

impl SortedCustomers<'_> {
    fn run(
        &self,
        rows: &Receiver<Vec<CustomerPieces>>,
        done: &SyncSender<Result<Results, Error>>,
    ) -> Result<(), Error> {
        let gate = Gate::new(u64::MAX);
        let pass = FirstPass::new(&gate);
        let disk = Disk::new(None, &pass);
        let mut sorter = Sorter::new(&self.folder.join("runs"), self.memory.max(MEMORY_MIN), (self.pool, &disk))?;
        for customer in rows.iter().flatten() {
            for piece in customer.pieces {
                piece.of.pack(piece.rows, |ordinal, bytes| {
                    sorter.push(&customer.name, 0, ordinal, bytes).map_err(Error::from)
                })?;
            }
        }
        let runs = sorter.finish()?;
        let (mut customers, mut units, mut decided) = (Customers::default(), Vec::new(), Ok(()));
        merge_sorted_runs(&runs, |group| {
            let another = customers.list.last().is_some_and(|last| last.name != group.customer);
            if another && customers.size() >= UNIT_BYTES {
                units.push(std::mem::take(&mut customers));
                if units.len() >= self.pool.current_num_threads() {
                    decided = self.decide(std::mem::take(&mut units), done);
                }
            }
            for (ordinal, bytes) in group.rows() {
                customers.push(&group.customer, group.table, ordinal, bytes, CUSTOMER_BYTES_MAX);
            }
            if decided.is_ok() { Next::Row } else { Next::Stop }
        })?;
        decided?;
        if !customers.is_empty() {
            units.push(customers);
        }
        self.decide(units, done)
    }

    fn decide(&self, units: Vec<Customers>, done: &SyncSender<Result<Results, Error>>) -> Result<(), Error> {
        let decide = |mut customers: Customers| {
            customers.end_customer();
            decide_sorted(self.asked, self.table, &customers)
        };
        let found: Vec<Results> =
            self.pool.install(|| units.into_par_iter().map(decide).collect::<Result<_, Error>>())?;
        for results in found {
            // Nobody waits for it once the work was asked to stop.
            done.send(Ok(results)).map_err(|_| Error::Interrupted)?;
        }
        Ok(())
    }
}

/// A folder for runs, which is removed with what is in it.
struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    fn create(within: Option<&Path>) -> Result<TemporaryFolder, Error> {
        let within = within.map_or_else(std::env::temp_dir, Path::to_owned);
        fs::create_dir_all(&within)?;
        let mut builder = fs::DirBuilder::new();
        // The rows are people's bank statements.
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        loop {
            // A name that nobody can know before, and that no earlier process of the same number has left.
            let name = format!("lendwright-sort-{:016x}", RandomState::new().hash_one(std::process::id()));
            let path = within.join(name);
            match builder.create(&path) {
                Ok(()) => return Ok(TemporaryFolder(path)),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // A folder that cannot be removed is the system's to clear.
        let _ = fs::remove_dir_all(&self.0);
    }
}
