//! E1 to E5 and E7: asking, answering, accepting. Knows nothing of money that moves.

use super::base::{place_route_fields, provider_code_field, response_word_fields, route_with_defaults};
use crate::provider::sandbox::contract::{BodyShape, ContractField, Endpoint, FieldKind, Form, RefusalShape, Route};
use crate::provider::wire::lending::{OFFERS_PATH, SMS_PATH};
use crate::provider::wire::{GET_OFFERS_PATH, Layout, Method, Settings, TRANSACTION_RECORDS_PATH};

pub(super) fn lending_routes(settings: &Settings) -> Vec<Route> {
    vec![
        get_offers(settings),
        transaction_records(settings),
        send_offers(settings),
        accept_offer(),
        verify_account(settings),
        send_sms(settings),
    ]
}

/// An offer as E1 lists it.
pub(super) fn listed_offer() -> Vec<ContractField> {
    vec![
        ContractField::text("offerId", "identifies the offer"),
        ContractField::whole("amountOffered", "the principal, in minor units"),
        ContractField::new("interest", FieldKind::Number, "in percent"),
        ContractField::whole("amountPayable", "the total to pay back, in minor units"),
        ContractField::whole("tenure", "the length of the loan"),
        ContractField::text("expiryDate", "until when the offer is valid: ISO 8601, UTC"),
        ContractField::text("currency", "ISO 4217, numeric"),
    ]
}

/// The query of an offer request.
pub(super) fn offer_request(settings: &Settings) -> Vec<ContractField> {
    vec![
        ContractField::text("customerId", "who asks"),
        ContractField::text("channelCode", "through which channel"),
        ContractField::whole("amount", "how much, in minor units"),
        ContractField::text("serviceType", "for what"),
        ContractField::formed("dateOfBirth", Form::Date, 10, 10, "the customer's"),
        provider_code_field(settings, "providerCode"),
    ]
}

fn get_offers(settings: &Settings) -> Route {
    let offers = FieldKind::List(Box::new(FieldKind::Object(listed_offer())));
    let mut reply = response_word_fields();
    reply.push(ContractField::new("offers", offers, "none until the lender has answered"));
    Route {
        query: offer_request(settings),
        reply,
        ..route_with_defaults(Endpoint::GetOffers, Method::Get, GET_OFFERS_PATH)
    }
}

fn transaction_records(settings: &Settings) -> Route {
    let template = format!("{TRANSACTION_RECORDS_PATH}/{{offerRequestReference}}");
    let page = ContractField::new(
        &settings.records.page_parameter,
        FieldKind::Whole { least: 1, most: 1_000_000 },
        "which page of the statement",
    );
    let records = FieldKind::List(Box::new(FieldKind::OpenObject(Vec::new())));
    Route {
        // The query must have the same reference as the path.
        query: vec![ContractField::text("offerRequestReference", "the same as in the path"), page.optional()],
        reply: vec![
            ContractField::words("_id", "identifies the answer"),
            ContractField::words("status", "`success`"),
            ContractField::words("message", "in words"),
            ContractField::new(
                "data",
                FieldKind::OpenObject(vec![ContractField::new(
                    "transactions",
                    records,
                    "the records of the statement",
                )]),
                "the statement",
            ),
        ],
        refusal: RefusalShape::Envelope,
        ..route_with_defaults(Endpoint::TransactionRecords, Method::Get, &template)
    }
}

fn send_offers(settings: &Settings) -> Route {
    let template = format!("{OFFERS_PATH}/{{segment}}/send-offers");
    let mut query = vec![
        ContractField::text("code", "`00` with offers"),
        ContractField::text("message", "in words"),
        provider_code_field(settings, "providerCode"),
    ];
    let list = ContractField::formed("offers", Form::Free, 1, 100_000, "a JSON array of offers");
    let indexed = |field: ContractField| ContractField { name: format!("offers[0].{}", field.name), ..field };
    let offers: Vec<ContractField> = match settings.send_offers.layout {
        Layout::Repeated | Layout::OneCallEach => {
            std::iter::once(offer_count_field()).chain(offer_parameters()).collect()
        }
        Layout::Indexed => offer_parameters().into_iter().map(indexed).collect(),
        Layout::Json => vec![list],
    };
    query.extend(offers.into_iter().map(ContractField::optional));
    Route {
        // The endpoint reads the repeated groups of parameters itself.
        query_is_open: true,
        query,
        ..route_with_defaults(Endpoint::SendOffers, Method::Post, &template)
    }
}

