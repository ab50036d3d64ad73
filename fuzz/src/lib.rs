//! Random inputs for lendwright, and references to hold its answers against. This file is the map.

pub mod policy;
pub mod random;
