//! E3, Send Offers: the lender's answer to an offer request. Knows nothing of the decision behind it.

use serde::Serialize;

use super::{Acknowledgement, Lending, OFFERS_PATH, Offer, Words, query};
use crate::provider::wire::call::sealed::Sealed;
use crate::provider::wire::call::{Call, Effect, check_segment, join_path_segments};
use crate::provider::wire::error::{Unsendable, Unusable};
use crate::provider::wire::method::Method;
use crate::provider::wire::{Layout, Segment, Settings, parse};

/// The request of E3: offers for an offer request, or none. It has an effect, so it is never retried.
///
/// ```
/// use lendwright::{Decision, SendOffers};
/// fn answer(decision: &Decision, reference: &str) -> SendOffers {
///     match decision.offers.as_slice() {
///         [] => SendOffers::decline(reference),
///         offers => SendOffers::new(reference, offers.to_vec()),
///     }
/// }
/// assert!(SendOffers::decline("OR-1").offers.is_empty());
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SendOffers {
    /// The reference of the offer request that is answered.
    pub reference: String,
    /// The offers; an empty list declines.
    pub offers: Vec<Offer>,
    /// The `code`; by default the one in the settings, for offers or for none.
    pub code: Option<String>,
    /// The `message`; by default the one in the settings, for offers or for none.
    pub message: Option<String>,
}

impl SendOffers {
    /// Answers an offer request with these offers, such as those of a decision; an empty list declines.
    pub fn new(reference: impl Into<String>, offers: impl IntoIterator<Item: Into<Offer>>) -> Self {
        let offers = offers.into_iter().map(Into::into).collect();
        SendOffers { reference: reference.into(), offers, code: None, message: None }
    }

    /// Answers an offer request with no offer.
    pub fn decline(reference: impl Into<String>) -> Self {
        SendOffers::new(reference, Vec::<Offer>::new())
    }

    /// The calls that carry this answer: one, or one per offer if the layout says so.
    pub fn calls(&self, settings: &Settings) -> Vec<SendOffers> {
        if settings.send_offers.layout != Layout::OneCallEach || self.offers.len() < 2 {
            return vec![self.clone()];
        }
        self.offers.iter().map(|offer| SendOffers { offers: vec![offer.clone()], ..self.clone() }).collect()
    }

    fn check(&self) -> Result<(), Unsendable> {
        for (index, offer) in self.offers.iter().enumerate() {
            offer.check()?;
            if self.offers.iter().skip(index + 1).any(|other| other.offer_id == offer.offer_id) {
                return Err(Unsendable::new(format!("offer `{}` is given twice", offer.offer_id)));
            }
        }
        Ok(())
    }
}

impl Sealed for SendOffers {}

impl Call for SendOffers {
    type Host = Lending;
    type Reply = Acknowledgement;
    const NAME: &'static str = "send offers (E3)";
    const EFFECT: Effect = Effect::Acts;

    fn method(&self, _: &Settings) -> Method {
        Method::Post
    }

    fn path(&self, settings: &Settings) -> Result<Vec<String>, Unsendable> {
        let segment = match &settings.send_offers.segment {
            Segment::OfferRequestReference => &self.reference,
            Segment::ProviderCode => &settings.provider_code,
            Segment::Fixed(text) => text,
            Segment::OfferId => match self.offers.first() {
                Some(offer) => &offer.offer_id,
                None => {
                    return Err(Unsendable::new(
                        "with the setting `send_offers.segment` = `offer_id` an answer with no offer has no address",
                    ));
                }
            },
        };
        check_segment("the path segment of send offers", segment)?;
        Ok(join_path_segments(OFFERS_PATH, &[segment, "send-offers"]))
    }

    fn query(&self, settings: &Settings) -> Result<Vec<(String, String)>, Unsendable> {
        self.check()?;
        if settings.provider_code.trim().is_empty() {
            return Err(Unsendable::new("the setting `provider_code` is empty"));
        }
        let words = &settings.send_offers;
        let (code, message) = match self.offers.is_empty() {
            false => (&words.success_code, &words.success_message),
            true => (&words.decline_code, &words.decline_message),
        };
        let mut pairs = vec![
            ("code".to_owned(), self.code.clone().unwrap_or_else(|| code.clone())),
            ("message".to_owned(), self.message.clone().unwrap_or_else(|| message.clone())),
            ("providerCode".to_owned(), settings.provider_code.clone()),
        ];
        pairs.extend(query::write_offer_parameters(&self.offers, words.layout)?);
        Ok(pairs)
    }

    fn reply(&self, settings: &Settings, body: &[u8]) -> Result<Acknowledgement, Unusable> {
        parse::parse_json_object::<Words>(body)?.acknowledged(settings)
    }
}

/// E3 as the provider reads it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReceivedOffers {
    /// The path segment.
    pub segment: String,
    /// The `code`.
    pub code: String,
    /// The `message`.
    pub message: String,
    /// The lender.
    pub provider_code: String,
    /// The offers in order.
    pub offers: Vec<Offer>,
}

impl ReceivedOffers {
    /// Reads the query parameters of E3 strictly: each parameter once, known and of its type, the offers in the layout
    /// of `settings`.
    pub fn read(segment: &str, pairs: &[(String, String)], settings: &Settings) -> Result<Self, Unsendable> {
        let mut head = [("code", None), ("message", None), ("providerCode", None)];
        let mut offers = Vec::with_capacity(pairs.len());
        for (name, value) in pairs {
            match head.iter_mut().find(|(known, _)| known == name) {
                Some((_, slot @ None)) => *slot = Some(value.clone()),
                Some(_) => return Err(Unsendable::new(format!("`{name}` is given twice"))),
                None => offers.push((name.as_str(), value.as_str())),
            }
        }
        let [code, message, provider_code] = head.map(|(name, value)| {
            value.filter(|text| !text.is_empty()).ok_or_else(|| Unsendable::new(format!("`{name}` is missing")))
        });
        let received = SendOffers::new(segment, query::read_offer_parameters(&offers, settings.send_offers.layout)?);
        received.check()?;
        Ok(ReceivedOffers {
            segment: received.reference,
            code: code?,
            message: message?,
            provider_code: provider_code?,
            offers: received.offers,
        })
    }
}
