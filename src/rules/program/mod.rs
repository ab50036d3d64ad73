//! A policy ready to run: the graph of its expressions and what is read from it. Made by `check`, run by `metrics`
//! and `decision`; knows neither text nor data.

pub(crate) mod axis;
pub(crate) mod grid;
pub(crate) mod index;
pub(crate) mod inputs;
pub(crate) mod property;
mod roots;
pub(crate) mod schedule;

use std::cmp::Ordering;

pub use self::inputs::{Input, Parameter};
use crate::rules::graph::{Graph, NodeId};
use crate::rules::program::schedule::Schedule;
use crate::rules::references::{Expression, References};
use crate::rules::types::Type;
pub use crate::rules::value::Value;
pub(crate) use crate::rules::value::{Test, compare, json};
use crate::words::date::Zone;
use crate::words::diagnostic::Span;
use crate::words::pricing::Method;
use crate::words::rational::Rational;

/// What happens where a requirement is not met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// Nothing.
    Pass,
    /// A person looks at it.
    Refer,
    /// No offer is made.
    Decline,
}

/// One definition under `[metric]`, or of a finer grain.
#[derive(Clone, Debug)]
pub(crate) struct Metric {
    pub name: String,
    /// As written.
    pub text: String,
    /// For people; empty if there is none.
    pub doc: String,
    pub references: References,
    pub node: NodeId,
    /// Where its name stands.
    pub span: Span,
}

/// One `[[require]]`.
#[derive(Clone, Debug)]
pub(crate) struct Requirement {
    pub id: String,
    /// As written.
    pub text: String,
    pub references: References,
    pub when: NodeId,
    /// The same, with the members of its block.
    pub asked: Asked,
    pub otherwise: Effect,
    pub unknown: Effect,
    pub reason: Template,
    /// Where its id stands.
    pub span: Span,
}

impl Template {
    /// The values in it.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = NodeId> {
        self.0.iter().filter_map(|part| match part {
            Part::Value(value) => Some(value.node),
            Part::Text(_) => None,
        })
    }
}

/// What a requirement asks, member by member.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub what: Condition,
    /// Whether that holds, which may be unknown.
    pub alone: NodeId,
    /// Whether it counts as holding: a member may say what becomes of it where it is unknown.
    pub node: NodeId,
}

/// One condition, or several together.
#[derive(Clone, Debug)]
pub(crate) enum Condition {
    /// As written.
    When(String),
    Block(Quota, Vec<Asked>),
}

/// How many members of a block must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quota {
    All,
    Any,
    AtLeast(usize),
}

/// Text with values in it.
#[derive(Clone, Debug)]
pub(crate) struct Template(pub Vec<Part>);

#[derive(Clone, Debug)]
pub(crate) enum Part {
    Text(String),
    Value(TemplateValue),
}

/// A value in a text.
#[derive(Clone, Debug)]
pub(crate) struct TemplateValue {
    pub node: NodeId,
    /// Whether somebody wrote it, so that it has an end: it is shown to its last digit.
    pub is_written: bool,
    /// What it is compared with: rounded, it must not look like it.
    pub beside: Vec<NodeId>,
    /// Where the cells and bins that look at it begin and end, from the least.
    pub ends: Option<std::sync::Arc<[Rational]>>,
}

/// One `[[offer]]` at one tenure.
#[derive(Clone, Debug)]
pub(crate) struct OfferRule {
    pub id: String,
    pub tenure: u32,
    pub when: Option<NodeId>,
    /// What may be lent: after caps, exposure, what was asked, and rounding.
    pub amount: NodeId,
    pub limits: Limits,
    pub interest: NodeId,
    pub instalments: NodeId,
    pub fee: Option<NodeId>,
    pub method: Method,
    pub valid_for_days: u32,
    pub part_payment: bool,
    pub terms: String,
    pub texts: OfferTexts,
    /// Where its tenure stands.
    pub span: Span,
    pub interest_span: Span,
}

