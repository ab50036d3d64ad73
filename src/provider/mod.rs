//! The provider: its interface as values, the client that calls it, and the simulated provider with its
//! people. Must not know statements, rules, or how a decision comes about.

#[cfg(feature = "client")]
pub mod client;
#[cfg(feature = "service")]
pub mod generate;
#[cfg(feature = "service")]
pub mod sandbox;
#[cfg(feature = "client")]
#[cfg_attr(not(feature = "service"), allow(dead_code, reason = "pages of a service ask it about hosts"))]
pub(crate) mod tls;
// Some of it is for `client` alone, and idle without it.
#[cfg_attr(not(feature = "client"), allow(dead_code, unused_imports))]
pub mod wire;
