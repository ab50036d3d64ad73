//! A recorded decision as commands read it back: the keys that they need, in the record's own shapes. Knows nothing of
//! how it came about.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::output::Failure;
use crate::wire::Offer;
use crate::words::date::Day;

/// The outcome of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    Offer,
    Decline,
    Refer,
}

/// The policy that decided.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct RecordedPolicy {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) file: Option<String>,
    pub(crate) digest: String,
}

/// Why there is no plain offer.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Reason {
    pub(crate) id: String,
    pub(crate) text: String,
}

/// A decision, read back.
#[derive(Debug, Deserialize)]
pub(crate) struct Record {
    #[serde(default)]
    pub(crate) customer: Option<String>,
    pub(crate) statement: String,
    #[serde(default)]
    pub(crate) as_of: Option<Day>,
    pub(crate) policy: RecordedPolicy,
    pub(crate) outcome: Outcome,
    pub(crate) reasons: Vec<Reason>,
    #[serde(default)]
    pub(crate) score: Value,
    #[serde(default)]
    pub(crate) grade: BTreeMap<String, Value>,
    pub(crate) metrics: BTreeMap<String, Value>,
    #[serde(default)]
    pub(crate) unknown: BTreeMap<String, String>,
    pub(crate) offers: Vec<Offer>,
    #[serde(default)]
    pub(crate) parameters: BTreeMap<String, Value>,
    #[serde(default)]
    pub(crate) request: Option<Box<RawValue>>,
}

impl Record {
    /// Reads one line of `decide`.
    pub(crate) fn read(line: &str) -> Result<Record, Failure> {
        // The reader's own words may repeat what the decision says of a customer; the place does not.
        serde_json::from_str(line).map_err(|error| {
            Failure::Said(format!("{}:{}: not a decision as `lendwright decide` prints it", error.line(), error.column()))
        })
    }
}
