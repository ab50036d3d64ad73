//! `service`: what people do next to the lender's service, one subcommand each. `serve` runs the service itself.

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::output::Failure;
use super::{audit, backup, export, loans, reconcile};

/// The command line of `service`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lendwright service loans list --needs-person --config lender.toml
      what waits for a person, and why
  lendwright service reconcile --config lender.toml
      yesterday's payouts and debits, compared with the provider's answers
  lendwright service backup /backups/loans-2026-10-31.db --config lender.toml

`lendwright serve` runs the service itself. Each command also works without `service`:
`lendwright loans list`.")]
pub(super) struct ServiceArgs {
    #[command(subcommand)]
    task: ServiceTask,
}

#[derive(Debug, Subcommand)]
enum ServiceTask {
    /// List and show loans, and decide what waits for a person
    Loans(loans::LoansArgs),
    /// Compare the record with the provider, day by day (E9)
    Reconcile(reconcile::ReconcileArgs),
    /// Check that the audit is as it was recorded
    Audit(audit::AuditArgs),
    /// Copy the service's database to a new file, and check the copy
    Backup(backup::BackupArgs),
    /// Export loans, transactions of money, payments, messages and the audit as tables
    Export(export::ExportArgs),
}

/// Runs the task.
pub(super) fn run(args: &ServiceArgs) -> Result<ExitCode, Failure> {
    match &args.task {
        ServiceTask::Loans(args) => loans::run(args),
        ServiceTask::Reconcile(args) => reconcile::run(args),
        ServiceTask::Audit(args) => audit::run(args),
        ServiceTask::Backup(args) => backup::run(args),
        ServiceTask::Export(args) => export::run(args),
    }
}
