//! `explain`: how a decision came about, as a tree, as data or as a page. Knows nothing of how it is worked out.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::diagnostics::DiagnosticFormat;
use super::input::{PolicyArgs, RequestArgs, TableArgs, each};
use super::output::{self, Failure};
use crate::decision::{self, Request};
use crate::report::{self, Listing};
use crate::rules::{Policies, Policy, PolicySet};
use crate::statement::Statements;
use crate::words::diagnostic::nearest;

/// Records listed behind a number that needs a look.
const LISTED: usize = 3;

/// Records listed where one metric is all that is asked for.
const LISTED_OF_ONE: usize = 20;

/// The command line of `explain`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright explain --policy rules/starter.toml statement.json
      outcome, requirements, score and offers, rule by rule
  lendwright explain --policy rules/starter.toml statement.json --html why.html
      the same as a page, with a picture of what came in, what was left, and the records that counted
  lendwright explain --policy rules/starter.toml statement.json --metric inflow_90d
      that metric's value, what it is made of, and the records behind it
  lendwright explain --policy rules/starter.toml people.csv --columns columns.toml --customer C-1001 --format json
      one customer of a table, as one line of JSON")]
pub struct ExplainArgs {
    #[allow(missing_docs)]
    #[command(flatten)]
    pub policy: PolicyArgs,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub request: RequestArgs,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub table: TableArgs,
    /// Explain this metric alone
    #[arg(long, value_name = "NAME", conflicts_with = "html")]
    pub metric: Option<String>,
    /// Explain the statements of this customer alone
    #[arg(long, value_name = "ID")]
    pub customer: Option<String>,
    /// List so many records behind each number; of more, the last
    #[arg(long, value_name = "COUNT")]
    pub records: Option<usize>,
    /// Write a page that stands alone, with a picture, to this file; nothing is printed but what `--format json` asks for
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// A file with a statement, or a table of several; `-` is JSON on standard input
    #[arg(value_name = "STATEMENT")]
    pub statement: PathBuf,
}

/// Prints how the decisions came about, or writes it to a page.
pub fn run(args: &ExplainArgs) -> Result<ExitCode, Failure> {
    let policy = args.policy.load()?;
    if let Some(metric) = &args.metric {
        known(&policy, metric)?;
    }
    let request = args.request.load(&policy)?;
    if let (Some(customer), Some(about)) = (&args.customer, &request.customer) {
        one_customer(customer, about)?;
    }
    let columns = args.table.load()?;
    let all =
        each(std::slice::from_ref(&args.statement), &decision::reading(&policy), columns.as_ref(), |statements| {
            match &args.customer {
                Some(customer) => one_by_one(args, &policy, &of_customer(args, statements, customer)?, &request),
                None => one_by_one(args, &policy, statements, &request),
            }
        })?;
    Ok(if all { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A request is about one customer: another one's statements would be decided on as theirs.
fn one_customer(customer: &str, about: &str) -> Result<(), Failure> {
    if customer == about {
        return Ok(());
    }
    let help = "leave `--customer` away, or give the request of that customer";
    Err(Failure::Said(format!("`--customer` is `{customer}`, but the request is about the customer `{about}`; {help}")))
}

fn of_customer(args: &ExplainArgs, statements: &Statements, customer: &str) -> Result<Statements, Failure> {
    let own = statements.of_customer(customer).map_err(Failure::said)?;
    if !own.is_empty() {
        return Ok(own);
    }
    Err(Failure::Said(format!("`{}` has no statement of the customer `{customer}`", args.statement.display())))
}

fn one_by_one(
    args: &ExplainArgs,
    policy: &Policies,
    statements: &Statements,
    request: &Request,
) -> Result<(), Failure> {
    let json = args.policy.format == DiagnosticFormat::Json;
    if let Some(name) = &args.metric {
        let told = decision::evidence(policy, statements, request, name).map_err(Failure::said)?.unwrap_or_default();
        let listed = args.records.unwrap_or(LISTED_OF_ONE);
        return say(&told, json, |one| report::evidence(one, listed));
    }
    let told = decision::explain(policy, statements, request).map_err(Failure::said)?;
    if let Some(path) = &args.html {
        std::fs::write(path, report::page(&told))
            .map_err(|error| Failure::Said(format!("cannot write `{}`: {error}", path.display())))?;
        // The page stands for the text; data is asked for beside it.
        if !json {
            return Ok(());
        }
    }
    let listing = args.records.map_or(Listing::Problems(LISTED), Listing::Everything);
    say(&told, json, |one| report::explanation(one, listing))
}

/// One line of JSON each, or texts with a line between them.
fn say<T: serde::Serialize>(told: &[T], json: bool, text: impl Fn(&T) -> String) -> Result<(), Failure> {
    let texts: Result<Vec<String>, Failure> = told
        .iter()
        .map(|one| if json { serde_json::to_string(one).map_err(Failure::said) } else { Ok(text(one)) })
        .collect();
    output::line(texts?.join(if json { "\n" } else { "\n\n" }))
}

fn known(policies: &Policies, name: &str) -> Result<(), Failure> {
    let all = policies.policies();
    let metrics = || all.iter().copied().flat_map(Policy::metrics).map(|(known, _)| known);
    if metrics().any(|known| known == name) {
        return Ok(());
    }
    let help = match nearest(name, metrics()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`lendwright metrics` lists all of them".to_owned(),
    };
    Err(Failure::Said(format!("`{}` has no metric `{name}`; {help}", policies.latest().file())))
}
