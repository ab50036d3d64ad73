//! `export`: the book as tables in a new folder. Knows nothing of what is in them.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use serde_json::Value as Json;

use super::input::parse_day_argument;
use super::loans::{BookArgs, Desk};
use super::output::{self, Failure};
use crate::base::csv_line::CsvLine;
use crate::base::date::Day;
use crate::base::time::Timestamp;
use crate::lender::loan_book::{BookError, TimeSpan};
use crate::lender::operations::{EXPORT_TABLES, export_table, list_columns, next_day};
use crate::lender::runner::Vault;
use crate::run::whole_file::{Access, WholeFile};

/// The command line of `export`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright service export --out october --from 2026-10-01 --to 2026-10-31 \\
      --config lender.toml
      loans.csv, orders.csv, payments.csv, messages.csv and audit.csv of that month
  lendwright service export --out all --format ndjson --config lender.toml

A loan counts for the day on which it was asked for, a transaction of money and a message for the
day on which it was planned, a payment for the day on which it came. Amounts are whole minor units,
moments are UTC. Customers have their ids as the provider gives them; accounts, telephone numbers
and what was asked for come only with --personal.")]
pub struct ExportArgs {
    /// The folder to write to; it must not exist
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// The first day, in the lender's time zone
    #[arg(long, value_name = "DAY", value_parser = parse_day_argument)]
    pub from: Option<Day>,
    /// The last day
    #[arg(long, value_name = "DAY", value_parser = parse_day_argument)]
    pub to: Option<Day>,
    /// The format of the files
    #[arg(long, value_enum, default_value_t)]
    pub format: ExportFormat,
    /// Add personal data to the loans
    #[arg(long)]
    pub personal: bool,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub book: BookArgs,
}

/// The format of an export.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// Comma-separated values with a header
    #[default]
    Csv,
    /// One JSON object per line
    Ndjson,
}

/// Why a file is not written.
enum Stopped {
    Book(BookError),
    File(std::io::Error),
}

impl From<BookError> for Stopped {
    fn from(error: BookError) -> Stopped {
        Stopped::Book(error)
    }
}

impl From<std::io::Error> for Stopped {
    fn from(error: std::io::Error) -> Stopped {
        Stopped::File(error)
    }
}

/// Writes the tables.
pub fn run(args: &ExportArgs) -> Result<ExitCode, Failure> {
    output::write_stdout_bytes(write_book_tables(args, &Desk::open(&args.book)?)?.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn write_book_tables(args: &ExportArgs, desk: &Desk) -> Result<String, Failure> {
    let at = |path: &Path, error: std::io::Error| Failure::Message(format!("`{}`: {error}", path.display()));
    let span = span_of_export(args, desk)?;
    std::fs::create_dir(&args.out).map_err(|error| at(&args.out, error))?;
    let vault = args.personal.then_some(&*desk.vault);
    let mut text = String::new();
    for name in EXPORT_TABLES {
        let ending = if args.format == ExportFormat::Csv { "csv" } else { "ndjson" };
        let path = args.out.join(format!("{name}.{ending}"));
        let written = WholeFile::begin(&path, Access::Private).map_err(Stopped::File).and_then(|mut file| {
            let rows = export_one_table(desk, (name, args.format), span, vault, &mut file)?;
            file.finish_new()?;
            Ok(rows)
        });
        let rows = written.map_err(|stopped| match stopped {
            Stopped::Book(error) => Failure::message(error),
            Stopped::File(error) => at(&path, error),
        })?;
        text.push_str(&format!("{}: {rows} rows\n", path.display()));
    }
    Ok(text)
}

fn span_of_export(args: &ExportArgs, desk: &Desk) -> Result<TimeSpan, Failure> {
    let edge = |milliseconds: i64| Timestamp::from_milliseconds(milliseconds).unwrap_or(desk.now);
    // Beyond every moment of a book.
    let (first, last) = (edge(0), edge(desk.now.milliseconds().saturating_mul(2)));
    let from = args.from.map_or(first, |day| desk.time.begin(day));
    let to = args.to.map_or(last, |day| desk.time.begin(next_day(day)));
    match from < to {
        true => Ok(TimeSpan { from, to }),
        false => Err(Failure::Message("--from is after --to".to_owned())),
    }
}

fn export_one_table(
    desk: &Desk,
    (name, format): (&str, ExportFormat),
    span: TimeSpan,
    vault: Option<&dyn Vault>,
    out: &mut WholeFile,
) -> Result<u64, Stopped> {
    let columns = list_columns(name, vault.is_some());
    match format {
        ExportFormat::Ndjson => export_table(&desk.book, name, span, vault, &mut |row| {
            let object: serde_json::Map<String, Json> =
                columns.iter().map(|column| (*column).to_owned()).zip(row).collect();
            Ok::<_, Stopped>(writeln!(out, "{}", Json::Object(object))?)
        }),
        ExportFormat::Csv => {
            let mut line = CsvLine::default();
            line.push_given(columns.iter().copied());
            out.write_all(line.take_line().as_bytes())?;
            export_table(&desk.book, name, span, vault, &mut |row| {
                row.iter().for_each(|value| line.push_json(value));
                Ok::<_, Stopped>(out.write_all(line.take_line().as_bytes())?)
            })
        }
    }
}
