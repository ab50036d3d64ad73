//! How a decision came about, as data: the output of `explain` for programs, and the source of texts and pages. Knows
//! nothing of presentation.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::base::date::Day;
use crate::base::money::Currency;
use crate::engine::decision::Decision;
use crate::rules::Effect;
use crate::statement::OwnTransfer;

/// How one decision came about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Explanation {
    /// The decision, as `decide` gives it.
    pub decision: Decision,
    /// The currency of all money.
    pub currency: Currency,
    /// Every requirement, in the policy's order.
    pub requirements: Vec<RequirementExplained>,
    /// The score, item by item, if the policy has one.
    pub score: Option<ScoreExplained>,
    /// Every table.
    pub tables: Vec<TableExplained>,
    /// Every offer of the policy, made or not; if the outcome is not an offer, as it would be.
    pub offers: Vec<OfferExplained>,
    /// The numbers used above, and the numbers they are made of, each once.
    pub numbers: Vec<Number>,
    /// The records behind the numbers, in the statement's order, each once.
    pub records: Vec<Record>,
    /// The totals of each day with a record.
    pub days: Vec<DayTotals>,
    /// The statement in a few figures.
    #[serde(default)]
    pub summary: StatementSummary,
    /// Transfers between the customer's own accounts, which no number above includes, if several accounts were merged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own_transfers: Vec<OwnTransfer>,
}

/// Where one number comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Evidence {
    /// The customer: from the request, else from the statement.
    pub customer: Option<String>,
    /// The statement's file or reference, as given.
    pub statement: String,
    /// The day it is computed for.
    pub as_of: Option<Day>,
    /// The currency of all money.
    pub currency: Currency,
    /// Name and version of the policy.
    pub policy: (String, String),
    /// The requested number.
    pub metric: String,
    /// The number and those it is made of, itself first; empty if this version of the policy lacks it.
    pub numbers: Vec<Number>,
    /// The records behind them.
    pub records: Vec<Record>,
    /// Transfers between the customer's own accounts, which no number above includes, if several accounts were merged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own_transfers: Vec<OwnTransfer>,
}

/// A value, exact for programs and as text for people.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Figure {
    /// Money in minor units, dates as `2026-06-30`; null if unknown.
    pub value: serde_json::Value,
    /// The value for people; if unknown, the reason.
    pub text: String,
    /// Whether it is approximate, such as a standard deviation: then comparisons with it use doubles.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub approximate: bool,
}

impl Figure {
    pub(super) fn exact(value: impl Into<serde_json::Value>, text: String) -> Self {
        Self { value: value.into(), text, approximate: false }
    }
}

/// A value with its name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Named {
    /// As written in the policy; for a parameter with its `$`.
    pub name: String,
    /// Its value.
    #[serde(flatten)]
    pub figure: Figure,
}

/// What a number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NumberKind {
    /// A metric.
    Metric,
    /// The score.
    Score,
    /// An output of a table.
    Output,
    /// An input besides the statement: `request.NAME`, `bureau.NAME`.
    Input,
    /// A fact of the statement that needs no rule, such as `as_of`.
    Fact,
    /// An aggregate without a name, in a condition or an amount.
    Expression,
}

/// One number: its value, what it is made of, and what was counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Number {
    /// Its unique name.
    pub name: String,
    /// What it is.
    pub kind: NumberKind,
    /// As written; for a table's output, the table.
    pub formula: String,
    /// The parameters that it uses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<Named>,
    /// Its value.
    #[serde(flatten)]
    pub figure: Figure,
    /// The numbers that it is made of.
    pub made_of: Vec<String>,
    /// What each of its aggregates counted.
    pub counted: Vec<Counted>,
}

/// What an aggregate counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Counted {
    /// Records.
    Records(Vec<CountedRecord>),
    /// Groups of records: months, days, counterparties; or entries of a list that the request or the bureau brings.
    Groups(CountedGroups),
}

/// The groups that an aggregate counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CountedGroups {
    /// The kind of group: `month`, `week`, `day`, `counterparty`, `stream`; or `entry`.
    pub of: Cow<'static, str>,
    /// The groups.
    pub groups: Vec<CountedGroup>,
}

/// A record that was counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CountedRecord {
    /// Its [`Record::row`].
    pub row: usize,
    /// The counted value, if it is not the record's own amount, day or narration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<Figure>,
    /// Whether this record decides the value: the greatest, the first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub decides: bool,
}

/// A group of records that was counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CountedGroup {
    /// A month as `2026-06`, a week or a day by its date, a counterparty by its name, an entry by its number.
    pub name: String,
    /// The counted value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<Figure>,
    /// Whether this group decides the value: the greatest, the first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub decides: bool,
    /// The records behind it, by [`Record::row`].
    pub rows: Vec<usize>,
}

/// A record of the statement. Money is in minor units.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Record {
    /// Its number in the statement: from 1, by day.
    pub row: usize,
    /// The provider's id.
    pub id: Option<String>,
    /// The day of the transaction.
    pub day: Option<Day>,
    /// The amount in.
    pub credit: Option<i64>,
    /// The amount out.
    pub debit: Option<i64>,
    /// The balance afterwards.
    pub balance: Option<i64>,
    /// The bank's text.
    pub narration: Option<String>,
}

/// The totals of one day. Money is in minor units.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DayTotals {
    /// The day.
    pub day: Day,
    /// All that came in.
    pub inflow: i64,
    /// All that went out.
    pub outflow: i64,
    /// The last balance of the day, if there is one.
    pub balance: Option<i64>,
}

