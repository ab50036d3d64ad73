//! `generate`: writes realistic statements from a seed. The module `generate` makes them; here are only files and
//! progress.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::base::date::Day;
use crate::provider::generate::{Customer, Hard, Market, Options, ParquetTable, Plan, csv_header, labels_header};
use crate::run::whole_file::{Access, WholeFile, sync_name};

/// The format of the statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// One file per statement, as in the answer of E2.
    Json,
    /// One table with all statements.
    Parquet,
    /// One table with all statements.
    Csv,
}

/// What makes statements hard to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Hardship {
    /// Pay and streams come up to nine days early or late, even at weekends; missed ones are caught up.
    Irregular,
    /// Most pay comes in two or three parts.
    Split,
    /// Narrations are misleading or missing.
    Misleading,
    /// All of these.
    All,
}

/// Write realistic bank statements from a seed. The same seed gives the same bytes on every machine.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
Examples:
  lendwright generate --out out/people
      10 statements of 200 credits each, as out/people/statement-000001.json and so on
  lendwright generate --statements 1 --records 100000 --seed 42 --out out/large
      one statement of exactly 100,000 records (about 62 MB)
  lendwright generate --statements 500 --records 400 --debits --labels \\
      --format parquet --out out/train
      500 statements with debits and balances in out/train/statements.parquet, and the truth about
      every record in out/train/labels.csv
  lendwright generate --noise 0.3 --labels --out out/noisy
      some irregular dates, split pay, misleading narrations, missing words
  lendwright generate --hard irregular,split --labels --out out/hard
      pay on irregular days and in parts, at any noise level; `--hard all` for everything that is
      hard
  lendwright generate --accounts 3 --debits --labels --out out/accounts
      three statements per customer, as statement-000001-a1.json and so on, with transfers between
      them
  lendwright generate --overlap --labels --out out/exports
      each account exported twice, with overlapping days, as statement-000001-e1.json and
      statement-000001-e2.json
  lendwright generate --market kenya --debits --labels --out out/kenya
      people of Kenya, in the words of M-PESA and its banks and in shillings

docs/guides/generate.md explains the labels.")]
pub struct Args {
    /// How many statements; with --accounts or --overlap, how many customers.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub statements: u64,
    /// The exact number of records in each statement.
    #[arg(long, value_name = "M", default_value_t = 200)]
    pub records: u64,
    /// The seed; statement k of a seed is the same for every N.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// The folder to write to; created if missing.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// json: one file per statement; parquet, csv: one table with all statements.
    #[arg(long, value_enum, default_value_t = Format::Json)]
    pub format: Format,
    /// Also write labels.csv, the truth about every record.
    #[arg(long)]
    pub labels: bool,
    /// Include debits and balances; without it, credits only, as in the interface.
    #[arg(long)]
    pub debits: bool,
    /// From 0.0, textbook statements, to 1.0, hopeless ones.
    #[arg(long, value_name = "LEVEL", default_value_t = 0.1)]
    pub noise: f64,
    /// What makes statements hard in addition to the noise, separated by commas.
    #[arg(long, value_name = "WHAT", value_enum, value_delimiter = ',')]
    pub hard: Vec<Hardship>,
    /// Accounts per customer, 1 to 9: one statement each, with transfers between them.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub accounts: u32,
    /// Export each account twice, with overlapping days.
    #[arg(long)]
    pub overlap: bool,
    /// Where the people bank: names, narrations, currency and time zone are of this market.
    #[arg(long, value_name = "MARKET", default_value = "nigeria", value_parser = market_parser())]
    pub market: Market,
    /// The first day, such as 2026-01-01.
    #[arg(long, value_name = "DATE", value_parser = parse_generator_day, conflicts_with = "months")]
    pub start: Option<Day>,
    /// The last day; by default 2026-10-31.
    #[arg(long, value_name = "DATE", value_parser = parse_generator_day)]
    pub end: Option<Day>,
    /// Calendar months up to the last day; by default as many as the records fill, at most 36.
    #[arg(long, value_name = "MONTHS")]
    pub months: Option<u32>,
}

/// The selected hardships, each once.
fn hardships_selected(asked: &[Hardship]) -> Hard {
    let has = |one: Hardship| asked.contains(&one) || asked.contains(&Hardship::All);
    Hard { irregular: has(Hardship::Irregular), split: has(Hardship::Split), misleading: has(Hardship::Misleading) }
}

/// Reads a market by the name that policies give it.
fn market_parser() -> impl TypedValueParser<Value = Market> {
    PossibleValuesParser::new(Market::ALL.map(Market::name)).map(|name| Market::of_name(&name).unwrap_or_default())
}

pub(super) fn parse_generator_day(text: &str) -> Result<Day, String> {
    Day::parse_iso(text).ok_or_else(|| format!("`{text}` is not a date: write it as 2026-10-31"))
}

