//! P1 and P2. Knows nothing of what they do.

use super::base::{is_bearer, response_code_field, route_with_defaults};
use crate::base::money::AmountUnit;
use crate::provider::sandbox::contract::{
    Accept, BodyShape, ContractField, Endpoint, FieldKind, Form, RefusalShape, Route,
};
use crate::provider::wire::bill::TRANSACTION_STATUS_PATH;
use crate::provider::wire::{Method, Settings};

pub(super) fn pay_bill_routes(settings: &Settings) -> Vec<Route> {
    vec![create_bill_route(settings), bill_status_route(settings)]
}

fn create_bill_route(settings: &Settings) -> Route {
    let fields = || {
        vec![
            ContractField::formed("merchantCode", Form::Visible, 1, 64, "the merchant"),
            ContractField::text("payableCode", "the merchant's payment item"),
            ContractField::whole("amount", "in minor units"),
            ContractField::formed(
                "redirectUrl",
                Form::Address,
                8,
                2_000,
                "where the customer is sent after the payment",
            ),
            ContractField::text("customerId", "the customer on the merchant's system"),
            ContractField::words("customerEmail", "the customer's e-mail address").optional(),
        ]
    };
    let mut body = fields();
    body.insert(5, ContractField::new("currencyCode", FieldKind::Whole { least: 1, most: 999 }, "ISO 4217, numeric"));
    body.push(
        ContractField::formed("transactionReference", Form::Visible, 1, 128, "the merchant's own reference").optional(),
    );
    let mut reply = fields();
    reply.extend([
        ContractField::whole("id", "identifies the bill"),
        response_code_field("code"),
        ContractField::text("reference", "the bill's reference on the service"),
        ContractField::new("currencyCode", FieldKind::TextOrWhole, "ISO 4217, numeric"),
        ContractField::text("paymentUrl", "what the customer opens to pay"),
    ]);
    Route {
        body: BodyShape::Fields(body),
        reply,
        bearer: is_bearer(settings.bill.create.authentication),
        accept: Accept::NotShown,
        refusal: RefusalShape::Code { code: "code".to_owned(), message: "message".to_owned() },
        ..route_with_defaults(Endpoint::CreateBill, Method::Post, &settings.bill.create.path)
    }
}

fn bill_status_route(settings: &Settings) -> Route {
    let names = &settings.bill.status;
    let paid = match names.amount_unit {
        AmountUnit::Minor => ContractField::whole(&names.amount_field, "what was paid, in minor units"),
        AmountUnit::Major => {
            ContractField::new(&names.amount_field, FieldKind::Amount, "what was paid, in major units")
        }
    };
    let mut reply = vec![
        response_code_field(&names.code_field),
        ContractField::words(&names.message_field, "in words"),
        paid.optional(),
        ContractField::text(&names.reference_field, "as in the request"),
        ContractField::text(&names.currency_field, "ISO 4217, numeric"),
        ContractField::text(&names.merchant_field, "as in the request"),
    ];
    reply.retain(|field| !field.name.is_empty());
    Route {
        query: vec![
            ContractField::formed("merchantcode", Form::Visible, 1, 64, "the merchant"),
            ContractField::formed("transactionreference", Form::Visible, 1, 128, "of the bill, or the merchant's own"),
            ContractField::whole("amount", "the original amount, in minor units"),
        ],
        reply,
        bearer: is_bearer(names.authentication),
        accept: Accept::NotShown,
        names_type: true,
        refusal: RefusalShape::Code { code: names.code_field.clone(), message: names.message_field.clone() },
        ..route_with_defaults(Endpoint::PaymentStatus, Method::Get, TRANSACTION_STATUS_PATH)
    }
}
