//! Floor 2: what an analyst's editor asks of rule files: layout, schema, names, completion. Knows no protocol and opens no file.

pub mod format;
mod keys;
mod layout;
mod place;
pub mod schema;
