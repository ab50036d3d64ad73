//! What the benches share: the work that is measured, the rows of ready metrics, and how rounds take turns.

pub mod rows;
pub mod turns;
pub mod work;
