//! Scans the tables before anything is decided on them: whether they can be read to their end, and in which order their
//! customers come.
//!
//! All tables of a run are one table. Only a complete scan shows that no customer's records are missing, so nothing is
//! decided before. Rows ordered by customer are streamed in a second read; others are written in sorted runs.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use rayon::ThreadPool;
use serde::{Deserialize, Serialize};

use super::disk::Disk;
use super::first_pass::FirstPass;
use super::sort::Sorter;
use crate::base::digest::Digest;
use crate::run::batch::error::Error;
use crate::run::batch::inputs::compression::{Compression, decompress_stream};
use crate::run::batch::inputs::kinds::{FileKind, SourceKind, kind_by_name};
use crate::run::batch::inputs::source::BatchSource;
use crate::run::batch::inputs::spool;
use crate::run::batch::job::{Job, Shard};
use crate::run::batch::own_files;
use crate::run::batch::plan::Plan;
use crate::run::files::digest_all;
use crate::run::files::kinds::{BEGINNING, describe_foreign_file};
use crate::run::whole_file::{Access, write_whole};
use crate::statement::{self, Columns, Next, RowsRequest, SeenRow, Table, TableBytes, TableFormat, each_row};

/// The result of the scan.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Survey {
    plan: Plan,
    /// Version of the format of the runs.
    #[serde(default)]
    format: u32,
    pub(crate) tables: Vec<SurveyedTable>,
    /// The sorted runs, where the rows do not stream.
    pub(crate) runs: Option<Vec<PathBuf>>,
    /// The length of each run, to detect one that was cut short.
    #[serde(default)]
    run_bytes: Vec<u64>,
    /// The tables in the order of their first customers, where the rows do stream.
    pub(crate) order: Vec<usize>,
}

/// One table.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SurveyedTable {
    /// Its index among the sources.
    pub(crate) source: usize,
    pub(crate) label: String,
    pub(crate) table: Option<Table>,
    pub(crate) rows: u64,
    pub(crate) digest: Option<Digest>,
    first: String,
    pub(crate) last: String,
    /// Why it cannot be read.
    pub(crate) failed: Option<Failed>,
    /// The digest of its content, once decompressed.
    content: Option<Digest>,
    /// Another table with the same content, which is used instead.
    pub(crate) same_as: Option<String>,
    /// Whether it belongs to another shard as a whole, so that it was not read.
    #[serde(default)]
    pub(crate) left: bool,
}

/// Why a table cannot be read.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Failed {
    pub(crate) place: Option<String>,
    pub(crate) what: String,
    /// The customer whose records are missing, where the table's folder names one.
    pub(crate) customer: Option<String>,
}

impl SurveyedTable {
    fn unread(source: usize, label: String) -> SurveyedTable {
        let (first, last) = (String::new(), String::new());
        let (table, digest, failed, content, same_as) = (None, None, None, None, None);
        SurveyedTable { source, label, table, rows: 0, digest, first, last, failed, content, same_as, left: false }
    }

    /// Whether its rows are to be decided on.
    pub(crate) fn counts(&self) -> bool {
        !self.lacks_rows() && self.same_as.is_none()
    }

    /// Whether it was read and is empty.
    pub(crate) fn has_no_bytes(&self) -> bool {
        self.failed.is_none() && self.content == Some(Digest::compute(&[]))
    }

    /// Whether it was read to its end and holds nobody's rows.
    pub(crate) fn is_without_rows(&self) -> bool {
        self.failed.is_none() && !self.left && self.rows == 0
    }

    pub(crate) fn lacks_rows(&self) -> bool {
        self.failed.as_ref().is_some_and(|failed| failed.customer.is_none())
    }
}

const SURVEY: &str = "tables.json";

/// The current version of the format of runs and rows. Runs of other versions are written again.
const FORMAT: u32 = 3;

/// The sorter may use one part in this many of all memory.
const SORT_PART: u64 = 3;

impl Survey {
    /// The tables that cannot be read and whose customers are unknown.
    pub(crate) fn lacks_rows(&self) -> impl Iterator<Item = &SurveyedTable> {
        self.tables.iter().filter(|table| table.lacks_rows())
    }

    pub(crate) fn rows(&self) -> u64 {
        self.tables.iter().map(|table| table.rows).sum()
    }
}

