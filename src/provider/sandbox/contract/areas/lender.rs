//! The endpoints that the lender hosts and the sandbox calls. Knows nothing of when it calls them.

use super::base::{provider_code_field, response_word_fields};
use super::lending::{acceptance_body_fields, listed_offer, offer_request};
use crate::provider::sandbox::contract::field::{ContractField, FieldKind};
use crate::provider::wire::lender::{PASSWORD_HEADER, USERNAME_HEADER};
use crate::provider::wire::{Method, Settings};

/// A call of the sandbox to the lender, for the OpenAPI document.
pub(crate) struct LenderCall {
    pub name: &'static str,
    pub about: &'static str,
    pub method: Method,
    /// The path below the lender's address; varying segments in braces.
    pub template: String,
    pub headers: Vec<ContractField>,
    pub query: Vec<ContractField>,
    pub body: Vec<ContractField>,
    pub reply: Vec<ContractField>,
}

/// The calls of the sandbox to the lender.
pub(crate) fn lender_calls(settings: &Settings) -> Vec<LenderCall> {
    let headers = || {
        vec![
            ContractField::text(USERNAME_HEADER, "the agreed user name"),
            ContractField::text(PASSWORD_HEADER, "the agreed password").secret(),
        ]
    };
    vec![
        get_offers(settings, headers()),
        accept_offer(settings, headers()),
        loan_status(settings, headers()),
        payment_notification(settings, headers()),
    ]
}

fn get_offers(settings: &Settings, mut headers: Vec<ContractField>) -> LenderCall {
    let names = &settings.lender;
    let about = "the reference of the offer request";
    let mut query = offer_request(settings);
    if !names.reference_parameter.is_empty() {
        query.push(ContractField::text(&names.reference_parameter, about));
    }
    if !names.reference_header.is_empty() {
        headers.push(ContractField::text(&names.reference_header, about));
    }
    let mut reply = response_word_fields();
    let offers = FieldKind::List(Box::new(FieldKind::OpenObject(listed_offer())));
    reply.push(ContractField::new("offers", offers, "none, or the offers, if the lender answers at once"));
    LenderCall {
        name: "get_offers",
        about: "The lender's Get Offers, with the behaviour `forwards_to_lender`",
        method: Method::Get,
        template: names.get_offers_path.trim_matches('/').to_owned(),
        headers,
        query,
        body: Vec::new(),
        reply,
    }
}

fn accept_offer(settings: &Settings, headers: Vec<ContractField>) -> LenderCall {
    let names = &settings.lender;
    let mut body = acceptance_body_fields();
    if !names.msisdn_field.is_empty() {
        body.push(ContractField::text(&names.msisdn_field, "the customer's telephone number"));
    }
    let mut reply = response_word_fields();
    reply.push(ContractField::text("loanId", "the loan"));
    LenderCall {
        name: "accept_offer",
        about: "The lender's Accept Offers, with the behaviour `forwards_to_lender`",
        method: Method::Post,
        template: names.accept_offer_path.trim_matches('/').to_owned(),
        headers,
        query: Vec::new(),
        body,
        reply,
    }
}

fn loan_status(settings: &Settings, headers: Vec<ContractField>) -> LenderCall {
    let standing = vec![
        ContractField::text("status", "`OPEN` or `CLOSED`"),
        ContractField::text("remainingAmount", "the amount still to be paid, a decimal number"),
        ContractField::text("dueDate", "when: ISO 8601, UTC"),
    ];
    let mut reply = response_word_fields();
    reply.push(ContractField::new("loan", FieldKind::OpenObject(standing), "the loan's status").optional());
    LenderCall {
        name: "loan_status",
        about: "E10 Get Loan Status",
        method: Method::Get,
        template: format!("{}/{{loanId}}", settings.lender.loan_status_path.trim_matches('/')),
        headers,
        query: vec![
            ContractField::text("customerId", "the customer"),
            ContractField::text("loanId", "the same as in the path"),
            provider_code_field(settings, "providerCode"),
            ContractField::text("channelCode", "the channel of the offer request that the loan came from"),
        ],
        body: Vec::new(),
        reply,
    }
}

fn payment_notification(settings: &Settings, headers: Vec<ContractField>) -> LenderCall {
    let amount = "the amount paid, a decimal number; the interface writes only this name with a capital";
    let mut reply = response_word_fields();
    reply.push(ContractField::text("loanStatus", "the loan's status after the payment"));
    LenderCall {
        name: "payment_notification",
        about: "E11 Payment Notification",
        method: Method::Post,
        template: settings.lender.payment_notification_path.trim_matches('/').to_owned(),
        headers,
        query: Vec::new(),
        body: vec![
            ContractField::text("loanId", "the loan"),
            ContractField::text("paymentRef", "identifies the payment"),
            ContractField::text("Amount", amount),
            ContractField::text("customerId", "the customer"),
        ],
        reply,
    }
}
