//! Decisions that were made: as tables, by which other policies are judged; compared with what shadows would have
//! decided; and watched week by week. Must not know where decisions are kept.

mod facts;
mod facts_table;
mod metrics_book;
mod monitoring;
mod policy_columns;
mod population;
mod request_table;
mod shadow_comparison;

pub use facts::DecisionFacts;
pub use facts_table::{DECISION_COLUMNS, decision_row, outcome_table};
pub use metrics_book::{MetricsRow, MetricsRows};
pub use monitoring::{
    LoanMonth, MonitorLimits, Monitoring, MovedValue, WatchedDecision, WatchedRest, WatchedShare, list_loan_months,
    watch_decisions,
};
pub use policy_columns::PolicyColumns;
pub use population::{CountedKind, Population, list_counted};
pub use request_table::RequestTable;
pub use shadow_comparison::{LoanCounts, OUTCOME_WORDS, ShadowComparison, compare_shadows};

#[cfg(test)]
mod tests;
