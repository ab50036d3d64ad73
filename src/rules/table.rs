//! Decision tables: checks inputs, outputs and cells, and makes the nodes that find the row and read it.

use super::check::{Checked, Checker, Place, Reported, Symbol};
use super::file::DecisionTable as Written;
use super::ir::{Grain, NodeId, Op, Type, Unit};
use super::program::{DecisionTable, Hit, Row};
use super::source::word;
use crate::words::diagnostic::{Diagnostic, Span, nearest};

/// Checks one table; its outputs become names that rules know, also where the table has mistakes: those are told once, not
/// again at every use of an output.
pub(super) fn check(checker: &mut Checker, written: &Written, index: usize) -> Checked<DecisionTable> {
    let hit = hit(checker, written);
    let mut inputs: Vec<(String, NodeId)> = Vec::new();
    let mut types = Vec::new();
    for input in &written.inputs {
        let typed = checker.expression(input, Place::STATEMENT).ok();
        types.push(typed.as_ref().map(|typed| typed.ty));
        let node = typed.map(|typed| checker.at_least(typed, Grain::Statement));
        inputs.extend(node.map(|node| (input.value().to_string(), node)));
    }
    let nodes = inputs.iter().map(|(_, node)| *node).collect();
    let node = checker.graph.add(Op::Hit(index), nodes, Type::COUNT, Grain::Statement);
    let outputs = outputs(checker, written, index, node);
    if written.inputs.is_empty() || written.outputs.is_empty() {
        let message = format!("the table `{}` needs `inputs` and `outputs`", written.name.text);
        return checker.report(Diagnostic::error("table", written.name.span, message));
    }
    let outputs = outputs?;
    let mut rows = Vec::new();
    for (cells, span) in &written.rows {
        let wanted = types.len() + outputs.len();
        if cells.len() != wanted {
            let (tested, given) = (types.len(), outputs.len());
            let message = format!("this row has {} cells, the table has {wanted} columns", cells.len());
            let help = format!("{} and {}, in this order", some(tested, "input"), some(given, "output"));
            checker.diagnostics.push(Diagnostic::error("table", *span, message).help(help));
            continue;
        }
        rows.extend(row(checker, cells, *span, &types, &outputs));
    }
    let types: Vec<Type> = types.into_iter().flatten().collect();
    let hit = hit?;
    if rows.len() < written.rows.len() || types.len() < written.inputs.len() {
        return Err(Reported);
    }
    let tested: Vec<(String, Type)> = inputs.iter().map(|(text, _)| text.clone()).zip(types).collect();
    super::overlap::rows(checker, &written.name.text, hit, &tested, &rows);
    Ok(DecisionTable { name: written.name.text.clone(), hit, inputs, node, outputs, rows })
}

fn some(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Name, type and node of each output.
type Outputs = Vec<(String, Type, NodeId)>;

fn outputs(checker: &mut Checker, written: &Written, index: usize, node: NodeId) -> Checked<Outputs> {
    let mut outputs = Vec::new();
    let units = Unit::ALL.map(|unit| (unit.word(), Some(unit)));
    for (column, (name, kind)) in written.outputs.iter().enumerate() {
        let unit = word(Some(kind), &units, None, checker.diagnostics);
        // Of a type that is not known, a number will do for what uses it.
        let ty = Type::declared(unit.unwrap_or(Unit::Number));
        let output = checker.graph.add(Op::Output(index, column), vec![node], ty, Grain::Statement);
        checker.declare(name, Symbol::Node(output));
        outputs.extend(unit.map(|_| (name.text.clone(), ty, output)));
    }
    if outputs.len() < written.outputs.len() { Err(Reported) } else { Ok(outputs) }
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
    span: Span,
    types: &[Option<Type>],
    outputs: &[(String, Type, NodeId)],
) -> Checked<Row> {
    let (tested, given) = cells.split_at(types.len());
    let mut row = Row { tests: Vec::new(), texts: Vec::new(), values: Vec::new(), span };
    for (cell, ty) in tested.iter().zip(types) {
        row.tests.extend(ty.and_then(|ty| super::cell::test(checker, cell, ty).ok()));
        row.texts.push(cell.value().to_string());
    }
    for (cell, (name, ty, _)) in given.iter().zip(outputs) {
        match super::cell::value(checker, cell.value(), *ty) {
            Ok(value) => row.values.push(value),
            Err(message) => {
                let help = format!("`{name}` is declared as {}", ty.unit.word());
                checker.diagnostics.push(Diagnostic::error("cell", cell.span(), message).help(help));
            }
        }
    }
    let whole = row.tests.len() == tested.len() && row.values.len() == given.len();
    if whole { Ok(row) } else { Err(Reported) }
}
