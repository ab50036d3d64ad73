//! `diff`: what changed between two policies, told. Knows nothing of how they are compared.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::diagnostics::{self, DiagnosticFormat};
use super::output::{self, Failure};
use crate::comparison::{Change, compare};
use crate::files::{PolicyError, load_policy};
use crate::rules::Policy;

/// The command line of `diff`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright diff rules/starter.toml rules/mine.toml
      parameters, requirements, rows and offers that changed, in words; comments and layout are no change
  lendwright diff old.toml new.toml --format json --exit-code

Exit status: 0, also where they differ, unless --exit-code is given; 1 where a file is at fault.")]
pub struct DiffArgs {
    /// The policy as it was
    pub before: PathBuf,
    /// The policy as it is
    pub after: PathBuf,
    /// How changes are shown
    #[arg(long, value_enum, default_value_t)]
    pub format: DiagnosticFormat,
    /// Exit with status 1 where they differ
    #[arg(long)]
    pub exit_code: bool,
}

/// Compares two policies.
pub fn run(args: &DiffArgs) -> Result<ExitCode, Failure> {
    let (before, after) = (policy(&args.before, args.format)?, policy(&args.after, args.format)?);
    let changes = compare(&before, &after);
    match args.format {
        DiagnosticFormat::Json => output::line(serde_json::to_string_pretty(&changes).unwrap_or_default())?,
        DiagnosticFormat::Text => output::line(text(&changes))?,
    }
    Ok(if args.exit_code && !changes.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn policy(path: &Path, format: DiagnosticFormat) -> Result<Policy, Failure> {
    load_policy(path, &[]).map_err(|error| match error {
        PolicyError::Refused(refused) => {
            diagnostics::remark(&refused.diagnostics, &refused.sources, format);
            Failure::Shown
        }
        other => Failure::said(other),
    })
}

fn text(changes: &[Change]) -> String {
    if changes.is_empty() {
        return "nothing that they say differs".to_owned();
    }
    let mut lines = Vec::new();
    let mut section = "";
    for change in changes {
        if change.section != section {
            section = change.section;
            lines.push(section.to_owned());
        }
        let subject = [change.name.as_str(), change.what.as_str()];
        let subject: Vec<&str> = subject.into_iter().filter(|word| !word.is_empty()).collect();
        let said = match (&change.before, &change.after) {
            (Some(before), Some(after)) if before == after => before.clone(),
            (Some(before), Some(after)) => format!("{before} -> {after}"),
            (None, Some(after)) => format!("added: {after}"),
            (Some(before), None) => format!("removed: {before}"),
            (None, None) => String::new(),
        };
        lines.push(format!("  {}: {said}", subject.join(", ")));
    }
    lines.join("\n")
}
