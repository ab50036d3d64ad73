//! E7, Send SMS: a message to the customer about a loan. Knows nothing of its text.

use super::{Acknowledgement, Lending, SMS_PATH, Words};
use crate::provider::wire::body::Body;
use crate::provider::wire::call::sealed::Sealed;
use crate::provider::wire::call::{Call, Effect, check_given, join_path_segments, shows_only};
use crate::provider::wire::error::{Unsendable, Unusable};
use crate::provider::wire::method::Method;
use crate::provider::wire::{Settings, parse};

/// The request of E7.
#[derive(Clone, PartialEq, Eq)]
pub struct SendSms {
    /// The customer.
    pub customer_id: String,
    /// The customer's telephone number.
    pub msisdn: String,
    /// The message's text.
    pub message: String,
    /// The message's loan.
    pub loan_id: String,
}

shows_only!(SendSms: loan_id);

impl Sealed for SendSms {}

impl Call for SendSms {
    type Host = Lending;
    type Reply = Acknowledgement;
    const NAME: &'static str = "send SMS (E7)";
    const EFFECT: Effect = Effect::Acts;

    fn method(&self, _: &Settings) -> Method {
        Method::Post
    }

    fn path(&self, _: &Settings) -> Result<Vec<String>, Unsendable> {
        Ok(join_path_segments(SMS_PATH, &[]))
    }

    fn query(&self, settings: &Settings) -> Result<Vec<(String, String)>, Unsendable> {
        check_given(&[("provider_code", &settings.provider_code), ("customerId", &self.customer_id)])?;
        Ok(vec![
            ("providerCode".to_owned(), settings.provider_code.clone()),
            ("customerId".to_owned(), self.customer_id.clone()),
        ])
    }

    fn body(&self, settings: &Settings) -> Result<Option<Body>, Unsendable> {
        check_given(&[("msisdn", &self.msisdn), ("message", &self.message), ("loanId", &self.loan_id)])?;
        let body = Body::new()
            .text("providerCode", &settings.provider_code)
            .personal("msisdn", &self.msisdn)
            .personal("message", &self.message)
            .text("loanId", &self.loan_id)
            .personal("customerId", &self.customer_id);
        Ok(Some(body))
    }

    fn is_personal(&self, parameter: &str) -> bool {
        parameter == "customerId"
    }

    fn reply(&self, settings: &Settings, body: &[u8]) -> Result<Acknowledgement, Unusable> {
        parse::parse_json_object::<Words>(body)?.acknowledged(settings)
    }
}
