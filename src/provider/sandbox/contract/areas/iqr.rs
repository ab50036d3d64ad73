//! I1 to I5. The interface does not show which fields are required. Here those are required without which a call has no
//! meaning.

use super::base::{code, route};
use crate::provider::sandbox::contract::{Accept, BodyShape, Endpoint, Field, Form, Kind, RefusalShape, Route};
use crate::provider::wire::iqr::{LINK_PATH, REFERENCE_PATH, REQUEST_PATH, VALIDATE_CARD_PATH};
use crate::provider::wire::{Method, Settings};

/// The field that marks a request in bulk.
const QUANTITY: &str = "quantity";

pub(super) fn routes(settings: &Settings) -> Vec<Route> {
    vec![validate(settings), request(settings), link(settings), reference(settings)]
}

fn iqr_route(settings: &Settings, endpoint: Endpoint, path: &str, body: BodyShape, given: Vec<Field>) -> Route {
    let names = &settings.iqr;
    let mut reply = vec![code(&names.code_field), Field::words(&names.message_field, "in words")];
    reply.push(Field::text("transactionRef", "as in the request"));
    reply.extend(given);
    let refusal = RefusalShape::Code { code: names.code_field.clone(), message: names.message_field.clone() };
    let accept = match endpoint {
        Endpoint::LinkIqr | Endpoint::IqrReference => Accept::Shown,
        // I3 shows it; I2, at the same path, does not.
        Endpoint::RequestIqr => Accept::ShownWith(QUANTITY),
        _ => Accept::NotShown,
    };
    Route { body, reply, refusal, accept, ..route(endpoint, Method::Post, path) }
}

/// The aggregator, in the call's own spelling. Without the setting the sandbox accepts any.
fn aggregator(settings: &Settings, name: &str) -> Field {
    let about = "the aggregator; its spelling differs between calls";
    match settings.iqr.aggregator_id.as_str() {
        "" => Field::text(name, about),
        id => Field::new(name, Kind::OneOf(vec![id.to_owned()]), about),
    }
}

fn transaction_ref() -> Field {
    Field::text("transactionRef", "the caller's reference; a repeated one gets the same answer")
}

fn auth_data() -> Field {
    Field::formed("authData", Form::Free, 1, 8_000, "the card, encrypted by the caller").secret()
}

fn mobile_number() -> Field {
    Field::formed("mobileNumber", Form::Visible, 1, 20, "the customer's telephone number").secret().optional()
}

fn need_image() -> Field {
    Field::flag("needImage", "whether an image is wanted").optional()
}

fn channel() -> Field {
    Field::text("channel", "such as API, USSD, WEB").optional()
}

fn user() -> Field {
    let of_user = |name| Field::text(name, "about the user").optional();
    let fields = vec![
        of_user("userID"),
        of_user("firstName"),
        of_user("lastName"),
        of_user("bvn").secret(),
        of_user("nin").secret(),
    ];
    Field::object("user", fields, "whom it is for").optional()
}

fn risk_control_data() -> Field {
    let place = ["longitude", "latitude"].map(|name| Field::text(name, "in degrees").optional());
    let fields = vec![
        Field::text("operatorID", "who operates").optional(),
        Field::object("currentLocation", place.into(), "where").optional(),
        Field::text("ipAddress", "from which address").optional(),
    ];
    Field::object("riskControlData", fields, "data for risk control").optional()
}

fn qr_id() -> Field {
    Field::text("qrId", "identifies the iQR")
}

fn qr_ref() -> Field {
    Field::text("qrRef", "the iQR's reference")
}

fn image() -> Field {
    Field::words("qrImage", "an image, where one was asked for").optional()
}

fn validate(settings: &Settings) -> Route {
    let body = vec![
        aggregator(settings, "aggregatorId"),
        transaction_ref(),
        auth_data(),
        mobile_number(),
        need_image(),
        channel(),
        user(),
        risk_control_data(),
    ];
    iqr_route(settings, Endpoint::ValidateCard, VALIDATE_CARD_PATH, BodyShape::Fields(body), Vec::new())
}

fn request(settings: &Settings) -> Route {
    let without = vec![
        aggregator(settings, "aggregatorID"),
        transaction_ref(),
        auth_data(),
        mobile_number(),
        Field::text("otp", "the customer's one-time password").secret().optional(),
        need_image(),
        channel(),
        user(),
        risk_control_data(),
    ];
    let most = i64::from(settings.iqr.bulk_quantity_max);
    let with = vec![
        aggregator(settings, "aggregatorID"),
        transaction_ref(),
        Field::new(QUANTITY, Kind::Whole { least: 1, most }, "how many; makes the request one in bulk"),
        channel(),
    ];
    let iqr = Kind::List(Box::new(Kind::Object(vec![qr_id(), qr_ref()])));
    let given = vec![
        qr_id().optional(),
        qr_ref().optional(),
        image(),
        Field::new("iqrs", iqr, "in bulk: all of them, unassigned").optional(),
    ];
    let body = BodyShape::ByField { name: QUANTITY, with, without };
    iqr_route(settings, Endpoint::RequestIqr, REQUEST_PATH, body, given)
}

fn link(settings: &Settings) -> Route {
    let body = vec![
        aggregator(settings, "aggregatorId"),
        transaction_ref(),
        qr_id(),
        mobile_number(),
        qr_ref(),
        channel(),
        need_image(),
        Field::new("operator", Kind::OpenObject(Vec::new()), "an object whose format is not shown").secret().optional(),
        risk_control_data(),
    ];
    let given = vec![qr_id(), qr_ref(), image()];
    iqr_route(settings, Endpoint::LinkIqr, LINK_PATH, BodyShape::Fields(body), given)
}

fn reference(settings: &Settings) -> Route {
    let body = vec![
        aggregator(settings, "aggregatorId"),
        transaction_ref(),
        mobile_number(),
        qr_id(),
        Field::formed("panLast4Digits", Form::Digits, 4, 4, "the last four digits of the card's number").secret(),
        channel(),
        user(),
        risk_control_data(),
    ];
    let linked = Field::flag("linked", "whether it belongs to a customer");
    iqr_route(
        settings,
        Endpoint::IqrReference,
        REFERENCE_PATH,
        BodyShape::Fields(body),
        vec![qr_id(), qr_ref(), linked],
    )
}
