//! The work of a batch, cut into units and decided on several threads. Must not know where results are written.

pub(crate) mod cut;
pub(crate) mod decider;
pub(crate) mod threads;
pub(crate) mod unit;
