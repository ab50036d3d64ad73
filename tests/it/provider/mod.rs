//! Tests of `src/provider`: the provider's interface, the client, the sandbox, generated statements.

mod client;
mod generate;
pub(crate) mod sandbox;
mod tls;
mod wire;
