//! `verify-account`: whether an account exists, and whose it is (E5). Knows nothing of what is done with the answer.

use std::process::ExitCode;

use clap::Args;

use super::{ConnectionArgs, exchange_lending_call};
use crate::cli::output::Failure;
use crate::provider::wire::lending::VerifyAccount;

/// The command line of `verify-account`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright provider verify-account 0123456789 --bank 058 --customer C-1 \\
      --settings provider.toml

The interface shows neither the path nor the payload of this call: they are settings under
[verify_account].")]
pub struct VerifyAccountArgs {
    /// The account number
    #[arg(value_name = "NUMBER")]
    pub account: String,
    /// The bank code of the account
    #[arg(long, value_name = "CODE")]
    pub bank: String,
    /// The customer's id
    #[arg(long, value_name = "ID")]
    pub customer: String,
    /// Print the exact request with secrets masked, and send nothing
    #[arg(long)]
    pub dry_run: bool,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub connection: ConnectionArgs,
}

/// Asks, and prints the answer as JSON.
pub fn verify_account(args: VerifyAccountArgs) -> Result<ExitCode, Failure> {
    let request = VerifyAccount { customer_id: args.customer, account_number: args.account, bank_code: args.bank };
    exchange_lending_call(&request, &args.connection, args.dry_run)
}
