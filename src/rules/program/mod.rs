//! A policy ready to run: the graph of its expressions, and what is read from it. `check` makes it, and `metrics` and
//! `decision` run it. Must not know texts or data.

pub(crate) mod axis;
pub(crate) mod grid;
pub(crate) mod hit_policy;
pub(crate) mod index;
pub(crate) mod inputs;
pub(crate) mod property;
pub(crate) mod requirement;
mod roots;
pub(crate) mod schedule;
pub(crate) mod template;

use std::cmp::Ordering;

pub(crate) use self::hit_policy::{Collected, HitPolicy};
pub use self::inputs::{Input, Parameter};
pub use self::requirement::Effect;
pub(crate) use self::requirement::{Asked, Condition, Quota, Requirement};
pub(crate) use self::template::{Part, Template, TemplateValue};
use crate::base::date::Zone;
use crate::base::diagnostic::Span;
use crate::base::pricing::Method;
use crate::base::rational::Rational;
use crate::rules::corrections::{Corrections, RecordKind};
use crate::rules::graph::{Graph, NodeId};
use crate::rules::key_list::KeyList;
use crate::rules::program::schedule::Schedule;
use crate::rules::references::{Expression, References};
use crate::rules::types::Type;
pub use crate::rules::value::Value;
pub(crate) use crate::rules::value::{Test, compare_values, value_as_json};

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
    /// The place of its name.
    pub span: Span,
}

/// One `[[offer]]` at one tenure.
#[derive(Clone, Debug)]
pub(crate) struct OfferRule {
    pub id: String,
    pub tenure: u32,
    pub when: Option<NodeId>,
    /// The amount that may be lent, after caps, exposure, the requested amount and rounding.
    pub amount: NodeId,
    pub amount_steps: AmountSteps,
    pub interest: NodeId,
    pub instalments: NodeId,
    pub fee: Option<NodeId>,
    pub method: Method,
    pub valid_for_days: u32,
    pub part_payment: bool,
    pub terms: String,
    pub texts: OfferTexts,
    /// The place of its tenure.
    pub span: Span,
    pub interest_span: Span,
}

/// The texts of an offer, as written.
#[derive(Clone, Debug)]
pub(crate) struct OfferTexts {
    pub when: Option<Expression>,
    pub amount: AmountTexts,
    pub interest: Expression,
    pub instalments: Option<Expression>,
    pub fee: Option<Expression>,
}

impl OfferTexts {
    /// Every expression, in the order of evaluation.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Expression> {
        let amount = &self.amount;
        let limits = [&amount.limit, &amount.existing, &amount.asked, &amount.step, &amount.floor];
        let of_amount = [&amount.amount].into_iter().chain(&amount.caps).chain(limits.into_iter().flatten());
        let of_price = self.instalments.iter().chain([&self.interest]).chain(&self.fee);
        self.when.iter().chain(of_amount).chain(of_price)
    }
}

/// The texts of an offer's amount, as written.
#[derive(Clone, Debug)]
pub(crate) struct AmountTexts {
    pub amount: Expression,
    pub caps: Vec<Expression>,
    /// The limit of `[exposure]`, and the existing debt.
    pub limit: Option<Expression>,
    pub existing: Option<Expression>,
    pub asked: Option<Expression>,
    pub step: Option<Expression>,
    pub floor: Option<Expression>,
}

/// The steps of an offer's amount, in this order, each with the amount so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct AmountSteps {
    /// The result of the policy's own expression.
    pub uncapped: Option<NodeId>,
    /// Each upper bound.
    pub caps: Vec<NodeId>,
    /// The headroom under the exposure limit.
    pub exposure: Option<NodeId>,
    /// The amount that can be lent, rounded down to the step, before the requested amount counts.
    pub lendable: Option<NodeId>,
    /// The requested amount.
    pub asked: Option<NodeId>,
    pub step: Option<NodeId>,
    pub floor: Option<NodeId>,
}

impl AmountSteps {
    /// Every node in it.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = NodeId> {
        let single = [self.uncapped, self.exposure, self.lendable, self.asked, self.step, self.floor];
        single.into_iter().flatten().chain(self.caps.iter().copied())
    }
}

/// What the customer requests.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asking {
    pub amount: Option<NodeId>,
    pub tenure: Option<NodeId>,
}

/// `[score]`
#[derive(Clone, Debug)]
pub(crate) struct Score {
    /// The points that everyone starts with, scaled.
    pub base: Value,
    pub node: NodeId,
    /// How many reasons of items with the most lost points are reported.
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
    /// The code of the reason for points lost here.
    pub code: Option<String>,
    pub reason: Option<Template>,
    pub bins: Vec<Bin>,
    /// The index of the bins that a value may fit.
    pub index: std::sync::Arc<index::IntervalIndex>,
    pub span: Span,
}

/// One bin of a score item.
#[derive(Clone, Debug)]
pub(crate) struct Bin {
    pub test: Test,
    /// The test as written.
    pub text: String,
    /// The points it adds to the score: its own times the item's weight and the score's scale.
    pub gain: Value,
    pub span: Span,
}

