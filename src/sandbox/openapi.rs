//! The OpenAPI document of the interface as the sandbox speaks it, made from its table of endpoints: with other settings it is another
//! document. Knows nothing of what an endpoint does.

use utoipa::openapi::path::{OperationBuilder, ParameterBuilder, ParameterIn, PathItemBuilder};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{AdditionalProperties, KnownFormat, SchemaFormat, Type};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    ArrayBuilder, ComponentsBuilder, ContentBuilder, HttpMethod, InfoBuilder, ObjectBuilder, OneOfBuilder, OpenApi,
    OpenApiBuilder, PathsBuilder, Ref, RefOr, Required, ResponseBuilder, ResponsesBuilder, Schema,
};

use super::shape::{Accept, BodyShape, Endpoint, Field, Form, Kind, RefusalShape, Route, routes};
use crate::wire::{Method, Settings};

const JSON: &str = "application/json";
const TOKEN: &str = "token";

/// The document for a sandbox with these settings.
pub fn document(settings: &Settings) -> OpenApi {
    let info = InfoBuilder::new()
        .title("The lending, iQR and Pay Bill interface, simulated")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(
            "What the sandbox of lendwright speaks. What the interface does not show is as its settings say.",
        ))
        .build();
    let (all, plain) = (routes(settings), RefusalShape::lending());
    let mut paths = PathsBuilder::new();
    for route in &all {
        let method = match route.method {
            Method::Get => HttpMethod::Get,
            Method::Post => HttpMethod::Post,
        };
        let item = PathItemBuilder::new().operation(method, operation(route)).build();
        paths = paths.path(format!("/{}", route.template), item);
    }
    let scheme = SecurityScheme::Http(HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build());
    let refusals = all.iter().flat_map(|route| [&route.refusal, &plain]).map(|shape| (named(shape), refused(shape)));
    let components = refusals.fold(ComponentsBuilder::new().security_scheme(TOKEN, scheme), |known, (name, schema)| {
        known.schema(name, schema)
    });
    OpenApiBuilder::new().info(info).paths(paths.build()).components(Some(components.build())).build()
}

fn operation(route: &Route) -> OperationBuilder {
    let mut operation = OperationBuilder::new()
        .operation_id(Some(route.endpoint.name()))
        .summary(Some(route.endpoint.about()))
        .responses(responses(route));
    let places = [(ParameterIn::Path, &route.path), (ParameterIn::Query, &route.query)];
    for (place, field) in places.iter().flat_map(|(place, fields)| fields.iter().map(move |field| (place, field))) {
        let required = if field.required { Required::True } else { Required::False };
        let parameter = ParameterBuilder::new()
            .name(&field.name)
            .parameter_in(place.clone())
            .required(required)
            .description(Some(field.about))
            .schema(Some(schema(&field.kind, "")));
        operation = operation.parameter(parameter);
    }
    let body = match &route.body {
        BodyShape::None => None,
        BodyShape::Fields(fields) => Some(RefOr::T(object(fields, false))),
        BodyShape::ToldBy { with, without, .. } => {
            let forms = [without, with].map(|fields| object(fields, false));
            let either = forms.into_iter().fold(OneOfBuilder::new(), OneOfBuilder::item);
            Some(RefOr::T(Schema::OneOf(either.build())))
        }
    };
    if let Some(schema) = body {
        let content = ContentBuilder::new().schema(Some(schema)).build();
        let body = RequestBodyBuilder::new().content(JSON, content).required(Some(Required::True)).build();
        operation = operation.request_body(Some(body));
    }
    match route.bearer {
        true => operation.security(SecurityRequirement::new(TOKEN, Vec::<String>::new())),
        false => operation,
    }
}

fn responses(route: &Route) -> utoipa::openapi::Responses {
    let mut responses = ResponsesBuilder::new().response("200", response("done", object(&route.reply, false)));
    for status in refusals(route) {
        // A token is refused before anyone looks at what is asked for.
        let name = match (&route.refusal, status) {
            (RefusalShape::Envelope, 401) => named(&RefusalShape::lending()),
            (shape, _) => named(shape),
        };
        responses = responses.response(status.to_string(), response(about(status), Ref::from_schema_name(name)));
    }
    responses.build()
}

fn response(words: &str, schema: impl Into<RefOr<Schema>>) -> utoipa::openapi::Response {
    let content = ContentBuilder::new().schema(Some(schema)).build();
    ResponseBuilder::new().description(words).content(JSON, content).build()
}

