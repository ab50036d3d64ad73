//! Rule files from disk. Must not know the rule language: it hands texts over.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::rules::{Policies, Policy, VersionError, compile, compile_shared};
use crate::words::diagnostic::Refused;

/// A rule file is written by hand.
const BYTES_MAX: u64 = 4 << 20;

/// The text of a rule file, or of a file that one uses.
///
/// # Errors
/// Where it cannot be read, is no text, or is larger than any rule file.
pub fn read_rules(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    // By what comes out of it: a device or a pipe has no length beforehand.
    fs::File::open(path)?.take(BYTES_MAX + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > BYTES_MAX {
        return Err(io::Error::other("the file is larger than 4 MB, which no rule file is"));
    }
    String::from_utf8(bytes).map_err(|wrong| {
        let at = wrong.utf8_error().valid_up_to();
        let line = wrong.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
        io::Error::other(format!("line {line} is no text in UTF-8"))
    })
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
    /// The file holds rows of a table.
    #[error("`{}` is a file of rows: it is checked with the policy whose table says `rows = \"{}\"`", path.display(), name(path))]
    Rows {
        /// The file.
        path: PathBuf,
    },
    /// The file has mistakes; all of them are listed.
    #[error("{0}")]
    Refused(Refused),
    /// The files of a folder are not versions of one policy.
    #[error("{}: {source}", path.display())]
    Versions {
        /// The folder.
        path: PathBuf,
        /// What is wrong.
        source: VersionError,
    },
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// How a rule file is read: [`read_rules`], with whatever is noted of it.
pub(crate) type Reader<'r> = &'r mut dyn FnMut(&Path) -> io::Result<String>;

/// The text of a file that is to be a policy, or part of one.
fn rules_of(path: &Path, read: Reader) -> Result<String, PolicyError> {
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv")) {
        return Err(PolicyError::Rows { path: path.to_owned() });
    }
    read(path).map_err(|source| PolicyError::Io { path: path.to_owned(), source })
}

/// Checks a file that has no `[policy]` of its own and is there to be used by others.
///
/// # Errors
/// As [`load_policy`].
pub fn load_shared(path: impl AsRef<Path>) -> Result<Policy, PolicyError> {
    let path = path.as_ref();
    let text = rules_of(path, &mut read_rules)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut used = |used: &str| read_rules(&folder.join(used)).map_err(|error| error.to_string());
    compile_shared(path, &text, &mut used).map_err(PolicyError::Refused)
}

/// Reads and compiles the rule file at `path`, with parameters given from outside. What its `use` names is looked for beside it.
///
/// # Errors
/// [`PolicyError::Io`] for the file itself; a file that is used and cannot be read is a diagnostic like any other mistake.
pub fn load_policy(path: impl AsRef<Path>, overrides: &[(String, String)]) -> Result<Policy, PolicyError> {
    policy_by(path.as_ref(), overrides, &mut read_rules)
}

fn policy_by(path: &Path, overrides: &[(String, String)], read: Reader) -> Result<Policy, PolicyError> {
    let text = rules_of(path, read)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut used = |name: &str| read(&folder.join(name)).map_err(|error| error.to_string());
    compile(&path.to_string_lossy(), &text, &mut used, overrides).map_err(PolicyError::Refused)
}

/// Loads the policy of a rule file, or the versions of one that a folder holds.
///
/// # Errors
/// As [`load_policy`]; [`PolicyError::Versions`] where the files of a folder are not versions of one policy.
pub fn load_policies(path: impl AsRef<Path>, overrides: &[(String, String)]) -> Result<Policies, PolicyError> {
    policies_by(path.as_ref(), overrides, &mut read_rules)
}

/// The same, by a reader that is asked for every file.
pub(crate) fn policies_by(path: &Path, overrides: &[(String, String)], read: Reader) -> Result<Policies, PolicyError> {
    if !path.is_dir() {
        return policy_by(path, overrides, read).map(Policies::from);
    }
    let mut versions = Vec::new();
    for file in rule_files(path).map_err(|source| PolicyError::Io { path: path.to_owned(), source })? {
        match policy_by(&file, overrides, read) {
            Ok(policy) => versions.push(policy),
            Err(PolicyError::Refused(refused)) if is_shared(&refused) => {}
            Err(error) => return Err(error),
        }
    }
    in_order(path, versions)
}

/// The policies of a folder as versions of one; what one only challenges another with is none.
///
/// # Errors
/// [`PolicyError::Versions`] where they are not.
pub fn in_order(folder: &Path, mut versions: Vec<Policy>) -> Result<Policies, PolicyError> {
    let trials: Vec<_> =
        versions.iter().filter_map(|policy| policy.challenger().map(|challenger| challenger.policy.digest())).collect();
    versions.retain(|policy| !trials.contains(&policy.digest()));
    Policies::new(versions).map_err(|source| PolicyError::Versions { path: folder.to_owned(), source })
}

/// The rule files of a folder in the order of their names, without those that hold cases.
///
/// # Errors
/// Where the folder cannot be read.
pub fn rule_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.to_string_lossy();
        if name.ends_with(".toml") && !name.ends_with(".cases.toml") && path.is_file() {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// Whether a file is without fault but that it is no policy: others use it. One that says nothing is of no use to them; it may be half written.
fn is_shared(refused: &Refused) -> bool {
    let says = |line: &str| !line.trim_start().is_empty() && !line.trim_start().starts_with('#');
    refused.diagnostics.iter().all(|wrong| wrong.code == "missing-policy")
        && refused.sources.iter().any(|source| source.text.lines().any(says))
}
