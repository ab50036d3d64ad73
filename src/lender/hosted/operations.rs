//! Health, metrics and the OpenAPI document. They need no password, and nothing in them is about a customer. Knows
//! nothing of loans.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderValue, Response, StatusCode, header};
use axum::routing::get;
use prometheus_client::encoding::text::encode;
use prometheus_client::registry::Registry;
use serde_json::json;
use utoipa::openapi::OpenApi;

use super::answer::json_response;
use super::conditions::RaisedCondition;
use super::openapi::hosted_openapi_document;
use super::pipeline::Hosted;

#[derive(Clone)]
struct Operations {
    hosted: Hosted,
    registry: Arc<Registry>,
    /// The OpenAPI document, made once.
    document: Arc<OpenApi>,
}

/// The routes of operations: `/health/live`, `/health/ready`, `/metrics` and `/openapi.json`.
pub fn operations_router(hosted: &Hosted, registry: Arc<Registry>) -> Router {
    let document = Arc::new(hosted_openapi_document(hosted.paths(), hosted.settings()));
    Router::new()
        .route("/health/live", get(answer_liveness))
        .route("/health/ready", get(answer_readiness))
        .route("/metrics", get(answer_metrics_text))
        .route("/openapi.json", get(answer_openapi_document))
        .with_state(Operations { hosted: hosted.clone(), registry, document })
}

/// The hosted endpoints and the routes of operations at one address.
pub fn with_operations(hosted: &Hosted, registry: Arc<Registry>) -> Router {
    operations_router(hosted, registry).fallback_service(hosted.router())
}

async fn answer_liveness() -> Response<Body> {
    json_response(StatusCode::OK, &json!({ "live": true }))
}

async fn answer_readiness(State(operations_router): State<Operations>) -> Response<Body> {
    let raised = operations_router.hosted.conditions().list_raised();
    let is_ready = !raised.iter().any(|raised| raised.condition.is_fatal());
    let status = if is_ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let conditions: Vec<_> = raised.iter().map(describe_raised_condition).collect();
    json_response(status, &json!({ "ready": is_ready, "conditions": conditions }))
}

fn describe_raised_condition(raised: &RaisedCondition) -> serde_json::Value {
    let condition = raised.condition;
    json!({
        "name": condition.name(), "fatal": condition.is_fatal(), "seconds": raised.since.elapsed().as_secs(),
        "means": condition.in_words(),
    })
}

async fn answer_metrics_text(State(operations_router): State<Operations>) -> Response<Body> {
    let mut text = String::new();
    // Writing into a text cannot fail.
    let _ = encode(&mut text, &operations_router.registry);
    let mut response = Response::new(Body::from(text));
    let kind = HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

async fn answer_openapi_document(State(operations_router): State<Operations>) -> Response<Body> {
    json_response(StatusCode::OK, operations_router.document.as_ref())
}
