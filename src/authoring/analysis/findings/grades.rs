//! Grades, which have an order from worse to better, and prices, which make an offer dearer. Reports nothing itself.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::authoring::analysis::abstract_eval::AbstractEval;
use crate::authoring::analysis::monotonicity::Monotonicity;
use crate::authoring::analysis::monotonicity::direction::Direction;
use crate::rules::axis::format_typed_value;
use crate::rules::graph::NodeId;
use crate::rules::program::{DecisionTable, OfferRule, Output, OutputCell, Program};
use crate::rules::{Policy, Unit, Value};

/// A grade or the score: values with an order from worse to better.
pub(in crate::authoring::analysis) struct Graded<'p> {
    pub name: String,
    pub node: NodeId,
    /// The values in order; empty for the score, where more is better.
    pub values: Cow<'p, [Value]>,
    /// Whether the first value is the best, or the last; `None` if it may be either.
    pub first_is_best: Option<bool>,
}

/// Words in the names of outputs whose letters have an order. A product A is no better than a product B.
const GRADES: [&str; 6] = ["grade", "class", "risk", "rating", "band", "tier"];

/// The grades A, B, C and so on of an output that lists no `values`, if its rows give nothing else. A is the best.
pub(in crate::authoring::analysis) fn letter_grade_order(
    table: &DecisionTable,
    column: usize,
    name: &str,
) -> Option<Vec<Value>> {
    if !GRADES.iter().any(|grade| name.contains(grade)) {
        return None;
    }
    let mut given = BTreeSet::new();
    for row in &table.rows {
        let OutputCell::Value(Value::Text(text)) = row.values.get(column)? else { return None };
        given.insert(text.as_str());
    }
    let is_letter = |(place, text): (usize, &&str)| text.as_bytes() == [b'A' + u8::try_from(place).unwrap_or(u8::MAX)];
    let are_letters = (2..=26).contains(&given.len()) && given.iter().enumerate().all(is_letter);
    are_letters.then(|| given.into_iter().map(|text| Value::Text(text.to_owned())).collect())
}

/// Whether more of an output makes offers dearer, or larger.
#[derive(Clone, Copy, PartialEq)]
pub(in crate::authoring::analysis) enum Price {
    Dearer,
    Larger,
}

/// How more of a node affects offers, if it affects all that depend on it in the same way.
pub(in crate::authoring::analysis) fn price_effect_of(
    program: &Program,
    eval: &AbstractEval,
    node: NodeId,
) -> Option<Price> {
    let directions = Monotonicity::along(program, eval, node);
    let direction = |part: &dyn Fn(&OfferRule) -> Option<NodeId>| {
        program.offers.iter().filter_map(part).fold(Direction::Constant, |all, node| all.and(directions.at(node)))
    };
    let (interest, fee) = (direction(&|offer| Some(offer.interest)), direction(&|offer| offer.fee));
    let amount = direction(&|offer| Some(offer.amount));
    match (interest, fee, amount) {
        (Direction::Increasing, _, _) => Some(Price::Dearer),
        // A larger amount may also raise a fee that is a share of it.
        (Direction::Constant, _, Direction::Increasing) => Some(Price::Larger),
        (Direction::Constant, Direction::Increasing, Direction::Constant) => Some(Price::Dearer),
        _ => None,
    }
}

/// The value of an output, for people.
pub(in crate::authoring::analysis) fn format_output_value(policy: &Policy, output: &Output, value: f64) -> String {
    match output.ty.unit {
        Unit::Money => format_typed_value(&Value::Float(value), output.ty, &policy.header.currency),
        _ => value.to_string(),
    }
}
