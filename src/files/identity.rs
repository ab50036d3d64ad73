//! Which file a path leads to: one file has many spellings, links among them. Must not know what is in files.

use std::fs::Metadata;
use std::path::Path;

/// The same for every path that leads to one file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FileId {
    /// The device and the number on it: hard links share them.
    #[cfg(unix)]
    Number(u64, u64),
    /// The path without links.
    #[cfg(not(unix))]
    Path(std::path::PathBuf),
}

impl FileId {
    /// `metadata` is that of the file which the path leads to.
    #[cfg(unix)]
    pub(crate) fn from_parts(_: &Path, metadata: &Metadata) -> FileId {
        use std::os::unix::fs::MetadataExt;
        FileId::Number(metadata.dev(), metadata.ino())
    }

    /// `metadata` is that of the file which the path leads to.
    #[cfg(not(unix))]
    pub(crate) fn from_parts(path: &Path, _: &Metadata) -> FileId {
        FileId::Path(path.canonicalize().unwrap_or_else(|_| path.to_owned()))
    }
}
