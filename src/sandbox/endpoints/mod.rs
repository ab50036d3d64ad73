//! What each endpoint does with a request that fits its route, and what it answers. Knows nothing of sockets, tokens or faults.

mod bill;
mod iqr;
mod lending;
mod money;

use axum::body::Bytes;
use serde_json::{Map, Value, json};

use super::store::{Refusal, State};
use super::contract::{Endpoint, Given, RefusalShape, Route};

pub use lending::REFERENCE_HEADER;

/// A request that has been read.
pub(crate) struct Asked<'a> {
    pub given: &'a Given,
    /// The query, as it came: for E3, which reads it by itself.
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
    fn ok(fields: Map<String, Value>) -> Self {
        Answer { status: 200, body: Bytes::from(Value::Object(fields).to_string()), header: None }
    }
}

/// Carries out a request.
pub(crate) fn answer(state: &State, route: &Route, asked: &Asked<'_>) -> Answer {
    let answered = match route.endpoint {
        Endpoint::GetOffers => lending::get_offers(state, asked),
        Endpoint::TransactionRecords => lending::transaction_records(state, asked),
        Endpoint::SendOffers => lending::send_offers(state, asked),
        Endpoint::AcceptOffer => lending::accept_offer(state, asked),
        Endpoint::VerifyAccount => lending::verify_account(state, asked),
        Endpoint::SendSms => lending::send_sms(state, asked),
        Endpoint::FundLoan => money::fund(state, asked),
        Endpoint::DebitCustomer => money::debit(state, asked),
        Endpoint::Requery => money::requery(state, asked),
        Endpoint::ValidateCard => iqr::validate(state, asked),
        Endpoint::RequestIqr => iqr::request(state, asked),
        Endpoint::LinkIqr => iqr::link(state, asked),
        Endpoint::IqrReference => iqr::reference(state, asked),
        Endpoint::CreateBill => bill::create(state, asked),
        Endpoint::PaymentStatus => bill::status(state, asked),
    };
    answered.unwrap_or_else(|refusal| refused(&route.refusal, &refusal))
}

/// A refusal, in the words of its endpoint. The codes are the sandbox's own: the interface shows none.
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

/// Success in the lending service's words.
fn words(state: &State, message: &str) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("responseCode".to_owned(), Value::from(state.config().settings.success_code.clone()));
    fields.insert("responseMessage".to_owned(), Value::from(message));
    fields
}

/// Adds a field. Dots in a name that is a setting lead inwards, from object to object, as the client reads them.
/// Without a name there is no field.
fn put(fields: &mut Map<String, Value>, name: &str, value: impl Into<Value>) {
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
