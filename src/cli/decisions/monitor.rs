//! `decisions monitor`: watches decisions week by week, and says what left its limits.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::super::decision_book::DecisionBookArgs;
use super::super::diagnostics::{DiagnosticFormat, write_result};
use super::super::input::{PolicyArgs, parse_day_argument};
use super::super::output::{self, Failure};
use super::span::SpanArgs;
use crate::base::date::Day;
use crate::decision_book::{DecisionBook, KeptDecision};
use crate::engine::decision::Request;
use crate::portfolio::decision_table::{
    MonitorLimits, Monitoring, Population, WatchedDecision, WatchedRest, list_loan_months, watch_decisions,
};
use crate::portfolio::{Judged, Portfolio};
use crate::report::portfolio::{monitor_page, monitor_text};
use crate::rules::PolicySet;
use crate::run::files::write_text;

/// The exit status if something left its limits.
const ALARMED: u8 = 3;
/// How many days are watched by default.
const DAYS_WATCHED: i32 = 28;

/// The command line of `decisions monitor`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Compares the last 28 days, week by week, with the decisions before them: outcomes, reasons, arms,
what was unknown, how scores and metrics are distributed (PSI), times, and loans that go bad. The
exit status is 3 if something left its limits, and 0 otherwise, so a scheduler can call somebody.

Examples:
  lendwright decisions monitor --book decisions.sqlite --book-keys book.keys
  lendwright decisions monitor --book decisions.sqlite --book-keys book.keys \\
      --against book.parquet --policy rules/starter.toml --max-p99-ms 50
      compares with the portfolio on which the policy was released")]
pub(crate) struct MonitorArgs {
    /// The first day that is watched, in UTC; by default 28 days before the last decision
    #[arg(long, value_name = "DAY", value_parser = parse_day_argument)]
    watch_from: Option<Day>,
    /// Compare with this table of metrics instead of the decisions before, as --policy judges it
    #[arg(long, value_name = "FILE", requires = "policy")]
    against: Option<PathBuf>,
    /// The policy that judges the table of --against
    #[arg(long, value_name = "FILE|FOLDER", requires = "against")]
    policy: Option<PathBuf>,
    /// The least PSI that is reported
    #[arg(long, value_name = "INDEX", default_value = "0.25", value_parser = parse_index)]
    max_psi: f64,
    /// The longest time of a decision in a week, at the 99th percentile, in milliseconds
    #[arg(long, value_name = "MS")]
    max_p99_ms: Option<u32>,
    /// The greatest bad rate of the loans of a month, such as 0.05
    #[arg(long, value_name = "RATE", value_parser = parse_rate)]
    max_bad: Option<f64>,
    /// Write a page too: HTML that needs no other file
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// The format of the result
    #[arg(long, value_enum, default_value_t)]
    format: DiagnosticFormat,
    #[command(flatten)]
    span: SpanArgs,
    #[command(flatten)]
    book: DecisionBookArgs,
}

fn parse_index(text: &str) -> Result<f64, String> {
    let index = text.parse().ok().filter(|index: &f64| (0.0..=10.0).contains(index));
    index.ok_or_else(|| "write an index from 0 to 10, such as 0.25".to_owned())
}

fn parse_rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate: &f64| (0.0..1.0).contains(rate));
    rate.ok_or_else(|| "write a rate from 0 to 1, such as 0.05".to_owned())
}

/// Runs the command.
pub(crate) fn monitor_decisions(args: &MonitorArgs) -> Result<ExitCode, Failure> {
    let found = watch_book(args)?;
    if let Some(path) = &args.report {
        write_text(&monitor_page(&found), path).map_err(Failure::message)?;
    }
    write_result(args.format, &found, monitor_text)?;
    Ok(if found.alarms.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(ALARMED) })
}

fn watch_book(args: &MonitorArgs) -> Result<Monitoring, Failure> {
    let book = args.book.open()?;
    let answers = read_answers(args, &book)?;
    let last = answers.iter().filter_map(|kept| kept.facts.day()).max();
    let last = last.ok_or_else(|| Failure::message("there are no decisions to watch"))?;
    let from = args.watch_from.or_else(|| Day::checked_from_days(last.days() - DAYS_WATCHED + 1));
    let (mut before, mut now, mut watched) = (Population::default(), Population::default(), Vec::new());
    let loans = list_loan_months(answers.iter().map(|kept| &kept.facts));
    for kept in answers {
        let decision = book.open_decision(&kept).map_err(Failure::message)?;
        if kept.facts.day() < from {
            before.add(&kept.facts, decision.as_ref());
            continue;
        }
        let counted = now.add(&kept.facts, decision.as_ref());
        watched.push(WatchedDecision { facts: kept.facts, counted, has_record: decision.is_some() });
    }
    if let (Some(table), Some(policy)) = (&args.against, &args.policy) {
        before = judge_table(table, policy)?;
    }
    if before.size == 0 {
        return Err(Failure::message(
            "there are no decisions before those that are watched; give `--watch-from DAY`, or a table by `--against`",
        ));
    }
    let limits = MonitorLimits {
        psi: args.max_psi,
        p99_us: args.max_p99_ms.map(|most| i64::from(most) * 1000),
        bad_rate: args.max_bad,
        week_min: 20,
    };
    if now.recorded < now.size || before.recorded < before.size {
        output::print_stderr_remark("note: erased decisions count for outcomes, arms and reasons alone\n");
    }
    watch_decisions(&before, &watched, &WatchedRest { values: now.values, loans }, &limits).map_err(Failure::message)
}

/// The answers of the span, without what shadows decided.
fn read_answers(args: &MonitorArgs, book: &DecisionBook) -> Result<Vec<KeptDecision>, Failure> {
    let mut answers = Vec::new();
    book.for_each(&args.span.filter()?, &mut |kept: KeptDecision| {
        if kept.facts.shadow.is_none() {
            answers.push(kept);
        }
        Ok::<_, crate::lender::store::error::StoreError>(())
    })
    .map_err(Failure::message)?;
    Ok(answers)
}

/// The population of a table of metrics, as a policy judges it.
fn judge_table(table: &Path, policy: &Path) -> Result<Population, Failure> {
    let format = DiagnosticFormat::Text;
    let policies = PolicyArgs { policy: policy.to_owned(), parameters: Vec::new(), format }.load()?;
    let portfolio = Portfolio::open(table).map_err(Failure::message)?;
    let mut portfolio = portfolio
        .ok_or_else(|| Failure::Message(format!("`{}` was not made by `lendwright metrics --out`", table.display())))?;
    if !policies.latest().inputs().is_empty() {
        output::print_stderr_remark(
            "note: the policy reads requests, which the table lacks, so outcomes and reasons are not compared\n",
        );
    }
    let judged = Judged::new(policies.latest(), &mut portfolio.cache, &Request::default()).map_err(Failure::message)?;
    Ok(Population::from_judged(&judged, &portfolio.cache))
}
