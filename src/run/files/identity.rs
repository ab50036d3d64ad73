//! The identity of a file. One file has many paths, links among them.

use std::fs::Metadata;
use std::path::Path;

/// Equal for all paths to the same file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FileId {
    /// The device and the inode number. Hard links share both.
    #[cfg(unix)]
    Number(u64, u64),
    /// The path with links resolved.
    #[cfg(not(unix))]
    Path(std::path::PathBuf),
}

impl FileId {
    /// `metadata` belongs to the file at the end of the path.
    #[cfg(unix)]
    pub(crate) fn from_parts(_: &Path, metadata: &Metadata) -> FileId {
        use std::os::unix::fs::MetadataExt;
        FileId::Number(metadata.dev(), metadata.ino())
    }

    /// `metadata` belongs to the file at the end of the path.
    #[cfg(not(unix))]
    pub(crate) fn from_parts(path: &Path, _: &Metadata) -> FileId {
        FileId::Path(path.canonicalize().unwrap_or_else(|_| path.to_owned()))
    }
}