/// The statuses with which an endpoint may refuse.
fn refusals(route: &Route) -> Vec<u16> {
    let mut statuses = vec![400];
    let has_body = !matches!(route.body, BodyShape::None);
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
        (406, accept),
        (409, repeats),
        (413, has_body),
        (415, route.is_typed()),
    ];
    statuses.extend(others.into_iter().filter(|(_, may)| *may).map(|(status, _)| status));
    statuses
}

fn about(status: u16) -> &'static str {
    match status {
        400 => "the request is not as the interface says",
        401 => "the access token is missing or wrong",
        404 => "what is asked about is not known",
        406 => "the header `accept` is missing, or does not allow application/json",
        409 => "it is known, and cannot be done",
        413 => "the body is too large",
        _ => "the content type is not application/json",
    }
}

/// The name of a refusal's schema.
fn named(shape: &RefusalShape) -> String {
    match shape {
        RefusalShape::Envelope => "refusal_envelope".to_owned(),
        // Names of fields are settings, and a schema's name takes letters, digits and few signs.
        RefusalShape::Code { code, message } => format!("refusal_{code}_{message}")
            .chars()
            .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' })
            .collect(),
    }
}

fn refused(shape: &RefusalShape) -> Schema {
    match shape {
        RefusalShape::Envelope => envelope(),
        RefusalShape::Code { code, message } => coded(code, message),
    }
}

fn coded(code: &str, message: &str) -> Schema {
    let text = || ObjectBuilder::new().schema_type(Type::String).min_length(Some(1)).build();
    let fields = [code, message].into_iter();
    let object = fields.fold(ObjectBuilder::new(), |object, name| object.property(name, text()).required(name));
    Schema::Object(object.additional_properties(Some(AdditionalProperties::FreeForm(false))).build())
}

fn envelope() -> Schema {
    let text = || ObjectBuilder::new().schema_type(Type::String).build();
    let failed = ObjectBuilder::new().schema_type(Type::String).enum_values(Some(["failed"])).build();
    let none = ObjectBuilder::new().schema_type(Type::Null).build();
    let object = ObjectBuilder::new()
        .property("_id", text())
        .property("status", failed)
        .property("message", text())
        .property("data", none);
    let names = ["_id", "status", "message", "data"].into_iter();
    Schema::Object(names.fold(object, |object, name| object.required(name)).build())
}

fn object(fields: &[Field], open: bool) -> Schema {
    let mut object = ObjectBuilder::new();
    for field in fields {
        object = object.property(&field.name, schema(&field.kind, field.about));
        if field.required {
            object = object.required(&field.name);
        }
    }
    Schema::Object(object.additional_properties(Some(AdditionalProperties::FreeForm(open))).build())
}

fn schema(kind: &Kind, about: &str) -> RefOr<Schema> {
    let about = Some(about).filter(|about| !about.is_empty());
    let typed = |kind: Type| ObjectBuilder::new().schema_type(kind).description(about);
    let built = match kind {
        Kind::Text { least, most, form } => {
            let text = typed(Type::String).min_length(Some(*least)).max_length(Some(*most)).pattern(form.pattern());
            match form {
                Form::Date => text.format(Some(SchemaFormat::KnownFormat(KnownFormat::Date))).build(),
                _ => text.build(),
            }
        }
        Kind::Whole { least, most } => {
            let (least, most) = (*least as isize, *most as isize);
            typed(Type::Integer).minimum(Some(least)).maximum(Some(most)).build()
        }
        Kind::Amount => {
            typed(Type::Number).exclusive_minimum(Some(0)).maximum(Some(1_000_000_000_000_000_isize)).build()
        }
        Kind::Number => typed(Type::Number).build(),
        Kind::Flag => typed(Type::Boolean).build(),
        Kind::OneOf(known) => typed(Type::String).enum_values(Some(known.clone())).build(),
        Kind::Object(fields) => return RefOr::T(object(fields, false)),
        Kind::OpenObject(fields) => return RefOr::T(object(fields, true)),
        Kind::List(kind) => {
            return RefOr::T(Schema::Array(ArrayBuilder::new().items(schema(kind, "")).description(about).build()));
        }
        Kind::TextOrWhole => {
            let either = OneOfBuilder::new().item(typed(Type::String)).item(typed(Type::Integer));
            return RefOr::T(Schema::OneOf(either.build()));
        }
    };
    RefOr::T(Schema::Object(built))
}