/// The records that count in a few figures. Money is in minor units.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StatementSummary {
    /// The day of the first record.
    pub first_day: Option<Day>,
    /// The day of the last record.
    pub last_day: Option<Day>,
    /// How many there are.
    pub records: u64,
    /// Records after the day of the decision, which do not count.
    pub later_records: u64,
    /// All that came in.
    pub inflow: i64,
    /// All that went out; null if the statement shows no debits.
    pub outflow: Option<i64>,
    /// How many counterparties paid in; null if the policy asks for no names.
    pub payers: Option<u64>,
    /// The months without a record between the first and the last, each by its first day.
    pub months_without_records: Vec<Day>,
}

/// Whether a condition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It does.
    Met,
    /// It does not.
    NotMet,
    /// It cannot be decided.
    Unknown,
    /// It was not evaluated, because the policy cannot decide.
    NotAsked,
}

/// One requirement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RequirementExplained {
    /// Its id.
    pub id: String,
    /// Its title, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The condition, as written.
    pub asks: String,
    /// Whether it compares doubles, because one side is approximate.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub approximate: bool,
    /// Whether it holds.
    pub state: State,
    /// Its effect here.
    pub effect: Effect,
    /// Why it is not met, or not known.
    pub reason: Option<String>,
    /// The members of its block.
    pub members: Vec<Member>,
    /// The numbers that it uses.
    pub numbers: Vec<String>,
    /// The parameters that it uses.
    pub parameters: Vec<Named>,
    /// All records behind its numbers, by [`Record::row`].
    pub rows: Vec<usize>,
}

/// One member of a block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Member {
    /// The condition, as written.
    pub asks: String,
    /// Whether it holds, or is treated as holding.
    pub state: State,
    /// Why it is unknown, if the policy says how to treat an unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown: Option<String>,
    /// The members of a nested block.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<Member>,
}

/// The score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ScoreExplained {
    /// The total.
    #[serde(flatten)]
    pub figure: Figure,
    /// The base of the score.
    pub base: f64,
    /// The items that are added.
    pub items: Vec<ItemExplained>,
}

/// One item of the score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ItemExplained {
    /// Its input, as written.
    pub on: String,
    /// The value of the input.
    #[serde(flatten)]
    pub figure: Figure,
    /// The bin that the value falls into, as written.
    pub bin: Option<String>,
    /// The points it gains.
    pub points: Figure,
    /// The most points it can gain.
    pub best: f64,
    /// The most points less the points gained.
    pub lost: Option<f64>,
    /// The code of the reason for lost points, if it has one.
    pub code: Option<String>,
    /// That reason, if points are lost.
    pub reason: Option<String>,
    /// The numbers that it uses.
    pub numbers: Vec<String>,
    /// The parameters that it and its bins use.
    pub parameters: Vec<Named>,
}

/// One table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TableExplained {
    /// Its name.
    pub name: String,
    /// Its title, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its hit policy.
    pub hit: Cow<'static, str>,
    /// Its inputs.
    pub inputs: Vec<Named>,
    /// The rows that hit.
    pub rows: Vec<RowExplained>,
    /// Why it is unknown which row hits.
    pub unknown: Option<String>,
    /// Its outputs.
    pub outputs: Vec<Named>,
    /// Rows that a single cell excluded, the nearest first.
    pub near: Vec<NearMiss>,
    /// The numbers that it uses.
    pub numbers: Vec<String>,
    /// The parameters that it and these rows use.
    pub parameters: Vec<Named>,
}

/// A row that hit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RowExplained {
    /// Its number, from 1; null for `otherwise`.
    pub row: Option<usize>,
    /// Its tests, as written.
    pub tests: Vec<String>,
    /// The expressions of computed outputs, as written.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub formulas: BTreeMap<String, String>,
}

/// A row that nearly hit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NearMiss {
    /// Its number, from 1.
    pub row: usize,
    /// The number of the input that does not fit, from 0.
    pub column: usize,
    /// The input, as written.
    pub input: String,
    /// The value of the input.
    #[serde(flatten)]
    pub figure: Figure,
    /// The row's test of it, as written.
    pub test: String,
}

/// Whether an offer is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Making {
    /// It is.
    Made,
    /// It would be, if the outcome were an offer.
    WouldBeMade,
    /// It is not.
    NotMade,
    /// An input is unknown.
    Unknown,
}

/// One offer of the policy at one tenure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OfferExplained {
    /// Its id.
    pub id: String,
    /// Its tenure.
    pub tenure: u32,
    /// The unit of the tenure.
    pub tenure_unit: String,
    /// Whether it is made.
    pub making: Making,
    /// A sentence: what is offered, or why nothing is.
    pub summary: String,
    /// Its arithmetic, step by step.
    pub steps: Vec<Step>,
    /// The payments, if it is made.
    pub schedule: Vec<Due>,
    /// The numbers that it uses.
    pub numbers: Vec<String>,
    /// The parameters that it uses.
    pub parameters: Vec<Named>,
}

/// One step of an offer's arithmetic.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Step {
    /// What is computed.
    pub what: String,
    /// How: as written in the policy, or in figures.
    pub how: String,
    /// The result.
    #[serde(flatten)]
    pub figure: Figure,
}

/// One payment that falls due. Money is in minor units.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Due {
    /// The period at whose end it is due, from 1.
    pub period: u32,
    /// The day on which it is due, if it is known.
    #[serde(default)]
    pub day: Option<Day>,
    /// The whole payment.
    pub payment: i64,
    /// The part that is interest.
    pub interest: i64,
    /// The part that repays principal.
    pub principal: i64,
    /// The principal still owed afterwards.
    pub balance: i64,
}
