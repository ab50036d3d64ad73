//! `backup`: a copy of the service's database, checked. Knows nothing of how it is copied.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;

use super::loans::{BookArgs, Desk};
use super::output::{self, Failure};
use crate::lender::loan_book::{LoanBook, MIGRATIONS};
use crate::lender::operations::{CopyCheck, check_copy};
use crate::lender::store::database::Database;
use crate::lender::store::sqlite;
use crate::report::aligned::format_aligned_table;

/// The command line of `backup`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright service backup /backups/loans-2026-10-31.db --config lender.toml
      copies the database while the service runs, opens the copy and checks it

The copy is one file. To restore it, stop the service, replace the database with a copy of it (remove
the old -wal and -shm files), run `lendwright service loans restored`, and start the service. What
was sent after the backup is not in it: the service asks the provider before it sends anything that
was due since. Keep the keys apart from the backups. For PostgreSQL use `pg_dump`.

Exit status: 0 the copy can be used; 1 it cannot, or was not made.")]
pub struct BackupArgs {
    /// The new file; an existing one is refused
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub book: BookArgs,
}

/// Copies, and checks the copy.
pub fn run(args: &BackupArgs) -> Result<ExitCode, Failure> {
    let desk = Desk::open(&args.book)?;
    output::write_stdout_bytes(make_checked_copy(&desk, &args.file)?.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn make_checked_copy(desk: &Desk, file: &Path) -> Result<String, Failure> {
    desk.book.database().backup(file).map_err(Failure::message)?;
    let checked = check_database_copy(desk, file)?;
    if !checked.problems.is_empty() {
        let problems = checked.problems.join("; ");
        return Err(Failure::Message(format!("the copy `{}` cannot be used: {problems}", file.display())));
    }
    let rows: Vec<Vec<String>> =
        checked.counts.iter().map(|(name, count)| vec![(*name).to_owned(), count.to_string()]).collect();
    Ok(format!(
        "copied to {}\n{}last hash of the audit  {}\n",
        file.display(),
        format_aligned_table(&["table", ">rows"], &rows),
        checked.hash
    ))
}

fn check_database_copy(desk: &Desk, file: &Path) -> Result<CopyCheck, Failure> {
    let unusable = |error| Failure::Message(format!("the copy `{}` cannot be used: {error}", file.display()));
    let database = sqlite::open_sqlite_file(file, MIGRATIONS, desk.now.milliseconds()).map_err(unusable)?;
    let database: Arc<dyn Database> = Arc::new(database);
    let copy = LoanBook::open(database, "", desk.now).map_err(unusable)?;
    let checked = check_copy(&desk.book, &copy).map_err(unusable)?;
    copy.mark_as_copy(desk.now).map_err(unusable)?;
    // The copy is one file: the mark must not stay behind in a log beside it.
    if !copy.database().scrub().map_err(unusable)? {
        return Err(Failure::Message(format!("the copy `{}` is in use; make another", file.display())));
    }
    Ok(checked)
}
