//! The checker: resolves names and checks the grain, type and unit of every expression, declaration and judgement.
//! Collects all mistakes; evaluates nothing and reads no file.

mod aggregates;
mod arguments;
pub(super) mod built_in;
mod calendar;
pub(super) mod checker;
mod constant;
mod definition_list;
mod definitions;
pub(super) mod function_names;
mod functions;
pub(super) mod inputs;
mod iso_literals;
pub(super) mod judgement;
pub(super) mod narration_lists;
mod neighbours;
mod operands;
pub(super) mod parameters;
pub(super) mod symbols;
mod texts;
pub(super) mod tolerance;
mod typing;
pub(super) mod word_lists;
