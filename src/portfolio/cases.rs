//! A cases file: invented people, and what a policy is expected to decide.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::expect::Expect;
use super::mistakes::{self, Slip};
use super::records::CaseRecord;
use crate::base::diagnostic::Refused;

/// A cases file. `docs/guides/cases.md` shows one.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cases {
    /// Records by name, for cases that share them.
    #[serde(default)]
    pub records: BTreeMap<String, Vec<CaseRecord>>,
    /// The cases.
    pub case: Vec<Case>,
    /// The file that they were read from.
    #[serde(skip)]
    pub(super) file: PathBuf,
    /// Its text, to show where mistakes are.
    #[serde(skip)]
    pub(super) text: String,
}

/// One person, and the expected decision.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// What the case shows.
    pub name: String,
    /// The day to decide for.
    pub as_of: Option<String>,
    /// A statement file beside the cases file, instead of records.
    pub statement: Option<PathBuf>,
    /// Names under `[records]`.
    #[serde(default)]
    pub records: Vec<String>,
    /// Records of this case only.
    #[serde(default)]
    pub also: Vec<CaseRecord>,
    /// Known metrics instead of a statement; money in major units.
    #[serde(default)]
    pub metrics: Map<String, Value>,
    /// Fields of the request; money in major units.
    #[serde(default)]
    pub request: Map<String, Value>,
    /// Parameters that this case overrides.
    #[serde(default)]
    pub parameters: BTreeMap<String, String>,
    /// The expected decision.
    pub expect: Expect,
    /// Its index in the file, from 0.
    #[serde(skip)]
    pub(super) number: usize,
}

/// Why cases cannot be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaseError {
    /// The file cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The cases file has mistakes. Lists all that could be found.
    #[error("{0}")]
    Refused(Refused),
    /// The rule file has mistakes.
    #[error(transparent)]
    Policy(#[from] crate::run::files::PolicyError),
}

impl Cases {
    /// Where the cases of a policy are: `NAME.cases.toml` beside `NAME.toml`, or beside the folder `NAME`.
    pub fn beside(policy: &Path) -> PathBuf {
        // `.` has no name, so take the folder's real one.
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
    /// If it cannot be read, is not TOML, has an unknown key, or has no case.
    pub fn read(path: &Path) -> Result<Cases, CaseError> {
        let text = std::fs::read_to_string(path).map_err(|source| CaseError::Io { path: path.to_owned(), source })?;
        Self::parse(path, text).map_err(CaseError::Refused)
    }

    /// The diagnostics of slips in the file.
    pub(super) fn refuse(&self, slips: Vec<Slip>) -> Refused {
        mistakes::slips_as_diagnostics(&self.file, &self.text, slips)
    }

    /// Reads the text of the cases file `file`.
    pub(super) fn parse(file: &Path, text: String) -> Result<Cases, Refused> {
        let mut cases: Cases =
            toml::from_str(&text).map_err(|wrong| mistakes::unreadable_cases_file(file, &text, &wrong))?;
        if cases.case.is_empty() {
            return Err(mistakes::empty_cases_file(file, &text));
        }
        (cases.file, cases.text) = (file.to_owned(), text);
        cases.case.iter_mut().enumerate().for_each(|(number, case)| case.number = number);
        let slips = cases.case.iter().filter_map(|case| {
            let (keys, message) = case.expect.makes_sense().err()?;
            let keys = std::iter::once("expect".to_owned()).chain(keys).collect();
            Some(Slip { case: case.number, name: case.name.clone(), keys, message, help: None })
        });
        let slips: Vec<Slip> = slips.collect();
        if slips.is_empty() { Ok(cases) } else { Err(cases.refuse(slips)) }
    }
}
