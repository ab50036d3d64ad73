//! Finds policies that take an old statement for a present one: windows are empty if the statement ended long ago, and
//! then what must be little is 0.

use std::collections::HashSet;

use crate::authoring::analysis::abstract_eval::AbstractEval;
use crate::authoring::analysis::findings::periods::depends_on;
use crate::authoring::analysis::monotonicity::Monotonicity;
use crate::authoring::analysis::monotonicity::direction::Direction;
use crate::base::diagnostic::Diagnostic;
use crate::rules::graph::{Aggregate, Fact, Grain, Graph, NodeId, Op, TransactionColumn};
use crate::rules::program::{Program, Requirement};
use crate::rules::{Binary, Policy};

/// Most nodes below one that are searched.
const SEARCHED_MAX: usize = 5_000;

/// Most values to follow into the judgement.
const FOLLOWED_MAX: usize = 60;

const HELP: &str = "require a recent statement: when = \"as_of - MAX(trans_date) <= 14\", else = \"refer\"";

/// Finds requirements that only an old statement meets: the comparison is the wrong way round.
pub(in crate::authoring::analysis) fn find_required_age(
    policy: &Policy,
    eval: &AbstractEval,
    found: &mut Vec<Diagnostic>,
) {
    let program = &policy.program;
    let graph = &program.graph;
    for requirement in &program.requirements {
        let ages = find_below(graph, &[requirement.when], |node| age_of(graph, node).is_some());
        let wants_age = ages.into_iter().take(FOLLOWED_MAX).filter(|age| is_of_last_record(graph, *age)).any(|age| {
            let better = match age_of(graph, age) {
                Some(true) => Direction::Increasing,
                _ => Direction::Decreasing,
            };
            Monotonicity::along(program, eval, age).at(requirement.when) == better
        });
        // One that always holds is told as that.
        if wants_age && eval.at(requirement.when).may_be().1 {
            let message = format!(
                "the requirement `{}` is met where the statement ended long ago, and not where it is recent",
                requirement.id
            );
            let warning = Diagnostic::warning("stale", requirement.span, message).label("the wrong way round?");
            found.push(warning.help("turn it round: as_of - MAX(trans_date) <= 14"));
        }
    }
}

/// Whether an age is that of the last of all records.
fn is_of_last_record(graph: &Graph, age: NodeId) -> bool {
    graph.node(age).inputs.iter().any(|input| {
        let day = graph.node(graph.carried(*input));
        if day.op == Op::Fact(Fact::PeriodEnd) {
            return true;
        }
        let is_last =
            matches!(day.op, Op::Aggregate { function: Aggregate::Max | Aggregate::Last, filtered: false, .. });
        let of_records = |input: &NodeId| graph.node(*input).op == Op::Column(TransactionColumn::TransDate);
        is_last && day.inputs.first().is_some_and(of_records)
    })
}

/// Finds requirements that look back from the day of the decision, or count what must be little in the whole
/// statement, in a policy that never asks when the statement ended.
pub(in crate::authoring::analysis) fn find_stale_windows(
    policy: &Policy,
    eval: &AbstractEval,
    found: &mut Vec<Diagnostic>,
) {
    let program = &policy.program;
    let graph = &program.graph;
    if program.offers.is_empty() || program.offers.iter().all(|offer| depends_on(graph, offer.amount, &is_window)) {
        return;
    }
    let looks_back = program.requirements.iter().find(|one| depends_on(graph, one.when, &is_window));
    if asks_for_recent(program, eval) || program.requirements.iter().any(|one| asks_for_some(program, eval, one)) {
        return;
    }
    if let Some(requirement) = looks_back {
        let message = format!(
            "the requirement `{}` looks back from the day of the decision, and nothing asks when the statement ended: \
             where it ended earlier, the window is empty and its sums are 0",
            requirement.id
        );
        let warning = Diagnostic::warning("stale", requirement.span, message);
        return found.push(warning.label("empty if it ended earlier").help(HELP));
    }
    let Some(requirement) = program.requirements.iter().find(|one| asks_for_few(program, eval, one)) else { return };
    let message = format!(
        "the requirement `{}` asks for little of something, and nothing asks when the statement ended: one that ended \
         years ago does not show what was since",
        requirement.id
    );
    found.push(Diagnostic::note("stale", requirement.span, message).label("until when?").help(HELP));
}

fn is_window(op: &Op) -> bool {
    matches!(op, Op::Fact(Fact::WindowEnd))
}

/// Whether something in the judgement gets worse as the time since a last day grows.
fn asks_for_recent(program: &Program, eval: &AbstractEval) -> bool {
    let graph = &program.graph;
    let judged: Vec<NodeId> = judged_nodes(program).collect();
    let ages = find_below(graph, &judged, |node| age_of(graph, node).is_some());
    ages.into_iter().take(FOLLOWED_MAX).any(|age| {
        let directions = Monotonicity::along(program, eval, age);
        let worse = match age_of(graph, age) {
            Some(true) => Direction::Decreasing,
            _ => Direction::Increasing,
        };
        // What cannot be followed may well ask it.
        judged.iter().any(|node| directions.at(*node) == worse || directions.at(*node) == Direction::Unknown)
    })
}

