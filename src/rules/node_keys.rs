//! A key for each value that a policy computes: the same for the same formula in another policy, whatever its number,
//! and another one as soon as anything differs that the value follows from.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::graph::{Grain, Node, NodeId, Op};
use super::key_list::KeyList;
use super::policy::Policy;
use super::program::inputs::Input;
use super::program::{DecisionTable, HitPolicy, OutputCell, Program, ScoreItem, Value};
use crate::base::digest::{Digest, Hasher};
use crate::base::narration::LISTS;

/// The key of a value: a digest of its formula, of everything behind it, and of how statements are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeKey(Digest);

impl NodeKey {
    /// From a key that was written as text.
    pub fn from_text(text: &str) -> Option<NodeKey> {
        text.parse().ok().map(NodeKey)
    }

    /// A key for something that follows from several values and from what else `about` says.
    pub fn combined(about: &str, keys: impl IntoIterator<Item = NodeKey>) -> NodeKey {
        let mut hasher = Hasher::new();
        hasher.update(about.as_bytes());
        for key in keys {
            hasher.update(key.0.as_bytes());
        }
        NodeKey(hasher.finish())
    }
}

impl std::fmt::Display for NodeKey {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(out)
    }
}

/// What the inputs of a request are, by path.
#[derive(Clone, Copy)]
pub struct InputValues<'v> {
    /// The values for all statements.
    pub shared: &'v BTreeMap<String, Value>,
    /// Whether each statement has its own value of an input.
    pub is_by_customer: &'v dyn Fn(&str) -> bool,
}

