//! `requery`: what became of a transaction of money (E9), told by the exit status too and written into the ledger.
//! Knows nothing of how money is moved.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::{Value as Json, json};

use super::ConnectionArgs;
use crate::cli::ledger::{Entry, Ledger, Outcome};
use crate::cli::output::{self, Failure};
use crate::cli::exit_status;
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
    let entry = ledger.as_ref().map(|ledger| entry(&args, ledger)).transpose()?;
    let loan_id = entry.as_ref().map(|entry| &entry.order.loan_id).or(args.loan.as_ref()).cloned().unwrap_or_default();
    let transaction_id = SentTransactionId::recall(args.transaction.clone()).map_err(Failure::said)?;
    let question = Requery { transaction_id, loan_id };
    if args.dry_run {
        return output::request(args.connection.dry_client()?.prepare(&question));
    }
    let client = args.connection.client()?;
    let host = client.prepare(&question).map_err(Failure::said)?.host().to_owned();
    let elsewhere = entry.as_ref().and_then(|entry| elsewhere(entry, &host));
    if let (true, Some(problem)) = (args.release, &elsewhere) {
        return Err(Failure::Said(format!("{problem}; nothing has been asked or given up")));
    }
    let status = match client.call(&question) {
        Ok(status) => status,
        Err(error) => {
            output::complain(&error);
            return Ok(exit_status::of_error(&error));
        }
    };
    if let Some(problem) = elsewhere {
        output::reply(&status)?;
        return Err(Failure::Said(format!("{problem}; its answer is not written down")));
    }
    // What is known is not given up.
    let is_open = entry.as_ref().is_some_and(|entry| entry.outcome.is_open());
    let is_released = args.release && status == TransactionStatus::NotFound && is_open;
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
    match entry.filter(|_| args.release) {
        Some(entry) if status == TransactionStatus::NotFound => {
            output::remark(format!("not given up: by the ledger, {}\n", entry.outcome));
        }
        Some(_) => output::remark("not given up: the provider knows the transaction\n"),
        None => {}
    }
    Ok(exit_status::of_status(&status))
}

/// Why an answer of `host` says nothing about a transaction that was sent to another one.
fn elsewhere(entry: &Entry, host: &str) -> Option<String> {
    let order = &entry.order;
    // Ledgers of earlier versions name no host.
    (!order.host.is_empty() && order.host != host).then(|| {
        format!(
            "transaction `{}` was sent to `{}`, and these settings ask `{host}`: take the settings that it was sent with",
            order.transaction_id, order.host
        )
    })
}

/// The transaction as it was ordered. A loan that is given must be its own.
fn entry(args: &RequeryArgs, ledger: &Ledger) -> Result<Entry, Failure> {
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
        _ => Ok(entry),
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
