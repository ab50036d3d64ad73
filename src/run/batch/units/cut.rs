//! Cuts the work into units, in one order: sources that are one statement, and in the place of the first table, the
//! customers of all tables.

use std::cell::Cell;
use std::io::Read;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::mpsc::SyncSender;

use rayon::ThreadPool;

use super::unit::{Unit, Work};
use crate::run::batch::error::Error;
use crate::run::batch::gate::Gate;
use crate::run::batch::inputs::archive;
use crate::run::batch::inputs::compression::Compression;
use crate::run::batch::inputs::kinds::SourceKind;
use crate::run::batch::inputs::source::{BatchSource, Member};
use crate::run::batch::inputs::spool;
use crate::run::batch::job::{Job, Shard};
use crate::run::batch::output::checkpoint::{Position, TablesAt};
use crate::run::batch::plan::Plan;
use crate::run::batch::tables::customers::Customers;
use crate::run::batch::tables::first_pass::FirstPass;
use crate::run::batch::tables::sort::merge_sorted_runs;
use crate::run::batch::tables::table_scan::{Survey, SurveyedTable, read_table, scan_all_tables};
use crate::statement::{self, Columns, Next, RowsRequest, lost_row};

/// The most sources of one statement in a unit.
const DOCUMENTS_MAX: usize = 256;

/// How many times larger a compressed file is assumed to be once decompressed.
const EXPANSION: u64 = 12;

/// Cuts the work into units and sends them.
pub(crate) struct Cutter<'a> {
    pub(crate) job: &'a Job,
    pub(crate) sources: &'a [BatchSource],
    pub(crate) work: &'a Path,
    /// The folder of sorted runs and extracted members.
    pub(crate) temp: &'a Path,
    pub(crate) plan: &'a Plan,
    pub(crate) gate: &'a Gate,
    pub(crate) send: SyncSender<Unit>,
    pub(crate) survey: &'a OnceLock<Survey>,
    /// Progress of the first pass over the tables.
    pub(crate) pass: &'a FirstPass<'a>,
    /// The threads that decide; they sort the tables before that.
    pub(crate) pool: &'a ThreadPool,
    /// About how many bytes a unit has.
    pub(crate) unit_bytes: u64,
    pub(crate) index: u64,
}

