//! The declared rules for reading a source.

mod reading_rules;
