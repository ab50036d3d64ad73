//! The OpenAPI document of the interface as the sandbox serves it, made from its table of endpoints. It depends on the
//! settings. Knows nothing of what an endpoint does.

mod schema;

use std::collections::BTreeMap;

use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::path::{OperationBuilder, ParameterBuilder, ParameterIn, PathItem, PathItemBuilder};
use utoipa::openapi::request_body::{RequestBody, RequestBodyBuilder};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    ComponentsBuilder, ContentBuilder, HttpMethod, InfoBuilder, OneOfBuilder, OpenApi, OpenApiBuilder, PathsBuilder,
    Ref, RefOr, Required, Response, ResponseBuilder, Responses, ResponsesBuilder, Schema,
};

use schema::{field_kind_schema, object_schema_of, refusal_schema_name, refusal_schema_of};

use super::contract::{
    Accept, BodyShape, ContractField, Endpoint, LenderCall, RefusalShape, Route, lender_calls, list_interface_routes,
};
use super::endpoints::REFERENCE_HEADER;
use crate::provider::wire::{Method, Settings};

const JSON: &str = "application/json";
const TOKEN: &str = "token";

/// The document for a sandbox with these settings.
pub fn sandbox_openapi_document(settings: &Settings) -> OpenApi {
    let info = InfoBuilder::new()
        .title("The lending, iQR and Pay Bill interface, simulated")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(
            "The interface as lendwright's sandbox serves it. Whatever the interface does not show is a setting.",
        ))
        .build();
    let (all, plain) = (list_interface_routes(settings), RefusalShape::lending());
    let mut paths = PathsBuilder::new();
    for route in &all {
        let item =
            PathItemBuilder::new().operation(openapi_http_method(route.method), operation_of_route(route)).build();
        paths = paths.path(format!("/{}", route.template), item);
    }
    let scheme = SecurityScheme::Http(HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build());
    let refusals = all
        .iter()
        .flat_map(|route| [&route.refusal, &plain])
        .map(|shape| (refusal_schema_name(shape), refusal_schema_of(shape)));
    let components = refusals.fold(ComponentsBuilder::new().security_scheme(TOKEN, scheme), |known, (name, schema)| {
        known.schema(name, schema)
    });
    let webhooks: BTreeMap<&str, PathItem> =
        lender_calls(settings).iter().map(|call| (call.name, lender_call_path_item(call))).collect();
    let mut document =
        OpenApiBuilder::new().info(info).paths(paths.build()).components(Some(components.build())).build();
    // OpenAPI 3.1 has a place for webhooks that the library does not support.
    let webhooks = serde_json::to_value(webhooks).unwrap_or_default();
    document.extensions = Some(Extensions::from_iter([("webhooks", webhooks)]));
    document
}

fn openapi_http_method(method: Method) -> HttpMethod {
    match method {
        Method::Get => HttpMethod::Get,
        Method::Post => HttpMethod::Post,
    }
}

/// A call of the sandbox to the lender.
fn lender_call_path_item(call: &LenderCall) -> PathItem {
    let mut operation = OperationBuilder::new()
        .operation_id(Some(call.name))
        .summary(Some(call.about))
        .description(Some(format!("{} {{lender_url}}/{}", call.method.as_str(), call.template)))
        .response("200", json_schema_response("taken", object_schema_of(&call.reply, true)));
    operation = add_field_parameters(operation, &ParameterIn::Query, &call.query);
    operation = add_field_parameters(operation, &ParameterIn::Header, &call.headers);
    if !call.body.is_empty() {
        operation = operation.request_body(Some(json_body(RefOr::T(object_schema_of(&call.body, false)))));
    }
    PathItemBuilder::new().operation(openapi_http_method(call.method), operation).build()
}

fn add_field_parameters(
    operation: OperationBuilder,
    place: &ParameterIn,
    fields: &[ContractField],
) -> OperationBuilder {
    fields.iter().fold(operation, |operation, field| {
        let required = if field.required { Required::True } else { Required::False };
        let parameter = ParameterBuilder::new()
            .name(&field.name)
            .parameter_in(place.clone())
            .required(required)
            .description(Some(field.about))
            .schema(Some(field_kind_schema(&field.kind, "")));
        operation.parameter(parameter)
    })
}

