//! A policy ready to run: the graph of its expressions and what is read off it. Made by `check`, run by `metrics` and
//! `decision`; knows neither text nor data.

use super::ir::{Graph, NodeId, Type};
use crate::words::diagnostic::Span;
use crate::words::pricing::Method;

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

/// One definition under `[metric]`.
#[derive(Clone, Debug)]
pub(crate) struct Metric {
    pub name: String,
    /// As written.
    pub text: String,
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
    pub when: NodeId,
    pub otherwise: Effect,
    pub unknown: Effect,
    pub reason: Template,
    /// Where its id stands.
    pub span: Span,
}

/// Text with values in it.
#[derive(Clone, Debug)]
pub(crate) struct Template(pub Vec<Part>);

#[derive(Clone, Debug)]
pub(crate) enum Part {
    Text(String),
    Value(NodeId),
}

/// One `[[offer]]` at one tenure.
#[derive(Clone, Debug)]
pub(crate) struct OfferRule {
    pub id: String,
    pub tenure: u32,
    pub when: Option<NodeId>,
    pub amount: NodeId,
    pub interest: NodeId,
    pub instalments: NodeId,
    pub fee: Option<NodeId>,
    pub method: Method,
    pub valid_for_days: u32,
    pub part_payment: bool,
    pub terms: String,
    /// Where its tenure stands.
    pub span: Span,
}

/// One `[[score.item]]`.
#[derive(Clone, Debug)]
pub(crate) struct ScoreItem {
    /// As written.
    pub text: String,
    pub on: NodeId,
    pub node: NodeId,
    pub bins: Vec<Bin>,
    pub span: Span,
}

/// One bin of a score item.
#[derive(Clone, Debug)]
pub(crate) struct Bin {
    pub test: Test,
    /// The test as written.
    pub text: String,
    pub points: f64,
    pub span: Span,
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
}

/// One `[table.NAME]`.
#[derive(Clone, Debug)]
pub(crate) struct DecisionTable {
    pub name: String,
    pub hit: Hit,
    pub inputs: Vec<(String, NodeId)>,
    pub node: NodeId,
    pub outputs: Vec<(String, Type, NodeId)>,
    pub rows: Vec<Row>,
}

#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub tests: Vec<Test>,
    /// The tests as written.
    pub texts: Vec<String>,
    pub values: Vec<Value>,
    pub span: Span,
}

/// A value of its own, outside any column.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Money in minor units, counts, days, dates as days since 1970-01-01.
    Int(i64),
    /// Means and ratios.
    Float(f64),
    /// True or false.
    Boolean(bool),
    /// Text.
    Text(String),
}

/// A test of one value in a cell of a table or a bin of a score.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Test {
    /// `-`: anything, known or not.
    Anything,
    /// `unknown`
    Unknown,
    Equal(Value),
    /// Low and high; true where the bound itself belongs to it.
    Range(Option<(Value, bool)>, Option<(Value, bool)>),
    OneOf(Vec<Test>),
    Not(Box<Test>),
}

impl Test {
    /// Whether it says somewhere what an unknown means.
    pub(crate) fn expects_unknown(&self) -> bool {
        match self {
            Test::Unknown => true,
            Test::OneOf(tests) => tests.iter().any(Test::expects_unknown),
            Test::Not(test) => test.expects_unknown(),
            _ => false,
        }
    }

    /// Whether the value passes; `None` where it is unknown and the test does not say what then.
    pub(crate) fn passes(&self, value: Option<&Value>) -> Option<bool> {
        match (self, value) {
            (Test::Anything, _) => Some(true),
            (Test::Unknown, value) => Some(value.is_none()),
            (Test::OneOf(tests), value) => any(tests.iter().map(|test| test.passes(value))),
            (Test::Not(test), value) => test.passes(value).map(|passes| !passes),
            (_, None) => None,
            (Test::Equal(expected), Some(value)) => Some(compare(value, expected) == Some(std::cmp::Ordering::Equal)),
            (Test::Range(low, high), Some(value)) => {
                let above = low.as_ref().is_none_or(|(low, closed)| match compare(value, low) {
                    Some(std::cmp::Ordering::Greater) => true,
                    Some(std::cmp::Ordering::Equal) => *closed,
                    _ => false,
                });
                let below = high.as_ref().is_none_or(|(high, closed)| match compare(value, high) {
                    Some(std::cmp::Ordering::Less) => true,
                    Some(std::cmp::Ordering::Equal) => *closed,
                    _ => false,
                });
                Some(above && below)
            }
        }
    }
}

