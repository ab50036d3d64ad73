//! The work: cut into units, and decided on several threads. Must not know what is written where.

pub(crate) mod cut;
pub(crate) mod decider;
pub(crate) mod gate;
pub(crate) mod threads;
pub(crate) mod unit;
