//! Finds texts that never occur: a value in lower case compared with a text that has capitals. Evaluates nothing.

use crate::base::diagnostic::{Diagnostic, Span};
use crate::rules::check::operands::Operands;
use crate::rules::check::symbols::nodes::Nodes;
use crate::rules::check::symbols::symbol::Typed;
use crate::rules::graph::{Letters, NodeId, Op, TransactionColumn};
use crate::rules::syntax::ast::Like;
use crate::rules::value::{Test, Value};

/// The case of all letters of a text, if it is known.
fn letters_of(nodes: &Nodes, node: NodeId) -> Option<Letters> {
    let found = nodes.node(node);
    match &found.op {
        Op::Column(TransactionColumn::Counterparty) => Some(Letters::Lower),
        Op::Letters(Letters::Lower) => Some(Letters::Lower),
        Op::Letters(Letters::Upper) => Some(Letters::Upper),
        Op::Letters(Letters::Trim) | Op::Spread | Op::Neighbour(_) | Op::Substring => {
            letters_of(nodes, *found.inputs.first()?)
        }
        Op::NeedsMonths(_) => letters_of(nodes, *found.inputs.last()?),
        Op::Aggregate { function, .. } if function.is_one_of_values() => letters_of(nodes, *found.inputs.first()?),
        _ => None,
    }
}

/// Whether the letters of a value are always in lower case.
pub(in crate::rules) fn is_in_lower_case(nodes: &Nodes, value: NodeId) -> bool {
    letters_of(nodes, value) == Some(Letters::Lower)
}

/// The text in the case of the value, if it is written in another.
fn text_in_case(nodes: &Nodes, value: NodeId, text: &str) -> Option<(&'static str, String)> {
    let letters = letters_of(nodes, value)?;
    let meant = letters.of(text);
    let case = if letters == Letters::Upper { "upper case" } else { "lower case" };
    (meant != text).then_some((case, meant))
}

/// Warns where a text is compared with one that has letters in a case that it never has. `span` is the place of the
/// other text.
pub(in crate::rules) fn warn_of_other_case(operands: &mut Operands, value: &Typed, text: &Typed, span: Span) {
    let Op::Text(written) = &operands.nodes.node(text.node).op else { return };
    let Some((case, meant)) = text_in_case(operands.nodes, value.node, written) else { return };
    let (old, new) = (format!("'{written}'"), format!("'{meant}'"));
    let warning = never_in_case(span, case, &old, &new);
    operands.mistakes.push(warning.meant(&old, Some(new)));
}

/// As [`warn_of_other_case`], for the texts in a cell.
pub(in crate::rules) fn warn_of_cell_in_other_case(operands: &mut Operands, value: &Typed, test: &Test, span: Span) {
    match test {
        Test::Equal(Value::Text(written)) => {
            let Some((case, meant)) = text_in_case(operands.nodes, value.node, written) else { return };
            operands.mistakes.push(never_in_case(span, case, &format!("'{written}'"), &meant));
        }
        Test::OneOf(tests) => tests.iter().for_each(|test| warn_of_cell_in_other_case(operands, value, test, span)),
        Test::Not(test) => warn_of_cell_in_other_case(operands, value, test, span),
        _ => {}
    }
}

/// As [`warn_of_other_case`], for the pattern of a `LIKE`, which has no place of its own.
pub(in crate::rules) fn warn_of_pattern_in_other_case(operands: &mut Operands, value: &Typed, like: &Like, span: Span) {
    if like.any_case {
        return;
    }
    let Some((case, meant)) = text_in_case(operands.nodes, value.node, &like.pattern) else { return };
    let (old, new) = (format!("'{}'", like.pattern), format!("'{meant}'"));
    let warning = never_in_case(span, case, &old, &new);
    operands.mistakes.push(warning.meant_at(pattern_span(span, like), &old, Some(new)));
}

/// The place of a pattern, at the end of its `LIKE`, if it has no escape sign.
pub(in crate::rules) fn pattern_span(span: Span, like: &Like) -> Span {
    let length = like.pattern.len() as u32 + 2;
    let start = span.end.saturating_sub(length).max(span.start);
    if like.escape.is_none() { Span { start, ..span } } else { span }
}

fn never_in_case(span: Span, case: &str, old: &str, new: &str) -> Diagnostic {
    let message = format!("the text is always in {case}, so {old} never occurs");
    Diagnostic::warning("never-said", span, message).label("never").help(format!("write {new}"))
}
