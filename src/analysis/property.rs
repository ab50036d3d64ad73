//! Declared properties: proved by the slopes of what they speak of, or broken by two inputs that the evaluator itself tells apart, or
//! not decided. There is no fourth answer.

use super::flow::Flow;
use super::names::Names;
use super::price_order::below;
use super::search;
use super::slope::{Slope, Slopes};
use crate::rules::graph::{NodeId, Op};
use crate::rules::program::{Effect, OfferRule, Program, Requirement};
use crate::rules::property::{Property, Target};
use crate::rules::{Binary, Policy, Repr};
use crate::words::diagnostic::Diagnostic;
use crate::words::pricing::FeeMode;

/// What is to be said of a property; nothing where it is proved.
pub(super) fn check(policy: &Policy, property: &Property, flow: &Flow, names: &Names<'_>) -> Option<Diagnostic> {
    let slopes = Slopes::of(&policy.program, flow, property.input);
    let wanted = if property.is_increasing { Slope::Up } else { Slope::Down };
    if follows(policy, flow, &slopes, &property.of, wanted) {
        return None;
    }
    let (input, of) = (&property.input_text, &property.of_text);
    let verb = if property.is_increasing { "fall" } else { "rise" };
    let what = format!("with more of `{input}`, `{of}` may {verb}");
    if let Some(broken) = search::broken(policy, property, flow, names) {
        let help = "mend the rules, or take the property back";
        let message = format!("{what}: {broken}");
        return Some(Diagnostic::error("not-monotone", property.span, message).label("does not hold").help(help));
    }
    let message = format!("it is not decided whether {what}");
    let help = "no two inputs were found that break it, and no proof; try cases near its bounds by hand";
    Some(Diagnostic::warning("not-proved", property.span, message).label("not decided").help(help))
}

fn goes(slope: Slope, wanted: Slope) -> bool {
    slope == Slope::Flat || slope == wanted
}

/// Whether it holds of everything that the flow holds.
pub(super) fn is_proved(policy: &Policy, property: &Property, flow: &Flow) -> bool {
    let slopes = Slopes::of(&policy.program, flow, property.input);
    let wanted = if property.is_increasing { Slope::Up } else { Slope::Down };
    follows(policy, flow, &slopes, &property.of, wanted)
}

fn follows(policy: &Policy, flow: &Flow, slopes: &Slopes<'_>, of: &Target, wanted: Slope) -> bool {
    let program = &policy.program;
    match of {
        Target::Value(node, values) if values.is_empty() => goes(slopes.at(*node), wanted),
        Target::Value(node, values) => goes(slopes.ranked(*node, values), wanted),
        Target::Amounts(offers) => offers.iter().all(|offer| goes(slopes.at(program.offers[*offer].amount), wanted)),
        Target::Requirement(index) => of_requirement(&program.requirements[*index], slopes, wanted),
        Target::Outcome => {
            // Whoever is offered something met all of them; a truth that grows keeps whatever was met.
            program.requirements.iter().all(|requirement| goes(slopes.at(requirement.when), wanted))
                && program.asking.tenure.is_none_or(|tenure| stays(slopes, tenure))
                && program.offers.iter().all(|offer| of_offer(policy, offer, flow, slopes, wanted))
        }
    }
}

fn stays(slopes: &Slopes<'_>, node: NodeId) -> bool {
    slopes.at(node) == Slope::Flat && slopes.steady(node)
}

/// Truth goes from false by unknown to true; what follows must go from worse to better with it.
fn of_requirement(requirement: &Requirement, slopes: &Slopes<'_>, wanted: Slope) -> bool {
    let in_order = requirement.otherwise >= requirement.unknown && requirement.unknown >= Effect::Pass;
    let when = requirement.when;
    goes(slopes.at(when), wanted) && (in_order || slopes.steady(when))
}

/// Whether the offer goes from not made by unknown to made, or stays.
fn of_offer(policy: &Policy, offer: &OfferRule, flow: &Flow, slopes: &Slopes<'_>, wanted: Slope) -> bool {
    let (program, fee_mode) = (&policy.program, policy.header.fee_mode);
    let known_within = |node, low: f64, high: f64| {
        let lies = flow.at(node).interval().is_some_and(|interval| interval.low >= low && interval.high <= high);
        lies && slopes.steady(node)
    };
    let within = |node, low, high| stays(slopes, node) || known_within(node, low, high);
    let graph = &program.graph;
    // A number of instalments that is not whole has no price.
    let is_whole = |node| graph.node(below(graph, node)).ty.repr == Repr::Int;
    let instalments = offer.instalments;
    offer.when.is_none_or(|when| goes(slopes.at(when), wanted))
        && goes(slopes.at(offer.amount), wanted)
        && slopes.steady(offer.amount)
        && offer.limits.floor.is_none_or(|floor| stays(slopes, floor))
        && within(offer.interest, 0.0, 1000.0)
        && (stays(slopes, instalments) || (is_whole(instalments) && known_within(instalments, 1.0, 600.0)))
        && offer.fee.is_none_or(|fee| {
            let is_left = || leaves_some(program, offer.amount, fee, (flow, slopes, wanted));
            within(fee, 0.0, f64::INFINITY) && (fee_mode == FeeMode::Added || is_left())
        })
}

/// Whether a fee that is deducted from an amount which goes the wanted way goes on leaving something of it.
fn leaves_some(
    program: &Program,
    amount: NodeId,
    fee: NodeId,
    (flow, slopes, wanted): (&Flow, &Slopes<'_>, Slope),
) -> bool {
    // A fee that goes against the amount, or stays, takes no more of what is no less.
    if goes(slopes.at(fee).flipped(), wanted) {
        return true;
    }
    let graph = &program.graph;
    // A steady part of the amount takes all of it only where next to nothing is lent.
    let product = graph.node(below(graph, fee));
    if let (Op::Arithmetic(Binary::Multiply), [left, right]) = (&product.op, &product.inputs[..]) {
        let is_part = |whole: NodeId, part: NodeId| {
            let lies = flow.at(part).interval().is_some_and(|part| part.low >= 0.0 && part.high <= 1.0);
            below(graph, whole) == below(graph, amount) && lies && stays(slopes, part)
        };
        if is_part(*left, *right) || is_part(*right, *left) {
            return true;
        }
    }
    match (flow.at(fee).interval(), flow.at(amount).interval()) {
        (Some(fee), Some(amount)) => fee.high.ceil() < amount.low.floor(),
        _ => false,
    }
}
