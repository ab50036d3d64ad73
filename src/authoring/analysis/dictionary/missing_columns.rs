//! Which values are never known for a statement without debits, balances or narrations. Sound in one direction: a value
//! found here is unknown there, but other values may be unknown too.

use crate::rules::graph::{Fact, Grain, Needs, Node, Op};
use crate::rules::program::Program;

/// For each node, whether it is unknown for every statement without these columns.
pub(in crate::authoring::analysis) fn never_known(program: &Program, lacks: Needs) -> Vec<bool> {
    let mut all: Vec<Lacking> = Vec::with_capacity(program.graph.nodes().len());
    for node in program.graph.nodes() {
        let found = of_node(program, node, lacks, &all);
        all.push(found);
    }
    all.into_iter().map(|lacking| lacking.unknown).collect()
}

#[derive(Clone, Copy, Default)]
struct Lacking {
    unknown: bool,
    /// A condition that never holds there, known or not.
    fails: bool,
}

fn of_node(program: &Program, node: &Node, lacks: Needs, all: &[Lacking]) -> Lacking {
    let graph = &program.graph;
    let inputs = || node.inputs.iter().map(|input| all[input.index()]);
    let unknown = |unknown: bool| Lacking { unknown, fails: unknown };
    match &node.op {
        Op::Aggregate { .. } if node.grain <= Grain::Statement => {
            let sources = || node.inputs.iter().map(|input| graph.node(*input));
            let asked = sources().flat_map(|source| &source.spreads).any(|asked| all[asked.index()].unknown);
            unknown(asked || sources().any(|source| source.needs.meets(lacks)) || inputs().any(|input| input.unknown))
        }
        // Finer values are skipped, because each has its own needs.
        _ if node.grain > Grain::Statement => Lacking::default(),
        Op::Fact(fact) => {
            let fails = (*fact == Fact::HasDebit && lacks.debit) || (*fact == Fact::HasBalance && lacks.balance);
            Lacking { unknown: false, fails }
        }
        Op::IsBoolean(true) => Lacking { unknown: false, fails: inputs().any(|input| input.fails) },
        Op::Spread => all[node.inputs[0].index()],
        Op::And => {
            let both = inputs().all(|input| input.unknown);
            Lacking { unknown: both, fails: inputs().any(|input| input.fails) }
        }
        Op::Or => Lacking { unknown: inputs().all(|input| input.unknown), fails: inputs().all(|input| input.fails) },
        Op::Coalesce => unknown(inputs().all(|input| input.unknown)),
        Op::Choose => {
            let arms = node.inputs.chunks_exact(2);
            let known = |index: usize| !all[index].unknown;
            let otherwise = arms.remainder().iter().any(|otherwise| known(otherwise.index()));
            let mut arms = arms.filter(|arm| !all[arm[0].index()].fails);
            unknown(!otherwise && arms.all(|arm| !known(arm[1].index())))
        }
        Op::ToRational
        | Op::ToFloat
        | Op::Negate
        | Op::Abs
        | Op::Not
        | Op::Arithmetic(_)
        | Op::Compare(_)
        | Op::Least
        | Op::Greatest => unknown(inputs().any(|input| input.unknown)),
        // Without the day of the decision it may be known all the same.
        Op::InList(_) => unknown(inputs().take(1).any(|input| input.unknown)),
        Op::Approximate(_) | Op::Elapsed(_) => unknown(inputs().any(|input| input.unknown)),
        Op::Letters(_) | Op::Substring | Op::Replace | Op::ToNumber | Op::HasText(_) => {
            unknown(inputs().any(|input| input.unknown))
        }
        Op::Power | Op::Round(_) | Op::NeedsMonths(_) | Op::DatePart(_) | Op::AddMonths | Op::ToText(_) => {
            unknown(inputs().any(|input| input.unknown))
        }
        _ => Lacking::default(),
    }
}
