//! Metrics of statements: groups, counterparties, and what is unknown.

mod counterparties;
mod groups;
mod reference_evaluator;
mod unknown_values;
