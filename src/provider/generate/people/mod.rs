//! The people who have the statements, and the named cast. Must not know records.

pub(crate) mod cast;
pub(crate) mod person;
