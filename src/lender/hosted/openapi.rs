//! The OpenAPI document of the hosted endpoints, which depends on the settings. Knows nothing of what an endpoint does.

use utoipa::openapi::path::{OperationBuilder, ParameterBuilder, ParameterIn, PathItemBuilder};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{AdditionalProperties, Type};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    ArrayBuilder, ComponentsBuilder, ContentBuilder, HttpMethod, InfoBuilder, ObjectBuilder, OpenApi, OpenApiBuilder,
    PathsBuilder, Ref, RefOr, Required, ResponseBuilder, ResponsesBuilder, Schema,
};

use super::endpoint::{Endpoint, Paths};
use crate::provider::wire::lender::{PASSWORD_HEADER, USERNAME_HEADER};
use crate::provider::wire::{Method, Settings};

const JSON: &str = "application/json";
const REFUSAL: &str = "refusal";

/// A field.
#[derive(Clone, Copy)]
struct SchemaField<'a> {
    name: &'a str,
    is_required: bool,
    about: &'static str,
}

const fn required<'a>(name: &'a str, about: &'static str) -> SchemaField<'a> {
    SchemaField { name, is_required: true, about }
}

const fn optional<'a>(name: &'a str, about: &'static str) -> SchemaField<'a> {
    SchemaField { name, is_required: false, about }
}

/// The document for these paths and settings.
pub fn hosted_openapi_document(paths: &Paths, settings: &Settings) -> OpenApi {
    let info = InfoBuilder::new()
        .title("The endpoints that the lender hosts")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(
            "What lendwright serves for the provider. Whatever the interface does not show is a setting.",
        ))
        .build();
    let mut documented = PathsBuilder::new();
    for (endpoint, template) in paths.all() {
        let method = match endpoint.method() {
            Method::Get => HttpMethod::Get,
            Method::Post => HttpMethod::Post,
        };
        let item = PathItemBuilder::new().operation(method, endpoint_operation(endpoint, template, settings)).build();
        documented = documented.path(format!("/{template}"), item);
    }
    let key = |name: &str| SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::new(name)));
    let components = ComponentsBuilder::new()
        .security_scheme(USERNAME_HEADER, key(USERNAME_HEADER))
        .security_scheme(PASSWORD_HEADER, key(PASSWORD_HEADER))
        .schema(REFUSAL, text_fields_schema(&WORDS))
        .build();
    OpenApiBuilder::new().info(info).paths(documented.build()).components(Some(components)).build()
}

const WORDS: [SchemaField<'_>; 2] =
    [required("responseCode", "`00` for success; other codes are settings"), required("responseMessage", "in words")];

fn endpoint_operation(endpoint: Endpoint, template: &str, settings: &Settings) -> OperationBuilder {
    let names = &settings.lender;
    let mut operation =
        OperationBuilder::new().operation_id(Some(endpoint.name())).summary(Some(title_of_endpoint(endpoint)));
    if let Some(name) = template.split_once('{').and_then(|(_, rest)| rest.split_once('}')) {
        operation = add_openapi_parameter(
            operation,
            ParameterIn::Path,
            required(name.0, "the same as elsewhere in the request"),
        );
    }
    let mut query: Vec<SchemaField<'_>> = match endpoint {
        Endpoint::GetOffers => vec![
            required("customerId", "who asks"),
            required("channelCode", "through which channel"),
            required("amount", "how much, in minor units: a whole number above zero"),
            required("serviceType", "for what"),
            required("dateOfBirth", "the customer's, YYYY-MM-DD"),
            required("providerCode", "the lender"),
        ],
        Endpoint::LoanStatus => vec![
            required("customerId", "the customer"),
            required("loanId", "the same as in the path"),
            required("providerCode", "the lender"),
            required("channelCode", "the channel"),
        ],
        Endpoint::AcceptOffer | Endpoint::PaymentNotification => Vec::new(),
    };
    if endpoint == Endpoint::GetOffers {
        let (parameter_name, header_name) = (names.reference_parameter.as_str(), names.reference_header.as_str());
        let about = "the reference of the offer request";
        if !parameter_name.is_empty() {
            query.push(SchemaField { name: parameter_name, is_required: header_name.is_empty(), about });
        }
        if !header_name.is_empty() {
            let field = SchemaField { name: header_name, is_required: parameter_name.is_empty(), about };
            operation = add_openapi_parameter(operation, ParameterIn::Header, field);
        }
    }
    operation = query
        .into_iter()
        .fold(operation, |operation, field| add_openapi_parameter(operation, ParameterIn::Query, field));
    let body = endpoint_body_fields(endpoint, settings);
    if !body.is_empty() {
        let content = ContentBuilder::new().schema(Some(RefOr::T(text_fields_schema(&body)))).build();
        let body = RequestBodyBuilder::new().content(JSON, content).required(Some(Required::True)).build();
        operation = operation.request_body(Some(body));
    }
    let credentials =
        SecurityRequirement::new(USERNAME_HEADER, Vec::<String>::new()).add(PASSWORD_HEADER, Vec::<String>::new());
    operation.responses(endpoint_responses(endpoint)).security(credentials)
}

fn title_of_endpoint(endpoint: Endpoint) -> &'static str {
    match endpoint {
        Endpoint::GetOffers => "Get Offers",
        Endpoint::AcceptOffer => "Accept Offers",
        Endpoint::LoanStatus => "E10 Get Loan Status",
        Endpoint::PaymentNotification => "E11 Payment Notification",
    }
}

