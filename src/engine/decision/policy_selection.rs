//! Selects the policy for each statement: the version of its day, the champion or the challenger of its customer.
//! Judges nothing.

use std::ops::Range;

use super::case::StatementCase;
use super::error::Error;
use super::request::Request;
use crate::engine::metrics::{Groups, StatementSlice, evaluate_keeping, evaluate_program};
use crate::rules::{Arm, Policy, PolicySet};
use crate::statement::Statements;

/// The values to keep after evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    /// Values of statements.
    Statements,
    /// Values of records and groups too.
    Everything,
}

/// Calls `work` with every statement of a range and its policy; results are in the order of the statements.
pub(super) fn each_case<T>(
    policies: &dyn PolicySet,
    statements: &Statements,
    range: Range<usize>,
    request: &Request,
    keep: Keep,
    mut work: impl FnMut(&StatementCase) -> T,
) -> Result<Vec<T>, Error> {
    let from = range.start;
    let slice = StatementSlice::new(policies, statements, range, request.as_of)?;
    let selected: Vec<(&Policy, Option<Arm>)> = (0..slice.heads.len())
        .map(|statement| {
            let customer = request.customer.as_deref().or(slice.heads[statement].customer.as_deref());
            policies.policy_for(slice.as_of[statement], customer)
        })
        .collect();
    let mut results: Vec<Option<T>> = selected.iter().map(|_| None).collect();
    for (first, (policy, _)) in selected.iter().enumerate() {
        if results[first].is_some() {
            continue;
        }
        let inputs = request.given_to(policy);
        let groups = Groups::new(&policy.program, &slice);
        let is_same = |statement: &usize| std::ptr::eq(selected[*statement].0, *policy);
        // The digest is cached. Its error is reported when the digest is read below.
        let digests = || (first..selected.len()).filter(is_same).for_each(|one| drop(statements.digest(from + one)));
        let evaluated = match keep {
            Keep::Statements => evaluate_program(&groups, &inputs.values, &digests)?,
            Keep::Everything => evaluate_keeping(&groups, &inputs.values)?,
        };
        for statement in (first..selected.len()).filter(is_same) {
            let (arm, slice, evaluated, inputs) = (selected[statement].1, &slice, &evaluated, &inputs);
            let digest = statements.digest(from + statement).map_err(crate::engine::metrics::Error::from)?;
            let case = StatementCase { policy, arm, slice, evaluated, request, inputs, plan: None, statement, digest };
            results[statement] = Some(work(&case));
        }
    }
    Ok(results.into_iter().flatten().collect())
}
