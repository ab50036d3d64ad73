//! Decisions on metrics that are known already: from a table of them, from cases, from a model's data. The policy's
//! metrics are taken as given. What was not given and would need a record is unknown (`not_given`).

pub(crate) mod cache;
mod columns;
mod plan;
mod rows;

pub use self::columns::Judged;
pub use self::plan::ReadyPlan;
pub use self::rows::ReadyRows;