fn endpoint_body_fields<'a>(endpoint: Endpoint, settings: &'a Settings) -> Vec<SchemaField<'a>> {
    match endpoint {
        Endpoint::GetOffers | Endpoint::LoanStatus => Vec::new(),
        Endpoint::AcceptOffer => {
            let shown = [
                required("customerId", "the customer"),
                required("offerId", "the offer"),
                required("destinationAccountNumber", "the account to which the loan is paid"),
                required("destinationBankCode", "that account's bank"),
                required("token", "the customer's token"),
                required("loanReferenceId", "identifies the acceptance: the same one twice makes one loan"),
            ];
            let set = [
                optional(settings.lender.msisdn_field.as_str(), "the customer's telephone number"),
                optional(settings.lender.loan_id_field.as_str(), "the loan's id; the lender makes one otherwise"),
            ];
            shown.into_iter().chain(set.into_iter().filter(|field| !field.name.is_empty())).collect()
        }
        Endpoint::PaymentNotification => vec![
            required("loanId", "the loan"),
            required("paymentRef", "identifies the payment: the same one twice counts once"),
            required("Amount", "the amount paid, a decimal number above zero"),
            required("customerId", "the customer"),
        ],
    }
}

fn add_openapi_parameter(operation: OperationBuilder, place: ParameterIn, field: SchemaField<'_>) -> OperationBuilder {
    let required = if field.is_required { Required::True } else { Required::False };
    let text = ObjectBuilder::new().schema_type(Type::String).min_length(Some(1)).max_length(Some(128)).build();
    let parameter = ParameterBuilder::new()
        .name(field.name)
        .parameter_in(place)
        .required(required)
        .description(Some(field.about))
        .schema(Some(RefOr::T(Schema::Object(text))));
    operation.parameter(parameter)
}

/// An object of texts, which may have other fields.
fn text_fields_schema(fields: &[SchemaField<'_>]) -> Schema {
    let mut object = ObjectBuilder::new();
    for field in fields {
        let text = ObjectBuilder::new().schema_type(Type::String).description(Some(field.about)).build();
        object = object.property(field.name, text);
        if field.is_required {
            object = object.required(field.name);
        }
    }
    Schema::Object(object.additional_properties(Some(AdditionalProperties::FreeForm(true))).build())
}

fn endpoint_reply_schema(endpoint: Endpoint) -> Schema {
    let [code, message] = WORDS;
    match endpoint {
        Endpoint::AcceptOffer => text_fields_schema(&[code, message, required("loanId", "the loan")]),
        Endpoint::PaymentNotification => {
            text_fields_schema(&[code, message, required("loanStatus", "such as `CLOSED`")])
        }
        Endpoint::GetOffers => schema_with_extra_field(
            &WORDS,
            "offers",
            Schema::Array(ArrayBuilder::new().items(RefOr::T(listed_offer_schema())).build()),
        ),
        Endpoint::LoanStatus => {
            let standing = [
                required("status", "`OPEN` or `CLOSED`"),
                required("remainingAmount", "the amount still to be paid, a decimal number"),
                required("dueDate", "when it is due: ISO 8601, UTC"),
            ];
            schema_with_extra_field(&WORDS, "loan", text_fields_schema(&standing))
        }
    }
}

/// An object of texts with one field of another type.
fn schema_with_extra_field(fields: &[SchemaField<'_>], name: &str, schema: Schema) -> Schema {
    match text_fields_schema(fields) {
        Schema::Object(mut object) => {
            object.properties.insert(name.to_owned(), RefOr::T(schema));
            object.required.push(name.to_owned());
            Schema::Object(object)
        }
        other => other,
    }
}

fn listed_offer_schema() -> Schema {
    let number = |kind: Type| ObjectBuilder::new().schema_type(kind).build();
    let mut offer = ObjectBuilder::new();
    let numbers = ["amountOffered", "amountPayable", "tenure"];
    for name in ["offerId", "expiryDate", "currency"] {
        offer = offer.property(name, number(Type::String)).required(name);
    }
    for name in numbers {
        offer = offer.property(name, number(Type::Integer)).required(name);
    }
    Schema::Object(offer.property("interest", number(Type::Number)).required("interest").build())
}

fn endpoint_responses(endpoint: Endpoint) -> utoipa::openapi::Responses {
    let content = |schema: RefOr<Schema>| ContentBuilder::new().schema(Some(schema)).build();
    let done = ResponseBuilder::new()
        .description("done")
        .content(JSON, content(RefOr::T(endpoint_reply_schema(endpoint))))
        .build();
    let mut responses = ResponsesBuilder::new().response("200", done);
    for (status, about, is_possible) in endpoint_refusals(endpoint) {
        if is_possible {
            let refusal = content(Ref::from_schema_name(REFUSAL).into());
            let response = ResponseBuilder::new().description(about).content(JSON, refusal).build();
            responses = responses.response(status, response);
        }
    }
    responses.build()
}

fn endpoint_refusals(endpoint: Endpoint) -> [(&'static str, &'static str, bool); 10] {
    let has_body = endpoint.method() == Method::Post;
    [
        ("400", "the request does not match the interface", true),
        ("401", "the user name or the password is missing or wrong", true),
        ("404", "there is no such loan or offer", true),
        ("405", "the endpoint does not have this method", true),
        ("408", "the body came too slowly", has_body),
        ("409", "the request contradicts an earlier one, or the state of the loan", true),
        ("413", "the body is too long", has_body),
        ("415", "the content type is not application/json", has_body),
        ("429", "too many requests, or too many failed logins", true),
        ("503", "the lender cannot answer now", true),
    ]
}
