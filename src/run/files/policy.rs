//! Loads rule files from disk.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use super::digesting::digest_all;
use super::shipped_rules::{read_shipped_rules, resolve_shipped_policy};
use crate::base::diagnostic::Refused;
use crate::base::digest::{Digest, Hasher};
use crate::rules::{Policies, Policy, VersionError, compile, compile_shared};
use crate::statement::parquet_as_csv;

/// Rule files are written by hand, so a larger one is a mistake.
const BYTES_MAX: u64 = 4 << 20;

/// Tables may be lists of keys, which programs write.
const TABLE_BYTES_MAX: u64 = 256 << 20;

/// Reads the text of a rule file, or of a file that a rule file uses. A Parquet file is read as the CSV text of its
/// rows.
///
/// # Errors
/// If the file cannot be read, is not UTF-8, or is larger than any rule file.
pub fn read_rules(path: &Path) -> io::Result<String> {
    if let Some(shipped) = read_shipped_rules(path) {
        return shipped.map(str::to_owned);
    }
    let most = most_bytes(path);
    let mut bytes = Vec::new();
    // Limits what is read, because a device or a pipe does not report its length.
    fs::File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let what = if most == BYTES_MAX { "4 MB, which no rule file is" } else { "256 MB, which no list is" };
        return Err(io::Error::other(format!("the file is larger than {what}")));
    }
    if has_ending(path, "parquet") {
        return parquet_as_csv(bytes).map_err(io::Error::other);
    }
    String::from_utf8(bytes).map_err(|wrong| {
        let at = wrong.utf8_error().valid_up_to();
        let line = wrong.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
        io::Error::other(format!("line {line} is not valid UTF-8"))
    })
}

fn has_ending(path: &Path, wanted: &str) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(wanted))
}

fn most_bytes(path: &Path) -> u64 {
    let is_table = ["csv", "parquet"].iter().any(|ending| has_ending(path, ending));
    if is_table { TABLE_BYTES_MAX } else { BYTES_MAX }
}

/// The digest of the bytes that [`read_rules`] reads, to notice that they changed.
pub(crate) fn digest_rules(path: &Path) -> io::Result<Digest> {
    match read_shipped_rules(path) {
        Some(shipped) => shipped.map(|text| Digest::compute(text.as_bytes())),
        None => digest_all(fs::File::open(path)?.take(most_bytes(path) + 1)),
    }
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
        /// The system's error.
        source: std::io::Error,
    },
    /// The file holds rows of a table.
    #[error(
        "`{}` is a file of rows: check the policy that names it, such as `rows = \"{}\"` of a table",
        path.display(), file_name(path)
    )]
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

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Reads one rule file: [`read_rules`], or a wrapper that also records what was read.
pub type RuleFileReader<'r> = &'r mut dyn FnMut(&Path) -> io::Result<String>;

/// The text of a policy, or of a part of one. Refuses files of table rows.
fn read_policy_text(path: &Path, read: RuleFileReader) -> Result<String, PolicyError> {
    if has_ending(path, "csv") {
        return Err(PolicyError::Rows { path: path.to_owned() });
    }
    read(path).map_err(|source| PolicyError::Io { path: path.to_owned(), source })
}

/// Checks a file without `[policy]`, which other rule files use.
///
/// # Errors
/// As [`load_policy`].
pub fn load_shared(path: impl AsRef<Path>) -> Result<Policy, PolicyError> {
    load_shared_with(path.as_ref(), &mut read_rules)
}

/// As [`load_shared`], but reads every file with `read`.
pub fn load_shared_with(path: &Path, read: RuleFileReader) -> Result<Policy, PolicyError> {
    let text = read_policy_text(path, read)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut used = |used: &str| read(&folder.join(used)).map_err(|error| error.to_string());
    compile_shared(path, &text, &mut used).map_err(PolicyError::Refused)
}

/// Reads and compiles the rule file at `path`. `overrides` replace values of its parameters. Files that it names under
/// `use` are read from the same folder. `starter`, `salary-advance` and `small-business` name the policies that are
/// compiled in, unless there is such a file or folder.
///
/// ```
/// use lendwright::load_policy;
/// let policy = load_policy("rules/starter.toml", &[("offer_step".to_owned(), "100000".to_owned())])?;
/// assert_eq!(policy.header().name, "starter");
/// assert_eq!(load_policy("starter", &[])?.header().name, "starter");
///
/// let missing = load_policy("rules/nowhere.toml", &[]).unwrap_err();
/// assert!(missing.to_string().contains("rules/nowhere.toml"));
/// # Ok::<(), lendwright::files::PolicyError>(())
/// ```
///
/// # Errors
/// [`PolicyError::Io`] if the file itself cannot be read. If a used file cannot be read, that is a diagnostic like any
/// other mistake.
pub fn load_policy(path: impl AsRef<Path>, overrides: &[(String, String)]) -> Result<Policy, PolicyError> {
    load_policy_with(path.as_ref(), overrides, &mut read_rules)
}

/// As [`load_policy`], but reads every file with `read`.
pub fn load_policy_with(
    path: &Path,
    overrides: &[(String, String)],
    read: RuleFileReader,
) -> Result<Policy, PolicyError> {
    let path = &*resolve_shipped_policy(path);
    let text = read_policy_text(path, read)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut used = |name: &str| read(&folder.join(name)).map_err(|error| error.to_string());
    compile(&path.to_string_lossy(), &text, &mut used, overrides).map_err(PolicyError::Refused)
}

