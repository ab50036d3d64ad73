//! Floor 0: the types that every other floor uses. Must not know statements, rules, HTTP or files.

pub(crate) mod block;
pub mod date;
pub mod diagnostic;
pub mod digest;
mod digits;
pub mod money;
pub mod pricing;
pub mod rational;
pub mod secret;
#[doc(hidden)]
pub mod text;
pub mod time;
