//! Finds grades and scores that get only dearer offers than worse ones. Compares offers that are certain to be made and
//! differ only in their interest.

use std::collections::HashSet;

use crate::authoring::analysis::abstract_eval::AbstractEval;
use crate::authoring::analysis::abstract_eval::conversions::skip_conversions;
use crate::authoring::analysis::abstract_eval::values::{KnownValues, Values};
use crate::authoring::analysis::findings::grades::Graded;
use crate::base::diagnostic::Diagnostic;
use crate::rules::axis::format_typed_value;
use crate::rules::graph::{NodeId, Op};
use crate::rules::program::{OfferRule, Program, Value};
use crate::rules::{Binary, Policy};

/// Most scores at which offers are compared.
const SCORES_MAX: usize = 24;

/// Compares offers of one tenure that depend on a grade. The offers for a better grade must not all cost more than an
/// offer for a worse one.
pub(in crate::authoring::analysis) fn check_offer_order(
    policy: &Policy,
    eval: &AbstractEval,
    grade: &Graded<'_>,
    reported: &HashSet<NodeId>,
    found: &mut Vec<Diagnostic>,
) {
    let program = &policy.program;
    let Some(first_is_best) = grade.first_is_best else { return };
    let mut moved = nodes_depending_on(program, grade.node);
    let depends =
        |offer: &OfferRule| offer.when.is_some_and(|when| moved[when.index()]) || moved[offer.interest.index()];
    let is_reported = |offer: &OfferRule| depends_on_any_of(program, offer.interest, reported);
    if !program.offers.iter().any(depends) || program.offers.iter().any(is_reported) {
        return;
    }
    let needed = nodes_offers_need(program);
    moved.iter_mut().zip(needed).for_each(|(moved, needed)| *moved &= needed);
    let mut steps = possible_grade_steps(program, eval, grade);
    if !first_is_best {
        steps.reverse();
    }
    let made = at_each(program, eval, (grade.node, &steps), &moved);
    let mut reported_tenures = HashSet::new();
    for (better, worse) in
        (0..steps.len()).flat_map(|better| (better + 1..steps.len()).map(move |worse| (better, worse)))
    {
        for (index, cheap) in made[worse].iter().enumerate().filter(|(_, made)| made.always) {
            let offer = &program.offers[index];
            let same = |other: &&(usize, &OfferRule)| is_alike(offer, other.1) && made[better][other.0].possible;
            let others: Vec<(usize, &OfferRule)> =
                program.offers.iter().enumerate().filter(|other| same(&other)).collect();
            let all_of_tenure = program
                .offers
                .iter()
                .enumerate()
                .filter(|(at, other)| other.tenure == offer.tenure && made[better][*at].possible)
                .count();
            let is_dearer = |other: &(usize, &OfferRule)| {
                made[better][other.0].interest.0 > cheap.interest.1
                    && made[better][other.0].instalments == cheap.instalments
            };
            let Some((dear_index, dear)) = others.iter().copied().find(|other| made[better][other.0].always) else {
                continue;
            };
            if others.len() != all_of_tenure || !others.iter().all(is_dearer) || !reported_tenures.insert(offer.tenure)
            {
                continue;
            }
            let ty = policy.type_of(grade.node);
            let at = |step: usize| {
                format!("{} = {}", grade.name, format_typed_value(&steps[step], ty, &policy.header.currency))
            };
            let asks = |offer: &OfferRule, interest: f64, step: usize| {
                format!("`{}` charges {interest} percent at {}", offer.id, at(step))
            };
            let message = format!(
                "a better `{}` gets a worse price for tenure {}: {}, {}",
                grade.name,
                offer.tenure,
                asks(dear, made[better][dear_index].interest.0, better),
                asks(offer, cheap.interest.1, worse)
            );
            let help = "make the better one cost the same or less, or allow it: # check allow price-order: why";
            found.push(
                Diagnostic::warning("price-order", dear.span, message).label("dearer for a better customer").help(help),
            );
        }
    }
}

/// Whether and how every offer is made at each step.
fn at_each(
    program: &Program,
    eval: &AbstractEval,
    (node, steps): (NodeId, &[Value]),
    moved: &[bool],
) -> Vec<Vec<OfferAtGrade>> {
    let mut supposed = eval.clone();
    let at = |step: &Value| {
        supposed.suppose(program, node, Values::value(step), moved);
        program.offers.iter().map(|offer| OfferAtGrade::new(offer, &supposed)).collect()
    };
    steps.iter().map(at).collect()
}

