//! Decides on statements that have requests of their own.

use super::decide::{decide_in_morsels, decide_range};
use super::{Decision, Error, Request};
use crate::rules::PolicySet;
use crate::statement::{Head, Statements};

/// As [`decide`](crate::decide), with a request for each statement.
pub(crate) fn decide_each<'r>(
    policies: &dyn PolicySet,
    statements: &Statements,
    request: &(dyn Fn(&Head) -> &'r Request + Sync),
) -> Result<Vec<Decision>, Error> {
    let requests: Vec<&Request> = statements.heads().iter().map(request).collect();
    decide_in_morsels(statements, &|range| {
        let (mut from, mut decisions) = (range.start, Vec::with_capacity(range.len()));
        // Nearly always one request for all of them.
        for same in requests.get(range).unwrap_or_default().chunk_by(|one, other| std::ptr::eq(*one, *other)) {
            let Some(request) = same.first() else { continue };
            let range = from..from + same.len();
            from = range.end;
            decisions.extend(decide_range(policies, statements, range, request)?);
        }
        Ok(decisions)
    })
}
