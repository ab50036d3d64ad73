//! Searches for two inputs that break a property. Tries the values at which something changes, and one step to each
//! side, with everything else fixed. The evaluator of decisions gives the results.

use std::collections::{BTreeMap, HashMap};

use crate::authoring::analysis::abstract_eval::AbstractEval;
use crate::authoring::analysis::abstract_eval::values::{KnownValues, Values};
use crate::authoring::analysis::findings::days;
use crate::authoring::analysis::names::NodeNames;
use crate::engine::decision::{Outcome, Supposed, decide_with_given_values};
use crate::rules::axis::{Axis, format_typed_value};
use crate::rules::graph::{Fact, Grain, NodeId, Op, Repr, Type, Unit};
use crate::rules::program::{Effect, Program, Value, compare_values};
use crate::rules::property::{Property, Target};
use crate::rules::{Binary, Policy};

/// How many settings of everything else are tried, and most values of the input in each.
const SETTINGS: usize = 64;
const VALUES_MAX: usize = 160;
/// Most candidates for one free value.
const CANDIDATES_MAX: usize = 24;
/// Most free values shown with the two inputs.
const SHOWN_MAX: usize = 5;

/// A value that is fixed while the input moves, and the candidates for it.
type Free = (NodeId, Vec<Value>);

/// Two inputs that break the property, and the result of each, in words.
pub(in crate::authoring::analysis) fn find_counterexample(
    policy: &Policy,
    property: &Property,
    eval: &AbstractEval,
    names: &NodeNames<'_>,
) -> Option<String> {
    let program = &policy.program;
    let asked = nodes_of_target(program, &property.of);
    let free = free_values_of_target(program, names, property, &asked);
    let mut thresholds = collect_thresholds(program);
    let input = values_of_input(program, property.input, eval, &mut thresholds);
    let candidates: Vec<Vec<Value>> =
        free.iter().map(|node| candidate_values(program, *node, eval, &thresholds)).collect();
    let free: Vec<Free> = free.into_iter().zip(candidates).filter(|(_, candidates)| !candidates.is_empty()).collect();
    if input.len() < 2 {
        return None;
    }
    let settings = choose_settings(&free);
    let mut columns = vec![Vec::with_capacity(settings.len() * input.len()); free.len() + 1];
    for setting in &settings {
        for value in &input {
            columns[0].push(Ok(value.clone()));
            for (column, value) in columns[1..].iter_mut().zip(setting) {
                column.push(Ok(value.clone()));
            }
        }
    }
    let given: Vec<NodeId> = std::iter::once(property.input).chain(free.iter().map(|(node, _)| *node)).collect();
    let days = days::to_try(policy);
    days.iter().find_map(|day| {
        let supposed = decide_with_given_values(policy, given.clone(), columns.clone(), &asked, *day).ok()?;
        let broken = supposed.chunks(input.len()).zip(&settings).find_map(|(results, setting)| {
            describe_counterexample(policy, property, (&input, &free, names), (results, setting))
        })?;
        Some(if days.len() > 1 { format!("{broken}, on {day}") } else { broken })
    })
}

