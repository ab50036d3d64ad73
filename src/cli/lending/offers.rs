//! `offers`: asks for offers as a customer does (E1). Knows nothing of who answers.

use std::process::ExitCode;

use clap::Args;

use super::{ConnectionArgs, exchange_lending_call};
use crate::cli::output::{self, Failure};
use crate::provider::sandbox::REFERENCE_HEADER;
use crate::provider::tls::is_this_machine;
use crate::provider::wire::GetOffers;

/// The command line of `offers`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright provider offers --customer C-1 --born 1990-02-28 \\
      --amount-minor 5000000 --settings provider.toml
  lendwright provider offers --customer C-1 --born 1990-02-28 \\
      --amount-minor 5000000 --settings provider.toml --dry-run
      prints the exact request, secrets masked, and sends nothing

The provider sends the reference of the offer request, which `pull` and `send` take, to the
lender. The interface shows no field for it in the answer. The sandbox puts it into the response
header `x-offer-request-reference`, and into its list /sandbox/requests.")]
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

/// Asks for offers, and prints the answer as JSON.
pub fn request_offers(args: OffersArgs) -> Result<ExitCode, Failure> {
    args.connection.check_lender()?;
    let request = GetOffers {
        customer_id: args.customer,
        channel_code: args.channel,
        amount: args.amount_minor,
        service_type: args.service,
        date_of_birth: args.born,
    };
    let status = exchange_lending_call(&request, &args.connection, args.dry_run)?;
    if !args.dry_run {
        output::print_stderr_remark(where_to_find_reference(&args.connection.settings()?.base_url));
    }
    Ok(status)
}

/// Says where the reference of the request is, because the answer's body has no field for it.
fn where_to_find_reference(base_url: &str) -> String {
    let mut text = "the reference of this offer request goes to the lender; the answer has no field for it".to_owned();
    let host = reqwest::Url::parse(base_url).ok().and_then(|url| url.host_str().map(str::to_owned));
    if host.is_some_and(|host| is_this_machine(&host)) {
        let base_url = base_url.trim_end_matches('/');
        text.push_str(&format!(
            " (the sandbox names it in the response header `{REFERENCE_HEADER}` and in {base_url}/sandbox/requests)"
        ));
    }
    text.push('\n');
    text
}
