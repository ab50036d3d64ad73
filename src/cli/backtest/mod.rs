//! `backtest`: what a policy would have done on a portfolio, and what a change changes. Counts nothing itself.

mod aim;
mod effects;
mod tables;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use self::aim::AimArgs;
use super::diagnostics::write_result;
use super::input::{PolicyArgs, parse_day_argument, parse_parameter};
use super::output::Failure;
use super::portfolio::{Loaded, PortfolioArgs, require_one_version};
use crate::base::date::Day;
use crate::portfolio::summary::{Contender, InputRecord, OutcomeStatistics, Summary};
use crate::portfolio::{
    Declared, Judged, Question, Segments, StatisticsRequest, adverse_impact_of, compare_contender,
    list_flipped_customers, outcome_statistics, stability_since_day, summarize_backtest,
};
use crate::report;
use crate::rules::Policy;
use crate::run::files::digest_file;

/// The command line of `backtest`.
#[derive(Debug, Clone, Args)]
#[command(mut_arg("format", |format| format.help(FORMAT)), after_help = "\
Examples:
  lendwright metrics --policy rules/starter.toml statements/*.json \\
      --out book.parquet
      once: the metrics of every customer, with the digests of what they were made of
  lendwright backtest --policy rules/starter.toml book.parquet
      approvals, amounts, reasons: what this policy would have done
  lendwright backtest --policy new.toml \\
      --against rules/starter.toml book.parquet --report change.html
      what the change changes: the swap set, what caused it, who is concerned; as a page too
  lendwright backtest --policy new.toml --against old.toml \\
      --outcomes loans.csv book.parquet
      bad rates too; loans.csv has the columns customer and bad (0 or 1)
  lendwright backtest --policy new.toml --against old.toml book.parquet \\
      --by month --by grade
      the same for each month of the loan or of as_of, and by a metric, a table's output or another column
  lendwright backtest --policy new.toml --against old.toml book.parquet \\
      --aim same-approvals --turn least_score
      turn $least_score until the challenger approves as many as the champion, then compare
  lendwright backtest --policy rules/starter.toml statements.parquet \\
      --format json
      from statements directly; every number, exactly

A table of metrics is read column by column, and only what an edit of the rules touched is computed
again. If a metric itself was changed, make the table again: `metrics --out` computes what changed.
Customers whom only one policy takes have no outcome: their bad rate is shown as a range.")]
pub struct BacktestArgs {
    #[allow(missing_docs)]
    #[command(flatten)]
    pub policy: PolicyArgs,
    /// The policy in force: what changes if the other takes its place
    #[arg(long, value_name = "FILE")]
    pub against: Option<PathBuf>,
    /// Set a parameter of the policy in force; may be given several times
    #[arg(long = "against-param", value_name = "NAME=VALUE", value_parser = parse_parameter, requires = "against")]
    pub against_parameters: Vec<(String, String)>,
    /// Another challenger, for a table of all of them and the champion; may be given several times
    #[arg(long = "also", value_name = "FILE", requires = "against")]
    pub also: Vec<PathBuf>,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub aim: AimArgs,
    /// Divide customers by this column: a metric, an output of a table, an attribute, or `month`, by `loan_date` where
    /// outcomes have it and all statements are of one day, or else by `as_of`; may be given several times
    #[arg(long = "by", value_name = "COLUMN")]
    pub by: Vec<String>,
    /// An attribute that rules must not know: approval rates of its groups; may be given several times
    #[arg(long = "protected", value_name = "COLUMN", requires = "attributes")]
    pub protected: Vec<String>,
    /// Compare scores and metrics of customers before this day with those from then on (PSI), by the same days as
    /// `--by month`
    #[arg(long, value_name = "DATE", value_parser = parse_day_argument)]
    pub since: Option<Day>,
    /// A metric that predicts the chance of going bad, to be compared with outcomes
    #[arg(long, value_name = "METRIC", requires = "outcomes")]
    pub predicts: Option<String>,
    /// How many bands of equal size the score is cut into
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub bands: u16,
    /// Write a page with pictures to this file; it needs no network
    #[arg(long, value_name = "OUT.html")]
    pub report: Option<PathBuf>,
    /// Write every customer whose decision changes to this file (.parquet, .csv or .ndjson)
    #[arg(long, value_name = "FILE", value_parser = super::table_file::parse_table_path, requires = "against")]
    pub flips: Option<PathBuf>,
    /// Write the tables of the backtest into this folder, as Parquet
    #[arg(long, value_name = "DIR")]
    pub tables: Option<PathBuf>,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub portfolio: PortfolioArgs,
}

const FORMAT: &str = "The format of the result, and of mistakes in rule files: `json` has every number exactly";

/// Runs the command.
pub fn run(args: &BacktestArgs) -> Result<ExitCode, Failure> {
    let policies = args.policy.load()?;
    let mut policy = require_one_version(&policies, &args.policy.policy)?.clone();
    let champions = args
        .against
        .as_ref()
        .map(|path| champion_args(args, path, args.against_parameters.clone()).load())
        .transpose()?;
    let champion_path = args.against.as_deref().unwrap_or(&args.policy.policy);
    let champion = champions.as_ref().map(|policies| require_one_version(policies, champion_path)).transpose()?;
    let others =
        args.also.iter().map(|path| champion_args(args, path, Vec::new()).load()).collect::<Result<Vec<_>, _>>()?;
    let others = others.iter().zip(&args.also).map(|(policies, path)| require_one_version(policies, path));
    let others = others.collect::<Result<Vec<&Policy>, _>>()?;
    let both: Vec<&Policy> = std::iter::once(&policy).chain(champion).chain(others.iter().copied()).collect();
    let mut loaded = args.portfolio.load(&policies, &both)?;
    loaded.require_lent_amounts()?;
    if loaded.economics.as_ref().is_some_and(Declared::says_amount) {
        return Err(Failure::message(
            "--economics: `amount` is for `sweep`; the profit over a cut-off is counted on the amounts of the outcomes",
        ));
    }
    let before = champion.map(|champion| loaded.judge(champion)).transpose()?;
    let aim = match &before {
        Some(before) => args.aim.turn(&args.policy, &mut policy, before, &mut loaded)?,
        None => None,
    };
    let judged = loaded.judge(&policy)?;
    let mut summary = summarize_and_write_files(args, &mut loaded, &judged, before.as_ref())?;
    summary.aim = aim;
    if let (Some(path), Some(before), Some(swap_set)) = (&args.against, &before, &mut summary.swap_set) {
        match effects::measure_effects(path, &args.policy.policy, before, &judged, &mut loaded)? {
            Ok(effects) => swap_set.effects = Some(effects),
            Err(why) => summary.warnings.push(format!("what each change does alone cannot be told: {why}")),
        }
    }
    if let (Some(before), false) = (&before, others.is_empty()) {
        summary.contenders = compare_contenders(args, before, &judged, &others, &mut loaded)?;
    }
    if let Some(path) = &args.report {
        let page = report::portfolio::backtest_page(&summary, &explain_command(args, loaded.request.as_of));
        crate::run::files::write_text(&page, path).map_err(Failure::message)?;
    }
    write_result(args.policy.format, &summary, report::portfolio::backtest_text)?;
    Ok(if loaded.is_all { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn warn_of_undated_loans(outcomes: Option<&OutcomeStatistics>) -> Option<String> {
    let count = outcomes?.undated_loans;
    (count > 0)
        .then(|| format!("{count} loans are in no vintage: their `loan_date` or a later `observed_until` is not known"))
}

/// The champion, the challenger and the others, side by side.
fn compare_contenders(
    args: &BacktestArgs,
    before: &Judged,
    judged: &Judged,
    others: &[&Policy],
    loaded: &mut Loaded,
) -> Result<Vec<Contender>, Failure> {
    let others: Vec<Judged> = others.iter().map(|policy| loaded.judge(policy)).collect::<Result<_, _>>()?;
    let names = args.also.iter().map(|path| path.display().to_string());
    let named = [("champion".to_owned(), before), ("challenger".to_owned(), judged)];
    let known = loaded.known();
    let contender = |(role, judged): (String, &Judged)| {
        compare_contender(&loaded.portfolio, &role, judged, before, &loaded.outcomes, &known).map_err(Failure::message)
    };
    named.into_iter().chain(names.zip(&others)).map(contender).collect()
}

/// The summary, and the files that were asked for.
fn summarize_and_write_files(
    args: &BacktestArgs,
    loaded: &mut Loaded,
    judged: &Judged,
    before: Option<&Judged>,
) -> Result<Summary, Failure> {
    let mut segments: Vec<Segments> =
        args.by.iter().map(|by| loaded.segments(by, judged.policy)).collect::<Result<_, _>>()?;
    if let Some(before) = before {
        for by in &mut segments {
            let is_same = loaded.value(&by.by, judged.policy)? == loaded.value(&by.by, before.policy)?;
            by.value_of = (!is_same && loaded.attribute(&by.by).is_none()).then(|| "challenger".to_owned());
        }
    }
    let known = loaded.known();
    let question = Question { policy: judged, champion: before, known: &known, segments: &segments };
    let mut summary = summarize_backtest(&loaded.portfolio, &question);
    note_tables_about_customers(args, &mut summary)?;
    summary.warnings.append(&mut loaded.warnings);
    summary.warnings.extend(warn_of_undated_loans(summary.outcomes.as_ref()));
    if let (Some(path), Some(before)) = (&args.flips, before) {
        let flips = list_flipped_customers(&loaded.portfolio, before, &question);
        tables::write_flips(flips, judged.policy.header().currency, path)?;
    }
    let roles: Vec<(&str, &Judged)> = match before {
        Some(before) => vec![("champion", before), ("challenger", judged)],
        None => vec![("policy", judged)],
    };
    if loaded.has_outcomes {
        let predicted = values_of_predictor(args, loaded, &roles)?;
        let asked = StatisticsRequest {
            outcomes: &loaded.outcomes,
            borrowers: &loaded.portfolio.borrower_keys(),
            bands: usize::from(args.bands),
            economics: loaded.economics.as_ref(),
            predicted,
        };
        let found = outcome_statistics(&loaded.portfolio.cache, &roles, &asked).map_err(Failure::message)?;
        summary.outcomes = Some(found);
    }
    if let Some(since) = args.since {
        let days = loaded.days();
        let undated = days.iter().filter(|day| day.is_none()).count();
        if undated > 0 {
            summary
                .warnings
                .push(format!("--since {since}: {undated} customers have no day, and are in neither period"));
        }
        summary.stability =
            stability_since_day(&loaded.portfolio.cache, judged, &days, since).map_err(Failure::message)?;
        if summary.stability.is_empty() {
            summary.warnings.push(format!("--since {since}: all customers are on one side of that day"));
        }
    }
    for column in &args.protected {
        let Some(values) = loaded.attribute(column) else {
            return Err(Failure::Message(format!("--protected: the table of --attributes has no column `{column}`")));
        };
        let groups = Segments::by_column(column, &values, 1.0).map_err(Failure::Message)?;
        for (role, judged) in &roles {
            summary.adverse_impact.push(adverse_impact_of(role, judged, &groups).map_err(Failure::message)?);
        }
    }
    if let Some(folder) = &args.tables {
        tables::write_all(&summary, folder)?;
    }
    Ok(summary)
}

/// Notes the tables of outcomes and attributes among what was read.
fn note_tables_about_customers(args: &BacktestArgs, summary: &mut Summary) -> Result<(), Failure> {
    for path in args.portfolio.outcomes.iter().chain(&args.portfolio.attributes) {
        let name = path.display().to_string();
        if summary.inputs.iter().any(|input| input.name == name) {
            continue;
        }
        let digest = digest_file(path).map_err(|error| Failure::Message(format!("{name}: {error}")))?.to_string();
        summary.inputs.push(InputRecord { name, digest });
    }
    Ok(())
}

/// A metric that predicts, and its values for each policy.
type Predicted<'a> = (&'a str, Vec<Vec<f64>>);

/// The values of the metric that predicts, for each policy.
fn values_of_predictor<'a>(
    args: &'a BacktestArgs,
    loaded: &mut Loaded,
    roles: &[(&str, &Judged)],
) -> Result<Option<Predicted<'a>>, Failure> {
    let Some(metric) = &args.predicts else { return Ok(None) };
    let mut all = Vec::new();
    for (_, judged) in roles {
        let column = loaded.value(metric, judged.policy)?;
        let missing = || Failure::Message(format!("--predicts: there is no metric `{metric}`"));
        let numbers =
            column.ok_or_else(missing)?.cast(&polars::prelude::DataType::Float64).map_err(Failure::message)?;
        let numbers = numbers.f64().map_err(Failure::message)?.iter().map(|value| value.unwrap_or(f64::NAN)).collect();
        all.push(numbers);
    }
    Ok(Some((metric, all)))
}

fn champion_args(args: &BacktestArgs, path: &Path, parameters: Vec<(String, String)>) -> PolicyArgs {
    PolicyArgs { policy: path.to_owned(), parameters, format: args.policy.format }
}

/// The command that explains a customer's decision, without the customer's name.
fn explain_command(args: &BacktestArgs, as_of: Option<Day>) -> String {
    let policy = args.policy.policy.display();
    let parameters = args.policy.parameters.iter().map(|(name, value)| format!(" --param {name}={value}"));
    let day = as_of.map(|day| format!(" --as-of {day}")).unwrap_or_default();
    format!("lendwright explain --policy {policy}{}{day} STATEMENT --only-customer", parameters.collect::<String>())
}
