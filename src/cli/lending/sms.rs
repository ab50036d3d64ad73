//! `sms`: sends a customer a message about a loan (E7). Knows nothing of what it says.

use std::process::ExitCode;

use clap::Args;

use super::{ConnectionArgs, exchange_lending_call};
use crate::cli::output::Failure;
use crate::provider::wire::lending::SendSms;

/// The command line of `sms`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright provider sms --customer C-1 --to 2348012345678 --loan L-1 \\
      --settings provider.toml 'Your loan has been paid out.'")]
pub struct SmsArgs {
    /// The text of the message
    #[arg(value_name = "TEXT")]
    pub message: String,
    /// The customer's id
    #[arg(long, value_name = "ID")]
    pub customer: String,
    /// The customer's telephone number
    #[arg(long, value_name = "NUMBER")]
    pub to: String,
    /// The loan that the message is about
    #[arg(long, value_name = "ID")]
    pub loan: String,
    /// Print the exact request with secrets masked, and send nothing
    #[arg(long)]
    pub dry_run: bool,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub connection: ConnectionArgs,
}

/// Sends it, and prints the answer as JSON.
pub fn send_customer_sms(args: SmsArgs) -> Result<ExitCode, Failure> {
    args.connection.check_lender()?;
    let request = SendSms { customer_id: args.customer, msisdn: args.to, message: args.message, loan_id: args.loan };
    exchange_lending_call(&request, &args.connection, args.dry_run)
}
