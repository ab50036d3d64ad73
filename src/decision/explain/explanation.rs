//! How a decision came about, as data: what `explain` gives to programs, and what its texts and pages are made from. Knows nothing
//! of how it looks.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::decision::Decision;
use crate::rules::Effect;
use crate::statement::OwnTransfer;
use crate::words::date::Day;
use crate::words::money::Currency;

/// How one decision came about.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The decision itself, as `decide` gives it.
    pub decision: Decision,
    /// That of all money.
    pub currency: Currency,
    /// Every requirement, in the policy's order.
    pub requirements: Vec<RequirementExplained>,
    /// The score, item by item, where the policy has one.
    pub score: Option<ScoreExplained>,
    /// Every table.
    pub tables: Vec<TableExplained>,
    /// Every offer of the policy, made or not; where the outcome is no offer, as it would be.
    pub offers: Vec<OfferExplained>,
    /// The numbers that the above name, and those which they are made of: each once.
    pub numbers: Vec<Number>,
    /// The records behind the numbers, in the statement's order: each once.
    pub records: Vec<Record>,
    /// What happened on each day that has a record.
    pub days: Vec<DayTotals>,
    /// What moved between the customer's own accounts and is in none of the above, where several were merged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub own_transfers: Vec<OwnTransfer>,
}

/// Where one number comes from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evidence {
    /// Whom it is about: as the request says, else as the statement says.
    pub customer: Option<String>,
    /// The statement's file or reference, as given.
    pub statement: String,
    /// The day it is worked out for.
    pub as_of: Option<Day>,
    /// That of all money.
    pub currency: Currency,
    /// Name and version of the policy.
    pub policy: (String, String),
    /// The number asked for.
    pub metric: String,
    /// It and what it is made of, itself first; empty where this version of the policy does not have it.
    pub numbers: Vec<Number>,
    /// The records behind them.
    pub records: Vec<Record>,
    /// What moved between the customer's own accounts and is in none of the above, where several were merged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub own_transfers: Vec<OwnTransfer>,
}

/// A value, exact for programs and in words for people.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// Money in minor units, dates as `2026-06-30`; null where unknown.
    pub value: serde_json::Value,
    /// The same for people; where unknown, why.
    pub text: String,
    /// Whether it is approximate, such as a standard deviation, so that comparisons with it are of doubles.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub approximate: bool,
}

impl Figure {
    pub(super) fn exact(value: impl Into<serde_json::Value>, text: String) -> Self {
        Self { value: value.into(), text, approximate: false }
    }
}

/// A value with its name.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Named {
    /// As written in the policy; of a parameter the whole name.
    pub name: String,
    /// Its value.
    #[serde(flatten)]
    pub figure: Figure,
}

/// What a number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NumberKind {
    /// A metric.
    Metric,
    /// The score.
    Score,
    /// What a table gives.
    Output,
    /// Given beside the statement: `request.NAME`, `bureau.NAME`.
    Input,
    /// Known of the statement before any rule, such as `as_of`.
    Fact,
    /// A condition or amount that counts records itself.
    Expression,
}

/// One number: its value, what it is made of, and what was counted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Number {
    /// By which others name it.
    pub name: String,
    /// What it is.
    pub kind: NumberKind,
    /// As written; of a table's output, which table.
    pub formula: String,
    /// The parameters that it names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<Named>,
    /// Its value.
    #[serde(flatten)]
    pub figure: Figure,
    /// The numbers that it is made of.
    pub made_of: Vec<String>,
    /// What each aggregate in it counted.
    pub counted: Vec<Counted>,
}

/// What an aggregate counted.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Counted {
    /// Records.
    Records(Vec<CountedRecord>),
    /// Groups of records: months, days, counterparties.
    Groups(CountedGroups),
}

/// The groups that an aggregate counted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CountedGroups {
    /// What each is: `month`, `week`, `day`, `counterparty`, `stream`.
    pub of: &'static str,
    /// Each of them.
    pub groups: Vec<CountedGroup>,
}

/// A record that was counted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CountedRecord {
    /// Its [`Record::row`].
    pub row: usize,
    /// What of it was counted, where that is not its amount, day or narration as it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<Figure>,
    /// Whether the value is this record's: the greatest, the first.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub decides: bool,
}

/// A group of records that was counted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CountedGroup {
    /// A month as `2026-06`, a week and a day by its date, a counterparty by its name.
    pub name: String,
    /// What of it was counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<Figure>,
    /// Whether the value is this one's: the greatest, the first.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub decides: bool,
    /// The records behind it, by [`Record::row`].
    pub rows: Vec<usize>,
}

/// A record of the statement. Money is in minor units.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Record {
    /// Its place in the statement: from 1, by day.
    pub row: usize,
    /// The provider's id.
    pub id: Option<String>,
    /// The day of the transaction.
    pub day: Option<Day>,
    /// What came in.
    pub credit: Option<i64>,
    /// What went out.
    pub debit: Option<i64>,
    /// What was left.
    pub balance: Option<i64>,
    /// What the bank wrote.
    pub narration: Option<String>,
}

