//! What each call of the interface consists of, as one table: exact names, types, bounds, what may be shown. Reading,
//! redaction, the OpenAPI document and the pages to try are made from it. It shares nothing with how `wire` writes a
//! call, so that it can check it. Knows nothing of what a call does.

mod areas;
mod field;
mod read;
mod route;

pub(crate) use areas::{LenderCall, lender_calls, list_interface_routes};
pub(crate) use field::{ContractField, FieldKind, Form};
pub(crate) use read::{Given, form_fields, read_route_request};
pub use route::Endpoint;
pub(crate) use route::{Accept, BodyShape, RefusalShape, Route, find_route_of_path};
