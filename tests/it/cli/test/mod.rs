//! The command `test`: cases, expectations, updates, coverage.

mod cases;
mod expectations;
mod updates_and_coverage;
