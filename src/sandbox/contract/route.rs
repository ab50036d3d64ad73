//! An endpoint and how a request finds it. Knows nothing of what it does.

use serde::{Deserialize, Serialize};

use super::Field;
use crate::wire::Method;

/// The endpoints of the interface that the provider hosts. I2 and I3 share one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Endpoint {
    /// E1.
    GetOffers,
    /// E2.
    TransactionRecords,
    /// E3.
    SendOffers,
    /// E4.
    AcceptOffer,
    /// E5.
    VerifyAccount,
    /// E6.
    FundLoan,
    /// E7.
    SendSms,
    /// E8.
    DebitCustomer,
    /// E9.
    Requery,
    /// I1.
    ValidateCard,
    /// I2 and I3.
    RequestIqr,
    /// I4.
    LinkIqr,
    /// I5.
    IqrReference,
    /// P1.
    CreateBill,
    /// P2.
    PaymentStatus,
}

impl Endpoint {
    /// All of them, in the interface's order.
    pub const ALL: [Endpoint; 15] = [
        Endpoint::GetOffers,
        Endpoint::TransactionRecords,
        Endpoint::SendOffers,
        Endpoint::AcceptOffer,
        Endpoint::VerifyAccount,
        Endpoint::FundLoan,
        Endpoint::SendSms,
        Endpoint::DebitCustomer,
        Endpoint::Requery,
        Endpoint::ValidateCard,
        Endpoint::RequestIqr,
        Endpoint::LinkIqr,
        Endpoint::IqrReference,
        Endpoint::CreateBill,
        Endpoint::PaymentStatus,
    ];

    /// The name: that of its table in a file of faults.
    pub fn name(self) -> &'static str {
        match self {
            Endpoint::GetOffers => "get_offers",
            Endpoint::TransactionRecords => "transaction_records",
            Endpoint::SendOffers => "send_offers",
            Endpoint::AcceptOffer => "accept_offer",
            Endpoint::VerifyAccount => "verify_account",
            Endpoint::FundLoan => "fund_loan",
            Endpoint::SendSms => "send_sms",
            Endpoint::DebitCustomer => "debit_customer",
            Endpoint::Requery => "requery",
            Endpoint::ValidateCard => "validate_card",
            Endpoint::RequestIqr => "request_iqr",
            Endpoint::LinkIqr => "link_iqr",
            Endpoint::IqrReference => "iqr_reference",
            Endpoint::CreateBill => "create_bill",
            Endpoint::PaymentStatus => "payment_status",
        }
    }

    /// The number in the interface, and what it does.
    pub fn about(self) -> &'static str {
        match self {
            Endpoint::GetOffers => "E1 Get Offers",
            Endpoint::TransactionRecords => "E2 Get Customer Transaction Records",
            Endpoint::SendOffers => "E3 Send Offers",
            Endpoint::AcceptOffer => "E4 Accept Offer",
            Endpoint::VerifyAccount => "E5 Verify account number",
            Endpoint::FundLoan => "E6 Fund loan",
            Endpoint::SendSms => "E7 Send SMS",
            Endpoint::DebitCustomer => "E8 Debit customer",
            Endpoint::Requery => "E9 Requery",
            Endpoint::ValidateCard => "I1 Validate card",
            Endpoint::RequestIqr => "I2 Request iQR, I3 in bulk",
            Endpoint::LinkIqr => "I4 Link iQR",
            Endpoint::IqrReference => "I5 Get iQR reference",
            Endpoint::CreateBill => "P1 Create Bill",
            Endpoint::PaymentStatus => "P2 Get transaction status",
        }
    }
}

