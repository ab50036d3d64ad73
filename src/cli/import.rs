//! `import`: makes rule files from models of other tools. Knows nothing of the models' languages.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::output::{self, Failure};
use crate::authoring::dmn::{self, HeaderWords};
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
    let From::Dmn(args) = &args.from;
    if let Some(path) = args.out.as_deref().filter(|path| !args.force && path.is_file()) {
        let path = path.display();
        return Err(Failure::Message(format!("`{path}` already exists; give another name, or --force")));
    }
    if let Some(path) = args.out.as_deref().filter(|path| is_same(path, &args.file)) {
        return Err(Failure::Message(format!("`{}` is the model itself: give --out another name", path.display())));
    }
    let text = read_model_file(&args.file)?;
    let header = HeaderWords { currency: args.currency.clone(), time_zone: args.time_zone.clone() };
    let imported = dmn::import_dmn_model(&text, &other_models(&args.file), (!args.shared).then_some(&header))
        .map_err(|error| Failure::Message(format!("{}: {error}", args.file.display())))?;
    for left_out in &imported.left_out {
        output::print_stderr_remark(format!("not carried over: {left_out}\n"));
    }
    match &args.out {
        None => output::write_stdout_line(imported.rules.trim_end())?,
        Some(path) => write_text(&imported.rules, path).map_err(Failure::message)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether two paths lead to the same file.
fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    real(one).is_some_and(|one| Some(one) == real(other))
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
