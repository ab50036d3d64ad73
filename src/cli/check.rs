//! `check`: what is wrong with rule files, all of it. Knows nothing of the rule language.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::diagnostics::{self, DiagnosticFormat};
use super::output::{self, Failure, complain};
use crate::files::{PolicyError, load_policy, load_shared};
use crate::rules::Policy;
use crate::words::diagnostic::{Diagnostic, Severity, Sources};

/// The command line of `check`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright check rules/starter.toml
      nothing but the name when all is well; else every mistake with its place and what to do
  lendwright check rules/*.toml --format json
      one JSON object a mistake, for editors and pipelines

Exit status: 0 without errors (warnings may be there), 1 with errors.")]
pub struct CheckArgs {
    /// Rule files
    #[arg(value_name = "POLICY", required = true)]
    pub policies: Vec<PathBuf>,
    /// How mistakes are shown: text goes to standard error, JSON lines to standard output
    #[arg(long, value_enum, default_value_t)]
    pub format: DiagnosticFormat,
}

/// Checks every file.
pub fn run(args: &CheckArgs) -> Result<ExitCode, Failure> {
    let mut all = true;
    for path in &args.policies {
        if path.to_string_lossy().ends_with(".cases.toml") {
            // They stand beside the rule files, and `check rules/*.toml` names them too.
            output::remark(format!("{}: passed over, it holds cases\n", path.display()));
            continue;
        }
        match load(path) {
            Ok((policy, kind)) => {
                show(path, policy.warnings(), policy.sources(), kind, args.format)?;
            }
            Err(PolicyError::Refused(refused)) => {
                all = false;
                show(path, &refused.diagnostics, &refused.sources, "", args.format)?;
            }
            Err(error) => {
                all = false;
                complain(error);
            }
        }
    }
    Ok(if all { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A policy, or a file without `[policy]` that policies use.
fn load(path: &Path) -> Result<(Policy, &'static str), PolicyError> {
    match load_policy(path, &[]) {
        Err(PolicyError::Refused(refused))
            if refused.diagnostics.iter().any(|wrong| wrong.code == "missing-policy") =>
        {
            let shared = load_shared(path)?;
            // A file with nothing in it is a policy that somebody forgot to write.
            if shared.metrics().count() + shared.parameters().len() == 0 {
                return Err(PolicyError::Refused(refused));
            }
            Ok((shared, ", for policies to use"))
        }
        loaded => Ok((loaded?, "")),
    }
}

fn show(
    path: &Path,
    found: &[Diagnostic],
    sources: &Sources,
    kind: &str,
    format: DiagnosticFormat,
) -> Result<(), Failure> {
    if format == DiagnosticFormat::Json {
        return output::bytes(diagnostics::json(found, sources).as_bytes());
    }
    diagnostics::remark(found, sources, format);
    let count = |severity: Severity| found.iter().filter(|diagnostic| diagnostic.severity == severity).count();
    let said = match (count(Severity::Error), count(Severity::Warning)) {
        (0, 0) => format!("ok{kind}"),
        (0, warnings) => format!("ok{kind}, {}", counted(warnings, "warning")),
        (errors, 0) => counted(errors, "error"),
        (errors, warnings) => format!("{}, {}", counted(errors, "error"), counted(warnings, "warning")),
    };
    output::line(format!("{}: {said}", path.display()))
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
