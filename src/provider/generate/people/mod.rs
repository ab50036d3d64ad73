//! The people whose statements are generated, and the named cast. Must not know records.

pub(crate) mod cast;
pub(crate) mod person;
