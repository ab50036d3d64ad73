//! The sources: files, folders, patterns, archives and standard input, as one list, and their bytes. Must not know what is
//! in a statement.

pub(crate) mod archive;
pub(crate) mod find;
pub(crate) mod kinds;
pub(crate) mod line_files;
pub(crate) mod members;
pub(crate) mod packing;
pub(crate) mod source;
pub(crate) mod spool;
