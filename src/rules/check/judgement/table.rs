//! Checks decision tables, their inputs, outputs and cells, and makes the nodes that find rows and read their
//! outputs.

use std::collections::BTreeSet;

use crate::rules::check::checker::Checker;
use crate::rules::check::symbols::{Checked, ExpressionContext, Reported};
use crate::rules::graph::{Grain, NodeId, Op};
use crate::rules::program::index::Index;
use crate::rules::program::{Cell, Collected, DecisionTable, HitPolicy, Output, Row};
use crate::rules::references;
use crate::rules::syntax::judgement::{DecisionTable as Written, Output as WrittenOutput, Rows};
use crate::rules::syntax::source::{Text, word};
use crate::rules::types::{Repr, Type, Unit};
use crate::rules::value::{Test, Value};
use crate::words::diagnostic::{Diagnostic, Span, nearest};

/// The hit policies of DMN, by their words.
const HIT_POLICIES: [(&str, HitPolicy); 11] = [
    ("unique", HitPolicy::Unique),
    ("any", HitPolicy::Any),
    ("first", HitPolicy::First),
    ("priority", HitPolicy::Priority),
    ("rule_order", HitPolicy::RuleOrder),
    ("output_order", HitPolicy::OutputOrder),
    ("collect", HitPolicy::Collect(Collected::List)),
    ("collect_sum", HitPolicy::Collect(Collected::Sum)),
    ("collect_min", HitPolicy::Collect(Collected::Min)),
    ("collect_max", HitPolicy::Collect(Collected::Max)),
    ("collect_count", HitPolicy::Collect(Collected::Count)),
];

impl HitPolicy {
    /// The word used in rule files.
    pub(crate) fn word(self) -> &'static str {
        HIT_POLICIES.iter().find(|(_, policy)| *policy == self).map_or("first", |(word, _)| word)
    }

    /// Whether an output is a list, with one value per fitting row.
    pub(crate) fn is_list(self) -> bool {
        matches!(self, HitPolicy::RuleOrder | HitPolicy::OutputOrder | HitPolicy::Collect(Collected::List))
    }

    /// Whether more than one row may count.
    pub(crate) fn is_many(self) -> bool {
        self.is_list() || matches!(self, HitPolicy::Collect(_))
    }
}