fn offer_count_field() -> ContractField {
    ContractField::new(
        "offers",
        FieldKind::Whole { least: 1, most: 1 },
        "how many offers follow; comes before the first",
    )
}

/// One offer, as the document shows it. Further offers repeat the group.
fn offer_parameters() -> Vec<ContractField> {
    vec![
        ContractField::text("offerId", "identifies the offer"),
        ContractField::whole("amountOffered", "the principal, in minor units"),
        ContractField::new("interest", FieldKind::Number, "in percent"),
        ContractField::whole("amountPayable", "the total to pay back, in minor units"),
        ContractField::new("fee", FieldKind::Whole { least: 0, most: 1_000_000_000_000_000 }, "in minor units"),
        ContractField::new("tenure", FieldKind::Whole { least: 1, most: 36_500 }, "the length of the loan"),
        ContractField::words("terms", "in words"),
        ContractField::text("expiryDate", "until when the offer is valid: ISO 8601, UTC"),
        ContractField::formed("currency", Form::Digits, 3, 3, "ISO 4217, numeric"),
        ContractField::flag("isPartPaymentAllowed", "whether the loan may be paid back in parts"),
    ]
}

/// The body of an acceptance.
pub(super) fn acceptance_body_fields() -> Vec<ContractField> {
    vec![
        ContractField::text("customerId", "who accepts"),
        ContractField::text("offerId", "the same as in the path"),
        ContractField::formed("destinationAccountNumber", Form::Digits, 1, 34, "the account to which the loan is paid")
            .secret(),
        ContractField::formed("destinationBankCode", Form::Visible, 1, 16, "that account's bank"),
        ContractField::formed("token", Form::Free, 1, 4_000, "the customer's token").secret(),
        ContractField::text("loanReferenceId", "the caller's own reference of the loan"),
    ]
}

fn accept_offer() -> Route {
    let mut reply = response_word_fields();
    reply.push(ContractField::text("loanId", "identifies the loan from now on").optional());
    Route {
        body: BodyShape::Fields(acceptance_body_fields()),
        reply,
        ..route_with_defaults(Endpoint::AcceptOffer, Method::Post, &format!("{OFFERS_PATH}/{{offerId}}/accept"))
    }
}

fn verify_account(settings: &Settings) -> Route {
    let names = &settings.verify_account;
    let fields = [
        ContractField::text(&names.customer_field, "the customer"),
        ContractField::formed(&names.account_field, Form::Digits, 1, 34, "the account").secret(),
        ContractField::formed(&names.bank_field, Form::Visible, 1, 16, "the account's bank"),
        provider_code_field(settings, &names.provider_field),
    ];
    let mut reply = response_word_fields();
    reply.push(ContractField::text(&names.name_field, "the name of the account's holder"));
    // A field without a name is not sent.
    let fields = fields.into_iter().filter(|field| !field.name.is_empty()).collect();
    Route {
        reply,
        ..place_route_fields(route_with_defaults(Endpoint::VerifyAccount, names.method, &names.path), fields)
    }
}

fn send_sms(settings: &Settings) -> Route {
    Route {
        query: vec![provider_code_field(settings, "providerCode"), ContractField::text("customerId", "the customer")],
        body: BodyShape::Fields(vec![
            provider_code_field(settings, "providerCode"),
            ContractField::formed("msisdn", Form::Visible, 1, 20, "the customer's telephone number").secret(),
            ContractField::formed("message", Form::Free, 1, 1_000, "the message's text").secret(),
            ContractField::text("loanId", "the message's loan"),
            ContractField::text("customerId", "the same as in the query"),
        ]),
        ..route_with_defaults(Endpoint::SendSms, Method::Post, SMS_PATH)
    }
}