/// What an offer says, as written.
#[derive(Clone, Debug)]
pub(crate) struct OfferTexts {
    pub when: Option<Expression>,
    pub amount: AmountTexts,
    pub interest: Expression,
    pub instalments: Option<Expression>,
    pub fee: Option<Expression>,
}

impl OfferTexts {
    /// Every expression, in the order in which an offer goes through them.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Expression> {
        let amount = &self.amount;
        let limits = [&amount.limit, &amount.existing, &amount.asked, &amount.step, &amount.floor];
        let of_amount = [&amount.amount].into_iter().chain(&amount.caps).chain(limits.into_iter().flatten());
        let of_price = self.instalments.iter().chain([&self.interest]).chain(&self.fee);
        self.when.iter().chain(of_amount).chain(of_price)
    }
}

/// What is stated about an offer's amount, as written.
#[derive(Clone, Debug)]
pub(crate) struct AmountTexts {
    pub amount: Expression,
    pub caps: Vec<Expression>,
    /// Of `[exposure]`: all that may be owed, and what is owed already.
    pub limit: Option<Expression>,
    pub existing: Option<Expression>,
    pub asked: Option<Expression>,
    pub step: Option<Expression>,
    pub floor: Option<Expression>,
}

/// What an offer's amount goes through, in this order, each the amount so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Limits {
    /// What the policy's own expression gives.
    pub worked_out: Option<NodeId>,
    /// Each upper bound.
    pub caps: Vec<NodeId>,
    /// The room under the limit of `[exposure]`.
    pub exposure: Option<NodeId>,
    /// What can be lent before what was asked is looked at, rounded down to the step.
    pub most: Option<NodeId>,
    /// What was asked for.
    pub asked: Option<NodeId>,
    pub step: Option<NodeId>,
    pub floor: Option<NodeId>,
}

impl Limits {
    /// Every node in it.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = NodeId> {
        let single = [self.worked_out, self.exposure, self.most, self.asked, self.step, self.floor];
        single.into_iter().flatten().chain(self.caps.iter().copied())
    }
}

/// What the customer asks for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asking {
    pub amount: Option<NodeId>,
    pub tenure: Option<NodeId>,
}

/// `[score]`
#[derive(Clone, Debug)]
pub(crate) struct Score {
    /// What everybody begins with, scaled.
    pub base: Value,
    pub node: NodeId,
    /// How many of the items that cost most are reported.
    pub reasons: usize,
}

/// One `[[score.item]]`.
#[derive(Clone, Debug)]
pub(crate) struct ScoreItem {
    /// As written.
    pub text: String,
    /// By it and by its bins.
    pub references: References,
    pub on: NodeId,
    pub node: NodeId,
    /// The code of the reason that tells of points lost here.
    pub code: Option<String>,
    pub reason: Option<Template>,
    pub bins: Vec<Bin>,
    /// Which bins a value fits.
    pub index: std::sync::Arc<index::Stretches>,
    pub span: Span,
}

/// One bin of a score item.
#[derive(Clone, Debug)]
pub(crate) struct Bin {
    pub test: Test,
    /// The test as written.
    pub text: String,
    /// What it adds to the score: its points by the item's weight and the score's scale.
    pub gain: Value,
    pub span: Span,
}

impl ScoreItem {
    /// What the best bin adds more than this; of points of a scale, as they are written.
    pub(crate) fn missed(&self, gained: &Value) -> Option<Rational> {
        match (self.best(), gained) {
            (Value::Float(best), Value::Float(gained)) => Rational::from_f64(best - gained),
            (best, gained) => best.rational()?.minus(&gained.rational()?),
        }
    }

    /// The most that any bin adds.
    pub(crate) fn best(&self) -> &Value {
        let more = |best, gain| if compare(gain, best) == Some(Ordering::Greater) { gain } else { best };
        // INVARIANT: there is a bin, for an item without one is refused where it is checked.
        self.bins[1..].iter().map(|bin| &bin.gain).fold(&self.bins[0].gain, more)
    }
}

