//! The provider's JSON: envelopes, pages, lists and lines of records. Must not know what a value means.

pub(crate) mod envelope;
pub(crate) mod field;
pub(crate) mod json_record;
pub(crate) mod pages;
pub(crate) mod parallel_list;
pub(crate) mod read;
pub(crate) mod record;
pub(crate) mod record_template;
pub(crate) mod take;
