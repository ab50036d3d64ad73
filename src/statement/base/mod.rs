//! What every part of the module shares: errors, quality counts, declared rules, the columns. Must not know formats.

pub(crate) mod column;
pub(crate) mod error;
pub(crate) mod period;
pub(crate) mod quality;
pub(crate) mod reading;
pub(crate) mod unread;