/// Whether and how an offer is made at one grade.
struct OfferAtGrade {
    possible: bool,
    always: bool,
    interest: (f64, f64),
    instalments: Option<f64>,
}

impl OfferAtGrade {
    fn new(offer: &OfferRule, eval: &AbstractEval) -> OfferAtGrade {
        let ((yes, no), unknown) =
            offer.when.map_or(((true, false), false), |when| (eval.at(when).may_be(), eval.at(when).unknown));
        let interest = eval.at(offer.interest).interval();
        let instalments = eval.at(offer.instalments).interval();
        OfferAtGrade {
            possible: yes,
            always: yes && !no && !unknown,
            interest: interest.map_or((f64::NEG_INFINITY, f64::INFINITY), |interest| (interest.low, interest.high)),
            instalments: instalments.filter(|instalments| instalments.is_point()).map(|instalments| instalments.low),
        }
    }
}

/// Whether two offers have the same price except for their interest.
fn is_alike(one: &OfferRule, other: &OfferRule) -> bool {
    one.tenure == other.tenure && one.method == other.method && one.fee == other.fee
}

/// The possible grades, the best first. For scores, values around those they are compared with.
fn possible_grade_steps(program: &Program, eval: &AbstractEval, grade: &Graded<'_>) -> Vec<Value> {
    if !grade.values.is_empty() {
        let KnownValues::Texts(texts) = &eval.at(grade.node).known else { return Vec::new() };
        let may_be = |value: &&Value| match (value, texts) {
            (Value::Text(text), Some(texts)) => texts.contains(text),
            _ => true,
        };
        return grade.values.iter().filter(may_be).cloned().collect();
    }
    let graph = &program.graph;
    let mut scores = Vec::new();
    for node in graph.nodes().iter().filter(|node| {
        matches!(node.op, Op::Compare(Binary::Less | Binary::LessEqual | Binary::Greater | Binary::GreaterEqual))
    }) {
        for (one, other) in [(0, 1), (1, 0)] {
            if skip_conversions(graph, node.inputs[one]) == grade.node
                && let Some(cut) = eval.at(node.inputs[other]).interval().filter(|cut| cut.is_point())
            {
                scores.extend([cut.low - 1.0, cut.low, cut.low + 1.0]);
            }
        }
    }
    scores.retain(|score| eval.at(grade.node).interval().is_some_and(|may_be| may_be.contains(*score)));
    scores.sort_by(|a, b| b.total_cmp(a));
    scores.dedup();
    scores.truncate(SCORES_MAX);
    let repr = graph.node(grade.node).ty.repr;
    scores.into_iter().map(|score| Value::from_double(score, repr)).collect()
}

/// The nodes that depend on a node, except through tables, which are examined row by row.
fn nodes_depending_on(program: &Program, from: NodeId) -> Vec<bool> {
    let mut moved = vec![false; program.graph.nodes().len()];
    for (index, node) in program.graph.nodes().iter().enumerate() {
        let is_table = matches!(node.op, Op::Hit(_) | Op::Output(..));
        moved[index] = !is_table && node.inputs.iter().any(|input| moved[input.index()] || *input == from);
    }
    moved
}

/// The nodes that offers depend on.
fn nodes_offers_need(program: &Program) -> Vec<bool> {
    let mut needed = vec![false; program.graph.nodes().len()];
    for offer in &program.offers {
        for node in [Some(offer.interest), Some(offer.instalments), offer.when].into_iter().flatten() {
            needed[node.index()] = true;
        }
    }
    for (index, node) in program.graph.nodes().iter().enumerate().rev() {
        if needed[index] {
            node.inputs.iter().for_each(|input| needed[input.index()] = true);
        }
    }
    needed
}

/// Whether a node depends on one of these.
fn depends_on_any_of(program: &Program, node: NodeId, any_of: &HashSet<NodeId>) -> bool {
    if any_of.is_empty() {
        return false;
    }
    let (mut open, mut seen) = (vec![node], HashSet::new());
    while let Some(node) = open.pop() {
        if any_of.contains(&node) {
            return true;
        }
        if seen.insert(node) {
            open.extend(&program.graph.node(node).inputs);
        }
    }
    false
}