/// What a request's body must be.
#[derive(Debug, Clone)]
pub(crate) enum BodyShape {
    /// None; what there is, is not looked at.
    None,
    /// A JSON object of these fields.
    Fields(Vec<Field>),
    /// A JSON object of the first fields where it has a field of that name, else of the second.
    ToldBy { name: &'static str, with: Vec<Field>, without: Vec<Field> },
}

/// Whether a request must say by a header that it takes JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Accept {
    /// The interface does not show the header.
    NotShown,
    /// The interface shows it.
    Shown,
    /// It shows it for the form of the body that has this field.
    ShownWith(&'static str),
}

/// How an endpoint refuses.
#[derive(Debug, Clone)]
pub(crate) enum RefusalShape {
    /// An object with a code and a message, under these names.
    Code { code: String, message: String },
    /// The envelope of E2, with the status `failed`.
    Envelope,
}

impl RefusalShape {
    /// That of the lending service, and of what belongs to no endpoint.
    pub(crate) fn lending() -> Self {
        RefusalShape::Code { code: "responseCode".to_owned(), message: "responseMessage".to_owned() }
    }
}

/// An endpoint where it is, with all it takes and gives.
#[derive(Debug, Clone)]
pub(crate) struct Route {
    pub endpoint: Endpoint,
    pub method: Method,
    /// The path without its first slash; varying segments in braces.
    pub template: String,
    pub path: Vec<Field>,
    pub query: Vec<Field>,
    /// Whether the endpoint reads its query itself: of what is listed, only the names are checked, and a group may repeat.
    pub query_is_open: bool,
    pub body: BodyShape,
    pub bearer: bool,
    pub accept: Accept,
    /// Whether a content type is asked for though there is no body.
    pub names_type: bool,
    pub reply: Vec<Field>,
    pub refusal: RefusalShape,
}

impl Route {
    /// Whether a request must name the content type of JSON.
    pub(crate) fn is_typed(&self) -> bool {
        self.names_type || !matches!(self.body, BodyShape::None)
    }

    /// The field of a query parameter. Of an indexed group (`offers[7].fee`) the first stands for all.
    pub(crate) fn parameter(&self, name: &str) -> Option<&Field> {
        let first = name.strip_prefix("offers[").and_then(|rest| rest.split_once(']'));
        let index = first.filter(|(index, _)| index.bytes().all(|byte| byte.is_ascii_digit()));
        let listed = index.map_or_else(|| name.to_owned(), |(_, rest)| format!("offers[0]{rest}"));
        self.query.iter().find(|field| field.name == listed)
    }
}

/// Finds the endpoint of a path, with the values of its varying segments. Where paths are the same for several, the one with
/// the method comes first.
pub(crate) fn find<'a>(routes: &'a [Route], method: &str, path: &str) -> Option<(&'a Route, Vec<(String, String)>)> {
    let asked: Vec<String> = path.strip_prefix('/')?.split('/').map(decoded).collect::<Option<_>>()?;
    let mut found: Vec<_> =
        routes.iter().filter_map(|route| Some((route, matched(&route.template, &asked)?))).collect();
    let at = found.iter().position(|(route, _)| route.method.as_str() == method).unwrap_or_default();
    (!found.is_empty()).then(|| found.swap_remove(at))
}

fn matched(template: &str, asked: &[String]) -> Option<Vec<(String, String)>> {
    let parts: Vec<&str> = template.split('/').collect();
    if parts.len() != asked.len() {
        return None;
    }
    let mut values = Vec::new();
    for (part, text) in parts.into_iter().zip(asked) {
        match varying(part) {
            Some((before, name, behind)) => {
                let value = text.strip_prefix(before)?.strip_suffix(behind)?;
                if value.is_empty() {
                    return None;
                }
                values.push((name.to_owned(), value.to_owned()));
            }
            None if part == text => {}
            None => return None,
        }
    }
    Some(values)
}

/// Where a segment varies: what stands before, the name in braces, and what stands behind.
pub(crate) fn varying(segment: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = segment.split_once('{')?;
    let (name, behind) = rest.split_once('}')?;
    (!behind.contains('{')).then_some((before, name, behind))
}

/// A segment with its percent signs resolved; nothing where the bytes are no text.
fn decoded(segment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let pair = after.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        let byte = pair.and_then(|pair| u8::from_str_radix(pair, 16).ok()).filter(|_| *first == b'%');
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    String::from_utf8(bytes).ok()
}
