//! `corrections`: what each correction of a policy is about in some statements, and what it changes. Knows nothing of
//! how that is found.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::diagnostics::DiagnosticFormat;
use super::input::{NO_DAY, PolicyArgs, ReadingArgs, RequestArgs};
use super::output::{self, Failure, print_stderr_remark};
use crate::portfolio::CorrectionEffects;
use crate::report;
use crate::rules::PolicySet;

/// The command line of `corrections`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright corrections --policy rules/mine.toml \\
      --as-of 2026-10-31 statements/*.json
      each correction with its records, what they were before, and the decisions that it changes
  lendwright corrections --policy rules/mine.toml people.parquet --format json
      one object per correction

The file of corrections is the one that the policy names: corrections = \"corrections.toml\".
`lendwright records --correct` writes an entry. docs/guides/corrections.md tells the whole.

Exit status: 1 if a correction is about no record, changes none, or contradicts another, and
--strict is given.")]
pub struct CorrectionsArgs {
    #[allow(missing_docs)]
    #[command(flatten)]
    pub policy: PolicyArgs,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub request: RequestArgs,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Fail if a correction is about no record, changes none, or contradicts another
    #[arg(long)]
    pub strict: bool,
    /// Files: .json as the provider sends it, tables (.csv, .xlsx, .parquet, .ndjson), bank formats (camt, MT940, OFX,
    /// QIF); `-` is standard input
    #[arg(value_name = "INPUT", required = true)]
    pub inputs: Vec<PathBuf>,
}

/// Shows what each correction does.
pub fn show_corrections(args: &CorrectionsArgs) -> Result<ExitCode, Failure> {
    let policies = args.policy.load()?;
    let request = args.request.load(&policies)?;
    if request.as_of.is_none() {
        print_stderr_remark(NO_DAY);
    }
    let policy = policies.version_on(request.as_of);
    if policy.corrections_digest().is_none() {
        return Err(Failure::Message(no_corrections_file(policy.file())));
    }
    let mut effects = CorrectionEffects::new(policy);
    let all = args
        .reading
        .each(&args.inputs, &policies, |statements| effects.add(statements, &request).map_err(Failure::message))?;
    let effects = effects.effects;
    match args.policy.format {
        DiagnosticFormat::Json => {
            for effect in &effects {
                output::write_stdout_line(serde_json::to_string(effect).map_err(Failure::message)?)?;
            }
        }
        DiagnosticFormat::Text => {
            let text = report::render_correction_effects(&effects, &policy.header().currency);
            output::write_stdout_bytes(text.as_bytes())?;
        }
    }
    let has_findings = args.strict && effects.iter().any(|effect| !effect.findings().is_empty());
    Ok(if all && !has_findings { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What to do where a policy names no file of corrections.
pub(super) fn no_corrections_file(policy: &str) -> String {
    format!("`{policy}` names no file of corrections; add to its [policy]: corrections = \"corrections.toml\"")
}