/// All of a day. Money is in minor units.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DayTotals {
    /// Which.
    pub day: Day,
    /// All that came in.
    pub inflow: i64,
    /// All that went out.
    pub outflow: i64,
    /// The last balance of the day, where there is one.
    pub balance: Option<i64>,
}

/// Whether something that is asked holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It does.
    Met,
    /// It does not.
    NotMet,
    /// Nobody can tell.
    Unknown,
    /// Nobody asked: the policy does not decide at all.
    NotAsked,
}

/// One requirement.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RequirementExplained {
    /// Its id.
    pub id: String,
    /// What it asks, as written.
    pub asks: String,
    /// Whether a comparison in it is of doubles, for one of its sides is approximate.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub approximate: bool,
    /// Whether that holds.
    pub state: State,
    /// What follows from it here.
    pub effect: Effect,
    /// Why it is not met, or not known.
    pub reason: Option<String>,
    /// The members of its block.
    pub members: Vec<Member>,
    /// The numbers that it names.
    pub numbers: Vec<String>,
    /// The parameters that it names.
    pub parameters: Vec<Named>,
    /// All records behind its numbers, by [`Record::row`].
    pub rows: Vec<usize>,
}

/// One member of a block.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Member {
    /// What it asks, as written.
    pub asks: String,
    /// Whether that holds, or is taken for holding.
    pub state: State,
    /// Why it is unknown by itself, where the policy says what it is taken for then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown: Option<String>,
    /// Of a block, its members.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<Member>,
}

/// The score.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScoreExplained {
    /// All of it.
    #[serde(flatten)]
    pub figure: Figure,
    /// What everybody begins with.
    pub base: f64,
    /// What is added, item by item.
    pub items: Vec<ItemExplained>,
}

/// One item of the score.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ItemExplained {
    /// What it looks at, as written.
    pub on: String,
    /// The value of that.
    #[serde(flatten)]
    pub figure: Figure,
    /// The bin that the value falls into, as written.
    pub bin: Option<String>,
    /// What it gains.
    pub points: Figure,
    /// The most that it can gain.
    pub best: f64,
    /// What that is more than was gained.
    pub lost: Option<f64>,
    /// The code of the reason that tells of points lost here, where it has one.
    pub code: Option<String>,
    /// That reason, where points are lost.
    pub reason: Option<String>,
    /// The numbers that it names.
    pub numbers: Vec<String>,
    /// The parameters that it and its bins name.
    pub parameters: Vec<Named>,
}

/// One table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TableExplained {
    /// Its name.
    pub name: String,
    /// Its hit policy.
    pub hit: &'static str,
    /// What it looks at.
    pub inputs: Vec<Named>,
    /// The rows that hit.
    pub rows: Vec<RowExplained>,
    /// Why nobody can tell which row hits.
    pub unknown: Option<String>,
    /// What it gives.
    pub outputs: Vec<Named>,
    /// The rows that one cell alone kept from fitting, by how little: the nearest first.
    pub near: Vec<NearMiss>,
    /// The numbers that it names.
    pub numbers: Vec<String>,
    /// The parameters that it and these rows name.
    pub parameters: Vec<Named>,
}

/// A row that hit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RowExplained {
    /// Its number, from 1; null for what comes out `otherwise`.
    pub row: Option<usize>,
    /// Its tests, as written.
    pub tests: Vec<String>,
    /// Of outputs that it works out, the expressions, as written.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub formulas: BTreeMap<String, String>,
}

/// A row that nearly hit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NearMiss {
    /// Its number, from 1.
    pub row: usize,
    /// Which input does not fit, from 0.
    pub column: usize,
    /// That input.
    pub input: String,
    /// The value of that.
    #[serde(flatten)]
    pub figure: Figure,
    /// What the row asks of it, as written.
    pub test: String,
}

/// Whether an offer is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Making {
    /// It is.
    Made,
    /// It would be, if the outcome were an offer.
    WouldBeMade,
    /// It is not.
    NotMade,
    /// Something it needs is unknown.
    Unknown,
}

/// One offer of the policy at one tenure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OfferExplained {
    /// Its id.
    pub id: String,
    /// For how long.
    pub tenure: u32,
    /// What that counts.
    pub tenure_unit: String,
    /// Whether it is made.
    pub making: Making,
    /// In a sentence: what is offered, or why nothing is.
    pub summary: String,
    /// Its arithmetic, in the order in which it is done.
    pub steps: Vec<Step>,
    /// What is due when, where it is made.
    pub schedule: Vec<Due>,
    /// The numbers that it names.
    pub numbers: Vec<String>,
    /// The parameters that it names.
    pub parameters: Vec<Named>,
}

/// One step of an offer's arithmetic.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    /// What is worked out.
    pub what: String,
    /// How: as written in the policy, or in figures.
    pub how: String,
    /// What it comes to.
    #[serde(flatten)]
    pub figure: Figure,
}

/// One payment that falls due. Money is in minor units.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Due {
    /// The period at whose end it is due, from 1.
    pub period: u32,
    /// All of it.
    pub payment: i64,
    /// The part that is interest.
    pub interest: i64,
    /// The part that repays principal.
    pub principal: i64,
    /// The principal still owed afterwards.
    pub balance: i64,
}
