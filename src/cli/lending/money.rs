//! `fund` and `debit`: move money at most once (E6, E8). Knows nothing of why it is moved.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::{Value as Json, json};

use super::ConnectionArgs;
use crate::base::money::{Currency, Money};
use crate::cli::ledger::{Ledger, LedgerOrder, TransactionOutcome, ledger_time_now};
use crate::cli::output::{self, Failure};
use crate::provider::client::{MoneyError, Prepared};
use crate::provider::wire::lending::{Debit, Fund, Receipt, TransactionId};

/// Options of all commands that move money.
#[derive(Debug, Clone, Args)]
pub struct OrderArgs {
    /// The loan's id
    #[arg(value_name = "LOAN")]
    pub loan: String,
    /// The customer's id
    #[arg(long, value_name = "ID")]
    pub customer: String,
    /// The amount, in minor units: 5000000 is 50,000.00
    #[arg(long, value_name = "N")]
    pub amount_minor: i64,
    /// The currency's ISO 4217 numeric code
    #[arg(long, value_name = "CODE", default_value = "566")]
    pub currency: String,
    /// Your own id for the transaction, never used before
    #[arg(long, value_name = "ID")]
    pub transaction: String,
    /// The folder in which transactions are recorded before they are sent: the same one for all `fund` and `debit`
    #[arg(long, value_name = "DIR", required_unless_present = "dry_run")]
    pub ledger: Option<PathBuf>,
    /// Print the exact request with secrets masked, and send nothing
    #[arg(long)]
    pub dry_run: bool,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub connection: ConnectionArgs,
}

/// The command line of `fund`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright provider fund L-1 --customer C-1 --amount-minor 5000000 \\
      --transaction FUND-L-1 --terminal 3ABC --loan-reference REF-L-1 \\
      --settings provider.toml --dry-run
      prints the exact request and sends nothing
  lendwright provider fund L-1 --customer C-1 --amount-minor 5000000 \\
      --transaction FUND-L-1 --terminal 3ABC --loan-reference REF-L-1 \\
      --settings provider.toml --ledger /var/lib/lendwright/ledger
      writes FUND-L-1.ndjson into the ledger, sends, prints the receipt

A transaction is sent once, and a loan is paid out once. If the outcome is unknown, nothing is
retried, and no other transaction of the same kind is sent for the loan: ask with `lendwright
provider requery`.")]
pub struct FundArgs {
    #[allow(missing_docs)]
    #[command(flatten)]
    pub order: OrderArgs,
    /// The terminal id of the channel
    #[arg(long, value_name = "ID", help_heading = None)]
    pub terminal: String,
    /// Your own reference for the loan
    #[arg(long, value_name = "REF", help_heading = None)]
    pub loan_reference: String,
}

/// The command line of `debit`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright provider debit L-1 --customer C-1 --amount-minor 5200000 \\
      --transaction DEBIT-L-1-1 --settings provider.toml \\
      --ledger /var/lib/lendwright/ledger

A transaction is sent once. If the outcome is unknown, nothing is retried, and no other
transaction of the same kind is sent for the loan: ask with `lendwright provider requery`.")]
pub struct DebitArgs {
    #[allow(missing_docs)]
    #[command(flatten)]
    pub order: OrderArgs,
}

/// Pays out a loan, and prints the receipt as JSON.
pub fn pay_out_loan(args: FundArgs) -> Result<ExitCode, Failure> {
    let order = args.order;
    order.connection.check_lender()?;
    let request = Fund {
        loan_id: order.loan.clone(),
        customer_id: order.customer.clone(),
        amount: Money::from_minor(order.amount_minor),
        currency: parse_order_currency(&order.currency)?,
        channel_terminal_id: args.terminal,
        loan_reference_id: args.loan_reference,
    };
    let id = TransactionId::new(&order.transaction).map_err(Failure::message)?;
    if order.dry_run {
        return output::print_prepared_request(order.connection.dry_client()?.prepare_fund(&request, &id));
    }
    // All errors that can be found without sending are found before the order is recorded.
    let client = order.connection.client()?;
    let prepared = client.prepare_fund(&request, &id).map_err(Failure::message)?;
    let ledger = order.ledger()?;
    let recorded = order.ledger_order("fund", Some(request.loan_reference_id.clone()), &prepared);
    let persisted = ledger.order(id, &recorded)?;
    record_and_report_order(&ledger, &recorded, client.fund(&request, persisted))
}

