//! `arms`: a live comparison of two policies, read back. Counts nothing itself.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::column_table::read_column_table;
use super::diagnostics::{DiagnosticFormat, write_result};
use super::output::Failure;
use super::portfolio::outcomes::read_outcomes_without_amounts;
use crate::portfolio::arms::{DECISION_COLUMNS, compare_arms};
use crate::report::portfolio::arms_text;

/// The command line of `arms`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright arms decisions.parquet
      do the champion and the challenger make as many offers?
  lendwright arms decisions.parquet --outcomes loans.csv --share 0.2
      are their loans as bad, and did a fifth of the customers see the challenger?
  lendwright arms decisions.parquet --outcomes loans.csv --detect 0.01
      how many loans does each arm need to show a difference of one point?

DECISIONS (.csv, .xlsx, .ndjson, .parquet) has the columns customer, arm and outcome, as `batch` and
`decide` write them. Of several decisions on a customer the last counts.")]
pub struct ArmsArgs {
    /// The decisions
    #[arg(value_name = "DECISIONS")]
    pub decisions: PathBuf,
    /// What became of loans: a table with the columns customer and bad (0 or 1)
    #[arg(long, value_name = "FILE")]
    pub outcomes: Option<PathBuf>,
    /// The column of the outcomes that names the customer of each row
    #[arg(long, value_name = "COLUMN", default_value = "customer", requires = "outcomes")]
    pub customer_column: String,
    /// The column of the outcomes that says whether a loan went bad, or the column and its value that means bad, such
    /// as status=default
    #[arg(long, value_name = "COLUMN[=VALUE]", default_value = "bad", requires = "outcomes")]
    pub bad_column: String,
    /// The share of the challenger that the policy says, to check the split
    #[arg(long, value_name = "SHARE", value_parser = parse_share)]
    pub share: Option<f64>,
    /// The difference in bad rates that is to be shown, to plan how many loans that takes
    #[arg(long, value_name = "DIFFERENCE", value_parser = parse_share, requires = "outcomes")]
    pub detect: Option<f64>,
    /// The format of the result
    #[arg(long, value_enum, default_value_t)]
    pub format: DiagnosticFormat,
}

fn parse_share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share: &f64| *share > 0.0 && *share < 1.0);
    share.ok_or_else(|| "write a share between 0 and 1, such as 0.2".to_owned())
}

/// Runs the command.
pub fn run(args: &ArmsArgs) -> Result<ExitCode, Failure> {
    let decisions = read_column_table(&args.decisions, &|name| DECISION_COLUMNS.contains(&name))?;
    let outcomes = match &args.outcomes {
        Some(path) => Some(read_outcomes_without_amounts(path, &args.customer_column, &args.bad_column)?),
        None => None,
    };
    let found = compare_arms(&decisions, outcomes.as_ref(), args.share, args.detect);
    let found = found.map_err(|error| Failure::Message(format!("{}: {error}", args.decisions.display())))?;
    write_result(args.format, &found, arms_text)?;
    Ok(ExitCode::SUCCESS)
}
