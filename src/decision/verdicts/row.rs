//! One record with the values that a policy computed for it. Must not know flags or wording.

use std::collections::HashMap;

use crate::metrics::{Evaluated, Reason, StatementSlice};
use crate::rules::Policy;
use crate::rules::graph::{Grain, Group, NodeId};
use crate::rules::program::{Metric, Value};

/// A record of a slice of statements, at one policy.
#[derive(Clone, Copy)]
pub(super) struct Row<'r> {
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
}

impl Row<'_> {
    /// The value of a node for this record, its group or its statement.
    pub(super) fn value(&self, node: NodeId) -> Result<Value, Reason> {
        self.index(node).map_or(Err(Reason::NoValue), |index| self.evaluated.value(node, index))
    }

    /// Whether a boolean node holds; `None` if that is unknown.
    pub(super) fn truth(&self, node: NodeId) -> Option<bool> {
        match self.value(node) {
            Ok(Value::Boolean(truth)) => Some(truth),
            _ => None,
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
        }
    }

    /// Whether the rule file says what a definition means.
    pub(super) fn has_doc(&self, node: NodeId) -> bool {
        self.names.get(&node).is_some_and(|definition| !definition.doc.is_empty())
    }
}
