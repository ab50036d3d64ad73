//! `explain`: how a decision came about, in words. Knows nothing of how it is worked out.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::input::{PolicyArgs, RequestArgs, TableArgs, each};
use super::output::{self, Failure};
use crate::decision;
use crate::rules::{Policies, Policy, PolicySet};
use crate::words::diagnostic::nearest;

/// The command line of `explain`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright explain --policy rules/starter.toml statement.json
      outcome, requirements, score and offers, rule by rule
  lendwright explain --policy rules/starter.toml statement.json --metric inflow_90d
      that metric's value, what it is made of, and the records behind it")]
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
    #[arg(long, value_name = "NAME")]
    pub metric: Option<String>,
    /// A file with a statement, or a table of several; `-` is JSON on standard input
    #[arg(value_name = "STATEMENT")]
    pub statement: PathBuf,
}

/// Prints how the decisions came about.
pub fn run(args: &ExplainArgs) -> Result<ExitCode, Failure> {
    let policy = args.policy.load()?;
    if let Some(metric) = &args.metric {
        known(&policy, metric)?;
    }
    let request = args.request.load(&policy)?;
    let columns = args.table.load()?;
    let all =
        each(std::slice::from_ref(&args.statement), &decision::reading(&policy), columns.as_ref(), |statements| {
            match &args.metric {
                Some(name) => decision::evidence(&policy, statements, &request, name).map(Option::unwrap_or_default),
                None => decision::explain(&policy, statements, &request),
            }
            .map_err(Failure::said)
            .and_then(|texts| output::line(texts.join("\n\n")))
        })?;
    Ok(if all { ExitCode::SUCCESS } else { ExitCode::FAILURE })
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
