//! The records behind a value of a stream or a counterparty: those that its aggregates counted. Evaluates nothing.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};

use super::row::FlaggedRow;
use crate::rules::Binary;
use crate::rules::graph::{Grain, Group, Node, NodeId, Op};
use crate::rules::program::Value;

/// How many records are kept for a sentence.
const FIRST: usize = 3;

/// The first records of a value, and how many there are.
type FirstRecords = (Vec<usize>, usize);

/// The records behind values that were asked for: a value of a group is the same for all of its records.
#[derive(Default)]
pub(super) struct Behind(RefCell<HashMap<(NodeId, usize), FirstRecords>>);

impl Behind {
    /// The rows that decided a node, and how many there are; none if it uses no group's value.
    pub(super) fn records(&self, row: &FlaggedRow, node: NodeId) -> FirstRecords {
        let Some((group, index)) = self.group(row, node) else { return FirstRecords::default() };
        // A node at the grain of records may compare a record's own value with its group's.
        let key = (node, index);
        if let Some(known) = self.0.borrow().get(&key) {
            return known.clone();
        }
        let rows = find_counted_rows(row, node, group, index);
        let counted = (rows.iter().copied().take(FIRST).collect(), rows.len());
        self.0.borrow_mut().insert(key, counted);
        self.0.borrow().get(&key).cloned().unwrap_or_default()
    }

    /// The group that a node is about.
    fn group(&self, row: &FlaggedRow, node: NodeId) -> Option<(Group, usize)> {
        let graph = &row.policy.program.graph;
        let (mut open, mut seen) = (vec![node], HashSet::new());
        while let Some(next) = open.pop() {
            match graph.node(next).grain {
                Grain::Group(group) if group.is_by_name() => return Some((group, row.group(group)?)),
                _ if seen.insert(next) => open.extend(graph.node(next).inputs.iter().rev()),
                _ => {}
            }
        }
        None
    }
}

/// The rows of a group that the deciding aggregates under a node counted.
fn find_counted_rows(row: &FlaggedRow, node: NodeId, group: Group, index: usize) -> BTreeSet<usize> {
    let graph = &row.policy.program.graph;
    let Ok(grouping) = row.evaluated.grouping(group) else { return BTreeSet::new() };
    let (mut rows, mut seen, mut open) = (BTreeSet::new(), HashSet::new(), vec![node]);
    while let Some(next) = open.pop() {
        let at = graph.node(next);
        if !seen.insert(next) {
            continue;
        }
        match &at.op {
            Op::Aggregate { .. } if at.grain == Grain::Group(group) => {
                rows.extend(grouping.rows_of(index).filter(|record| is_counted(row, at, *record)));
            }
            // What is under a NOT did not decide.
            Op::Not => {}
            Op::Or => open.extend(at.inputs.iter().rev().filter(|input| row.truth(**input) == Some(true))),
            Op::Compare(sign) => open.extend(greater_side_of(*sign, &at.inputs, row.truth(next) == Some(true))),
            // A share is of the records above the line.
            Op::Arithmetic(Binary::Divide) => open.extend(at.inputs.first()),
            _ => open.extend(at.inputs.iter().rev()),
        }
    }
    rows
}

/// The greater side of a comparison, or both sides if they are equal.
fn greater_side_of(sign: Binary, inputs: &[NodeId], holds: bool) -> Vec<NodeId> {
    let is_left = match sign {
        Binary::Greater | Binary::GreaterEqual => holds,
        Binary::Less | Binary::LessEqual => !holds,
        _ => return inputs.to_vec(),
    };
    inputs.get(usize::from(!is_left)).copied().into_iter().collect()
}

/// Whether an aggregate counted a record.
fn is_counted(row: &FlaggedRow, aggregate: &Node, record: usize) -> bool {
    let Op::Aggregate { arguments, filtered, .. } = aggregate.op else { return false };
    let (values, filter) = aggregate.inputs.split_at(arguments.min(aggregate.inputs.len()));
    let of_record = FlaggedRow { row: record, ..*row };
    let known = values.iter().all(|value| of_record.value(*value).is_ok());
    known && (!filtered || filter.iter().all(|test| of_record.value(*test) == Ok(Value::Boolean(true))))
}
