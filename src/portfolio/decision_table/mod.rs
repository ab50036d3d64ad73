//! Decisions that were made as tables: metrics by which other policies are judged, requests, what became of loans; and
//! what shadows would have decided. Must not know where decisions are kept.

mod facts;
mod facts_table;
mod metrics_book;
mod policy_columns;
mod request_table;
mod shadow_comparison;

pub use facts::DecisionFacts;
pub use facts_table::{DECISION_COLUMNS, decision_row, outcome_table};
pub use metrics_book::{MetricsRow, MetricsRows};
pub use policy_columns::PolicyColumns;
pub use request_table::RequestTable;
pub use shadow_comparison::{LoanCounts, OUTCOME_WORDS, ShadowComparison, compare_shadows};
