//! iQR issuing, I1 to I5. Knows nothing of how `authData` is encrypted: the caller does that.

use std::fmt;
use std::num::NonZeroU32;

use super::body::Body;
use super::call::sealed::Sealed;
use super::call::{Call, Effect, Host, check_given, join_path_segments, shows_only};
use super::error::{Unsendable, Unusable};
use super::method::Method;
use super::{Settings, parse};
use crate::base::secret::Secret;

/// The path of I1 below the iQR address.
#[doc(hidden)]
pub const VALIDATE_CARD_PATH: &str = "api/v1/cqr/card/validate";
/// The path of I2 and I3 below the iQR address.
#[doc(hidden)]
pub const REQUEST_PATH: &str = "api/v1/cqr/request";
/// The path of I4 below the iQR address.
#[doc(hidden)]
pub const LINK_PATH: &str = "api/v1/cqr/linkref";
/// The path of I5 below the iQR address.
#[doc(hidden)]
pub const REFERENCE_PATH: &str = "api/v1/cqr/reference";

/// The host of iQR issuing, `{iqr_url}`.
#[derive(Debug, Clone, Copy)]
pub enum Iqr {}

impl Sealed for Iqr {}

impl Host for Iqr {
    const SETTING: &'static str = "iqr.base_url";

    fn base_url(settings: &Settings) -> &str {
        &settings.iqr.base_url
    }

    fn headers(settings: &Settings) -> &crate::provider::wire::Headers {
        &settings.iqr.headers
    }
}

/// Where a request comes from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Channel {
    /// `API`.
    #[default]
    Api,
    /// `USSD`.
    Ussd,
    /// `WEB`.
    Web,
    /// A channel that the interface does not show.
    Other(String),
}

impl Channel {
    /// The text on the wire.
    pub fn as_str(&self) -> &str {
        match self {
            Channel::Api => "API",
            Channel::Ussd => "USSD",
            Channel::Web => "WEB",
            Channel::Other(text) => text,
        }
    }
}

impl From<&str> for Channel {
    fn from(text: &str) -> Self {
        match text {
            "API" => Channel::Api,
            "USSD" => Channel::Ussd,
            "WEB" => Channel::Web,
            other => Channel::Other(other.to_owned()),
        }
    }
}

/// Card data, encrypted by the caller. Never shown.
pub type AuthData = Secret;

/// Whom an iQR is for. All fields are personal. Missing ones are not sent.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct User {
    /// The user's id.
    pub user_id: Option<String>,
    /// The first name.
    pub first_name: Option<String>,
    /// The last name.
    pub last_name: Option<String>,
    /// The bank verification number.
    pub bvn: Option<String>,
    /// The national identity number.
    pub nin: Option<String>,
}

shows_only!(User:);

impl User {
    fn body(&self) -> Body {
        Body::new()
            .personal_if("userID", self.user_id.as_deref())
            .personal_if("firstName", self.first_name.as_deref())
            .personal_if("lastName", self.last_name.as_deref())
            .personal_if("bvn", self.bvn.as_deref())
            .personal_if("nin", self.nin.as_deref())
    }
}

/// Data for the provider's risk control. Missing fields are not sent.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct RiskControlData {
    /// The operator.
    pub operator_id: Option<String>,
    /// The location: longitude and latitude, as texts.
    pub current_location: Option<(String, String)>,
    /// The IP address.
    pub ip_address: Option<String>,
}

shows_only!(RiskControlData: operator_id);

impl RiskControlData {
    fn body(&self) -> Body {
        let body = match &self.operator_id {
            Some(id) => Body::new().text("operatorID", id),
            None => Body::new(),
        };
        let location = self
            .current_location
            .as_ref()
            .map(|(longitude, latitude)| Body::new().personal("longitude", longitude).personal("latitude", latitude));
        body.object_if("currentLocation", location).personal_if("ipAddress", self.ip_address.as_deref())
    }
}

