//! A run, from its start or from the checkpoint of an earlier run, to its manifest.

use std::fs;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Mutex, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use super::error::Error;
use super::gate::Gate;
use super::inputs::find::find_batch_sources;
use super::inputs::kinds::SourceKind;
use super::inputs::source::{BatchSource, Sources};
use super::job::{Job, OutputFormat, OutputTable};
use super::output::checkpoint::{Checkpoint, Folder, Output, OutputProgress, Position};
use super::output::decided::Decided;
use super::output::manifest::{Manifest, OutputFile};
use super::output::parquet;
use super::output::result_rows::{ColumnType, ResultColumn, RowFormat, list_result_columns, write_header};
use super::output::writer::Writer;
use super::own_files::{self, MANIFEST};
use super::plan::{Plan, changed_inputs, write_inputs};
use super::progress::{Advance, Progress};
use super::tables::first_pass::FirstPass;
use super::tables::table_scan::Survey;
use super::tally::{PassedOver, Tally};
use super::units::cut::Cutter;
use super::units::decider::{Decider, OutputSpec};
use super::units::threads::{self, Threads};
use super::units::unit::Unit;
use crate::run::whole_file::{Access, write_whole};

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// The counts, including those of earlier runs that this one resumed.
    pub tally: Tally,
    /// The folder of the results.
    pub folder: PathBuf,
    /// The files of results in it, with the rows of each.
    pub outputs: Vec<(PathBuf, u64)>,
    /// The number of files passed over: hidden, not statements by their names, or duplicates.
    pub passed_over: u64,
    /// The first files passed over; the manifest lists all.
    pub first_passed_over: Vec<PassedOver>,
    /// Records that this run decided itself; fewer than all if it resumed another.
    pub records_now: u64,
    /// Whether an earlier run had already finished.
    pub was_finished: bool,
}

/// The number of passed over files in a summary.
const SHOWN_PASSED_OVER: usize = 10;

/// Statements in flight may take up one part in this many of all memory. Deciding them needs several times their size.
const IN_FLIGHT_PART: u64 = 16;

/// The fewest and the most bytes of a unit.
const UNIT_BYTES: (u64, u64) = (1 << 16, 4 << 20);

/// The most bytes of memory that a thread keeps for later statements.
const BUFFER_KEPT_MAX: usize = 4 << 20;

/// How often progress is reported.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);

/// Decides all inputs, or resumes an earlier run. The same job writes the same files, on any number of threads and
/// however often it was interrupted.
///
/// # Errors
/// If inputs cannot be found, the folder holds something else, or results cannot be written. What was written before
/// stays valid.
pub fn run(job: &Job, progress: &mut dyn Progress) -> Result<Summary, Error> {
    let _span = tracing::debug_span!("batch").entered();
    let outputs = list_wanted_outputs(job)?;
    own_files::refuse_link(&job.out)?;
    let mut folder = Folder::lock(&job.folder())?;
    if job.restart {
        folder.clear()?;
    }
    let sources = find_batch_sources(&job.inputs, &job.out, &folder.work, job.columns.as_ref())?;
    if sources.list.is_empty() && !job.allow_empty {
        return Err(Error::Nothing { passed_over: sources.passed_over.len() as u64 });
    }
    refuse_merging(job, &sources.list)?;
    refuse_customer(job, &sources.list)?;
    refuse_shared_file_names(job, &sources.list)?;
    let plan = Plan::new(job, &sources.list);
    let before = folder.checkpoint()?;
    if let Some(before) = &before {
        refuse_different_run(before, &plan, &folder, &sources.list)?;
    }
    let summary = match before {
        Some(before) if before.finished => summarize_finished(&folder, before, &sources),
        before => {
            folder.open_temp(job.temp.as_deref(), before.as_ref())?;
            Run { job, folder: &folder, sources: &sources, plan: &plan, outputs: &outputs }.execute(before, progress)
        }
    }?;
    let tally = &summary.tally;
    let is_empty = tally.statements == 0 && tally.failures == 0 && tally.unread_tables == 0;
    // A shard may have no statements.
    match is_empty && job.shard.is_none() && !job.allow_empty {
        true => Err(Error::Nothing { passed_over: summary.passed_over }),
        false => Ok(summary),
    }
}

