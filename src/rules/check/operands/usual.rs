//! Notes comparisons that are rarely meant: a whole narration that equals one word, and numbers of days for months.

use crate::base::diagnostic::{Diagnostic, Span};
use crate::rules::check::operands::Operands;
use crate::rules::check::symbols::nodes::Nodes;
use crate::rules::check::symbols::symbol::Typed;
use crate::rules::graph::{Aggregate, Grain, Group, GroupColumn, NodeId, Op, TransactionColumn};
use crate::rules::syntax::ast::Binary;

/// Numbers of months that are more often numbers of days.
const RATHER_DAYS: [i64; 8] = [30, 60, 90, 120, 180, 270, 360, 365];

/// Notes an unusual constant in `value sign constant`.
pub(in crate::rules) fn note_unusual(
    operands: &mut Operands,
    sign: Binary,
    value: &Typed,
    constant: &Typed,
    span: Span,
) {
    match &operands.nodes.node(constant.node).op {
        Op::Text(text) if sign == Binary::Equal && is_narration(operands.nodes, value.node) => {
            let message = format!("a narration is rarely '{text}' and nothing else");
            let help = format!("desc ILIKE '%{text}%' finds it anywhere");
            operands.mistakes.push(Diagnostic::note("pattern", span, message).label("the whole text").help(help));
        }
        Op::Int(number) if counts_months(operands.nodes, value.node) => {
            let number = *number;
            note_days_for_months(operands, number, span);
        }
        _ => {}
    }
}

/// Notes a number of months that looks like one of days.
pub(in crate::rules) fn note_days_for_months(operands: &mut Operands, months: i64, span: Span) {
    if !RATHER_DAYS.contains(&months) {
        return;
    }
    let message = format!("this counts months: {months} of them are more than {} years", months / 12);
    let help = format!("write {} for so many months; within({months}) is for days", (months / 30).max(1));
    operands.mistakes.push(Diagnostic::note("months", span, message).label("months, or days?").help(help));
}

fn is_narration(nodes: &Nodes, node: NodeId) -> bool {
    nodes.node(node).op == Op::Column(TransactionColumn::Description)
}

/// Whether a value is a month's number, or a number of months.
fn counts_months(nodes: &Nodes, node: NodeId) -> bool {
    let found = nodes.node(nodes.graph().carried(node));
    let is_of_months = |input: &NodeId| nodes.node(*input).grain == Grain::Group(Group::Month);
    match found.op {
        Op::GroupColumn(GroupColumn::FullAgo | GroupColumn::Number) => found.grain == Grain::Group(Group::Month),
        Op::Aggregate { function: Aggregate::Count, .. } => {
            found.grain <= Grain::Statement && found.inputs.iter().any(is_of_months)
        }
        _ => false,
    }
}
