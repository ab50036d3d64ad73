//! `bill`: links for one payment (P1), and whether it was made (P2). Knows nothing of what is given for it.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::connection::{Area, ConnectionArgs};
use super::ledger::now;
use super::output::{self, Failure};
use super::pull::store;
use super::exit_status;
use crate::client::Error;
use crate::client::bill::{Difference, NotPaid, StoredBill};
use crate::client::blocking::BillClient;
use crate::wire::bill::CreateBill;
use crate::wire::{Authentication, BillSettings, PaymentReference};
use crate::words::money::{Currency, Money};

/// The command line of `bill`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright bill create --merchant M1 --payable ITEM --amount-minor 250000 --customer C-1 \\
      --redirect-url https://shop.example/paid --store bill.json --settings provider.toml
      prints the bill with its paymentUrl, and stores in bill.json what its payment is compared with
  lendwright bill confirm bill.json --settings provider.toml && echo 'give value'
      asks the provider; exit status 0 only if this bill, with this amount, has been paid

Exit status of confirm: 0 paid, 4 not paid and will not be, 5 not paid yet, 6 the provider does not know the bill, 7 the
provider gave no usable answer, 1 anything else, such as another amount.

That a customer came back by the redirect, or that a webhook was called, proves nothing: `confirm` does. With --dry-run
it asks nobody and its exit status is 1.")]
pub struct BillArgs {
    #[allow(missing_docs)]
    #[command(subcommand)]
    pub action: Action,
}

/// What can be done with a bill.
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
    /// Where the customer is sent after the payment
    #[arg(long, value_name = "URL")]
    pub redirect_url: String,
    /// The customer's id on your system
    #[arg(long, value_name = "ID")]
    pub customer: String,
    /// The customer's e-mail address
    #[arg(long, value_name = "ADDRESS")]
    pub email: Option<String>,
    /// Your own reference of the transaction
    #[arg(long, value_name = "REF")]
    pub reference: Option<String>,
    /// Where the bill is stored; it must not be there yet
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
    /// The bill, as `create` stored it
    #[arg(value_name = "BILL.json")]
    pub bill: PathBuf,
    /// Print the exact request with secrets masked, and send nothing
    #[arg(long)]
    pub dry_run: bool,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub connection: ConnectionArgs,
}

/// Does it, and prints the answer as JSON.
pub fn run(args: BillArgs) -> Result<ExitCode, Failure> {
    match args.action {
        Action::Create(args) => create(&args),
        Action::Confirm(args) => confirm(&args),
    }
}

/// A client for one of the two calls, with a token where that call carries one.
fn client(
    connection: &ConnectionArgs,
    is_dry: bool,
    authentication: fn(&BillSettings) -> Authentication,
) -> Result<BillClient, Failure> {
    let settings = connection.settings_of(Area::Bill)?;
    let token = match !is_dry && authentication(&settings.bill) == Authentication::Bearer {
        true => connection.token(&settings)?,
        false => ConnectionArgs::no_token(),
    };
    BillClient::new(settings, token).map_err(Failure::said)
}

fn create(args: &CreateArgs) -> Result<ExitCode, Failure> {
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
    let client = client(&args.connection, args.dry_run, |bill| bill.create.authentication)?;
    if args.dry_run {
        return output::request(client.prepare_create(&request));
    }
    client.prepare_create(&request).map_err(Failure::said)?;
    // What is about to be sent is on disk first: a bill whose answer never came can be asked about.
    let place = args.store.display();
    let sent = SentBill {
        merchant_code: request.merchant_code.clone(),
        transaction_reference: request.transaction_reference.clone(),
        amount: request.amount,
        currency: request.currency,
        sent_at: now(),
    };
    let kept = serde_json::to_vec(&sent).map_err(std::io::Error::other);
    let kept = kept.and_then(|bytes| {
        let mut file = output::new_file(&args.store)?;
        file.write_all(&bytes)?;
        file.sync_all()
    });
    kept.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => format!("`{place}` is there already; give another `--store FILE`"),
        _ => format!("cannot write `{place}`: {error}; no bill has been made"),
    })?;
    let created = client.create(&request).map_err(|error| not_created(&args.store, &error))?;
    let written = serde_json::to_vec(&StoredBill::new(&request, &created)).map_err(std::io::Error::other);
    let stored = written.and_then(|bytes| store(&args.store, &bytes));
    // Printed whether or not it could be stored: it is the only copy then.
    let printed = output::reply(&created);
    stored.map_err(|error| format!("the bill is made but not stored: cannot write `{place}`: {error}"))?;
    printed
}

/// The file of a bill that surely was not made would only be in the way of the next try; any other stays.
fn not_created(file: &Path, error: &Error) -> Failure {
    if error.is_not_sent() || error.is_rejected() {
        let _ = std::fs::remove_file(file);
        return Failure::said(error);
    }
    Failure::Said(format!(
        "{error}\nwhat was sent is kept in `{}`; whether the bill was made is not known",
        file.display()
    ))
}

/// A bill that was sent, until its answer is there.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SentBill {
    merchant_code: String,
    transaction_reference: Option<String>,
    amount: Money,
    currency: Currency,
    sent_at: String,
}

/// Reads what `create` stored. A bill whose answer never came has no reference on the service; where the settings ask
/// by the merchant's own, it can be asked about all the same.
fn stored(args: &ConfirmArgs) -> Result<StoredBill, Failure> {
    let place = args.bill.display();
    let bytes = std::fs::read(&args.bill).map_err(|error| format!("cannot read `{place}`: {error}"))?;
    if let Ok(bill) = serde_json::from_slice(&bytes) {
        return Ok(bill);
    }
    let sent: SentBill =
        serde_json::from_slice(&bytes).map_err(|_| format!("`{place}` is not a bill as `bill create` stores it"))?;
    let by_own = args.connection.settings_of(Area::Bill)?.bill.status.reference == PaymentReference::Transaction;
    match (by_own, &sent.transaction_reference) {
        (true, Some(_)) => Ok(StoredBill {
            merchant_code: sent.merchant_code,
            reference: String::new(),
            transaction_reference: sent.transaction_reference,
            amount: sent.amount,
            currency: sent.currency,
        }),
        _ => Err(Failure::Said(format!(
            "the bill in `{place}` was sent at {} and its answer never came: its reference is not known, so that it cannot be asked \
             about here. Ask the provider by the merchant's own reference, where it was given one",
            sent.sent_at
        ))),
    }
}

fn confirm(args: &ConfirmArgs) -> Result<ExitCode, Failure> {
    let bill = stored(args)?;
    let client = client(&args.connection, args.dry_run, |bill| bill.status.authentication)?;
    if args.dry_run {
        output::request(client.question(&bill).and_then(|question| client.prepare_status(&question)))?;
        // Whoever goes on by the exit status must not take this for a payment.
        return Ok(ExitCode::FAILURE);
    }
    let paid = match client.confirm_payment(&bill) {
        Ok(paid) => paid,
        Err(not_paid) => {
            let code = exit_status::of_bill(&not_paid);
            let said = match not_paid {
                NotPaid::Differs(Difference::Amount { expected, returned }) => format!(
                    "what was paid is not this bill: {} minor units were returned, {} were asked for",
                    returned.minor(),
                    expected.minor()
                ),
                other => other.to_string(),
            };
            output::complain(said);
            return Ok(code);
        }
    };
    output::reply(&json!({ "paid": true, "reference": paid.bill().reference, "amount": paid.bill().amount }))
}
