//! I1 to I5. The interface does not show which fields are required. Here those are required without which a call has no
//! meaning.

use super::base::{response_code_field, route_with_defaults};
use crate::provider::sandbox::contract::{
    Accept, BodyShape, ContractField, Endpoint, FieldKind, Form, RefusalShape, Route,
};
use crate::provider::wire::iqr::{LINK_PATH, REFERENCE_PATH, REQUEST_PATH, VALIDATE_CARD_PATH};
use crate::provider::wire::{Method, Settings};

/// The field that marks a request in bulk.
const QUANTITY: &str = "quantity";

pub(super) fn iqr_routes_of(settings: &Settings) -> Vec<Route> {
    vec![
        validate_card_route(settings),
        request_iqr_route(settings),
        link_iqr_route(settings),
        iqr_reference_route(settings),
    ]
}

fn iqr_route(settings: &Settings, endpoint: Endpoint, path: &str, body: BodyShape, given: Vec<ContractField>) -> Route {
    let names = &settings.iqr;
    let mut reply =
        vec![response_code_field(&names.code_field), ContractField::words(&names.message_field, "in words")];
    reply.push(ContractField::text("transactionRef", "as in the request"));
    reply.extend(given);
    let refusal = RefusalShape::Code { code: names.code_field.clone(), message: names.message_field.clone() };
    let accept = match endpoint {
        Endpoint::LinkIqr | Endpoint::IqrReference => Accept::Shown,
        // I3 shows it; I2, at the same path, does not.
        Endpoint::RequestIqr => Accept::ShownWith(QUANTITY),
        _ => Accept::NotShown,
    };
    Route { body, reply, refusal, accept, ..route_with_defaults(endpoint, Method::Post, path) }
}

/// The aggregator, in the call's own spelling. Without the setting the sandbox accepts any.
fn aggregator_id_field(settings: &Settings, name: &str) -> ContractField {
    let about = "the aggregator; its spelling differs between calls";
    match settings.iqr.aggregator_id.as_str() {
        "" => ContractField::text(name, about),
        id => ContractField::new(name, FieldKind::OneOf(vec![id.to_owned()]), about),
    }
}

fn transaction_ref() -> ContractField {
    ContractField::text("transactionRef", "the caller's reference; a repeated one gets the same answer")
}

fn auth_data() -> ContractField {
    ContractField::formed("authData", Form::Free, 1, 8_000, "the card, encrypted by the caller").secret()
}

fn mobile_number() -> ContractField {
    ContractField::formed("mobileNumber", Form::Visible, 1, 20, "the customer's telephone number").secret().optional()
}

fn need_image() -> ContractField {
    ContractField::flag("needImage", "whether an image is wanted").optional()
}

fn channel_name_field() -> ContractField {
    ContractField::text("channel", "such as API, USSD, WEB").optional()
}

fn user_details_field() -> ContractField {
    let of_user = |name| ContractField::text(name, "about the user").optional();
    let fields = vec![
        of_user("userID"),
        of_user("firstName"),
        of_user("lastName"),
        of_user("bvn").secret(),
        of_user("nin").secret(),
    ];
    ContractField::object("user", fields, "whom it is for").optional()
}

fn risk_control_data() -> ContractField {
    let place = ["longitude", "latitude"].map(|name| ContractField::text(name, "in degrees").optional());
    let fields = vec![
        ContractField::text("operatorID", "who operates").optional(),
        ContractField::object("currentLocation", place.into(), "where").optional(),
        ContractField::text("ipAddress", "from which address").optional(),
    ];
    ContractField::object("riskControlData", fields, "data for risk control").optional()
}

fn qr_id() -> ContractField {
    ContractField::text("qrId", "identifies the iQR")
}

fn qr_ref() -> ContractField {
    ContractField::text("qrRef", "the iQR's reference")
}

fn iqr_image_field() -> ContractField {
    ContractField::words("qrImage", "an image, where one was asked for").optional()
}

fn validate_card_route(settings: &Settings) -> Route {
    let body = vec![
        aggregator_id_field(settings, "aggregatorId"),
        transaction_ref(),
        auth_data(),
        mobile_number(),
        need_image(),
        channel_name_field(),
        user_details_field(),
        risk_control_data(),
    ];
    iqr_route(settings, Endpoint::ValidateCard, VALIDATE_CARD_PATH, BodyShape::Fields(body), Vec::new())
}

fn request_iqr_route(settings: &Settings) -> Route {
    let without = vec![
        aggregator_id_field(settings, "aggregatorID"),
        transaction_ref(),
        auth_data(),
        mobile_number(),
        ContractField::text("otp", "the customer's one-time password").secret().optional(),
        need_image(),
        channel_name_field(),
        user_details_field(),
        risk_control_data(),
    ];
    let most = i64::from(settings.iqr.bulk_quantity_max);
    let with = vec![
        aggregator_id_field(settings, "aggregatorID"),
        transaction_ref(),
        ContractField::new(QUANTITY, FieldKind::Whole { least: 1, most }, "how many; makes the request one in bulk"),
        channel_name_field(),
    ];
    let iqr = FieldKind::List(Box::new(FieldKind::Object(vec![qr_id(), qr_ref()])));
    let given = vec![
        qr_id().optional(),
        qr_ref().optional(),
        iqr_image_field(),
        ContractField::new("iqrs", iqr, "in bulk: all of them, unassigned").optional(),
    ];
    let body = BodyShape::ByField { name: QUANTITY, with, without };
    iqr_route(settings, Endpoint::RequestIqr, REQUEST_PATH, body, given)
}

fn link_iqr_route(settings: &Settings) -> Route {
    let body = vec![
        aggregator_id_field(settings, "aggregatorId"),
        transaction_ref(),
        qr_id(),
        mobile_number(),
        qr_ref(),
        channel_name_field(),
        need_image(),
        ContractField::new("operator", FieldKind::OpenObject(Vec::new()), "an object whose format is not shown")
            .secret()
            .optional(),
        risk_control_data(),
    ];
    let given = vec![qr_id(), qr_ref(), iqr_image_field()];
    iqr_route(settings, Endpoint::LinkIqr, LINK_PATH, BodyShape::Fields(body), given)
}

fn iqr_reference_route(settings: &Settings) -> Route {
    let body = vec![
        aggregator_id_field(settings, "aggregatorId"),
        transaction_ref(),
        mobile_number(),
        qr_id(),
        ContractField::formed("panLast4Digits", Form::Digits, 4, 4, "the last four digits of the card's number")
            .secret(),
        channel_name_field(),
        user_details_field(),
        risk_control_data(),
    ];
    let linked = ContractField::flag("linked", "whether it belongs to a customer");
    iqr_route(
        settings,
        Endpoint::IqrReference,
        REFERENCE_PATH,
        BodyShape::Fields(body),
        vec![qr_id(), qr_ref(), linked],
    )
}