/// What breaks the property in the results of one setting, in words.
fn describe_counterexample(
    policy: &Policy,
    property: &Property,
    (input, free, names): (&[Value], &[Free], &NodeNames<'_>),
    (results, setting): (&[Supposed], &[Value]),
) -> Option<String> {
    let (less, more, place) = find_wrong_pair(&policy.program, property, results)?;
    let result = |index: usize| describe_result(policy, &property.of, &results[index], place);
    let ty = policy.type_of(property.input);
    let value = |index: usize| format_typed_value(&input[index], ty, &policy.header.currency);
    let held = describe_fixed_values(policy, free, setting, names);
    let with = if held.is_empty() { String::new() } else { format!(", with {held}") };
    Some(format!("it is {} at {} and {} at {}{with}", result(less), value(less), result(more), value(more)))
}

/// The nodes of a target.
fn nodes_of_target(program: &Program, of: &Target) -> Vec<NodeId> {
    match of {
        Target::Value(node, _) => vec![*node],
        Target::Requirement(index) => vec![program.requirements[*index].when],
        Target::Amounts(offers) => offers.iter().map(|offer| program.offers[*offer].amount).collect(),
        Target::Outcome => Vec::new(),
    }
}

/// The free values: named values and leaves that the target needs and that do not depend on the input.
fn free_values_of_target(
    program: &Program,
    names: &NodeNames<'_>,
    property: &Property,
    asked: &[NodeId],
) -> Vec<NodeId> {
    let graph = &program.graph;
    let mut moved = vec![false; graph.nodes().len()];
    for (index, node) in graph.nodes().iter().enumerate() {
        let follows = !matches!(node.op, Op::Aggregate { .. }) && node.grain == Grain::Statement;
        moved[index] =
            NodeId(index as u32) == property.input || (follows && node.inputs.iter().any(|input| moved[input.index()]));
    }
    let judged = if asked.is_empty() { program.judgement() } else { Vec::new() };
    let mut open: Vec<NodeId> = asked.iter().copied().chain(judged).collect();
    let mut seen = vec![false; graph.nodes().len()];
    let mut free = Vec::new();
    while let Some(id) = open.pop() {
        let node = graph.node(id);
        if std::mem::replace(&mut seen[id.index()], true) || id == property.input || node.grain == Grain::Constant {
            continue;
        }
        let leaf = matches!(node.op, Op::Aggregate { .. } | Op::Input(_) | Op::Fact(_));
        let table = matches!(node.op, Op::Hit(_));
        let as_of = matches!(node.op, Op::Fact(Fact::AsOf | Fact::WindowEnd) | Op::Dated(_));
        if !moved[id.index()] && !table && !as_of && (leaf || names.name(id).is_some()) && node.ty.repr != Repr::List {
            free.push(id);
        } else if !leaf {
            open.extend(&node.inputs);
        }
    }
    free.sort_unstable();
    free
}

/// For each node, the values at which something that uses it changes.
fn collect_thresholds(program: &Program) -> HashMap<NodeId, Vec<f64>> {
    let graph = &program.graph;
    let literal = |node: NodeId| constant(program, node);
    let mut found: HashMap<NodeId, Vec<f64>> = HashMap::new();
    for node in graph.nodes() {
        if matches!(node.op, Op::Compare(_) | Op::Least | Op::Greatest | Op::Arithmetic(Binary::Subtract)) {
            for (one, other) in node.inputs.iter().flat_map(|a| node.inputs.iter().map(move |b| (*a, *b))) {
                if let Some(value) = literal(other).filter(|_| one != other) {
                    found.entry(skip_grain_conversions(program, one)).or_default().push(value);
                }
            }
        }
    }
    let mut cells = |node: NodeId, axis: Axis| {
        let named = axis.pieces.iter().filter_map(|piece| match piece {
            crate::rules::axis::Piece::At(value) => value.float(),
            crate::rules::axis::Piece::Between(_, high) => high.as_ref().and_then(Value::float),
            crate::rules::axis::Piece::Unknown => None,
        });
        found.entry(skip_grain_conversions(program, node)).or_default().extend(named);
    };
    for item in &program.score_items {
        let ty = graph.node(item.on).ty;
        cells(item.on, Axis::new(ty, item.bins.iter().map(|bin| (bin.text.as_str(), &bin.test))));
    }
    for table in &program.tables {
        for (column, (_, node)) in table.inputs.iter().enumerate() {
            let tests = table.rows.iter().map(|row| (row.texts[column].as_str(), &row.tests[column]));
            cells(*node, Axis::new(graph.node(*node).ty, tests));
        }
    }
    found
}

/// The node behind changes of grain and representation.
fn skip_grain_conversions(program: &Program, node: NodeId) -> NodeId {
    let found = program.graph.node(node);
    match found.op {
        Op::Spread | Op::ToRational | Op::ToFloat if found.grain <= Grain::Statement => {
            skip_grain_conversions(program, found.inputs[0])
        }
        _ => node,
    }
}

fn constant(program: &Program, node: NodeId) -> Option<f64> {
    let found = program.graph.node(node);
    match &found.op {
        Op::Int(value) => Some(*value as f64),
        Op::Rational(value) => Some(value.to_f64()),
        Op::Spread | Op::ToRational | Op::ToFloat => constant(program, found.inputs[0]),
        _ => None,
    }
}

/// The input's values to try, ascending: around its own thresholds, around those of values in the same unit, and at
/// round numbers of every size.
fn values_of_input(
    program: &Program,
    input: NodeId,
    eval: &AbstractEval,
    thresholds: &mut HashMap<NodeId, Vec<f64>>,
) -> Vec<Value> {
    let ty = program.graph.node(input).ty;
    let same_unit = |node: &NodeId| program.graph.node(*node).ty.unit == ty.unit;
    let mut near: Vec<f64> = thresholds.get(&input).cloned().unwrap_or_default();
    // Thresholds of values in the same unit are good guesses.
    near.extend(thresholds.iter().filter(|(node, _)| same_unit(node)).flat_map(|(_, values)| values));
    near.extend(usual_round_values(ty));
    let mut values = values_around(ty, &near, eval.at(input));
    // The input's own thresholds are never dropped.
    let own = values_around(ty, &thresholds.get(&input).cloned().unwrap_or_default(), eval.at(input));
    while values.len() + own.len() > VALUES_MAX {
        let step = values.len().div_ceil(VALUES_MAX.saturating_sub(own.len()).max(1)).max(2);
        values = values.into_iter().step_by(step).collect();
    }
    values.extend(own);
    sort_and_dedup(values)
}

/// Round values of every size that is usual for the unit.
fn usual_round_values(ty: Type) -> Vec<f64> {
    let (first, last) = match ty.unit {
        Unit::Money => (1e2, 1e9),
        Unit::Ratio => (1e-3, 1e1),
        Unit::Duration | Unit::Time => (1e3, 1e9),
        Unit::Number | Unit::Count | Unit::Days | Unit::Months | Unit::Date | Unit::Timestamp => (1.0, 1e4),
        Unit::Text | Unit::Boolean => (1.0, 1e4),
    };
    let mut scale = vec![0.0];
    let mut value = first;
    while value <= last {
        scale.extend([value, value * 2.0, value * 5.0]);
        value *= 10.0;
    }
    if ty.unit == Unit::Ratio {
        scale.extend((1..10).map(|tenth| f64::from(tenth) / 10.0));
    }
    scale
}

/// Each value and one step to each side, as far as possible values.
fn values_around(ty: Type, near: &[f64], may_be: &Values) -> Vec<Value> {
    let step = |value: f64| if ty.repr == Repr::Int { 1.0 } else { (value.abs() * 1e-6).max(1e-6) };
    let all = near.iter().flat_map(|value| [value - step(*value), *value, value + step(*value)]);
    sort_and_dedup(
        all.map(|number| Value::from_double(number, ty.repr)).filter(|value| may_be.holds(Some(value))).collect(),
    )
}

fn sort_and_dedup(mut values: Vec<Value>) -> Vec<Value> {
    values.sort_by(|a, b| compare_values(a, b).unwrap_or(std::cmp::Ordering::Equal));
    values.dedup();
    values
}

/// Candidates for the value of a free node.
fn candidate_values(
    program: &Program,
    node: NodeId,
    eval: &AbstractEval,
    thresholds: &HashMap<NodeId, Vec<f64>>,
) -> Vec<Value> {
    let ty = program.graph.node(node).ty;
    let may_be = eval.at(node);
    match (&may_be.known, ty.repr) {
        (KnownValues::Truth { yes, no }, _) => [(*yes, true), (*no, false)]
            .iter()
            .filter(|(may, _)| *may)
            .map(|(_, truth)| Value::Boolean(*truth))
            .collect(),
        (KnownValues::Texts(Some(texts)), _) => texts.iter().take(CANDIDATES_MAX).cloned().map(Value::Text).collect(),
        (KnownValues::Texts(None), _) => vec![Value::Text("any other".into())],
        (_, repr) if repr.is_number() => {
            let mut near = thresholds.get(&node).cloned().unwrap_or_default();
            near.truncate(CANDIDATES_MAX / 3);
            near.extend(usual_round_values(ty).into_iter().step_by(4));
            if matches!(ty.unit, Unit::Date | Unit::Timestamp) {
                near = vec![0.0];
            }
            let mut values = values_around(ty, &near, may_be);
            values.truncate(2 * CANDIDATES_MAX);
            values
        }
        _ => Vec::new(),
    }
}

/// Settings of the free values, chosen pseudorandomly with a fixed seed.
fn choose_settings(free: &[(NodeId, Vec<Value>)]) -> Vec<Vec<Value>> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut below = |count: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % count.max(1)
    };
    let count = if free.is_empty() { 1 } else { SETTINGS };
    (0..count).map(|_| free.iter().map(|(_, values)| values[below(values.len())].clone()).collect()).collect()
}

