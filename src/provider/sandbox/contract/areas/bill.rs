//! P1 and P2. Knows nothing of what they do.

use super::base::{code, is_bearer, route};
use crate::base::money::AmountUnit;
use crate::provider::sandbox::contract::{Accept, BodyShape, Endpoint, Field, Form, Kind, RefusalShape, Route};
use crate::provider::wire::bill::TRANSACTION_STATUS_PATH;
use crate::provider::wire::{Method, Settings};

pub(super) fn routes(settings: &Settings) -> Vec<Route> {
    vec![create(settings), status(settings)]
}

fn create(settings: &Settings) -> Route {
    let fields = || {
        vec![
            Field::formed("merchantCode", Form::Visible, 1, 64, "the merchant"),
            Field::text("payableCode", "the merchant's payment item"),
            Field::whole("amount", "in minor units"),
            Field::formed("redirectUrl", Form::Address, 8, 2_000, "where the customer is sent after the payment"),
            Field::text("customerId", "the customer on the merchant's system"),
            Field::words("customerEmail", "the customer's e-mail address").optional(),
        ]
    };
    let mut body = fields();
    body.insert(5, Field::new("currencyCode", Kind::Whole { least: 1, most: 999 }, "ISO 4217, numeric"));
    body.push(Field::formed("transactionReference", Form::Visible, 1, 128, "the merchant's own reference").optional());
    let mut reply = fields();
    reply.extend([
        Field::whole("id", "identifies the bill"),
        code("code"),
        Field::text("reference", "the bill's reference on the service"),
        Field::new("currencyCode", Kind::TextOrWhole, "ISO 4217, numeric"),
        Field::text("paymentUrl", "what the customer opens to pay"),
    ]);
    Route {
        body: BodyShape::Fields(body),
        reply,
        bearer: is_bearer(settings.bill.create.authentication),
        accept: Accept::NotShown,
        refusal: RefusalShape::Code { code: "code".to_owned(), message: "message".to_owned() },
        ..route(Endpoint::CreateBill, Method::Post, &settings.bill.create.path)
    }
}

fn status(settings: &Settings) -> Route {
    let names = &settings.bill.status;
    let paid = match names.amount_unit {
        AmountUnit::Minor => Field::whole(&names.amount_field, "what was paid, in minor units"),
        AmountUnit::Major => Field::new(&names.amount_field, Kind::Amount, "what was paid, in major units"),
    };
    let mut reply = vec![
        code(&names.code_field),
        Field::words(&names.message_field, "in words"),
        paid.optional(),
        Field::text(&names.reference_field, "as in the request"),
        Field::text(&names.currency_field, "ISO 4217, numeric"),
        Field::text(&names.merchant_field, "as in the request"),
    ];
    reply.retain(|field| !field.name.is_empty());
    Route {
        query: vec![
            Field::formed("merchantcode", Form::Visible, 1, 64, "the merchant"),
            Field::formed("transactionreference", Form::Visible, 1, 128, "of the bill, or the merchant's own"),
            Field::whole("amount", "the original amount, in minor units"),
        ],
        reply,
        bearer: is_bearer(names.authentication),
        accept: Accept::NotShown,
        names_type: true,
        refusal: RefusalShape::Code { code: names.code_field.clone(), message: names.message_field.clone() },
        ..route(Endpoint::PaymentStatus, Method::Get, TRANSACTION_STATUS_PATH)
    }
}
