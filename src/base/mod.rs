//! What every other folder uses: money, exact numbers, days, prices, digests, secrets, and search in short
//! texts. Must not know statements, rules, HTTP or files.

pub(crate) mod block;
#[cfg(feature = "engine")]
pub(crate) mod clean_text;
#[cfg(feature = "engine")]
#[doc(hidden)]
pub mod csv_line;
pub mod date;
pub mod diagnostic;
pub mod digest;
mod digits;
#[cfg(feature = "engine")]
pub(crate) mod engine;
pub mod money;
#[cfg(feature = "engine")]
#[doc(hidden)]
pub mod narration;
pub(crate) mod percent;
pub mod pricing;
#[cfg_attr(not(feature = "engine"), allow(dead_code, unused_imports, reason = "the engine writes and reads doubles"))]
pub mod rational;
pub mod secret;
#[doc(hidden)]
pub mod text;
#[cfg(feature = "engine")]
pub(crate) mod text_search;
pub mod time;
#[cfg(feature = "engine")]
pub(crate) mod toml_text;