/// The outputs, in the order in which they are shown.
fn list_wanted_outputs(job: &Job) -> Result<Vec<OutputSpec>, Error> {
    let wanted = |table: &OutputTable| *table == OutputTable::Failures || job.write.contains(table);
    let mut outputs = Vec::new();
    for table in OutputTable::ALL.into_iter().filter(wanted) {
        let row_format = RowFormat::for_output(job.format);
        let columns = list_result_columns(table, &job.policies, row_format)?;
        outputs.push(OutputSpec { table: Some(table), columns, row_format });
    }
    let columns = vec![
        ResultColumn::own("source", ColumnType::Text),
        ResultColumn::own("holds", ColumnType::Text),
        ResultColumn::own("bytes", ColumnType::Integer),
        ResultColumn::own("digest", ColumnType::Text),
        ResultColumn::own("statements", ColumnType::Integer),
        ResultColumn::own("records", ColumnType::Integer),
    ];
    outputs.push(OutputSpec { table: None, columns, row_format: RowFormat::Objects });
    Ok(outputs)
}

/// Refuses tables of one name in different folders, where a columns file takes a file's name for the customer's.
fn refuse_shared_file_names(job: &Job, sources: &[BatchSource]) -> Result<(), Error> {
    let Some(columns) = &job.columns else { return Ok(()) };
    let labels: Vec<String> = sources.iter().filter(|source| !source.is_document()).map(BatchSource::label).collect();
    columns.refuse_shared_file_names(labels.iter().map(String::as_str)).map_err(|wrong| Error::Asked(wrong.to_string()))
}

/// Refuses a request that names a customer, unless there is one statement: others would be decided as that customer's.
fn refuse_customer(job: &Job, sources: &[BatchSource]) -> Result<(), Error> {
    match &job.request.customer {
        Some(_) if !matches!(sources, [only] if only.kind == SourceKind::Document) => Err(Error::Asked(
            "the request names a customer, but a batch decides on the customers in its inputs; omit `customer` from \
             the request"
                .to_owned(),
        )),
        _ => Ok(()),
    }
}

/// Refuses to merge accounts that are files of one statement each: only rows of tables are grouped by customer.
fn refuse_merging(job: &Job, sources: &[BatchSource]) -> Result<(), Error> {
    match sources.iter().find(|source| job.merging.is_some() && source.kind == SourceKind::Document) {
        None => Ok(()),
        Some(document) => Err(Error::Asked(format!(
            "--merge combines a customer's accounts from tables, but `{}` is a single statement; put the accounts into \
             one table with a column `account`, or merge a customer's files by `lendwright decide --merge`",
            document.label()
        ))),
    }
}

/// Refuses to resume a run of a different request.
fn refuse_different_run(
    before: &Checkpoint,
    plan: &Plan,
    folder: &Folder,
    sources: &[BatchSource],
) -> Result<(), Error> {
    let mut differences = before.plan.differences(plan);
    if before.plan.inputs_differ(plan) {
        differences.retain(|what| !what.starts_with("inputs:"));
        differences.extend(changed_inputs(&folder.work, sources));
    }
    match differences.is_empty() {
        true => Ok(()),
        false => Err(Error::Differs { path: folder.path.clone(), differences }),
    }
}

