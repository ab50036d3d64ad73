//! `bill`: makes a link for a payment (P1), and checks whether it was paid (P2). Knows nothing of what is paid for.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::connection::{Area, ConnectionArgs};
use super::exit_status;
use super::ledger::ledger_time_now;
use super::output::{self, Failure};
use crate::base::money::{Currency, Money};
use crate::provider::client::Error;
use crate::provider::client::bill::{Difference, NotPaid, StoredBill};
use crate::provider::client::blocking::BillClient;
use crate::provider::wire::bill::CreateBill;
use crate::provider::wire::{Authentication, BillSettings, PaymentReference};
use crate::run::whole_file::{Access, write_new, write_whole};

/// The command line of `bill`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright provider bill create --merchant M1 --payable ITEM \\
      --amount-minor 250000 --customer C-1 \\
      --redirect-url https://shop.example/paid --store bill.json \\
      --settings provider.toml
      prints the bill with its paymentUrl, and stores in bill.json what the payment must match
  lendwright provider bill confirm bill.json --settings provider.toml \\
      && echo 'give value'
      asks the provider; exit status 0 only if this bill, with this amount, has been paid

Exit status of confirm: 0 paid; 4 not paid and never will be; 5 not paid yet; 6 the provider does
not know the bill; 7 the provider gave no usable answer; 1 anything else, such as another amount.

A customer who returns through the redirect, or a call of a webhook, proves no payment: only
`confirm` does. With
--dry-run it sends nothing, and the exit status is 1.")]
pub struct BillArgs {
    #[allow(missing_docs)]
    #[command(subcommand)]
    pub action: Action,
}

/// The subcommands of `bill`.
#[derive(Debug, Clone, Subcommand)]
pub enum Action {
    /// Make a bill and the link to pay it (P1)
    Create(CreateArgs),
    /// Ask whether a stored bill has been paid (P2)
    Confirm(ConfirmArgs),
}

/// The command line of `bill create`.
#[derive(Debug, Clone, Args)]
pub struct CreateArgs {
    /// The merchant's code
    #[arg(long, value_name = "CODE")]
    pub merchant: String,
    /// The merchant's payment item
    #[arg(long, value_name = "CODE")]
    pub payable: String,
    /// The amount, in minor units: 250000 is 2,500.00
    #[arg(long, value_name = "N")]
    pub amount_minor: i64,
    /// The currency's ISO 4217 numeric code
    #[arg(long, value_name = "CODE", default_value = "566")]
    pub currency: String,
    /// Where the customer is redirected after the payment
    #[arg(long, value_name = "URL")]
    pub redirect_url: String,
    /// The customer's id in your system
    #[arg(long, value_name = "ID")]
    pub customer: String,
    /// The customer's e-mail address
    #[arg(long, value_name = "ADDRESS")]
    pub email: Option<String>,
    /// Your own reference for the transaction
    #[arg(long, value_name = "REF")]
    pub reference: Option<String>,
    /// The file to store the bill in; it must not exist yet
    #[arg(long, value_name = "FILE", default_value = "bill.json")]
    pub store: PathBuf,
    /// Print the exact request with secrets masked, and send nothing
    #[arg(long)]
    pub dry_run: bool,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub connection: ConnectionArgs,
}

/// The command line of `bill confirm`.
#[derive(Debug, Clone, Args)]
pub struct ConfirmArgs {
    /// The bill that `create` stored
    #[arg(value_name = "BILL.json")]
    pub bill: PathBuf,
    /// Print the exact request with secrets masked, and send nothing
    #[arg(long)]
    pub dry_run: bool,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub connection: ConnectionArgs,
}

/// Runs the subcommand and prints the answer as JSON.
pub fn run(args: BillArgs) -> Result<ExitCode, Failure> {
    match args.action {
        Action::Create(args) => create_bill_link(&args),
        Action::Confirm(args) => confirm_bill_payment(&args),
    }
}

/// A client for one of the two calls, with a token if that call needs one.
fn bill_client_for_call(
    connection: &ConnectionArgs,
    is_dry: bool,
    authentication: fn(&BillSettings) -> Authentication,
) -> Result<BillClient, Failure> {
    let settings = connection.settings_for(Area::Bill)?;
    let token = match !is_dry && authentication(&settings.bill) == Authentication::Bearer {
        true => connection.token(&settings)?,
        false => ConnectionArgs::no_token(),
    };
    BillClient::new(settings, token).map_err(Failure::message)
}

