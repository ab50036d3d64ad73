//! Which policy decides on which statement: the version of its day, the champion or the challenger of its customer. Judges
//! nothing.

use std::ops::Range;

use super::case::Case;
use super::error::Error;
use super::request::Request;
use crate::metrics::{Groups, StatementSlice, evaluate, evaluate_keeping};
use crate::rules::{Arm, Policy, PolicySet};
use crate::statement::Statements;

/// What is kept of the values behind the metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    /// Those of statements.
    Statements,
    /// Those of records and months too.
    Everything,
}

/// Hands every statement of a range, with the policy that decides on it, to `tell`; what it gives comes back in their order.
pub(super) fn each_case<T>(
    policies: &dyn PolicySet,
    statements: &Statements,
    range: Range<usize>,
    request: &Request,
    keep: Keep,
    mut tell: impl FnMut(&Case) -> T,
) -> Result<Vec<T>, Error> {
    let from = range.start;
    let slice = StatementSlice::new(statements, range, request.as_of)?;
    let picked: Vec<(&Policy, Option<Arm>)> = (0..slice.heads.len())
        .map(|statement| {
            let customer = request.customer.as_deref().or(slice.heads[statement].customer.as_deref());
            policies.picked(slice.as_of[statement], customer)
        })
        .collect();
    let mut told: Vec<Option<T>> = picked.iter().map(|_| None).collect();
    for (first, (policy, _)) in picked.iter().enumerate() {
        if told[first].is_some() {
            continue;
        }
        let inputs = request.given_to(policy);
        let groups = Groups::new(&policy.program, &slice);
        let is_same = |statement: &usize| std::ptr::eq(picked[*statement].0, *policy);
        // It is kept, and what is wrong is told when it is asked for.
        let digests = || (first..picked.len()).filter(is_same).for_each(|one| drop(statements.digest(from + one)));
        let evaluated = match keep {
            Keep::Statements => evaluate(&groups, &inputs.values, &digests)?,
            Keep::Everything => evaluate_keeping(&groups, &inputs.values)?,
        };
        for statement in (first..picked.len()).filter(is_same) {
            let (arm, slice, evaluated, inputs) = (picked[statement].1, &slice, &evaluated, &inputs);
            let digest = statements.digest(from + statement).map_err(crate::metrics::Error::from)?;
            let case = Case { policy, arm, slice, evaluated, request, inputs, plan: None, statement, digest };
            told[statement] = Some(tell(&case));
        }
    }
    Ok(told.into_iter().flatten().collect())
}
