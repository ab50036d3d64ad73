//! E1 to E5 and E7: asking, answering, accepting. Knows nothing of money that moves.

use super::base::{placed, provider, route, words};
use crate::provider::sandbox::contract::{BodyShape, Endpoint, Field, Form, Kind, RefusalShape, Route};
use crate::provider::wire::lending::{OFFERS_PATH, SMS_PATH};
use crate::provider::wire::{GET_OFFERS_PATH, Layout, Method, Settings, TRANSACTION_RECORDS_PATH};

pub(super) fn routes(settings: &Settings) -> Vec<Route> {
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
pub(super) fn listed_offer() -> Vec<Field> {
    vec![
        Field::text("offerId", "identifies the offer"),
        Field::whole("amountOffered", "the principal, in minor units"),
        Field::new("interest", Kind::Number, "in percent"),
        Field::whole("amountPayable", "the total to pay back, in minor units"),
        Field::whole("tenure", "the length of the loan"),
        Field::text("expiryDate", "until when the offer is valid: ISO 8601, UTC"),
        Field::text("currency", "ISO 4217, numeric"),
    ]
}

/// The query of an offer request.
pub(super) fn offer_request(settings: &Settings) -> Vec<Field> {
    vec![
        Field::text("customerId", "who asks"),
        Field::text("channelCode", "through which channel"),
        Field::whole("amount", "how much, in minor units"),
        Field::text("serviceType", "for what"),
        Field::formed("dateOfBirth", Form::Date, 10, 10, "the customer's"),
        provider(settings, "providerCode"),
    ]
}

fn get_offers(settings: &Settings) -> Route {
    let offers = Kind::List(Box::new(Kind::Object(listed_offer())));
    let mut reply = words();
    reply.push(Field::new("offers", offers, "none until the lender has answered"));
    Route { query: offer_request(settings), reply, ..route(Endpoint::GetOffers, Method::Get, GET_OFFERS_PATH) }
}

fn transaction_records(settings: &Settings) -> Route {
    let template = format!("{TRANSACTION_RECORDS_PATH}/{{offerRequestReference}}");
    let page = Field::new(
        &settings.records.page_parameter,
        Kind::Whole { least: 1, most: 1_000_000 },
        "which page of the statement",
    );
    let records = Kind::List(Box::new(Kind::OpenObject(Vec::new())));
    Route {
        // The query must have the same reference as the path.
        query: vec![Field::text("offerRequestReference", "the same as in the path"), page.optional()],
        reply: vec![
            Field::words("_id", "identifies the answer"),
            Field::words("status", "`success`"),
            Field::words("message", "in words"),
            Field::new(
                "data",
                Kind::OpenObject(vec![Field::new("transactions", records, "the records of the statement")]),
                "the statement",
            ),
        ],
        refusal: RefusalShape::Envelope,
        ..route(Endpoint::TransactionRecords, Method::Get, &template)
    }
}

fn send_offers(settings: &Settings) -> Route {
    let template = format!("{OFFERS_PATH}/{{segment}}/send-offers");
    let mut query = vec![
        Field::text("code", "`00` with offers"),
        Field::text("message", "in words"),
        provider(settings, "providerCode"),
    ];
    let list = Field::formed("offers", Form::Free, 1, 100_000, "a JSON array of offers");
    let indexed = |field: Field| Field { name: format!("offers[0].{}", field.name), ..field };
    let offers: Vec<Field> = match settings.send_offers.layout {
        Layout::Repeated | Layout::OneCallEach => std::iter::once(count()).chain(offer_parameters()).collect(),
        Layout::Indexed => offer_parameters().into_iter().map(indexed).collect(),
        Layout::Json => vec![list],
    };
    query.extend(offers.into_iter().map(Field::optional));
    Route {
        // The endpoint reads the repeated groups of parameters itself.
        query_is_open: true,
        query,
        ..route(Endpoint::SendOffers, Method::Post, &template)
    }
}

fn count() -> Field {
    Field::new("offers", Kind::Whole { least: 1, most: 1 }, "how many offers follow; comes before the first")
}

/// One offer, as the document shows it. Further offers repeat the group.
fn offer_parameters() -> Vec<Field> {
    vec![
        Field::text("offerId", "identifies the offer"),
        Field::whole("amountOffered", "the principal, in minor units"),
        Field::new("interest", Kind::Number, "in percent"),
        Field::whole("amountPayable", "the total to pay back, in minor units"),
        Field::new("fee", Kind::Whole { least: 0, most: 1_000_000_000_000_000 }, "in minor units"),
        Field::new("tenure", Kind::Whole { least: 1, most: 36_500 }, "the length of the loan"),
        Field::words("terms", "in words"),
        Field::text("expiryDate", "until when the offer is valid: ISO 8601, UTC"),
        Field::formed("currency", Form::Digits, 3, 3, "ISO 4217, numeric"),
        Field::flag("isPartPaymentAllowed", "whether the loan may be paid back in parts"),
    ]
}

/// The body of an acceptance.
pub(super) fn acceptance() -> Vec<Field> {
    vec![
        Field::text("customerId", "who accepts"),
        Field::text("offerId", "the same as in the path"),
        Field::formed("destinationAccountNumber", Form::Digits, 1, 34, "the account to which the loan is paid")
            .secret(),
        Field::formed("destinationBankCode", Form::Visible, 1, 16, "that account's bank"),
        Field::formed("token", Form::Free, 1, 4_000, "the customer's token").secret(),
        Field::text("loanReferenceId", "the caller's own reference of the loan"),
    ]
}

fn accept_offer() -> Route {
    let mut reply = words();
    reply.push(Field::text("loanId", "identifies the loan from now on").optional());
    Route {
        body: BodyShape::Fields(acceptance()),
        reply,
        ..route(Endpoint::AcceptOffer, Method::Post, &format!("{OFFERS_PATH}/{{offerId}}/accept"))
    }
}

fn verify_account(settings: &Settings) -> Route {
    let names = &settings.verify_account;
    let fields = [
        Field::text(&names.customer_field, "the customer"),
        Field::formed(&names.account_field, Form::Digits, 1, 34, "the account").secret(),
        Field::formed(&names.bank_field, Form::Visible, 1, 16, "the account's bank"),
        provider(settings, &names.provider_field),
    ];
    let mut reply = words();
    reply.push(Field::text(&names.name_field, "the name of the account's holder"));
    // A field without a name is not sent.
    let fields = fields.into_iter().filter(|field| !field.name.is_empty()).collect();
    Route { reply, ..placed(route(Endpoint::VerifyAccount, names.method, &names.path), fields) }
}

fn send_sms(settings: &Settings) -> Route {
    Route {
        query: vec![provider(settings, "providerCode"), Field::text("customerId", "the customer")],
        body: BodyShape::Fields(vec![
            provider(settings, "providerCode"),
            Field::formed("msisdn", Form::Visible, 1, 20, "the customer's telephone number").secret(),
            Field::formed("message", Form::Free, 1, 1_000, "the message's text").secret(),
            Field::text("loanId", "the message's loan"),
            Field::text("customerId", "the same as in the query"),
        ]),
        ..route(Endpoint::SendSms, Method::Post, SMS_PATH)
    }
}