/// Scans all tables, or uses the scan of an earlier run.
pub(crate) fn scan_all_tables(
    job: &Job,
    (work, temp, pool): (&Path, &Path, &ThreadPool),
    plan: &Plan,
    sources: &[BatchSource],
    pass: &FirstPass<'_>,
) -> Result<Survey, Error> {
    let path = work.join(SURVEY);
    let before = fs::read(&path).ok().and_then(|bytes| serde_json::from_slice::<Survey>(&bytes).ok());
    let there = |survey: &Survey| {
        let runs = survey.runs.iter().flatten();
        let bytes: Option<Vec<u64>> = runs.map(|run| fs::metadata(temp.join(run)).ok().map(|run| run.len())).collect();
        (&survey.plan, survey.format) == (plan, FORMAT) && bytes.as_ref() == Some(&survey.run_bytes)
    };
    if let Some(survey) = before.filter(there) {
        return Ok(survey);
    }
    let own_names = Columns::default();
    let columns = job.columns.as_ref().unwrap_or(&own_names);
    let disk = Disk::new(job.temp_max, pass);
    let mut surveyor = Surveyor { job, temp, pool, sources, columns, pass, disk: &disk };
    let mut survey = match surveyor.in_order()? {
        Some(survey) => survey,
        None => surveyor.sorted()?,
    };
    survey.tables.extend(surveyor.unread_sources());
    (survey.plan, survey.format) = (plan.clone(), FORMAT);
    let bytes = serde_json::to_vec(&survey).map_err(|wrong| Error::io(&path)(wrong.into()))?;
    write_whole(&path, Access::Usual, &bytes).map_err(Error::io(&path))?;
    Ok(survey)
}

struct Surveyor<'a> {
    job: &'a Job,
    temp: &'a Path,
    pool: &'a ThreadPool,
    sources: &'a [BatchSource],
    columns: &'a Columns,
    pass: &'a FirstPass<'a>,
    disk: &'a Disk<'a>,
}

/// The number of rows between two reports of progress.
const PROGRESS_ROWS: u64 = 50_000;