fn summarize_finished(folder: &Folder, before: Checkpoint, sources: &Sources) -> Result<Summary, Error> {
    let path = folder.path.join(MANIFEST);
    let manifest = fs::read(&path).map_err(Error::io(&path))?;
    let manifest: Manifest = serde_json::from_slice(&manifest)
        .map_err(|wrong| Error::Changed { path, what: format!("not a manifest of this program: {wrong}") })?;
    for made in &manifest.outputs {
        let path = folder.path.join(&made.file);
        if fs::metadata(&path).map(|file| file.len()).ok() != Some(made.bytes) {
            return Err(Error::Changed { path, what: "it was changed after the run finished".into() });
        }
    }
    folder.tidy(&KEPT)?;
    let made = manifest.outputs;
    Ok(summarize_finished_run(folder, before.tally, made, sources, 0, true))
}

fn summarize_finished_run(
    folder: &Folder,
    tally: Tally,
    made: Vec<OutputFile>,
    sources: &Sources,
    records_now: u64,
    was_finished: bool,
) -> Summary {
    let passed_over = all_passed_over(sources, &tally);
    Summary {
        tally,
        folder: folder.path.clone(),
        outputs: made.into_iter().map(|made| (made.file, made.rows)).collect(),
        passed_over: passed_over.len() as u64,
        first_passed_over: passed_over.into_iter().take(SHOWN_PASSED_OVER).collect(),
        records_now,
        was_finished,
    }
}

/// Files passed over by their names, and tables passed over because of their content.
fn all_passed_over(sources: &Sources, tally: &Tally) -> Vec<PassedOver> {
    sources.passed_over.iter().chain(&tally.passed_over_tables).cloned().collect()
}

/// The files of the work that stay when the run has finished.
const KEPT: [&str; 3] = [own_files::LOCK, "checkpoint.json", "inputs.txt"];

struct Run<'a> {
    job: &'a Job,
    folder: &'a Folder,
    sources: &'a Sources,
    plan: &'a Plan,
    outputs: &'a [OutputSpec],
}

