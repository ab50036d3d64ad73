//! Tests policies on cases and on labelled records, measures what the cases cover, and compares what two
//! policies do on a portfolio. Must not know how results are printed.

pub mod arms;
pub(crate) mod backtest;
mod cases;
mod correction_effects;
mod coverage;
pub(crate) mod customer_table;
mod cutoff;
pub mod decision_table;
mod economics;
mod expect;
mod expectations;
mod labels;
pub mod learned_from;
pub mod learning;
pub mod learning_choices;
pub mod metrics_table;
mod mistakes;
pub mod model_evidence;
pub mod nearest;
#[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "only commands use it"))]
pub(crate) mod outcome_weights;
pub(crate) mod outcomes;
pub mod performance;
#[cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports, reason = "only commands use it"))]
mod proposed_words;
mod records;
pub mod statistics;
pub mod sweep;
mod trial;
mod units;
mod update;

pub use backtest::{
    CHANGES_MAX, CompileBlend, Judged, Portfolio, Question, Segments, StatisticsRequest, adverse_impact_of,
    compare_contender, list_flipped_customers, measure_change_effects, outcome_statistics, stability_since_day,
    summarize_backtest, summary,
};
pub use backtest::{DecidedRow, Decisions, OUTCOMES, outcome_rows, reason_rows, swap_cells};
pub use backtest::{Summary, backtest_policy};
pub use cases::{Case, CaseError, Cases};
pub use correction_effects::{ChangedDecision, CorrectionEffect, CorrectionEffects};
pub use coverage::{coverage_percent, write_lcov_tracefile};
pub use customer_table::CustomerTable;
#[cfg(feature = "cli")]
pub(crate) use customer_table::is_unknown_cell;
pub use economics::{Declared, LentAmount};
pub use expect::{CounterExpected, CounterParts, Expect};
pub use labels::{Example, FlagScore, Labels, LabelsError, Money, Scores, Truth, TruthError};
pub use metrics_table::BookError;
#[cfg(feature = "cli")]
pub(crate) use outcomes::read_outcome_truth;
pub use outcomes::{ColumnTable, KnownRows, LoanOutcome, Outcomes, OutcomesError, known_rows};
pub use proposed_words::{ProposedWord, WordsOfKinds, WordsWanted};
pub use records::CaseRecord;
pub use trial::{ActualValue, Difference, Trial, Tried, try_cases, try_for_update};
pub use update::{UpdateError, update_cases_file};
