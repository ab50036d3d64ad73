//! Finds requirements that are never met together, and offers that ask for what a requirement forbids. Each may be met
//! alone, so nothing else is odd about them.

use std::collections::HashSet;

use crate::authoring::analysis::abstract_eval::AbstractEval;
use crate::authoring::analysis::findings::quote_requirement;
use crate::base::diagnostic::Diagnostic;
use crate::rules::Policy;
use crate::rules::graph::{Graph, NodeId};
use crate::rules::program::{Effect, Requirement};

/// Most requirements of a policy that are compared with one another.
const COMPARED_MAX: usize = 120;

pub(in crate::authoring::analysis) fn find_contradictions(
    policy: &Policy,
    eval: &AbstractEval,
    found: &mut Vec<Diagnostic>,
) {
    let (program, before) = (&policy.program, found.len());
    let can_hold = |node: NodeId| eval.at(node).may_be().0;
    // An unknown that passes is met in its own way.
    let counts = |one: &&Requirement| {
        let may_pass_unknown = one.unknown == Effect::Pass && eval.at(one.when).unknown;
        one.otherwise != Effect::Pass && !may_pass_unknown && can_hold(one.when)
    };
    let asked: Vec<&Requirement> = program.requirements.iter().filter(counts).take(COMPARED_MAX).collect();
    for (at, one) in asked.iter().enumerate() {
        let first = asked[..at].iter().find(|first| eval.never_hold_together(&program.graph, &[first.when, one.when]));
        found.extend(first.map(|first| never_together(&[first, one])));
    }
    if found.len() > before {
        return;
    }
    let all: Vec<NodeId> = asked.iter().map(|one| one.when).collect();
    if let Some(few) = fewest_that_contradict(eval, &program.graph, &all, None) {
        let few: Vec<&Requirement> = few.into_iter().map(|at| asked[at]).collect();
        found.push(never_together(&few));
        return;
    }
    let mut reported = HashSet::new();
    for offer in &program.offers {
        let Some(when) = offer.when.filter(|when| can_hold(*when)) else { continue };
        let Some(few) = fewest_that_contradict(eval, &program.graph, &all, Some(when)) else { continue };
        let Some(first) = few.first().map(|at| asked[*at]).filter(|_| reported.insert(&offer.id)) else { continue };
        let names = list_names(&few.iter().map(|at| asked[*at]).collect::<Vec<_>>());
        let message =
            format!("the offer `{}` is never made, because its `when` is never true where {names} holds", offer.id);
        let warning = Diagnostic::warning("offer-never", offer.span, message).label("never made");
        found.push(warning.help("change its `when`, or the requirement").elsewhere(first.span));
    }
}

/// Conditions, by their indexes, that contradict one another or `always`, each of them needed for that.
fn fewest_that_contradict(
    eval: &AbstractEval,
    graph: &Graph,
    conditions: &[NodeId],
    always: Option<NodeId>,
) -> Option<Vec<usize>> {
    let contradict = |kept: &[usize]| {
        let nodes: Vec<NodeId> = kept.iter().map(|at| conditions[*at]).chain(always).collect();
        eval.never_hold_together(graph, &nodes)
    };
    let mut kept: Vec<usize> = (0..conditions.len()).collect();
    if !contradict(&kept) {
        return None;
    }
    for at in 0..conditions.len() {
        let fewer: Vec<usize> = kept.iter().copied().filter(|other| *other != at).collect();
        if contradict(&fewer) {
            kept = fewer;
        }
    }
    Some(kept)
}

fn never_together(few: &[&Requirement]) -> Diagnostic {
    let (first, last) = (few[0], few[few.len() - 1]);
    let texts = few.iter().map(|one| format!("`{}`", one.text)).collect::<Vec<_>>().join(" and ");
    let all = if few.len() == 2 { "both" } else { "all" };
    let message =
        format!("the requirements {} are never {all} met, so no customer gets an offer: {texts}", list_names(few));
    let help = "an offer needs every requirement: turn one of them round, or delete it";
    let warning = Diagnostic::warning("contradiction", last.span, message).label("never met with the other");
    warning.help(help).elsewhere(first.span)
}

fn list_names(few: &[&Requirement]) -> String {
    few.iter().map(|one| quote_requirement(one)).collect::<Vec<_>>().join(" and ")
}
