//! Statistics of a credit book: how well a score ranks, how well probabilities fit, and what a cut-off earns.
//!
//! Every function is pure and deterministic. Results do not depend on the order of rows or on threads: counts are
//! whole numbers until the last division, and floating-point sums run in the order of the sorted values. No result is
//! NaN or infinite; what the data cannot say is `None` or a named reason. Must not know of frames, files or policies.

pub mod adverse_impact;
pub mod calibration;
pub mod discrimination;
mod error;
pub mod intervals;
pub mod profit;
pub(crate) mod special;
pub mod stability;
pub(crate) mod ties;
pub mod transitions;
pub mod vintages;

pub use error::StatisticsError;
pub use intervals::{Interval, Level, Proportion};
