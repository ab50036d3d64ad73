//! The engine: metrics of statements, and the decisions that a policy makes of them. A pure function: no file,
//! clock, environment, network or chance. Must not know where statements come from or where decisions go.

pub mod decision;
pub mod metrics;
pub mod recurring;
