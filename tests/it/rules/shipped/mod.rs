//! The policies that ship: their cases, the cookbook, the scorecard for the Berka loans.

mod berka_scorecard;
mod cases;
mod cookbook;