/// The values that decide, without those that are only shown.
fn judged_nodes(program: &Program) -> impl Iterator<Item = NodeId> {
    let requirements = program.requirements.iter().map(|requirement| requirement.when);
    let scores = program.score.iter().map(|score| score.node);
    let outputs = program.tables.iter().flat_map(|table| &table.outputs).map(|output| output.node);
    let offers = program.offers.iter().flat_map(|offer| [Some(offer.amount), Some(offer.interest), offer.when]);
    requirements.chain(scores).chain(outputs).chain(offers.flatten())
}

/// Whether this is the time from a last day to that of the decision, and grows with it (`false` if it falls). The time
/// from a first day is how long the history is.
fn age_of(graph: &Graph, node: NodeId) -> Option<bool> {
    let found = graph.node(node);
    let (Op::Arithmetic(Binary::Subtract) | Op::Elapsed(_), [left, right]) = (&found.op, found.inputs.as_slice())
    else {
        return None;
    };
    let is_day = |node: NodeId| matches!(graph.node(graph.carried(node)).op, Op::Fact(Fact::AsOf | Fact::WindowEnd));
    let is_elapsed = matches!(found.op, Op::Elapsed(_));
    let (day, is_last) = match (is_day(*left), is_day(*right)) {
        (true, false) => (*right, true),
        (false, true) => (*left, false),
        _ => return None,
    };
    if found.grain > Grain::Statement || !is_of_records(graph, day) || is_first_day(graph, day) {
        return None;
    }
    // years_between takes the earlier day first.
    Some(is_last != is_elapsed)
}

fn is_of_records(graph: &Graph, node: NodeId) -> bool {
    depends_on(graph, node, &|op| matches!(op, Op::Aggregate { .. } | Op::Fact(Fact::PeriodEnd)))
}

fn is_first_day(graph: &Graph, node: NodeId) -> bool {
    let mut node = graph.carried(node);
    while let (Op::NeedsMonths(_) | Op::DatePart(_), Some(input)) =
        (&graph.node(node).op, graph.node(node).inputs.last())
    {
        node = graph.carried(*input);
    }
    matches!(graph.node(node).op, Op::Aggregate { function: Aggregate::Min | Aggregate::First, .. })
}

/// Whether a requirement asks that a value of a window is at least something: an empty window does not meet it.
fn asks_for_some(program: &Program, eval: &AbstractEval, requirement: &Requirement) -> bool {
    let graph = &program.graph;
    let is_of_window = |node: NodeId| {
        let found = graph.node(node);
        matches!(found.op, Op::Aggregate { .. })
            && found.grain <= Grain::Statement
            && depends_on(graph, node, &is_window)
    };
    let windows = find_below(graph, &[requirement.when], is_of_window);
    windows.into_iter().take(FOLLOWED_MAX).any(|window| {
        let direction = Monotonicity::along(program, eval, window).at(requirement.when);
        matches!(direction, Direction::Increasing | Direction::Unknown)
    })
}

/// Whether a requirement asks for few records of some kind, or little money in them.
fn asks_for_few(program: &Program, eval: &AbstractEval, requirement: &Requirement) -> bool {
    let graph = &program.graph;
    let is_of_some = |node: NodeId| {
        let found = graph.node(node);
        let is_total = matches!(
            found.op,
            Op::Aggregate {
                function: Aggregate::Sum | Aggregate::Count | Aggregate::CountDistinct,
                filtered: true,
                ..
            }
        );
        // Few months are a short history.
        let is_of_records = graph.finest(&found.inputs) == Grain::Transaction;
        is_total && is_of_records && found.grain <= Grain::Statement
    };
    // A score weighs many things, and asks for none of them alone.
    let is_of_scores = depends_on(graph, requirement.when, &|op| matches!(op, Op::Score | Op::Hit(_)));
    if is_of_scores || !eval.at(requirement.when).may_be().1 {
        return false;
    }
    let totals = find_below(graph, &[requirement.when], is_of_some);
    totals
        .into_iter()
        .take(FOLLOWED_MAX)
        .any(|total| Monotonicity::along(program, eval, total).at(requirement.when) == Direction::Decreasing)
}

/// The wanted nodes among those of a statement below these.
fn find_below(graph: &Graph, roots: &[NodeId], is_wanted: impl Fn(NodeId) -> bool) -> Vec<NodeId> {
    let (mut open, mut seen, mut found) = (roots.to_vec(), HashSet::new(), Vec::new());
    while let Some(node) = open.pop().filter(|_| seen.len() < SEARCHED_MAX) {
        if graph.node(node).grain > Grain::Statement || !seen.insert(node) {
            continue;
        }
        if is_wanted(node) {
            found.push(node);
        }
        open.extend(&graph.node(node).inputs);
    }
    found
}
