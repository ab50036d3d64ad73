//! `diff`: what changed between two policies, told. Knows nothing of how they are compared.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::changes;
use super::diagnostics::{self, DiagnosticFormat};
use super::output::{self, Failure};
use crate::comparison::{Change, compare, compare_versions, counterpart};
use crate::files::{PolicyError, load_policies};
use crate::rules::{Policies, Policy, PolicySet};

/// The command line of `diff`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright diff rules/starter.toml rules/mine.toml
      parameters, requirements, rows and offers that changed, in words; comments and layout are no change
  lendwright diff book-of-last-year/ book/
      folders of versions: version by version, with those that are new or gone
  lendwright diff book/ draft.toml
      the version of the folder that the file says it is, else the latest, against the file
  lendwright diff old.toml new.toml --format json --exit-code

Exit status: 0, also where they differ, unless --exit-code is given; 1 where a file is at fault.")]
pub struct DiffArgs {
    /// The policy as it was: a rule file, or a folder of versions
    pub before: PathBuf,
    /// The policy as it is: a rule file, or a folder of versions
    pub after: PathBuf,
    /// How changes are shown, and mistakes in the rule files: `json` is one list of all changes
    #[arg(long, value_enum, default_value_t)]
    pub format: DiagnosticFormat,
    /// Exit with status 1 where they differ
    #[arg(long)]
    pub exit_code: bool,
}

/// Compares two policies.
pub fn run(args: &DiffArgs) -> Result<ExitCode, Failure> {
    let (before, after) = (policies(&args.before, args.format)?, policies(&args.after, args.format)?);
    let changes = match (args.before.is_dir(), args.after.is_dir()) {
        (true, false) => of_version(counterpart(after.latest(), &before), &before, |old| compare(old, after.latest())),
        (false, true) => of_version(counterpart(before.latest(), &after), &after, |new| compare(before.latest(), new)),
        _ => compare_versions(&before, &after),
    };
    match args.format {
        DiagnosticFormat::Json => output::line(serde_json::to_string_pretty(&changes).unwrap_or_default())?,
        DiagnosticFormat::Text => output::line(changes::text(&changes))?,
    }
    Ok(if args.exit_code && !changes.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// What changed, and of several versions in which.
fn of_version(picked: &Policy, of: &Policies, compare: impl Fn(&Policy) -> Vec<Change>) -> Vec<Change> {
    let version = (of.versions().len() > 1).then(|| picked.header().version.clone());
    compare(picked).into_iter().map(|change| Change { version: version.clone(), ..change }).collect()
}

fn policies(path: &Path, format: DiagnosticFormat) -> Result<Policies, Failure> {
    load_policies(path, &[]).map_err(|error| match error {
        PolicyError::Refused(refused) => {
            diagnostics::remark(&refused.diagnostics, &refused.sources, format);
            Failure::Shown
        }
        other => Failure::said(other),
    })
}
