//! The endpoints of the sandbox over HTTP. Knows nothing of sockets: the router is a value.

use axum::body::Body;
use axum::extract::{Path, Query, RawQuery, Request, State as Shared};
use axum::http::{HeaderName, HeaderValue, Response, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::json;

use super::{OfferRequest, State, faults};
use crate::wire::lending::OFFERS_PATH;
use crate::wire::{GET_OFFERS_PATH, ListedOffer, OffersReply, ReceivedOffers, TRANSACTION_RECORDS_PATH};

/// The response header in which E1 names the reference of the offer request. The real provider hands it to the lender
/// in a way that the interface does not show.
pub const REFERENCE_HEADER: &str = "x-offer-request-reference";

type Reply = Response<Body>;
type Pairs = Query<Vec<(String, String)>>;

/// The sandbox as a service.
pub fn router(state: State) -> Router {
    let offers = get(get_offers).layer(from_fn_with_state(state.clone(), faulty_get_offers));
    let records = get(transaction_records).layer(from_fn_with_state(state.clone(), faulty_transaction_records));
    let send = post(send_offers).layer(from_fn_with_state(state.clone(), faulty_send_offers));
    let interface = Router::new()
        .route(&format!("/{GET_OFFERS_PATH}"), offers)
        .route(&format!("/{TRANSACTION_RECORDS_PATH}/{{reference}}"), records)
        .route(&format!("/{OFFERS_PATH}/{{segment}}/send-offers"), send)
        .route_layer(from_fn_with_state(state.clone(), authenticate));
    Router::new()
        .route("/sandbox/people", get(|Shared(state): Shared<State>| async move { Json(state.people().to_vec()) }))
        .route("/sandbox/requests", get(|Shared(state): Shared<State>| async move { Json(state.requests()) }))
        .route("/sandbox/received", get(|Shared(state): Shared<State>| async move { Json(state.received()) }))
        .merge(interface)
        .fallback(|| async { refuse(StatusCode::NOT_FOUND, "S404", "no such endpoint in the sandbox") })
        .with_state(state)
}

fn refuse(status: StatusCode, code: &str, message: &str) -> Reply {
    (status, Json(json!({ "responseCode": code, "responseMessage": message }))).into_response()
}

async fn authenticate(Shared(state): Shared<State>, request: Request, next: Next) -> Reply {
    let given = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    match given.and_then(|text| text.strip_prefix("Bearer ")) {
        Some(token) if state.config().token.matches(token) => next.run(request).await,
        _ => {
            let mut reply = refuse(StatusCode::UNAUTHORIZED, "S401", "the access token is missing or wrong");
            reply.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            reply
        }
    }
}

async fn faulty_get_offers(Shared(state): Shared<State>, request: Request, next: Next) -> Reply {
    faults::apply(state.config().faults.get_offers.as_ref(), &state.counters().get_offers, request, next).await
}

async fn faulty_transaction_records(Shared(state): Shared<State>, request: Request, next: Next) -> Reply {
    let fault = state.config().faults.transaction_records.as_ref();
    faults::apply(fault, &state.counters().transaction_records, request, next).await
}

async fn faulty_send_offers(Shared(state): Shared<State>, request: Request, next: Next) -> Reply {
    faults::apply(state.config().faults.send_offers.as_ref(), &state.counters().send_offers, request, next).await
}

/// E1: the customer asks. The lender's offers come later, so that the list is empty until E3 has been called.
async fn get_offers(Shared(state): Shared<State>, Query(pairs): Pairs) -> Reply {
    let request = match read_request(&state, &pairs) {
        Ok(request) => state.request(request),
        Err((status, code, message)) => return refuse(status, code, &message),
    };
    let offers = request.offers.iter().map(|offer| ListedOffer {
        offer_id: offer.offer_id.clone(),
        amount_offered: offer.amount_offered,
        interest: offer.interest,
        amount_payable: offer.amount_payable,
        tenure: i64::from(offer.tenure),
        expiry_date: offer.expiry_date.clone(),
        currency: offer.currency.clone(),
    });
    let response_message = match (request.answered, request.offers.is_empty()) {
        (false, _) => "Offers will be sent to the customer",
        (true, true) => "No offer",
        (true, false) => "Successful",
    };
    let reply = OffersReply {
        response_code: state.config().settings.success_code.clone(),
        response_message: response_message.to_owned(),
        offers: offers.collect(),
    };
    let mut reply = Json(reply).into_response();
    if let Ok(reference) = HeaderValue::from_str(&request.reference) {
        reply.headers_mut().insert(HeaderName::from_static(REFERENCE_HEADER), reference);
    }
    reply
}

type Refusal = (StatusCode, &'static str, String);

fn read_request(state: &State, pairs: &[(String, String)]) -> Result<OfferRequest, Refusal> {
    const NAMES: [&str; 6] = ["customerId", "channelCode", "amount", "serviceType", "dateOfBirth", "providerCode"];
    let bad = |problem: String| (StatusCode::BAD_REQUEST, "S400", problem);
    if let Some((name, _)) = pairs.iter().find(|(name, _)| !NAMES.contains(&name.as_str())) {
        return Err(bad(format!("unknown parameter `{name}`")));
    }
    let text = |field: &str| {
        let mut found = pairs.iter().filter(|(name, value)| name == field && !value.is_empty());
        match (found.next(), found.next()) {
            (Some((_, value)), None) => Ok(value.clone()),
            _ => Err(bad(format!("`{field}` must be given once"))),
        }
    };
    let amount = text("amount")?.parse().ok().filter(|amount| *amount > 0);
    let amount = amount.ok_or_else(|| bad("`amount` is not a whole number above zero".to_owned()))?;
    if text("providerCode")? != state.config().settings.provider_code {
        return Err(bad("`providerCode` is not the lender's".to_owned()));
    }
    let (customer_id, born) = (text("customerId")?, text("dateOfBirth")?);
    let (channel_code, service_type) = (text("channelCode")?, text("serviceType")?);
    if !state.people().iter().any(|person| person.customer_id == customer_id && person.date_of_birth == born) {
        return Err((StatusCode::NOT_FOUND, "S404", "no customer with this `customerId` and `dateOfBirth`".to_owned()));
    }
    let (reference, answered, offers) = Default::default();
    Ok(OfferRequest { reference, customer_id, channel_code, amount, service_type, answered, offers })
}

/// E2: the statement behind an offer request, or one page of it.
async fn transaction_records(
    Shared(state): Shared<State>,
    Path(reference): Path<String>,
    Query(pairs): Pairs,
) -> Reply {
    let failed = |status: StatusCode, message: &str| {
        (status, Json(json!({ "_id": "", "status": "failed", "message": message, "data": null }))).into_response()
    };
    let page_parameter = &state.config().settings.records.page_parameter;
    let mut page = 1_usize;
    for (name, value) in &pairs {
        match name.as_str() {
            "offerRequestReference" if *value == reference => {}
            name if name == page_parameter => match value.parse() {
                Ok(number) => page = number,
                Err(_) => return failed(StatusCode::BAD_REQUEST, "the page is not a number"),
            },
            _ => {
                return failed(StatusCode::BAD_REQUEST, "a parameter is unknown, or differs from the path");
            }
        }
    }
    if !pairs.iter().any(|(name, _)| name == "offerRequestReference") {
        return failed(StatusCode::BAD_REQUEST, "`offerRequestReference` is missing");
    }
    match state.statement(&reference) {
        None => failed(StatusCode::NOT_FOUND, "no offer request with this reference"),
        Some(Err(_)) => failed(StatusCode::INTERNAL_SERVER_ERROR, "the statement made for this person is no statement"),
        Some(Ok(pages)) => match page.checked_sub(1).and_then(|index| pages.get(index)) {
            Some(body) => ([(header::CONTENT_TYPE, "application/json")], body.clone()).into_response(),
            None => failed(StatusCode::NOT_FOUND, "no such page"),
        },
    }
}

/// E3: the lender's answer.
async fn send_offers(
    Shared(state): Shared<State>,
    Path(segment): Path<String>,
    Query(pairs): Pairs,
    RawQuery(query): RawQuery,
) -> Reply {
    let settings = &state.config().settings;
    let answer = match ReceivedOffers::read(&segment, &pairs, settings) {
        Ok(answer) => answer,
        Err(problem) => return refuse(StatusCode::BAD_REQUEST, "S400", &problem.to_string()),
    };
    if answer.provider_code != settings.provider_code {
        return refuse(StatusCode::BAD_REQUEST, "S400", "`providerCode` is not the lender's");
    }
    let message = match answer.offers.is_empty() {
        true => "The customer will be notified",
        false => "Offers will be sent to the customer",
    };
    if !state.receive(&query.unwrap_or_default(), answer) {
        return refuse(StatusCode::NOT_FOUND, "S404", "no offer request with this reference");
    }
    Json(json!({ "responseCode": settings.success_code, "responseMessage": message })).into_response()
}
