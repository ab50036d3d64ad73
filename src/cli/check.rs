//! `check`: what is wrong with rule files, all of it. Knows nothing of the rule language.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::diagnostics::{self, DiagnosticFormat};
use super::output::{self, Failure, complain};
use super::{input, policy_report};
use crate::files::{self, PolicyError, load_policy, load_shared};
use crate::rules::Policy;
use crate::words::date::Day;
use crate::words::diagnostic::{Diagnostic, Severity, Sources};

/// The command line of `check`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright check rules/starter.toml
      nothing but the name when all is well; else every mistake with its place and what to do
  lendwright check rules/*.toml --format json
      one JSON object a mistake, for editors and pipelines
  lendwright check rules/salary
      a folder: each of its files, and whether they follow each other as versions of one policy
  lendwright check --params --as-of 2026-10-31 rules/starter.toml
      also the parameters as they are on that day, with unit, min, max and dates
  lendwright check --digests rules/starter.toml
      also what to write under `use` to lock the files that it uses

Exit status: 0 without errors (warnings may be there), 1 with errors.")]
pub struct CheckArgs {
    /// Rule files, or folders of the versions of one policy
    #[arg(value_name = "POLICY", required = true)]
    pub policies: Vec<PathBuf>,
    /// How mistakes are shown: text goes to standard error, JSON lines to standard output
    #[arg(long, value_enum, default_value_t)]
    pub format: DiagnosticFormat,
    /// Show the parameters
    #[arg(long)]
    pub params: bool,
    /// The day for which parameters are shown, as 2026-10-31
    #[arg(long, value_name = "DATE", value_parser = input::day, requires = "params")]
    pub as_of: Option<Day>,
    /// Show the digests of the files that each policy uses
    #[arg(long)]
    pub digests: bool,
}

/// Checks every file.
pub fn run(args: &CheckArgs) -> Result<ExitCode, Failure> {
    let mut all = true;
    for path in &args.policies {
        all &= match path.is_dir() {
            true => folder(path, args)?,
            false => file(path, args)?.is_some(),
        };
    }
    Ok(if all { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Every file of a folder, then all of them as versions of one policy.
fn folder(path: &Path, args: &CheckArgs) -> Result<bool, Failure> {
    let files = match files::rule_files(path) {
        Ok(files) => files,
        Err(error) => {
            complain(format!("cannot read `{}`: {error}", path.display()));
            return Ok(false);
        }
    };
    let (mut versions, mut all) = (Vec::new(), true);
    for found in &files {
        match file(found, args)? {
            Some(Kind::Policy(policy)) => versions.push(*policy),
            Some(Kind::Other) => {}
            None => all = false,
        }
    }
    if !all {
        return Ok(false);
    }
    match files::in_order(path, versions) {
        Ok(_) => Ok(true),
        Err(error) => {
            complain(error);
            Ok(false)
        }
    }
}

/// A file without mistakes.
enum Kind {
    Policy(Box<Policy>),
    Other,
}

/// Checks one file; `None` where it has mistakes.
fn file(path: &Path, args: &CheckArgs) -> Result<Option<Kind>, Failure> {
    if path.to_string_lossy().ends_with(".cases.toml") {
        // They stand beside the rule files, and `check rules/*.toml` names them too.
        output::remark(format!("{}: passed over, it holds cases\n", path.display()));
        return Ok(Some(Kind::Other));
    }
    match load(path) {
        Ok((policy, shared)) => {
            let kind = if shared { ", for policies to use" } else { "" };
            show(path, policy.warnings(), policy.sources(), kind, args.format)?;
            report(&policy, args)?;
            Ok(Some(if shared { Kind::Other } else { Kind::Policy(Box::new(policy)) }))
        }
        Err(PolicyError::Refused(refused)) => {
            show(path, &refused.diagnostics, &refused.sources, "", args.format)?;
            Ok(None)
        }
        Err(error) => {
            complain(error);
            Ok(None)
        }
    }
}

fn report(policy: &Policy, args: &CheckArgs) -> Result<(), Failure> {
    let mut lines = Vec::new();
    if args.params {
        lines.extend(policy_report::parameters(policy, args.as_of, args.format));
    }
    if args.digests {
        lines.extend(policy_report::digests(policy));
    }
    if lines.is_empty() { Ok(()) } else { output::line(lines.join("\n")) }
}

/// A policy, or a file without `[policy]` that policies use; which of them.
fn load(path: &Path) -> Result<(Policy, bool), PolicyError> {
    match load_policy(path, &[]) {
        Err(PolicyError::Refused(refused))
            if refused.diagnostics.iter().any(|wrong| wrong.code == "missing-policy") =>
        {
            let shared = load_shared(path)?;
            // A file with nothing in it is a policy that somebody forgot to write.
            if shared.metrics().count() + shared.parameters().len() == 0 {
                return Err(PolicyError::Refused(refused));
            }
            Ok((shared, true))
        }
        loaded => Ok((loaded?, false)),
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
