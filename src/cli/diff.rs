//! `diff`: prints what changed between two policies. Knows nothing of how they are compared.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::changes;
use super::diagnostics::{self, DiagnosticFormat};
use super::output::{self, Failure};
use crate::authoring::diff::{PolicyChange, compare_policies, compare_versions, find_counterpart};
use crate::rules::{Policies, Policy, PolicySet};
use crate::run::files::{PolicyError, load_policies};

/// The command line of `diff`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright diff rules/starter.toml rules/mine.toml
      parameters, requirements, rows and offers that changed, in words; comments and layout do not
      count
  lendwright diff book-of-last-year/ book/
      folders of versions: compares version by version, and lists versions that are new or gone
  lendwright diff book/ draft.toml
      compares the file with the same version in the folder, or else with the latest version
  lendwright diff old.toml new.toml --format json --exit-code

Exit status: 0, even if the policies differ, unless --exit-code is given; 1 if a file is invalid.")]
pub struct DiffArgs {
    /// The old policy: a rule file, or a folder of versions
    pub before: PathBuf,
    /// The new policy: a rule file, or a folder of versions
    pub after: PathBuf,
    /// The format of changes, and of mistakes in the rule files: `json` is one list of all changes
    #[arg(long, value_enum, default_value_t)]
    pub format: DiagnosticFormat,
    /// Exit with status 1 if the policies differ
    #[arg(long)]
    pub exit_code: bool,
}

/// Compares two policies.
pub fn run(args: &DiffArgs) -> Result<ExitCode, Failure> {
    let (before, after) =
        (load_diffed_policies(&args.before, args.format)?, load_diffed_policies(&args.after, args.format)?);
    let changes = match (args.before.is_dir(), args.after.is_dir()) {
        (true, false) => compare_one_version(find_counterpart(after.latest(), &before), &before, |old| {
            compare_policies(old, after.latest())
        }),
        (false, true) => compare_one_version(find_counterpart(before.latest(), &after), &after, |new| {
            compare_policies(before.latest(), new)
        }),
        _ => compare_versions(&before, &after),
    };
    match args.format {
        DiagnosticFormat::Json => {
            output::write_stdout_line(serde_json::to_string_pretty(&changes).map_err(Failure::message)?)?
        }
        DiagnosticFormat::Text => output::write_stdout_line(changes::format_all_changes(&changes))?,
    }
    Ok(if args.exit_code && !changes.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Compares one version of a folder. If the folder has several versions, each change names this one.
fn compare_one_version(
    version: &Policy,
    versions: &Policies,
    compare: impl Fn(&Policy) -> Vec<PolicyChange>,
) -> Vec<PolicyChange> {
    let policy = version;
    let version = (versions.versions().len() > 1).then(|| policy.header().version.clone());
    compare(policy).into_iter().map(|change| PolicyChange { version: version.clone(), ..change }).collect()
}

fn load_diffed_policies(path: &Path, format: DiagnosticFormat) -> Result<Policies, Failure> {
    load_policies(path, &[]).map_err(|error| match error {
        PolicyError::Refused(refused) => {
            diagnostics::print_diagnostics(&refused.diagnostics, &refused.sources, format);
            Failure::Shown
        }
        other => Failure::message(other),
    })
}
