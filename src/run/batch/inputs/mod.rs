//! The sources of a batch, as one list, and their bytes: files, folders, patterns, archives and standard input. Must
//! not know what is in a statement.

pub(crate) mod archive;
pub(crate) mod compression;
pub(crate) mod find;
pub(crate) mod kinds;
pub(crate) mod line_files;
pub(crate) mod members;
pub(crate) mod source;
pub(crate) mod spool;
