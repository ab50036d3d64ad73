//! The computed parts of an expression: `LEAST(cap, principal_for(...))` -> each argument that is itself computed. Read
//! from the program, so parts are in the program's form. Evaluates nothing.

use std::collections::BTreeSet;

use super::numbers::Numbers;
use crate::base::rational::Rounding;
use crate::rules::Binary;
use crate::rules::graph::{Approximate, Elapsed, Grain, NodeId, Op};
use crate::rules::references::{Expression, References};

/// The most parts to show of one expression.
const PARTS_MAX: usize = 12;

/// The depth of nested expressions to show.
const DEPTH: usize = 16;

/// The computed parts of `whole`, each after its own parts, with its text. Excludes names, values and `whole` itself.
pub(super) fn find_subexpressions(
    numbers: &Numbers,
    whole: &Expression,
    names: &[(NodeId, &str)],
) -> Vec<(String, NodeId)> {
    let graph = &numbers.case.policy.program.graph;
    // A plain name or a table's output is explained elsewhere.
    let whole_node = graph.carried(whole.node);
    let is_elsewhere = matches!(graph.node(whole_node).op, Op::Output(..) | Op::Hit(_) | Op::Score | Op::Points(_));
    if is_elsewhere || numbers.name(whole_node, &whole.references).is_some_and(|name| name == whole.text) {
        return Vec::new();
    }
    let mut search =
        SubexpressionSearch { numbers, references: &whole.references, names, seen: BTreeSet::new(), parts: Vec::new() };
    search.collect(whole_node, 0);
    search.parts
}

struct SubexpressionSearch<'n, 't, 'a> {
    numbers: &'n Numbers<'t, 'a>,
    references: &'n References,
    /// The names that only an offer defines.
    names: &'n [(NodeId, &'n str)],
    seen: BTreeSet<NodeId>,
    parts: Vec<(String, NodeId)>,
}

impl SubexpressionSearch<'_, '_, '_> {
    fn name(&self, node: NodeId) -> Option<String> {
        let of_offer = self.names.iter().find(|(known, _)| *known == node);
        of_offer.map(|(_, name)| (*name).to_owned()).or_else(|| self.numbers.name(node, self.references))
    }

    fn collect(&mut self, node: NodeId, depth: usize) {
        if depth > DEPTH {
            return;
        }
        let graph = &self.numbers.case.policy.program.graph;
        for input in &graph.node(node).inputs {
            let input = self.through(*input);
            // A value that a list is searched for is personal.
            let is_hidden = graph.node(input).grain > Grain::Statement || matches!(graph.node(input).op, Op::InList(_));
            if is_hidden || self.name(input).is_some() || self.parts.len() >= PARTS_MAX || !self.seen.insert(input) {
                continue;
            }
            self.collect(input, depth + 1);
            let is_computed = !graph.node(input).inputs.is_empty() && !matches!(graph.node(input).op, Op::Dated(_));
            if is_computed && let Some(text) = self.written(input, 0) {
                self.parts.push((text, input));
            }
        }
    }

    /// The node behind conversions and broadcasts, but not behind a node with a name.
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

    /// An expression in the rule language, if it is arithmetic.
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
            // A parameter's value of the day is shown among the parameters.
            Op::Int(_) | Op::Rational(_) | Op::Text(_) | Op::Boolean(_) | Op::Dated(_) => {
                Some(self.numbers.figure(node).text)
            }
            Op::Least => listed("LEAST"),
            Op::Greatest => listed("GREATEST"),
            Op::Coalesce => listed("COALESCE"),
            Op::Abs => listed("ABS"),
            Op::PrincipalFor(_) => listed("principal_for"),
            Op::Power => listed("power"),
            Op::Approximate(Approximate::Exp) => listed("exp"),
            Op::Approximate(Approximate::Ln) => listed("ln"),
            Op::Approximate(Approximate::Sqrt) => listed("sqrt"),
            Op::ToNumber => listed("to_number"),
            Op::Elapsed(Elapsed::Months) => listed("months_between"),
            Op::Elapsed(Elapsed::Years) => listed("years_between"),
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
