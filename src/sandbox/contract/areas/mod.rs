//! The table of all endpoints, as the settings lay them out. Knows nothing of what a call does.

mod bill;
mod iqr;
mod lender;
mod lending;
mod money;

pub(crate) use lender::told;

use super::route::varying;
use super::{Accept, BodyShape, Endpoint, Field, Kind, RefusalShape, Route};
use crate::wire::{Authentication, Method, Settings};

/// Every endpoint, in the interface's order.
pub(crate) fn routes(settings: &Settings) -> Vec<Route> {
    let mut routes = lending::routes(settings);
    routes.extend(money::routes(settings));
    routes.extend(iqr::routes(settings));
    routes.extend(bill::routes(settings));
    routes.into_iter().map(|route| Route { reply: Field::inwards(route.reply), ..route }).collect()
}

/// A route with nothing but its place; the rest is filled in by those who know.
fn route(endpoint: Endpoint, method: Method, template: &str) -> Route {
    let template = template.trim_matches('/').to_owned();
    let path =
        template.split('/').filter_map(varying).map(|(_, name, _)| Field::text(name, "part of the path")).collect();
    Route {
        endpoint,
        method,
        template,
        path,
        query: Vec::new(),
        query_is_open: false,
        body: BodyShape::None,
        bearer: true,
        // Of the loan flow; other areas show it for some calls.
        accept: Accept::Shown,
        names_type: false,
        reply: words(),
        refusal: RefusalShape::lending(),
    }
}

/// The two fields that every answer of the lending service has.
fn words() -> Vec<Field> {
    vec![code("responseCode"), Field::words("responseMessage", "in words")]
}

fn code(name: &str) -> Field {
    Field::new(name, Kind::Text { least: 1, most: 16, form: super::Form::Free }, "the response code")
}

/// The lender's code, which must be the one that the sandbox was started with.
fn provider(settings: &Settings, name: &str) -> Field {
    Field::new(name, Kind::OneOf(vec![settings.provider_code.clone()]), "the lender")
}

/// Where the method is a setting: fields in the query of a GET, in the body of a POST.
fn placed(route: Route, fields: Vec<Field>) -> Route {
    match route.method {
        Method::Get => Route { query: fields, ..route },
        Method::Post => Route { body: BodyShape::Fields(fields), ..route },
    }
}

fn is_bearer(authentication: Authentication) -> bool {
    authentication == Authentication::Bearer
}
