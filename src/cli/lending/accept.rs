//! `accept`: accepts an offer for a customer (E4). Knows nothing of what follows.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::{ConnectionArgs, exchange_lending_call};
use crate::base::secret::Secret;
use crate::cli::connection::read_secret;
use crate::cli::output::Failure;
use crate::provider::wire::lending::AcceptOffer;

/// The command line of `accept`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright provider accept 30d-1f2e --customer C-1 --account 0123456789 \\
      --bank 058 --loan-reference REF-L-1 --customer-token-file token.txt \\
      --settings provider.toml

The answer is a loan with its id, or says that offers will be sent, or that the customer will be
notified. The call is never retried: if its outcome is unknown, ask the provider before accepting
again.")]
pub struct AcceptArgs {
    /// The offer's id
    #[arg(value_name = "OFFER")]
    pub offer: String,
    /// The customer's id
    #[arg(long, value_name = "ID")]
    pub customer: String,
    /// The number of the account that the loan is paid to
    #[arg(long, value_name = "NUMBER")]
    pub account: String,
    /// The bank code of that account
    #[arg(long, value_name = "CODE")]
    pub bank: String,
    /// Your own reference for the loan
    #[arg(long, value_name = "REF")]
    pub loan_reference: String,
    /// A file with the customer's token; `-` is standard input
    #[arg(long, value_name = "FILE", required_unless_present = "dry_run")]
    pub customer_token_file: Option<PathBuf>,
    /// Print the exact request with secrets masked, and send nothing
    #[arg(long)]
    pub dry_run: bool,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub connection: ConnectionArgs,
}

/// Accepts, and prints the answer as JSON.
pub fn accept_offer_as_customer(args: AcceptArgs) -> Result<ExitCode, Failure> {
    let token = match &args.customer_token_file {
        Some(path) => read_secret(path)?,
        // Nothing is sent, and no secret is shown.
        None if args.dry_run => Secret::new("dry-run"),
        None => {
            return Err(Failure::message(
                "an acceptance needs the customer's token: give `--customer-token-file FILE`",
            ));
        }
    };
    let request = AcceptOffer {
        customer_id: args.customer,
        offer_id: args.offer,
        destination_account_number: args.account,
        destination_bank_code: args.bank,
        token,
        loan_reference_id: args.loan_reference,
    };
    exchange_lending_call(&request, &args.connection, args.dry_run)
}
