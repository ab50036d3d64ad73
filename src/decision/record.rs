//! A decision as it is written down: one JSON object with a fixed order of keys. Knows nothing of how it came about.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::rules::{Arm, Effect, Policy};
use crate::statement::Quality;
use crate::wire::Offer;
use crate::words::date::Day;
use crate::words::digest::Digest;

/// What becomes of the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Offers are made.
    Offer,
    /// A person looks at it; no offer is made.
    Refer,
    /// No offer is made.
    Decline,
}

impl Outcome {
    /// As decisions say it: `offer`, `refer`, `decline`.
    pub const fn word(self) -> &'static str {
        match self {
            Outcome::Offer => "offer",
            Outcome::Refer => "refer",
            Outcome::Decline => "decline",
        }
    }
}

/// The policy that decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyRecord {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Stands for every byte of its files.
    pub digest: Digest,
    /// The file it was read from, as given.
    pub file: String,
}

impl PolicyRecord {
    /// What a decision says of the policy that made it.
    pub fn of(policy: &Policy) -> PolicyRecord {
        PolicyRecord {
            name: policy.header().name.clone(),
            version: policy.header().version.clone(),
            digest: policy.digest(),
            file: policy.file().to_owned(),
        }
    }
}

/// Why the outcome is no offer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReasonRecord {
    /// The requirement's id, `NO_OFFER`, `OFFER_UNKNOWN`, `POLICY_DATES` or `INPUT_MISSING`.
    pub id: String,
    /// What it leads to.
    pub effect: Effect,
    /// In words.
    pub text: String,
}

/// Points that an item of the score cost: what it could have given at best, less what it gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PointsLost {
    /// The item's code.
    pub id: String,
    /// In words.
    pub text: String,
    /// How many.
    pub lost: f64,
}

/// What can be had instead of what was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CounterOffer {
    /// What was asked for, in minor units.
    pub asked_amount: Option<i64>,
    /// The tenure asked for.
    pub asked_tenure: Option<i64>,
    /// The most that is offered.
    pub amount: i64,
    /// Over which tenure.
    pub tenure: u32,
    /// What stands in the way: `amount`, `cap: ...`, `exposure`, `step`, `tenure`.
    pub limited_by: Vec<String>,
}

/// What the decision is a function of, beside the policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digests {
    /// The statement's content.
    pub statement: Digest,
    /// All parameters in force.
    pub parameters: Digest,
}

/// Records of decisions that say nothing were made for a given day.
fn yes() -> bool {
    true
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde passes a reference
fn is_true(value: &bool) -> bool {
    *value
}

/// A decision on one statement. Money is in minor units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// Whom it is about: as the request says, else as the statement says.
    pub customer: Option<String>,
    /// The statement's file or reference, as given.
    pub statement: String,
    /// The offer request that the statement was pulled for, where its file says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The day it is decided for; null for an empty statement without one given.
    pub as_of: Option<Day>,
    /// Whether somebody gave that day. Where nobody did it is the day of the last record, and what depends on today is
    /// unknown.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub as_of_given: bool,
    /// Which policy.
    pub policy: PolicyRecord,
    /// Which of two policies decided, where customers are split between them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arm: Option<Arm>,
    /// Which lendwright.
    pub engine: String,
    /// Offer, refer or decline.
    pub outcome: Outcome,
    /// Every requirement that was not met, in the policy's order.
    pub reasons: Vec<ReasonRecord>,
    /// The score, where the policy has one and it is known.
    pub score: Option<f64>,
    /// The items of the score that cost most, where they have codes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points_lost: Vec<PointsLost>,
    /// Outputs of the tables; null where unknown.
    pub grade: BTreeMap<String, serde_json::Value>,
    /// Metrics; null where unknown.
    pub metrics: BTreeMap<String, serde_json::Value>,
    /// Why what is null is unknown: metrics, the score, outputs of tables.
    pub unknown: BTreeMap<String, String>,
    /// What was repaired, dropped or odd in the statement.
    pub quality: Quality,
    /// The offers; empty unless the outcome is `offer`.
    pub offers: Vec<Offer>,
    /// Where the offers are not what was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counter_offer: Option<CounterOffer>,
    /// The request's fields that the policy declares, as given.
    pub request: BTreeMap<String, serde_json::Value>,
    /// Parameters given from outside.
    pub parameters: BTreeMap<String, String>,
    /// What it is a function of.
    pub digests: Digests,
}

impl Decision {
    /// One line of JSON, without a newline.
    pub fn to_line(&self) -> String {
        // Every field serialises: text keys, finite numbers.
        serde_json::to_string(self).unwrap_or_default()
    }
}
