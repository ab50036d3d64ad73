//! Finds amounts that `principal_for` computes for other terms than the offer's. The offer's instalment then differs
//! from the one that is affordable.

use std::collections::HashSet;

use crate::authoring::analysis::abstract_eval::AbstractEval;
use crate::authoring::analysis::abstract_eval::interval::Interval;
use crate::authoring::analysis::names::NodeNames;
use crate::base::diagnostic::{Diagnostic, Severity};
use crate::rules::Policy;
use crate::rules::graph::{Grain, Graph, NodeId, Op};
use crate::rules::program::OfferRule;

/// Most nodes of an amount that are searched.
const SEARCHED_MAX: usize = 2_000;

pub(in crate::authoring::analysis) fn find_other_principals(
    policy: &Policy,
    eval: &AbstractEval,
    names: &NodeNames,
    found: &mut Vec<Diagnostic>,
) {
    let graph = &policy.program.graph;
    let mut reported = HashSet::new();
    for offer in &policy.program.offers {
        let principals = principals_below(graph, offer.amount_steps.uncapped.unwrap_or(offer.amount));
        let odd = principals.into_iter().filter_map(|node| other_terms(graph, node, offer, eval, names));
        found.extend(odd.filter(|_| reported.insert(&offer.id)).take(1));
    }
}

fn principals_below(graph: &Graph, amount: NodeId) -> Vec<NodeId> {
    let (mut open, mut seen, mut found) = (vec![amount], HashSet::new(), Vec::new());
    while let Some(node) = open.pop().filter(|_| seen.len() < SEARCHED_MAX) {
        let at = graph.node(node);
        if at.grain > Grain::Statement || !seen.insert(node) {
            continue;
        }
        if matches!(at.op, Op::PrincipalFor(_)) {
            found.push(node);
        }
        open.extend(&at.inputs);
    }
    found
}

/// The finding about one `principal_for`, if its rate or its number of instalments is never the offer's.
fn other_terms(
    graph: &Graph,
    node: NodeId,
    offer: &OfferRule,
    eval: &AbstractEval,
    names: &NodeNames,
) -> Option<Diagnostic> {
    let [_, rate, count] = graph.node(node).inputs.as_slice() else { return None };
    let unlike = |one: NodeId, other: NodeId| -> Option<(Interval, Interval)> {
        let (one, other) = (eval.at(one).interval()?, eval.at(other).interval()?);
        one.meet(other).is_none().then_some((one, other))
    };
    let (rates, counts) = (unlike(*rate, offer.interest), unlike(*count, offer.instalments));
    let is = |node: NodeId| names.known_range(eval, node);
    let parts = [
        rates.map(|_| format!("a rate of {} instead of {}", is(*rate), is(offer.interest))),
        counts.map(|_| format!("{} instalments instead of {}", is(*count), is(offer.instalments))),
    ];
    let parts = parts.into_iter().flatten().collect::<Vec<_>>().join(", and ");
    if parts.is_empty() {
        return None;
    }
    // A higher rate and fewer instalments make a smaller loan, which may be meant as room.
    let lends_more = rates.is_some_and(|(rate, of_offer)| rate.high <= of_offer.low)
        || counts.is_some_and(|(count, of_offer)| count.low >= of_offer.high);
    let severity = if lends_more { Severity::Warning } else { Severity::Note };
    let message = format!(
        "the offer `{}` for tenure {} takes its amount from `principal_for` with {parts}: its instalment differs \
         from the one that was given",
        offer.id, offer.tenure
    );
    let help = match rates {
        Some((rate, of_offer)) if (rate.high * 100.0 - of_offer.low).abs() < 1e-9 => {
            "the rate is in percent, as `interest` is: 3 % is written 3"
        }
        _ => "write the rate of `interest`, or a name for both, and `instalments` as the number",
    };
    let warning = Diagnostic::warning("principal", offer.span, message).label("other terms").help(help);
    Some(Diagnostic { severity, ..warning })
}
