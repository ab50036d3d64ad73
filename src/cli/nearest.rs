//! `nearest`: the smallest change that makes an offer. Looks for nothing itself.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::diagnostics::DiagnosticFormat;
use super::input::PolicyArgs;
use super::logging::{MessageStyle, message_style};
use super::output::{self, Failure, print_error_message};
use super::portfolio::{Loaded, PortfolioArgs, cannot_judge_policy, require_one_version};
use crate::portfolio::nearest::{
    Actionable, BookSummary, Looking, Nearest, NearestError, Order, find_nearest_offers, sum_up,
};
use crate::report::portfolio::nearest_text;
use crate::rules::Policy;

/// The command line of `nearest`.
#[derive(Debug, Clone, Args)]
#[command(mut_arg("format", |format| format.help(FORMAT)), after_help = "\
Examples:
  lendwright nearest --policy rules/starter.toml \\
      --actionable actionable.toml book.parquet --someone C-1001
      what would have to be different for this customer to get an offer
  lendwright nearest --policy rules/starter.toml \\
      --actionable actionable.toml book.parquet
      everybody without an offer, 1,000 at most, and which requirement blocks most near misses
  lendwright nearest --policy rules/starter.toml \\
      --actionable actionable.toml book.parquet --format json > nearest.ndjson
      one object per customer, then one for all

actionable.toml says what customers can change, and how far:
  [actionable]
  counted_income = { max = 500_000, step = 1000, direction = \"up\" }
  betting_credit_total = { min = 0, step = 100, direction = \"down\" }
  [forbidden]
  metrics = [\"person_share\"]

Nothing else is ever changed, and metrics that follow from a changed one follow anew. Every answer was
decided by the engine. It is no promise, and no reason for a refusal: those are in the decision.")]
pub struct NearestArgs {
    #[allow(missing_docs)]
    #[command(flatten)]
    pub policy: PolicyArgs,
    /// What customers can change, and how far
    #[arg(long, value_name = "FILE.toml")]
    pub actionable: PathBuf,
    /// Only this customer, or this loan with --loan-column; may be given several times
    #[arg(long = "someone", value_name = "CUSTOMER")]
    pub someone: Vec<String>,
    /// What counts as nearest
    #[arg(long, value_enum, default_value_t)]
    pub order: NearestOrder,
    /// At most so many customers, the first of the table
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub most: usize,
    /// At most so many combinations for each customer
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub tries: u32,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub portfolio: PortfolioArgs,
}

/// What counts as nearest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum NearestOrder {
    /// The smallest sum of changes, each by its cost and scale.
    #[default]
    Smallest,
    /// The fewest changed metrics, then the smallest sum.
    Fewest,
}

const FORMAT: &str = "The format of answers, and of mistakes in the rule file: `json` is one object per line";

/// Runs the command.
pub fn run(args: &NearestArgs) -> Result<ExitCode, Failure> {
    let policies = args.policy.load()?;
    let policy = require_one_version(&policies, &args.policy.policy)?;
    let path = &args.actionable;
    let wrong = |what: &dyn std::fmt::Display| Failure::Message(format!("{}: {what}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| wrong(&error))?;
    let actionable = Actionable::parse(&text).map_err(|error| wrong(&error))?;
    let mut loaded = args.portfolio.load(&policies, &[policy])?;
    let rows = choose_customer_rows(args, &mut loaded, policy)?;
    let order = match args.order {
        NearestOrder::Smallest => Order::Smallest,
        NearestOrder::Fewest => Order::Fewest,
    };
    let request = loaded.request.clone();
    let progress = match message_style() {
        // Drawn on a terminal only.
        MessageStyle::Text => indicatif::ProgressBar::new(rows.len() as u64),
        MessageStyle::Log | MessageStyle::Silent => indicatif::ProgressBar::hidden(),
    };
    let after_each = || progress.inc(1);
    let looking = Looking { order, tries_max: args.tries as usize, after_each: &after_each };
    let found = find_nearest_offers(&mut loaded.portfolio, policy, &request, &actionable, &rows, looking);
    progress.finish_and_clear();
    let found = found.map_err(|error| match error {
        NearestError::Cache(error) => cannot_judge_policy(policy, &error),
        NearestError::Actionable(error) => wrong(&error),
    })?;
    let summary = sum_up(&found);
    print_nearest_offers(args, policy, &found, &summary)?;
    Ok(if loaded.is_all { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The customers to look at: those named, or those without an offer.
fn choose_customer_rows(args: &NearestArgs, loaded: &mut Loaded, policy: &Policy) -> Result<Vec<usize>, Failure> {
    let customers = loaded.portfolio.customers.clone();
    if args.someone.is_empty() {
        let judged = loaded.judge(policy)?;
        let without = judged.decisions.outcomes[0].not();
        return Ok(without.ones(0..customers.len()).take(args.most).collect());
    }
    let mut rows = Vec::new();
    for name in &args.someone {
        match customers.iter().position(|customer| customer == name) {
            Some(row) => rows.push(row),
            None => {
                let are_loans = !loaded.portfolio.borrowers.is_empty();
                let rows = if are_loans { "loan; with --loan-column each row is a loan" } else { "customer" };
                print_error_message(format!("--someone: the portfolio has no such {rows}"));
                return Err(Failure::Shown);
            }
        }
    }
    Ok(rows)
}

fn print_nearest_offers(
    args: &NearestArgs,
    policy: &Policy,
    found: &[Nearest],
    summary: &BookSummary,
) -> Result<(), Failure> {
    let currency = &policy.header().currency;
    let currency = (currency.numeric().to_owned(), currency.exponent());
    match args.policy.format {
        DiagnosticFormat::Json => {
            for one in found {
                output::write_stdout_line(serde_json::to_string(one).map_err(Failure::message)?)?;
            }
            output::write_stdout_line(serde_json::to_string(summary).map_err(Failure::message)?)
        }
        DiagnosticFormat::Text => {
            output::write_stdout_bytes(nearest_text(found, summary, &currency, !args.someone.is_empty()).as_bytes())
        }
    }
}