/// Which row of a table counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hit {
    /// The first that matches.
    First,
    /// The only one that matches; more than one is unknown.
    Unique,
    /// Any of those that match; unknown where they differ.
    Any,
    /// The one whose outputs come first in their ranks.
    Priority,
    /// All that match, in the order of the rows.
    RuleOrder,
    /// All that match, in the order of their outputs' ranks.
    OutputOrder,
    /// All that match, put together.
    Collect(Collected),
}

/// What becomes of the rows collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Collected {
    List,
    Sum,
    Min,
    Max,
    Count,
}

/// One `[table.NAME]`.
#[derive(Clone, Debug)]
pub(crate) struct DecisionTable {
    pub name: String,
    pub hit: Hit,
    pub inputs: Vec<(String, NodeId)>,
    /// What its inputs say.
    pub references: References,
    pub node: NodeId,
    pub outputs: Vec<Output>,
    pub rows: Vec<Row>,
    /// The cells of what comes out where no row fits.
    pub otherwise: Option<Vec<Cell>>,
    /// For each input whether some cell says what an unknown means.
    pub expected: Vec<bool>,
    /// Which rows a value may fit.
    pub index: std::sync::Arc<index::Index>,
    /// Where its name stands.
    pub span: Span,
}

/// One output of a table.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    pub name: String,
    /// Of the value that comes out.
    pub ty: Type,
    pub node: NodeId,
    /// Every value it may have, from the first in rank to the last; empty where none are declared.
    pub values: Vec<Value>,
}

#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub tests: Vec<Test>,
    /// The tests as written.
    pub texts: Vec<String>,
    pub values: Vec<Cell>,
    /// By its cells; nothing in most.
    pub references: Option<Box<References>>,
    pub span: Span,
}

/// What a row says of one output.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    Value(Value),
    /// An expression, and which input of the output's node it is.
    Expression(NodeId, usize),
}

/// A policy ready to run.
#[derive(Clone, Debug)]
pub struct Program {
    /// Where the policy's days and times of day are.
    pub(crate) zone: Zone,
    pub(crate) graph: Graph,
    pub(crate) metrics: Vec<Metric>,
    /// The metrics in the order of their names.
    pub(crate) by_name: Vec<usize>,
    pub(crate) places: Places,
    pub(crate) inputs: Vec<Input>,
    /// Where each is declared.
    pub(crate) input_spans: Vec<Span>,
    pub(crate) parameters: Vec<Parameter>,
    /// Where parameters are anywhere within their bounds: those which cells hold at their value all the same.
    pub(crate) anywhere: Option<std::collections::BTreeSet<String>>,
    pub(crate) words: crate::text_search::word_matcher::WordMatcher,
    /// The lists that it finds, by name, as they are written.
    pub(crate) word_lists: Vec<(String, Vec<String>)>,
    pub(crate) normaliser: crate::narration::Normaliser,
    /// How far from one another the amounts of a stream may lie, in thousandths, where a parameter says it.
    pub(crate) stream_tolerance: Option<u32>,
    /// What must be computed, and after which node each value may be let go.
    pub(crate) schedule: Schedule,
    /// The same for those who ask for statements' values alone.
    pub(crate) quick: Schedule,
    pub(crate) requirements: Vec<Requirement>,
    pub(crate) score: Option<Score>,
    pub(crate) score_items: Vec<ScoreItem>,
    pub(crate) tables: Vec<DecisionTable>,
    pub(crate) offers: Vec<OfferRule>,
    pub(crate) asking: Asking,
    pub(crate) properties: Vec<property::Property>,
}

/// What an explanation says of nodes that are no metric.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    /// Where each aggregate stands first.
    pub aggregates: std::collections::HashMap<NodeId, Span>,
    /// The definitions of groups' values, such as those under `[month]`.
    pub of_groups: Vec<(String, NodeId)>,
    /// The expressions of tables' cells, as written.
    pub cells: std::collections::HashMap<NodeId, String>,
    /// The definitions of values that are finer than a statement's, in the order of the files.
    pub finer: Vec<Metric>,
    /// What each definition of a record's or a group's value says.
    pub references: std::collections::HashMap<String, References>,
}
