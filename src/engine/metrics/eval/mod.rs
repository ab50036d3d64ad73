//! Evaluation: runs a program's nodes over the records of statements, or over metrics that are known already.

mod evaluate;
mod grains;
mod mentions;
mod parallel;
mod precomputed;

pub(crate) use self::evaluate::{Evaluated, evaluate_chosen, evaluate_keeping, evaluate_program, evaluate_scheduled};
pub(crate) use self::precomputed::{Plan, evaluate_columns, evaluate_ready, needs_records};
