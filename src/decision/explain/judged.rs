//! Requirements, score and tables of one decision, told part by part. Knows nothing of offers.

use super::explanation::{
    ItemExplained, Member, Named, NearMiss, RequirementExplained, RowExplained, ScoreExplained, State, TableExplained,
};
use super::numbers::{Numbers, folded};
use crate::decision::decide::Case;
use crate::decision::say;
use crate::metrics::hit::rows_of;
use crate::metrics::{Reason, judge};
use crate::rules::Effect;
use crate::rules::ir::NodeId;
use crate::rules::program::{Asked, DecisionTable, Requirement, Row, ScoreItem, Test, Value};

/// Near misses told of a table.
const NEAR_MAX: usize = 3;

pub(super) fn requirements(numbers: &mut Numbers) -> Vec<RequirementExplained> {
    let program = &numbers.case.policy.program;
    program.requirements.iter().map(|requirement| explained(numbers, requirement)).collect()
}

fn explained(numbers: &mut Numbers, requirement: &Requirement) -> RequirementExplained {
    let case = numbers.case;
    let state = state(case, requirement.when);
    let reason = || say::template(case.policy, &requirement.reason, |node| case.value(node));
    let (effect, reason) = match state {
        State::Met => (Effect::Pass, None),
        State::NotMet => (requirement.otherwise, Some(reason())),
        State::Unknown => (requirement.unknown, Some(format!("{} ({})", reason(), why(case, requirement.when)))),
    };
    let names = numbers.of(&requirement.text, requirement.when);
    RequirementExplained {
        id: requirement.id.clone(),
        asks: folded(&requirement.text),
        state,
        effect,
        reason,
        members: members(case, &requirement.asked),
        rows: numbers.rows_behind(&names),
        numbers: names,
        parameters: numbers.parameters(&requirement.text),
    }
}

fn state(case: &Case, node: NodeId) -> State {
    match case.value(node) {
        Ok(Value::Boolean(true)) => State::Met,
        Ok(_) => State::NotMet,
        Err(_) => State::Unknown,
    }
}

fn why(case: &Case, node: NodeId) -> String {
    case.value(node).err().map(|reason| format!("not known: {}", reason.code(&case.policy.program))).unwrap_or_default()
}

/// The members of a block, each with whether it holds.
fn members(case: &Case, asked: &Asked) -> Vec<Member> {
    let Asked::Block(_, of_block, _) = asked else { return Vec::new() };
    let one = |member: &Asked| {
        let asks = match member {
            Asked::When(text, _) => folded(text),
            block => block.to_string(),
        };
        Member { asks, state: state(case, member.node()), members: members(case, member) }
    };
    of_block.iter().map(one).collect()
}

pub(super) fn score(numbers: &mut Numbers) -> Option<ScoreExplained> {
    let program = &numbers.case.policy.program;
    let score = program.score.as_ref()?;
    let items = program.score_items.iter().map(|item| scored(numbers, item)).collect();
    Some(ScoreExplained { figure: numbers.figure(score.node), base: score.base, items })
}

fn scored(numbers: &mut Numbers, item: &ScoreItem) -> ItemExplained {
    let value = numbers.case.value(item.on).ok();
    let bin = judge::bin(item, value.as_ref()).ok().flatten();
    let points = numbers.figure(item.node);
    let gained = numbers.case.value(item.node).ok().and_then(|gained| gained.float());
    ItemExplained {
        on: folded(&item.text),
        figure: numbers.figure(item.on),
        bin: bin.map(|bin| item.bins[bin].text.clone()),
        points,
        best: item.best(),
        lost: gained.map(|gained| item.best() - gained),
        numbers: numbers.of(&item.text, item.on),
    }
}

pub(super) fn tables(numbers: &mut Numbers) -> Vec<TableExplained> {
    let program = &numbers.case.policy.program;
    program.tables.iter().map(|table| looked_up(numbers, table)).collect()
}

fn looked_up(numbers: &mut Numbers, table: &DecisionTable) -> TableExplained {
    let case = numbers.case;
    let (rows, unknown) = match case.value(table.node) {
        Ok(value) => (rows_of(&value), None),
        Err(reason) => (Vec::new(), Some(reason.code(&case.policy.program))),
    };
    let row = |row: usize| match table.rows.get(row) {
        Some(written) => RowExplained { row: Some(row + 1), tests: written.texts.clone() },
        None => RowExplained { row: None, tests: Vec::new() },
    };
    let mut names = Vec::new();
    for (text, node) in &table.inputs {
        for name in numbers.of(text, *node) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let input = |(text, node): &(String, NodeId)| Named { name: folded(text), figure: numbers.figure(*node) };
    let outputs = table.outputs.iter();
    TableExplained {
        name: table.name.clone(),
        hit: table.hit.word(),
        inputs: table.inputs.iter().map(input).collect(),
        rows: rows.into_iter().map(row).collect(),
        unknown,
        outputs: outputs
            .map(|output| Named { name: output.name.clone(), figure: numbers.figure(output.node) })
            .collect(),
        near: near_misses(numbers, table),
        numbers: names,
    }
}

/// The rows that one cell alone kept from fitting.
fn near_misses(numbers: &Numbers, table: &DecisionTable) -> Vec<NearMiss> {
    let values: Vec<_> = table.inputs.iter().map(|(_, node)| numbers.case.value(*node)).collect();
    let missed = |row: &Row| {
        let passes = |(test, value): (&Test, &Result<Value, Reason>)| test.passes(value.as_ref().ok()) == Some(true);
        let mut failing = row.tests.iter().zip(&values).enumerate().filter(|(_, cell)| !passes(*cell));
        let first = failing.next().map(|(input, _)| input);
        first.filter(|_| failing.next().is_none())
    };
    let near = table.rows.iter().enumerate().filter_map(|(number, row)| Some((number, row, missed(row)?)));
    let told = near.take(NEAR_MAX).map(|(number, row, input)| {
        let (text, node) = &table.inputs[input];
        let test = row.texts.get(input).cloned().unwrap_or_default();
        NearMiss { row: number + 1, input: folded(text), figure: numbers.figure(*node), test }
    });
    told.collect()
}