impl ScoreItem {
    /// How much more the best bin adds than this one.
    pub(crate) fn missed(&self, gained: &Value) -> Option<Rational> {
        match (self.best(), gained) {
            (Value::Float(best), Value::Float(gained)) => Rational::from_f64(best - gained),
            (best, gained) => best.rational()?.minus(&gained.rational()?),
        }
    }

    /// The most points that any bin adds.
    pub(crate) fn best(&self) -> &Value {
        let more = |best, gain| if compare_values(gain, best) == Some(Ordering::Greater) { gain } else { best };
        // INVARIANT: there is a bin, because the checker refuses an item without one.
        self.bins[1..].iter().map(|bin| &bin.gain).fold(&self.bins[0].gain, more)
    }
}

/// One `[table.NAME]`.
#[derive(Clone, Debug)]
pub(crate) struct DecisionTable {
    pub name: String,
    /// For people, next to the name.
    pub title: Option<String>,
    pub hit_policy: HitPolicy,
    pub inputs: Vec<(String, NodeId)>,
    /// The references of its inputs.
    pub references: References,
    pub node: NodeId,
    pub outputs: Vec<Output>,
    pub rows: Vec<DecisionTableRow>,
    /// The outputs if no row fits.
    pub otherwise: Option<Vec<OutputCell>>,
    /// For each input, whether some cell mentions unknowns.
    pub expected: Vec<bool>,
    /// Which inputs are conditions of cells. They stand behind the input that they belong to and depend on one another.
    pub conditions: Vec<bool>,
    /// The index of the rows that a value may fit.
    pub index: std::sync::Arc<index::Index>,
    /// The place of its name.
    pub span: Span,
}

impl DecisionTable {
    /// The inputs that the rule file lists, without the conditions of cells.
    pub(crate) fn written_inputs(&self) -> impl Iterator<Item = &(String, NodeId)> {
        self.inputs.iter().zip(&self.conditions).filter(|(_, is_condition)| !**is_condition).map(|(input, _)| input)
    }
}

/// One output of a table.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    pub name: String,
    /// The type of its value.
    pub ty: Type,
    pub node: NodeId,
    /// Every value it may have, the highest rank first; empty if none are declared.
    pub values: Vec<Value>,
}

#[derive(Clone, Debug)]
pub(crate) struct DecisionTableRow {
    pub tests: Vec<Test>,
    /// The tests as written.
    pub texts: Vec<String>,
    pub values: Vec<OutputCell>,
    /// The references of its cells; most rows have none.
    pub references: Option<Box<References>>,
    pub span: Span,
}

/// The cell of a row for one output.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum OutputCell {
    Value(Value),
    /// An expression, and its index among the inputs of the output's node.
    Expression(NodeId, usize),
}

/// A policy ready to run.
#[derive(Clone, Debug)]
pub struct Program {
    /// The time zone of the policy's days and times of day.
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
    /// If parameters may be anywhere within their bounds: those that cells still use as written.
    pub(crate) anywhere: Option<std::collections::BTreeSet<String>>,
    pub(crate) words: crate::base::text_search::word_matcher::WordMatcher,
    /// What a person may say that a record is.
    pub(crate) kinds: Vec<RecordKind>,
    /// What people said of records; `None` if the policy names no file of corrections.
    pub(crate) corrections: Option<Corrections>,
    /// The word lists by name, as written.
    pub(crate) word_lists: Vec<(String, Vec<String>)>,
    /// The lists of keys.
    pub(crate) lists: Vec<KeyList>,
    pub(crate) normaliser: crate::base::narration::Normaliser,
    /// How far the amounts of a stream may differ, in thousandths, if a parameter sets it.
    pub(crate) stream_tolerance: Option<u32>,
    /// The nodes to compute, and after which node each value can be dropped.
    pub(crate) schedule: Schedule,
    /// The schedule for callers that need only values of statements.
    pub(crate) quick: Schedule,
    pub(crate) requirements: Vec<Requirement>,
    pub(crate) score: Option<Score>,
    pub(crate) score_items: Vec<ScoreItem>,
    pub(crate) tables: Vec<DecisionTable>,
    pub(crate) offers: Vec<OfferRule>,
    pub(crate) asking: Asking,
    pub(crate) properties: Vec<property::Property>,
}

/// What explanations need to know about nodes that are not metrics.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    /// The first place of each aggregate.
    pub aggregates: std::collections::HashMap<NodeId, Span>,
    /// The definitions of groups' values, such as those under `[month]`.
    pub of_groups: Vec<(String, NodeId)>,
    /// The expressions of tables' cells, as written.
    pub cells: std::collections::HashMap<NodeId, String>,
    /// The definitions of values that are finer than a statement's, in the order of the files.
    pub finer: Vec<Metric>,
    /// The references of each definition of a record's or a group's value.
    pub references: std::collections::HashMap<String, References>,
}