impl Run<'_> {
    fn execute(&self, before: Option<Checkpoint>, progress: &mut dyn Progress) -> Result<Summary, Error> {
        let mut writer = self.writer(before)?;
        let (decided, survey) = (writer.tally.records, OnceLock::new());
        self.decide(&mut writer, &survey, progress)?;
        let reached = writer.checkpoint(false)?;
        let made = self.finish_outputs(reached)?;
        let manifest = Manifest::new(self.job, &writer.tally, all_passed_over(self.sources, &writer.tally), made);
        let path = self.folder.path.join(MANIFEST);
        write_whole(&path, Access::Usual, &manifest.to_bytes()).map_err(Error::io(&path))?;
        writer.checkpoint(true)?;
        self.folder.tidy(&KEPT)?;
        let now = writer.tally.records - decided;
        Ok(summarize_finished_run(self.folder, writer.tally, manifest.outputs, self.sources, now, false))
    }

    /// Opens the outputs at the checkpoint's positions, or creates them.
    fn writer(&self, before: Option<Checkpoint>) -> Result<Writer<'_>, Error> {
        let before = match before {
            Some(before) => before,
            None => self.begin()?,
        };
        let mut outputs = Vec::new();
        if before.outputs.is_empty() {
            for output in self.outputs {
                let mut header = Vec::new();
                write_header(&output.columns, output.row_format, &mut header);
                outputs.push(Output::create(&self.folder.path, &self.file(output, true), &header)?);
            }
        }
        for reached in before.outputs {
            outputs.push(Output::reopen(&self.folder.path, reached)?);
        }
        Ok(Writer {
            folder: self.folder,
            plan: self.plan,
            outputs,
            position: before.position,
            tally: before.tally,
            source_bytes: before.source_bytes,
            every: self.job.checkpoint_every,
            last: Instant::now(),
            next: 0,
            early: Default::default(),
        })
    }

    /// Writes the first checkpoint. From here on, the output files belong to this run.
    fn begin(&self) -> Result<Checkpoint, Error> {
        for output in self.outputs {
            let path = self.folder.path.join(self.file(output, false));
            if path.exists() {
                return Err(Error::Changed { path, what: "it exists, but no checkpoint mentions it".into() });
            }
        }
        write_inputs(&self.folder.work, &self.sources.list)?;
        let first = Checkpoint {
            plan: self.plan.clone(),
            position: Position::default(),
            outputs: Vec::new(),
            tally: Tally::default(),
            source_bytes: 0,
            temp: self.folder.temp_elsewhere(),
            finished: false,
        };
        self.folder.write_checkpoint(&first)?;
        Ok(first)
    }

    /// The file of an output. While it grows, Parquet is stored as JSON rows.
    fn file(&self, output: &OutputSpec, grows: bool) -> PathBuf {
        let Some(table) = output.table else { return own_files::INPUTS.into() };
        match self.job.format {
            OutputFormat::Parquet if grows => PathBuf::from("work").join(format!("{}.rows", table.name())),
            format => own_files::result_file(table.name(), format.name()).into(),
        }
    }

    /// The outputs in their final format.
    fn finish_outputs(&self, reached: Vec<OutputProgress>) -> Result<Vec<OutputFile>, Error> {
        let mut all = Vec::new();
        for (output, mut reached) in self.outputs.iter().zip(reached) {
            if output.row_format == RowFormat::Lists {
                let (from, file) = (self.folder.path.join(&reached.file), self.file(output, false));
                let to = self.folder.path.join(&file);
                let made = parquet::write_parquet_lines(&output.columns, &from, &to).map_err(Error::io(&to))?;
                (reached.bytes, reached.digest) = made;
                reached.file = file;
            }
            all.push(OutputFile::from(reached));
        }
        Ok(all)
    }

    /// Cuts, decides and writes, in parallel.
    fn decide(
        &self,
        writer: &mut Writer<'_>,
        survey: &OnceLock<Survey>,
        progress: &mut dyn Progress,
    ) -> Result<(), Error> {
        let threads =
            self.job.threads.or_else(|| thread::available_parallelism().ok().map(usize::from)).unwrap_or(1).max(1);
        let pool = threads::build_thread_pool(threads)?;
        let alone = (0..threads).map(|_| threads::build_thread_pool(1)).collect::<Result<Vec<_>, _>>()?;
        let in_flight_bytes = self.job.memory / IN_FLIGHT_PART;
        let unit_bytes = (in_flight_bytes / (2 * threads as u64 + 2)).clamp(UNIT_BYTES.0, UNIT_BYTES.1);
        let gate = Gate::new(in_flight_bytes);
        let pass = FirstPass::new(&gate);
        let (send_unit, units) = mpsc::sync_channel::<Unit>(threads);
        let (send_decided, decided) = mpsc::channel();
        let units = Mutex::new(units);
        let buffer_kept = usize::try_from(in_flight_bytes / threads as u64).unwrap_or(usize::MAX).min(BUFFER_KEPT_MAX);
        let decider = Decider::new(self.job, &self.sources.list, self.outputs, survey, buffer_kept);
        let from = writer.position.clone();
        let all = Threads { units: &units, gate: &gate, pool: &pool };
        thread::scope(|scope| {
            let cutting = scope.spawn(|| {
                let mut cut = Cutter {
                    job: self.job,
                    sources: &self.sources.list,
                    work: &self.folder.work,
                    temp: &self.folder.temp,
                    plan: self.plan,
                    gate: &gate,
                    send: send_unit,
                    survey,
                    pass: &pass,
                    pool: &pool,
                    unit_bytes,
                    index: 0,
                };
                cut.all(&from)
            });
            let started = alone.iter().map(|alone| {
                let (send, all, decider, mut buffer) = (send_decided.clone(), &all, &decider, Vec::new());
                scope.spawn(move || all.decide(alone, &send, |unit| decider.decide_unit(unit, &mut buffer)))
            });
            let started: Vec<_> = started.collect();
            drop(send_decided);
            let close_on_drop = CloseOnDrop(&gate);
            let written = self.write(writer, &decided, (&gate, &pass), progress);
            drop((close_on_drop, decided));
            // The gate is closed, so nobody waits, and a panic ends the run instead of blocking it.
            started.into_iter().for_each(|thread| join_decider_thread(thread.join()));
            written.and(join_decider_thread(cutting.join()))
        })
    }

    fn write(
        &self,
        writer: &mut Writer<'_>,
        decided: &Receiver<Result<Decided, Error>>,
        (gate, pass): (&Gate, &FirstPass<'_>),
        progress: &mut dyn Progress,
    ) -> Result<(), Error> {
        let (before, mut reported) = (writer.tally.records, Instant::now());
        let bytes_all = self.sources.list.iter().map(|source| source.bytes).sum();
        let advance = |writer: &Writer<'_>| {
            let (surveyed_bytes, surveyed_bytes_all) = pass.bytes();
            Advance {
                surveyed: pass.rows(),
                surveyed_bytes: surveyed_bytes.min(surveyed_bytes_all),
                surveyed_bytes_all,
                bytes: writer.source_bytes.min(bytes_all),
                bytes_all,
                statements: writer.tally.statements,
                records: writer.tally.records,
                records_now: writer.tally.records - before,
                failures: writer.tally.failures,
            }
        };
        progress.advance(&advance(writer));
        loop {
            let ended = match decided.recv_timeout(PROGRESS_EVERY) {
                Ok(decided) => {
                    writer.take(decided?, gate)?;
                    false
                }
                Err(RecvTimeoutError::Timeout) => false,
                Err(RecvTimeoutError::Disconnected) => true,
            };
            if ended || reported.elapsed() >= PROGRESS_EVERY {
                reported = Instant::now();
                progress.advance(&advance(writer));
            }
            if progress.is_interrupted() {
                writer.checkpoint(false)?;
                return Err(Error::Interrupted);
            }
            if ended {
                return Ok(());
            }
        }
    }
}

