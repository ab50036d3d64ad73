//! `performance`: what became of loans, from a table with a row per loan and month. Counts nothing itself.

use std::collections::HashSet;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use polars::prelude::{Column, DataFrame};

use super::column_table::read_column_table;
use super::diagnostics::{DiagnosticFormat, write_result};
use super::output::{Failure, print_stderr_remark};

use super::table_file;
use crate::base::date::Day;
use crate::portfolio::performance::{BadDefinition, COLUMNS, Performance, PerformedLoan};
use crate::report::portfolio::performance_text;

/// The command line of `performance`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright performance months.csv
      how loans move between bands of days past due, and how many went bad
  lendwright performance months.parquet --bad 60 --within 12 --out loans.csv
      loans that were 60 days late within 12 months are bad; the table that
      --outcomes of backtest, sweep and learn takes
  lendwright performance months.csv --format json
      every count, for each month

The table (.csv, .xlsx, .ndjson, .parquet) has the columns customer, month (2026-03, or a day) and
days_past_due, and perhaps loan (if customers have several) and loan_date (or else the first
month counts).")]
pub struct PerformanceArgs {
    /// The table
    #[arg(value_name = "FILE")]
    pub table: PathBuf,
    /// From how many days past due on a loan is bad
    #[arg(long, value_name = "DAYS", default_value_t = 90, value_parser = clap::value_parser!(i64).range(1..))]
    pub bad: i64,
    /// Only what happens within so many months of the loan counts, and only loans that were observed for as long; by
    /// default all that is in the table
    #[arg(long, value_name = "MONTHS", value_parser = clap::value_parser!(u32).range(1..=1200))]
    pub within: Option<u32>,
    /// Write the table of outcomes to this file (.csv, .ndjson or .parquet): customer, bad, loan_date, bad_date,
    /// observed_until, and loan if the table has it; --loan-column loan reads it
    #[arg(long, value_name = "FILE", value_parser = table_file::parse_table_path)]
    pub out: Option<PathBuf>,
    /// The format of the result
    #[arg(long, value_enum, default_value_t)]
    pub format: DiagnosticFormat,
}

/// Runs the command.
pub fn run(args: &PerformanceArgs) -> Result<ExitCode, Failure> {
    let wrong = |what: String| Failure::Message(format!("{}: {what}", args.table.display()));
    let table = read_column_table(&args.table, &|name| COLUMNS.contains(&name))?;
    let performance = Performance::from_table(&table).map_err(|error| wrong(error.to_string()))?;
    let definition = BadDefinition { days: args.bad, months: args.within };
    let summary = performance.summarize(definition);
    if let Some(out) = &args.out {
        let outcomes = performance.outcomes(definition);
        let mut loans = HashSet::new();
        let has_loans = outcomes.iter().any(|one| !one.loan.is_empty());
        let shared = outcomes.iter().filter(|one| has_loans && !loans.insert(&one.loan)).count();
        if shared > 0 {
            return Err(wrong(format!(
                "{shared} loans with an outcome have the id of a loan of another customer, so a table of outcomes \
                 cannot tell them apart; make the ids in the column `loan` unique"
            )));
        }
        if outcomes.is_empty() {
            print_stderr_remark("no loan was observed for long enough, so the table has no rows");
        }
        table_file::write_table_file(outcome_table(&outcomes)?, out)?;
    }
    write_result(args.format, &summary, performance_text)?;
    Ok(ExitCode::SUCCESS)
}

fn outcome_table(outcomes: &[PerformedLoan]) -> Result<DataFrame, Failure> {
    let text = |value: &dyn Fn(&PerformedLoan) -> Option<String>| outcomes.iter().map(value).collect::<Vec<_>>();
    let day = |day: Day| Some(day.to_string());
    let loans = outcomes.iter().any(|one| !one.loan.is_empty());
    let loans = loans.then(|| Column::new("loan".into(), text(&|one| Some(one.loan.clone()))));
    let columns = vec![
        Column::new("customer".into(), text(&|one| Some(one.customer.clone()))),
        Column::new("bad".into(), outcomes.iter().map(|one| i32::from(one.bad)).collect::<Vec<_>>()),
        Column::new("loan_date".into(), text(&|one| day(one.loan_date))),
        Column::new("bad_date".into(), text(&|one| one.bad_date.and_then(day))),
        Column::new("observed_until".into(), text(&|one| day(one.observed_until))),
    ];
    let columns = columns.into_iter().chain(loans).collect();
    DataFrame::new(outcomes.len(), columns).map_err(Failure::message)
}
