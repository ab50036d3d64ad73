//! The sandbox as a service: its own pages, and the interface for every other path. Knows nothing of sockets: the
//! router is a value.

use axum::Router;

use super::interface::interface;
use super::pages;
use super::store::State;

/// The sandbox as a service.
pub fn router(state: State) -> Router {
    pages::routes().fallback(interface).with_state(state)
}
