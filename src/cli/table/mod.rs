//! `table`: decision tables and the scorecard as files of a spreadsheet, out and back. Knows nothing of how rows are
//! found or written.

mod export;
mod import;
mod workbook;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::check;
use super::diagnostics::{self, DiagnosticFormat};
use super::output::Failure;
use super::table_file::lowercase_extension;
use crate::rules::Policy;
use crate::run::files::{PolicyError, read_rules};

/// The command line of `table`.
#[derive(Debug, Clone, Args)]
pub struct TableArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Clone, Subcommand)]
enum Action {
    /// Write a decision table or the scorecard as a spreadsheet
    Export(ExportArgs),
    /// Read an edited spreadsheet back into the rule file
    Import(ImportArgs),
}

/// The command line of `table export`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright table export rules/starter.toml grade grade.xlsx
      the rows of [table.grade], with the unit of each column in the second line
  lendwright table export rules/starter.toml score score.csv
      the scorecard: one line for each bin
  lendwright table export rules/starter.toml score score.pmml
      the scorecard as PMML 4.4, for other programs; `import scorecard` reads it back
  lendwright table export rules/starter.toml grade grade.xlsx --force
      replaces an earlier export

The exit status is 1 if there is no such table, or if FILE already exists.")]
pub struct ExportArgs {
    #[command(flatten)]
    what: What,
    /// Overwrite FILE if it exists
    #[arg(long)]
    force: bool,
}

/// The command line of `table import`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright table import rules/starter.toml grade grade.xlsx --dry-run
      shows what would change, and what `check` finds in it
  lendwright table import rules/starter.toml grade grade.xlsx
      replaces the rows of [table.grade]; nothing else in the file changes

Nothing is written if a cell does not fit, or if `check` would refuse the result: every mistake is
listed with its cell. The exit status is then 1.")]
pub struct ImportArgs {
    #[command(flatten)]
    what: What,
    /// Show what would change, and write nothing
    #[arg(long)]
    dry_run: bool,
}

/// A table and its file.
#[derive(Debug, Clone, Args)]
struct What {
    /// The rule file
    #[arg(value_name = "POLICY")]
    policy: PathBuf,
    /// The name of a table, or `score` for the scorecard
    #[arg(value_name = "TABLE")]
    table: String,
    /// The spreadsheet, .xlsx or .csv; or .pmml, to which the scorecard can be exported
    #[arg(value_name = "FILE", value_parser = parse_spreadsheet_path)]
    file: PathBuf,
}

fn parse_spreadsheet_path(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match lowercase_extension(&path).as_str() {
        "xlsx" | "csv" | "pmml" => Ok(path),
        _ => Err("unknown kind of file; name it .xlsx, .csv or .pmml".to_owned()),
    }
}

fn is_workbook(path: &Path) -> bool {
    lowercase_extension(path) == "xlsx"
}

/// Exports or imports a table.
pub fn run(args: &TableArgs) -> Result<ExitCode, Failure> {
    match &args.action {
        Action::Export(args) => export::run(args),
        Action::Import(args) => import::run(args),
    }
}

/// The policy, or a file for policies to use.
fn load_table_policy(path: &Path) -> Result<(Policy, bool), Failure> {
    if path.is_dir() {
        let message = format!("`{}` is a folder: name the rule file of one version", path.display());
        return Err(Failure::Message(message));
    }
    match check::load_with(path, &mut read_rules) {
        Ok((policy, kind)) => Ok((policy, !kind.is_empty())),
        Err(PolicyError::Refused(refused)) => {
            diagnostics::print_diagnostics(&refused.diagnostics, &refused.sources, DiagnosticFormat::Text);
            Err(Failure::Message(format!("`{}` has mistakes; nothing was done", path.display())))
        }
        Err(error) => Err(Failure::message(error)),
    }
}
