//! Random inputs for lendwright, and references to hold its answers against. This file is the map.
//!
//! | | |
//! |---|---|
//! | [`policy`] | whole policies: generated, decided by lendwright and by an evaluator of their own, compared |
//! | [`metrics`] | metrics over records: the same, record by record |
//! | [`ties`] | policies and statements whose values meet their limits exactly, and a little off |
//! | [`targets`] | what is tried on any bytes |
//! | [`mutate`] | inputs out of inputs |
//! | `exact` | fractions of any size, with which the references count |
//! | [`random`] | choices from a seed or from bytes |
//!
//! Knows lendwright by what it shows to everybody; the references share no code with it.

mod exact;
pub mod metrics;
pub mod mutate;
pub mod policy;
pub mod random;
pub mod targets;
pub mod ties;
