//! Rule files from disk. Must not know the rule language: it hands texts over.

use std::fs;
use std::path::{Path, PathBuf};

use crate::rules::{Policy, compile};
use crate::words::diagnostic::Refused;

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

/// Reads and compiles the rule file at `path`, with parameters given from outside. What its `use` names is looked for beside it.
///
/// # Errors
/// [`PolicyError::Io`] for the file itself; a file that is used and cannot be read is a diagnostic like any other mistake.
pub fn load_policy(path: impl AsRef<Path>, overrides: &[(String, String)]) -> Result<Policy, PolicyError> {
    let path = path.as_ref();
    let text = fs::read_to_string(path).map_err(|source| PolicyError::Io { path: path.to_owned(), source })?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut read = |name: &str| fs::read_to_string(folder.join(name)).map_err(|error| error.to_string());
    compile(&path.to_string_lossy(), &text, &mut read, overrides).map_err(PolicyError::Refused)
}
