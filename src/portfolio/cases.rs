//! A cases file: people made up, and what a policy is to make of them. Knows nothing of how a policy decides.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::records::Entry;

/// What a cases file holds. `docs/rules/cases.md` shows one.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cases {
    /// Records by name, for cases that share them.
    #[serde(default)]
    pub records: BTreeMap<String, Vec<Entry>>,
    /// The cases.
    pub case: Vec<Case>,
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
}

/// What must come out. Outcome, reasons and offers are always compared, the others where they are given.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// `offer`, `refer` or `decline`.
    pub outcome: String,
    /// Every reason's id, in order.
    #[serde(default)]
    pub reasons: Vec<String>,
    /// The score.
    pub score: Option<Value>,
    /// Outputs of tables.
    #[serde(default)]
    pub grade: Map<String, Value>,
    /// Metrics; money in minor units.
    #[serde(default)]
    pub metrics: Map<String, Value>,
    /// Why metrics are unknown.
    #[serde(default)]
    pub unknown: BTreeMap<String, String>,
    /// Every offer: tenure, amount, to pay back.
    #[serde(default)]
    pub offers: Vec<(u32, i64, i64)>,
    /// How far numbers may be off, relative to what is expected.
    #[serde(default = "tolerance")]
    pub tolerance: f64,
}

fn tolerance() -> f64 {
    1e-9
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
    /// The file is no cases file.
    #[error("{}: {problem}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong, with its place.
        problem: String,
    },
    /// A case makes no sense.
    #[error("{}: case `{case}`: {problem}", path.display())]
    Case {
        /// The file.
        path: PathBuf,
        /// The case's name.
        case: String,
        /// What is wrong.
        problem: String,
    },
    /// The rule file has mistakes.
    #[error(transparent)]
    Policy(#[from] crate::files::PolicyError),
}

impl Cases {
    /// Where the cases of a policy are: `NAME.cases.toml` beside `NAME.toml`.
    pub fn beside(policy: &Path) -> PathBuf {
        policy.with_extension("cases.toml")
    }

    /// Reads a cases file.
    ///
    /// # Errors
    /// Where it cannot be read, is no TOML, has a key that is not known, or no case.
    pub fn read(path: &Path) -> Result<Cases, CaseError> {
        let text = std::fs::read_to_string(path).map_err(|source| CaseError::Io { path: path.to_owned(), source })?;
        Self::parse(&text).map_err(|problem| CaseError::File { path: path.to_owned(), problem })
    }

    /// Reads the text of a cases file; otherwise what is wrong with it.
    pub(super) fn parse(text: &str) -> Result<Cases, String> {
        let cases: Cases = toml::from_str(text).map_err(|error| error.to_string().trim_end().to_owned())?;
        if cases.case.is_empty() {
            return Err("there is no [[case]] in it".to_owned());
        }
        cases
            .case
            .iter()
            .try_for_each(|case| case.expect.makes_sense().map_err(|why| format!("case `{}`: {why}", case.name)))?;
        Ok(cases)
    }
}

impl Expect {
    fn makes_sense(&self) -> Result<(), String> {
        if !(0.0..=1.0).contains(&self.tolerance) {
            return Err(format!("a tolerance of {}: it is a share of what is expected, from 0 to 1", self.tolerance));
        }
        let named = self.grade.iter().chain(&self.metrics).map(|(name, value)| (name.as_str(), value));
        for (name, value) in named.chain(self.score.iter().map(|score| ("score", score))) {
            let Value::Object(near) = value else { continue };
            let number = |key: &str| near.get(key).and_then(Value::as_f64);
            let told = number("value").is_some() && number("within").is_some_and(|within| within >= 0.0);
            if !told || near.len() != 2 {
                return Err(format!("`{name}` is written as a number, or as {{ value = 0.31, within = 0.01 }}"));
            }
        }
        Ok(())
    }
}
