//! To be written.
/// Prices.
pub mod pricing;
