//! Who the statements are of: invented people, the named cast, and the names in narrations. Knows nothing of records.

pub(crate) mod cast;
pub(crate) mod names;
pub(crate) mod person;
