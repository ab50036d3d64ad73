//! Cleans the texts of a policy that are compared with texts of records. Records are read without doubled blanks,
//! letters without width and letters in parts, so a text copied from a statement would never match otherwise.

use crate::base::clean_text::clean_part;
use crate::rules::check::symbols::nodes::Nodes;
use crate::rules::check::symbols::symbol::Typed;
use crate::rules::graph::{NodeId, Op, TextPlace};
use crate::rules::syntax::ast::Like;
use crate::rules::types::{Type, Unit};
use crate::rules::value::Value;

/// Most steps from a value to the column that it comes from.
const DEPTH_MAX: usize = 16;

/// How a value comes from a record's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::rules) enum RecordText {
    Whole,
    /// It may begin or end within the text, next to a blank.
    Part,
}

impl RecordText {
    /// Cleans a text that is compared with such a value.
    pub(in crate::rules) fn clean(self, text: &str) -> Option<String> {
        let is_whole = self == RecordText::Whole;
        clean_part(text, is_whole, is_whole)
    }

    /// As [`RecordText::clean`], for a part that the value has at this place.
    pub(in crate::rules) fn clean_at(self, text: &str, place: TextPlace) -> Option<String> {
        let is_whole = self == RecordText::Whole;
        let (is_start, is_end) = (place == TextPlace::Start, place == TextPlace::End);
        clean_part(text, is_whole && is_start, is_whole && is_end)
    }
}

/// Whether a value is a text of records, which is clean, or a part of one.
pub(in crate::rules) fn record_text_of(nodes: &Nodes, node: NodeId) -> Option<RecordText> {
    let (mut node, mut kind) = (node, RecordText::Whole);
    for _ in 0..DEPTH_MAX {
        let found = nodes.node(node);
        let first = || found.inputs.first().copied();
        let next = match &found.op {
            Op::Column(_) | Op::Mentioned(_) => return (found.ty.unit == Unit::Text).then_some(kind),
            Op::Spread | Op::Letters(_) | Op::Neighbour(_) => first(),
            Op::Substring => {
                kind = RecordText::Part;
                first()
            }
            Op::NeedsMonths(_) => found.inputs.last().copied(),
            // The other values are mostly a text for those without one.
            Op::Coalesce => first(),
            Op::Aggregate { function, .. } if function.is_one_of_values() => first(),
            _ => None,
        };
        node = next?;
    }
    None
}

/// Cleans a constant on either side of a comparison if the other side is a text of records.
pub(in crate::rules) fn clean_sides(nodes: &mut Nodes, left: Typed, right: Typed) -> (Typed, Typed) {
    let (left_node, right_node) = (left.node, right.node);
    let clean = |kind: RecordText, text: &str| kind.clean(text);
    let right = clean_beside(nodes, left_node, right, clean);
    let left = clean_beside(nodes, right_node, left, clean);
    (left, right)
}

/// Cleans a part to look for in a text of records.
pub(in crate::rules) fn clean_sought(nodes: &mut Nodes, text: NodeId, part: Typed, place: TextPlace) -> Typed {
    clean_beside(nodes, text, part, |kind, part| kind.clean_at(part, place))
}

/// Cleans an item to look for in a list of a record.
pub(in crate::rules) fn clean_item(nodes: &mut Nodes, list: NodeId, item: Typed) -> Typed {
    clean_beside(nodes, list, item, |kind, item| kind.clean(item))
}

fn clean_beside(
    nodes: &mut Nodes,
    value: NodeId,
    text: Typed,
    clean: impl Fn(RecordText, &str) -> Option<String>,
) -> Typed {
    let Op::Text(written) = &nodes.node(text.node).op else { return text };
    let Some(clean) = record_text_of(nodes, value).and_then(|kind| clean(kind, written)) else { return text };
    nodes.literal(Value::Text(clean), Type::TEXT)
}

/// Cleans a pattern that is compared with a text of records.
pub(in crate::rules) fn clean_pattern(nodes: &Nodes, value: NodeId, like: &Like) -> Like {
    let clean = record_text_of(nodes, value).and_then(|kind| kind.clean(&like.pattern));
    Like { pattern: clean.unwrap_or_else(|| like.pattern.clone()), ..like.clone() }
}