/// The operator of I4: a JSON object whose format the interface does not show. It is sent byte for byte as given, and
/// never shown.
///
/// ```
/// use lendwright::wire::iqr::Operator;
/// assert!(Operator::new("{ \"id\": 1.50 }\n").is_ok());
/// assert!(Operator::new("[]").is_err());
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Operator(String);

impl Operator {
    /// Takes the text of one JSON object.
    ///
    /// # Errors
    /// Any other text.
    pub fn new(json: impl Into<String>) -> Result<Self, Unsendable> {
        let json = json.into();
        match parse::parse_json_object::<serde::de::IgnoredAny>(json.as_bytes()) {
            Ok(_) => Ok(Operator(json)),
            Err(_) => Err(Unsendable::new("the operator is not one JSON object")),
        }
    }

    /// The texts and numbers in it, without field names. An error must not repeat them.
    fn values(&self) -> Vec<String> {
        let mut values = Vec::new();
        let mut rest = self.0.as_str();
        while let Some(at) = rest.find(|letter: char| matches!(letter, '"' | '-' | '0'..='9')) {
            rest = rest.get(at..).unwrap_or_default();
            let end = match rest.strip_prefix('"') {
                Some(text) => end_of_text(text) + 2,
                None => rest
                    .find(|letter: char| !matches!(letter, '0'..='9' | '+' | '-' | '.' | 'e' | 'E'))
                    .unwrap_or(rest.len()),
            };
            let (value, behind) = rest.split_at_checked(end).unwrap_or((rest, ""));
            rest = behind;
            if !behind.trim_start().starts_with(':') {
                values.push(serde_json::from_str(value).unwrap_or_else(|_| value.to_owned()));
            }
        }
        values
    }
}

/// The length of a JSON text in bytes, up to its closing quotation mark.
fn end_of_text(text: &str) -> usize {
    let mut is_escaped = false;
    let ends = |byte: u8| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    };
    text.bytes().position(ends).unwrap_or(text.len())
}

impl fmt::Debug for Operator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Operator({})", super::PERSONAL)
    }
}

/// I1, Validate card: the first step of issuing.
#[derive(Clone, Default)]
pub struct ValidateCard {
    /// The caller's reference of this step.
    pub transaction_ref: String,
    /// The card, encrypted.
    pub auth_data: AuthData,
    /// The customer's telephone number.
    pub mobile_number: Option<String>,
    /// Whether an image is wanted.
    pub need_image: bool,
    /// Where the request comes from.
    pub channel: Channel,
    /// Whom it is for.
    pub user: Option<User>,
    /// Data for the provider's risk control.
    pub risk_control_data: Option<RiskControlData>,
}

shows_only!(ValidateCard: transaction_ref, channel);

/// I2, Request iQR: one iQR for the customer whose card was validated. For iQRs without a customer use
/// [`RequestUnassigned`].
#[derive(Clone, Default)]
pub struct RequestForCustomer {
    /// The caller's reference of this step.
    pub transaction_ref: String,
    /// The card, encrypted.
    pub auth_data: AuthData,
    /// The customer's telephone number.
    pub mobile_number: Option<String>,
    /// The customer's one-time password.
    pub otp: Option<Secret>,
    /// Whether an image is wanted.
    pub need_image: bool,
    /// Where the request comes from.
    pub channel: Channel,
    /// Whom it is for.
    pub user: Option<User>,
    /// Data for the provider's risk control.
    pub risk_control_data: Option<RiskControlData>,
}

shows_only!(RequestForCustomer: transaction_ref, channel);

/// I3, Request iQRs in bulk, without customers. It shares its path with I2. Its quantity, which is required, tells the
/// two apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestUnassigned {
    /// The caller's reference of this step.
    pub transaction_ref: String,
    /// How many.
    pub quantity: NonZeroU32,
    /// Where the request comes from.
    pub channel: Channel,
}

