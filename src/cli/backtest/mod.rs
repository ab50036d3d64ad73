//! `backtest`: what a policy would have done on a portfolio, and what a change changes. Counts nothing itself.

mod load;
mod outcomes;
mod tables;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use self::load::load;
use super::diagnostics::DiagnosticFormat;
use super::input::{PolicyArgs, ReadingArgs, RequestArgs, parameter};
use super::output::{self, Failure, complain};
use crate::portfolio::{Judged, KnownRows, Question, Segments, flips, summarize};
use crate::report;
use crate::rules::{Policies, Policy, PolicySet};

/// The command line of `backtest`.
#[derive(Debug, Clone, Args)]
#[command(mut_arg("format", |format| format.help(FORMAT)), after_help = "\
Examples:
  lendwright metrics --policy rules/starter.toml statements/*.json --out book.parquet
      once: the metrics of every customer, with the digests of what they were made of
  lendwright backtest --policy rules/starter.toml book.parquet
      approvals, amounts, reasons: what this policy would have done
  lendwright backtest --policy new.toml --against rules/starter.toml book.parquet --report change.html
      what the change changes: the swap set, what caused it, who is concerned; as a page too
  lendwright backtest --policy new.toml --against old.toml --outcomes loans.csv book.parquet
      bad rates too; loans.csv has the columns customer and bad (0 or 1), perhaps loan_date
  lendwright backtest --policy new.toml --against old.toml book.parquet --by month --by grade
      the same for each month of as_of, and by a column of the table
  lendwright backtest --policy rules/starter.toml statements.parquet --format json
      from statements directly; every number, exactly

A table of metrics is read column by column, and only what an edit of the rules touched is computed
again. If a metric itself was changed, make the table again: `metrics --out` computes what changed.")]
pub struct BacktestArgs {
    #[allow(missing_docs)]
    #[command(flatten)]
    pub policy: PolicyArgs,
    /// The policy in force: what changes if the other takes its place
    #[arg(long, value_name = "FILE")]
    pub against: Option<PathBuf>,
    /// Set a parameter of the policy in force; may be given several times
    #[arg(long = "against-param", value_name = "NAME=VALUE", value_parser = parameter, requires = "against")]
    pub against_parameters: Vec<(String, String)>,
    /// What became of loans: a table (.csv, .ndjson, .parquet) with the columns customer and bad
    #[arg(long, value_name = "FILE")]
    pub outcomes: Option<PathBuf>,
    /// Divide customers by this column of the table, or by `month`; may be given several times
    #[arg(long = "by", value_name = "COLUMN")]
    pub by: Vec<String>,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub request: RequestArgs,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Write a page with pictures to this file; it needs no network
    #[arg(long, value_name = "OUT.html")]
    pub report: Option<PathBuf>,
    /// Write every customer whose decision changes to this file (.parquet, .csv or .ndjson)
    #[arg(long, value_name = "FILE", value_parser = super::table_file::target, requires = "against")]
    pub flips: Option<PathBuf>,
    /// Write the tables of the backtest into this folder, as Parquet
    #[arg(long, value_name = "DIR")]
    pub tables: Option<PathBuf>,
    /// A table of metrics (`lendwright metrics --out book.parquet`), or statements as `metrics` reads them
    #[arg(value_name = "INPUT", required = true)]
    pub inputs: Vec<PathBuf>,
}

const FORMAT: &str = "The format of the result, and of mistakes in rule files: `json` has every number exactly";

/// Runs the command.
pub fn run(args: &BacktestArgs) -> Result<ExitCode, Failure> {
    let policies = args.policy.load()?;
    let policy = single(&policies, &args.policy.policy)?;
    let champion = args.against.as_ref().map(|path| champion_args(args, path).load()).transpose()?;
    let champion_path = args.against.as_deref().unwrap_or(&args.policy.policy);
    let champion = champion.as_ref().map(|policies| single(policies, champion_path)).transpose()?;
    let request = args.request.load(&policies)?;
    let both: Vec<&Policy> = std::iter::once(policy).chain(champion).collect();
    let (mut portfolio, is_all) = load(args, &both, request.as_of)?;
    let outcomes = outcomes::read(args.outcomes.as_deref(), policy, &portfolio.customers)?;
    let known = outcomes.as_ref().map_or_else(|| KnownRows::none(portfolio.customers.len()), |found| found.known());
    let judged = judge(policy, &mut portfolio, &request)?;
    let before = champion.map(|champion| judge(champion, &mut portfolio, &request)).transpose()?;
    let segments = segments(args, &portfolio)?;
    let question = Question { policy: &judged, champion: before.as_ref(), known: &known, segments: &segments };
    let mut summary = summarize(&portfolio, &question);
    if let Some(outcomes) = &outcomes {
        summary.warnings.extend(outcomes.warnings());
    }
    if let Some(path) = &args.flips {
        if let Some(before) = &before {
            tables::write_flips(flips(&portfolio, before, &question), path)?;
        }
    }
    if let Some(folder) = &args.tables {
        tables::write_all(&summary, folder)?;
    }
    match args.policy.format {
        DiagnosticFormat::Json => {
            output::line(format!("{:#}", serde_json::to_value(&summary).map_err(Failure::message)?))?
        }
        DiagnosticFormat::Text => output::bytes(report::portfolio::backtest_text(&summary).as_bytes())?,
    }
    Ok(if is_all { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn champion_args(args: &BacktestArgs, path: &std::path::Path) -> PolicyArgs {
    let parameters = args.against_parameters.clone();
    PolicyArgs { policy: path.to_owned(), parameters, format: args.policy.format }
}

/// The one version of a policy. Which of several is in force depends on the day, and a backtest compares two texts.
fn single<'p>(policies: &'p Policies, path: &std::path::Path) -> Result<&'p Policy, Failure> {
    match policies.versions() {
        [policy] => Ok(policy),
        versions => Err(Failure::Message(format!(
            "`{}` has {} versions of a policy; a backtest is of one: name its file",
            path.display(),
            versions.len()
        ))),
    }
}

fn judge<'p>(
    policy: &'p Policy,
    portfolio: &mut crate::portfolio::book::Portfolio,
    request: &crate::decision::Request,
) -> Result<Judged<'p>, Failure> {
    Judged::new(policy, portfolio, request).map_err(|error| {
        let help = match error {
            crate::decision::CacheError::NeedsRecords(_) => format!(
                "; the table of metrics was made by other rules: make it again with `lendwright metrics --policy {} \
                 INPUT... --out BOOK.parquet`, which computes only what changed",
                policy.file()
            ),
            _ => String::new(),
        };
        Failure::Message(format!("{}: {error}{help}", policy.file()))
    })
}

/// Divides customers as asked.
fn segments(args: &BacktestArgs, portfolio: &crate::portfolio::book::Portfolio) -> Result<Vec<Segments>, Failure> {
    let mut segments = Vec::new();
    for by in &args.by {
        if by == "month" {
            segments.push(Segments::by_month(portfolio.cache.days()));
            continue;
        }
        match portfolio.columns.get(by).map_err(Failure::Message)? {
            Some(column) => segments.push(Segments::by_column(by, &column).map_err(Failure::Message)?),
            None => {
                let names = portfolio.columns.names().map_err(Failure::Message)?;
                let near = crate::words::diagnostic::nearest(by, names.iter().map(String::as_str));
                let help = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
                complain(format!("--by: the table has no column `{by}`{help}"));
                return Err(Failure::Shown);
            }
        }
    }
    Ok(segments)
}
