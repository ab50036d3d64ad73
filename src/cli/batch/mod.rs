//! `batch`: decides many statements into a folder. Parses arguments, shows progress and prints a summary. Knows nothing
//! of how a batch is run.

mod show;
mod watch;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};

use super::diagnostics::DiagnosticFormat;
use super::input::{MergeArgs, PolicyArgs, RequestArgs, TableArgs};
use super::output::{self, Failure};
use super::portfolio::own_tables;
use crate::run::batch::{self, Job, OutputFormat, OutputTable, Shard};

/// The command line of `batch`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright batch --policy rules/starter.toml --as-of 2026-10-31 \\
      --out decided statements/
      every statement below the folder; decided/decisions.ndjson has the lines that `decide`
      prints
  lendwright batch --policy rules/starter.toml --as-of 2026-10-31 \\
      --out decided statements/
      the same command again resumes an interrupted or killed run, or says that nothing is left to
      do
  lendwright batch --policy rules/starter.toml --as-of 2026-10-31 \\
      --columns bank.toml --out decided 'exports/*.csv.gz' old.parquet
      tables: a customer's records are collected from all of them
  lendwright batch --policy rules/starter.toml --as-of 2026-10-31 \\
      --write decisions,offers,metrics,reasons --as parquet \\
      --out decided book.tar.zst
  lendwright batch --policy rules/starter.toml --as-of 2026-10-31 --shard 2/8 \\
      --out decided statements/
      the second of eight equal parts, into decided/shard-2-of-8
  zstdcat book.ndjson.zst | lendwright batch --policy rules/starter.toml --as-of 2026-10-31 --out decided -

A statement that cannot be read is listed in `failures`. The others are still decided, and the
exit status is 3. docs/guides/batch.md describes the inputs and the results.")]
pub struct BatchArgs {
    #[allow(missing_docs)]
    #[command(flatten)]
    pub policy: PolicyArgs,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub request: RequestArgs,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub table: TableArgs,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub merge: MergeArgs,
    /// A table with what each customer asks for and what else is known of them: the column customer, and one for each
    /// field, such as amount, bureau.score or given.fico; money in major units; without a row, --request counts
    #[arg(long, value_name = "FILE")]
    pub requests: Option<PathBuf>,
    /// The column of --requests that names the customer of each row, such as loan_id
    #[arg(long, value_name = "COLUMN", default_value = "customer", requires = "requests")]
    pub customer_column: String,
    /// The folder for the results; created if missing
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Which tables to write; failures and the list of inputs are always written
    #[arg(long, value_name = "TABLES", value_enum, value_delimiter = ',', default_value = "decisions")]
    pub write: Vec<TableArg>,
    /// The format of the tables
    #[arg(long = "as", value_name = "FORMAT", value_enum, default_value_t)]
    pub written_as: FormatArg,
    /// Decide one of several equal parts, such as 2/8; each run of a job array takes another part
    #[arg(long, value_name = "PART/PARTS")]
    pub shard: Option<Shard>,
    /// The most memory to use, such as 512MiB or 4GiB
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = parse_byte_size)]
    pub memory: u64,
    /// The largest statement to read, after decompression; a larger one is a failure
    #[arg(long, value_name = "SIZE", default_value = "128MiB", value_parser = parse_byte_size)]
    pub statement_max: u64,
    /// How many threads decide; by default one per core
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Each table holds all records of its customers, so one that cannot be read fails no other
    #[arg(long)]
    pub apart: bool,
    /// Start over, and replace the results of an earlier run in the folder
    #[arg(long)]
    pub restart: bool,
    /// Accept inputs with nothing to decide, and tables of 0 bytes
    #[arg(long)]
    pub allow_empty: bool,
    /// The folder for temporary files: unordered tables are sorted there, and Parquet is unpacked from archives. By
    /// default it is in the folder of the results
    #[arg(long, value_name = "DIR")]
    pub temp: Option<PathBuf>,
    /// The most space for temporary files, such as 20GiB; a run that needs more fails and says how much. By default
    /// there is no limit
    #[arg(long, value_name = "SIZE", value_parser = parse_byte_size)]
    pub temp_max: Option<u64>,
    /// The shortest time between two checkpoints, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, value_parser = parse_seconds)]
    pub checkpoint: f64,
    /// Files (.json, .ndjson, .csv, .xlsx, .parquet, bank formats; .gz, .zst; .tar, .zip), folders, patterns; `-` is
    /// standard input
    #[arg(value_name = "INPUT", required = true)]
    pub inputs: Vec<PathBuf>,
}

/// A table of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TableArg {
    /// One row per statement
    Decisions,
    /// One row per offer
    Offers,
    /// One row per statement, one column per metric
    Metrics,
    /// One row per reason
    Reasons,
    /// One row per statement that could not be decided
    Failures,
}

