//! `sweep`: what a policy does over a range of its parameters. Counts nothing itself.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::diagnostics::write_result;
use super::input::PolicyArgs;
use super::output::{self, Failure};
use super::portfolio::{PortfolioArgs, compiler_with_overrides, require_one_version};
use crate::portfolio::LentAmount;
use crate::portfolio::sweep::{
    Measured, Sweep, Varied, assemble_sweep_summary, draw_random_places, grid_of_parameters, vary_parameter,
    vary_to_range_ends,
};
use crate::report;
use crate::rules::Policy;

/// The command line of `sweep`.
#[derive(Debug, Clone, Args)]
#[command(mut_arg("format", |format| format.help(FORMAT)), after_help = "\
Examples:
  lendwright sweep --policy rules/starter.toml \\
      --vary min_full_months book.parquet
      approvals and amounts for each value that the parameter may have
  lendwright sweep --policy rules/examples/berka.toml \\
      --vary least_score=500..700 --steps 21 --outcomes loans.csv \\
      --economics lgd=0.6,margin=0.12 book.parquet --report sweep.html
      bad rate and profit too, within a narrower range; as a page with a curve
  lendwright sweep --policy rules/starter.toml --vary max_commitment_share \\
      --vary min_full_months book.parquet
      two parameters: every combination, as a heat map on the page
  lendwright sweep --policy rules/starter.toml --vary min_full_months \\
      --vary max_staleness --vary max_spend --search random --tries 200 \\
      --seed 7 book.parquet
      some combinations of many, the same for the same seed
  lendwright sweep --policy rules/starter.toml --tornado book.parquet
      which parameter matters most: each alone, from its least to its greatest value

A parameter must declare `min` and `max` in the rule file.")]
pub struct SweepArgs {
    #[allow(missing_docs)]
    #[command(flatten)]
    pub policy: PolicyArgs,
    /// A parameter to vary within its declared range, or within NAME=FROM..TO; may be given several times
    #[arg(
        long = "vary",
        value_name = "NAME[=FROM..TO]",
        required_unless_present = "tornado",
        value_parser = parse_varied_range
    )]
    pub vary: Vec<(String, Option<(f64, f64)>)>,
    /// How many values of each parameter are tried, evenly; those of whole numbers are rounded
    #[arg(long, value_name = "N", default_value_t = 11, value_parser = clap::value_parser!(u16).range(2..=1000))]
    pub steps: u16,
    /// Every combination, or some by chance
    #[arg(long, value_enum, default_value_t)]
    pub search: SearchMethod,
    /// How many combinations `--search random` tries
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub tries: u32,
    /// The seed of `--search random`
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Also try every parameter alone at both ends of its range
    #[arg(long)]
    pub tornado: bool,
    /// Write a page with pictures to this file; it needs no network
    #[arg(long, value_name = "OUT.html")]
    pub report: Option<PathBuf>,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub portfolio: PortfolioArgs,
}

/// How combinations are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SearchMethod {
    /// Every combination.
    #[default]
    Grid,
    /// Some by chance.
    Random,
}

const FORMAT: &str = "The format of the result, and of mistakes in the rule file: `json` has every number exactly";

/// The most combinations of a grid.
const PLACES_MAX: usize = 100_000;

fn parse_varied_range(text: &str) -> Result<(String, Option<(f64, f64)>), String> {
    let Some((name, range)) = text.split_once('=') else { return Ok((text.to_owned(), None)) };
    let ends = range.split_once("..").and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
    let ends: (f64, f64) = ends.ok_or("write the range as NAME=FROM..TO, such as least_score=500..700")?;
    if ends.0 > ends.1 {
        return Err("the range ends before it begins".to_owned());
    }
    Ok((name.to_owned(), Some(ends)))
}

/// Runs the command.
pub fn run(args: &SweepArgs) -> Result<ExitCode, Failure> {
    let policies = args.policy.load()?;
    let policy = require_one_version(&policies, &args.policy.policy)?;
    let parameters = list_varied_parameters(args, policy)?;
    let mut loaded = args.portfolio.load(&policies, &[policy])?;
    if loaded.economics.as_ref().is_some_and(|economics| economics.amount == LentAmount::Lent) {
        loaded.require_lent_amounts()?;
    }
    let compile = compiler_with_overrides(&args.policy)?;
    let (known, request) = (loaded.known(), loaded.request.clone());
    let economics = loaded.economics.as_ref();
    let measured = Measured { known: &known, outcomes: &loaded.outcomes, economics, against: None };
    let sweep = Sweep::new(&mut loaded.portfolio, &*compile, &request, measured);
    let mut sweep = sweep.map_err(Failure::message)?;
    let is_grid = args.search == SearchMethod::Grid;
    let places = match args.search {
        _ if parameters.is_empty() => Vec::new(),
        SearchMethod::Grid => grid_of_parameters(&parameters),
        SearchMethod::Random => draw_random_places(&parameters, args.tries as usize, args.seed),
    };
    let names: Vec<String> = parameters.iter().map(|varied| varied.name.clone()).collect();
    let places = sweep.points(&names, &places).map_err(Failure::message)?;
    let tornado = if args.tornado {
        sweep.tornado(&vary_to_range_ends(policy)).map_err(Failure::message)?
    } else {
        Default::default()
    };
    let summary = assemble_sweep_summary(policy, &parameters, is_grid, sweep.own_point(), places, tornado);
    let currency = &policy.header().currency;
    let currency = (currency.numeric().to_owned(), currency.exponent());
    if let Some(path) = &args.report {
        let page = report::portfolio::sweep_page(&summary, &currency);
        crate::run::files::write_text(&page, path).map_err(Failure::message)?;
    }
    write_result(args.policy.format, &summary, |summary| report::portfolio::sweep_text(summary, &currency))?;
    Ok(if loaded.is_all { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The parameters to vary, with the values that are tried.
fn list_varied_parameters(args: &SweepArgs, policy: &Policy) -> Result<Vec<Varied>, Failure> {
    let mut parameters: Vec<Varied> = Vec::new();
    for (name, range) in &args.vary {
        if parameters.iter().any(|varied| varied.name == *name) {
            return Err(Failure::Message(format!("--vary: `{name}` is named twice")));
        }
        let found = vary_parameter(policy, name, *range, usize::from(args.steps));
        let varied = found.map_err(|error| Failure::Message(format!("--vary: {error}")))?;
        if varied.is_rounded {
            let values = varied.values.join(", ");
            output::print_stderr_remark(format!(
                "note: `{name}` has whole numbers, so the steps are rounded: {values}; another --steps may fit\n"
            ));
        }
        parameters.push(varied);
    }
    let places = parameters.iter().fold(1_usize, |all, varied| all.saturating_mul(varied.values.len()));
    if args.search == SearchMethod::Grid && places > PLACES_MAX {
        return Err(Failure::Message(format!(
            "{places} combinations are too many for a grid; take fewer --steps, or `--search random`"
        )));
    }
    Ok(parameters)
}
