//! What-if decisions: the outcome if some values were given. Evaluator and judgement are those for statements.

use super::case::StatementCase;
use super::error::Error;
use super::record::Outcome;
use super::request::{Inputs, Request};
use crate::base::date::Day;
use crate::base::digest::Digest;
use crate::engine::metrics::{Groups, Plan, Reason, StatementSlice, evaluate_ready};
use crate::rules::Policy;
use crate::rules::graph::NodeId;
use crate::rules::program::Value;
use crate::statement::Head;

/// The result of one supposition.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Supposed {
    /// The requested values; `None` if unknown.
    pub values: Vec<Option<Value>>,
    pub outcome: Outcome,
}

/// Decides on rows in which the nodes `given` have these values, column by column, as of a day. Also returns the values
/// of the nodes `asked`. The request is assumed to have every required input.
pub(crate) fn decide_with_given_values(
    policy: &Policy,
    given: Vec<NodeId>,
    columns: Vec<Vec<Result<Value, Reason>>>,
    asked: &[NodeId],
    day: Day,
) -> Result<Vec<Supposed>, Error> {
    let program = &policy.program;
    let rows = columns.first().map_or(0, Vec::len);
    let head = Head::without_records(None, "");
    let heads = vec![head; rows];
    let slice = StatementSlice::without_records(&heads, Some(day));
    let plan = Plan::new(program, given, program.judgement().into_iter().chain(asked.iter().copied()));
    let mut inputs = Inputs::default();
    policy.inputs().iter().for_each(|input| inputs.values.insert(input.path(), Value::Int(0)));
    let groups = Groups::new(program, &slice);
    let evaluated = evaluate_ready(&groups, &plan, columns, &inputs.values)?;
    let request = Request::default();
    let digest = Digest::compute(&[]);
    let one = |statement| {
        let case = StatementCase {
            policy,
            arm: None,
            slice: &slice,
            evaluated: &evaluated,
            request: &request,
            inputs: &inputs,
            plan: Some(&plan),
            statement,
            digest,
        };
        let values = asked.iter().map(|node| case.value(*node).ok()).collect();
        Supposed { values, outcome: case.outcome() }
    };
    Ok((0..rows).map(one).collect())
}

/// A day on which the policy is in force.
pub(crate) fn in_force(policy: &Policy) -> Day {
    policy.header.valid_from.or(policy.header.valid_to).unwrap_or(Day::from_days(0))
}
