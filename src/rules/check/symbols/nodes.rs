//! The nodes of the program being made, with what is known about some of them: possible texts, and places for
//! explanations.

use std::collections::{BTreeSet, HashMap};

use crate::base::diagnostic::Span;
use crate::rules::check::symbols::symbol::{ExpressionContext, Typed};
use crate::rules::graph::{BALANCE_VERDICTS, Fact, Grain, Graph, Node, NodeId, Op};
use crate::rules::types::Type;
use crate::rules::value::Value;

/// Adds nodes to the graph.
#[derive(Default)]
pub(in crate::rules) struct Nodes {
    graph: Graph,
    /// The possible texts of a table's output or of a fact.
    texts: HashMap<NodeId, BTreeSet<String>>,
    /// The first place of each aggregate.
    aggregates: HashMap<NodeId, Span>,
    /// The expressions of tables' cells, as written.
    cells: HashMap<NodeId, String>,
}

/// The finished graph, and the places of its nodes.
pub(in crate::rules) struct FinishedNodes {
    pub graph: Graph,
    pub aggregates: HashMap<NodeId, Span>,
    pub cells: HashMap<NodeId, String>,
}

impl Nodes {
    pub(in crate::rules) fn add(&mut self, op: Op, inputs: Vec<NodeId>, ty: Type, grain: Grain) -> NodeId {
        self.graph.add(op, inputs, ty, grain)
    }

    /// As [`Nodes::add`], as a checked expression.
    pub(in crate::rules) fn add_typed(&mut self, op: Op, inputs: Vec<NodeId>, ty: Type, grain: Grain) -> Typed {
        let node = self.graph.add(op, inputs, ty, grain);
        self.typed(node)
    }

    pub(in crate::rules) fn node(&self, node: NodeId) -> &Node {
        self.graph.node(node)
    }

    pub(in crate::rules) fn graph(&self) -> &Graph {
        &self.graph
    }

    pub(in crate::rules) fn typed(&self, node: NodeId) -> Typed {
        let found = self.graph.node(node);
        Typed { node, ty: found.ty, grain: found.grain, bare: None }
    }

    pub(in crate::rules) fn literal(&mut self, value: Value, ty: Type) -> Typed {
        let op = match value {
            Value::Int(value) => Some(Op::Int(value)),
            Value::Rational(value) => Some(Op::Rational(value)),
            Value::Boolean(value) => Some(Op::Boolean(value)),
            Value::Text(value) => Some(Op::Text(value)),
            Value::List(_) | Value::Entry(_) | Value::Float(_) => None,
        };
        // Numbers in rule files are exact, and there is no syntax for a literal list.
        let op = op.expect("INVARIANT: a literal is neither a list nor a float");
        self.add_typed(op, Vec::new(), ty, Grain::Constant)
    }

    /// No value of this type.
    pub(in crate::rules) fn unknown(&mut self, ty: Type) -> Typed {
        self.add_typed(Op::Unknown, Vec::new(), ty, Grain::Constant)
    }

    /// Spreads a node to every row of `grain`.
    pub(in crate::rules) fn spread(&mut self, node: NodeId, grain: Grain) -> NodeId {
        let ty = self.graph.node(node).ty;
        self.graph.add(Op::Spread, vec![node], ty, grain)
    }

    pub(in crate::rules) fn at_least(&mut self, typed: Typed, grain: Grain) -> NodeId {
        if typed.grain < grain { self.spread(typed.node, grain) } else { typed.node }
    }

    /// Spreads a value of counterparties or streams to records, if the context evaluates record by record.
    pub(in crate::rules) fn by_record(&mut self, typed: Typed, context: ExpressionContext) -> Typed {
        let by_record = context.by_record || (context.target == Grain::Transaction && !context.in_aggregate);
        if by_record && matches!(typed.grain, Grain::Group(group) if !group.is_ordered()) {
            let spread = self.spread(typed.node, Grain::Transaction);
            return self.typed(spread);
        }
        typed
    }

    /// A fact about the statement, with its possible texts.
    pub(in crate::rules) fn fact(&mut self, fact: Fact, ty: Type) -> NodeId {
        let node = self.graph.add(Op::Fact(fact), vec![], ty, Grain::Statement);
        self.note_texts(node, texts_of_fact(fact));
        node
    }

    /// Every text that a node may be, if they are known.
    pub(in crate::rules) fn texts_of(&self, node: NodeId) -> Option<&BTreeSet<String>> {
        self.texts.get(&node)
    }

    /// Notes every text that a node may be, if they are known.
    pub(in crate::rules) fn note_texts(&mut self, node: NodeId, texts: Option<BTreeSet<String>>) {
        self.texts.extend(texts.map(|texts| (node, texts)));
    }

    /// Notes the place of an aggregate, unless the same was written before.
    pub(in crate::rules) fn note_aggregate(&mut self, node: NodeId, span: Span) {
        self.aggregates.entry(node).or_insert(span);
    }

    /// Notes the text of a cell's expression, unless the same was written before.
    pub(in crate::rules) fn note_cell(&mut self, node: NodeId, text: impl FnOnce() -> String) {
        self.cells.entry(node).or_insert_with(text);
    }

    pub(in crate::rules) fn finish(&mut self) -> FinishedNodes {
        let Nodes { graph, aggregates, cells, .. } = std::mem::take(self);
        FinishedNodes { graph, aggregates, cells }
    }
}

/// The possible texts of a fact, if it is one of a few.
pub(in crate::rules) fn texts_of_fact(fact: Fact) -> Option<BTreeSet<String>> {
    match fact {
        Fact::BalanceVerdict => Some(BALANCE_VERDICTS.map(str::to_owned).into()),
        _ => None,
    }
}
