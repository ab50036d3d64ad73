//! Fields whose names are settings, for calls that the interface does not show: query parameters of a GET, the JSON
//! body of a POST. Knows nothing of any one call.

use crate::provider::wire::{Body, Method};

/// A field with its name on the wire. A field without a name is not sent.
pub(super) struct NamedField<'a> {
    pub name: &'a str,
    pub value: &'a str,
    pub is_personal: bool,
}

/// The query parameters; a POST has none.
pub(super) fn named_query_parameters(method: Method, fields: &[NamedField<'_>]) -> Vec<(String, String)> {
    match method {
        Method::Post => Vec::new(),
        Method::Get => fields_with_names(fields).map(|field| (field.name.to_owned(), field.value.to_owned())).collect(),
    }
}

/// The body; a GET has none.
pub(super) fn named_request_body(method: Method, fields: &[NamedField<'_>]) -> Option<Body> {
    let add = |body: Body, field: &NamedField<'_>| match field.is_personal {
        true => body.personal(field.name, field.value),
        false => body.text(field.name, field.value),
    };
    match method {
        Method::Get => None,
        Method::Post => Some(fields_with_names(fields).fold(Body::new(), add)),
    }
}

fn fields_with_names<'a, 'f>(fields: &'f [NamedField<'a>]) -> impl Iterator<Item = &'f NamedField<'a>> {
    fields.iter().filter(|field| !field.name.is_empty())
}