/// Loads the policy of a rule file, or all versions of a policy from a folder.
///
/// ```
/// use lendwright::{PolicySet, load_policies};
/// let policies = load_policies("rules/starter.toml", &[])?;
/// assert_eq!(policies.versions().len(), 1);
/// # Ok::<(), lendwright::files::PolicyError>(())
/// ```
///
/// # Errors
/// As [`load_policy`], and [`PolicyError::Versions`] if the files of a folder are not versions of one policy.
pub fn load_policies(path: impl AsRef<Path>, overrides: &[(String, String)]) -> Result<Policies, PolicyError> {
    load_policies_with(path.as_ref(), overrides, &mut read_rules)
}

/// As [`load_policies`], but reads every file with `read`.
pub(crate) fn load_policies_with(
    path: &Path,
    overrides: &[(String, String)],
    read: RuleFileReader,
) -> Result<Policies, PolicyError> {
    let files = versions_in(path)?;
    policies_of(path, files.as_deref(), overrides, read)
}

/// The rule files of a folder; `None` if the path is a file.
fn versions_in(path: &Path) -> Result<Option<Vec<PathBuf>>, PolicyError> {
    match path.is_dir() {
        true => rule_files(path).map(Some).map_err(|source| PolicyError::Io { path: path.to_owned(), source }),
        false => Ok(None),
    }
}

fn policies_of(
    path: &Path,
    files: Option<&[PathBuf]>,
    overrides: &[(String, String)],
    read: RuleFileReader,
) -> Result<Policies, PolicyError> {
    let Some(files) = files else { return load_policy_with(path, overrides, read).map(Policies::from) };
    let mut versions = Vec::new();
    for file in files {
        match load_policy_with(file, overrides, read) {
            Ok(policy) => versions.push(policy),
            Err(PolicyError::Refused(refused)) if is_shared(&refused) => {}
            Err(error) => return Err(error),
        }
    }
    versions_of_one_policy(path, versions)
}

/// The texts of a policy's files, from which it compiles again anywhere, whatever becomes of the files.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct PolicyTexts {
    /// The rule file, or the folder, as given.
    pub path: PathBuf,
    /// The rule files of the folder.
    pub versions: Option<Vec<PathBuf>>,
    /// The text of each file that was read.
    pub texts: BTreeMap<PathBuf, String>,
}

impl fmt::Debug for PolicyTexts {
    /// Shows no text, because the keys of a list are personal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files: Vec<&PathBuf> = self.texts.keys().collect();
        f.debug_struct("PolicyTexts").field("path", &self.path).field("files", &files).finish_non_exhaustive()
    }
}

impl PolicyTexts {
    /// As [`load_policies`]; the texts come back beside the policies.
    ///
    /// # Errors
    /// As [`load_policies`].
    pub fn load(path: &Path, overrides: &[(String, String)]) -> Result<(PolicyTexts, Policies), PolicyError> {
        // Once: where it is compiled again, there may be a file of this name.
        let path = &*resolve_shipped_policy(path);
        let mut texts = BTreeMap::new();
        let mut read = |path: &Path| {
            let text = read_rules(path)?;
            texts.insert(path.to_owned(), text.clone());
            Ok(text)
        };
        let versions = versions_in(path)?;
        let policies = policies_of(path, versions.as_deref(), overrides, &mut read)?;
        Ok((PolicyTexts { path: path.to_owned(), versions, texts }, policies))
    }

    /// The digest of every path and text.
    pub fn digest(&self) -> Digest {
        let mut hasher = Hasher::new();
        // Lengths before texts: no two policies have the same bytes.
        let mut add = |text: &[u8]| {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text);
        };
        add(self.path.as_os_str().as_encoded_bytes());
        for path in self.versions.iter().flatten() {
            add(path.as_os_str().as_encoded_bytes());
        }
        for (path, text) in &self.texts {
            add(path.as_os_str().as_encoded_bytes());
            add(text.as_bytes());
        }
        hasher.finish()
    }

    /// Compiles the policies from the texts alone.
    ///
    /// # Errors
    /// As [`load_policies`].
    pub fn compile(&self, overrides: &[(String, String)]) -> Result<Policies, PolicyError> {
        let mut read = |path: &Path| {
            let text = self.texts.get(path).cloned();
            text.ok_or_else(|| io::Error::other("it is not among the files of this policy"))
        };
        policies_of(&self.path, self.versions.as_deref(), overrides, &mut read)
    }
}

/// Combines the policies of a folder into the versions of one policy. A policy that is only the challenger of another
/// is not a version.
///
/// # Errors
/// [`PolicyError::Versions`] if they are not versions of one policy.
pub fn versions_of_one_policy(folder: &Path, mut versions: Vec<Policy>) -> Result<Policies, PolicyError> {
    let challengers: Vec<_> =
        versions.iter().filter_map(|policy| policy.challenger().map(|challenger| challenger.policy.digest())).collect();
    versions.retain(|policy| !challengers.contains(&policy.digest()));
    Policies::new(versions).map_err(|source| PolicyError::Versions { path: folder.to_owned(), source })
}

/// The rule files of a folder, sorted by name. Cases files are not among them.
///
/// # Errors
/// If the folder cannot be read.
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

/// Whether the only mistake in a file is that it has no `[policy]`: other rule files use it. An empty file does not
/// count, because it may be half written.
fn is_shared(refused: &Refused) -> bool {
    let has_content = |line: &str| !line.trim_start().is_empty() && !line.trim_start().starts_with('#');
    refused.diagnostics.iter().all(|wrong| wrong.code == "missing-policy")
        && refused.sources.iter().any(|source| source.text.lines().any(has_content))
}
