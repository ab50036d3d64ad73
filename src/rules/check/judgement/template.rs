//! Checks texts with values in them: `{name}`, `{$parameter}`, `{request.field}`. Computes no value.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::diagnostic::{Diagnostic, Span};
use crate::base::rational::Rational;
use crate::rules::check::checker::Checker;
use crate::rules::check::expressions::names::{parameter, qualified};
use crate::rules::check::symbols::symbol::{Checked, ExpressionContext, Reported};
use crate::rules::graph::{Grain, Graph, NodeId, Op};
use crate::rules::program::{DecisionTable, Part, Requirement, ScoreItem, Template, TemplateValue};
use crate::rules::syntax::source::Text;
use crate::rules::value::Test;

/// Text with `{name}`, `{$parameter}` and `{request.field}` in it.
pub(in crate::rules) fn check_template(checker: &mut Checker, text: &Text) -> Checked<Template> {
    let value = text.value();
    let mut parts = Vec::new();
    let mut failed = false;
    let mut at = 0;
    while let Some(open) = value[at..].find('{').map(|open| at + open) {
        let Some(close) = value[open..].find('}').map(|close| open + close) else {
            let span = text.locate(open, value.len());
            let help = "write {name}, {$parameter} or {request.field}";
            return checker.mistakes.report(Diagnostic::error("syntax", span, "`{` without `}`").help(help));
        };
        parts.push(Part::Text(value[at..open].to_string()));
        match check_placeholder(
            checker,
            &value[open + 1..close],
            text.locate(open + 1, close),
            text.locate(open, close + 1),
        ) {
            Ok(node) => parts.push(Part::Value(template_value(checker.nodes.graph(), node))),
            Err(Reported) => failed = true,
        }
        at = close + 1;
    }
    parts.push(Part::Text(value[at..].to_string()));
    if failed { Err(Reported) } else { Ok(Template(parts)) }
}

/// The names of values in a sentence.
pub(in crate::rules) fn mentioned_names(text: &Text, visit: &mut impl FnMut(&str)) {
    let parts = text.value().split('{').skip(1).filter_map(|part| part.split_once('}'));
    parts.map(|(name, _)| name).filter(|name| !name.starts_with('$')).for_each(visit);
}

/// Most nodes of a condition that are examined. Bounds of a value are near its top.
const EXAMINED_MAX: usize = 200;

fn template_value(graph: &Graph, node: NodeId) -> TemplateValue {
    let is_written =
        matches!(graph.node(graph.carried(node)).op, Op::Int(_) | Op::Rational(_) | Op::Dated(_) | Op::Input(_));
    TemplateValue { node, is_written, beside: Vec::new(), ends: None }
}

/// Notes what the values of a text are compared with in a condition.
pub(in crate::rules) fn note_compared(template: &mut Template, graph: &Graph, condition: NodeId) {
    let value = |part: &mut Part| matches!(part, Part::Value(value) if !value.is_written);
    if !template.0.iter_mut().any(value) {
        return;
    }
    let (mut seen, mut next) = (BTreeSet::new(), vec![condition]);
    while let Some(node) = next.pop() {
        let at = graph.node(node);
        if at.grain > Grain::Statement || seen.len() >= EXAMINED_MAX || !seen.insert(node) {
            continue;
        }
        next.extend(at.inputs.iter().filter(|_| !matches!(at.op, Op::Aggregate { .. })));
        let (Op::Compare(_), [left, right]) = (&at.op, at.inputs.as_slice()) else { continue };
        let (left, right) = (graph.carried(*left), graph.carried(*right));
        for part in &mut template.0 {
            let Part::Value(value) = part else { continue };
            let node = graph.carried(value.node);
            value.beside.extend((node == left).then_some(right).into_iter().chain((node == right).then_some(left)));
        }
    }
}

/// Notes in every reason the ends of the cells and bins that test its values.
pub(in crate::rules) fn note_ends(
    graph: &Graph,
    requirements: &mut [Requirement],
    items: &mut [ScoreItem],
    tables: &[DecisionTable],
) {
    let mut ends: BTreeMap<NodeId, Vec<Rational>> = BTreeMap::new();
    for table in tables {
        for (column, (_, node)) in table.inputs.iter().enumerate() {
            let tests = table.rows.iter().filter_map(|row| row.tests.get(column));
            ends.entry(graph.carried(*node)).or_default().extend(tests.flat_map(Test::ends));
        }
    }
    for item in items.iter() {
        let tests = item.bins.iter().map(|bin| &bin.test);
        ends.entry(graph.carried(item.on)).or_default().extend(tests.flat_map(Test::ends));
    }
    let sorted = |mut ends: Vec<Rational>| {
        ends.sort();
        ends.dedup();
        std::sync::Arc::from(ends)
    };
    let ends: BTreeMap<NodeId, std::sync::Arc<[Rational]>> =
        ends.into_iter().map(|(node, ends)| (node, sorted(ends))).collect();
    let reasons = requirements.iter_mut().map(|requirement| &mut requirement.reason);
    for reason in reasons.chain(items.iter_mut().filter_map(|item| item.reason.as_mut())) {
        for part in &mut reason.0 {
            let Part::Value(value) = part else { continue };
            value.ends = ends.get(&graph.carried(value.node)).cloned();
        }
    }
}

/// Checks the text between the braces, at `span`; `whole` is the place with them.
fn check_placeholder(checker: &mut Checker, inner: &str, span: Span, whole: Span) -> Checked<NodeId> {
    if inner.trim().is_empty() {
        let help = "write {name}, {$parameter} or {request.field}";
        return checker.mistakes.report(Diagnostic::error("syntax", whole, "`{}` names nothing").help(help));
    }
    let typed = match (inner.strip_prefix('$'), inner.rsplit_once('.')) {
        (Some(name), _) => parameter(checker, name, span)?,
        (None, Some((table, field))) => qualified(checker, table, field, span, ExpressionContext::STATEMENT)?,
        // In a sentence the `$` may be omitted if no other name is meant.
        (None, None) if !checker.knows_name(inner) && checker.knows_parameter(inner) => {
            parameter(checker, inner, span)?
        }
        (None, None) => {
            checker.note_name(inner, span);
            checker.name(inner, span, ExpressionContext::STATEMENT)?
        }
    };
    Ok(checker.nodes.at_least(typed, Grain::Statement))
}
