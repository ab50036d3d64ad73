//! The people whose statements are generated, the named cast, and the names in narrations. Must not know records.

pub(crate) mod cast;
pub(crate) mod names;
pub(crate) mod person;
