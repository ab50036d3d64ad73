//! One record with the values that a policy computed for it.

use std::collections::HashMap;

use crate::engine::metrics::{Evaluated, Reason, StatementSlice};
use crate::rules::Policy;
use crate::rules::graph::{Grain, Group, NodeId, Op, TransactionColumn};
use crate::rules::program::{Metric, Value};

/// The depth of an expression beyond which an unknown stays unknown.
pub(super) const DEPTH_MAX: usize = 200;

/// The depth to which conditions are searched for a comparison with the other side.
const OTHER_SIDE_DEPTH: usize = 16;

/// A record of a slice of statements, at one policy.
#[derive(Clone, Copy)]
pub(super) struct FlaggedRow<'r> {
    pub policy: &'r Policy,
    pub evaluated: &'r Evaluated<'r>,
    pub slice: &'r StatementSlice<'r>,
    /// The definitions of records' and groups' values.
    pub names: &'r HashMap<NodeId, &'r Metric>,
    /// The payer of every stream.
    pub payers: &'r [Option<String>],
    pub statement: usize,
    /// The row in the slice.
    pub row: usize,
    /// Whether the record has a credit and no debit, or a debit and no credit; `None` otherwise.
    pub came_in: Option<bool>,
}

impl FlaggedRow<'_> {
    /// The value of a node for this record, its group or its statement.
    pub(super) fn value(&self, node: NodeId) -> Result<Value, Reason> {
        self.index(node).map_or(Err(Reason::NoValue), |index| self.evaluated.value(node, index))
    }

    /// Whether a boolean node holds; `None` if that is unknown. A condition on the other side of the record does not
    /// hold, whatever else is unknown: what came in has no debit to compare.
    pub(super) fn truth(&self, node: NodeId) -> Option<bool> {
        match self.value(node) {
            Ok(Value::Boolean(truth)) => Some(truth),
            Ok(_) => None,
            Err(_) => self.settled(node, &mut HashMap::new(), 0).filter(|truth| !truth),
        }
    }

    /// The truth of a node if comparisons with the missing side of the record do not hold.
    fn settled(&self, node: NodeId, seen: &mut HashMap<NodeId, Option<bool>>, depth: usize) -> Option<bool> {
        if let Some(known) = seen.get(&node) {
            return *known;
        }
        if let Ok(value) = self.value(node) {
            return if let Value::Boolean(truth) = value { Some(truth) } else { None };
        }
        let at = self.policy.program.graph.node(node);
        let mut inputs = || -> Vec<Option<bool>> {
            match depth < DEPTH_MAX {
                true => at.inputs.iter().map(|input| self.settled(*input, seen, depth + 1)).collect(),
                false => Vec::new(),
            }
        };
        let settled = match at.op {
            Op::And | Op::Or => {
                let (inputs, decides) = (inputs(), at.op == Op::Or);
                match inputs.contains(&Some(decides)) {
                    true => Some(decides),
                    false if inputs.is_empty() || inputs.contains(&None) => None,
                    false => Some(!decides),
                }
            }
            Op::Not => inputs().first().copied().flatten().map(|truth| !truth),
            // None of them is known, or the whole would be.
            Op::Coalesce => inputs().into_iter().flatten().next(),
            Op::Compare(_) => at.inputs.iter().any(|input| self.is_missing_side(*input)).then_some(false),
            _ => None,
        };
        seen.insert(node, settled);
        settled
    }

    /// Whether a condition fails for any narration because it is about the other side of the record.
    pub(super) fn is_of_other_side(&self, node: NodeId) -> bool {
        self.needs_other_side(node, 0)
    }

    fn needs_other_side(&self, node: NodeId, depth: usize) -> bool {
        let at = self.policy.program.graph.node(node);
        let mut inputs = at.inputs.iter();
        match at.op {
            _ if depth > OTHER_SIDE_DEPTH => false,
            Op::And => inputs.any(|input| self.needs_other_side(*input, depth + 1)),
            Op::Or => inputs.all(|input| self.needs_other_side(*input, depth + 1)),
            Op::Coalesce => {
                let is_correction =
                    |input: &NodeId| matches!(self.policy.program.graph.node(*input).op, Op::Corrected(_));
                inputs.filter(|input| !is_correction(input)).all(|input| self.needs_other_side(*input, depth + 1))
            }
            Op::Compare(_) => inputs.any(|input| self.is_missing_side(*input)),
            _ => false,
        }
    }

    /// Whether a node is the debit of a record that came in, or the credit of one that went out.
    fn is_missing_side(&self, node: NodeId) -> bool {
        let graph = &self.policy.program.graph;
        match graph.node(graph.carried(node)).op {
            Op::Column(TransactionColumn::Debit) => self.came_in == Some(true),
            Op::Column(TransactionColumn::Credit) => self.came_in == Some(false),
            _ => false,
        }
    }

    /// The group of this record, if it is in one.
    pub(super) fn group(&self, group: Group) -> Option<usize> {
        self.evaluated.group_of(group, self.row)
    }

    /// Where the values of a node have this record's: `None` if the record is in no such group.
    fn index(&self, node: NodeId) -> Option<usize> {
        match self.policy.program.graph.node(node).grain {
            Grain::Constant => Some(0),
            Grain::Statement => Some(self.statement),
            Grain::Group(group) => self.group(group),
            Grain::Transaction => Some(self.row),
            Grain::Entry(_) | Grain::Apart => None,
        }
    }

    /// Whether the rule file says what a definition means.
    pub(super) fn has_doc(&self, node: NodeId) -> bool {
        self.names.get(&node).is_some_and(|definition| !definition.doc.is_empty())
    }
}
