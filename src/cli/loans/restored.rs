//! `loans restored`: says that the book was restored from a backup. Knows nothing of backups.

use std::process::ExitCode;

use clap::Args;

use super::review::PersonArgs;
use super::{BookArgs, Desk};
use crate::back_office::restored;
use crate::cli::output::{self, Failure};

/// The command line of `loans restored`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright loans restored --note \"disk failed, backup of 02:00\" --config lender.toml
      before the service starts on a restored backup

What the book has forgotten may have been sent: payouts of loans that were on their way, and payments
that came due since. From now on the service asks the provider (E9) about each of them under its id,
and sends it only once the provider has not known it for settling_minutes. The service does not start
on a copy that `backup` made before this was said. Say it yourself after restoring PostgreSQL.")]
pub(super) struct RestoredArgs {
    #[command(flatten)]
    pub(super) person: PersonArgs,
    #[command(flatten)]
    pub(super) book: BookArgs,
}

pub(super) fn run(args: &RestoredArgs) -> Result<ExitCode, Failure> {
    output::line(said(args, &Desk::open(&args.book)?)?)?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn said(args: &RestoredArgs, desk: &Desk) -> Result<String, Failure> {
    let person = args.person.person()?;
    let count = restored(&desk.book, &person, (desk.now, &desk.plan)).map_err(Failure::message)?;
    let loans = if count == 1 { "1 loan asks".to_owned() } else { format!("{count} loans ask") };
    Ok(format!("{loans} first about what was due before {}, by {}", desk.time.show(desk.now), person.name))
}
