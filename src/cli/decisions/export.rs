//! `decisions export`: kept decisions as tables in a new folder.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::super::decision_book::DecisionBookArgs;
use super::super::output::{self, Failure};
use super::span::SpanArgs;
use crate::base::csv_line::CsvLine;
use crate::base::engine::describe_engine;
use crate::base::money::Currency;
use crate::decision_book::{DecisionBook, KeptDecision};
use crate::engine::decision::Decision;
use crate::portfolio::decision_table::{
    DECISION_COLUMNS, DecisionFacts, MetricsRow, MetricsRows, PolicyColumns, RequestTable, decision_row, outcome_table,
};
use crate::run::whole_file::{Access, write_new};

/// The command line of `decisions export`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Writes into the folder:
  book.parquet   the metrics of each decision, which `backtest`, `sweep`, `learn` and `nearest` take
                 in the place of statements
  requests.csv   what applications brought besides, for `--requests`
  outcomes.csv   what became of loans, for `--outcomes`
  decisions.csv  when, by which policy, outcome, reasons, amount; for `arms`
  shadows.csv    the same of shadows

In all of them the id of a decision takes the place of the customer, so no person is named. Of
several decisions on a customer the last counts, as if each customer had one application; with
--every-decision all do.")]
pub(crate) struct ExportArgs {
    /// The folder to write to; it must not exist
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Take every decision, not only the last one on each customer
    #[arg(long)]
    every_decision: bool,
    /// Take only decisions by the policy with a digest that begins so: what policies compute in different ways has no
    /// column
    #[arg(long, value_name = "DIGEST")]
    policy_digest: Option<String>,
    #[command(flatten)]
    span: SpanArgs,
    #[command(flatten)]
    book: DecisionBookArgs,
}

/// Why decisions are not in the table of metrics, and how many.
#[derive(Debug, Default)]
struct LeftOut {
    erased: u64,
    without_day: u64,
    other_engine: u64,
}

/// The tables of the answers.
#[derive(Debug, Default)]
struct Tables {
    metrics: MetricsRows,
    requests: RequestTable,
    policies: HashMap<[String; 2], PolicyColumns>,
    /// The policies of the rows so far.
    added: HashSet<[String; 2]>,
    left_out: LeftOut,
}

/// What was read of the book.
struct Read {
    /// The answers that count.
    answers: Vec<KeptDecision>,
    shadows: Vec<DecisionFacts>,
    /// Outcomes of loans that belong to earlier decisions on customers who applied again.
    superseded_loans: u64,
}

/// What was exported.
pub(crate) struct Exported {
    pub(crate) has_requests: bool,
    /// How many decisions have an outcome.
    pub(crate) loans: usize,
}

impl ExportArgs {
    /// Everything of a span, into this folder.
    pub(crate) fn new(out: PathBuf, book: DecisionBookArgs, span: SpanArgs) -> ExportArgs {
        ExportArgs { out, every_decision: false, policy_digest: None, span, book }
    }
}

