//! The commands of the lending service, other than `pull` and `send`: E1, E4 to E9. Knows nothing of the other hosts.

mod accept;
mod money;
mod offers;
mod requery;
mod sms;
mod verify;

pub use accept::{AcceptArgs, accept_offer_as_customer};
pub use money::{DebitArgs, FundArgs, collect_payment, pay_out_loan};
pub use offers::{OffersArgs, request_offers};
pub use requery::{RequeryArgs, requery_transaction};
pub use sms::{SmsArgs, send_customer_sms};
pub use verify::{VerifyAccountArgs, verify_account};

use std::process::ExitCode;

use serde::Serialize;

use super::connection::ConnectionArgs;
use super::output::{self, Failure};
use crate::provider::wire::Call;
use crate::provider::wire::lending::Lending;

/// Sends a call that moves no money and prints its reply. With `--dry-run`, prints the request instead.
fn exchange_lending_call<C>(call: &C, connection: &ConnectionArgs, dry_run: bool) -> Result<ExitCode, Failure>
where
    C: Call<Host = Lending>,
    C::Reply: Serialize,
{
    if dry_run {
        return output::print_prepared_request(connection.dry_client()?.prepare(call));
    }
    output::print_reply_json(&connection.client()?.call(call).map_err(Failure::message)?)
}
