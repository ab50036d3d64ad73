//! A request as an endpoint gets it, and its answer. Knows nothing of any one endpoint.

use axum::body::Bytes;
use serde_json::{Map, Value, json};

use crate::provider::sandbox::contract::{Given, RefusalShape};
use crate::provider::sandbox::store::{Refusal, State};

/// A request that has been read.
pub(crate) struct Asked<'a> {
    pub given: &'a Given,
    /// The query as it came, for E3, which reads it itself.
    pub pairs: &'a [(String, String)],
    pub raw_query: &'a str,
}

/// An answer with a JSON body.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub status: u16,
    pub body: Bytes,
    pub header: Option<(&'static str, String)>,
}

impl Answer {
    pub(super) fn ok(fields: Map<String, Value>) -> Self {
        Answer { status: 200, body: Bytes::from(Value::Object(fields).to_string()), header: None }
    }
}

/// A refusal in its endpoint's format. The codes are the sandbox's own, because the interface shows none.
pub(crate) fn refused(shape: &RefusalShape, refusal: &Refusal) -> Answer {
    let body = match shape {
        RefusalShape::Envelope => json!({ "_id": "", "status": "failed", "message": refusal.message, "data": null }),
        RefusalShape::Code { code, message } => {
            let mut fields = Map::new();
            put(&mut fields, code, format!("S{}", refusal.status));
            put(&mut fields, message, refusal.message.clone());
            Value::Object(fields)
        }
    };
    Answer { status: refusal.status, body: Bytes::from(body.to_string()), header: None }
}

/// The fields of a success of the lending service.
pub(super) fn words(state: &State, message: &str) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("responseCode".to_owned(), Value::from(state.config().settings.success_code.clone()));
    fields.insert("responseMessage".to_owned(), Value::from(message));
    fields
}

/// Adds a field. Dots in a name from the settings lead into nested objects, as the client reads them. A field without a
/// name is omitted.
pub(super) fn put(fields: &mut Map<String, Value>, name: &str, value: impl Into<Value>) {
    match name.split_once('.') {
        _ if name.is_empty() => {}
        None => _ = fields.insert(name.to_owned(), value.into()),
        Some((outer, inner)) => {
            let object = fields.entry(outer).or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(object) = object {
                put(object, inner, value);
            }
        }
    }
}
