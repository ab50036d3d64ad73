//! Finds whole customers in tables that come one after another. Rows that come in the order of customers are decided as
//! they are; others are first sorted, in memory or on disk.

use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use polars_arrow::compute::aggregate::estimated_bytes_size;
use rayon::prelude::*;

use super::error::Error;
use super::request::TableRequest;
use super::results::Results;
use super::sorting::Sorting;
use super::unit::{CustomerPieces, decide_pieces};
use crate::base::digest::Digest;
use crate::statement::arrow_tables::{ArrowPiece, ArrowRows};
use crate::statement::{self, GivenColumn};

/// Rows of a unit, at least; its last customer may add more.
const UNIT_ROWS: usize = 1 << 14;

/// Customers of a unit, at most.
const UNIT_CUSTOMERS: usize = 1 << 11;

/// Units for each thread between two looks at whether to go on.
const UNITS_AHEAD: usize = 2;

/// Rows that follow each other are moved as one piece; shorter ones, on average, are sorted row by row.
const PIECE_ROWS: usize = 8;

/// Receives the number of rows that were decided since it was last called, and says whether to go on.
pub type Watch<'w> = &'w mut dyn FnMut(u64) -> bool;

/// Tables in, what is found about their customers out: in the order of the customers' names, as far as the memory
/// holds. A customer that comes after later ones had to be decided is decided after them.
pub struct CustomerStream {
    asked: Arc<TableRequest>,
    /// Bytes of tables that are kept before the first customers are decided.
    memory: u64,
    temp: Option<PathBuf>,
    /// Rows so far.
    rows: u32,
    /// Rows that are not decided, in the order in which they came.
    waiting: Vec<CustomerPieces>,
    waiting_bytes: u64,
    /// The last decided customer, and marks of all of them.
    last: Option<String>,
    decided: HashSet<[u8; 16]>,
    sorting: Option<Sorting>,
    /// The columns of the first table.
    columns: Option<Vec<String>>,
    /// The customers that were met, if some have requests of their own.
    met: BTreeSet<String>,
}

impl CustomerStream {
    /// A stream that keeps about `memory` bytes of tables before it decides the first customers, and sorts in `temp`,
    /// by default the system's folder for temporary files.
    ///
    /// # Errors
    /// If the order of rows is declared, which rows in any order do not have.
    pub fn new(asked: TableRequest, memory: u64, temp: Option<PathBuf>) -> Result<CustomerStream, Error> {
        if asked.columns.declares_order() {
            return Err(Error::Order);
        }
        Ok(CustomerStream {
            asked: Arc::new(asked),
            memory,
            temp,
            rows: 0,
            waiting: Vec::new(),
            waiting_bytes: 0,
            last: None,
            decided: HashSet::new(),
            sorting: None,
            columns: None,
            met: BTreeSet::new(),
        })
    }

    /// Takes a table, and returns what is found about customers whose rows are all there.
    ///
    /// # Errors
    /// If the table cannot be read, a row has no customer, or a customer comes again after it was decided.
    pub fn push(&mut self, columns: Vec<GivenColumn>, rows: usize, watch: Watch<'_>) -> Result<Vec<Results>, Error> {
        let arrays = columns.iter().filter_map(|(_, array)| array.as_ref().ok());
        let bytes: usize = arrays.map(|array| estimated_bytes_size(array.as_ref())).sum();
        let given = self.asked.columns.given(&self.asked.label, Vec::new())?;
        let table = Arc::new(ArrowRows::new(columns, (rows, self.rows), &self.asked.columns, given)?);
        let runs = table.runs()?;
        let after = u32::try_from(rows).ok().and_then(|rows| self.rows.checked_add(rows));
        self.rows = after.ok_or_else(|| statement::Error::table("more than 4,294,967,295 rows; split the table"))?;
        self.refuse_other_columns(&table)?;
        for run in runs {
            self.refuse_decided(&run.customer)?;
            let piece = ArrowPiece { of: Arc::clone(&table), rows: run.rows };
            match self.waiting.last_mut().filter(|last| last.name == run.customer) {
                Some(last) => last.pieces.push(piece),
                None => self.waiting.push(CustomerPieces { name: run.customer, pieces: vec![piece] }),
            }
        }
        self.waiting_bytes += bytes as u64;
        if self.sorting.is_some() {
            self.sort_waiting()?;
            return Ok(Vec::new());
        }
        if self.waiting_bytes <= self.memory || self.waiting.len() < 2 {
            return Ok(Vec::new());
        }
        if self.asked.columns.leaves_rows_out() || !self.is_in_order() {
            self.sort_waiting()?;
            return Ok(Vec::new());
        }
        // The last customer's next rows may be in the next table.
        let held = self.waiting.pop();
        let ready = std::mem::replace(&mut self.waiting, held.into_iter().collect());
        self.waiting_bytes = 0;
        self.decide(ready, watch)
    }

