//! What judges: requirements, the score, tables and offers, each checked and brought down to nodes, and the analysis of cells that
//! finds rows which meet. Decides on nobody.

pub(crate) mod axis;
pub(super) mod cell;
pub(crate) mod grid;
pub(crate) mod index;
pub(super) mod offer;
pub(super) mod order;
mod overlap;
pub(crate) mod property;
pub(super) mod requirement;
pub(super) mod score;
mod table;
pub(super) mod template;
