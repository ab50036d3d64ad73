//! I1 to I5. The interface shows no answers: here they are a code, a message, and what the endpoints' names suggest.

use serde_json::{Map, Value, json};

use super::answer::{EndpointAnswer, EndpointRequest, put_answer_field};
use crate::provider::sandbox::store::{Iqr, IqrCall, Refusal, SandboxState};

/// A placeholder image: the interface does not show what a real one looks like.
const IMAGE: &str = concat!(
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 3 3'%3E",
    "%3Cpath d='M0 0h1v1H0zM2 0h1v1H2zM1 1h1v1H1zM0 2h1v1H0z'/%3E%3C/svg%3E"
);

fn iqr_success_fields(state: &SandboxState, asked: &EndpointRequest<'_>) -> Map<String, Value> {
    let names = &state.config().settings.iqr;
    let code = names.success_codes.first().cloned().unwrap_or_else(|| "00".to_owned());
    let mut fields = Map::new();
    put_answer_field(&mut fields, &names.code_field, code);
    put_answer_field(&mut fields, &names.message_field, "Successful");
    put_answer_field(&mut fields, "transactionRef", asked.given.in_body("transactionRef"));
    fields
}

fn carry_out_iqr_call(
    state: &SandboxState,
    asked: &EndpointRequest<'_>,
    call: &IqrCall<'_>,
) -> Result<Vec<Iqr>, Refusal> {
    state.iqr_call(call, asked.given.in_body("transactionRef"), asked.given.fingerprint())
}

fn put_one_iqr_fields(fields: &mut Map<String, Value>, asked: &EndpointRequest<'_>, iqr: Option<&Iqr>) {
    if let Some(iqr) = iqr {
        put_answer_field(fields, "qrId", iqr.qr_id.clone());
        put_answer_field(fields, "qrRef", iqr.qr_ref.clone());
    }
    if asked.given.flag("needImage") {
        put_answer_field(fields, "qrImage", IMAGE);
    }
}

/// I1: validates a card. Every card is valid, because the interface does not show how `authData` is encrypted.
pub(super) fn answer_validate_card(
    state: &SandboxState,
    asked: &EndpointRequest<'_>,
) -> Result<EndpointAnswer, Refusal> {
    carry_out_iqr_call(state, asked, &IqrCall::Validate)?;
    Ok(EndpointAnswer::ok(iqr_success_fields(state, asked)))
}

/// I2 and I3: one iQR for a customer, or several unassigned ones. `quantity` tells the two apart.
pub(super) fn answer_request_iqr(state: &SandboxState, asked: &EndpointRequest<'_>) -> Result<EndpointAnswer, Refusal> {
    let mut fields = iqr_success_fields(state, asked);
    if asked.given.has("quantity") {
        let iqrs = carry_out_iqr_call(state, asked, &IqrCall::Unassigned { quantity: asked.given.whole("quantity") })?;
        let listed: Vec<Value> =
            iqrs.into_iter().map(|iqr| json!({ "qrId": iqr.qr_id, "qrRef": iqr.qr_ref })).collect();
        put_answer_field(&mut fields, "iqrs", listed);
    } else {
        let mobile_number = asked.given.optional("mobileNumber");
        let iqrs = carry_out_iqr_call(state, asked, &IqrCall::ForCustomer { mobile_number })?;
        put_one_iqr_fields(&mut fields, asked, iqrs.first());
    }
    Ok(EndpointAnswer::ok(fields))
}

/// I4: links an unassigned iQR to a customer.
pub(super) fn answer_link_iqr(state: &SandboxState, asked: &EndpointRequest<'_>) -> Result<EndpointAnswer, Refusal> {
    let given = asked.given;
    let (qr_id, qr_ref) = (given.in_body("qrId"), given.in_body("qrRef"));
    let linked = carry_out_iqr_call(
        state,
        asked,
        &IqrCall::Link { qr_id, qr_ref, mobile_number: given.optional("mobileNumber") },
    )?;
    let mut fields = iqr_success_fields(state, asked);
    put_one_iqr_fields(&mut fields, asked, linked.first());
    Ok(EndpointAnswer::ok(fields))
}

/// I5: the reference of an iQR.
pub(super) fn answer_iqr_reference(
    state: &SandboxState,
    asked: &EndpointRequest<'_>,
) -> Result<EndpointAnswer, Refusal> {
    let iqr = state.iqr(asked.given.in_body("qrId"), asked.given.optional("mobileNumber"))?;
    let mut fields = iqr_success_fields(state, asked);
    put_one_iqr_fields(&mut fields, asked, Some(&iqr));
    put_answer_field(&mut fields, "linked", iqr.linked);
    Ok(EndpointAnswer::ok(fields))
}