/// Two results between which the target moves the wrong way, and the index of the target. Results are in ascending
/// order of the input.
fn find_wrong_pair(program: &Program, property: &Property, results: &[Supposed]) -> Option<(usize, usize, usize)> {
    let targets = match &property.of {
        Target::Amounts(offers) => offers.len(),
        _ => 1,
    };
    (0..targets).find_map(|target| {
        let mut best: Option<(usize, Value)> = None;
        for (index, result) in results.iter().enumerate() {
            let Some(place) = rank_of_result(program, &property.of, result, target) else { continue };
            let worse = |before: &Value| {
                let order = compare_values(&place, before);
                if property.is_increasing { order.is_some_and(|o| o.is_lt()) } else { order.is_some_and(|o| o.is_gt()) }
            };
            match &best {
                Some((before, value)) if worse(value) => return Some((*before, index, target)),
                _ => best = Some((index, place)),
            }
        }
        None
    })
}

/// The rank of a result in the order of its target; `None` if unknown.
fn rank_of_result(program: &Program, of: &Target, result: &Supposed, target: usize) -> Option<Value> {
    let value = || result.values.get(target).cloned().flatten();
    match of {
        Target::Value(_, values) if values.is_empty() => value(),
        Target::Value(_, values) => {
            let value = value()?;
            values.iter().position(|known| *known == value).map(|place| Value::Int(-(place as i64)))
        }
        Target::Amounts(_) => value(),
        Target::Requirement(index) => {
            let requirement = &program.requirements[*index];
            let effect = match value() {
                Some(Value::Boolean(true)) => Effect::Pass,
                Some(_) => requirement.otherwise,
                None => requirement.unknown,
            };
            Some(Value::Int(match effect {
                Effect::Pass => 2,
                Effect::Refer => 1,
                Effect::Decline => 0,
            }))
        }
        Target::Outcome => Some(Value::Int(i64::from(result.outcome == Outcome::Offer))),
    }
}

