//! The lending service, E1 to E9: one file per call. Knows nothing of the other hosts.

mod accept_offer;
mod get_offers;
mod money;
mod named;
mod offer;
mod query;
mod records;
mod requery;
mod send_offers;
mod sms;
mod transaction;
mod verify_account;

pub use accept_offer::{AcceptOffer, Acceptance};
pub use get_offers::{GetOffers, ListedOffer, OffersReply};
pub use money::{Debit, Fund, Receipt, TransactionRef};
pub(crate) use money::{MoneyRequest, Ordered, says_done};
pub use offer::Offer;
pub use records::{RecordsPage, TransactionRecords};
#[doc(hidden)]
pub use records::{merge_pages, split_pages};
pub use requery::{Requery, SentAmount, TransactionStatus};
pub use send_offers::{ReceivedOffers, SendOffers};
pub use sms::SendSms;
pub use transaction::{PersistedTransactionId, SentTransactionId, TransactionId};
pub use verify_account::{VerifiedAccount, VerifyAccount};

use serde::{Deserialize, Serialize};

use super::call::sealed::Sealed;
use super::{Host, Settings, Unusable, parse};

/// The path of E1 below the base address.
#[doc(hidden)]
pub const GET_OFFERS_PATH: &str = "lending-service/api/v3/offers";
/// The path of E2 below the base address, without the reference.
#[doc(hidden)]
pub const TRANSACTION_RECORDS_PATH: &str = "lending-service-data-service/api/v1/customer-details/transactions";
/// The path of E3 below the base address, before its segment, and of E4, before the offer.
#[doc(hidden)]
pub const OFFERS_PATH: &str = "lending-service/api/v1/offers";
/// The path of E6 and E8 below the base address, before the loan.
#[doc(hidden)]
pub const LOANS_PATH: &str = "lending-service/api/v1/loans";
/// The path of E7 below the base address.
#[doc(hidden)]
pub const SMS_PATH: &str = "lending-service/api/v1/sms";

/// The host of the lending service, `{base_url}`.
#[derive(Debug, Clone, Copy)]
pub enum Lending {}

impl Sealed for Lending {}

impl Host for Lending {
    const SETTING: &'static str = "base_url";

    fn base_url(settings: &Settings) -> &str {
        &settings.base_url
    }

    fn headers(settings: &Settings) -> &crate::provider::wire::Headers {
        &settings.headers
    }
}

/// A success without further content: E3, E7.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Acknowledgement {
    /// `00`.
    pub response_code: String,
    /// The provider's message.
    pub response_message: String,
}

/// The two fields that every answer of the lending service has.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Words {
    #[serde(default, deserialize_with = "parse::scalar")]
    response_code: Option<String>,
    #[serde(default, deserialize_with = "parse::scalar")]
    response_message: Option<String>,
}

impl Words {
    /// Success, or the provider's refusal.
    fn acknowledged(self, settings: &Settings) -> Result<Acknowledgement, Unusable> {
        let Some(code) = self.response_code else {
            return Err(Unusable::malformed(None, "has no `responseCode`"));
        };
        let message = self.response_message.unwrap_or_default();
        if code != settings.success_code {
            return Err(Unusable::Rejected { code, message });
        }
        Ok(Acknowledgement { response_code: code, response_message: message })
    }
}
