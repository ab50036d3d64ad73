//! E10 and E11, which the lender hosts and the sandbox calls. Knows nothing of when it calls them.

use super::base::{provider, words};
use crate::sandbox::contract::field::{Field, Kind};
use crate::wire::lender::{PASSWORD_HEADER, USERNAME_HEADER};
use crate::wire::{Method, Settings};

/// A call of the sandbox to the lender, for the OpenAPI document.
pub(crate) struct LenderCall {
    pub name: &'static str,
    pub about: &'static str,
    pub method: Method,
    /// The path below the lender's address; varying segments in braces.
    pub template: String,
    pub headers: Vec<Field>,
    pub query: Vec<Field>,
    pub body: Vec<Field>,
    pub reply: Vec<Field>,
}

/// The calls of the sandbox to the lender.
pub(crate) fn lender_calls(settings: &Settings) -> Vec<LenderCall> {
    let names = &settings.lender;
    let headers = || {
        vec![
            Field::text(USERNAME_HEADER, "the agreed user name"),
            Field::text(PASSWORD_HEADER, "the agreed password").secret(),
        ]
    };
    let standing = vec![
        Field::text("status", "`OPEN` or `CLOSED`"),
        Field::text("remainingAmount", "the amount still to be paid, a decimal number"),
        Field::text("dueDate", "when: ISO 8601, UTC"),
    ];
    let mut status = words();
    status.push(Field::new("loan", Kind::OpenObject(standing), "the loan's status").optional());
    let mut noted = words();
    noted.push(Field::text("loanStatus", "the loan's status after the payment"));
    vec![
        LenderCall {
            name: "loan_status",
            about: "E10 Get Loan Status",
            method: Method::Get,
            template: format!("{}/{{loanId}}", names.loan_status_path.trim_matches('/')),
            headers: headers(),
            query: vec![
                Field::text("customerId", "the customer"),
                Field::text("loanId", "the same as in the path"),
                provider(settings, "providerCode"),
                Field::text("channelCode", "the channel of the offer request that the loan came from"),
            ],
            body: Vec::new(),
            reply: status,
        },
        LenderCall {
            name: "payment_notification",
            about: "E11 Payment Notification",
            method: Method::Post,
            template: names.payment_notification_path.trim_matches('/').to_owned(),
            headers: headers(),
            query: Vec::new(),
            body: vec![
                Field::text("loanId", "the loan"),
                Field::text("paymentRef", "identifies the payment"),
                Field::text(
                    "Amount",
                    "the amount paid, a decimal number; the interface writes only this name with a capital",
                ),
                Field::text("customerId", "the customer"),
            ],
            reply: noted,
        },
    ]
}
