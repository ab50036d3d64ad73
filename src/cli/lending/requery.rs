//! `requery`: what became of a transaction of money (E9), told by the exit status too and written into the ledger.
//! Knows nothing of how money is moved.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::{Value as Json, json};

use super::ConnectionArgs;
use crate::cli::ledger::{Ledger, Outcome};
use crate::cli::output::{self, Failure};
use crate::cli::verdict;
use crate::wire::lending::{Requery, SentTransactionId, TransactionStatus};

/// The command line of `requery`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright requery FUND-L-1 --ledger /var/lib/lendwright/ledger --settings provider.toml
      asks, prints the answer, and writes into the ledger what it says; the loan is known there
  lendwright requery FUND-L-1 --loan L-1 --settings provider.toml
      asks about a transaction that no ledger holds
  lendwright requery FUND-L-1 --ledger /var/lib/lendwright/ledger --settings provider.toml --release
      asks once more, and where the provider still does not know the transaction, gives it up: another one may then be
      sent for the loan. Only where the provider says that it can no longer appear

Exit status: 0 the money has moved, 4 it has not and will not, 5 the provider is not done with it, 6 the provider does not
know it (or not yet), 7 the provider gave no usable answer, 1 anything else. With --release 0 where it was given up.

The interface shows neither path nor payload of this call: they are the settings under [requery].")]
pub struct RequeryArgs {
    /// The transaction, as it was sent
    #[arg(value_name = "TRANSACTION")]
    pub transaction: String,
    /// The loan it belongs to; the ledger knows it
    #[arg(long, value_name = "ID", required_unless_present = "ledger")]
    pub loan: Option<String>,
    /// The folder in which the transaction was written down before it was sent
    #[arg(long, value_name = "DIR")]
    pub ledger: Option<PathBuf>,
    /// Give the transaction up where the provider does not know it
    #[arg(long, requires = "ledger", conflicts_with = "dry_run")]
    pub release: bool,
    /// Print the exact request with secrets masked, and send nothing
    #[arg(long)]
    pub dry_run: bool,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub connection: ConnectionArgs,
}

/// Asks what became of a transaction, writes it down, prints it as JSON and tells it by the exit status.
pub fn requery(args: RequeryArgs) -> Result<ExitCode, Failure> {
    let ledger = args.ledger.as_deref().map(Ledger::new);
    let loan_id = loan(&args, ledger.as_ref())?;
    let transaction_id = SentTransactionId::recall(args.transaction.clone()).map_err(Failure::said)?;
    let question = Requery { transaction_id, loan_id };
    if args.dry_run {
        return output::request(args.connection.dry_client()?.prepare(&question));
    }
    let client = args.connection.client()?;
    let host = client.prepare(&question).map_err(Failure::said)?.host().to_owned();
    let status = match client.call(&question) {
        Ok(status) => status,
        Err(error) => {
            output::complain(&error);
            return Ok(verdict::of_error(&error));
        }
    };
    let is_released = args.release && status == TransactionStatus::NotFound;
    let note = |outcome: Outcome| match &ledger {
        Some(ledger) => ledger.settle(&args.transaction, outcome, &host, &json!(status)),
        None => Ok(()),
    };
    let noted = note(outcome(&status)).and_then(|()| if is_released { note(Outcome::Released) } else { Ok(()) });
    // Printed whether or not it could be noted.
    let mut answer = json!(status);
    if let (true, Json::Object(fields)) = (is_released && noted.is_ok(), &mut answer) {
        fields.insert("released".to_owned(), true.into());
    }
    output::reply(&answer)?;
    noted?;
    if ledger.is_none() {
        output::remark("not written down: give --ledger DIR, the folder of the orders\n");
    }
    if is_released {
        return Ok(ExitCode::SUCCESS);
    }
    if args.release {
        output::remark("not given up: the provider knows the transaction\n");
    }
    Ok(verdict::of_status(&status))
}

/// The loan of the transaction: as given, or as it was ordered. Where both are there they must be one.
fn loan(args: &RequeryArgs, ledger: Option<&Ledger>) -> Result<String, Failure> {
    let Some(ledger) = ledger else { return Ok(args.loan.clone().unwrap_or_default()) };
    let Some(entry) = ledger.entry(&args.transaction)? else {
        return Err(Failure::Said(format!(
            "the ledger `{}` has no transaction `{}`; look for it in the folder that `fund` or `debit` was given",
            ledger.place(),
            args.transaction
        )));
    };
    match &args.loan {
        Some(loan) if *loan != entry.order.loan_id => Err(Failure::Said(format!(
            "transaction `{}` was ordered for the loan `{}`, not for `{loan}`",
            args.transaction, entry.order.loan_id
        ))),
        _ => Ok(entry.order.loan_id),
    }
}

fn outcome(status: &TransactionStatus) -> Outcome {
    match status {
        TransactionStatus::Succeeded { .. } => Outcome::Succeeded,
        TransactionStatus::Failed { .. } => Outcome::Failed,
        TransactionStatus::Pending => Outcome::Pending,
        TransactionStatus::NotFound => Outcome::NotFound,
    }
}