/// I4, Link iQR: links an unassigned iQR to a validated card.
#[derive(Clone, Default)]
pub struct Link {
    /// The caller's reference of this step.
    pub transaction_ref: String,
    /// The iQR.
    pub qr_id: String,
    /// The customer's telephone number.
    pub mobile_number: Option<String>,
    /// The iQR's reference.
    pub qr_ref: String,
    /// Where the request comes from.
    pub channel: Channel,
    /// Whether an image is wanted.
    pub need_image: bool,
    /// The operator: an object whose format the interface does not show.
    pub operator: Option<Operator>,
    /// Data for the provider's risk control.
    pub risk_control_data: Option<RiskControlData>,
}

shows_only!(Link: transaction_ref, qr_id, channel);

/// I5, Get iQR reference.
#[derive(Clone, Default)]
pub struct GetReference {
    /// The caller's reference of this step.
    pub transaction_ref: String,
    /// The customer's telephone number.
    pub mobile_number: Option<String>,
    /// The iQR.
    pub qr_id: String,
    /// The last four digits of the card's number.
    pub pan_last_4_digits: String,
    /// Where the request comes from.
    pub channel: Channel,
    /// Whom it is for.
    pub user: Option<User>,
    /// Data for the provider's risk control.
    pub risk_control_data: Option<RiskControlData>,
}

shows_only!(GetReference: transaction_ref, qr_id, channel);

/// An answer of iQR issuing. The interface shows no body, so the field of the code and the codes of success are
/// settings. The other fields are passed on unchanged.
#[derive(Clone, PartialEq)]
pub struct IqrReply {
    /// The response code.
    pub code: String,
    /// The provider's message.
    pub message: String,
    fields: serde_json::Map<String, serde_json::Value>,
}

impl IqrReply {
    /// The whole answer, a JSON object. It may hold personal data.
    pub fn fields(&self) -> &serde_json::Map<String, serde_json::Value> {
        &self.fields
    }

    /// A field's text or number as text.
    pub fn text(&self, name: &str) -> Option<String> {
        match self.fields.get(name)? {
            serde_json::Value::String(text) => Some(text.clone()),
            serde_json::Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }
}

impl fmt::Debug for IqrReply {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "IqrReply {{ code: {:?}, {} fields }}", self.code, self.fields.len())
    }
}

fn parse_iqr_reply(settings: &Settings, body: &[u8]) -> Result<IqrReply, Unusable> {
    let fields: parse::Fields = parse::parse_json_object(body)?;
    let names = &settings.iqr;
    let message = fields.text(&names.message_field)?.unwrap_or_default();
    let code = fields
        .text(&names.code_field)?
        .ok_or_else(|| Unusable::malformed(None, "has no code in the field that the setting `iqr.code_field` names"))?;
    match names.success_codes.contains(&code) {
        true => Ok(IqrReply { code, message, fields: fields.values()? }),
        false => Err(Unusable::Rejected { code, message }),
    }
}

fn check_iqr_fields(settings: &Settings, fields: &[(&str, &str)]) -> Result<(), Unsendable> {
    check_given(&[("iqr.aggregator_id", &settings.iqr.aggregator_id)])?;
    check_given(fields)
}

/// Implements a call from the four parts that differ between calls.
macro_rules! call {
    ($request:ident, $name:literal, $effect:expr, $path:ident, |$call:ident, $settings:ident| $body:block) => {
        impl Sealed for $request {}

        impl Call for $request {
            type Host = Iqr;
            type Reply = IqrReply;
            const NAME: &'static str = $name;
            const EFFECT: Effect = $effect;

            fn method(&self, _: &Settings) -> Method {
                Method::Post
            }

            fn path(&self, _: &Settings) -> Result<Vec<String>, Unsendable> {
                Ok(join_path_segments($path, &[]))
            }

            fn body(&self, $settings: &Settings) -> Result<Option<Body>, Unsendable> {
                let $call = self;
                $body
            }

            fn reply(&self, settings: &Settings, body: &[u8]) -> Result<IqrReply, Unusable> {
                parse_iqr_reply(settings, body)
            }
        }
    };
}

