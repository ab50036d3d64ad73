//! `decisions shadows`: compares what shadows would have decided with what was answered.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::super::decision_book::DecisionBookArgs;
use super::super::diagnostics::{DiagnosticFormat, write_result};
use super::super::output::Failure;
use super::span::SpanArgs;
use crate::lender::store::error::StoreError;
use crate::portfolio::decision_table::{DecisionFacts, compare_shadows};
use crate::report::portfolio::{shadow_page, shadows_text};
use crate::run::files::write_text;

/// The command line of `decisions shadows`.
#[derive(Debug, Clone, Args)]
pub(crate) struct ShadowsArgs {
    /// Only the shadow of this name
    #[arg(long, value_name = "NAME")]
    shadow: Option<String>,
    /// Write a page too, of one shadow: HTML that needs no other file
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// The format of the result
    #[arg(long, value_enum, default_value_t)]
    format: DiagnosticFormat,
    #[command(flatten)]
    span: SpanArgs,
    #[command(flatten)]
    book: DecisionBookArgs,
}

/// Runs the command.
pub(crate) fn report_shadows(args: &ShadowsArgs) -> Result<ExitCode, Failure> {
    let mut decisions: Vec<DecisionFacts> = Vec::new();
    args.book
        .open()?
        .for_each(&args.span.filter()?, &mut |kept| {
            decisions.push(kept.facts);
            Ok::<_, StoreError>(())
        })
        .map_err(Failure::message)?;
    let mut compared = compare_shadows(&decisions);
    if let Some(name) = &args.shadow {
        compared.retain(|one| one.shadow == *name);
    }
    if compared.is_empty() {
        return Err(Failure::message(
            "no shadow decided here; `lendwright api --shadow NAME=FILE` lets a policy decide in the shadow",
        ));
    }
    if let Some(path) = &args.report {
        let [one] = &compared[..] else {
            return Err(Failure::message("a page is of one shadow; name it by `--shadow NAME`"));
        };
        write_text(&shadow_page(one), path).map_err(Failure::message)?;
    }
    write_result(args.format, &compared, |compared| shadows_text(compared))?;
    Ok(ExitCode::SUCCESS)
}
