//! The cut-off of a policy: the score that a requirement asks for, if it compares the score alone with a number.

use crate::rules::graph::{NodeId, Op};
use crate::rules::program::Program;
use crate::rules::{Binary, Effect};

/// A score that a requirement needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cutoff {
    pub least: f64,
    /// Whether the least itself is too little.
    pub is_above: bool,
}

impl Cutoff {
    /// Whether a score is enough.
    pub fn admits(self, score: f64) -> bool {
        if self.is_above { score > self.least } else { score >= self.least }
    }
}

/// The cut-offs of all requirements that are one, in order.
pub(super) fn cutoffs_of_score(program: &Program) -> impl Iterator<Item = Cutoff> {
    let score = program.score.as_ref().map(|score| score.node);
    let requirements = program.requirements.iter().filter(|requirement| requirement.otherwise > Effect::Pass);
    requirements.filter_map(move |requirement| cutoff_of_condition(program, requirement.when, score?))
}

fn cutoff_of_condition(program: &Program, when: NodeId, score: NodeId) -> Option<Cutoff> {
    let node = program.graph.node(when);
    let (Op::Compare(comparison @ (Binary::GreaterEqual | Binary::Greater)), [left, right]) =
        (&node.op, node.inputs.as_slice())
    else {
        return None;
    };
    if program.graph.carried(*left) != program.graph.carried(score) {
        return None;
    }
    let least = match &program.graph.node(program.graph.carried(*right)).op {
        Op::Int(value) => *value as f64,
        Op::Rational(value) => value.to_f64(),
        _ => return None,
    };
    Some(Cutoff { least, is_above: *comparison == Binary::Greater })
}
