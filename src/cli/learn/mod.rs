//! `learn`: proposes a scorecard from metrics and outcomes. Learns nothing itself, and applies nothing.

mod choices;
mod document;
mod overview;
mod words;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use self::overview::{list_refused, overview_of_proposal};
use super::diagnostics::DiagnosticFormat;
use super::input::{PolicyArgs, parse_day_argument};
use super::output::{self, Failure, print_error_message, print_stderr_remark};
use super::portfolio::{PortfolioArgs, require_one_version};
use crate::base::date::Day;
use crate::base::diagnostic::nearest_candidate;
use crate::portfolio::learned_from::{Wanted, learned_from};
use crate::portfolio::learning::{LearnError, Method, MetricChoice, Settings, learn_scorecard};
use crate::rules::Policy;

/// The command line of `learn`.
#[derive(Debug, Clone, Args)]
#[command(mut_arg("format", |format| format.help(FORMAT)), after_help = "\
Examples:
  lendwright metrics --policy rules/starter.toml statements.parquet \\
      --out book.parquet
  lendwright learn --policy rules/starter.toml \\
      --outcomes loans.csv book.parquet --out score.toml
      looks at every metric of the policy, and writes a [score] for it, with comments: how much each
      item tells, how sure its weight is, and why the other metrics were left out
  lendwright learn --policy rules/starter.toml \\
      --outcomes loans.csv book.parquet --credits-alone
      only metrics that need neither debits nor balances
  lendwright learn --policy rules/starter.toml \\
      --outcomes loans.csv book.parquet --only counted_income_cv \\
      --only earned_share --method plain
      only these metrics, without a penalty
  lendwright learn --policy rules/starter.toml \\
      --outcomes loans.csv book.parquet --test-after 2025-06-30
      learns from the loans up to that day, and says what the proposal is worth on those after it
  lendwright learn --policy rules/starter.toml \\
      --outcomes loans.csv book.parquet --out score.toml \\
      --document score.html --document score.json
      the document for the committee, and the held-out scores from which its figures can be redone
  lendwright learn --policy rules/starter.toml \\
      --outcomes loans.csv book.parquet --format json
      every bin, weight, standard error and fold, exactly

  lendwright learn --policy rules/mine.toml --words --labels labels.csv \\
      --as-of 2026-10-31 statements.parquet
      entries of word lists that labels and corrections speak for, with their precision

