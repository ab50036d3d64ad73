//! E1, Get Offers: the customer asks for offers. Knows nothing of who answers.

use serde::{Deserialize, Serialize};

use super::{GET_OFFERS_PATH, Lending, Offer};
use crate::provider::wire::call::sealed::Sealed;
use crate::provider::wire::call::{Call, Effect, check_given, join_path_segments, shows_only};
use crate::provider::wire::error::{Unsendable, Unusable};
use crate::provider::wire::method::Method;
use crate::provider::wire::{Settings, parse};

/// The request of E1. A read: repeating it changes nothing.
#[derive(Clone, PartialEq, Eq)]
pub struct GetOffers {
    /// The customer's id.
    pub customer_id: String,
    /// `channelCode`. The interface does not show its values.
    pub channel_code: String,
    /// The amount wanted, in minor units.
    pub amount: i64,
    /// `serviceType`. The interface does not show its values.
    pub service_type: String,
    /// The customer's date of birth, `YYYY-MM-DD`.
    pub date_of_birth: String,
}

shows_only!(GetOffers: channel_code, amount, service_type);

/// The answer of E1.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OffersReply {
    /// `00`.
    pub response_code: String,
    /// The provider's message.
    pub response_message: String,
    /// The offers; empty while the lender has not answered.
    pub offers: Vec<ListedOffer>,
}

/// An offer as E1 lists it: fewer fields than E3 sends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedOffer {
    /// Identifies the offer.
    pub offer_id: String,
    /// The principal, in minor units.
    #[serde(deserialize_with = "parse::whole")]
    pub amount_offered: i64,
    /// The interest in percent.
    pub interest: f64,
    /// The total that the customer pays back, in minor units.
    #[serde(deserialize_with = "parse::whole")]
    pub amount_payable: i64,
    /// The length of the loan.
    #[serde(deserialize_with = "parse::whole")]
    pub tenure: i64,
    /// Until when the offer is valid.
    pub expiry_date: String,
    /// The currency's ISO 4217 numeric code.
    pub currency: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    #[serde(default, deserialize_with = "parse::scalar")]
    response_code: Option<String>,
    #[serde(default, deserialize_with = "parse::scalar")]
    response_message: Option<String>,
    #[serde(default)]
    offers: Option<Vec<parse::Object<ListedOffer>>>,
}

impl From<&Offer> for ListedOffer {
    fn from(offer: &Offer) -> ListedOffer {
        ListedOffer {
            offer_id: offer.offer_id.clone(),
            amount_offered: offer.amount_offered,
            interest: offer.interest,
            amount_payable: offer.amount_payable,
            tenure: i64::from(offer.tenure),
            expiry_date: offer.expiry_date.clone(),
            currency: offer.currency.clone(),
        }
    }
}

impl Sealed for GetOffers {}

impl Call for GetOffers {
    type Host = Lending;
    type Reply = OffersReply;
    const NAME: &'static str = "get offers (E1)";
    const EFFECT: Effect = Effect::Reads;

    fn method(&self, _: &Settings) -> Method {
        Method::Get
    }

    fn path(&self, _: &Settings) -> Result<Vec<String>, Unsendable> {
        Ok(join_path_segments(GET_OFFERS_PATH, &[]))
    }

    fn query(&self, settings: &Settings) -> Result<Vec<(String, String)>, Unsendable> {
        if self.amount <= 0 {
            return Err(Unsendable::new("`amount` is not above zero"));
        }
        if chrono::NaiveDate::parse_from_str(&self.date_of_birth, "%Y-%m-%d").is_err() {
            return Err(Unsendable::new("`dateOfBirth` is not a date of the form YYYY-MM-DD"));
        }
        check_given(&[("customerId", &self.customer_id), ("provider_code", &settings.provider_code)])?;
        let pairs = [
            ("customerId", self.customer_id.clone()),
            ("channelCode", self.channel_code.clone()),
            ("amount", self.amount.to_string()),
            ("serviceType", self.service_type.clone()),
            ("dateOfBirth", self.date_of_birth.clone()),
            ("providerCode", settings.provider_code.clone()),
        ];
        Ok(pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    fn is_personal(&self, parameter: &str) -> bool {
        matches!(parameter, "customerId" | "dateOfBirth")
    }

    fn reply(&self, settings: &Settings, body: &[u8]) -> Result<OffersReply, Unusable> {
        let body: Body = parse::parse_json_object(body)?;
        let Some(code) = body.response_code else {
            return Err(Unusable::malformed(None, "has no `responseCode`"));
        };
        let message = body.response_message.unwrap_or_default();
        if code != settings.success_code {
            return Err(Unusable::Rejected { code, message });
        }
        let offers = body.offers.unwrap_or_default().into_iter().map(|offer| offer.0).collect();
        Ok(OffersReply { response_code: code, response_message: message, offers })
    }
}
