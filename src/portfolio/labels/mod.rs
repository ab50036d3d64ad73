//! Labels of records, and how well the flags of a policy agree with them. Must not know how flags are made or how
//! scores are printed.

mod read;
mod score;
mod truth;

pub use read::{Labels, LabelsError};
pub use score::{Example, FlagScore, Money, Scores};
pub use truth::{Truth, TruthError};
