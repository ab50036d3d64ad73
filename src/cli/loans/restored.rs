//! `loans restored`: marks the book as restored from a backup.

use std::process::ExitCode;

use clap::Args;

use super::review::PersonArgs;
use super::{BookArgs, Desk};
use crate::cli::output::{self, Failure};
use crate::lender::operations::mark_restored;

/// The command line of `loans restored`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright service loans restored --note \"disk failed, backup of 02:00\" \\
      --config lender.toml
      before the service starts on a restored backup

What was sent after the backup is not in it: payouts of loans that were on their way, and debits
of payments that came due since. From now on the service asks the provider (E9) about each of them
under its id, and sends it only if the provider still does not know it after settling_minutes. The
service does not start on a copy that `service backup` made until you run this command. After
restoring a PostgreSQL dump, run it as well: there the service cannot notice.")]
pub(super) struct RestoredArgs {
    #[command(flatten)]
    pub(super) person: PersonArgs,
    #[command(flatten)]
    pub(super) book: BookArgs,
}

pub(super) fn run(args: &RestoredArgs) -> Result<ExitCode, Failure> {
    output::write_stdout_line(mark_as_restored(args, &Desk::open(&args.book)?)?)?;
    Ok(ExitCode::SUCCESS)
}

/// Marks the book as restored.
pub(super) fn mark_as_restored(args: &RestoredArgs, desk: &Desk) -> Result<String, Failure> {
    let person = args.person.person()?;
    let count = mark_restored(&desk.book, &person, desk.at_now()).map_err(Failure::message)?;
    let loans = if count == 1 { "1 loan asks".to_owned() } else { format!("{count} loans ask") };
    Ok(format!("{loans} first about what was due before {}, by {}", desk.time.show(desk.now), person.name))
}
