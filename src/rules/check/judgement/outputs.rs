//! Checks the outputs of decision tables: their types, the values that they list, and their cells.

use std::collections::BTreeSet;

use crate::base::diagnostic::{Diagnostic, Span};
use crate::rules::check::checker::Checker;
use crate::rules::check::functions::call;
use crate::rules::check::judgement::cell as cells;
use crate::rules::check::operands::align::{adapt, listed, to_rational};
use crate::rules::check::symbols::mistakes::Mistakes;
use crate::rules::check::symbols::symbol::{Checked, ExpressionContext, Reported, Typed};
use crate::rules::graph::{Grain, NodeId, Op};
use crate::rules::program::{Collected, DecisionTableRow, HitPolicy, Output, OutputCell};
use crate::rules::references;
use crate::rules::syntax::ast::{Expr, ExprKind};
use crate::rules::syntax::judgement::{DecisionTable as Written, Output as WrittenOutput};
use crate::rules::syntax::parse;
use crate::rules::syntax::source::Text;
use crate::rules::types::{Repr, Type};
use crate::rules::value::Value;

/// One output while its cells are read.
pub(super) struct OutputColumn {
    name: String,
    span: Span,
    /// The type of a cell.
    cell: Type,
    /// The type of the result.
    ty: Type,
    values: Vec<Value>,
    /// The expressions of its cells, each once.
    expressions: Vec<NodeId>,
}

/// Most values of an output, because each row is searched among them.
const VALUES_MAX: usize = 1_000;

/// Every possible text of an output, if none is computed.
pub(super) fn possible_output_texts(
    column: usize,
    rows: &[DecisionTableRow],
    otherwise: Option<&[OutputCell]>,
) -> Option<BTreeSet<String>> {
    let cells = rows.iter().map(|row| row.values.as_slice()).chain(otherwise);
    let text = |cells: &[OutputCell]| match &cells[column] {
        OutputCell::Value(Value::Text(text)) => Some(text.clone()),
        _ => None,
    };
    cells.map(text).collect()
}

pub(super) fn check_output_column(
    checker: &mut Checker,
    written: &WrittenOutput,
    policy: HitPolicy,
) -> Checked<OutputColumn> {
    let types = Type::declarable();
    let types: Vec<(&str, Option<Type>)> = types.iter().map(|(word, ty)| (word.as_str(), Some(*ty))).collect();
    let Some(cell) = checker.mistakes.read_word(Some(&written.kind), &types, None) else { return Err(Reported) };
    if cell.repr == Repr::List {
        refuse_lists(&mut checker.mistakes, written, policy)?;
    }
    let ty = match policy {
        HitPolicy::Collect(Collected::Count) => Type::COUNT,
        HitPolicy::Collect(Collected::Sum) if !cell.is_numeric() => {
            let message = format!("{} cannot be added up", crate::rules::types::describe_type(cell));
            let help = "collect_sum takes numbers; collect puts them in a list";
            return checker.mistakes.report(Diagnostic::error("table", written.kind.span(), message).help(help));
        }
        HitPolicy::Collect(Collected::Min | Collected::Max) if !cell.repr.is_number() => {
            let message = format!("{} has no minimum or maximum", crate::rules::types::describe_type(cell));
            return checker.mistakes.report(Diagnostic::error("table", written.kind.span(), message));
        }
        policy if policy.is_list() => cell.with(Repr::List),
        _ => cell,
    };
    if written.values.len() > VALUES_MAX {
        let message = format!(
            "`{}` lists {} values; at most {VALUES_MAX} can be ranked",
            written.name.text,
            written.values.len()
        );
        return checker
            .mistakes
            .report(Diagnostic::error("too-long", written.name.span, message).help("omit `values`"));
    }
    let mut values = Vec::new();
    for text in &written.values {
        match cells::parse_output_cell(&checker.constants(), text.value(), cell) {
            Ok(value) if values.contains(&value) => {
                let message = format!("`{}` is already listed", text.value());
                checker.mistakes.push(Diagnostic::error("table", text.span(), message));
            }
            Ok(value) => values.push(value),
            Err(message) => checker.mistakes.push(Diagnostic::error("cell", text.span(), message)),
        }
    }
    Ok(OutputColumn {
        name: written.name.text.clone(),
        span: written.name.span,
        cell,
        ty,
        values,
        expressions: Vec::new(),
    })
}

/// Refuses lists of lists, and ranks of lists.
fn refuse_lists(mistakes: &mut Mistakes, written: &WrittenOutput, policy: HitPolicy) -> Checked<()> {
    if policy.is_list() {
        let message = format!("`{}` would be a list of lists", written.name.text);
        let help = format!("with hit = \"{}\" each output already is a list: declare what it holds", policy.word());
        return mistakes.report(Diagnostic::error("table", written.kind.span(), message).help(help));
    }
    if !written.values.is_empty() {
        let message = format!("`{}` is a list, and lists have no rank", written.name.text);
        return mistakes.report(Diagnostic::error("table", written.name.span, message).help("omit `values`"));
    }
    Ok(())
}

