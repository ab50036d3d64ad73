//! `metrics`: the table of metrics, one row a statement; or what each of them is. Knows nothing of how a metric is worked out.

mod describe;
mod quality;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use polars::prelude::DataFrame;

use self::quality::Warnings;
use super::diagnostics::{self, DiagnosticFormat};
use super::input::{NO_DAY, PolicyArgs, ReadingArgs, day, parameter};
use super::output::{self, Failure, remark};
use crate::files::PolicyError;
use crate::words::date::Day;
use crate::{files, metrics};

/// The command line of `metrics`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright metrics --policy rules/starter.toml statement.json
      one JSON line a statement: customer, statement, as_of, then every metric of the policy; null is unknown
  lendwright metrics --policy rules/starter.toml statements/*.json --out metrics.parquet
  lendwright metrics --policy rules/starter.toml --columns bank.toml accounts.csv --out metrics.csv
  lendwright metrics --policy rules/starter.toml --merge january.json february.json
      one row a customer: exports that overlap and accounts with transfers between them are one statement
  lendwright metrics --describe
      the names of the starter policy, which the program carries, a line each; with --policy those of another
  lendwright metrics --policy rules/starter.toml --describe buffer_days
      unit, formula, what it needs, why it may be unknown, and all that it stands on
  lendwright metrics --policy rules/metrics.toml --describe --format markdown > metrics.md
      the whole dictionary as a page; a file without [policy] has one too

Money is in minor units, whole numbers. `lendwright explain --metric NAME` says why a metric of a statement is unknown.
`--describe NAME` takes any name of the rules: metrics, values of months and records, $parameters, word lists, columns.
With `--format json` it prints {title, entries}: of NAME its own entry, then those that it stands on.")]
pub struct MetricsArgs {
    /// The rule file, or a folder of the versions of one policy; `--describe` alone takes the starter policy
    #[arg(long, value_name = "FILE|FOLDER", required_unless_present = "describe")]
    pub policy: Option<PathBuf>,
    /// Give a parameter of the policy another value; may be given several times
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = parameter)]
    pub parameters: Vec<(String, String)>,
    /// How the dictionary is shown, and mistakes in the rule file; of statements the results are the same either way
    #[arg(long, value_enum, default_value_t)]
    pub format: MetricsFormat,
    /// Say what a metric or another name is, without any statement; of no name, or `all`, everything
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = describe::ALL, conflicts_with_all = ["inputs", "out", "columns", "merge"])]
    pub describe: Option<String>,
    /// The day that the metrics look back from, as 2026-10-31; by default each statement's last day
    #[arg(long, value_name = "DATE", value_parser = day)]
    pub as_of: Option<Day>,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Write to this file (.parquet, .csv or .ndjson) instead of JSON lines to standard output
    #[arg(long, value_name = "FILE", value_parser = target)]
    pub out: Option<PathBuf>,
    /// Files: .json as the provider answers, or tables (.csv, .parquet, .ndjson); `-` is JSON on standard input
    #[arg(value_name = "INPUT", required_unless_present = "describe")]
    pub inputs: Vec<PathBuf>,
}

/// How the dictionary is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum MetricsFormat {
    /// For people.
    #[default]
    Text,
    /// For programs: one JSON object; of a mistake in the rule file one on a line.
    Json,
    /// A page of Markdown; of `--describe` alone.
    Markdown,
}

impl MetricsArgs {
    /// As the other commands take them.
    fn policy_args(&self, path: &Path) -> PolicyArgs {
        let format = self.diagnostic_format();
        PolicyArgs { policy: path.to_owned(), parameters: self.parameters.clone(), format }
    }

    fn diagnostic_format(&self) -> DiagnosticFormat {
        if self.format == MetricsFormat::Json { DiagnosticFormat::Json } else { DiagnosticFormat::Text }
    }

    /// What is said of a file that gave no policy.
    fn refused(&self, error: PolicyError) -> Failure {
        let PolicyError::Refused(refused) = error else { return Failure::said(error) };
        diagnostics::remark(&refused.diagnostics, &refused.sources, self.diagnostic_format());
        Failure::Shown
    }
}

/// Works out the metrics of every statement.
pub fn run(args: &MetricsArgs) -> Result<ExitCode, Failure> {
    if let Some(name) = &args.describe {
        return describe::run(args, name);
    }
    if args.format == MetricsFormat::Markdown {
        output::complain(
            "`--format markdown` is for `--describe`; metrics come as JSON lines, or in the file that `--out` names",
        );
        return Ok(ExitCode::from(2));
    }
    let Some(path) = &args.policy else { return Err(Failure::said("which policy? `--policy FILE` says it")) };
    if let Some(out) = &args.out {
        spare(&args.inputs, out)?;
    }
    let policy = args.policy_args(path).load()?;
    let mut table: Option<DataFrame> = None;
    if args.as_of.is_none() {
        remark(NO_DAY);
    }
    let work = |part| (Warnings::of(&part), metrics::table(&policy, &part, args.as_of));
    let all = args.reading.each_in_parts(&args.inputs, &policy, work, |parts| {
        let (warnings, tables): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        Warnings::say(warnings);
        let rows = tables.into_iter().collect::<Result<_, _>>().and_then(metrics::stack).map_err(Failure::said)?;
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

/// Results never go over what they are made of.
fn spare(inputs: &[PathBuf], out: &Path) -> Result<(), Failure> {
    let Ok(file) = out.canonicalize() else { return Ok(()) };
    match inputs.iter().find(|input| input.canonicalize().is_ok_and(|input| input == file)) {
        Some(input) => Err(Failure::Said(format!(
            "`--out {}` would be written over the input `{}`; nothing was done: name another file",
            out.display(),
            input.display()
        ))),
        None => Ok(()),
    }
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