impl Cutter<'_> {
    /// Sends all units from a position on. When the gate closes, ends early without an error.
    pub(crate) fn all(&mut self, from: &Position) -> Result<(), Error> {
        let is_document = |at: &usize| self.sources.get(*at).is_some_and(BatchSource::is_document);
        let documents: Vec<usize> = (0..self.sources.len()).filter(is_document).collect();
        let first_table = (0..self.sources.len()).find(|at| !is_document(at));
        let before = first_table.map_or(documents.len(), |table| documents.partition_point(|at| *at < table));
        if from.documents < before && !self.documents(&documents, from.documents, before, &from.tables)? {
            return Ok(());
        }
        if first_table.is_some()
            && from.tables != TablesAt::Done
            && !self.tables(before.max(from.documents), &from.tables)?
        {
            return Ok(());
        }
        self.documents(&documents, before.max(from.documents), documents.len(), &TablesAt::Done).map(|_| ())
    }

    fn send(&mut self, work: Work, resume_at: Position, cost: u64, source_bytes: u64) -> bool {
        let unit = Unit { index: self.index, work, resume_at, cost, source_bytes };
        self.index += 1;
        self.gate.enter(cost) && self.send.send(unit).is_ok()
    }

    fn documents(&mut self, all: &[usize], from: usize, to: usize, tables: &TablesAt) -> Result<bool, Error> {
        let mut at = from;
        while at < to {
            let end = self.end_of_same_place(all, at, to);
            let some = all.get(at..end).unwrap_or_default();
            let is_member = some.first().and_then(|first| self.sources.get(*first)).is_some_and(in_archive);
            let continues = if is_member { self.members(some, at, tables)? } else { self.files(some, at, tables) };
            if !continues {
                return Ok(false);
            }
            at = end;
        }
        Ok(true)
    }

    /// The end of a sequence of sources that are all files, or all members of one archive.
    fn end_of_same_place(&self, all: &[usize], from: usize, to: usize) -> usize {
        let place = |at: usize| {
            all.get(at)
                .and_then(|source| self.sources.get(*source))
                .and_then(|source| in_archive(source).then_some(&source.path))
        };
        (from + 1..to).find(|at| place(*at) != place(from)).unwrap_or(to)
    }

    fn files(&mut self, some: &[usize], first: usize, tables: &TablesAt) -> bool {
        let (mut unit, mut cost, mut bytes) = (Vec::new(), 0, 0);
        for (offset, source) in some.iter().enumerate() {
            let Some(found) = self.sources.get(*source) else { continue };
            bytes += found.bytes;
            if Shard::holds(self.job.shard, &found.shard_key()) {
                unit.push(*source);
                let expansion = if found.compression == Compression::Plain { 1 } else { EXPANSION };
                cost += (found.bytes * expansion).min(self.job.statement_max);
            }
            let full = cost >= self.unit_bytes || unit.len() >= DOCUMENTS_MAX;
            if (full || offset + 1 == some.len()) && !unit.is_empty() {
                let resume_at = Position { documents: first + offset + 1, tables: tables.clone() };
                if !self.send(Work::Documents(std::mem::take(&mut unit)), resume_at, cost, bytes) {
                    return false;
                }
                (cost, bytes) = (0, 0);
            }
        }
        true
    }

    /// Reads the members of an archive here, one after another, because an archive can only be read from its start.
    fn members(&mut self, some: &[usize], first: usize, tables: &TablesAt) -> Result<bool, Error> {
        let sources = self.sources;
        let member =
            |at: usize| some.get(at).and_then(|source| sources.get(*source)).and_then(|source| source.member.as_ref());
        let path =
            some.first().and_then(|source| sources.get(*source)).map(|source| source.path.clone()).unwrap_or_default();
        let shard = self.job.shard;
        let is_ours = |at: usize| {
            some.get(at)
                .and_then(|source| sources.get(*source))
                .is_some_and(|source| Shard::holds(shard, &source.shard_key()))
        };
        let (max_bytes, next) = (self.job.statement_max, Cell::new(0));
        let (mut unit, mut cost, open) = (Vec::new(), 0, Cell::new(true));
        // Members of other shards have no content.
        let mut take = |units: &mut Self, at: usize, content: Option<Result<spool::Content, String>>| {
            if let Some((source, content)) = some.get(at).zip(content) {
                cost += content.as_ref().map_or(0, |content| content.bytes.len() as u64);
                unit.push((*source, content));
            }
            let full = cost >= units.unit_bytes || unit.len() >= DOCUMENTS_MAX;
            if (full || at + 1 == some.len()) && !unit.is_empty() {
                let resume_at = Position { documents: first + at + 1, tables: tables.clone() };
                open.set(units.send(Work::Loaded(std::mem::take(&mut unit)), resume_at, cost, cost));
                cost = 0;
            }
            open.get()
        };
        let given = archive::each_member(
            &path,
            |index| member(position_of(next.get(), index, &member)).is_some_and(|member| member.index == index),
            |index, stored: &mut dyn Read| {
                let at = position_of(next.get(), index, &member);
                next.set(at + 1);
                let compression = some.get(at).and_then(|source| sources.get(*source)).map(|source| source.compression);
                let content = is_ours(at)
                    .then(|| spool::read_member(stored, compression.unwrap_or(Compression::Plain), max_bytes));
                take(self, at, content)
            },
        );
        let what = match given {
            Ok(()) => "the archive has lost this member".to_owned(),
            Err(wrong) => format!("the archive cannot be read to its end: {wrong}"),
        };
        for at in next.get()..some.len() {
            if !open.get() || !take(self, at, is_ours(at).then(|| Err(what.clone()))) {
                return Ok(false);
            }
        }
        Ok(open.get())
    }

    fn tables(&mut self, documents: usize, from: &TablesAt) -> Result<bool, Error> {
        let found = scan_all_tables(self.job, (self.work, self.temp, self.pool), self.plan, self.sources, self.pass)?;
        let found = self.survey.get_or_init(|| found);
        let lacking = found.lacks_rows().next().is_some() && !self.job.apart;
        let after = match from {
            TablesAt::After(customer) => customer.clone(),
            TablesAt::Pending | TablesAt::Done => {
                let tables = if lacking { TablesAt::Done } else { TablesAt::After(String::new()) };
                if !self.send(Work::Tables, Position { documents, tables }, 1 << 16, 0) {
                    return Ok(false);
                }
                String::new()
            }
        };
        if lacking {
            return Ok(true);
        }
        let bytes: u64 =
            found.tables.iter().filter_map(|table| self.sources.get(table.source)).map(|source| source.bytes).sum();
        let mut batcher = RowBatcher {
            units: self,
            documents,
            after,
            customers: Customers::default(),
            rows: 0,
            skipped: 0,
            open: true,
            bytes,
            all: found.rows().max(1),
        };
        match &found.runs {
            None => batcher.stream_tables(found)?,
            Some(runs) => {
                let runs: Vec<_> = runs.iter().map(|run| batcher.units.temp.join(run)).collect();
                let counts = |table: u32| found.tables.get(table as usize).is_some_and(SurveyedTable::counts);
                let merged = merge_sorted_runs(&runs, |group| {
                    let (customer, table) = (&group.customer, group.table);
                    if !counts(table) {
                        return Next::Row;
                    }
                    let mut rows = group.rows();
                    let continues =
                        rows.all(|(ordinal, bytes)| batcher.take(customer, table, ordinal, bytes) == Next::Row);
                    if continues { Next::Row } else { Next::Stop }
                });
                merged.map_err(Error::io(batcher.units.temp))?;
            }
        }
        Ok(batcher.end())
    }
}

