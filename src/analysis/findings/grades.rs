//! Grades and prices: what has an order from worse to better, and what makes an offer dearer. Reports nothing by
//! itself.

use crate::analysis::abstract_eval::AbstractEval;
use crate::analysis::monotonicity::Monotonicity;
use crate::analysis::monotonicity::direction::Direction;
use crate::rules::axis::shown;
use crate::rules::graph::NodeId;
use crate::rules::program::{OfferRule, Output, Program};
use crate::rules::{Policy, Unit, Value};

/// What has an order from worse to better.
pub(in crate::analysis) struct Graded<'p> {
    pub name: String,
    pub node: NodeId,
    /// From the best to the worst; empty for the score, of which more is better.
    pub values: &'p [Value],
    /// Whether the first is known to be the best, the last is, or either may be.
    pub first_is_best: Option<bool>,
}

/// Whether more of an output is worse for who is offered something, or better.
#[derive(Clone, Copy, PartialEq)]
pub(in crate::analysis) enum Price {
    Dearer,
    Larger,
}

/// What more of a node is to the offers, if it is one thing to all that hang on it.
pub(in crate::analysis) fn price(program: &Program, eval: &AbstractEval, node: NodeId) -> Option<Price> {
    let directions = Monotonicity::along(program, eval, node);
    let of = |asked: &dyn Fn(&OfferRule) -> Option<NodeId>| {
        program.offers.iter().filter_map(asked).fold(Direction::Constant, |all, node| all.and(directions.at(node)))
    };
    let (interest, fee) = (of(&|offer| Some(offer.interest)), of(&|offer| offer.fee));
    let amount = of(&|offer| Some(offer.amount));
    match (interest, fee, amount) {
        (Direction::Increasing, _, _) => Some(Price::Dearer),
        // What raises the amount raises a fee that is a part of it.
        (Direction::Constant, _, Direction::Increasing) => Some(Price::Larger),
        (Direction::Constant, Direction::Increasing, Direction::Constant) => Some(Price::Dearer),
        _ => None,
    }
}

/// What an output says, for people.
pub(in crate::analysis) fn amount(policy: &Policy, output: &Output, value: f64) -> String {
    match output.ty.unit {
        Unit::Money => shown(&Value::Float(value), output.ty, &policy.header.currency),
        _ => value.to_string(),
    }
}
