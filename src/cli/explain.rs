//! `explain`: how a decision was made, as text, as data or as a page. Knows nothing of how explanations are computed.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::diagnostics::DiagnosticFormat;
use super::input::{PolicyArgs, ReadingArgs, RequestArgs};
use super::output::{self, Failure};
use crate::base::diagnostic::nearest_candidate;
use crate::engine::decision::{self, Explanation, Request};
use crate::report::{self, Listing};
use crate::rules::{Policies, Policy, PolicySet};
use crate::run::files::write_text;
use crate::statement::Statements;

/// How many records are listed behind a number that needs a look.
const LISTED: usize = 3;

/// How many records are listed behind a single metric.
const LISTED_OF_METRIC: usize = 20;

const FORMAT: &str = "The format of explanations, and of mistakes in the rule file: `json` is the whole explanation, \
                      one object per line";

/// The command line of `explain`.
#[derive(Debug, Clone, Args)]
#[command(mut_arg("format", |format| format.help(FORMAT)), after_help = "\
Examples:
  lendwright explain --policy rules/starter.toml statement.json
      outcome, requirements, score and offers, rule by rule
  lendwright explain --policy rules/starter.toml statement.json --html why.html
      the same as a page, with a chart of income, balance, and the records that counted
  lendwright explain --policy rules/starter.toml statement.json \\
      --metric inflow_90d
      the value of that metric, what it is computed from, and the records behind it
  lendwright explain --policy rules/starter.toml people/*.json \\
      --html people.html
      one page with all of them; without --html, one after the other
  lendwright explain --policy rules/starter.toml people.csv \\
      --columns columns.toml --only-customer C-1001 --format json
      one customer of a table, as one line of JSON
  lendwright explain --policy rules/starter.toml \\
      --merge current.json savings.json
      all accounts of a customer as one statement, and the transfers between them

A file that cannot be read is reported on standard error. The others are still explained, and the
exit status is 1.")]
#[command(mut_arg("customer", |arg| {
    arg.help("Explain only the statements of this customer; a file that names none is of this customer")
}))]
pub struct ExplainArgs {
    #[allow(missing_docs)]
    #[command(flatten)]
    pub policy: PolicyArgs,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub request: RequestArgs,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Explain only this metric
    #[arg(long, value_name = "NAME", conflicts_with = "html")]
    pub metric: Option<String>,
    /// List at most this many records behind each number; the last ones if there are more
    #[arg(long, value_name = "COUNT")]
    pub records: Option<usize>,
    /// Write a self-contained page with a chart to this file; prints nothing, except JSON with `--format json`
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Files: .json as the provider sends it, tables (.csv, .xlsx, .parquet, .ndjson), bank formats (camt, MT940, OFX,
    /// QIF); `-` is standard input
    #[arg(value_name = "STATEMENT", required = true)]
    pub statements: Vec<PathBuf>,
}

/// Prints how the decisions were made, or writes it to a page.
pub fn run(args: &ExplainArgs) -> Result<ExitCode, Failure> {
    let policy = args.policy.load()?;
    if let Some(metric) = &args.metric {
        check_metric(&policy, metric)?;
    }
    let request = args.request.load(&policy)?;
    if let (Some(customer), Some(requested)) = (&args.reading.only_customer, &request.customer) {
        check_same_customer(customer, requested)?;
    }
    let (mut explanations, mut found) = (Explanations::default(), false);
    let all = args.reading.each(&args.statements, &policy, |statements| {
        found = true;
        explanations.explain(args, &policy, statements, &request)
    })?;
    if let Some(path) = args.html.as_ref().filter(|_| found) {
        write_text(&report::render_explanation_page(&explanations.page), path).map_err(Failure::message)?;
    }
    Ok(if all { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A request is about one customer. It must not be used for another customer's statements.
fn check_same_customer(customer: &str, requested: &str) -> Result<(), Failure> {
    if customer == requested {
        return Ok(());
    }
    Err(Failure::Message(format!(
        "`--only-customer` is `{customer}`, but the request is about the customer `{requested}`; omit \
         `--only-customer`, or give the request of that customer"
    )))
}

/// The explanations so far.
#[derive(Default)]
struct Explanations {
    /// The explanations for the page.
    page: Vec<Explanation>,
    /// Whether something was printed: an empty line comes before the next text.
    has_printed: bool,
}

impl Explanations {
    fn explain(
        &mut self,
        args: &ExplainArgs,
        policy: &Policies,
        statements: &Statements,
        request: &Request,
    ) -> Result<(), Failure> {
        let json = args.policy.format == DiagnosticFormat::Json;
        if let Some(name) = &args.metric {
            let evidence = decision::evidence(policy, statements, request, name).map_err(Failure::message)?;
            let listed = args.records.unwrap_or(LISTED_OF_METRIC);
            return self.print(&evidence.unwrap_or_default(), json, |one| report::render_evidence_text(one, listed));
        }
        let explained = decision::explain(policy, statements, request).map_err(Failure::message)?;
        // The page replaces the text, but not JSON, which is printed only if asked for.
        if json || args.html.is_none() {
            let listing = args.records.map_or(Listing::Problems(LISTED), Listing::Everything);
            self.print(&explained, json, |one| report::render_explanation_text(one, listing))?;
        }
        if args.html.is_some() {
            self.page.extend(explained);
        }
        Ok(())
    }

    /// Prints one line of JSON each, or texts with an empty line between them.
    fn print<T: serde::Serialize>(
        &mut self,
        all: &[T],
        json: bool,
        text: impl Fn(&T) -> String,
    ) -> Result<(), Failure> {
        for one in all {
            let separator = if self.has_printed && !json { "\n" } else { "" };
            self.has_printed = true;
            let shown = if json { serde_json::to_string(one).map_err(Failure::message)? } else { text(one) };
            output::write_stdout_line(format!("{separator}{shown}"))?;
        }
        Ok(())
    }
}

fn check_metric(policies: &Policies, name: &str) -> Result<(), Failure> {
    let all = policies.policies();
    let metrics = || all.iter().copied().flat_map(Policy::metrics).map(|(known, _)| known);
    if metrics().any(|known| known == name) {
        return Ok(());
    }
    let programs = || all.iter().map(|policy| &policy.program);
    let outputs = || programs().flat_map(|program| &program.tables).flat_map(|table| &table.outputs);
    let elsewhere = match name {
        "score" if programs().any(|program| program.score.is_some()) => Some("the score"),
        _ => outputs().any(|output| output.name == name).then_some("an output of a table"),
    };
    if let Some(what) = elsewhere {
        return Err(Failure::Message(format!(
            "`{name}` is {what}, not a metric; `explain` without `--metric` shows it"
        )));
    }
    if programs().any(|program| program.places.finer.iter().any(|finer| finer.name == name)) {
        return Err(Failure::Message(format!(
            "`{name}` is not a metric: it has a value per record or group; ask for a metric that aggregates it, or see \
             `lendwright metrics --describe {name}`"
        )));
    }
    let help = match nearest_candidate(name, metrics()) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => "`lendwright metrics --describe` lists all of them".to_owned(),
    };
    Err(Failure::Message(format!("`{}` has no metric `{name}`; {help}", policies.latest().file())))
}
