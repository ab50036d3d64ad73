//! `metrics`: the table of metrics, one row a statement. Knows nothing of how a metric is worked out.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use polars::prelude::DataFrame;

use super::input::{PolicyArgs, TableArgs, day, each};
use super::output::{self, Failure};
use crate::words::date::Day;
use crate::{decision, files, metrics};

/// The command line of `metrics`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright metrics --policy rules/starter.toml statement.json
      one JSON line a statement: customer, statement, as_of, then every metric of the policy; null is unknown
  lendwright metrics --policy rules/starter.toml statements/*.json --out metrics.parquet
  lendwright metrics --policy rules/starter.toml --columns bank.toml accounts.csv --out metrics.csv

Money is in minor units, whole numbers. `lendwright explain --metric NAME` says why a metric is unknown.")]
pub struct MetricsArgs {
    #[allow(missing_docs)]
    #[command(flatten)]
    pub policy: PolicyArgs,
    /// The day that the metrics look back from, as 2026-10-31; by default each statement's last day
    #[arg(long, value_name = "DATE", value_parser = day)]
    pub as_of: Option<Day>,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub table: TableArgs,
    /// Write to this file (.parquet, .csv or .ndjson) instead of JSON lines to standard output
    #[arg(long, value_name = "FILE", value_parser = target)]
    pub out: Option<PathBuf>,
    /// Files: .json as the provider answers, or tables (.csv, .parquet, .ndjson); `-` is JSON on standard input
    #[arg(value_name = "INPUT", required = true)]
    pub inputs: Vec<PathBuf>,
}

/// Works out the metrics of every statement.
pub fn run(args: &MetricsArgs) -> Result<ExitCode, Failure> {
    let policy = args.policy.load()?;
    let columns = args.table.load()?;
    let mut table: Option<DataFrame> = None;
    let all = each(&args.inputs, &decision::reading(&policy), columns.as_ref(), |statements| {
        let rows = metrics::table(&policy, statements, args.as_of).map_err(Failure::said)?;
        match (&mut table, &args.out) {
            (_, None) => output::bytes(&files::ndjson(&rows).map_err(Failure::said)?),
            (None, Some(_)) => {
                table = Some(rows);
                Ok(())
            }
            (Some(table), Some(_)) => table.vstack_mut(&rows).map(|_| ()).map_err(Failure::said),
        }
    })?;
    if let (Some(path), Some(table)) = (&args.out, table) {
        write(table, path)?;
    }
    Ok(if all { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn write(mut table: DataFrame, path: &Path) -> Result<(), Failure> {
    table.rechunk_mut();
    match ending(path).as_str() {
        "parquet" => files::write_parquet(&table, path),
        "csv" => files::write_csv(&table, path),
        _ => files::write_ndjson(&table, path),
    }
    .map_err(Failure::said)
}

fn target(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match ending(&path).as_str() {
        "parquet" | "csv" | "ndjson" | "jsonl" => Ok(path),
        _ => Err("what kind of file is that? Name it .parquet, .csv or .ndjson".to_owned()),
    }
}

fn ending(path: &Path) -> String {
    path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase()
}
