//! Metrics of statements: groups, counterparties, and what is unknown.

mod corrections;
mod counterparties;
mod groups;
mod reference_evaluator;
mod unknown_values;