fn in_archive(source: &BatchSource) -> bool {
    source.member.is_some() && source.is_readable()
}

/// The position of the member with this index, or of the first one after it, searched from `next`.
fn position_of<'m>(next: usize, index: usize, member: &impl Fn(usize) -> Option<&'m Member>) -> usize {
    (next..).find(|at| member(*at).is_none_or(|member| member.index >= index)).unwrap_or(next)
}

/// Collects rows into units.
struct RowBatcher<'g, 'a> {
    units: &'g mut Cutter<'a>,
    documents: usize,
    /// Customers up to this one were written by an earlier run.
    after: String,
    customers: Customers,
    /// Rows since the last unit.
    rows: u64,
    /// Rows that were skipped.
    skipped: u64,
    open: bool,
    /// Bytes of all tables.
    bytes: u64,
    /// Rows of all tables.
    all: u64,
}

impl RowBatcher<'_, '_> {
    /// Adds a row. A row without bytes belongs to another shard or was written by an earlier run.
    fn take(&mut self, customer: &str, table: u32, ordinal: u32, bytes: &[u8]) -> Next {
        // Rows that an earlier run decided are already counted.
        let counts = u64::from(customer > self.after.as_str());
        if bytes.is_empty() || counts == 0 {
            self.rows += counts;
            self.skipped += 1;
            return if self.skipped.is_multiple_of(1 << 16) && self.units.gate.is_closed() {
                self.stop()
            } else {
                Next::Row
            };
        }
        let another = self.customers.list.last().is_some_and(|last| last.name != customer);
        if another && self.customers.size() >= self.units.unit_bytes {
            self.send();
        }
        self.rows += 1;
        self.customers.push(customer, table, ordinal, bytes, self.units.job.statement_max);
        if self.open { Next::Row } else { Next::Stop }
    }

    fn stop(&mut self) -> Next {
        self.open = false;
        Next::Stop
    }

    fn send(&mut self) {
        let mut customers = std::mem::take(&mut self.customers);
        customers.end_customer();
        let Some(last) = customers.list.last() else { return };
        let tables = TablesAt::After(last.name.clone());
        let (cost, resume_at) = (customers.size(), Position { documents: self.documents, tables });
        let done = u128::from(self.bytes) * u128::from(std::mem::take(&mut self.rows)) / u128::from(self.all);
        self.open =
            self.units.send(Work::Customers(customers), resume_at, cost, u64::try_from(done).unwrap_or_default());
    }

    /// Streams the tables one after another, in the order of their customers.
    fn stream_tables(&mut self, survey: &Survey) -> Result<(), Error> {
        let own_names = Columns::default();
        let (job, after) = (self.units.job, self.after.clone());
        let shard = job.shard;
        let own = |customer: &str| customer > after.as_str() && Shard::holds(shard, customer);
        for number in &survey.order {
            let Some(table) = survey.tables.get(*number).filter(|table| table.last > self.after) else { continue };
            let number = *number as u32;
            if let Some(failed) = &table.failed {
                if let Some(customer) = failed.customer.as_ref().filter(|customer| Shard::holds(shard, customer)) {
                    self.take(customer, number, u32::MAX, &lost_row(&failed.what));
                }
                continue;
            }
            let Some(source) = self.units.sources.get(table.source) else { continue };
            let SourceKind::Table(format) = source.kind else { continue };
            let label = source.label();
            let columns = job.columns.as_ref().unwrap_or(&own_names);
            let given = columns.given(&label, source.keys());
            let given = given.map_err(|wrong| Error::input(&source.path, wrong.to_string()))?;
            let asked = RowsRequest { label: &label, columns, given: &given, rows: &own, memory: job.decoding() };
            let temp = self.units.temp;
            let read = read_table(source, format, temp, (&asked, &|_| ()), |row| {
                self.take(row.customer, number, row.ordinal, row.bytes)
            });
            if let Err(statement::Error::Memory { what, bytes }) = &read {
                return Err(Error::too_large(job, &label, what, *bytes));
            }
            let again = read.map(|read| read.stored).map_err(|wrong| wrong.to_string());
            let changed = || "it has changed since this run began".to_owned();
            let mixed = "decisions already written may mix its old and new content: start over with --restart, or \
                         choose another folder, and let nobody write to it meanwhile";
            let same = again.and_then(|digest| if Some(digest) == table.digest { Ok(()) } else { Err(changed()) });
            if let Err(wrong) = same {
                return Err(Error::input(&source.path, format!("it cannot be read a second time: {wrong}; {mixed}")));
            }
            if !self.open {
                return Ok(());
            }
        }
        Ok(())
    }

    fn end(mut self) -> bool {
        if self.open && !self.customers.is_empty() {
            self.send();
        }
        self.open
    }
}
