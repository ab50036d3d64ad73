//! The record of a decision: one JSON object with a fixed order of keys.

use std::collections::BTreeMap;
use std::ops::Deref;

use serde::{Deserialize, Serialize};

use crate::base::date::Day;
use crate::base::digest::Digest;
use crate::provider::wire::Offer;
use crate::rules::{Arm, Effect, Policy};
use crate::statement::Quality;

/// What the request leads to.
///
/// ```
/// use lendwright::Outcome;
/// assert_eq!(serde_json::to_string(&Outcome::Refer)?, r#""refer""#);
/// // The better outcome is the smaller one, so the worst of several is their maximum.
/// assert_eq!([Outcome::Offer, Outcome::Decline, Outcome::Refer].into_iter().max(), Some(Outcome::Decline));
/// # Ok::<(), serde_json::Error>(())
/// ```
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
    /// The word in a decision: `offer`, `refer`, `decline`.
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
#[non_exhaustive]
pub struct PolicyRecord {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The digest of every byte of its files.
    pub digest: Digest,
    /// Its file, as given.
    pub file: String,
    /// The digest of its file of corrections, if it names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrections: Option<Digest>,
    /// The digests of the files of its lists, by the names of the lists.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub lists: BTreeMap<String, Digest>,
}

impl PolicyRecord {
    /// The record of a policy.
    pub fn from_policy(policy: &Policy) -> PolicyRecord {
        PolicyRecord {
            name: policy.header().name.clone(),
            version: policy.header().version.clone(),
            digest: policy.digest(),
            file: policy.file().to_owned(),
            corrections: policy.corrections_digest(),
            lists: policy.list_digests(),
        }
    }
}

/// A reason that the outcome is not an offer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReasonRecord {
    /// The requirement's id, `NO_OFFER`, `OFFER_UNKNOWN`, `POLICY_DATES` or `INPUT_MISSING`.
    pub id: String,
    /// The requirement's title, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it leads to.
    pub effect: Effect,
    /// In words.
    pub text: String,
}

/// Points that an item of the score lost: its best less what it gained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PointsLost {
    /// The item's code.
    pub id: String,
    /// In words.
    pub text: String,
    /// How many.
    pub lost: f64,
}

/// An offer of a decision: what is sent to the provider, and what is known of it besides. Money is in minor units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct OfferRecord {
    /// The offer as it is sent.
    #[serde(flatten)]
    pub offer: Offer,
    /// The id of the policy's offer.
    #[serde(default)]
    pub rule: String,
    /// The largest payment: principal and interest, without an added fee, which is due with the first payment.
    #[serde(default)]
    pub instalment: i64,
    /// The number of payments.
    #[serde(default)]
    pub instalments: u32,
    /// The day of each payment; null if unknown, as `docs/reference/pricing.md` says.
    #[serde(default)]
    pub due_dates: Option<Vec<Day>>,
    /// What `interest` is for, as an ISO 8601 period; null if it is no whole number of the policy's tenure units.
    #[serde(default)]
    pub rate_period: Option<String>,
    /// The APR in percent; null if there is none.
    #[serde(default)]
    pub apr: Option<f64>,
    /// The effective annual rate in percent; null if there is none.
    #[serde(default)]
    pub effective_rate: Option<f64>,
}

impl Deref for OfferRecord {
    type Target = Offer;

    fn deref(&self) -> &Offer {
        &self.offer
    }
}

impl From<OfferRecord> for Offer {
    /// What is sent.
    fn from(record: OfferRecord) -> Offer {
        record.offer
    }
}

/// What is offered instead of what was requested.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CounterOffer {
    /// The requested amount, in minor units.
    pub asked_amount: Option<i64>,
    /// The requested tenure.
    pub asked_tenure: Option<i64>,
    /// The greatest amount offered.
    pub amount: i64,
    /// Its tenure.
    pub tenure: u32,
    /// What limits it: `amount`, `cap: ...`, `exposure`, `step`, `tenure`.
    pub limited_by: Vec<String>,
}

/// Digests of what the decision is a function of, besides the policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Digests {
    /// The statement's content.
    pub statement: Digest,
    /// All parameters in force.
    pub parameters: Digest,
}

/// Decisions recorded without `as_of_given` were made for a given day.
fn default_as_of_given() -> bool {
    true
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde passes a reference
fn is_true(value: &bool) -> bool {
    *value
}

/// A decision on one statement. Money is in minor units.
///
/// ```
/// use lendwright::{Decision, Request, decide, load_policies, read_json, reading};
///
/// let policies = load_policies("rules/starter.toml", &[])?;
/// let body = br#"{"status": "success", "data": {"transactions": []}}"#;
/// let statements = read_json(body, "reference 17", &reading(&policies))?;
/// let decision = &decide(&policies, &statements, &Request::default())?[0];
/// for reason in &decision.reasons {
///     println!("{}: {}", reason.id, reason.text);
/// }
/// // One line of JSON, which reads back as the same decision.
/// assert_eq!(&serde_json::from_str::<Decision>(&decision.to_line())?, decision);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Decision {
    /// The customer: from the request, else from the statement.
    pub customer: Option<String>,
    /// The statement's file or reference, as given.
    pub statement: String,
    /// The offer request that the statement was pulled for, if its file names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The day of the decision; null for an empty statement if no day was given.
    pub as_of: Option<Day>,
    /// Whether that day was given. Otherwise it is the day of the last record, and what depends on today is unknown.
    #[serde(default = "default_as_of_given", skip_serializing_if = "is_true")]
    pub as_of_given: bool,
    /// The policy.
    pub policy: PolicyRecord,
    /// Champion or challenger, if customers are split between two policies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arm: Option<Arm>,
    /// The version of lendwright and the release of its time zones: `lendwright 0.1.0, time zones 2026f`.
    pub engine: String,
    /// Offer, refer or decline.
    pub outcome: Outcome,
    /// Every requirement that was not met, in the policy's order.
    pub reasons: Vec<ReasonRecord>,
    /// The score, if the policy has one and it is known.
    pub score: Option<f64>,
    /// The items of the score that lost most points, if they have codes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points_lost: Vec<PointsLost>,
    /// Outputs of the tables; null where unknown.
    pub grade: BTreeMap<String, serde_json::Value>,
    /// Metrics; null where unknown.
    pub metrics: BTreeMap<String, serde_json::Value>,
    /// Why a null is unknown: metrics, the score, outputs of tables.
    pub unknown: BTreeMap<String, String>,
    /// What was repaired, dropped or odd in the statement.
    pub quality: Quality,
    /// The offers; empty unless the outcome is `offer`.
    pub offers: Vec<OfferRecord>,
    /// What is offered instead, if the offers are not what was requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counter_offer: Option<CounterOffer>,
    /// The request's fields that the policy declares, as given.
    pub request: BTreeMap<String, serde_json::Value>,
    /// Parameters that were overridden.
    pub parameters: BTreeMap<String, String>,
    /// What it is a function of.
    pub digests: Digests,
}

impl Decision {
    /// One line of JSON, without a newline.
    pub fn to_line(&self) -> String {
        // Every field serializes: text keys, finite numbers.
        serde_json::to_string(self).unwrap_or_default()
    }
}
