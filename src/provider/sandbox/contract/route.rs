//! The endpoints, and how a request finds its own. Knows nothing of what an endpoint does.

use serde::{Deserialize, Serialize};

use super::field::ContractField;
use crate::provider::wire::{Method, match_template, path_segments};

/// The endpoints that the provider hosts. I2 and I3 share one.
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

    /// The name, as in a file of faults.
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

    /// The number and the name in the interface.
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

/// The form of a request's body.
#[derive(Debug, Clone)]
pub(crate) enum BodyShape {
    /// No body; any body is ignored.
    None,
    /// A JSON object of these fields.
    Fields(Vec<ContractField>),
    /// A JSON object with one of two sets of fields: `with` if it has the field `name`, else `without`.
    ByField { name: &'static str, with: Vec<ContractField>, without: Vec<ContractField> },
}

/// Whether a request must have the header `accept` for JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Accept {
    /// The interface does not show the header.
    NotShown,
    /// The interface shows it.
    Shown,
    /// The interface shows it for bodies with this field.
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
    /// The lending service's, also for requests without an endpoint.
    pub(crate) fn lending() -> Self {
        RefusalShape::Code { code: "responseCode".to_owned(), message: "responseMessage".to_owned() }
    }
}

/// An endpoint with its place, and everything it takes and returns.
#[derive(Debug, Clone)]
pub(crate) struct Route {
    pub endpoint: Endpoint,
    pub method: Method,
    /// The path without its leading slash; varying segments in braces.
    pub template: String,
    pub path: Vec<ContractField>,
    pub query: Vec<ContractField>,
    /// Whether the endpoint reads its query itself. Then only the names of parameters are checked, and groups may
    /// repeat.
    pub query_is_open: bool,
    pub body: BodyShape,
    pub bearer: bool,
    pub accept: Accept,
    /// Whether a content type is required although there is no body.
    pub names_type: bool,
    pub reply: Vec<ContractField>,
    pub refusal: RefusalShape,
}

impl Route {
    /// Whether a request must name the content type of JSON.
    pub(crate) fn is_typed(&self) -> bool {
        self.names_type || !matches!(self.body, BodyShape::None)
    }

    /// The field of a query parameter. The first of an indexed group (`offers[7].fee`) stands for all.
    pub(crate) fn parameter(&self, name: &str) -> Option<&ContractField> {
        let first = name.strip_prefix("offers[").and_then(|rest| rest.split_once(']'));
        let index = first.filter(|(index, _)| index.bytes().all(|byte| byte.is_ascii_digit()));
        let listed = index.map_or_else(|| name.to_owned(), |(_, rest)| format!("offers[0]{rest}"));
        self.query.iter().find(|field| field.name == listed)
    }
}

/// Finds the endpoint of a path, with the values of its varying segments. If several endpoints have the path, the one
/// with the method is preferred.
pub(crate) fn find_route_of_path<'a>(
    routes: &'a [Route],
    method: &str,
    path: &str,
) -> Option<(&'a Route, Vec<(String, String)>)> {
    let asked = path_segments(path)?;
    let mut found: Vec<_> =
        routes.iter().filter_map(|route| Some((route, match_template(&route.template, &asked)?))).collect();
    let at = found.iter().position(|(route, _)| route.method.as_str() == method).unwrap_or_default();
    (!found.is_empty()).then(|| found.swap_remove(at))
}
