//! `bill`: links for one payment (P1), and whether it was made (P2). Knows nothing of what is given for it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::json;

use super::connection::{Area, ConnectionArgs};
use super::output::{self, Failure};
use crate::client::bill::StoredBill;
use crate::client::blocking::BillClient;
use crate::wire::bill::{CreateBill, GetPaymentStatus};
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

That a customer came back by the redirect, or that a webhook was called, proves nothing: `confirm` does.")]
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

fn client(connection: &ConnectionArgs, is_dry: bool) -> Result<BillClient, Failure> {
    let settings = connection.settings_of(Area::Bill)?;
    let token = match is_dry {
        true => ConnectionArgs::no_token(),
        false => connection.token_for_bills(&settings)?,
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
    let client = client(&args.connection, args.dry_run)?;
    if args.dry_run {
        return output::request(client.prepare_create(&request));
    }
    // A bill whose original is not stored could never be confirmed: room for it comes first.
    if args.store.exists() {
        return Err(Failure::Said(format!("`{}` is there already; give another `--store FILE`", args.store.display())));
    }
    let created = client.create(&request).map_err(Failure::said)?;
    let status = output::reply(&created)?;
    store(&args.store, &StoredBill::new(&request, &created))?;
    Ok(status)
}

fn store(path: &Path, bill: &StoredBill) -> Result<(), String> {
    let written = serde_json::to_vec(bill).map_err(std::io::Error::other).and_then(|bytes| {
        let mut file = std::fs::OpenOptions::new().write(true).create_new(true).open(path)?;
        std::io::Write::write_all(&mut file, &bytes)?;
        file.sync_all()
    });
    written.map_err(|error| format!("the bill is made but not stored: cannot write `{}`: {error}", path.display()))
}

fn confirm(args: &ConfirmArgs) -> Result<ExitCode, Failure> {
    let place = args.bill.display();
    let bytes = std::fs::read(&args.bill).map_err(|error| format!("cannot read `{place}`: {error}"))?;
    let bill: StoredBill =
        serde_json::from_slice(&bytes).map_err(|_| format!("`{place}` is not a bill as `bill create` stores it"))?;
    let client = client(&args.connection, args.dry_run)?;
    if args.dry_run {
        let StoredBill { merchant_code, reference, amount, .. } = bill;
        return output::request(client.prepare_status(&GetPaymentStatus { merchant_code, reference, amount }));
    }
    let paid = client.confirm_payment(&bill).map_err(Failure::said)?;
    output::reply(&json!({ "paid": true, "reference": paid.bill().reference, "amount": paid.bill().amount }))
}