fn create_bill_link(args: &CreateArgs) -> Result<ExitCode, Failure> {
    let currency = Currency::from_numeric(&args.currency)
        .ok_or_else(|| format!("`{}` is not an ISO 4217 numeric code such as 566", args.currency))?;
    let request = CreateBill {
        merchant_code: args.merchant.clone(),
        payable_code: args.payable.clone(),
        amount: Money::from_minor(args.amount_minor),
        currency,
        redirect_url: args.redirect_url.clone(),
        customer_id: args.customer.clone(),
        customer_email: args.email.clone(),
        transaction_reference: args.reference.clone(),
    };
    let client = bill_client_for_call(&args.connection, args.dry_run, |bill| bill.create.authentication)?;
    if args.dry_run {
        return output::print_prepared_request(client.prepare_create(&request));
    }
    client.prepare_create(&request).map_err(Failure::message)?;
    // Stored before it is sent, so that the bill can be confirmed even if the answer is lost.
    let file = args.store.display();
    let sent = SentBill {
        merchant_code: request.merchant_code.clone(),
        transaction_reference: request.transaction_reference.clone(),
        amount: request.amount,
        currency: request.currency,
        sent_at: ledger_time_now(),
    };
    let written = serde_json::to_vec(&sent).map_err(std::io::Error::other);
    let stored = written.and_then(|bytes| write_new(&args.store, Access::Private, &bytes));
    stored.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => format!("`{file}` already exists; give another `--store FILE`"),
        _ => format!("cannot write `{file}`: {error}; no bill has been made"),
    })?;
    let created = client.create(&request).map_err(|error| not_created(&args.store, &error))?;
    let written = serde_json::to_vec(&StoredBill::new(&request, &created)).map_err(std::io::Error::other);
    let stored = written.and_then(|bytes| write_whole(&args.store, Access::Private, &bytes));
    // Printed even if it could not be stored: then this is the only copy.
    let printed = output::print_reply_json(&created);
    stored.map_err(|error| format!("the bill is made but not stored: cannot write `{file}`: {error}"))?;
    printed
}

/// Removes the stored request if the bill certainly was not made, so that a retry can use the same file. Otherwise
/// keeps it.
fn not_created(file: &Path, error: &Error) -> Failure {
    if error.is_not_sent() || error.is_rejected() {
        let _ = std::fs::remove_file(file);
        return Failure::message(error);
    }
    Failure::Message(format!(
        "{error}\nwhether the bill was made is not known; the request is kept in `{}`",
        file.display()
    ))
}

/// The stored form of a bill whose answer has not come yet.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SentBill {
    merchant_code: String,
    transaction_reference: Option<String>,
    amount: Money,
    currency: Currency,
    sent_at: String,
}

/// Reads what `create` stored. A bill without an answer has no reference of the provider's. It can still be confirmed
/// if the settings ask by the merchant's own reference.
fn read_bill(args: &ConfirmArgs) -> Result<StoredBill, Failure> {
    let file = args.bill.display();
    let bytes = std::fs::read(&args.bill).map_err(|error| format!("cannot read `{file}`: {error}"))?;
    if let Ok(bill) = serde_json::from_slice(&bytes) {
        return Ok(bill);
    }
    let sent: SentBill = serde_json::from_slice(&bytes)
        .map_err(|_| format!("`{file}` is not a bill as `provider bill create` stores it"))?;
    let asks_by_own_reference =
        args.connection.settings_for(Area::Bill)?.bill.status.reference == PaymentReference::Transaction;
    match (asks_by_own_reference, &sent.transaction_reference) {
        (true, Some(_)) => Ok(StoredBill {
            merchant_code: sent.merchant_code,
            reference: String::new(),
            transaction_reference: sent.transaction_reference,
            amount: sent.amount,
            currency: sent.currency,
        }),
        _ => Err(Failure::Message(format!(
            "the bill in `{file}` was sent at {}, but no answer came. Its reference is not known, so it cannot be \
             confirmed here. Ask the provider by the merchant's own reference, if it has one",
            sent.sent_at
        ))),
    }
}

fn confirm_bill_payment(args: &ConfirmArgs) -> Result<ExitCode, Failure> {
    let bill = read_bill(args)?;
    let client = bill_client_for_call(&args.connection, args.dry_run, |bill| bill.status.authentication)?;
    if args.dry_run {
        output::print_prepared_request(client.question(&bill).and_then(|question| client.prepare_status(&question)))?;
        // A script that checks the exit status must not take this for a payment.
        return Ok(ExitCode::FAILURE);
    }
    let paid = match client.confirm_payment(&bill) {
        Ok(paid) => paid,
        Err(not_paid) => {
            let code = exit_status::for_bill(&not_paid);
            let message = match not_paid {
                NotPaid::Differs(Difference::Amount { expected, returned }) => format!(
                    "the payment does not match this bill: it is of {} minor units, but {} were asked for",
                    returned.minor(),
                    expected.minor()
                ),
                other => other.to_string(),
            };
            output::print_error_message(message);
            return Ok(code);
        }
    };
    output::print_reply_json(&json!({ "paid": true, "reference": paid.bill().reference, "amount": paid.bill().amount }))
}
