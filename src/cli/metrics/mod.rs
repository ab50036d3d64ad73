//! `metrics`: the table of metrics, one row per statement, or the dictionary of metrics. Knows nothing of how a metric
//! is computed.

mod book;
mod describe;
mod quality;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use polars::prelude::DataFrame;

use self::quality::Warnings;
use super::diagnostics::{self, DiagnosticFormat};
use super::input::{NO_DAY, PolicyArgs, ReadingArgs, parse_day_argument, parse_parameter};
use super::output::{self, Failure, print_stderr_remark};
use super::table_file;
use crate::base::date::Day;
use crate::engine::metrics;
use crate::rules::{Policies, PolicySet, Unit};
use crate::run::batch::output::result_rows::shown_currency;
use crate::run::files;
use crate::run::files::PolicyError;

/// The command line of `metrics`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright metrics --policy rules/starter.toml statement.json
      one JSON line per statement: customer, statement, as_of, then every metric of the policy;
      null is unknown
  lendwright metrics --policy rules/starter.toml statements/*.json \\
      --out book.parquet
      a table for `lendwright backtest`, with book.values.parquet beside it; run again after an edit
      of the rules, it computes only the metrics that changed
  lendwright metrics --policy rules/starter.toml \\
      --columns bank.toml accounts.csv --out metrics.csv
  lendwright metrics --policy rules/starter.toml \\
      --merge january.json february.json
      one row per customer: overlapping exports, and accounts with transfers between them, are one
      statement
  lendwright metrics --describe
      the names of the built-in starter policy, one per line; with --policy, those of another
      policy
  lendwright metrics --policy rules/starter.toml --describe buffer_days
      unit, formula, what it needs, why it may be unknown, and everything that it depends on
  lendwright metrics --policy rules/metrics.toml --describe --format markdown \\
      > metrics.md
      the whole dictionary as a page; a file without [policy] has one too

Money is in minor units, except in CSV, which people open: there it is in major units, and the column
says the currency, as in income_total_ngn. `lendwright explain --metric NAME` says why a metric of a
statement is unknown. `--describe NAME` takes any name of the rules: metrics, values of months and
records, $parameters, word lists, columns. With `--format json` it prints {title, entries}: first
the entry of NAME, then the entries that it depends on.")]
pub struct MetricsArgs {
    /// The rule file, or a folder with the versions of one policy; `--describe` without it takes the starter policy
    #[arg(long, value_name = "FILE|FOLDER", required_unless_present = "describe")]
    pub policy: Option<PathBuf>,
    /// Set a parameter of the policy to another value; may be given several times
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = parse_parameter)]
    pub parameters: Vec<(String, String)>,
    /// The format of the dictionary, and of mistakes in the rule file; for statements the results are the same either
    /// way
    #[arg(long, value_enum, default_value_t)]
    pub format: MetricsFormat,
    /// Describe a metric or another name, without a statement; without NAME, or with `all`, describe everything
    #[arg(
        long,
        value_name = "NAME",
        num_args = 0..=1,
        default_missing_value = describe::ALL,
        conflicts_with_all = ["inputs", "out", "columns", "merge"]
    )]
    pub describe: Option<String>,
    /// The day that the metrics look back from, such as 2026-10-31; by default each statement's last day
    #[arg(long, value_name = "DATE", value_parser = parse_day_argument)]
    pub as_of: Option<Day>,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Write to this file (.parquet, .csv or .ndjson) instead of JSON lines to standard output
    #[arg(long, value_name = "FILE", value_parser = table_file::parse_table_path)]
    pub out: Option<PathBuf>,
    /// Files: .json as the provider sends it, tables (.csv, .xlsx, .parquet, .ndjson), bank formats (camt, MT940, OFX,
    /// QIF); `-` is standard input
    #[arg(value_name = "INPUT", required_unless_present = "describe")]
    pub inputs: Vec<PathBuf>,
}

/// The format of the dictionary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum MetricsFormat {
    /// For people.
    #[default]
    Text,
    /// For programs: one JSON object; mistakes in the rule file are one object per line.
    Json,
    /// A page of Markdown; only for `--describe`.
    Markdown,
}

impl MetricsArgs {
    /// The same options, as the other commands take them.
    fn policy_args(&self, path: &Path) -> PolicyArgs {
        let format = self.diagnostic_format();
        PolicyArgs { policy: path.to_owned(), parameters: self.parameters.clone(), format }
    }

    fn diagnostic_format(&self) -> DiagnosticFormat {
        if self.format == MetricsFormat::Json { DiagnosticFormat::Json } else { DiagnosticFormat::Text }
    }

    /// Reports why a file gave no policy.
    fn refused(&self, error: PolicyError) -> Failure {
        let PolicyError::Refused(refused) = error else { return Failure::message(error) };
        diagnostics::print_diagnostics(&refused.diagnostics, &refused.sources, self.diagnostic_format());
        Failure::Shown
    }
}

/// The columns of a table that are metrics of money.
fn money_metrics(policies: &Policies, table: &DataFrame) -> Vec<String> {
    let all = policies.policies().into_iter().flat_map(|policy| policy.metrics());
    let amounts: BTreeSet<&str> = all.filter(|(_, ty)| ty.unit == Unit::Money).map(|(name, _)| name).collect();
    let names = table.get_column_names_owned().into_iter().map(|name| name.to_string());
    names.filter(|name| amounts.contains(name.as_str())).collect()
}

/// Computes the metrics of every statement.
pub fn run(args: &MetricsArgs) -> Result<ExitCode, Failure> {
    if let Some(name) = &args.describe {
        return describe::print_dictionary(args, name);
    }
    if args.format == MetricsFormat::Markdown {
        output::print_error_message(
            "`--format markdown` is for `--describe`; metrics come as JSON lines, or in the file that `--out` names",
        );
        return Ok(ExitCode::from(2));
    }
    let Some(path) = &args.policy else { return Err(Failure::message("no policy; give `--policy FILE`")) };
    let policy = args.policy_args(path).load()?;
    if let (Some(out), [version]) = (&args.out, policy.versions())
        && table_file::lowercase_extension(out) == "parquet"
    {
        return book::write_metrics_book(args, &policy, version, out);
    }
    let mut table: Option<DataFrame> = None;
    if args.as_of.is_none() {
        print_stderr_remark(NO_DAY);
    }
    let work = |part| (Warnings::from_statements(&part), metrics::table(&policy, &part, args.as_of));
    let all = args.reading.each_in_parts(&args.inputs, &policy, work, |parts| {
        let (warnings, tables): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        Warnings::print(warnings);
        let rows = tables.into_iter().collect::<Result<_, _>>().and_then(metrics::stack).map_err(Failure::message)?;
        match (&mut table, &args.out) {
            (_, None) => output::write_stdout_bytes(&files::frame_as_ndjson(&rows).map_err(Failure::message)?),
            (None, Some(_)) => {
                table = Some(rows);
                Ok(())
            }
            (Some(table), Some(_)) => table.vstack_mut(&rows).map(|_| ()).map_err(Failure::message),
        }
    })?;
    if let (Some(path), Some(table)) = (&args.out, table) {
        let amounts = money_metrics(&policy, &table);
        table_file::write_table_with_money(table, &amounts, shown_currency(&policy), path)?;
    }
    Ok(if all { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