impl Surveyor<'_> {
    /// Which sources are tables, with their formats.
    fn tables(&self) -> Vec<(usize, TableFormat)> {
        let format = |(at, source): (usize, &BatchSource)| match source.kind {
            SourceKind::Table(format) => Some((at, format)),
            _ => None,
        };
        self.sources.iter().enumerate().filter_map(format).collect()
    }

    /// Unreadable sources that may be or hold tables: archives that end too early, folders that cannot be searched.
    /// They are reported with the sources.
    fn unread_sources(&self) -> Vec<SurveyedTable> {
        let mut found = Vec::new();
        for (at, source) in self.sources.iter().enumerate() {
            let SourceKind::Unreadable(what) = &source.kind else { continue };
            let is_archive = || matches!(kind_by_name(&source.path.to_string_lossy()), FileKind::Archive(..));
            let mut members = self.sources.iter().filter(|other| other.path == source.path && other.member.is_some());
            let holds_statements = match source.member.is_none() && is_archive() {
                true => members.clone().next().is_some() && members.all(BatchSource::is_named_statement),
                false => source.is_named_statement(),
            };
            // Under a columns file, JSON may hold rows of anybody.
            if !holds_statements || self.columns.names_columns() {
                let mut table = SurveyedTable::unread(at, source.label());
                table.failed = Some(Failed { place: None, what: what.clone(), customer: None });
                found.push(table);
            }
        }
        found
    }

    fn begin(&self) {
        let tables = self.tables().into_iter().filter_map(|(source, _)| self.sources.get(source));
        self.pass.begin(tables.map(|source| source.bytes).sum());
        self.disk.reset();
    }

    /// Scans the tables in place; `None` if the rows are not ordered by customer.
    fn in_order(&mut self) -> Result<Option<Survey>, Error> {
        self.begin();
        let mut tables = Vec::new();
        for (source, format) in self.tables() {
            let mut sorted = true;
            let table = self.table(source, format, &|_| false, &mut |row, last| {
                sorted = row.customer.as_bytes() >= last.as_bytes();
                Ok(if sorted { Next::Row } else { Next::Stop })
            })?;
            if !sorted {
                return Ok(None);
            }
            tables.push(table);
        }
        self.mark_same(&mut tables);
        let there = |at: &usize| {
            let table: Option<&SurveyedTable> = tables.get(*at);
            table.is_some_and(|table| !table.first.is_empty() && table.counts())
        };
        let mut order: Vec<usize> = (0..tables.len()).filter(there).collect();
        let ends = |at: &usize| tables.get(*at).map(|table| (&table.first, &table.last));
        order.sort_by_key(|at| (ends(at), *at));
        let apart = order.windows(2).all(|pair| match pair {
            [left, right] => ends(left).map(|(_, last)| last) <= ends(right).map(|(first, _)| first),
            _ => true,
        });
        Ok(apart.then(|| Survey { tables, order, ..Survey::default() }))
    }

    /// Finds tables with the same content under another name: a copy, the same file compressed, a member of an archive.
    /// Their rows count once. If their folders give the rows different columns, they are different rows.
    fn mark_same(&self, tables: &mut [SurveyedTable]) {
        let mut seen: HashMap<Digest, Vec<usize>> = HashMap::new();
        for at in 0..tables.len() {
            let keys = |table: &SurveyedTable| {
                self.sources.get(table.source).map(|source| self.columns.given(&table.label, source.keys()).ok())
            };
            let Some(table) = tables.get(at).filter(|table| table.rows > 0) else { continue };
            let Some(content) = table.content else { continue };
            let others = seen.entry(content).or_default();
            let same = |other: &&SurveyedTable| keys(other) == keys(table);
            let first =
                others.iter().filter_map(|other| tables.get(*other)).find(same).map(|first| first.label.clone());
            match (first, tables.get_mut(at)) {
                (Some(first), Some(table)) => table.same_as = Some(first),
                _ => others.push(at),
            }
        }
    }

    /// Writes all rows of this shard in sorted runs. After a failure, the runs are removed: the next run cannot use
    /// them.
    fn sorted(&mut self) -> Result<Survey, Error> {
        let folder = self.temp.join(own_files::RUNS);
        let sorted = self.sort(&folder);
        if sorted.is_err() && folder.exists() {
            let _ = own_files::remove_runs(&folder);
        }
        sorted
    }

    fn sort(&mut self, folder: &Path) -> Result<Survey, Error> {
        let memory = (self.job.memory / SORT_PART).max(1 << 20);
        let mut sorter = Sorter::new(folder, memory, (self.pool, self.disk)).map_err(Error::io(folder))?;
        self.begin();
        let mut tables = Vec::new();
        for (source, format) in self.tables() {
            let number = tables.len() as u32;
            let shard = self.job.shard;
            let own = |customer: &str| Shard::holds(shard, customer);
            let table = self.table(source, format, &own, &mut |row, _| {
                if !row.bytes.is_empty() {
                    sorter.push(row.customer, number, row.ordinal, row.bytes)?;
                }
                Ok(Next::Row)
            })?;
            if let Some((customer, what)) = table
                .failed
                .as_ref()
                .and_then(|failed| failed.customer.as_ref().map(|customer| (customer, &failed.what)))
                && Shard::holds(shard, customer)
            {
                sorter.push(customer, number, u32::MAX, &statement::lost_row(what)).map_err(Error::io(folder))?;
            }
            tables.push(table);
        }
        self.mark_same(&mut tables);
        let runs = sorter.finish().map_err(Error::io(folder))?;
        let length = |run: &PathBuf| fs::metadata(run).map(|run| run.len()).map_err(Error::io(run));
        let run_bytes = runs.iter().map(length).collect::<Result<_, _>>()?;
        let below = |run: PathBuf| run.strip_prefix(self.temp).map_or_else(|_| run.clone(), Path::to_owned);
        Ok(Survey { tables, runs: Some(runs.into_iter().map(below).collect()), run_bytes, ..Survey::default() })
    }

    /// Reads one table to its end. `take` receives each row and the customer of the row before.
    fn table(
        &mut self,
        source: usize,
        format: TableFormat,
        rows: &(dyn Fn(&str) -> bool + Sync),
        take: &mut dyn FnMut(SeenRow<'_>, &str) -> io::Result<Next>,
    ) -> Result<SurveyedTable, Error> {
        let from = self.sources.get(source).ok_or_else(|| Error::Asked("no such source".into()))?;
        let (label, memory, pass) = (from.label(), self.job.decoding(), self.pass);
        let mut found = SurveyedTable::unread(source, label.clone());
        let end = pass.bytes().0 + from.bytes;
        let given = match self.columns.given(&label, from.keys()) {
            Ok(given) => given,
            Err(error) => {
                let (place, what) = error.parts();
                found.failed = Some(Failed { place, what, customer: None });
                pass.set_bytes(end);
                return Ok(found);
            }
        };
        let asked = RowsRequest { label: &label, columns: self.columns, given: &given, rows, memory };
        if self.is_of_other_shard(from, format) {
            found.left = true;
            pass.set_bytes(end);
            return Ok(found);
        }
        if format == TableFormat::Parquet && from.member.is_some() {
            self.disk.reserve(from.bytes, 1).map_err(Error::io(self.temp))?;
        }
        let (mut wrong, mut stopped) = (None, false);
        let each = |row: SeenRow<'_>| {
            if found.rows == 0 {
                found.first.push_str(row.customer);
            }
            found.rows += 1;
            if found.rows.is_multiple_of(PROGRESS_ROWS) && pass.count_rows(PROGRESS_ROWS) == Next::Stop {
                stopped = true;
                return Next::Stop;
            }
            let next = take(row, &found.last).unwrap_or_else(|error| {
                wrong = Some(error);
                Next::Stop
            });
            if found.last != row.customer {
                found.last.clear();
                found.last.push_str(row.customer);
            }
            next
        };
        let read = read_table(from, format, self.temp, (&asked, &|bytes| pass.count_bytes(bytes)), each);
        if let Some(wrong) = wrong {
            return Err(Error::io(self.temp)(wrong));
        }
        pass.set_bytes(end);
        // There may be many tables with few rows each.
        if stopped || pass.count_rows(found.rows % PROGRESS_ROWS) == Next::Stop {
            return Err(Error::Interrupted);
        }
        match read {
            Ok(read) => {
                (found.table, found.digest, found.content) = (Some(read.table), Some(read.stored), Some(read.content))
            }
            Err(statement::Error::Memory { what, bytes }) => {
                return Err(Error::too_large(self.job, &label, &what, bytes));
            }
            Err(error) => self.set_failed(&mut found, &error, from, format),
        }
        Ok(found)
    }

    /// Keeps why a table cannot be read, and whose records are missing if that is known.
    fn set_failed(&self, found: &mut SurveyedTable, error: &statement::Error, from: &BatchSource, format: TableFormat) {
        let (mut place, mut what) = error.parts();
        if let Some(foreign) = begins_as(from) {
            (place, what) = (None, foreign);
        }
        let customer = self.known_customer(from, format);
        if let Some(customer) = &customer {
            // The failure is streamed at the customer's place in the order.
            (found.first, found.last) = (customer.clone(), customer.clone());
        }
        found.failed = Some(Failed { place, what, customer });
    }

    /// Whether the whole table belongs to another shard: its customer is given, and its header does not contradict.
    /// False for lines, which may each name a customer, and for members of archives, which cannot be opened alone.
    fn is_of_other_shard(&self, from: &BatchSource, format: TableFormat) -> bool {
        let Some(shard) = self.job.shard.filter(|_| format != TableFormat::Lines && from.member.is_none()) else {
            return false;
        };
        let is_of_another = |customer: &String| !customer.is_empty() && !Shard::holds(Some(shard), customer);
        if self.given_customer(from).filter(is_of_another).is_none() {
            return false;
        }
        let Ok(mut file) = File::open(&from.path) else { return false };
        match format {
            TableFormat::Parquet => !statement::parquet_names_customers(&mut file, self.columns),
            _ => decompress_stream(file, from.compression)
                .is_ok_and(|mut bytes| !statement::text_names_others(format, &mut bytes, self.columns, "")),
        }
    }

    /// The customer of a whole table, where its folder, its name or the caller says it. Empty where they say that the
    /// customer is unknown.
    fn given_customer(&self, from: &BatchSource) -> Option<String> {
        let names = self.columns.customer_names();
        let given = self.columns.given(&from.label(), from.keys()).ok()?;
        let found = given.into_iter().find(|(key, _)| names.contains(&key.as_str()));
        found.map(|(_, customer)| statement::customer_name(&customer).unwrap_or_default().into_owned())
    }

    /// The customer of an unreadable table, where it is given and the readable part does not contradict.
    fn known_customer(&self, from: &BatchSource, format: TableFormat) -> Option<String> {
        let customer = self.given_customer(from).filter(|customer| !customer.is_empty())?;
        let mut names_others = false;
        // An error is expected here. What was read before it still counts.
        let _ = match format {
            TableFormat::Parquet => spool::open_seekable(from, self.temp)
                .map(|mut file| names_others = statement::parquet_names_customers(&mut file, self.columns)),
            _ => spool::read_source(from, |bytes| {
                names_others = statement::text_names_others(format, bytes, self.columns, &customer);
            })
            .map(|((), _)| ()),
        };
        (!names_others).then_some(customer)
    }
}

