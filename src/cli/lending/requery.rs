//! `requery`: asks what became of a transaction (E9), records the answer in the ledger, and reports it by the exit
//! status too. Knows nothing of how money is moved.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::{Value as Json, json};

use super::ConnectionArgs;
use crate::cli::exit_status;
use crate::cli::ledger::{Ledger, LedgerEntry, TransactionOutcome};
use crate::cli::output::{self, Failure};
use crate::provider::wire::lending::{Requery, SentTransactionId, TransactionStatus};

/// The command line of `requery`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright provider requery FUND-L-1 --ledger /var/lib/lendwright/ledger \\
      --settings provider.toml
      asks, prints the answer, and records it in the ledger, which knows the loan
  lendwright provider requery FUND-L-1 --loan L-1 --settings provider.toml
      asks about a transaction that is in no ledger
  lendwright provider requery FUND-L-1 --ledger /var/lib/lendwright/ledger \\
      --settings provider.toml --release
      asks again, and gives the transaction up if the provider still does not know it. Another one
      may then be sent for the loan. Do this only if the provider says that the transaction can no
      longer appear

Exit status: 0 the money has moved; 4 it has not and will not; 5 the provider has not finished
with it; 6 the provider does not know it (or not yet); 7 the provider gave no usable answer; 1
anything else. With --release, 0 if it was given up.

The interface shows neither the path nor the payload of this call: they are settings under
[requery].")]
pub struct RequeryArgs {
    /// The transaction, as it was sent
    #[arg(value_name = "TRANSACTION")]
    pub transaction: String,
    /// The loan that it belongs to; not needed with --ledger
    #[arg(long, value_name = "ID", required_unless_present = "ledger")]
    pub loan: Option<String>,
    /// The folder in which the transaction was recorded before it was sent
    #[arg(long, value_name = "DIR")]
    pub ledger: Option<PathBuf>,
    /// Give the transaction up if the provider does not know it
    #[arg(long, requires = "ledger", conflicts_with = "dry_run")]
    pub release: bool,
    /// Print the exact request with secrets masked, and send nothing
    #[arg(long)]
    pub dry_run: bool,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub connection: ConnectionArgs,
}

/// Asks what became of a transaction, records the answer, prints it as JSON, and chooses the exit status.
pub fn requery_transaction(args: RequeryArgs) -> Result<ExitCode, Failure> {
    let ledger = args.ledger.as_deref().map(Ledger::new);
    let entry = ledger.as_ref().map(|ledger| read_ledger_entry(&args, ledger)).transpose()?;
    let loan_id = entry.as_ref().map(|entry| &entry.order.loan_id).or(args.loan.as_ref()).cloned().unwrap_or_default();
    let transaction_id = SentTransactionId::recall(args.transaction.clone()).map_err(Failure::message)?;
    let question = Requery { transaction_id, loan_id, sent: None };
    if args.dry_run {
        return output::print_prepared_request(args.connection.dry_client()?.prepare(&question));
    }
    let client = args.connection.client()?;
    let host = client.prepare(&question).map_err(Failure::message)?.host().to_owned();
    let other_host = entry.as_ref().and_then(|entry| check_host(entry, &host));
    if let (true, Some(problem)) = (args.release, &other_host) {
        return Err(Failure::Message(format!("{problem}; nothing has been asked or given up")));
    }
    let status = match client.call(&question) {
        Ok(status) => status,
        Err(error) => {
            output::print_error_message(&error);
            return Ok(exit_status::for_error(&error));
        }
    };
    if let Some(problem) = other_host {
        output::print_reply_json(&status)?;
        return Err(Failure::Message(format!("{problem}; its answer is not recorded")));
    }
    // A transaction with a known outcome is not given up.
    let is_open = entry.as_ref().is_some_and(|entry| entry.outcome.is_open());
    let is_released = args.release && status == TransactionStatus::NotFound && is_open;
    let record = |outcome: TransactionOutcome| match &ledger {
        Some(ledger) => ledger.record_outcome(&args.transaction, outcome, &host, &json!(status)),
        None => Ok(()),
    };
    let recorded = record(outcome_of_status(&status))
        .and_then(|()| if is_released { record(TransactionOutcome::Released) } else { Ok(()) });
    // Printed even if it could not be recorded.
    let mut answer = json!(status);
    if let (true, Json::Object(fields)) = (is_released && recorded.is_ok(), &mut answer) {
        fields.insert("released".to_owned(), true.into());
    }
    output::print_reply_json(&answer)?;
    recorded?;
    if ledger.is_none() {
        output::print_stderr_remark("not recorded: give --ledger DIR, the folder of the orders\n");
    }
    if is_released {
        return Ok(ExitCode::SUCCESS);
    }
    match entry.filter(|_| args.release) {
        Some(entry) if status == TransactionStatus::NotFound => {
            output::print_stderr_remark(format!("not given up: according to the ledger, {}\n", entry.outcome));
        }
        Some(_) => output::print_stderr_remark("not given up: the provider knows the transaction\n"),
        None => {}
    }
    Ok(exit_status::for_transaction(&status))
}

/// The problem if the transaction was sent to another host than `host`: then the answer says nothing about it.
fn check_host(entry: &LedgerEntry, host: &str) -> Option<String> {
    let order = &entry.order;
    // Ledgers of earlier versions name no host.
    (!order.host.is_empty() && order.host != host).then(|| {
        format!(
            "transaction `{}` was sent to `{}`, but these settings ask `{host}`; use the settings that it was sent \
             with",
            order.transaction_id, order.host
        )
    })
}

/// Reads the transaction from the ledger. If `--loan` is given, it must be the same loan.
fn read_ledger_entry(args: &RequeryArgs, ledger: &Ledger) -> Result<LedgerEntry, Failure> {
    let Some(entry) = ledger.entry(&args.transaction)? else {
        return Err(Failure::Message(format!(
            "the ledger `{}` has no transaction `{}`; look for it in the folder that `fund` or `debit` was given",
            ledger.display(),
            args.transaction
        )));
    };
    match &args.loan {
        Some(loan) if *loan != entry.order.loan_id => Err(Failure::Message(format!(
            "transaction `{}` was ordered for the loan `{}`, not for `{loan}`",
            args.transaction, entry.order.loan_id
        ))),
        _ => Ok(entry),
    }
}

fn outcome_of_status(status: &TransactionStatus) -> TransactionOutcome {
    match status {
        TransactionStatus::Succeeded { .. } => TransactionOutcome::Succeeded,
        TransactionStatus::Failed { .. } => TransactionOutcome::Failed,
        TransactionStatus::Pending => TransactionOutcome::Pending,
        TransactionStatus::NotFound => TransactionOutcome::NotFound,
    }
}