What is written is a proposal. Read it, edit it, put it into a copy of the policy, and compare both
with `lendwright backtest --against`. Cross-validation finds bins and items anew in each fold, so its
AUC is of customers that the model did not see.")]
pub struct LearnArgs {
    #[allow(missing_docs)]
    #[command(flatten)]
    pub policy: PolicyArgs,
    /// Write the proposal to this file instead of standard output
    #[arg(long, value_name = "FILE.toml")]
    pub out: Option<PathBuf>,
    /// Also write the model document for a committee: a page (.html), Markdown (.md), or JSON (.json) with every
    /// held-out score; may be given several times
    #[arg(long, value_name = "FILE", value_parser = document::parse_document_path)]
    pub document: Vec<PathBuf>,
    /// A column of --attributes with groups of people, for the document; no rule reads it; may be given several times
    #[arg(long, value_name = "COLUMN", requires = "attributes", requires = "document")]
    pub protected: Vec<String>,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub words: words::WordsArgs,
    /// Look only at this metric; may be given several times
    #[arg(long, value_name = "METRIC")]
    pub only: Vec<String>,
    /// Do not look at this metric; may be given several times
    #[arg(long, value_name = "METRIC")]
    pub without: Vec<String>,
    /// Keep this metric though the screening refuses it; may be given several times
    #[arg(long, value_name = "METRIC")]
    pub keep: Vec<String>,
    /// The order of a metric's texts: bad rates go one way along it, and only neighbours share a bin; may be given
    /// several times
    #[arg(long, value_name = "METRIC=A,B,C")]
    pub order: Vec<String>,
    /// A file with what you chose for single metrics: bins, special values, the direction of points, and what must be
    /// an item
    #[arg(long, value_name = "FILE.toml")]
    pub choices: Option<PathBuf>,
    /// The column of --outcomes with the weight of each loan, such as one over the chance that it is in the table
    #[arg(long, value_name = "COLUMN")]
    pub weight_column: Option<String>,
    /// Learn from loans up to this day, and test the proposal on those after it
    #[arg(long, value_name = "DATE", value_parser = parse_day_argument)]
    pub test_after: Option<Day>,
    /// How many rows of the average kind are added to each bin, so that few rows stay near the mean
    #[arg(long, value_name = "ROWS", default_value_t = 20.0)]
    pub smoothing: f64,
    /// The least share of customers in a bin
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    pub least_share: f64,
    /// The most bins of a metric, without the one for unknown values
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u8).range(2..=50))]
    pub most_bins: u8,
    /// From this AUC on, alone, a metric is leaking
    #[arg(long, value_name = "AUC", default_value_t = 0.95)]
    pub leaking_auc: f64,
    /// From this stability index between the halves of time on, a metric is unstable
    #[arg(long, value_name = "PSI", default_value_t = 0.25)]
    pub unstable_psi: f64,
    /// Look only at metrics that need neither debits nor balances
    #[arg(long)]
    pub credits_alone: bool,
    /// What holds weights back
    #[arg(long, value_enum)]
    pub method: Option<LearnMethod>,
    /// The most items; by default 16 with fewer than 100 bad customers, else as many as tell something
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub items: Option<u16>,
    /// In how many parts cross-validation divides customers
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u8).range(2..=20))]
    pub folds: u8,
    /// How often they are divided anew
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=20))]
    pub repeats: u8,
    /// The seed of the division
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// The score that means the odds of --odds
    #[arg(long, value_name = "SCORE", default_value_t = 500.0)]
    pub points: f64,
    /// Good customers for each bad one at that score
    #[arg(long, value_name = "ODDS", default_value_t = 1.0)]
    pub odds: f64,
    /// So many more points double the odds
    #[arg(long, value_name = "POINTS", default_value_t = 40.0)]
    pub to_double: f64,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub portfolio: PortfolioArgs,
}

/// What holds weights back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LearnMethod {
    /// Nothing.
    Plain,
    /// L2: all weights shrink.
    Ridge,
    /// L1: some weights become 0.
    Lasso,
}

const FORMAT: &str = "The format of what was found, and of mistakes in the rule file: `json` has every number exactly";