/// How tables of results are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum FormatArg {
    /// One JSON object per line
    #[default]
    Ndjson,
    /// A header, then one row per line
    Csv,
    /// Typed columns
    Parquet,
}

/// The least memory that a run needs: the program and its fixed buffers.
const MEMORY_MIN: u64 = 64 << 20;

/// Decides everything, or resumes an earlier run.
pub fn run(args: &BatchArgs) -> Result<ExitCode, Failure> {
    if args.memory < MEMORY_MIN {
        output::print_error_message("--memory: less than 64MiB is not enough for any run");
        return Ok(ExitCode::from(2));
    }
    let job = job_of_arguments(args)?;
    let begun = Instant::now();
    let mut watcher = watch::Watcher::new();
    let done = batch::run(&job, &mut watcher);
    watcher.end();
    let summary = match (done, watcher.signal()) {
        (Err(batch::Error::Interrupted), Some(signal)) => {
            output::print_error_message(batch::Error::Interrupted);
            return Ok(ExitCode::from(signal.status()));
        }
        (done, _) => done.map_err(Failure::message)?,
    };
    log_end_of_batch(&summary, begun.elapsed());
    match args.policy.format {
        DiagnosticFormat::Text => {
            output::write_stdout_bytes(show::batch_summary_text(&summary, begun.elapsed()).as_bytes())?
        }
        DiagnosticFormat::Json => output::write_stdout_line(show::format_summary_json(&summary, begun.elapsed()))?,
    }
    Ok(if summary.tally.failures > 0 || summary.tally.unread_tables > 0 {
        ExitCode::from(3)
    } else {
        ExitCode::SUCCESS
    })
}

/// Logs the end of a run.
fn log_end_of_batch(summary: &batch::Summary, took: Duration) {
    let tally = &summary.tally;
    tracing::info!(
        statements = tally.statements,
        records = tally.records,
        failures = tally.failures,
        unread_tables = tally.unread_tables,
        took_ms = took.as_millis() as u64,
        "batch done"
    );
}

fn job_of_arguments(args: &BatchArgs) -> Result<Job, Failure> {
    let policies = args.policy.load()?;
    let request = args.request.load(&policies)?;
    let own =
        args.requests.as_deref().map(|path| own_tables::requests(path, &args.customer_column, &policies, &request));
    let requests = own.transpose()?.unwrap_or_default();
    let mut job = Job::new(policies, args.inputs.clone(), &args.out);
    (job.request, job.requests) = (request, requests);
    job.columns = args.table.load()?;
    job.merging = args.merge.merging();
    job.write =
        OutputTable::ALL.into_iter().filter(|table| args.write.iter().any(|asked| asked.table() == *table)).collect();
    job.format = args.written_as.format();
    job.shard = args.shard;
    job.memory = args.memory;
    job.statement_max = args.statement_max;
    job.threads = args.threads.map(usize::from);
    job.apart = args.apart;
    job.restart = args.restart;
    job.allow_empty = args.allow_empty;
    job.temp = args.temp.clone();
    job.temp_max = args.temp_max;
    job.checkpoint_every = Duration::from_secs_f64(args.checkpoint);
    Ok(job)
}

impl TableArg {
    fn table(self) -> OutputTable {
        match self {
            TableArg::Decisions => OutputTable::Decisions,
            TableArg::Offers => OutputTable::Offers,
            TableArg::Metrics => OutputTable::Metrics,
            TableArg::Reasons => OutputTable::Reasons,
            TableArg::Failures => OutputTable::Failures,
        }
    }
}

impl FormatArg {
    fn format(self) -> OutputFormat {
        match self {
            FormatArg::Ndjson => OutputFormat::Ndjson,
            FormatArg::Csv => OutputFormat::Csv,
            FormatArg::Parquet => OutputFormat::Parquet,
        }
    }
}

/// Parses a number of bytes with its unit.
fn parse_byte_size(text: &str) -> Result<u64, String> {
    let digits = text.len() - text.trim_start_matches(|digit: char| digit.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let shift = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => Some(0),
        "k" | "kb" | "kib" => Some(10),
        "m" | "mb" | "mib" => Some(20),
        "g" | "gb" | "gib" => Some(30),
        "t" | "tb" | "tib" => Some(40),
        _ => None,
    };
    let bytes = number.parse::<u64>().ok().zip(shift).and_then(|(number, shift)| number.checked_mul(1 << shift));
    bytes.filter(|bytes| *bytes > 0).ok_or_else(|| "write it as 512MiB or 4GiB".to_owned())
}

fn parse_seconds(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|seconds| (0.0..=86_400.0).contains(seconds));
    number.ok_or_else(|| "write it as a number of seconds, 0 or more".to_owned())
}
