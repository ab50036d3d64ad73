//! `explain`: how a decision came about, as a tree, as data or as a page. Knows nothing of how it is worked out.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::diagnostics::DiagnosticFormat;
use super::input::{PolicyArgs, ReadingArgs, RequestArgs};
use super::output::{self, Failure};
use crate::decision::{self, Explanation, Request};
use crate::report::{self, Listing};
use crate::rules::{Policies, Policy, PolicySet};
use crate::statement::Statements;
use crate::words::diagnostic::nearest;

/// Records listed behind a number that needs a look.
const LISTED: usize = 3;

/// Records listed where one metric is all that is asked for.
const LISTED_OF_ONE: usize = 20;

const FORMAT: &str =
    "How explanations are shown, and mistakes in the rule file: `json` is all of an explanation, one object a line";

/// The command line of `explain`.
#[derive(Debug, Clone, Args)]
#[command(mut_arg("format", |format| format.help(FORMAT)), after_help = "\
Examples:
  lendwright explain --policy rules/starter.toml statement.json
      outcome, requirements, score and offers, rule by rule
  lendwright explain --policy rules/starter.toml statement.json --html why.html
      the same as a page, with a picture of what came in, what was left, and the records that counted
  lendwright explain --policy rules/starter.toml statement.json --metric inflow_90d
      that metric's value, what it is made of, and the records behind it
  lendwright explain --policy rules/starter.toml people/*.json --html people.html
      one page with all of them; without --html one after the other
  lendwright explain --policy rules/starter.toml people.csv --columns columns.toml --customer C-1001 --format json
      one customer of a table, as one line of JSON
  lendwright explain --policy rules/starter.toml --merge current.json savings.json
      all accounts of a customer as one statement, and what moved between them

A file that cannot be read is said on standard error, the others are explained all the same, and the exit status is 1.")]
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
    /// Files: .json as the provider answers, or tables (.csv, .parquet, .ndjson); `-` is JSON on standard input
    #[arg(value_name = "STATEMENT", required = true)]
    pub statements: Vec<PathBuf>,
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
    let (mut told, mut found) = (Told::default(), false);
    let all = args.reading.each(&args.statements, &policy, |statements| {
        let own = match &args.customer {
            Some(customer) => {
                Some(statements.of_customer(customer).map_err(Failure::said)?).filter(|own| !own.is_empty())
            }
            None => None,
        };
        if args.customer.is_some() && own.is_none() {
            return Ok(());
        }
        found = true;
        told.explain(args, &policy, own.as_ref().unwrap_or(statements), &request)
    })?;
    if let Some(customer) = args.customer.as_ref().filter(|_| all && !found) {
        return Err(nobody(&args.statements, customer));
    }
    if let Some(path) = args.html.as_ref().filter(|_| found) {
        std::fs::write(path, report::page(&told.page))
            .map_err(|error| Failure::Said(format!("cannot write `{}`: {error}", path.display())))?;
    }
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

/// What is said where none of the files has the customer.
fn nobody(files: &[PathBuf], customer: &str) -> Failure {
    match files {
        [file] => Failure::Said(format!("`{}` has no statement of the customer `{customer}`", file.display())),
        files => {
            Failure::Said(format!("none of the {} files has a statement of the customer `{customer}`", files.len()))
        }
    }
}

/// What was told so far.
#[derive(Default)]
struct Told {
    /// What the page will hold.
    page: Vec<Explanation>,
    /// A text stands there already: the next one is set apart.
    begun: bool,
}

impl Told {
    fn explain(
        &mut self,
        args: &ExplainArgs,
        policy: &Policies,
        statements: &Statements,
        request: &Request,
    ) -> Result<(), Failure> {
        let json = args.policy.format == DiagnosticFormat::Json;
        if let Some(name) = &args.metric {
            let told = decision::evidence(policy, statements, request, name).map_err(Failure::said)?;
            let listed = args.records.unwrap_or(LISTED_OF_ONE);
            return self.say(&told.unwrap_or_default(), json, |one| report::evidence(one, listed));
        }
        let told = decision::explain(policy, statements, request).map_err(Failure::said)?;
        // The page stands for the text; data is asked for beside it.
        if json || args.html.is_none() {
            let listing = args.records.map_or(Listing::Problems(LISTED), Listing::Everything);
            self.say(&told, json, |one| report::explanation(one, listing))?;
        }
        if args.html.is_some() {
            self.page.extend(told);
        }
        Ok(())
    }

    /// One line of JSON each, or texts with a line between them.
    fn say<T: serde::Serialize>(&mut self, told: &[T], json: bool, text: impl Fn(&T) -> String) -> Result<(), Failure> {
        for one in told {
            let between = if self.begun && !json { "\n" } else { "" };
            self.begun = true;
            let said = if json { serde_json::to_string(one).map_err(Failure::said)? } else { text(one) };
            output::line(format!("{between}{said}"))?;
        }
        Ok(())
    }
}

fn known(policies: &Policies, name: &str) -> Result<(), Failure> {
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
        return Err(Failure::Said(format!("`{name}` is {what} and no metric; `explain` without `--metric` shows it")));
    }
    if programs().any(|program| program.places.finer.iter().any(|finer| finer.name == name)) {
        let text =
            format!("`{name}` is no metric: a record or a group has a value of it each; ask for a metric that counts");
        return Err(Failure::Said(format!("{text} them, or see `lendwright metrics --describe {name}`")));
    }
    let help = match nearest(name, metrics()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`lendwright metrics --describe` lists all of them".to_owned(),
    };
    Err(Failure::Said(format!("`{}` has no metric `{name}`; {help}", policies.latest().file())))
}
