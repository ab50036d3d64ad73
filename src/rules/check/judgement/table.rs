//! Checks decision tables, their inputs, outputs and cells, and makes the nodes that find rows and read their
//! outputs.

use crate::base::diagnostic::{Diagnostic, Span, nearest_candidate};
use crate::rules::check::checker::Checker;
use crate::rules::check::judgement::cell;
use crate::rules::check::judgement::computed::{self, ComputedCondition, TableInput};
use crate::rules::check::judgement::conditions::{CONDITIONS_MAX, with_conditions};
use crate::rules::check::judgement::outputs::{
    OutputColumn, check_output_column, declare_table_outputs, outputs_of, possible_output_texts,
};
use crate::rules::check::judgement::overlap::report_overlapping_rows;
use crate::rules::check::operands::align::warn_of_approximate_money;
use crate::rules::check::symbols::mistakes::Mistakes;
use crate::rules::check::symbols::symbol::{Checked, ExpressionContext, Reported};
use crate::rules::graph::{Grain, NodeId, Op};
use crate::rules::program::hit_policy::{HIT_POLICIES, HitPolicy};
use crate::rules::program::index::Index;
use crate::rules::program::{DecisionTable, DecisionTableRow, OutputCell};
use crate::rules::syntax::judgement::{DecisionTable as Written, TableRowsSource};
use crate::rules::syntax::source::Text;
use crate::rules::types::{Repr, Type};
use crate::rules::value::Test;

/// Checks one table. Its outputs, which are already declared, get their nodes even if the table has mistakes, so that
/// these are reported only once and not at every use of an output.
pub(in crate::rules) fn check_decision_table(
    checker: &mut Checker,
    written: &Written,
    index: usize,
) -> Checked<DecisionTable> {
    let hit_policy = hit_policy(&mut checker.mistakes, written);
    let (inputs, references) = checker.collecting_references(|checker| check_table_inputs(checker, written));
    let policy = *hit_policy.as_ref().unwrap_or(&HitPolicy::First);
    let found = if policy.is_many() { Type::COUNT.with(Repr::List) } else { Type::COUNT };
    let columns: Vec<Checked<OutputColumn>> =
        written.outputs.iter().map(|output| check_output_column(checker, output, policy)).collect();
    let Cells { mut rows, asked, otherwise, columns, whole } = check_table_cells(checker, written, &inputs, columns);
    let are_all_known = inputs.len() == written.inputs.len();
    let inputs: Vec<TableInput> = inputs.into_iter().flatten().collect();
    let tested = if whole { with_conditions(inputs, &mut rows, asked) } else { Vec::new() };
    let nodes = tested.iter().map(|column| column.node).collect();
    let conditions: Vec<bool> = tested.iter().map(|column| column.is_condition).collect();
    let node = checker.nodes.add(Op::Hit(index), nodes, found, Grain::Statement);
    let outputs = declare_table_outputs(checker, written, index, node, columns);
    if (written.inputs.is_empty() || written.outputs.is_empty()) && !written.misspelt {
        let message = format!("the table `{}` needs `inputs` and `outputs`", written.name.text);
        return checker.mistakes.report(Diagnostic::error("table", written.name.span, message));
    }
    let (hit_policy, outputs) = (hit_policy?, outputs?);
    if !whole || !are_all_known {
        return Err(Reported);
    }
    if matches!(hit_policy, HitPolicy::Priority | HitPolicy::OutputOrder)
        && outputs.iter().all(|output| output.values.is_empty())
    {
        let message = format!("the table `{}` does not say which output comes first", written.name.text);
        let help = "list an output's values, highest rank first: grade = { type = \"text\", values = [\"A\", \"B\"] }";
        return checker.mistakes.report(Diagnostic::error("table", written.name.span, message).help(help));
    }
    refuse_many_conditions(&mut checker.mistakes, written, &conditions)?;
    let inputs: Vec<(String, NodeId)> = tested.iter().map(|column| (column.text.clone(), column.node)).collect();
    let tested: Vec<(String, Type)> = tested.into_iter().map(|column| (column.text, column.ty)).collect();
    report_overlapping_rows(
        &mut checker.mistakes,
        checker.terms.currency(),
        &written.name.text,
        hit_policy,
        &tested,
        &rows,
    );
    // A file that could not be read was already reported.
    for (column, output) in outputs.iter().enumerate().filter(|_| !rows.is_empty()) {
        checker.nodes.note_texts(output.node, possible_output_texts(column, &rows, otherwise.as_deref()));
    }
    let says = |input: usize| rows.iter().any(|row| row.tests[input].expects_unknown());
    let expected = (0..inputs.len()).map(says).collect();
    let tests: Vec<&[Test]> = rows.iter().map(|row| &*row.tests).collect();
    let index = std::sync::Arc::new(Index::new(&tests, inputs.len()));
    Ok(DecisionTable {
        name: written.name.text.clone(),
        title: written.title.as_ref().map(|title| title.value().trim().to_owned()),
        hit_policy,
        inputs,
        references,
        node,
        outputs,
        conditions,
        rows,
        otherwise,
        expected,
        index,
        span: written.name.span,
    })
}

/// Each condition is a column of its own when statements are decided.
fn refuse_many_conditions(mistakes: &mut Mistakes, written: &Written, conditions: &[bool]) -> Checked<()> {
    let different = conditions.iter().filter(|is_condition| **is_condition).count();
    if different <= CONDITIONS_MAX {
        return Ok(());
    }
    let message = format!(
        "the cells of `{}` compare with {different} different values; at most {CONDITIONS_MAX} are possible",
        written.name.text
    );
    let help = "let an input compute what the rows differ in, such as request.amount / bureau.limit";
    mistakes.report(Diagnostic::error("too-long", written.name.span, message).help(help))
}

