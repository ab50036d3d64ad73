//! Tests of `src/base`: money, dates, pricing, text search, narrations.

mod date;
mod money;
pub(crate) mod narration;
mod pricing;
mod text_search;
