//! `decisions`: what people do with the book of decisions, one subcommand each. `api` keeps the book.

mod erase;
pub(super) mod export;
mod monitor;
mod shadows;
pub(super) mod span;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::output::Failure;

/// The command line of `decisions`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lendwright decisions export --book decisions.sqlite --book-keys book.keys \\
      --out october --from 2026-10-01 --to 2026-10-31
      tables that `backtest`, `sweep`, `learn`, `nearest` and `arms` read
  lendwright decisions shadows --book decisions.sqlite --book-keys book.keys
      what the policies in the shadow would have decided
  lendwright decisions monitor --book decisions.sqlite --book-keys book.keys
      what changed in the last four weeks; exit status 3 if something left its limits
  lendwright decisions erase --book decisions.sqlite --book-keys book.keys \\
      --customer C-17

`lendwright api --book FILE` keeps the book. docs/guides/decisions.md shows all of it.")]
pub(super) struct DecisionsArgs {
    #[command(subcommand)]
    task: DecisionsTask,
}

#[derive(Debug, Subcommand)]
enum DecisionsTask {
    /// Export decisions as tables: metrics, requests, outcomes of loans
    Export(export::ExportArgs),
    /// Compare the policies in the shadow with what was answered
    Shadows(shadows::ShadowsArgs),
    /// Watch decisions week by week: what left its limits
    Monitor(monitor::MonitorArgs),
    /// Erase what is personal in decisions; counts of them remain
    Erase(erase::EraseArgs),
}

/// Runs the task.
pub(super) fn run_task(args: &DecisionsArgs) -> Result<ExitCode, Failure> {
    match &args.task {
        DecisionsTask::Export(args) => export::export_decisions(args),
        DecisionsTask::Shadows(args) => shadows::report_shadows(args),
        DecisionsTask::Monitor(args) => monitor::monitor_decisions(args),
        DecisionsTask::Erase(args) => erase::erase_decisions(args),
    }
}