impl<'v> InputValues<'v> {
    /// The same values for all statements.
    pub fn shared(shared: &'v BTreeMap<String, Value>) -> InputValues<'v> {
        InputValues { shared, is_by_customer: &|_| false }
    }
}

/// The key of every node of a policy, in order.
pub fn node_keys(policy: &Policy, given: InputValues) -> Vec<NodeKey> {
    node_keys_cut(policy, given, &|_| false)
}

/// The key of an input of which each statement has its own value.
pub fn key_of_input_by_customer(input: &Input) -> NodeKey {
    let mut text = String::new();
    // Writing to a text never fails.
    let column = input.column.as_deref();
    let _ = write!(text, "input {} {:?} {column:?} by customer|{:?}", input.path(), input.ty, Grain::Statement);
    let mut hasher = Hasher::new();
    hasher.update(text.as_bytes());
    NodeKey(hasher.finish())
}

/// As [`node_keys`], but some nodes are cut off: their keys say which score or output of a table they are, and not what
/// that follows from. So a formula has the same key whatever the tables say.
pub fn node_keys_cut(policy: &Policy, given: InputValues, is_cut: &dyn Fn(NodeId) -> bool) -> Vec<NodeKey> {
    let program = &policy.program;
    let reading = digest_of_reading(policy);
    let mut keys: Vec<NodeKey> = Vec::with_capacity(program.graph.nodes().len());
    let mut text = String::new();
    for (index, node) in program.graph.nodes().iter().enumerate() {
        text.clear();
        let cut = is_cut(NodeId(index as u32));
        let input = match &node.op {
            Op::Input(input) => Some(&program.inputs[*input]).filter(|input| (given.is_by_customer)(&input.path())),
            _ => None,
        };
        if let Some(input) = input {
            keys.push(key_of_input_by_customer(input));
            continue;
        }
        match &node.op {
            Op::Output(table, output) if cut => {
                let table = &program.tables[*table];
                text.push_str(&format!("cut {}.{}", table.name, table.outputs[*output].name));
            }
            _ if cut => text.push_str("cut score"),
            _ => describe_operation(policy, node, given.shared, &mut text),
        }
        // Writing to a text never fails.
        let _ = write!(text, "|{:?}|{:?}", node.ty, node.grain);
        let mut hasher = Hasher::new();
        hasher.update(text.as_bytes());
        if asks_statement(node) {
            hasher.update(reading.as_bytes());
        }
        for input in node.inputs.iter().filter(|_| !cut) {
            hasher.update(keys[input.index()].0.as_bytes());
        }
        keys.push(NodeKey(hasher.finish()));
    }
    keys
}

/// Whether the node looks at records, so that it matters how they are read.
fn asks_statement(node: &Node) -> bool {
    node.grain > Grain::Statement
        || matches!(node.op, Op::Column(_) | Op::GroupColumn(_) | Op::Fact(_) | Op::Mentions(_) | Op::Mentioned(_))
        || matches!(node.op, Op::Named(_) | Op::Corrected(_) | Op::Mirrored | Op::Aggregate { .. } | Op::Local(_))
}

/// How the policy reads statements and finds names in them.
fn digest_of_reading(policy: &Policy) -> Digest {
    let (header, program) = (&policy.header, &policy.program);
    let mut text = format!(
        "{:?}|{:?}|{:?}|{:?}|{:?}|{:?}|{:?}|{:?}",
        header.currency,
        header.statement_unit,
        header.zone,
        header.date_conflict,
        header.record_day,
        header.negative_amount,
        header.empty_amount,
        program.stream_tolerance,
    );
    for (name, words) in program.word_lists.iter().filter(|(name, _)| LISTS.iter().any(|(list, _)| list == name)) {
        let _ = write!(text, "|{name}{words:?}");
    }
    if let Some(corrections) = &program.corrections {
        let _ = write!(text, "|corrections {}", corrections.digest);
    }
    Digest::compute(text.as_bytes())
}

/// The operation with everything that it refers to by a number.
fn describe_operation(policy: &Policy, node: &Node, given: &BTreeMap<String, Value>, text: &mut String) {
    let program = &policy.program;
    let written = match &node.op {
        Op::Input(index) | Op::Entry(index, None) => {
            let path = program.inputs[*index].path();
            write!(text, "input {path} {:?} {:?}", program.inputs[*index].ty, given.get(&path))
        }
        Op::Entry(index, Some(field)) => {
            let path = program.inputs[*index].path();
            write!(text, "entry {path} {field} {:?} {:?}", program.inputs[*index].ty, given.get(&path))
        }
        Op::Dated(index) => write!(text, "dated {:?}", program.parameters[*index].values),
        Op::Mentions(list) | Op::Mentioned(list) | Op::Named(list) => {
            write!(text, "{:?} {:?}", std::mem::discriminant(&node.op), program.word_lists.get(*list))
        }
        Op::InList(list) => {
            write!(text, "in list {:?}", program.lists.get(*list).map(KeyList::content_digest))
        }
        Op::Corrected(flag) => {
            let has = |flags: &Option<Vec<usize>>| flags.as_ref().map(|flags| flags.contains(flag));
            let kinds = program.kinds.iter().map(|kind| (kind.name.as_str(), has(&kind.credit), has(&kind.debit)));
            write!(text, "corrected {:?}", kinds.collect::<Vec<_>>())
        }
        Op::Points(item) => describe_score_points(*item, &program.score_items[*item], text),
        Op::Score => write!(text, "score {:?}", program.score.as_ref().map(|score| &score.base)),
        Op::Hit(table) => describe_table_hit(program, *table, text),
        Op::Output(table, output) => {
            let table = &program.tables[*table];
            write!(text, "output {:?} {:?} ", table.hit_policy, table.outputs[*output].values)
                .and_then(|()| describe_output_cells(table, *output, text))
        }
        op => write!(text, "{op:?}"),
    };
    // Writing to a text never fails.
    let _ = written;
}

fn describe_score_points(number: usize, item: &ScoreItem, text: &mut String) -> std::fmt::Result {
    write!(text, "points {number}")?;
    item.bins.iter().try_for_each(|bin| write!(text, "|{:?} {:?}", bin.test, bin.gain))
}

/// Which rows hit depends on the outputs too, unless the first or the only one counts.
fn describe_table_hit(program: &Program, number: usize, text: &mut String) -> std::fmt::Result {
    let table = &program.tables[number];
    write!(text, "hit {number} {:?} {:?} {}", table.hit_policy, table.expected, table.otherwise.is_some())?;
    table.rows.iter().try_for_each(|row| write!(text, "|{:?}", row.tests))?;
    if matches!(table.hit_policy, HitPolicy::First | HitPolicy::Unique) {
        return Ok(());
    }
    (0..table.outputs.len()).try_for_each(|output| describe_output_cells(table, output, text))
}

fn describe_output_cells(table: &DecisionTable, output: usize, text: &mut String) -> std::fmt::Result {
    let rows = table.rows.iter().map(|row| &row.values).chain(&table.otherwise);
    rows.map(|cells| &cells[output]).try_for_each(|cell| match cell {
        OutputCell::Value(value) => write!(text, "|{value:?}"),
        OutputCell::Expression(_, input) => write!(text, "|input {input}"),
    })
}

/// The key of one node.
pub fn key_of(keys: &[NodeKey], node: NodeId) -> NodeKey {
    keys[node.index()]
}
