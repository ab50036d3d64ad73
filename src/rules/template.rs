//! Sentences with values in them: `{name}`, `{$parameter}`, `{request.field}`. Computes no value.

use std::collections::BTreeSet;

use super::check::{Checked, Checker, Place, Reported};
use super::ir::{Grain, Graph, NodeId, Op, Type};
use super::program::{Part, Template, Told};
use super::source::Text;
use crate::words::diagnostic::{Diagnostic, Span};

/// Text with `{name}`, `{$parameter}` and `{request.field}` in it.
pub(super) fn template(checker: &mut Checker, text: &Text) -> Checked<Template> {
    let value = text.value();
    let mut parts = Vec::new();
    let mut failed = false;
    let mut at = 0;
    while let Some(open) = value[at..].find('{').map(|open| at + open) {
        let Some(close) = value[open..].find('}').map(|close| open + close) else {
            let span = text.locate(open, value.len());
            let help = "write {name}, {$parameter} or {request.field}";
            return checker.report(Diagnostic::error("syntax", span, "`{` without `}`").help(help));
        };
        parts.push(Part::Text(value[at..open].to_string()));
        match placeholder(checker, &value[open + 1..close], text.locate(open + 1, close), text.locate(open, close + 1))
        {
            Ok(node) => parts.push(Part::Value(told(&checker.graph, node))),
            Err(Reported) => failed = true,
        }
        at = close + 1;
    }
    parts.push(Part::Text(value[at..].to_string()));
    if failed { Err(Reported) } else { Ok(Template(parts)) }
}

/// The names of values that a sentence says.
pub(super) fn said(text: &Text, tell: &mut impl FnMut(&str)) {
    let parts = text.value().split('{').skip(1).filter_map(|part| part.split_once('}'));
    parts.map(|(name, _)| name).filter(|name| !name.starts_with('$')).for_each(tell);
}

fn told(graph: &Graph, node: NodeId) -> Told {
    let is_written = matches!(graph.node(graph.carried(node)).op, Op::Int(_) | Op::Float(_) | Op::Dated(_));
    Told { node, is_written, beside: Vec::new() }
}

impl Template {
    /// Notes what its values are compared with in a condition.
    pub(super) fn compared_in(&mut self, graph: &Graph, condition: NodeId) {
        let told = |part: &mut Part| matches!(part, Part::Value(told) if !told.is_written);
        if !self.0.iter_mut().any(told) {
            return;
        }
        let (mut seen, mut next) = (BTreeSet::new(), vec![condition]);
        while let Some(node) = next.pop() {
            let at = graph.node(node);
            if at.ty != Type::BOOLEAN || at.grain > Grain::Statement || !seen.insert(node) {
                continue;
            }
            next.extend(&at.inputs);
            let (Op::Compare(_), [left, right]) = (&at.op, at.inputs.as_slice()) else { continue };
            let (left, right) = (graph.carried(*left), graph.carried(*right));
            for part in &mut self.0 {
                let Part::Value(told) = part else { continue };
                let node = graph.carried(told.node);
                told.beside.extend((node == left).then_some(right).into_iter().chain((node == right).then_some(left)));
            }
        }
    }
}

/// What stands between the brackets, at `span`; `whole` is the place with them.
fn placeholder(checker: &mut Checker, inner: &str, span: Span, whole: Span) -> Checked<NodeId> {
    if inner.trim().is_empty() {
        let help = "write {name}, {$parameter} or {request.field}";
        return checker.report(Diagnostic::error("syntax", whole, "`{}` names nothing").help(help));
    }
    let typed = match (inner.strip_prefix('$'), inner.rsplit_once('.')) {
        (Some(parameter), _) => super::typing::parameter(checker, parameter, span)?,
        (None, Some((table, field))) => super::typing::qualified(checker, table, field, span, Place::STATEMENT)?,
        // In a sentence the `$` may be left out, where no other name is meant.
        (None, None) if !checker.knows_name(inner) && checker.knows_parameter(inner) => {
            super::typing::parameter(checker, inner, span)?
        }
        (None, None) => {
            checker.note_name(inner, span);
            checker.name(inner, span, Place::STATEMENT)?
        }
    };
    Ok(checker.at_least(typed, Grain::Statement))
}
