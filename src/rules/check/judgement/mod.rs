//! Checks requirements, the score, tables, offers and properties, and lowers each to nodes. Decides nothing.

pub(in crate::rules) mod cell;
pub(in crate::rules) mod cell_shape;
mod computed;
mod conditions;
pub(in crate::rules) mod offer;
pub(in crate::rules) mod order;
pub(in crate::rules) mod outputs;
mod overlap;
pub(in crate::rules) mod property;
pub(in crate::rules) mod requirement;
pub(in crate::rules) mod score;
mod table;
pub(in crate::rules) mod template;