/// The inputs of a table. One with a mistake is missing.
fn check_table_inputs(checker: &mut Checker, written: &Written) -> Vec<Option<TableInput>> {
    let mut inputs = Vec::new();
    for text in &written.inputs {
        let typed = checker.expression(text, ExpressionContext::STATEMENT).ok();
        inputs.push(typed.map(|typed| {
            warn_of_approximate_money(&mut checker.mistakes, typed.ty, text.span());
            let node = checker.nodes.at_least(typed, Grain::Statement);
            TableInput { text: text.clone(), typed: checker.nodes.typed(node) }
        }));
    }
    inputs
}

/// The cells of a table.
struct Cells {
    rows: Vec<DecisionTableRow>,
    /// What the cells of each row ask besides their tests.
    asked: Vec<Vec<Vec<ComputedCondition>>>,
    otherwise: Option<Vec<OutputCell>>,
    columns: Vec<Checked<OutputColumn>>,
    /// Whether there is no mistake.
    whole: bool,
}

/// Every row and the default outputs.
fn check_table_cells(
    checker: &mut Checker,
    written: &Written,
    inputs: &[Option<TableInput>],
    columns: Vec<Checked<OutputColumn>>,
) -> Cells {
    let mut cells = Cells { rows: Vec::new(), asked: Vec::new(), otherwise: None, columns, whole: false };
    let TableRowsSource::Here(lines) = &written.rows else { return cells };
    if cells.columns.iter().any(Result::is_err) {
        return cells;
    }
    cells.whole = true;
    let mut read: Vec<OutputColumn> = cells.columns.drain(..).flatten().collect();
    let (tested, given) = (inputs.len(), written.outputs.len());
    for (line, span) in lines {
        let wanted = tested + given;
        if line.len() != wanted {
            let message = format!(
                "this row has {}, but the table has {}",
                format_plural_count(line.len(), "cell"),
                format_plural_count(wanted, "column")
            );
            let help = match line.as_slice() {
                [only] if only.value().contains(';') => "separate cells with commas".to_owned(),
                _ => format!(
                    "{} and {}, in this order",
                    format_plural_count(tested, "input"),
                    format_plural_count(given, "output")
                ),
            };
            checker.mistakes.push(Diagnostic::error("table", *span, message).help(help));
            cells.whole = false;
            continue;
        }
        match check_table_row(checker, line, *span, inputs, &mut read) {
            Ok((row, asked)) => {
                cells.rows.push(row);
                cells.asked.push(asked);
            }
            Err(Reported) => cells.whole = false,
        }
    }
    if let Some((line, span)) = &written.otherwise {
        if line.len() == given {
            let values = outputs_of(checker, line, &mut read);
            cells.whole &= values.len() == given;
            cells.otherwise = Some(values);
        } else {
            let (found, wanted) = (format_plural_count(line.len(), "cell"), format_plural_count(given, "output"));
            let message = format!("`otherwise` has {found}, but the table has {wanted}");
            checker.mistakes.push(Diagnostic::error("table", *span, message));
            cells.whole = false;
        }
    }
    cells.columns = read.into_iter().map(Ok).collect();
    cells
}

fn format_plural_count(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn hit_policy(mistakes: &mut Mistakes, written: &Written) -> Checked<HitPolicy> {
    if written.misspelt {
        return Err(Reported);
    }
    let Some(text) = &written.hit else {
        let message = format!("the table `{}` has no hit policy", written.name.text);
        let help = "add hit = \"first\", \"unique\", \"any\" or another";
        return mistakes.report(Diagnostic::error("missing-key", written.name.span, message).help(help));
    };
    if let Some((_, policy)) = HIT_POLICIES.iter().find(|(word, _)| *word == text.value()) {
        return Ok(*policy);
    }
    let plain = text.value().to_lowercase().replace([' ', '-'], "_");
    let words = HIT_POLICIES.map(|(word, _)| word);
    let near = nearest_candidate(&plain, words);
    let help = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("one of: {}", words.join(", ")),
    };
    let message = format!("the hit policy `{}` is not known", text.value());
    let wrong = Diagnostic::error("unknown-word", text.span(), message).help(help);
    mistakes.report(wrong.meant_at(text.content(), text.value(), near))
}

fn check_table_row(
    checker: &mut Checker,
    cells: &[Text],
    span: Span,
    inputs: &[Option<TableInput>],
    columns: &mut [OutputColumn],
) -> Checked<(DecisionTableRow, Vec<Vec<ComputedCondition>>)> {
    let (tested, given) = cells.split_at(inputs.len());
    let mut row = DecisionTableRow { tests: Vec::new(), texts: Vec::new(), values: Vec::new(), references: None, span };
    let mut asked = Vec::new();
    let ((), references) = checker.collecting_references(|checker| {
        for (cell, input) in tested.iter().zip(inputs) {
            row.texts.push(cell.value().to_string());
            let Some(input) = input else { continue };
            let read = match computed::check_computed_cell(checker, cell, input) {
                Ok(Some(computed)) => Ok((computed.test, computed.asked)),
                Ok(None) => cell::check_test_cell(checker, cell, &input.typed).map(|test| (test, Vec::new())),
                Err(Reported) => Err(Reported),
            };
            let Ok((test, conditions)) = read else { continue };
            row.tests.push(test);
            asked.push(conditions);
        }
        row.values = outputs_of(checker, given, columns);
    });
    row.references = (!references.names.is_empty() || !references.parameters.is_empty()).then(|| Box::new(references));
    let whole = row.tests.len() == tested.len() && row.values.len() == given.len();
    if whole { Ok((row, asked)) } else { Err(Reported) }
}
