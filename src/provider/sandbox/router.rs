//! The sandbox as a service: its own pages, and the interface for every other path. Knows nothing of sockets: the
//! router is a value.

use axum::Router;

use super::interface::answer_interface_request;
use super::pages;
use super::store::SandboxState;

/// The sandbox as a service.
pub fn router(state: SandboxState) -> Router {
    pages::sandbox_page_routes().fallback(answer_interface_request).with_state(state)
}
