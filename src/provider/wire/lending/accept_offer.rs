//! E4, Accept Offer: an offer is accepted, with the account to which the loan is paid. Knows nothing of what follows.

use serde::{Deserialize, Serialize};

use super::{Lending, OFFERS_PATH, Words};
use crate::base::secret::Secret;
use crate::provider::wire::body::Body;
use crate::provider::wire::call::sealed::Sealed;
use crate::provider::wire::call::{Call, Effect, check_given, check_segment, join_path_segments, shows_only};
use crate::provider::wire::error::{Unsendable, Unusable};
use crate::provider::wire::method::Method;
use crate::provider::wire::{Settings, parse};

/// The request of E4.
#[derive(Clone)]
pub struct AcceptOffer {
    /// The customer.
    pub customer_id: String,
    /// The offer.
    pub offer_id: String,
    /// The account to which the loan is paid.
    pub destination_account_number: String,
    /// That account's bank.
    pub destination_bank_code: String,
    /// The customer's token. The interface does not show what it is.
    pub token: Secret,
    /// The caller's own reference of the loan.
    pub loan_reference_id: String,
}

shows_only!(AcceptOffer: offer_id, loan_reference_id);

/// The answer of E4. The interface shows three bodies, and not which one comes when. The loan id tells them apart, then
/// the words of the message, which are settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "answer")]
pub enum Acceptance {
    /// The loan was made.
    Loan {
        /// Identifies the loan from now on.
        loan_id: String,
        /// The provider's message.
        message: String,
    },
    /// The message says that offers will be sent to the customer.
    OffersWillBeSent {
        /// The provider's message.
        message: String,
    },
    /// The message says that the customer will be notified.
    CustomerWillBeNotified {
        /// The provider's message.
        message: String,
    },
    /// Success without a loan id, in words that the settings do not have.
    OtherWords {
        /// The provider's message.
        message: String,
    },
}

#[derive(Deserialize)]
struct AcceptanceBody {
    #[serde(flatten)]
    words: Words,
    #[serde(default, rename = "loanId", deserialize_with = "parse::scalar")]
    loan_id: Option<String>,
}

impl Sealed for AcceptOffer {}

impl Call for AcceptOffer {
    type Host = Lending;
    type Reply = Acceptance;
    const NAME: &'static str = "accept offer (E4)";
    const EFFECT: Effect = Effect::Acts;

    fn method(&self, _: &Settings) -> Method {
        Method::Post
    }

    fn path(&self, _: &Settings) -> Result<Vec<String>, Unsendable> {
        check_segment("`offerId`", &self.offer_id)?;
        Ok(join_path_segments(OFFERS_PATH, &[&self.offer_id, "accept"]))
    }

    fn body(&self, _: &Settings) -> Result<Option<Body>, Unsendable> {
        check_given(&[
            ("customerId", &self.customer_id),
            ("destinationAccountNumber", &self.destination_account_number),
            ("destinationBankCode", &self.destination_bank_code),
            ("token", self.token.expose()),
            ("loanReferenceId", &self.loan_reference_id),
        ])?;
        let body = Body::new()
            .personal("customerId", &self.customer_id)
            .text("offerId", &self.offer_id)
            .personal("destinationAccountNumber", &self.destination_account_number)
            .text("destinationBankCode", &self.destination_bank_code)
            .secret("token", &self.token)
            .text("loanReferenceId", &self.loan_reference_id);
        Ok(Some(body))
    }

    fn reply(&self, settings: &Settings, body: &[u8]) -> Result<Acceptance, Unusable> {
        let body: AcceptanceBody = parse::parse_json_object(body)?;
        let message = body.words.acknowledged(settings)?.response_message;
        let words = &settings.accept_offer;
        let says = |phrase: &String| !phrase.is_empty() && message.to_lowercase().contains(&phrase.to_lowercase());
        Ok(match body.loan_id.filter(|id| !id.trim().is_empty()) {
            Some(loan_id) => Acceptance::Loan { loan_id, message },
            None if says(&words.offers_phrase) => Acceptance::OffersWillBeSent { message },
            None if says(&words.notified_phrase) => Acceptance::CustomerWillBeNotified { message },
            None => Acceptance::OtherWords { message },
        })
    }
}
