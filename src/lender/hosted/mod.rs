//! The endpoints that the lender hosts and the provider calls. Knows nothing of how offers come about or where loans
//! are kept: that is a [`Lender`]'s task.
//!
//! [`Hosted`] is the endpoints as a value, [`operations_router()`] what operators need, [`serve_connections`] the
//! loop that accepts connections, [`Running`] all of it on its addresses. A request passes through `connection`,
//! `pipeline`, `failed_logins`, `credentials` and `rate`, `body`, `exchange`, and comes back as an `answer`.

mod answer;
mod body;
mod conditions;
mod connection;
mod credentials;
mod endpoint;
mod exchange;
mod failed_logins;
mod lender;
mod metrics;
mod openapi;
mod operations;
mod pipeline;
mod rate;
mod request_id;
mod running;
mod server;

pub(crate) use body::{BodyFault, read_body};
pub use conditions::{Condition, Conditions, RaisedCondition};
pub use connection::Peer;
pub use credentials::Credentials;
pub use endpoint::{Endpoint, Paths};
pub use lender::{BoxFuture, Lender, OffersAnswer, Refusal};
pub use metrics::HttpMetrics;
pub use openapi::hosted_openapi_document;
pub use operations::{operations_router, with_operations};
pub use pipeline::{Hosted, Options, check_settings};
pub use prometheus_client::registry::Registry;
pub use rate::{AddressMeters, Meter, Rate};
pub use request_id::REQUEST_ID_HEADER;
pub(crate) use request_id::RequestIds;
pub use running::{BindError, ExtraRoutes, Running};
pub use server::serve_connections;
