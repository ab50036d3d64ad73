//! Rule files from disk. Must not know the rule language: it hands texts over.

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::rules::{Policy, compile, compile_shared};
use crate::words::diagnostic::Refused;

/// A rule file is written by hand.
const BYTES_MAX: u64 = 4 << 20;

/// The text of a rule file, or of a file that one uses.
pub(crate) fn read_rules(path: &Path) -> io::Result<String> {
    if fs::metadata(path)?.len() > BYTES_MAX {
        return Err(io::Error::other("the file is larger than 4 MB, which no rule file is"));
    }
    fs::read_to_string(path)
}

/// Why a rule file gave no policy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// The file cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file has mistakes; all of them are listed.
    #[error("{0}")]
    Refused(Refused),
}

/// Checks a file that has no `[policy]` of its own and is there to be used by others.
///
/// # Errors
/// As [`load_policy`].
pub fn load_shared(path: impl AsRef<Path>) -> Result<Policy, PolicyError> {
    let path = path.as_ref();
    let text = read_rules(path).map_err(|source| PolicyError::Io { path: path.to_owned(), source })?;
    let mut used = |name: &str| read_rules(Path::new(name)).map_err(|error| error.to_string());
    compile_shared(&path.to_string_lossy(), &text, &mut used).map_err(PolicyError::Refused)
}

/// Reads and compiles the rule file at `path`, with parameters given from outside. What its `use` names is looked for beside it.
///
/// # Errors
/// [`PolicyError::Io`] for the file itself; a file that is used and cannot be read is a diagnostic like any other mistake.
pub fn load_policy(path: impl AsRef<Path>, overrides: &[(String, String)]) -> Result<Policy, PolicyError> {
    let path = path.as_ref();
    let text = read_rules(path).map_err(|source| PolicyError::Io { path: path.to_owned(), source })?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut used = |name: &str| read_rules(&folder.join(name)).map_err(|error| error.to_string());
    compile(&path.to_string_lossy(), &text, &mut used, overrides).map_err(PolicyError::Refused)
}
