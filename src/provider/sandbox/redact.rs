//! Redacts requests and answers: only known fields that are not secret are shown. Knows nothing of where they are
//! shown. The client redacts its requests in `wire/body.rs` and its errors in `client/exchange.rs`.

use axum::body::Bytes;
use serde_json::{Map, Value};

use super::contract::{ContractField, FieldKind, Route, form_fields};

const SECRET: &str = "[secret]";
/// How much of a body is kept.
const SHOWN_BYTES: usize = 4_000;

/// The query with secrets and unknown parameters redacted.
pub(crate) fn redact_query(route: &Route, pairs: &[(String, String)]) -> String {
    let shown = |(name, value): &(String, String)| {
        let is_known = route.parameter(name).is_some_and(|field| !field.secret);
        format!("{name}={}", if is_known { value } else { SECRET })
    };
    let text = pairs.iter().map(shown).collect::<Vec<_>>().join("&");
    shorten_shown_text(text.as_bytes())
}

/// The body of a request. One that is not an object is not shown at all, because its content is unknown.
pub(crate) fn redact_request_body(route: &Route, bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return String::new();
    }
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(object)) => {
            let fields = form_fields(&route.body, |name| object.contains_key(name));
            shorten_shown_text(&pretty_json_bytes(&Value::Object(redact_secret_fields(fields, object))))
        }
        _ => format!("[{} bytes that are not a JSON object]", bytes.len()),
    }
}

/// The beginning of an answer. The sandbox puts no secrets into its answers.
pub(crate) fn excerpt_of_answer(bytes: &Bytes) -> String {
    match bytes.len() <= SHOWN_BYTES {
        true => serde_json::from_slice(bytes)
            .map_or_else(|_| shorten_shown_text(bytes), |value: Value| shorten_shown_text(&pretty_json_bytes(&value))),
        false => shorten_shown_text(bytes),
    }
}

fn redact_secret_fields(fields: &[ContractField], object: Map<String, Value>) -> Map<String, Value> {
    let one = |(name, value): (String, Value)| {
        let field = fields.iter().find(|field| field.name == name);
        let shown = match (field, value) {
            (Some(field), _) if field.secret => Value::from(SECRET),
            (Some(ContractField { kind: FieldKind::Object(inner), .. }), Value::Object(object)) => {
                Value::Object(redact_secret_fields(inner, object))
            }
            // Unknown fields of an open object are redacted.
            (Some(ContractField { kind: FieldKind::OpenObject(inner), .. }), Value::Object(object)) => {
                Value::Object(redact_secret_fields(inner, object))
            }
            (Some(_), value @ (Value::String(_) | Value::Number(_) | Value::Bool(_))) => value,
            // A field with a misspelt name may hold a secret.
            _ => Value::from(SECRET),
        };
        (name, shown)
    };
    object.into_iter().map(one).collect()
}

fn pretty_json_bytes(value: &Value) -> Vec<u8> {
    serde_json::to_vec_pretty(value).unwrap_or_default()
}

fn shorten_shown_text(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes.get(..SHOWN_BYTES).unwrap_or(bytes)).into_owned();
    if bytes.len() > SHOWN_BYTES { format!("{text}\n… {} bytes in all", bytes.len()) } else { text }
}
