//! What the areas share: a route with defaults, and fields that several calls have. Knows nothing of any one call.

use crate::provider::sandbox::contract::field::{ContractField, FieldKind, Form};
use crate::provider::sandbox::contract::route::{Accept, BodyShape, Endpoint, RefusalShape, Route};
use crate::provider::wire::varying_segment;
use crate::provider::wire::{Authentication, Method, Settings};

/// A route with defaults. Its area fills in the rest.
pub(super) fn route_with_defaults(endpoint: Endpoint, method: Method, template: &str) -> Route {
    let template = template.trim_matches('/').to_owned();
    let path = template
        .split('/')
        .filter_map(varying_segment)
        .map(|(_, name, _)| ContractField::text(name, "part of the path"))
        .collect();
    Route {
        endpoint,
        method,
        template,
        path,
        query: Vec::new(),
        query_is_open: false,
        body: BodyShape::None,
        bearer: true,
        // As in the loan flow. Other areas show the header for some calls only.
        accept: Accept::Shown,
        names_type: false,
        reply: response_word_fields(),
        refusal: RefusalShape::lending(),
    }
}

/// The two fields that every answer of the lending service has.
pub(super) fn response_word_fields() -> Vec<ContractField> {
    vec![response_code_field("responseCode"), ContractField::words("responseMessage", "in words")]
}

pub(super) fn response_code_field(name: &str) -> ContractField {
    ContractField::new(name, FieldKind::Text { least: 1, most: 16, form: Form::Free }, "the response code")
}

/// The lender's code. It must be the one of the sandbox's settings.
pub(super) fn provider_code_field(settings: &Settings, name: &str) -> ContractField {
    ContractField::new(name, FieldKind::OneOf(vec![settings.provider_code.clone()]), "the lender")
}

/// For a route whose method is a setting: puts the fields into the query of a GET, or the body of a POST.
pub(super) fn place_route_fields(route: Route, fields: Vec<ContractField>) -> Route {
    match route.method {
        Method::Get => Route { query: fields, ..route },
        Method::Post => Route { body: BodyShape::Fields(fields), ..route },
    }
}

pub(super) fn is_bearer(authentication: Authentication) -> bool {
    authentication == Authentication::Bearer
}