fn json_body(schema: RefOr<Schema>) -> RequestBody {
    let content = ContentBuilder::new().schema(Some(schema)).build();
    RequestBodyBuilder::new().content(JSON, content).required(Some(Required::True)).build()
}

fn operation_of_route(route: &Route) -> OperationBuilder {
    let mut operation = OperationBuilder::new()
        .operation_id(Some(route.endpoint.name()))
        .summary(Some(route.endpoint.about()))
        .responses(responses_of_route(route));
    operation = add_field_parameters(operation, &ParameterIn::Path, &route.path);
    operation = add_field_parameters(operation, &ParameterIn::Query, &route.query);
    if route.names_type {
        operation =
            operation.description(Some("Requires the header `content-type: application/json`, without a body."));
    }
    let body = match &route.body {
        BodyShape::None => None,
        BodyShape::Fields(fields) => Some(RefOr::T(object_schema_of(fields, false))),
        BodyShape::ByField { with, without, .. } => {
            let forms = [without, with].map(|fields| object_schema_of(fields, false));
            let either = forms.into_iter().fold(OneOfBuilder::new(), OneOfBuilder::item);
            Some(RefOr::T(Schema::OneOf(either.build())))
        }
    };
    if let Some(schema) = body {
        operation = operation.request_body(Some(json_body(schema)));
    }
    match route.bearer {
        true => operation.security(SecurityRequirement::new(TOKEN, Vec::<String>::new())),
        false => operation,
    }
}

fn responses_of_route(route: &Route) -> Responses {
    let done = json_schema_response("done", object_schema_of(&route.reply, false));
    let done = match route.endpoint {
        Endpoint::GetOffers => with_header(done, REFERENCE_HEADER, "the reference of the offer request"),
        _ => done,
    };
    let mut responses = ResponsesBuilder::new().response("200", done);
    for status in refusal_statuses_of(route) {
        // The token is checked before the request is read.
        let name = match (&route.refusal, status) {
            (RefusalShape::Envelope, 401) => refusal_schema_name(&RefusalShape::lending()),
            (shape, _) => refusal_schema_name(shape),
        };
        let refused = json_schema_response(describe_status_code(status), Ref::from_schema_name(name));
        let refused = match status {
            405 => with_header(refused, "allow", "the method of the endpoint"),
            _ => refused,
        };
        responses = responses.response(status.to_string(), refused);
    }
    responses.build()
}

fn json_schema_response(words: &str, schema: impl Into<RefOr<Schema>>) -> Response {
    let content = ContentBuilder::new().schema(Some(schema)).build();
    ResponseBuilder::new().description(words).content(JSON, content).build()
}

fn with_header(mut response: Response, name: &str, about: &str) -> Response {
    response.headers.insert(name.to_owned(), HeaderBuilder::new().description(Some(about)).build().into());
    response
}

/// The statuses of an endpoint's refusals.
fn refusal_statuses_of(route: &Route) -> Vec<u16> {
    let mut statuses = vec![400];
    let is_made = route.endpoint == Endpoint::TransactionRecords;
    let accept = route.accept != Accept::NotShown;
    let repeats = matches!(
        route.endpoint,
        Endpoint::SendOffers
            | Endpoint::AcceptOffer
            | Endpoint::FundLoan
            | Endpoint::DebitCustomer
            | Endpoint::ValidateCard
            | Endpoint::RequestIqr
            | Endpoint::LinkIqr
            | Endpoint::CreateBill
            | Endpoint::PaymentStatus
    );
    let always_finds = matches!(route.endpoint, Endpoint::ValidateCard | Endpoint::RequestIqr | Endpoint::CreateBill);
    let others = [
        (401, route.bearer),
        (404, !always_finds),
        (405, true),
        (406, accept),
        (409, repeats),
        (413, true),
        (415, route.is_typed()),
        (500, is_made),
    ];
    statuses.extend(others.into_iter().filter(|(_, may)| *may).map(|(status, _)| status));
    statuses
}

fn describe_status_code(status: u16) -> &'static str {
    match status {
        400 => "the request does not match the interface",
        401 => "the access token is missing or wrong",
        404 => "not found",
        405 => "the endpoint does not have this method",
        406 => "the header `accept` is missing, or does not allow application/json",
        409 => "the current state does not allow it",
        413 => "the body is larger than 1 MB, or broke off",
        500 => "the statement made for this person is invalid",
        _ => "the content type is not application/json",
    }
}