/// What a table that cannot be read is by its first bytes, if they belong to no format of statements.
fn begins_as(source: &BatchSource) -> Option<String> {
    let mut beginning = Vec::new();
    // If it cannot be read even so far, the first error says why.
    let read = spool::read_source(source, |bytes| bytes.take(BEGINNING).read_to_end(&mut beginning).is_ok());
    describe_foreign_file(&beginning).filter(|_| read.is_ok_and(|(is_read, _)| is_read))
}

/// A table that was read to its end.
pub(crate) struct ReadTable {
    table: Table,
    /// The digest of the stored bytes.
    pub(crate) stored: Digest,
    /// The digest of the decompressed bytes.
    content: Digest,
}

/// Reads a table and digests its bytes; reports them to `on_read` as it goes.
pub(crate) fn read_table(
    source: &BatchSource,
    format: TableFormat,
    temp: &Path,
    (asked, on_read): (&RowsRequest<'_>, &dyn Fn(u64)),
    mut take: impl FnMut(SeenRow<'_>) -> Next,
) -> Result<ReadTable, statement::Error> {
    let io = |wrong: io::Error| statement::Error::Table { what: wrong.to_string() };
    if format == TableFormat::Parquet {
        let mut file = spool::open_seekable(source, temp).map_err(io)?;
        let mut before = 0;
        let table = each_row(format, TableBytes::Seekable(&mut file), asked, |row| {
            // Parquet is read column by column, so progress is measured in rows, not in bytes read.
            if let Some(rows) = row.of_rows.filter(|_| row.ordinal.is_multiple_of(1 << 12)) {
                let at = u128::from(source.bytes) * u128::from(row.ordinal) / u128::from(rows.max(1));
                let at = u64::try_from(at).unwrap_or_default();
                on_read(at.saturating_sub(before));
                before = at;
            }
            take(row)
        })?;
        let stored = file.rewind().and_then(|()| digest_all(&mut file)).map_err(io)?;
        return Ok(ReadTable { table, stored, content: stored });
    }
    let read = |bytes: &mut dyn Read| match format {
        // An empty part of a table needs no header, and hides nobody's rows.
        _ if source.compression == Compression::Plain && source.bytes == 0 => Ok(Table::unread(asked.label)),
        _ => each_row(format, TableBytes::Stream(bytes), asked, &mut take),
    };
    if source.compression == Compression::Plain {
        let (table, stored) = spool::read_source_with_progress(source, on_read, read).map_err(io)?;
        return Ok(ReadTable { table: table?, stored, content: stored });
    }
    let (table, stored) = spool::read_source_with_progress(source, on_read, |bytes| {
        spool::digest_decompressed(bytes, format != TableFormat::Lines, read)
    })
    .map_err(io)?;
    let (table, content) = table.map_err(io)?;
    let table = table.unwrap_or_else(|| Ok(Table::unread(asked.label)))?;
    Ok(ReadTable { table, stored, content })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Policies;
    use crate::run::batch::gate::Gate;
    use crate::run::batch::inputs::find::find_batch_sources;

    const POLICY: &str = "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n\
        [metric]\nn = \"COUNT(*)\"\n";

    /// A row that is missing at the end of a run would be missing in decisions.
    #[test]
    fn runs_that_changed_in_length_or_format_are_written_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let (table, work) = (folder.path().join("t.csv"), folder.path().join("work"));
        fs::write(&table, "customer,trans_date,credit\nb,2026-03-01,5\na,2026-03-01,5\n").expect("written");
        let policy = crate::rules::compile("p.toml", POLICY, &mut |name| Err(name.to_owned()), &[]);
        let job = Job::new(Policies::from(policy.expect("a policy")), vec![table.clone()], "out");
        let sources = find_batch_sources(&[table], folder.path(), &work, None).expect("sources").list;
        let (plan, pool) = (Plan::new(&job, &sources), rayon::ThreadPoolBuilder::new().num_threads(1).build());
        let pool = pool.expect("a pool");
        let gate = Gate::new(1);
        let pass = FirstPass::new(&gate);
        let go = || scan_all_tables(&job, (&work, &work, &pool), &plan, &sources, &pass).expect("a survey");
        fs::create_dir_all(&work).expect("made");
        let run = work.join(&go().runs.expect("the rows are in no order")[0]);
        let whole = fs::read(&run).expect("a run");
        for left in [0, whole.len() / 2] {
            fs::write(&run, &whole[..left]).expect("written");
            go();
            assert_eq!(fs::read(&run).expect("a run"), whole);
        }
        // Runs of the same length and format are used; those of another format are not.
        let other: Vec<u8> = whole.iter().rev().copied().collect();
        fs::write(&run, &other).expect("written");
        go();
        assert_eq!(fs::read(&run).expect("a run"), other);
        let known = fs::read_to_string(work.join(SURVEY)).expect("a survey");
        fs::write(work.join(SURVEY), known.replace(&format!("\"format\":{FORMAT}"), "\"format\":0")).expect("written");
        go();
        assert_eq!(fs::read(&run).expect("a run"), whole);
    }
}
