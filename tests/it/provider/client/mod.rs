//! The client against servers that misbehave on real sockets, and the requests it sends to the letter.

mod doubtful_answers;
pub(crate) mod failure_matrix;
mod golden;
mod mismatched_answers;
mod proxy;
mod reads;
mod replies;
mod requests;
mod sends;
mod tokens;

use lendwright::base::secret::Secret;
use lendwright::client::{Client, Error};
use lendwright::wire::{Limits, Offer, Settings};

/// What an error must never show.
const TOKEN: &str = "canary-token-5f3a";
const BODY: &str = "canary-body-77c1";

pub(crate) const STATEMENT: &str = r#"{"_id":"1","status":"success","message":"ok","data":{"transactions":[
  {"id":"a","credit":100000000000000.01,"notes":{"desc":"canary-body-77c1"}},{"id":"b"}]}}"#;

pub(crate) fn settings(base_url: &str) -> Settings {
    Settings {
        base_url: base_url.to_owned(),
        provider_code: "LENDER".to_owned(),
        limits: Limits { retry_wait_ms: 1, retry_wait_ms_max: 2, ..Limits::default() },
        ..Settings::default()
    }
}

pub(crate) fn client(settings: Settings) -> Client {
    Client::new(settings, Secret::new(TOKEN)).expect("these settings make a client")
}

fn offer(id: &str) -> Offer {
    Offer {
        offer_id: id.to_owned(),
        amount_offered: 5_000_000,
        interest: 3.5,
        amount_payable: 5_200_000,
        fee: 50_000,
        tenure: 30,
        terms: "Single repayment + fee".to_owned(),
        expiry_date: "2026-07-07T00:00:00Z".to_owned(),
        currency: "566".to_owned(),
        is_part_payment_allowed: true,
    }
}

/// Asserts that no way of showing an error reveals secrets, bodies or queries.
fn assert_silent(error: &Error) {
    for text in [format!("{error}"), format!("{error:?}"), format!("{error:#?}")] {
        for canary in [TOKEN, BODY, "offerRequestReference", "amountPayable"] {
            assert!(!text.contains(canary), "`{canary}` in {text}");
        }
    }
    assert!(std::error::Error::source(error).is_none(), "a cause could show an address with its query");
}