/// Collects a payment, and prints the receipt as JSON.
pub fn collect_payment(args: DebitArgs) -> Result<ExitCode, Failure> {
    let order = args.order;
    order.connection.check_lender()?;
    let request = Debit {
        loan_id: order.loan.clone(),
        customer_id: order.customer.clone(),
        amount: Money::from_minor(order.amount_minor),
        currency: parse_order_currency(&order.currency)?,
    };
    let id = TransactionId::new(&order.transaction).map_err(Failure::message)?;
    if order.dry_run {
        return output::print_prepared_request(order.connection.dry_client()?.prepare_debit(&request, &id));
    }
    let client = order.connection.client()?;
    let prepared = client.prepare_debit(&request, &id).map_err(Failure::message)?;
    let ledger = order.ledger()?;
    let recorded = order.ledger_order("debit", None, &prepared);
    let persisted = ledger.order(id, &recorded)?;
    record_and_report_order(&ledger, &recorded, client.debit(&request, persisted))
}

fn parse_order_currency(code: &str) -> Result<Currency, Failure> {
    Currency::from_numeric(code)
        .ok_or_else(|| Failure::Message(format!("`{code}` is not an ISO 4217 numeric code such as 566")))
}

impl OrderArgs {
    /// The order as the ledger records it.
    fn ledger_order(&self, call: &str, loan_reference_id: Option<String>, prepared: &Prepared) -> LedgerOrder {
        LedgerOrder {
            transaction_id: self.transaction.clone(),
            call: call.to_owned(),
            loan_id: self.loan.clone(),
            amount_minor: self.amount_minor,
            currency: self.currency.clone(),
            customer_id: self.customer.clone(),
            loan_reference_id,
            host: prepared.host().to_owned(),
            at: ledger_time_now(),
        }
    }

    fn ledger(&self) -> Result<Ledger, Failure> {
        match &self.ledger {
            Some(folder) => Ok(Ledger::new(folder)),
            None => Err(Failure::Message("moving money needs a ledger: give `--ledger DIR`".to_owned())),
        }
    }
}

/// Records the outcome of an order, then reports it.
fn record_and_report_order(
    ledger: &Ledger,
    order: &LedgerOrder,
    sent: Result<Receipt, MoneyError>,
) -> Result<ExitCode, Failure> {
    let id = &order.transaction_id;
    let record = |outcome, detail: Json| ledger.record_outcome(id, outcome, &order.host, &detail);
    let ask = format!("lendwright provider requery {id} --ledger {}", ledger.display());
    match sent {
        Ok(receipt) => {
            let recorded = record(TransactionOutcome::Done, json!(receipt));
            // Neither of the two depends on the other.
            let printed = output::print_reply_json(&receipt);
            recorded?;
            printed
        }
        Err(MoneyError::NotDone { error, .. }) => {
            record(TransactionOutcome::NotDone, json!(error.to_string()))?;
            Err(Failure::Message(format!("{error}; nothing has happened, and the same transaction may be sent again")))
        }
        Err(MoneyError::Refused { error, .. }) => {
            record(TransactionOutcome::Failed, json!(error.to_string()))?;
            Err(Failure::Message(format!(
                "{error}; according to `money.refused_codes` no money moved, and another transaction may be sent"
            )))
        }
        Err(MoneyError::Uncertain { error, .. }) => {
            record(TransactionOutcome::Uncertain, json!(error.to_string()))?;
            Err(Failure::Message(format!("{error}\n  {ask}")))
        }
    }
}
