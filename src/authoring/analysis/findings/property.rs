//! Declared properties: proved by monotonicity, refuted by two inputs that the evaluator distinguishes, or
//! undecided. There is no fourth answer.

use crate::authoring::analysis::abstract_eval::AbstractEval;
use crate::authoring::analysis::abstract_eval::conversions::skip_conversions;
use crate::authoring::analysis::findings::counterexample;
use crate::authoring::analysis::monotonicity::Monotonicity;
use crate::authoring::analysis::monotonicity::direction::Direction;
use crate::authoring::analysis::names::NodeNames;
use crate::base::diagnostic::Diagnostic;
use crate::base::pricing::FeeMode;
use crate::rules::graph::{NodeId, Op};
use crate::rules::program::{Effect, OfferRule, Program, Requirement};
use crate::rules::property::{Property, Target};
use crate::rules::{Binary, Policy, Repr};

/// The finding about a property; `None` if it is proved.
pub(in crate::authoring::analysis) fn check_property(
    policy: &Policy,
    property: &Property,
    eval: &AbstractEval,
    names: &NodeNames<'_>,
) -> Option<Diagnostic> {
    let directions = Monotonicity::along(&policy.program, eval, property.input);
    let wanted = if property.is_increasing { Direction::Increasing } else { Direction::Decreasing };
    if follows(policy, eval, &directions, &property.of, wanted) {
        return None;
    }
    let (input, of) = (&property.input_text, &property.of_text);
    let verb = if property.is_increasing { "fall" } else { "rise" };
    let what = format!("`{of}` can {verb} when `{input}` rises");
    if let Some(broken) = counterexample::find_counterexample(policy, property, eval, names) {
        let help = "fix the rules, or remove the property";
        let message = format!("{what}: {broken}");
        return Some(Diagnostic::error("not-monotone", property.span, message).label("does not hold").help(help));
    }
    let message = format!("cannot tell whether {what}");
    let help = "neither a counterexample nor a proof was found; test cases near its bounds by hand";
    Some(Diagnostic::warning("not-proved", property.span, message).label("not decided").help(help))
}

fn goes(direction: Direction, wanted: Direction) -> bool {
    direction == Direction::Constant || direction == wanted
}

/// Whether monotonicity proves the property.
pub(in crate::authoring::analysis) fn is_proved(policy: &Policy, property: &Property, eval: &AbstractEval) -> bool {
    let directions = Monotonicity::along(&policy.program, eval, property.input);
    let wanted = if property.is_increasing { Direction::Increasing } else { Direction::Decreasing };
    follows(policy, eval, &directions, &property.of, wanted)
}

fn follows(
    policy: &Policy,
    eval: &AbstractEval,
    directions: &Monotonicity<'_>,
    of: &Target,
    wanted: Direction,
) -> bool {
    let program = &policy.program;
    match of {
        Target::Value(node, values) if values.is_empty() => goes(directions.at(*node), wanted),
        Target::Value(node, values) => goes(directions.ranked(*node, values), wanted),
        Target::Amounts(offers) => {
            offers.iter().all(|offer| goes(directions.at(program.offers[*offer].amount), wanted))
        }
        Target::Requirement(index) => of_requirement(&program.requirements[*index], directions, wanted),
        Target::Outcome => {
            // An offer requires that all are met, and a condition that never falls stays met.
            program.requirements.iter().all(|requirement| goes(directions.at(requirement.when), wanted))
                && program.asking.tenure.is_none_or(|tenure| stays(directions, tenure))
                && program.offers.iter().all(|offer| of_offer(policy, offer, eval, directions, wanted))
        }
    }
}

fn stays(directions: &Monotonicity<'_>, node: NodeId) -> bool {
    directions.at(node) == Direction::Constant && directions.steady(node)
}

/// Truth values are ordered false, unknown, true. The effects must be ordered the same way, from worse to better.
fn of_requirement(requirement: &Requirement, directions: &Monotonicity<'_>, wanted: Direction) -> bool {
    let in_order = requirement.otherwise >= requirement.unknown && requirement.unknown >= Effect::Pass;
    let when = requirement.when;
    goes(directions.at(when), wanted) && (in_order || directions.steady(when))
}

/// Whether the offer moves the wanted way, where not made, unknown and made are in ascending order.
fn of_offer(
    policy: &Policy,
    offer: &OfferRule,
    eval: &AbstractEval,
    directions: &Monotonicity<'_>,
    wanted: Direction,
) -> bool {
    let (program, fee_mode) = (&policy.program, policy.header.fee_mode);
    let known_within = |node, low: f64, high: f64| {
        let lies = eval.at(node).interval().is_some_and(|interval| interval.low >= low && interval.high <= high);
        lies && directions.steady(node)
    };
    let within = |node, low, high| stays(directions, node) || known_within(node, low, high);
    let graph = &program.graph;
    // A fractional number of instalments has no price.
    let is_whole = |node| graph.node(skip_conversions(graph, node)).ty.repr == Repr::Int;
    let instalments = offer.instalments;
    offer.when.is_none_or(|when| goes(directions.at(when), wanted))
        && goes(directions.at(offer.amount), wanted)
        && directions.steady(offer.amount)
        && offer.amount_steps.floor.is_none_or(|floor| stays(directions, floor))
        && within(offer.interest, 0.0, 1000.0)
        && (stays(directions, instalments) || (is_whole(instalments) && known_within(instalments, 1.0, 600.0)))
        && offer.fee.is_none_or(|fee| {
            let is_left = || leaves_some(program, offer.amount, fee, (eval, directions, wanted));
            within(fee, 0.0, f64::INFINITY) && (fee_mode == FeeMode::Added || is_left())
        })
}

/// Whether a deducted fee still leaves part of the amount after the amount moved the wanted way.
fn leaves_some(
    program: &Program,
    amount: NodeId,
    fee: NodeId,
    (eval, directions, wanted): (&AbstractEval, &Monotonicity<'_>, Direction),
) -> bool {
    // A fee that stays or moves against the amount leaves at least as much of it.
    if goes(directions.at(fee).flipped(), wanted) {
        return true;
    }
    let graph = &program.graph;
    // A constant share of the amount takes all of it only for tiny amounts.
    let product = graph.node(skip_conversions(graph, fee));
    if let (Op::Arithmetic(Binary::Multiply), [left, right]) = (&product.op, &product.inputs[..]) {
        let is_part = |whole: NodeId, part: NodeId| {
            let lies = eval.at(part).interval().is_some_and(|part| part.low >= 0.0 && part.high <= 1.0);
            skip_conversions(graph, whole) == skip_conversions(graph, amount) && lies && stays(directions, part)
        };
        if is_part(*left, *right) || is_part(*right, *left) {
            return true;
        }
    }
    match (eval.at(fee).interval(), eval.at(amount).interval()) {
        (Some(fee), Some(amount)) => fee.high.ceil() < amount.low.floor(),
        _ => false,
    }
}