/// The result of a thread; a panic of the thread continues here.
fn join_decider_thread<T>(thread: thread::Result<T>) -> T {
    thread.unwrap_or_else(|panic| resume_unwind(panic))
}

/// Closes the gate when dropped, also by an error or a panic.
struct CloseOnDrop<'g>(&'g Gate);

impl Drop for CloseOnDrop<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::mpsc::{self, RecvTimeoutError};
    use std::thread;
    use std::time::Duration;

    use super::{Job, run};
    use crate::rules::Policies;
    use crate::run::batch::units::decider::PANICS;

    const POLICY: &str = "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n\
        [metric]\nn = \"COUNT(*)\"\n";

    /// With so little memory, one statement is in flight at a time: one that never leaves blocks all others.
    #[test]
    fn a_panic_ends_the_run() {
        for threads in [1, 3] {
            let folder = tempfile::tempdir().unwrap();
            let inputs = folder.path().join("in");
            fs::create_dir(&inputs).unwrap();
            for number in 0..12 {
                let name = if number == 2 { format!("{number}-{PANICS}") } else { format!("{number}.json") };
                fs::write(inputs.join(name), format!("[{}]", " ".repeat(70 << 10))).unwrap();
            }
            let policy = crate::rules::compile("x.toml", POLICY, &mut |_| Err("no files".into()), &[]).unwrap();
            let mut job = Job::new(Policies::from(policy), vec![inputs], folder.path().join("out"));
            (job.threads, job.memory) = (Some(threads), 1 << 20);
            let (running, ended) = mpsc::channel::<()>();
            let run = thread::spawn(move || {
                let _running = running;
                run(&job, &mut ()).map(|summary| summary.tally.statements).map_err(|wrong| wrong.to_string())
            });
            // Far longer than the run takes.
            assert_eq!(ended.recv_timeout(Duration::from_secs(120)), Err(RecvTimeoutError::Disconnected));
            assert!(run.join().is_err(), "{threads} threads");
        }
    }
}
