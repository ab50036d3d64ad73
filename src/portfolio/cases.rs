//! A cases file: people made up, and what a policy is to make of them. Knows nothing of how a policy decides.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::expect::Expect;
use super::mistakes::{self, Slip};
use super::records::Entry;
use crate::words::diagnostic::Refused;

/// What a cases file holds. `docs/guides/cases.md` shows one.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cases {
    /// Records by name, for cases that share them.
    #[serde(default)]
    pub records: BTreeMap<String, Vec<Entry>>,
    /// The cases.
    pub case: Vec<Case>,
    /// The file that they were read from.
    #[serde(skip)]
    pub(super) file: PathBuf,
    /// Its text, for the places of mistakes.
    #[serde(skip)]
    pub(super) text: String,
}

/// One person, and what is expected.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// What it is about.
    pub name: String,
    /// The day to decide for.
    pub as_of: Option<String>,
    /// A statement's file, beside the cases file; instead of records.
    pub statement: Option<PathBuf>,
    /// Names under `[records]`.
    #[serde(default)]
    pub records: Vec<String>,
    /// Records of this case alone.
    #[serde(default)]
    pub also: Vec<Entry>,
    /// Metrics that are known already, instead of a statement: as a decision writes them, money in minor units.
    #[serde(default)]
    pub metrics: Map<String, Value>,
    /// Fields of the request.
    #[serde(default)]
    pub request: Map<String, Value>,
    /// Parameters that this case sets otherwise.
    #[serde(default)]
    pub parameters: BTreeMap<String, String>,
    /// What must come out.
    pub expect: Expect,
    /// Which of the file's cases it is, from 0.
    #[serde(skip)]
    pub(super) number: usize,
}

/// Why cases cannot be tried.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaseError {
    /// The file cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file has mistakes; all that could be found are listed.
    #[error("{0}")]
    Refused(Refused),
    /// The rule file has mistakes.
    #[error(transparent)]
    Policy(#[from] crate::files::PolicyError),
}

impl Cases {
    /// Where the cases of a policy are: `NAME.cases.toml` beside `NAME.toml`, or beside the folder `NAME`.
    pub fn beside(policy: &Path) -> PathBuf {
        // A folder that is named from inside, `.`, has its name from outside.
        let real = if policy.file_name().is_none() { policy.canonicalize().ok() } else { None };
        match real.as_deref().and_then(Path::file_name) {
            Some(name) if policy == Path::new(".") => Path::new("..").join(name).with_extension("cases.toml"),
            Some(name) => policy.join("..").join(name).with_extension("cases.toml"),
            None => policy.with_extension("cases.toml"),
        }
    }

    /// Reads a cases file.
    ///
    /// # Errors
    /// Where it cannot be read, is no TOML, has a key that is not known, or no case.
    pub fn read(path: &Path) -> Result<Cases, CaseError> {
        let text = std::fs::read_to_string(path).map_err(|source| CaseError::Io { path: path.to_owned(), source })?;
        Self::parse(path, text).map_err(CaseError::Refused)
    }

    /// Reads the text of the cases file `file`.
    pub(super) fn parse(file: &Path, text: String) -> Result<Cases, Refused> {
        let mut cases: Cases = toml::from_str(&text).map_err(|wrong| mistakes::unreadable(file, &text, &wrong))?;
        if cases.case.is_empty() {
            return Err(mistakes::empty(file, &text));
        }
        (cases.file, cases.text) = (file.to_owned(), text);
        cases.case.iter_mut().enumerate().for_each(|(number, case)| case.number = number);
        let slips = cases.case.iter().filter_map(|case| {
            let (keys, message) = case.expect.makes_sense().err()?;
            let keys = std::iter::once("expect".to_owned()).chain(keys).collect();
            Some(Slip { case: case.number, keys, message, help: None })
        });
        let slips: Vec<Slip> = slips.collect();
        if slips.is_empty() { Ok(cases) } else { Err(mistakes::refused(&cases, slips)) }
    }
}
