//! Declared properties: proved by the slopes of what they speak of, or broken by two inputs that the evaluator itself tells apart, or
//! not decided. There is no fourth answer.

use super::flow::Flow;
use super::names::Names;
use super::search;
use super::slope::{Slope, Slopes};
use crate::rules::Policy;
use crate::rules::program::{Effect, OfferRule, Program, Requirement};
use crate::rules::property::{Property, Target};
use crate::words::diagnostic::Diagnostic;

/// What is to be said of a property; nothing where it is proved.
pub(super) fn check(policy: &Policy, property: &Property, flow: &Flow, names: &Names<'_>) -> Option<Diagnostic> {
    let program = &policy.program;
    let slopes = Slopes::of(program, flow, property.input);
    let wanted = if property.is_increasing { Slope::Up } else { Slope::Down };
    if follows(program, flow, &slopes, &property.of, wanted) {
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
    follows(&policy.program, flow, &slopes, &property.of, wanted)
}

fn follows(program: &Program, flow: &Flow, slopes: &Slopes<'_>, of: &Target, wanted: Slope) -> bool {
    match of {
        Target::Value(node, values) if values.is_empty() => goes(slopes.at(*node), wanted),
        Target::Value(node, values) => goes(slopes.ranked(*node, values), wanted),
        Target::Amounts(offers) => offers.iter().all(|offer| goes(slopes.at(program.offers[*offer].amount), wanted)),
        Target::Requirement(index) => of_requirement(&program.requirements[*index], slopes, wanted),
        Target::Outcome => {
            // Whoever is offered something met all of them; a truth that grows keeps whatever was met.
            program.requirements.iter().all(|requirement| goes(slopes.at(requirement.when), wanted))
                && program.asking.tenure.is_none_or(|tenure| stays(slopes, tenure))
                && program.offers.iter().all(|offer| of_offer(offer, flow, slopes, wanted))
        }
    }
}

fn stays(slopes: &Slopes<'_>, node: crate::rules::ir::NodeId) -> bool {
    slopes.at(node) == Slope::Flat && slopes.steady(node)
}

/// Truth goes from false by unknown to true; what follows must go from worse to better with it.
fn of_requirement(requirement: &Requirement, slopes: &Slopes<'_>, wanted: Slope) -> bool {
    let in_order = requirement.otherwise >= requirement.unknown && requirement.unknown >= Effect::Pass;
    let when = requirement.when;
    goes(slopes.at(when), wanted) && (in_order || slopes.steady(when))
}

/// Whether the offer goes from not made by unknown to made, or stays.
fn of_offer(offer: &OfferRule, flow: &Flow, slopes: &Slopes<'_>, wanted: Slope) -> bool {
    let within = |node, low: f64, high: f64| {
        let lies = flow.at(node).interval().is_some_and(|interval| interval.low >= low && interval.high <= high);
        stays(slopes, node) || (lies && slopes.steady(node))
    };
    offer.when.is_none_or(|when| goes(slopes.at(when), wanted))
        && goes(slopes.at(offer.amount), wanted)
        && slopes.steady(offer.amount)
        && offer.limits.floor.is_none_or(|floor| stays(slopes, floor))
        && within(offer.interest, 0.0, 1000.0)
        && within(offer.instalments, 1.0, 600.0)
        && offer.fee.is_none_or(|fee| within(fee, 0.0, f64::INFINITY))
}
