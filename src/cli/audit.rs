//! `audit verify`: whether the audit is what was recorded. Knows nothing of hashes.

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::loans::{BookArgs, Desk};
use super::output::{self, Failure};
use crate::lender::loan_book::Verified;

/// The command line of `audit`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright service audit verify --config lender.toml
      checks every row, and prints how many there are and the last hash; keep it elsewhere
  lendwright service audit verify --expect 4f1c... --config lender.toml
      also proves that the rows up to that hash are still there")]
pub struct AuditArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Clone, Subcommand)]
enum Action {
    /// Check every row of the audit
    Verify(VerifyArgs),
}

/// The command line of `audit verify`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright service audit verify --config lender.toml
      checks every row, and prints how many there are and the last hash; keep it elsewhere
  lendwright service audit verify --expect 4f1c... --config lender.toml
      also proves that the rows up to that hash are still there

Each row has a hash over itself and the row before. Whoever changes the database can also make new
hashes for all later rows; only a hash that was kept elsewhere shows that.

Exit status: 0 the audit is whole; 1 it is not, and the first broken row is named.")]
pub(super) struct VerifyArgs {
    /// A hash that was printed earlier and kept elsewhere
    #[arg(long, value_name = "HASH")]
    pub(super) expect: Option<String>,
    #[command(flatten)]
    pub(super) book: BookArgs,
}

/// Runs the command.
pub fn run(args: &AuditArgs) -> Result<ExitCode, Failure> {
    let Action::Verify(args) = &args.action;
    output::write_stdout_line(verify_audit_rows(args, &Desk::open(&args.book)?)?)?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn verify_audit_rows(args: &VerifyArgs, desk: &Desk) -> Result<String, Failure> {
    let (rows, hash) = match desk.book.verify_audit().map_err(Failure::message)? {
        Verified::Whole { rows, hash } => (rows, hash),
        Verified::Broken { seq, how } => {
            let problem = format!("row {seq} of the audit {how}: somebody changed the database by other means");
            return Err(Failure::Message(problem));
        }
    };
    let expected = args.expect.as_deref().map(str::trim);
    if let Some(expected) = expected
        && desk.book.find_audit_row(expected).map_err(Failure::message)?.is_none()
    {
        let problem =
            "no row of the audit has the expected hash: rows were cut off or replaced, or it is of another book";
        return Err(Failure::Message(problem.to_owned()));
    }
    Ok(format!("{rows} rows, all as recorded\nlast hash  {hash}"))
}
