//! `offers`: asks for offers as a customer does (E1). Knows nothing of who answers.

use std::process::ExitCode;

use clap::Args;

use super::{ConnectionArgs, exchange};
use crate::cli::output::Failure;
use crate::wire::GetOffers;

/// The command line of `offers`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright offers --customer C-1 --born 1990-02-28 --amount-minor 5000000 --settings provider.toml
  lendwright offers --customer C-1 --born 1990-02-28 --amount-minor 5000000 --settings provider.toml --dry-run
      prints the exact request, secrets masked, and sends nothing")]
pub struct OffersArgs {
    /// The customer's id
    #[arg(long, value_name = "ID")]
    pub customer: String,
    /// The customer's date of birth
    #[arg(long, value_name = "YYYY-MM-DD")]
    pub born: String,
    /// The amount wanted, in minor units: 5000000 is 50,000.00
    #[arg(long, value_name = "N")]
    pub amount_minor: i64,
    /// The channel code, as agreed with the provider
    #[arg(long, value_name = "CODE", default_value = "WEB")]
    pub channel: String,
    /// The service type, as agreed with the provider
    #[arg(long, value_name = "TYPE", default_value = "LOAN")]
    pub service: String,
    /// Print the exact request with secrets masked, and send nothing
    #[arg(long)]
    pub dry_run: bool,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub connection: ConnectionArgs,
}

/// Asks, and prints the answer as JSON.
pub fn offers(args: OffersArgs) -> Result<ExitCode, Failure> {
    let request = GetOffers {
        customer_id: args.customer,
        channel_code: args.channel,
        amount: args.amount_minor,
        service_type: args.service,
        date_of_birth: args.born,
    };
    exchange(&request, &args.connection, args.dry_run)
}