/// Writes the statements.
///
/// # Errors
/// If the options are invalid, or the folder cannot be written.
pub fn run(args: &Args) -> Result<ExitCode, String> {
    let options = Options {
        records: args.records,
        debits: args.debits,
        noise: args.noise,
        start: args.start,
        end: args.end,
        months: args.months,
        hard: hardships_selected(&args.hard),
        accounts: args.accounts,
        overlap: args.overlap,
        market: args.market,
    };
    options.check().map_err(|error| error.to_string())?;
    fs::create_dir_all(&args.out).map_err(|error| describe_file_failure("create the folder", &args.out, &error))?;
    let progress = Progress::new(args.statements);
    let mut labels = if args.labels { Some(NamedFile::begin(args.out.join("labels.csv"))?) } else { None };
    if let Some(labels) = &mut labels {
        labels.write(labels_header().as_bytes())?;
    }
    match args.format {
        Format::Json => generate_json_files(args, &options, labels.as_mut(), &progress)?,
        Format::Csv => generate_csv_table(args, &options, labels.as_mut(), &progress)?,
        Format::Parquet => generate_parquet_table(args, &options, labels.as_mut(), &progress)?,
    }
    if let Some(labels) = labels {
        labels.finish()?;
    }
    sync_name(&args.out).map_err(|error| describe_file_failure("write to", &args.out, &error))?;
    progress.done();
    Ok(ExitCode::SUCCESS)
}

/// Plans the customers one by one, and passes each statement with its name to `take`.
fn each_plan(
    args: &Args,
    options: &Options,
    mut labels: Option<&mut NamedFile>,
    progress: &Progress,
    mut take: impl FnMut(&str, &Plan) -> Result<(), String>,
) -> Result<(), String> {
    for index in 0..args.statements {
        let name = format!("statement-{:06}", index + 1);
        let customer = Customer::new(args.seed, index, options).map_err(|error| error.to_string())?;
        for plan in customer.statements() {
            take(&format!("{name}{}", plan.suffix()), plan)?;
        }
        if let Some(labels) = labels.as_deref_mut() {
            customer
                .write_labels(&name, &mut labels.file)
                .map_err(|error| describe_file_failure("write", &labels.path, &error))?;
        }
        progress.step(index + 1);
    }
    Ok(())
}

fn generate_json_files(
    args: &Args,
    options: &Options,
    labels: Option<&mut NamedFile>,
    progress: &Progress,
) -> Result<(), String> {
    each_plan(args, options, labels, progress, |name, plan| {
        let mut file = NamedFile::begin(args.out.join(name).with_extension("json"))?;
        plan.write_json(&mut file.file).map_err(|error| describe_file_failure("write", &file.path, &error))?;
        file.finish()
    })
}

fn generate_csv_table(
    args: &Args,
    options: &Options,
    labels: Option<&mut NamedFile>,
    progress: &Progress,
) -> Result<(), String> {
    let mut table = NamedFile::begin(args.out.join("statements.csv"))?;
    table.write(csv_header(options).as_bytes())?;
    each_plan(args, options, labels, progress, |_, plan| {
        plan.write_csv(&mut table.file).map_err(|error| describe_file_failure("write", &table.path, &error))
    })?;
    table.finish()
}

fn generate_parquet_table(
    args: &Args,
    options: &Options,
    labels: Option<&mut NamedFile>,
    progress: &Progress,
) -> Result<(), String> {
    let mut table = NamedFile::begin(args.out.join("statements.parquet"))?;
    let path = table.path.clone();
    let mut rows =
        ParquetTable::new(&mut table.file, options).map_err(|error| describe_file_failure("write", &path, &error))?;
    each_plan(args, options, labels, progress, |_, plan| {
        rows.add(plan).map_err(|error| describe_file_failure("write", &path, &error))
    })?;
    rows.finish().map_err(|error| describe_file_failure("write", &path, &error))?;
    table.finish()
}

/// A file of the folder. Its failures name it.
struct NamedFile {
    file: WholeFile,
    path: PathBuf,
}

impl NamedFile {
    fn begin(path: PathBuf) -> Result<Self, String> {
        let file =
            WholeFile::begin(&path, Access::Usual).map_err(|error| describe_file_failure("create", &path, &error))?;
        Ok(Self { file, path })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.file.write_all(bytes).map_err(|error| describe_file_failure("write", &self.path, &error))
    }

    /// The names of all files last once the folder is synced.
    fn finish(self) -> Result<(), String> {
        self.file.finish_unsynced().map_err(|error| describe_file_failure("write", &self.path, &error))
    }
}

fn describe_file_failure(action: &str, path: &Path, error: &dyn std::fmt::Display) -> String {
    format!("cannot {action} `{}`: {error}", path.display())
}

/// A counter line, shown on terminals only.
struct Progress {
    total: u64,
    shown: bool,
}

impl Progress {
    fn new(total: u64) -> Self {
        Self { total, shown: io::stderr().is_terminal() }
    }

    fn step(&self, done: u64) {
        if self.shown && (done == self.total || done.is_multiple_of(10)) {
            eprint!("\r{done} of {} statements", self.total);
        }
    }

    fn done(&self) {
        if self.shown {
            eprintln!();
        }
    }
}
