//! What an expression means: its text parsed, its names looked up, its types, units and grains checked. Evaluates nothing, and knows
//! no section of a rule file.

mod advice;
mod aggregates;
mod among;
pub(super) mod amounts;
pub(super) mod ast;
mod calendar;
mod depth;
pub(super) mod functions;
pub(crate) mod names;
pub(super) mod parse;
pub(crate) mod said;
pub(super) mod typing;
pub(super) mod units;
pub(super) mod value;