/// Runs the command.
pub fn run(args: &LearnArgs) -> Result<ExitCode, Failure> {
    let policies = args.policy.load()?;
    let policy = require_one_version(&policies, &args.policy.policy)?;
    if args.words.words {
        return words::propose_words(args, &policies, policy);
    }
    if args.portfolio.outcomes.is_none() {
        print_error_message("nothing can be learned without outcomes: give `--outcomes FILE`");
        return Ok(ExitCode::from(2));
    }
    let choices = choices::read_choices(args)?;
    check_names(args, &choices, policy)?;
    let mut loaded = args.portfolio.load_to_learn(&policies, policy)?;
    let wanted = Wanted { only: args.only.clone(), without: args.without.clone(), credits_alone: args.credits_alone };
    let request = loaded.request.clone();
    let mut from = learned_from(&mut loaded.portfolio, policy, &request, &loaded.outcomes, &wanted)
        .map_err(|error| super::portfolio::cannot_judge_policy(policy, &error))?;
    if let Some(day) = args.test_after {
        from.keep_later_rows(day).map_err(|what| Failure::Message(format!("--test-after: {what}")))?;
        if from.left_out_of_test > 0 {
            loaded.warnings.push(format!(
                "{} later loans are of customers with earlier loans, and are left out of the test",
                from.left_out_of_test
            ));
        }
    }
    if let Some(column) = &args.weight_column {
        let weights = args.portfolio.read_outcome_weights(column, &loaded.portfolio.customers)?;
        let weights = from.places.iter().map(|place| weights[*place].unwrap_or(f64::NAN)).collect();
        from.sample.weigh_rows(weights).map_err(Failure::message)?;
    }
    let mut settings = learning_settings_of(args, from.bads_to_learn_from())?;
    settings.chosen = choices;
    let proposal = learn_scorecard(&from.sample, &from.columns, &settings).map_err(|error| match error {
        LearnError::NothingKept(refused) => {
            print_stderr_remark(list_refused(&refused, &from));
            Failure::Message(format!("none of {} metrics was kept: the list says why", refused.len()))
        }
        error => Failure::message(error),
    })?;
    for warning in &loaded.warnings {
        print_stderr_remark(format!("warning: {warning}\n"));
    }
    document::write_model_documents(args, policy, &loaded, &from, &proposal)?;
    let text = proposal.rule_text();
    if let Some(path) = &args.out {
        crate::run::files::write_text(&text, path).map_err(Failure::message)?;
    }
    match args.policy.format {
        DiagnosticFormat::Json => {
            let mut whole = serde_json::to_value(&proposal).map_err(Failure::message)?;
            whole["left_out"] = serde_json::to_value(&from.left_out).map_err(Failure::message)?;
            output::write_stdout_line(format!("{whole:#}"))?;
        }
        DiagnosticFormat::Text if args.out.is_some() => {
            output::write_stdout_bytes(overview_of_proposal(&proposal, &from).as_bytes())?
        }
        DiagnosticFormat::Text => output::write_stdout_bytes(text.as_bytes())?,
    }
    Ok(if loaded.is_all { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Metrics that were named must exist.
fn check_names(args: &LearnArgs, choices: &BTreeMap<String, MetricChoice>, policy: &Policy) -> Result<(), Failure> {
    let known: Vec<&str> = policy.metrics().map(|(name, _)| name).collect();
    let ordered: Vec<String> = args.order.iter().filter_map(|text| Some(declared_order(text)?.0)).collect();
    let chosen: Vec<String> = choices.keys().cloned().collect();
    let flags = [
        ("--order", &ordered),
        ("--only", &args.only),
        ("--without", &args.without),
        ("--keep", &args.keep),
        ("--choices", &chosen),
    ];
    for (flag, name) in flags.into_iter().flat_map(|(flag, names)| names.iter().map(move |name| (flag, name))) {
        if !known.contains(&name.as_str()) {
            let near = nearest_candidate(name, known.iter().copied());
            let help = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            return Err(Failure::Message(format!("{flag}: the policy has no metric `{name}`{help}")));
        }
    }
    Ok(())
}

fn learning_settings_of(args: &LearnArgs, bads: usize) -> Result<Settings, Failure> {
    let mut settings = Settings::suited_to(bads);
    if let Some(method) = args.method {
        settings.fit.method = match method {
            LearnMethod::Plain => Method::Plain,
            LearnMethod::Ridge => Method::Ridge,
            LearnMethod::Lasso => Method::Lasso,
        };
    }
    settings.fit.most_items = args.items.map(usize::from).or(settings.fit.most_items);
    settings.bins.smoothing = args.smoothing;
    settings.bins.least_share = args.least_share;
    settings.bins.most_bins = usize::from(args.most_bins);
    settings.screen.leaking_auc = args.leaking_auc;
    settings.screen.unstable_psi = args.unstable_psi;
    settings.screen.keep = args.keep.clone();
    settings.fit.folds = usize::from(args.folds);
    settings.fit.repeats = usize::from(args.repeats);
    settings.fit.seed = args.seed;
    settings.points.points = args.points;
    settings.points.odds = args.odds;
    settings.points.to_double = args.to_double;
    for text in &args.order {
        let (metric, texts) = declared_order(text)
            .ok_or_else(|| Failure::Message(format!("--order: `{text}` is not METRIC=A,B,C with two texts or more")))?;
        if settings.bins.orders.insert(metric.clone(), texts).is_some() {
            return Err(Failure::Message(format!("--order: `{metric}` is named twice")));
        }
    }
    Ok(settings)
}

/// A metric and its texts in order.
fn declared_order(text: &str) -> Option<(String, Vec<String>)> {
    let (metric, texts) = text.split_once('=')?;
    let texts: Vec<String> = texts.split(',').map(|text| text.trim().to_owned()).collect();
    (texts.len() > 1 && texts.iter().all(|text| !text.is_empty())).then(|| (metric.trim().to_owned(), texts))
}
