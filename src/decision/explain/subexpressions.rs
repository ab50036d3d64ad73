//! What stands inside of an expression, worked out part by part: `LEAST(cap, principal_for(...))` -> each of its arguments that is worked
//! out itself. Read off the program, so the parts are in the program's words. Evaluates nothing.

use std::collections::BTreeSet;

use super::numbers::Numbers;
use crate::rules::Binary;
use crate::rules::graph::{Grain, NodeId, Op};
use crate::rules::references::{Expression, References};
use crate::words::rational::Rounding;

/// Parts told of one expression.
const PARTS_MAX: usize = 12;

/// Expressions within expressions, further than which nothing is told.
const DEPTH: usize = 16;

/// The parts of `whole` that are worked out, each after its own parts, with its text. Neither names, nor
/// values, nor `whole` itself.
pub(super) fn find(numbers: &Numbers, whole: &Expression, names: &[(NodeId, &str)]) -> Vec<(String, NodeId)> {
    let graph = &numbers.case.policy.program.graph;
    // What is but a name, or comes out of a table, is told where that is.
    let whole_node = graph.carried(whole.node);
    let is_elsewhere = matches!(graph.node(whole_node).op, Op::Output(..) | Op::Hit(_) | Op::Score | Op::Points(_));
    if is_elsewhere || numbers.name(whole_node, &whole.references).is_some_and(|name| name == whole.text) {
        return Vec::new();
    }
    let mut inside = Inside { numbers, said: &whole.references, names, seen: BTreeSet::new(), parts: Vec::new() };
    inside.of(whole_node, 0);
    inside.parts
}

struct Inside<'n, 't, 'a> {
    numbers: &'n Numbers<'t, 'a>,
    said: &'n References,
    /// What an offer alone knows by name.
    names: &'n [(NodeId, &'n str)],
    seen: BTreeSet<NodeId>,
    parts: Vec<(String, NodeId)>,
}

impl Inside<'_, '_, '_> {
    fn name(&self, node: NodeId) -> Option<String> {
        let of_offer = self.names.iter().find(|(known, _)| *known == node);
        of_offer.map(|(_, name)| (*name).to_owned()).or_else(|| self.numbers.name(node, self.said))
    }

    fn of(&mut self, node: NodeId, depth: usize) {
        if depth > DEPTH {
            return;
        }
        let graph = &self.numbers.case.policy.program.graph;
        for input in &graph.node(node).inputs {
            let input = self.through(*input);
            let of_records = graph.node(input).grain > Grain::Statement;
            if of_records || self.name(input).is_some() || self.parts.len() >= PARTS_MAX || !self.seen.insert(input) {
                continue;
            }
            self.of(input, depth + 1);
            let is_worked_out = !graph.node(input).inputs.is_empty() && !matches!(graph.node(input).op, Op::Dated(_));
            if is_worked_out && let Some(text) = self.written(input, 0) {
                self.parts.push((text, input));
            }
        }
    }

    /// What a node only carries on, in another form or to another grain; no further than to what has a name.
    fn through(&self, node: NodeId) -> NodeId {
        let mut node = node;
        while self.name(node).is_none() {
            let at = self.numbers.case.policy.program.graph.node(node);
            match (&at.op, at.inputs.as_slice()) {
                (Op::ToRational | Op::ToFloat | Op::Spread, [input]) => node = *input,
                _ => break,
            }
        }
        node
    }

    /// An expression in the rule language, as far as it is of arithmetic.
    fn written(&self, node: NodeId, depth: usize) -> Option<String> {
        let node = self.through(node);
        if let Some(name) = self.name(node) {
            return Some(name);
        }
        let at = self.numbers.case.policy.program.graph.node(node);
        let one = |at: &NodeId| if depth < DEPTH { self.written(*at, depth + 1) } else { None };
        let listed = |name: &str| -> Option<String> {
            Some(format!("{name}({})", at.inputs.iter().map(one).collect::<Option<Vec<_>>>()?.join(", ")))
        };
        match &at.op {
            // A parameter's value of the day is told with the parameters.
            Op::Int(_) | Op::Rational(_) | Op::Text(_) | Op::Boolean(_) | Op::Dated(_) => {
                Some(self.numbers.figure(node).text)
            }
            Op::Least => listed("LEAST"),
            Op::Greatest => listed("GREATEST"),
            Op::Coalesce => listed("COALESCE"),
            Op::Abs => listed("ABS"),
            Op::PrincipalFor(_) => listed("principal_for"),
            Op::Power => listed("power"),
            Op::Round(Rounding::Down) => listed("round_down"),
            Op::Round(Rounding::Up) => listed("round_up"),
            Op::Round(Rounding::HalfAway) => listed("round"),
            Op::Round(Rounding::HalfEven) => listed("round_half_even"),
            Op::Negate => Some(format!("-{}", one(at.inputs.first()?)?)),
            Op::Arithmetic(sign) => {
                let [left, right] = at.inputs.as_slice() else { return None };
                let sign = match sign {
                    Binary::Add => "+",
                    Binary::Subtract => "-",
                    Binary::Multiply => "*",
                    Binary::Divide => "/",
                    _ => return None,
                };
                Some(format!("({} {sign} {})", one(left)?, one(right)?))
            }
            _ => None,
        }
    }
}
