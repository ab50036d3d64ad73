//! Explains requirements, score and tables of one decision. Knows nothing of offers.

use std::collections::{BTreeMap, BTreeSet};

use super::explanation::{
    ItemExplained, Member, Named, RequirementExplained, RowExplained, ScoreExplained, State, TableExplained,
};
use super::near_misses;
use super::numbers::Numbers;
use crate::engine::decision::case::StatementCase;
use crate::engine::decision::format;
use crate::engine::metrics::decision_table::rows_of;
use crate::engine::metrics::scoring;
use crate::rules::graph::{Grain, NodeId, Op};
use crate::rules::names::Sort;
use crate::rules::program::{
    Asked, Condition, DecisionTable, DecisionTableRow, Output, OutputCell, Requirement, ScoreItem, Value,
};
use crate::rules::references::{References, on_one_line};
use crate::rules::{Effect, Repr, Type};

pub(super) fn explain_requirements(numbers: &mut Numbers) -> Vec<RequirementExplained> {
    let program = &numbers.case.policy.program;
    program.requirements.iter().map(|requirement| explain_requirement(numbers, requirement)).collect()
}

fn explain_requirement(numbers: &mut Numbers, requirement: &Requirement) -> RequirementExplained {
    let case = numbers.case;
    let names = numbers.add_used_by(&requirement.references, requirement.when);
    let not_asked = RequirementExplained {
        id: requirement.id.clone(),
        title: requirement.title.clone(),
        asks: on_one_line(&requirement.text),
        approximate: is_approximate(case, requirement.when),
        state: State::NotAsked,
        effect: Effect::Pass,
        reason: None,
        members: explain_block_members(case, &requirement.asked),
        rows: numbers.rows_behind(&names),
        numbers: names,
        parameters: numbers.parameters(&requirement.references),
    };
    if !case.cannot_decide().is_empty() {
        return not_asked;
    }
    let state = state_of_condition(case, requirement.when);
    let reason = || format::fill_template(case.policy, &requirement.reason, |node| case.value(node));
    let (effect, reason) = match state {
        State::NotMet => (requirement.otherwise, Some(reason())),
        State::Unknown => (requirement.unknown, Some(format!("{} ({})", reason(), why(case, requirement.when)))),
        State::Met | State::NotAsked => (Effect::Pass, None),
    };
    RequirementExplained { state, effect, reason, ..not_asked }
}

/// Whether a comparison in the condition uses doubles.
fn is_approximate(case: &StatementCase, condition: NodeId) -> bool {
    let graph = &case.policy.program.graph;
    let (mut seen, mut next) = (BTreeSet::new(), vec![condition]);
    while let Some(node) = next.pop() {
        let at = graph.node(node);
        if at.ty != Type::BOOLEAN || at.grain > Grain::Statement || !seen.insert(node) {
            continue;
        }
        let is_of_doubles = at.inputs.iter().any(|input| graph.node(*input).ty.repr == Repr::Float);
        if matches!(at.op, Op::Compare(_)) && is_of_doubles {
            return true;
        }
        next.extend(&at.inputs);
    }
    false
}

fn state_of_condition(case: &StatementCase, node: NodeId) -> State {
    match case.value(node) {
        Ok(Value::Boolean(true)) => State::Met,
        Ok(_) => State::NotMet,
        Err(_) => State::Unknown,
    }
}

fn why(case: &StatementCase, node: NodeId) -> String {
    case.value(node)
        .err()
        .map(|reason| format!("not known: {}", reason.meaning(&case.policy.program)))
        .unwrap_or_default()
}

/// The members of a block, and whether each holds.
fn explain_block_members(case: &StatementCase, asked: &Asked) -> Vec<Member> {
    let Condition::Block(_, of_block) = &asked.what else { return Vec::new() };
    let one = |member: &Asked| Member {
        asks: on_one_line(&member.to_string()),
        state: state_of_condition(case, member.node),
        unknown: (member.node != member.alone && case.value(member.alone).is_err()).then(|| why(case, member.alone)),
        members: explain_block_members(case, member),
    };
    of_block.iter().map(one).collect()
}

pub(super) fn explain_score(numbers: &mut Numbers) -> Option<ScoreExplained> {
    let program = &numbers.case.policy.program;
    let score = program.score.as_ref()?;
    let items = program.score_items.iter().map(|item| explain_item(numbers, item)).collect();
    Some(ScoreExplained { figure: numbers.figure(score.node), base: score.base.float().unwrap_or_default(), items })
}

