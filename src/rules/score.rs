//! The scorecard: checks its items and makes the nodes that add up the points.

use super::check::{Checked, Checker, Place, Reported, Symbol, constant};
use super::file::Score;
use super::ir::{Grain, NodeId, Op, Type, Unit};
use super::program::{Bin, ScoreItem, Value};
use super::source::Name;
use crate::words::diagnostic::Diagnostic;

/// Checks the scorecard; rules call its sum `score`.
pub(super) fn check(
    checker: &mut Checker,
    score: &super::file::Score,
    items: &mut Vec<ScoreItem>,
) -> Checked<(f64, NodeId)> {
    let base = points(checker, &score.base);
    let mut failed = false;
    for item in &score.items {
        match check_item(checker, item, items.len()) {
            Ok(item) => items.push(item),
            Err(Reported) => failed = true,
        }
    }
    let inputs: Vec<NodeId> = items.iter().map(|item| item.node).collect();
    let node = checker.graph.add(Op::Score, inputs, Type::NUMBER, Grain::Statement);
    declare(checker, score, node);
    if failed { Err(Reported) } else { base.map(|base| (base, node)) }
}

fn declare(checker: &mut Checker, score: &Score, node: NodeId) {
    let name = Name { text: "score".into(), span: score.base.span() };
    checker.declare(&name, Symbol::Node(node));
}

fn points(checker: &mut Checker, text: &super::source::Text) -> Checked<f64> {
    match constant(checker.currency, text.value(), Some(Unit::Number)) {
        Ok((Value::Float(points), _)) => Ok(points),
        Ok(_) => Err(Reported),
        Err(message) => checker.report(Diagnostic::error("score", text.span(), message).help("points are a number")),
    }
}

fn check_item(checker: &mut Checker, item: &super::file::ScoreItem, index: usize) -> Checked<ScoreItem> {
    let on = checker.expression(&item.on, Place::STATEMENT)?;
    let ty = on.ty;
    let on = checker.at_least(on, Grain::Statement);
    if item.points.is_empty() {
        return checker.report(Diagnostic::error("score", item.span, "this item gives no points"));
    }
    let mut bins = Vec::new();
    let mut failed = false;
    for (cell, gained) in &item.points {
        match (super::cell::test(checker, cell, ty), points(checker, gained)) {
            (Ok(test), Ok(points)) => {
                bins.push(Bin { test, text: cell.value().to_string(), points, span: cell.span() });
            }
            _ => failed = true,
        }
    }
    if failed {
        return Err(Reported);
    }
    super::overlap::bins(checker, &bins, ty);
    let node = checker.graph.add(Op::Points(index), vec![on], Type::NUMBER, Grain::Statement);
    Ok(ScoreItem { text: item.on.value().to_string(), on, node, bins, span: item.span })
}
