//! Decision tables: checks inputs, outputs and cells, and makes the nodes that find the row and read it.

use super::check::{Checked, Checker, Place, Reported, Symbol};
use super::file::DecisionTable as Written;
use super::ir::{Grain, NodeId, Op, Type, Unit};
use super::program::{DecisionTable, Hit, Row};
use crate::words::diagnostic::{Diagnostic, nearest};

/// Checks one table; its outputs become names that rules know.
pub(super) fn check(checker: &mut Checker, written: &Written, index: usize) -> Checked<DecisionTable> {
    let hit = hit(checker, written)?;
    let mut inputs: Vec<(String, NodeId)> = Vec::new();
    let mut types = Vec::new();
    for input in &written.inputs {
        let typed = checker.expression(input, Place::STATEMENT)?;
        types.push(typed.ty);
        let node = checker.at_least(typed, Grain::Statement);
        inputs.push((input.value().to_string(), node));
    }
    if inputs.is_empty() || written.outputs.is_empty() {
        let message = format!("the table `{}` needs `inputs` and `outputs`", written.name.text);
        return checker.report(Diagnostic::error("table", written.name.span, message));
    }
    let nodes = inputs.iter().map(|(_, node)| *node).collect();
    let node = checker.graph.add(Op::Hit(index), nodes, Type::COUNT, Grain::Statement);
    let mut outputs = Vec::new();
    for (column, (name, kind)) in written.outputs.iter().enumerate() {
        let Some(unit) = Unit::from_word(kind.value()) else {
            let known: Vec<&str> = Unit::ALL.iter().map(|unit| unit.word()).collect();
            let message = format!("`{}` is not a type", kind.value());
            let help = format!("one of: {}", known.join(", "));
            return checker.report(Diagnostic::error("unknown-word", kind.span(), message).help(help));
        };
        let ty = Type::declared(unit);
        let output = checker.graph.add(Op::Output(index, column), vec![node], ty, Grain::Statement);
        checker.declare(name, Symbol::Node(output));
        outputs.push((name.text.clone(), ty, output));
    }
    let mut rows = Vec::new();
    let mut failed = false;
    for (cells, span) in &written.rows {
        let wanted = types.len() + outputs.len();
        if cells.len() != wanted {
            let message = format!("this row has {} cells, the table has {wanted} columns", cells.len());
            checker.diagnostics.push(Diagnostic::error("table", *span, message));
            failed = true;
            continue;
        }
        match row(checker, cells, &types, &outputs) {
            Ok(row) => rows.push(row),
            Err(Reported) => failed = true,
        }
    }
    if failed {
        Err(Reported)
    } else {
        Ok(DecisionTable { name: written.name.text.clone(), hit, inputs, node, outputs, rows })
    }
}

fn hit(checker: &mut Checker, written: &Written) -> Checked<Hit> {
    let Some(text) = &written.hit else {
        let message = format!("the table `{}` does not say its hit policy", written.name.text);
        let help = "add hit = \"first\", \"unique\" or \"any\"";
        return checker.report(Diagnostic::error("missing-key", written.name.span, message).help(help));
    };
    match text.value() {
        "first" => Ok(Hit::First),
        "unique" => Ok(Hit::Unique),
        "any" => Ok(Hit::Any),
        other => {
            let near = nearest(other, ["first", "unique", "any"]);
            let help = near.map_or("one of: first, unique, any".to_string(), |near| format!("did you mean `{near}`?"));
            let message = format!("the hit policy `{other}` is not known");
            checker.report(Diagnostic::error("unknown-word", text.span(), message).help(help))
        }
    }
}

fn row(
    checker: &mut Checker,
    cells: &[super::source::Text],
    types: &[Type],
    outputs: &[(String, Type, NodeId)],
) -> Checked<Row> {
    let (tested, given) = cells.split_at(types.len());
    let mut row = Row { tests: Vec::new(), texts: Vec::new(), values: Vec::new() };
    for (cell, ty) in tested.iter().zip(types) {
        row.tests.push(super::cell::test(checker, cell, *ty)?);
        row.texts.push(cell.value().to_string());
    }
    for (cell, (_, ty, _)) in given.iter().zip(outputs) {
        match super::cell::value(checker, cell.value(), *ty) {
            Ok(value) => row.values.push(value),
            Err(message) => return checker.report(Diagnostic::error("cell", cell.span(), message)),
        }
    }
    Ok(row)
}
