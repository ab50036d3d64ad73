//! Statements: the bytes of a source become one Polars frame a batch, checked, repaired by declared rules, exact, in one order.
//! Must not know metrics, rules or decisions, nor where the bytes came from: no file, no socket, no clock.

mod frame;
mod quality;
mod reading;

pub use frame::{Head, Statements};
pub use quality::{Quality, flag};
pub use reading::{DateConflict, EmptyAmount, NegativeRule, Reading};