    /// Decides the customers that are left. Passes what is found to `take`, these customers in order.
    ///
    /// # Errors
    /// As [`CustomerStream::push`], and those of `take`.
    pub fn finish(mut self, watch: Watch<'_>, take: &mut dyn FnMut(Results) -> Result<(), Error>) -> Result<(), Error> {
        let pieces: usize = self.waiting.iter().map(|customer| customer.pieces.len()).sum();
        let rows: usize = self.waiting.iter().map(CustomerPieces::rows).sum();
        // Rows that a columns file leaves out are read as a batch reads them: row by row.
        let by_rows =
            self.asked.columns.leaves_rows_out() || (!self.is_in_order() && rows / pieces.max(1) < PIECE_ROWS);
        if self.sorting.is_none() && by_rows {
            self.sort_waiting()?;
        }
        if let Some(sorting) = self.sorting.take() {
            sorting.finish(&mut |results: Results| {
                self.note(&results);
                if watch(results.rows) { take(results) } else { Err(Error::Interrupted) }
            })?;
        } else {
            let ready = in_order(std::mem::take(&mut self.waiting));
            self.decide(ready, watch)?.into_iter().try_for_each(&mut *take)?;
        }
        let failures = self.asked.requests.without_records(&self.met);
        if failures.is_empty() {
            return Ok(());
        }
        let tables = Results::empty_tables(&self.asked)?;
        take(Results { tables, failures, ..Results::default() }.with_failures(&self.asked)?)
    }

    /// Whether the waiting customers are each there once, in the order of their names.
    fn is_in_order(&self) -> bool {
        let first = self.waiting.first().map(|customer| &customer.name);
        self.waiting.windows(2).all(|pair| matches!(pair, [one, other] if one.name < other.name))
            && (first.is_none() || self.last.as_ref() < first)
    }

    /// All tables must have the same columns.
    fn refuse_other_columns(&mut self, table: &ArrowRows) -> Result<(), Error> {
        match &self.columns {
            Some(columns) if *columns != table.names() => Err(Error::Statement(statement::Error::Columns {
                what: "a later part of the table has other columns than the first".to_owned(),
            })),
            Some(_) => Ok(()),
            None => {
                self.columns = Some(table.names().to_vec());
                Ok(())
            }
        }
    }

    fn refuse_decided(&self, customer: &str) -> Result<(), Error> {
        match !self.decided.is_empty() && self.decided.contains(&half_digest_of_customer(customer)) {
            true => Err(Error::Again(customer.to_owned())),
            false => Ok(()),
        }
    }

    /// Hands the waiting rows over to be sorted on disk.
    fn sort_waiting(&mut self) -> Result<(), Error> {
        let waiting = std::mem::take(&mut self.waiting);
        self.waiting_bytes = 0;
        let Some(first) = waiting.first().and_then(|customer| customer.pieces.first()) else { return Ok(()) };
        let sorting = match &mut self.sorting {
            Some(sorting) => sorting,
            none => {
                let table = first.of.table(&self.asked.label);
                none.insert(Sorting::start(&self.asked, table, self.memory, self.temp.as_deref())?)
            }
        };
        sorting.push(waiting)
    }

    /// Decides customers in units, several at once.
    fn decide(&mut self, customers: Vec<CustomerPieces>, watch: Watch<'_>) -> Result<Vec<Results>, Error> {
        let mut units: Vec<Vec<CustomerPieces>> = Vec::new();
        let mut rows = UNIT_ROWS;
        for customer in customers {
            if rows >= UNIT_ROWS || units.last().is_none_or(|unit| unit.len() >= UNIT_CUSTOMERS) {
                units.push(Vec::new());
                rows = 0;
            }
            rows += customer.rows();
            if let Some(unit) = units.last_mut() {
                unit.push(customer);
            }
        }
        let mut found = Vec::with_capacity(units.len());
        for wave in units.chunks(UNITS_AHEAD * rayon::current_num_threads()) {
            let decided: Vec<Results> =
                wave.par_iter().map(|unit| decide_pieces(&self.asked, unit)).collect::<Result<_, Error>>()?;
            decided.iter().for_each(|results| self.note(results));
            if !watch(decided.iter().map(|results| results.rows).sum()) {
                return Err(Error::Interrupted);
            }
            found.extend(decided);
        }
        Ok(found)
    }

    /// Remembers who was decided.
    fn note(&mut self, results: &Results) {
        if self.asked.requests.are_by_customer() {
            self.met.extend(results.customers.iter().cloned());
        }
        self.decided.extend(results.customers.iter().map(|customer| half_digest_of_customer(customer)));
        self.last = results.customers.last().cloned().or(self.last.take());
    }
}

/// Half a digest: no two customers of a table share it.
fn half_digest_of_customer(customer: &str) -> [u8; 16] {
    let digest = Digest::compute(customer.as_bytes());
    std::array::from_fn(|at| digest.as_bytes().get(at).copied().unwrap_or_default())
}

/// The customers in the order of their names, each once, with their rows in the order in which they came.
fn in_order(mut waiting: Vec<CustomerPieces>) -> Vec<CustomerPieces> {
    waiting.sort_by(|one, other| one.name.cmp(&other.name));
    let mut customers: Vec<CustomerPieces> = Vec::with_capacity(waiting.len());
    for customer in waiting {
        match customers.last_mut().filter(|last| last.name == customer.name) {
            Some(last) => last.pieces.extend(customer.pieces),
            None => customers.push(customer),
        }
    }
    customers
}
