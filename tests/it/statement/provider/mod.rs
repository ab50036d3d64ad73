//! The provider's JSON: envelopes, pages, lists and lines of records.

mod envelopes;
mod faults;
mod record_templates;
