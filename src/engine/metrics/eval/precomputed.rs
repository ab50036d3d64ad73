//! Evaluates the rest of a program from metrics that are known already, without records. Nodes and operations are those
//! for statements. A node that would need a record is unknown.

use super::evaluate::{Columns, Evaluated, Run};
use crate::engine::metrics::Error;
use crate::engine::metrics::column::{CowColumn, Reason, from_values};
use crate::engine::metrics::source::{GivenInputs, Groups};
use crate::rules::graph::{Fact, Grain, Node, NodeId, Op};
use crate::rules::program::{Program, Value};

/// What to compute from given metrics, planned once for all rows with the same ones.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// The nodes to evaluate, in order.
    steps: Vec<EvalStep>,
    /// For each node of the graph the index of its values; past the last for nodes without.
    places: Vec<u32>,
    /// The metrics that are given.
    given: Vec<NodeId>,
}

#[derive(Clone, Copy, Debug)]
struct EvalStep {
    node: NodeId,
    /// It would need records, and so is unknown.
    cut: bool,
}

impl Plan {
    /// Plans how `roots` follow from the nodes `given`.
    pub(crate) fn new(program: &Program, given: Vec<NodeId>, roots: impl IntoIterator<Item = NodeId>) -> Self {
        let nodes = program.graph.nodes();
        let mut live = vec![false; nodes.len()];
        roots.into_iter().chain(given.iter().copied()).for_each(|root| live[root.index()] = true);
        let is_given = |index: usize| given.iter().any(|given| given.index() == index);
        let mut steps = Vec::new();
        for (index, node) in nodes.iter().enumerate().rev().filter(|(index, _)| !is_given(*index)) {
            if !live[index] {
                continue;
            }
            let cut = needs_records(program, node);
            if !cut {
                node.inputs.iter().for_each(|input| live[input.index()] = true);
            }
            steps.push(EvalStep { node: NodeId(index as u32), cut });
        }
        steps.reverse();
        let mut places = vec![u32::MAX; nodes.len()];
        for (place, node) in given.iter().copied().chain(steps.iter().map(|step| step.node)).enumerate() {
            places[node.index()] = place as u32;
        }
        Self { steps, places, given }
    }

    /// Whether the plan has a value for a node: given, or computed.
    pub(crate) fn has(&self, node: NodeId) -> bool {
        self.places[node.index()] != u32::MAX
    }
}

/// Whether it depends on the statement itself. The entries of a list come with the request.
pub(crate) fn needs_records(program: &Program, node: &Node) -> bool {
    if node.grain > Grain::Statement && !matches!(node.grain, Grain::Entry(_)) {
        return true;
    }
    match &node.op {
        Op::Aggregate { .. } => !matches!(program.graph.finest(&node.inputs), Grain::Entry(_)),
        Op::Column(_) | Op::GroupColumn(_) => true,
        Op::Mentions(_) | Op::Mentioned(_) | Op::Named(_) | Op::Mirrored => true,
        Op::Fact(fact) => !matches!(fact, Fact::AsOf | Fact::WindowEnd),
        _ => false,
    }
}

/// Evaluates the plan for statements without records; `given` has for each metric of the plan one value per statement.
pub(crate) fn evaluate_ready<'a>(
    groups: &'a Groups<'a>,
    plan: &'a Plan,
    given: Vec<Vec<Result<Value, Reason>>>,
    inputs: &GivenInputs,
) -> Result<Evaluated<'a>, Error> {
    let to_column =
        |(node, given): (&NodeId, _)| CowColumn::Owned(from_values(given, groups.program.graph.node(*node).ty.repr));
    let given = plan.given.iter().zip(given).map(to_column).collect();
    evaluate_columns(groups, plan, given, inputs)
}

/// As [`evaluate_ready`], for metrics that are columns already.
pub(crate) fn evaluate_columns<'a>(
    groups: &'a Groups<'a>,
    plan: &'a Plan,
    given: Vec<CowColumn<'a>>,
    inputs: &GivenInputs,
) -> Result<Evaluated<'a>, Error> {
    let Groups { program, slice, .. } = *groups;
    let mut values: Vec<Option<CowColumn<'a>>> = Vec::with_capacity(plan.given.len() + plan.steps.len());
    values.extend(given.into_iter().map(Some));
    let mut run = Run::new(groups, inputs, Columns { values, places: Some(&plan.places) });
    for step in &plan.steps {
        let node = program.graph.node(step.node);
        let column = match step.cut {
            true => from_values(vec![Err(Reason::NotGiven); slice.heads.len()], node.ty.repr),
            false => run.node(node)?,
        };
        run.columns.values.push(Some(CowColumn::Owned(column)));
    }
    Ok(run.into_evaluated())
}
