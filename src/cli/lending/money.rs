//! `fund` and `debit`: money, moved at most once (E6, E8). Knows nothing of why it is moved.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::{Value as Json, json};

use super::ConnectionArgs;
use crate::cli::ledger::{Ledger, Order, Outcome, now};
use crate::cli::output::{self, Failure};
use crate::client::{MoneyError, Prepared};
use crate::wire::lending::{Debit, Fund, Receipt, TransactionId};
use crate::words::money::{Currency, Money};

/// What every order of money has.
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
    /// Your own id of the transaction, never used before
    #[arg(long, value_name = "ID")]
    pub transaction: String,
    /// The folder in which each transaction is written down before it is sent: one and the same for all that move money
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
  lendwright fund L-1 --customer C-1 --amount-minor 5000000 --transaction FUND-L-1 --terminal 3ABC \\
      --loan-reference REF-L-1 --settings provider.toml --dry-run
      prints the exact request and sends nothing
  lendwright fund L-1 --customer C-1 --amount-minor 5000000 --transaction FUND-L-1 --terminal 3ABC \\
      --loan-reference REF-L-1 --settings provider.toml --ledger /var/lib/lendwright/ledger
      writes FUND-L-1.ndjson into the ledger, sends, prints the receipt

A transaction is sent once, and a loan is paid out once. Where the outcome is unknown nothing is repeated, and no other
transaction of the same kind is sent for the loan: ask with `lendwright requery`.")]
pub struct FundArgs {
    #[allow(missing_docs)]
    #[command(flatten)]
    pub order: OrderArgs,
    /// The terminal of the channel
    #[arg(long, value_name = "ID")]
    pub terminal: String,
    /// Your own reference of the loan
    #[arg(long, value_name = "REF")]
    pub loan_reference: String,
}

/// The command line of `debit`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright debit L-1 --customer C-1 --amount-minor 5200000 --transaction DEBIT-L-1-1 --settings provider.toml \\
      --ledger /var/lib/lendwright/ledger

A transaction is sent once. Where the outcome is unknown nothing is repeated, and no other transaction of the same kind
is sent for the loan: ask with `lendwright requery`.")]
pub struct DebitArgs {
    #[allow(missing_docs)]
    #[command(flatten)]
    pub order: OrderArgs,
}

/// Credits a customer, and prints the receipt as JSON.
pub fn fund(args: FundArgs) -> Result<ExitCode, Failure> {
    let order = args.order;
    order.connection.check_lender()?;
    let request = Fund {
        loan_id: order.loan.clone(),
        customer_id: order.customer.clone(),
        amount: Money::from_minor(order.amount_minor),
        currency: currency(&order.currency)?,
        channel_terminal_id: args.terminal,
        loan_reference_id: args.loan_reference,
    };
    let id = TransactionId::new(&order.transaction).map_err(Failure::said)?;
    if order.dry_run {
        return output::request(order.connection.dry_client()?.prepare_fund(&request, &id));
    }
    // Everything that can be wrong without sending is found before the order is written down.
    let client = order.connection.client()?;
    let prepared = client.prepare_fund(&request, &id).map_err(Failure::said)?;
    let ledger = order.ledger()?;
    let written = order.written("fund", Some(request.loan_reference_id.clone()), &prepared);
    let right = ledger.order(id, &written)?;
    settle(&ledger, &written, client.fund(&request, right))
}

/// Collects a payment, and prints the receipt as JSON.
pub fn debit(args: DebitArgs) -> Result<ExitCode, Failure> {
    let order = args.order;
    order.connection.check_lender()?;
    let request = Debit {
        loan_id: order.loan.clone(),
        customer_id: order.customer.clone(),
        amount: Money::from_minor(order.amount_minor),
        currency: currency(&order.currency)?,
    };
    let id = TransactionId::new(&order.transaction).map_err(Failure::said)?;
    if order.dry_run {
        return output::request(order.connection.dry_client()?.prepare_debit(&request, &id));
    }
    let client = order.connection.client()?;
    let prepared = client.prepare_debit(&request, &id).map_err(Failure::said)?;
    let ledger = order.ledger()?;
    let written = order.written("debit", None, &prepared);
    let right = ledger.order(id, &written)?;
    settle(&ledger, &written, client.debit(&request, right))
}

fn currency(code: &str) -> Result<Currency, Failure> {
    Currency::from_numeric(code)
        .ok_or_else(|| Failure::Said(format!("`{code}` is not an ISO 4217 numeric code such as 566")))
}

impl OrderArgs {
    /// The order as the ledger holds it.
    fn written(&self, call: &str, loan_reference_id: Option<String>, prepared: &Prepared) -> Order {
        Order {
            transaction_id: self.transaction.clone(),
            call: call.to_owned(),
            loan_id: self.loan.clone(),
            amount_minor: self.amount_minor,
            currency: self.currency.clone(),
            customer_id: self.customer.clone(),
            loan_reference_id,
            host: prepared.host().to_owned(),
            at: now(),
        }
    }

    fn ledger(&self) -> Result<Ledger, Failure> {
        match &self.ledger {
            Some(folder) => Ok(Ledger::new(folder)),
            None => Err(Failure::Said("money is moved with a ledger: give `--ledger DIR`".to_owned())),
        }
    }
}

/// Notes what became of an order, then says it.
fn settle(ledger: &Ledger, order: &Order, sent: Result<Receipt, MoneyError>) -> Result<ExitCode, Failure> {
    let id = &order.transaction_id;
    let note = |outcome, detail: Json| ledger.settle(id, outcome, &order.host, &detail);
    let ask = format!("lendwright requery {id} --ledger {}", ledger.place());
    match sent {
        Ok(receipt) => {
            let noted = note(Outcome::Done, json!(receipt));
            // Printed whether or not it could be noted, and the other way round.
            let printed = output::reply(&receipt);
            noted?;
            printed
        }
        Err(MoneyError::NotDone { error, .. }) => {
            note(Outcome::NotDone, json!(error.to_string()))?;
            Err(Failure::Said(format!("{error}; nothing has happened, and the same transaction may be sent again")))
        }
        Err(MoneyError::Refused { error, .. }) => {
            note(Outcome::Failed, json!(error.to_string()))?;
            Err(Failure::Said(format!(
                "{error}; by `money.refused_codes` no money moved, and another transaction may be sent"
            )))
        }
        Err(MoneyError::Uncertain { error, .. }) => {
            note(Outcome::Uncertain, json!(error.to_string()))?;
            Err(Failure::Said(format!("{error}\n  {ask}")))
        }
    }
}