fn explain_item(numbers: &mut Numbers, item: &ScoreItem) -> ItemExplained {
    let value = numbers.case.value(item.on).ok();
    let bin = scoring::find_score_bin(item, value.as_ref()).ok().flatten();
    let case = numbers.case;
    let lost = case.value(item.node).ok().and_then(|gained| item.missed(&gained)).map(|lost| lost.to_f64());
    ItemExplained {
        on: on_one_line(&item.text),
        figure: numbers.figure(item.on),
        bin: bin.map(|bin| item.bins[bin].text.clone()),
        points: numbers.figure(item.node),
        best: item.best().float().unwrap_or_default(),
        lost,
        code: item.code.clone(),
        reason: (item.code.is_some() && lost.is_some_and(|lost| lost > 0.0)).then(|| case.why_lost(item)),
        numbers: numbers.add_used_by(&item.references, item.on),
        parameters: numbers.parameters(&item.references),
    }
}

pub(super) fn explain_tables(numbers: &mut Numbers) -> Vec<TableExplained> {
    let program = &numbers.case.policy.program;
    program.tables.iter().enumerate().map(|(index, table)| explain_table(numbers, index, table)).collect()
}

fn explain_table(numbers: &mut Numbers, index: usize, table: &DecisionTable) -> TableExplained {
    let case = numbers.case;
    let (rows, unknown) = match case.value(table.node) {
        Ok(value) => (rows_of(&value), None),
        Err(reason) => (Vec::new(), Some(reason.code(&case.policy.program))),
    };
    let row = |row: usize| match table.rows.get(row) {
        Some(written) => RowExplained {
            row: Some(row + 1),
            tests: written.texts.clone(),
            formulas: computed_cell_formulas(case, table, &written.values),
        },
        None => RowExplained {
            row: None,
            tests: Vec::new(),
            formulas: computed_cell_formulas(case, table, table.otherwise.as_deref().unwrap_or_default()),
        },
    };
    let near = near_misses::find_near_misses(numbers, table, index, &rows);
    let shown = rows.iter().copied().chain(near.iter().map(|near| near.row - 1));
    let shown: Vec<&DecisionTableRow> = shown.filter_map(|row| table.rows.get(row)).collect();
    let (names, parameters) = named(numbers, table, &rows, &shown);
    let input = |(text, node): &(String, NodeId)| Named { name: on_one_line(text), figure: numbers.figure(*node) };
    let outputs = table.outputs.iter();
    TableExplained {
        name: table.name.clone(),
        title: table.title.clone(),
        hit: table.hit_policy.word().into(),
        inputs: table.inputs.iter().map(input).collect(),
        rows: rows.into_iter().map(row).collect(),
        unknown,
        outputs: outputs
            .map(|output| Named { name: output.name.clone(), figure: numbers.figure(output.node) })
            .collect(),
        near,
        numbers: names,
        parameters,
    }
}

/// The outputs that these cells compute, with their expressions.
fn computed_cell_formulas(
    case: &StatementCase,
    table: &DecisionTable,
    cells: &[OutputCell],
) -> BTreeMap<String, String> {
    let written = &case.policy.program.places.cells;
    let one = |(output, cell): (&Output, &OutputCell)| match cell {
        OutputCell::Expression(node, _) => Some((output.name.clone(), written.get(node)?.clone())),
        OutputCell::Value(_) => None,
    };
    table.outputs.iter().zip(cells).filter_map(one).collect()
}

/// The numbers used by a table's inputs and by the cells of the rows that hit. Also the parameters of all that is
/// shown.
fn named(
    numbers: &mut Numbers,
    table: &DecisionTable,
    hit: &[usize],
    shown: &[&DecisionTableRow],
) -> (Vec<String>, Vec<Named>) {
    let mut all: Vec<(&References, NodeId)> = table.inputs.iter().map(|(_, node)| (&table.references, *node)).collect();
    for (row, references) in
        hit.iter().filter_map(|row| table.rows.get(*row)).filter_map(|row| Some((row, row.references.as_ref()?)))
    {
        all.extend(row.values.iter().filter_map(|cell| match cell {
            OutputCell::Expression(node, _) => Some((references.as_ref(), *node)),
            OutputCell::Value(_) => None,
        }));
    }
    let mut names = Vec::new();
    for (references, node) in all {
        for name in numbers.add_used_by(references, node) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let mut references = table.references.clone();
    let of_rows = shown.iter().filter_map(|row| row.references.as_ref()).flat_map(|references| &references.parameters);
    of_rows.for_each(|name| references.note(Sort::Parameter, name));
    (names, numbers.parameters(&references))
}