/// One output while its cells are read.
struct Column {
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

/// Checks one table. Its outputs, which are already declared, get their nodes even if the table has mistakes, so that
/// these are reported only once and not at every use of an output.
pub(in crate::rules) fn check(checker: &mut Checker, written: &Written, index: usize) -> Checked<DecisionTable> {
    let hit_policy = hit_policy(checker, written);
    let ((inputs, types), references) = checker.collecting_references(|checker| inputs(checker, written));
    let nodes: Vec<NodeId> = inputs.iter().map(|(_, node)| *node).collect();
    let policy = *hit_policy.as_ref().unwrap_or(&HitPolicy::First);
    let found = if policy.is_many() { Type::COUNT.with(Repr::List) } else { Type::COUNT };
    let columns: Vec<Checked<Column>> = written.outputs.iter().map(|output| column(checker, output, policy)).collect();
    let (rows, otherwise, columns, whole) = cells(checker, written, &types, columns);
    let node = checker.graph.add(Op::Hit(index), nodes, found, Grain::Statement);
    let outputs = outputs(checker, written, index, node, columns);
    if (written.inputs.is_empty() || written.outputs.is_empty()) && !written.misspelt {
        let message = format!("the table `{}` needs `inputs` and `outputs`", written.name.text);
        return checker.report(Diagnostic::error("table", written.name.span, message));
    }
    let types: Vec<Type> = types.into_iter().flatten().collect();
    let (hit_policy, outputs) = (hit_policy?, outputs?);
    if !whole || types.len() < written.inputs.len() {
        return Err(Reported);
    }
    if matches!(hit_policy, HitPolicy::Priority | HitPolicy::OutputOrder)
        && outputs.iter().all(|output| output.values.is_empty())
    {
        let message = format!("the table `{}` does not say which output comes first", written.name.text);
        let help = "list an output's values, highest rank first: grade = { type = \"text\", values = [\"A\", \"B\"] }";
        return checker.report(Diagnostic::error("table", written.name.span, message).help(help));
    }
    let tested: Vec<(String, Type)> = inputs.iter().map(|(text, _)| text.clone()).zip(types).collect();
    crate::rules::check::judgement::overlap::rows(checker, &written.name.text, hit_policy, &tested, &rows);
    // A file that could not be read was already reported.
    for (column, output) in outputs.iter().enumerate().filter(|_| !rows.is_empty()) {
        checker.texts.extend(texts(column, &rows, otherwise.as_deref()).map(|texts| (output.node, texts)));
    }
    let says = |input: usize| rows.iter().any(|row| row.tests[input].expects_unknown());
    let expected = (0..inputs.len()).map(says).collect();
    let tests: Vec<&[Test]> = rows.iter().map(|row| &*row.tests).collect();
    let index = std::sync::Arc::new(Index::new(&tests, inputs.len()));
    let (name, span) = (written.name.text.clone(), written.name.span);
    Ok(DecisionTable { name, hit_policy, inputs, references, node, outputs, rows, otherwise, expected, index, span })
}

type Inputs = (Vec<(String, NodeId)>, Vec<Option<Type>>);

/// The inputs of a table. One with a mistake has no type.
fn inputs(checker: &mut Checker, written: &Written) -> Inputs {
    let (mut inputs, mut types) = (Vec::new(), Vec::new());
    for input in &written.inputs {
        let typed = checker.expression(input, ExpressionContext::STATEMENT).ok();
        let typed = typed.filter(|typed| crate::rules::check::operands::no_list(checker, typed, input.span()).is_ok());
        if let Some(typed) = &typed {
            crate::rules::check::operands::warn_of_approximate_money(checker, typed.ty, input.span());
        }
        types.push(typed.as_ref().map(|typed| typed.ty));
        let node = typed.map(|typed| checker.at_least(typed, Grain::Statement));
        inputs.extend(node.map(|node| (input.value().to_string(), node)));
    }
    (inputs, types)
}

/// Most values of an output, because each row is searched among them.
const VALUES_MAX: usize = 1_000;

/// Every possible text of an output, if none is computed.
fn texts(column: usize, rows: &[Row], otherwise: Option<&[Cell]>) -> Option<BTreeSet<String>> {
    let cells = rows.iter().map(|row| row.values.as_slice()).chain(otherwise);
    let text = |cells: &[Cell]| match &cells[column] {
        Cell::Value(Value::Text(text)) => Some(text.clone()),
        _ => None,
    };
    cells.map(text).collect()
}

type Cells = (Vec<Row>, Option<Vec<Cell>>, Vec<Checked<Column>>, bool);

/// Every row, the default outputs, and whether all are free of mistakes.
fn cells(checker: &mut Checker, written: &Written, types: &[Option<Type>], columns: Vec<Checked<Column>>) -> Cells {
    let known = columns.iter().all(Result::is_ok);
    let mut columns = columns;
    let mut read: Vec<Column> = if known { columns.drain(..).flatten().collect() } else { Vec::new() };
    let mut rows = Vec::new();
    let mut whole = true;
    let Rows::Here(lines) = &written.rows else { return (rows, None, columns, false) };
    let (tested, given) = (types.len(), written.outputs.len());
    let mut otherwise = None;
    if known {
        for (cells, span) in lines {
            let wanted = tested + given;
            if cells.len() != wanted {
                let message =
                    format!("this row has {}, but the table has {}", some(cells.len(), "cell"), some(wanted, "column"));
                let help = match cells.as_slice() {
                    [only] if only.value().contains(';') => "separate cells with commas".to_owned(),
                    _ => format!("{} and {}, in this order", some(tested, "input"), some(given, "output")),
                };
                checker.diagnostics.push(Diagnostic::error("table", *span, message).help(help));
                whole = false;
                continue;
            }
            match row(checker, cells, *span, types, &mut read) {
                Ok(row) => rows.push(row),
                Err(Reported) => whole = false,
            }
        }
        if let Some((cells, span)) = &written.otherwise {
            if cells.len() == given {
                let values = outputs_of(checker, cells, &mut read);
                whole &= values.len() == given;
                otherwise = Some(values);
            } else {
                let message = format!(
                    "`otherwise` has {}, but the table has {}",
                    some(cells.len(), "cell"),
                    some(given, "output")
                );
                checker.diagnostics.push(Diagnostic::error("table", *span, message));
                whole = false;
            }
        }
        columns = read.into_iter().map(Ok).collect();
    }
    (rows, otherwise, columns, whole && known)
}

fn some(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn column(checker: &mut Checker, written: &WrittenOutput, policy: HitPolicy) -> Checked<Column> {
    let units = Unit::ALL.map(|unit| (unit.word(), Some(unit)));
    let Some(unit) = word(Some(&written.kind), &units, None, checker.diagnostics) else { return Err(Reported) };
    let cell = Type::declared(unit);
    let ty = match policy {
        HitPolicy::Collect(Collected::Count) => Type::COUNT,
        HitPolicy::Collect(Collected::Sum) if !cell.is_numeric() => {
            let message = format!("{} cannot be added up", crate::rules::types::describe(cell));
            let help = "collect_sum takes numbers; collect puts them in a list";
            return checker.report(Diagnostic::error("table", written.kind.span(), message).help(help));
        }
        HitPolicy::Collect(Collected::Min | Collected::Max) if !cell.repr.is_number() => {
            let message = format!("{} has no minimum or maximum", crate::rules::types::describe(cell));
            return checker.report(Diagnostic::error("table", written.kind.span(), message));
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
        return checker.report(Diagnostic::error("too-long", written.name.span, message).help("omit `values`"));
    }
    let mut values = Vec::new();
    for text in &written.values {
        match crate::rules::check::judgement::cell::output(checker, text.value(), cell) {
            Ok(value) if values.contains(&value) => {
                let message = format!("`{}` is already listed", text.value());
                checker.diagnostics.push(Diagnostic::error("table", text.span(), message));
            }
            Ok(value) => values.push(value),
            Err(message) => checker.diagnostics.push(Diagnostic::error("cell", text.span(), message)),
        }
    }
    Ok(Column { name: written.name.text.clone(), span: written.name.span, cell, ty, values, expressions: Vec::new() })
}

/// Declares the outputs. One with a mistake is a number for its users.
fn outputs(
    checker: &mut Checker,
    written: &Written,
    index: usize,
    hit: NodeId,
    columns: Vec<Checked<Column>>,
) -> Checked<Vec<Output>> {
    let mut outputs = Vec::new();
    let mut failed = false;
    for (number, name) in written.outputs.iter().map(|output| &output.name).enumerate() {
        let column = columns.get(number).and_then(|column| column.as_ref().ok());
        failed |= column.is_none();
        let mut inputs = vec![hit];
        inputs.extend(column.into_iter().flat_map(|column| &column.expressions));
        let ty = column.map_or(Type::NUMBER, |column| column.ty);
        let node = checker.graph.add(Op::Output(index, number), inputs, ty, Grain::Statement);
        checker.set_node(name, node);
        let values = column.map(|column| column.values.clone()).unwrap_or_default();
        outputs.push(Output { name: name.text.clone(), ty, node, values });
    }
    if failed { Err(Reported) } else { Ok(outputs) }
}

fn hit_policy(checker: &mut Checker, written: &Written) -> Checked<HitPolicy> {
    if written.misspelt {
        return Err(Reported);
    }
    let Some(text) = &written.hit else {
        let message = format!("the table `{}` has no hit policy", written.name.text);
        let help = "add hit = \"first\", \"unique\", \"any\" or another";
        return checker.report(Diagnostic::error("missing-key", written.name.span, message).help(help));
    };
    if let Some((_, policy)) = HIT_POLICIES.iter().find(|(word, _)| *word == text.value()) {
        return Ok(*policy);
    }
    let plain = text.value().to_lowercase().replace([' ', '-'], "_");
    let words = HIT_POLICIES.map(|(word, _)| word);
    let near = nearest(&plain, words);
    let help = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("one of: {}", words.join(", ")),
    };
    let message = format!("the hit policy `{}` is not known", text.value());
    let wrong = Diagnostic::error("unknown-word", text.span(), message).help(help);
    checker.report(wrong.meant_at(text.content(), text.value(), near))
}

fn row(
    checker: &mut Checker,
    cells: &[Text],
    span: Span,
    types: &[Option<Type>],
    columns: &mut [Column],
) -> Checked<Row> {
    let (tested, given) = cells.split_at(types.len());
    let mut row = Row { tests: Vec::new(), texts: Vec::new(), values: Vec::new(), references: None, span };
    let ((), references) = checker.collecting_references(|checker| {
        for (cell, ty) in tested.iter().zip(types) {
            row.tests.extend(ty.and_then(|ty| crate::rules::check::judgement::cell::test(checker, cell, ty).ok()));
            row.texts.push(cell.value().to_string());
        }
        row.values = outputs_of(checker, given, columns);
    });
    row.references = (!references.names.is_empty() || !references.parameters.is_empty()).then(|| Box::new(references));
    let whole = row.tests.len() == tested.len() && row.values.len() == given.len();
    if whole { Ok(row) } else { Err(Reported) }
}

fn outputs_of(checker: &mut Checker, cells: &[Text], columns: &mut [Column]) -> Vec<Cell> {
    let cells = cells.iter().zip(columns);
    cells.filter_map(|(text, column)| output_cell(checker, text, column).ok()).collect()
}

/// A constant, or an expression after a `=`.
fn output_cell(checker: &mut Checker, text: &Text, column: &mut Column) -> Checked<Cell> {
    if let Some(formula) = formula(text) {
        return expression(checker, text, &formula, column);
    }
    crate::rules::check::judgement::cell::parameters(checker, text);
    match crate::rules::check::judgement::cell::output(checker, text.value(), column.cell) {
        Ok(value) if column.values.is_empty() || column.values.contains(&value) => Ok(Cell::Value(value)),
        Ok(_) => {
            let message = format!("`{}` is not one of the values of `{}`", text.value(), column.name);
            let diagnostic = Diagnostic::error("cell", text.span(), message);
            checker.report(diagnostic.elsewhere(column.span).help("add it to `values`, at its rank"))
        }
        Err(message) => {
            let help = format!("`{}` is declared as {}", column.name, column.cell.unit.word());
            checker.report(Diagnostic::error("cell", text.span(), message).help(help))
        }
    }
}

/// The expression of a computed output cell.
pub(in crate::rules) fn formula(cell: &Text) -> Option<Text> {
    let formula = cell.value().trim_start().strip_prefix('=')?;
    Some(cell.part(cell.value().len() - formula.len(), cell.value().len()))
}

fn expression(checker: &mut Checker, text: &Text, formula: &Text, column: &mut Column) -> Checked<Cell> {
    if !column.values.is_empty() {
        let message = format!("`{}` lists its values, so its cells cannot be expressions", column.name);
        return checker.report(Diagnostic::error("cell", text.span(), message).elsewhere(column.span));
    }
    let typed = checker.expression(formula, ExpressionContext::STATEMENT)?;
    let typed = checker.adapt(typed, column.cell.unit, text.span())?;
    let fits = typed.ty.unit == column.cell.unit || (typed.ty.unit.is_plain() && column.cell.unit.is_plain());
    let typed = match (column.cell.repr, typed.ty.repr) {
        (wanted, given) if fits && wanted == given => typed,
        (Repr::Rational, Repr::Int | Repr::Float) if fits => crate::rules::check::operands::to_rational(checker, typed),
        (Repr::Int, Repr::Rational | Repr::Float) if fits => {
            let message =
                format!("`{}` is in whole {}, but this may have fractions", column.name, column.cell.unit.word());
            let help = "round it: = round_down(...)";
            return checker.report(Diagnostic::error("type", text.span(), message).help(help));
        }
        _ => {
            let message = format!(
                "expected {}, found {}",
                crate::rules::types::describe(column.cell),
                crate::rules::types::describe(typed.ty)
            );
            let help = format!("`{}` is declared as {}", column.name, column.cell.unit.word());
            return checker.report(Diagnostic::error("type", text.span(), message).help(help));
        }
    };
    let node = checker.at_least(typed, Grain::Statement);
    checker.places.cells.entry(node).or_insert_with(|| references::on_one_line(formula.value()));
    let known = column.expressions.iter().position(|known| *known == node);
    let at = known.unwrap_or_else(|| {
        column.expressions.push(node);
        column.expressions.len() - 1
    });
    // The first input of an output's node is the hit.
    Ok(Cell::Expression(node, at + 1))
}