/// SQL's OR over all of them.
fn any(results: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut answer = Some(false);
    for result in results {
        match result {
            Some(true) => return Some(true),
            None => answer = None,
            Some(false) => {}
        }
    }
    answer
}

/// Orders two values of one kind; integers and floats compare as numbers.
pub(crate) fn compare(left: &Value, right: &Value) -> Option<std::cmp::Ordering> {
    match (left, right) {
        (Value::Int(left), Value::Int(right)) => Some(left.cmp(right)),
        (Value::Int(left), Value::Float(right)) => (*left as f64).partial_cmp(right),
        (Value::Float(left), Value::Int(right)) => left.partial_cmp(&(*right as f64)),
        (Value::Float(left), Value::Float(right)) => left.partial_cmp(right),
        (Value::Boolean(left), Value::Boolean(right)) => Some(left.cmp(right)),
        (Value::Text(left), Value::Text(right)) => Some(left.cmp(right)),
        _ => None,
    }
}

/// A field that the request may bring.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestField {
    /// Its name; rules say `request.NAME`.
    pub name: String,
    /// Its type.
    pub ty: Type,
}

/// A parameter with the value in force.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name; rules say `$NAME`.
    pub name: String,
    /// The value in force, as an expression would hold it.
    pub value: Value,
    /// Its type.
    pub ty: Type,
    /// As written, or as given from outside.
    pub text: String,
}

/// A policy ready to run.
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) graph: Graph,
    pub(crate) metrics: Vec<Metric>,
    pub(crate) request: Vec<RequestField>,
    pub(crate) words: super::words::WordMatcher,
    /// What must be computed, and after which node each value may be let go.
    pub(crate) schedule: Schedule,
    pub(crate) requirements: Vec<Requirement>,
    pub(crate) score: Option<(f64, NodeId)>,
    pub(crate) score_items: Vec<ScoreItem>,
    pub(crate) tables: Vec<DecisionTable>,
    pub(crate) offers: Vec<OfferRule>,
}

/// The order of work.
#[derive(Clone, Debug, Default)]
pub(crate) struct Schedule {
    /// Whether a node is needed at all.
    pub live: Vec<bool>,
    /// For each node, the finer values that nobody needs after it.
    pub release: Vec<Vec<NodeId>>,
}

impl Schedule {
    /// Works out what `roots` need.
    pub(super) fn new(graph: &Graph, roots: impl IntoIterator<Item = NodeId>) -> Self {
        let nodes = graph.nodes();
        let mut live = vec![false; nodes.len()];
        for root in roots {
            live[root.index()] = true;
        }
        let mut release = vec![Vec::new(); nodes.len()];
        let mut kept = vec![false; nodes.len()];
        for (index, node) in nodes.iter().enumerate().rev() {
            if !live[index] {
                continue;
            }
            for input in node.inputs.iter().chain(&node.spreads) {
                live[input.index()] = true;
                if !kept[input.index()] && graph.node(*input).grain > super::ir::Grain::Statement {
                    kept[input.index()] = true;
                    release[index].push(*input);
                }
            }
        }
        Self { live, release }
    }
}

impl Value {
    /// The integer, if it is one.
    pub fn int(&self) -> Option<i64> {
        if let Value::Int(value) = self { Some(*value) } else { None }
    }

    /// The number as a float, if it is one.
    pub fn float(&self) -> Option<f64> {
        match self {
            Value::Int(value) => Some(*value as f64),
            Value::Float(value) => Some(*value),
            _ => None,
        }
    }
}