/// Declares the outputs. One with a mistake is a number for its users.
pub(super) fn declare_table_outputs(
    checker: &mut Checker,
    written: &Written,
    index: usize,
    hit: NodeId,
    columns: Vec<Checked<OutputColumn>>,
) -> Checked<Vec<Output>> {
    let mut outputs = Vec::new();
    let mut failed = false;
    for (number, name) in written.outputs.iter().map(|output| &output.name).enumerate() {
        let column = columns.get(number).and_then(|column| column.as_ref().ok());
        failed |= column.is_none();
        let mut inputs = vec![hit];
        inputs.extend(column.into_iter().flat_map(|column| &column.expressions));
        let ty = column.map_or(Type::NUMBER, |column| column.ty);
        let node = checker.nodes.add(Op::Output(index, number), inputs, ty, Grain::Statement);
        checker.symbols.set_node(name, node);
        let values = column.map(|column| column.values.clone()).unwrap_or_default();
        outputs.push(Output { name: name.text.clone(), ty, node, values });
    }
    if failed { Err(Reported) } else { Ok(outputs) }
}

pub(super) fn outputs_of(checker: &mut Checker, cells: &[Text], columns: &mut [OutputColumn]) -> Vec<OutputCell> {
    let cells = cells.iter().zip(columns);
    cells.filter_map(|(text, column)| output_cell(checker, text, column).ok()).collect()
}

/// A constant, or an expression after a `=`.
fn output_cell(checker: &mut Checker, text: &Text, column: &mut OutputColumn) -> Checked<OutputCell> {
    if let Some(formula) = output_cell_formula(text) {
        return check_output_expression(checker, text, &formula, column);
    }
    if column.cell.repr == Repr::List {
        let message = format!("`{}` is {}", column.name, listed(column.cell));
        let help = "write the list as an expression: = list_of('a', 'b')";
        return checker.mistakes.report(Diagnostic::error("cell", text.span(), message).help(help));
    }
    cells::note_parameters(checker, text);
    match cells::parse_output_cell(&checker.constants(), text.value(), column.cell) {
        Ok(value) if column.values.is_empty() || column.values.contains(&value) => Ok(OutputCell::Value(value)),
        Ok(_) => {
            let message = format!("`{}` is not one of the values of `{}`", text.value(), column.name);
            let diagnostic = Diagnostic::error("cell", text.span(), message);
            checker.mistakes.report(diagnostic.elsewhere(column.span).help("add it to `values`, at its rank"))
        }
        Err(message) => {
            let help = format!("`{}` is declared as {}", column.name, column.cell.unit.word());
            checker.mistakes.report(Diagnostic::error("cell", text.span(), message).help(help))
        }
    }
}

/// The expression of a computed output cell.
pub(in crate::rules) fn output_cell_formula(cell: &Text) -> Option<Text> {
    let formula = cell.value().trim_start().strip_prefix('=')?;
    Some(cell.part(cell.value().len() - formula.len(), cell.value().len()))
}

fn check_output_expression(
    checker: &mut Checker,
    text: &Text,
    formula: &Text,
    column: &mut OutputColumn,
) -> Checked<OutputCell> {
    let parsed = match parse::parse_rule_expression(formula) {
        Ok(parsed) => parsed,
        Err(diagnostic) => return checker.mistakes.report(diagnostic),
    };
    let typed = match &parsed.kind {
        ExprKind::Null => checker.nodes.unknown(column.cell),
        _ if !column.values.is_empty() => {
            let message = format!("`{}` lists its values, so its cells cannot be expressions", column.name);
            return checker.mistakes.report(Diagnostic::error("cell", text.span(), message).elsewhere(column.span));
        }
        _ => fit_to_column_type(checker, text, &parsed, column)?,
    };
    let node = checker.nodes.at_least(typed, Grain::Statement);
    checker.nodes.note_cell(node, || references::on_one_line(formula.value()));
    let known = column.expressions.iter().position(|known| *known == node);
    let at = known.unwrap_or_else(|| {
        column.expressions.push(node);
        column.expressions.len() - 1
    });
    // The first input of an output's node is the hit.
    Ok(OutputCell::Expression(node, at + 1))
}

/// The value of an expression in the type of its column.
fn fit_to_column_type(checker: &mut Checker, text: &Text, parsed: &Expr, column: &OutputColumn) -> Checked<Typed> {
    let wanted = column.cell;
    let typed = match &parsed.kind {
        // Bare numbers take the unit of the list.
        ExprKind::Call(call) if wanted.repr == Repr::List && call.name == "list_of" => {
            call::list_of_values(checker, call, Some(wanted.unit), ExpressionContext::STATEMENT)?
        }
        _ => checker.expr(parsed, ExpressionContext::STATEMENT)?,
    };
    let typed = adapt(&mut checker.operands(), typed, wanted.unit, text.span())?;
    let fits = typed.ty.unit == wanted.unit || (typed.ty.unit.is_plain() && wanted.unit.is_plain());
    match (wanted.repr, typed.ty.repr) {
        (Repr::List, Repr::List) if typed.ty == wanted => Ok(typed),
        (wanted, given) if fits && wanted == given && wanted != Repr::List => Ok(typed),
        (Repr::Rational, Repr::Int | Repr::Float) if fits => Ok(to_rational(&mut checker.nodes, typed)),
        (Repr::Int, Repr::Rational | Repr::Float) if fits => {
            let message = format!("`{}` is in whole {}, but this may have fractions", column.name, wanted.unit.word());
            let help = "round it: = round_down(...)";
            checker.mistakes.report(Diagnostic::error("type", text.span(), message).help(help))
        }
        _ => {
            let message = format!("expected {}, found {}", listed(wanted), listed(typed.ty));
            let declared = listed(wanted).replacen("a list", "list", 1);
            let declared = if wanted.repr == Repr::List { declared } else { wanted.unit.word().to_owned() };
            let help = format!("`{}` is declared as {declared}", column.name);
            checker.mistakes.report(Diagnostic::error("type", text.span(), message).help(help))
        }
    }
}