/// Writes the tables, and says so.
pub(crate) fn export_decisions(args: &ExportArgs) -> Result<ExitCode, Failure> {
    let (_, told) = write_tables(args)?;
    output::write_stdout_line(told)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the tables, and returns a summary of them.
pub(crate) fn write_tables(args: &ExportArgs) -> Result<(Exported, String), Failure> {
    let book = args.book.open()?;
    let Read { answers, shadows, superseded_loans } = read_decisions(args, &book)?;
    let mut tables = Tables { policies: read_policies(&book)?, ..Tables::default() };
    for kept in &answers {
        tables.add(&book, kept)?;
    }
    if tables.metrics.is_empty() {
        return Err(Failure::Message(format!("there is nothing to export{}", tables.left_out.in_words())));
    }
    make_private_folder(&args.out).map_err(|error| in_file(&args.out, error))?;
    let source = args.book.book.display().to_string();
    tables.metrics.write(&source, &args.out.join("book.parquet")).map_err(Failure::message)?;
    let facts = || answers.iter().map(|kept| &kept.facts);
    write_file(&args.out.join("decisions.csv"), &facts_as_csv(facts()))?;
    write_file(&args.out.join("outcomes.csv"), &outcome_table(facts(), &|facts| tables.currency_of(facts)))?;
    let mut written = vec!["book.parquet", "decisions.csv", "outcomes.csv"];
    if !tables.requests.is_empty() {
        write_file(&args.out.join("requests.csv"), &tables.requests.to_csv())?;
        written.push("requests.csv");
    }
    if !shadows.is_empty() {
        write_file(&args.out.join("shadows.csv"), &facts_as_csv(shadows.iter()))?;
        written.push("shadows.csv");
    }
    let loans = facts().filter(|facts| facts.loan.is_some()).count();
    let told = format!(
        "{}: {}; {} decisions{}, {loans} with an outcome",
        args.out.display(),
        written.join(", "),
        tables.metrics.len(),
        tables.left_out.in_words(),
    );
    say_what_is_missing(&tables);
    if superseded_loans > 0 {
        output::print_stderr_remark(format!(
            "note: {superseded_loans} outcomes are of earlier decisions on customers who applied again, and left out; \
             --every-decision takes them\n"
        ));
    }
    Ok((Exported { has_requests: !tables.requests.is_empty(), loans }, told))
}

/// The answers that count, the earliest first, and all decisions of shadows in the span.
fn read_decisions(args: &ExportArgs, book: &DecisionBook) -> Result<Read, Failure> {
    let mut superseded_loans = 0;
    let (mut answers, mut shadows): (Vec<Option<KeptDecision>>, Vec<DecisionFacts>) = Default::default();
    let mut last: HashMap<Vec<u8>, usize> = HashMap::new();
    let prefix = args.policy_digest.as_deref().unwrap_or_default();
    book.for_each(&args.span.filter()?, &mut |kept: KeptDecision| {
        if kept.facts.shadow.is_some() {
            shadows.push(kept.facts);
            return Ok::<_, crate::lender::store::error::StoreError>(());
        }
        if !kept.facts.policy[2].starts_with(prefix) {
            return Ok(());
        }
        let before = kept.facts.customer.clone().filter(|_| !args.every_decision);
        if let Some(place) = before.and_then(|customer| last.insert(customer, answers.len())) {
            let before = answers[place].take();
            superseded_loans += u64::from(before.is_some_and(|kept: KeptDecision| kept.facts.loan.is_some()));
        }
        answers.push(Some(kept));
        Ok(())
    })
    .map_err(Failure::message)?;
    Ok(Read { answers: answers.into_iter().flatten().collect(), shadows, superseded_loans })
}

/// What is known of each policy, by its digest and that of its parameters.
fn read_policies(book: &DecisionBook) -> Result<HashMap<[String; 2], PolicyColumns>, Failure> {
    let known = book.list_policies().map_err(Failure::message)?.into_iter();
    let known = known.filter(|policy| policy.engine == describe_engine());
    known
        .map(|policy| {
            let about = PolicyColumns::from_json(&policy.about).ok_or_else(|| {
                Failure::Message(format!("what the book says of the policy {} cannot be read", policy.digest))
            })?;
            Ok(([policy.digest, policy.parameters], about))
        })
        .collect()
}

/// Metrics are personal, so that only the owner may open the folder.
fn make_private_folder(path: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

impl Tables {
    /// The currency of a decision's policy: one that made no offer names none.
    fn currency_of(&self, facts: &DecisionFacts) -> Option<Currency> {
        let policy = self.policies.get(&[facts.policy[2].clone(), facts.parameters.clone()])?;
        Currency::from_numeric(&policy.currency)
    }

    fn add(&mut self, book: &DecisionBook, kept: &KeptDecision) -> Result<(), Failure> {
        let facts = &kept.facts;
        let key = [facts.policy[2].clone(), facts.parameters.clone()];
        let Some(policy) = self.policies.get(&key).filter(|_| facts.engine == describe_engine()) else {
            self.left_out.other_engine += 1;
            return Ok(());
        };
        let Some(decision) = book.open_decision(kept).map_err(Failure::message)? else {
            self.left_out.erased += 1;
            return Ok(());
        };
        let Decision { as_of: Some(as_of), as_of_given: true, metrics, request, .. } = decision else {
            self.left_out.without_day += 1;
            return Ok(());
        };
        if self.added.insert(key) {
            self.metrics.add_policy(policy);
        }
        self.requests.push(&facts.id, &request, policy);
        self.metrics.push(MetricsRow { id: facts.id.clone(), as_of, metrics });
        Ok(())
    }
}

impl LeftOut {
    fn in_words(&self) -> String {
        let mut words = String::new();
        for (count, what) in [
            (self.erased, "erased"),
            (self.without_day, "made without a day, on which their metrics depend"),
            (self.other_engine, "made by another version of lendwright"),
        ] {
            if count > 0 {
                words.push_str(&format!("; left out: {count} {what}"));
            }
        }
        words
    }
}

fn say_what_is_missing(tables: &Tables) {
    let left_out = tables.metrics.left_out();
    if !left_out.is_empty() {
        output::print_stderr_remark(format!(
            "note: the policies of these decisions compute these metrics in different ways, or not all of them do, so \
             book.parquet lacks them: {}; --policy-digest takes the decisions of one policy\n",
            left_out.join(", ")
        ));
    }
    let lists: Vec<&str> = tables.requests.left_out().collect();
    if !lists.is_empty() {
        let lists = lists.join(", ");
        output::print_stderr_remark(format!("note: lists have no column, so requests.csv lacks {lists}\n"));
    }
}

fn facts_as_csv<'f>(facts: impl Iterator<Item = &'f DecisionFacts>) -> String {
    let mut line = CsvLine::default();
    line.push_given(DECISION_COLUMNS);
    let mut text = line.take_line();
    for facts in facts {
        decision_row(facts).iter().for_each(|value| line.push_json(value));
        text.push_str(&line.take_line());
    }
    text
}

fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    write_new(path, Access::Private, text.as_bytes()).map_err(|error| in_file(path, error))
}

fn in_file(path: &Path, error: std::io::Error) -> Failure {
    Failure::Message(format!("`{}`: {error}", path.display()))
}