fn describe_result(policy: &Policy, of: &Target, result: &Supposed, target: usize) -> String {
    let node = nodes_of_target(&policy.program, of).get(target).copied();
    match (of, rank_of_result(&policy.program, of, result, target)) {
        (Target::Outcome, _) => match result.outcome {
            Outcome::Offer => "an offer",
            Outcome::Refer => "a referral",
            Outcome::Decline => "a decline",
        }
        .to_string(),
        (Target::Requirement(_), Some(Value::Int(place))) => {
            ["not met (declines)", "not met (refers)", "met"][place.clamp(0, 2) as usize].to_string()
        }
        _ => match (result.values.get(target).cloned().flatten(), node) {
            (Some(value), Some(node)) => format_typed_value(&value, policy.type_of(node), &policy.header.currency),
            _ => "unknown".to_string(),
        },
    }
}

/// The values that were fixed while the input moved.
fn describe_fixed_values(
    policy: &Policy,
    free: &[(NodeId, Vec<Value>)],
    setting: &[Value],
    names: &NodeNames<'_>,
) -> String {
    let mut shown_values = BTreeMap::new();
    for ((node, _), value) in free.iter().zip(setting) {
        if let Some(name) = names.name(*node) {
            shown_values
                .insert(name.to_string(), format_typed_value(value, policy.type_of(*node), &policy.header.currency));
        }
    }
    let more = shown_values.len().saturating_sub(SHOWN_MAX);
    let mut parts: Vec<String> =
        shown_values.into_iter().take(SHOWN_MAX).map(|(name, value)| format!("{name} = {value}")).collect();
    if more > 0 {
        parts.push(format!("and {more} others fixed"));
    }
    parts.join(", ")
}
