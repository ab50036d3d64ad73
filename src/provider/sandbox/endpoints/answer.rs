//! A request as an endpoint gets it, and its answer. Knows nothing of any one endpoint.

use axum::body::Bytes;
use serde_json::{Map, Value, json};

use crate::provider::sandbox::contract::{Given, RefusalShape};
use crate::provider::sandbox::store::{Refusal, SandboxState};

/// A request that has been read.
pub(crate) struct EndpointRequest<'a> {
    pub given: &'a Given,
    /// The query as it came, for E3, which reads it itself.
    pub pairs: &'a [(String, String)],
    pub raw_query: &'a str,
}

/// An answer with a JSON body.
#[derive(Debug, Clone)]
pub(crate) struct EndpointAnswer {
    pub status: u16,
    pub body: Bytes,
    pub header: Option<(&'static str, String)>,
}

impl EndpointAnswer {
    pub(super) fn ok(fields: Map<String, Value>) -> Self {
        EndpointAnswer { status: 200, body: Bytes::from(Value::Object(fields).to_string()), header: None }
    }
}

/// A refusal in its endpoint's format. The codes are the sandbox's own, because the interface shows none.
pub(crate) fn refusal_answer(shape: &RefusalShape, refusal: &Refusal) -> EndpointAnswer {
    let body = match shape {
        RefusalShape::Envelope => json!({ "_id": "", "status": "failed", "message": refusal.message, "data": null }),
        RefusalShape::Code { code, message } => {
            let mut fields = Map::new();
            put_answer_field(&mut fields, code, format!("S{}", refusal.status));
            put_answer_field(&mut fields, message, refusal.message.clone());
            Value::Object(fields)
        }
    };
    EndpointAnswer { status: refusal.status, body: Bytes::from(body.to_string()), header: None }
}

/// The fields of a success of the lending service.
pub(super) fn success_word_fields(state: &SandboxState, message: &str) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("responseCode".to_owned(), Value::from(state.config().settings.success_code.clone()));
    fields.insert("responseMessage".to_owned(), Value::from(message));
    fields
}

/// Adds a field. Dots in a name from the settings lead into nested objects, as the client reads them. A field without a
/// name is omitted.
pub(super) fn put_answer_field(fields: &mut Map<String, Value>, name: &str, value: impl Into<Value>) {
    match name.split_once('.') {
        _ if name.is_empty() => {}
        None => _ = fields.insert(name.to_owned(), value.into()),
        Some((outer, inner)) => {
            let object = fields.entry(outer).or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(object) = object {
                put_answer_field(object, inner, value);
            }
        }
    }
}
