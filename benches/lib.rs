//! Data and helpers of the benches.