call!(ValidateCard, "validate card (I1)", Effect::Acts, VALIDATE_CARD_PATH, |call, settings| {
    check_iqr_fields(settings, &[("transactionRef", &call.transaction_ref), ("authData", call.auth_data.expose())])?;
    let body = Body::new()
        .text("aggregatorId", &settings.iqr.aggregator_id)
        .text("transactionRef", &call.transaction_ref)
        .secret("authData", &call.auth_data)
        .personal_if("mobileNumber", call.mobile_number.as_deref())
        .flag("needImage", call.need_image)
        .text("channel", call.channel.as_str())
        .object_if("user", call.user.as_ref().map(User::body))
        .object_if("riskControlData", call.risk_control_data.as_ref().map(RiskControlData::body));
    Ok(Some(body))
});

call!(RequestForCustomer, "request iQR (I2)", Effect::Acts, REQUEST_PATH, |call, settings| {
    check_iqr_fields(settings, &[("transactionRef", &call.transaction_ref), ("authData", call.auth_data.expose())])?;
    let body = Body::new()
        .text("aggregatorID", &settings.iqr.aggregator_id)
        .text("transactionRef", &call.transaction_ref)
        .secret("authData", &call.auth_data)
        .personal_if("mobileNumber", call.mobile_number.as_deref())
        .secret_if("otp", call.otp.as_ref())
        .flag("needImage", call.need_image)
        .text("channel", call.channel.as_str())
        .object_if("user", call.user.as_ref().map(User::body))
        .object_if("riskControlData", call.risk_control_data.as_ref().map(RiskControlData::body));
    Ok(Some(body))
});

call!(RequestUnassigned, "request iQRs in bulk (I3)", Effect::Acts, REQUEST_PATH, |call, settings| {
    check_iqr_fields(settings, &[("transactionRef", &call.transaction_ref)])?;
    let max = settings.iqr.bulk_quantity_max;
    if call.quantity.get() > max {
        return Err(Unsendable::new(format!("`quantity` is above {max}, the bound set by `iqr.bulk_quantity_max`")));
    }
    let body = Body::new()
        .text("aggregatorID", &settings.iqr.aggregator_id)
        .text("transactionRef", &call.transaction_ref)
        .number("quantity", call.quantity)
        .text("channel", call.channel.as_str());
    Ok(Some(body))
});

call!(Link, "link iQR (I4)", Effect::Acts, LINK_PATH, |call, settings| {
    check_iqr_fields(
        settings,
        &[("transactionRef", &call.transaction_ref), ("qrId", &call.qr_id), ("qrRef", &call.qr_ref)],
    )?;
    let body = Body::new()
        .text("aggregatorId", &settings.iqr.aggregator_id)
        .text("transactionRef", &call.transaction_ref)
        .text("qrId", &call.qr_id)
        .personal_if("mobileNumber", call.mobile_number.as_deref())
        .text("qrRef", &call.qr_ref)
        .text("channel", call.channel.as_str())
        .flag("needImage", call.need_image);
    let body = match &call.operator {
        Some(operator) => body.unknown("operator", &operator.0, operator.values()),
        None => body,
    };
    Ok(Some(body.object_if("riskControlData", call.risk_control_data.as_ref().map(RiskControlData::body))))
});

call!(GetReference, "get iQR reference (I5)", Effect::Acts, REFERENCE_PATH, |call, settings| {
    check_iqr_fields(settings, &[("transactionRef", &call.transaction_ref), ("qrId", &call.qr_id)])?;
    let pan = &call.pan_last_4_digits;
    if pan.len() != 4 || !pan.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Unsendable::new("`panLast4Digits` is not four digits"));
    }
    let body = Body::new()
        .text("aggregatorId", &settings.iqr.aggregator_id)
        .text("transactionRef", &call.transaction_ref)
        .personal_if("mobileNumber", call.mobile_number.as_deref())
        .text("qrId", &call.qr_id)
        .personal("panLast4Digits", pan)
        .text("channel", call.channel.as_str())
        .object_if("user", call.user.as_ref().map(User::body))
        .object_if("riskControlData", call.risk_control_data.as_ref().map(RiskControlData::body));
    Ok(Some(body))
});
