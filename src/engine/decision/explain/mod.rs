//! How decisions came about, and where numbers come from, as data. Knows nothing of presentation. Decides nothing
//! again: everything is read from the values of the decision.

mod counted;
mod explanation;
mod judged;
mod near_misses;
mod numbers;
mod offered;
mod records;
mod rounding_bounds;
mod subexpressions;
mod summary;

pub use explanation::{
    Counted, CountedGroup, CountedGroups, CountedRecord, DayTotals, Due, Evidence, Explanation, Figure, ItemExplained,
    Making, Member, Named, NearMiss, Number, NumberKind, OfferExplained, Record, RequirementExplained, RowExplained,
    ScoreExplained, State, StatementSummary, Step, TableExplained,
};

use self::numbers::Numbers;
use self::records::Records;
use super::case::StatementCase;
use super::error::Error;
use super::policy_selection::{self, Keep};
use super::request::Request;
use crate::rules::{Policy, PolicySet};
use crate::statement::Statements;

/// How the decision on each statement came about.
///
/// # Errors
/// As [`super::decide`].
pub fn explain(
    policies: &dyn PolicySet,
    statements: &Statements,
    request: &Request,
) -> Result<Vec<Explanation>, Error> {
    each_case(policies, statements, request, explain_case)
}

/// Explains one case.
pub(super) fn explain_case(case: &StatementCase, records: &Records) -> Explanation {
    let mut numbers = Numbers::new(case, records);
    let requirements = judged::explain_requirements(&mut numbers);
    let score = judged::explain_score(&mut numbers);
    let tables = judged::explain_tables(&mut numbers);
    let offers = offered::explain_offers(&mut numbers);
    let days = numbers.days();
    let summary = summary::summarize_statement(&numbers, &days);
    let (numbers, records) = numbers.into_parts();
    let (decision, currency) = (case.decision(), case.policy.header().currency);
    let own_transfers = case.slice.heads[case.statement].transfers.clone();
    Explanation {
        decision,
        currency,
        requirements,
        score,
        tables,
        offers,
        numbers,
        records,
        days,
        summary,
        own_transfers,
    }
}

/// Where a metric of each statement comes from; `None` if the policy has no such metric.
///
/// # Errors
/// As [`super::decide`].
pub fn evidence(
    policies: &dyn PolicySet,
    statements: &Statements,
    request: &Request,
    metric: &str,
) -> Result<Option<Vec<Evidence>>, Error> {
    let has = |policy: &&Policy| policy.metrics().any(|(known, _)| known == metric);
    if !policies.policies().iter().any(has) {
        return Ok(None);
    }
    let all = each_case(policies, statements, request, |case, records| {
        let head = &case.slice.heads[case.statement];
        let header = case.policy.header();
        let mut numbers = Numbers::new(case, records);
        numbers.add_metric(metric);
        let (numbers, records) = numbers.into_parts();
        Evidence {
            customer: case.request.customer.clone().or_else(|| head.customer.clone()),
            statement: head.label.clone(),
            as_of: case.as_of(),
            currency: header.currency,
            policy: (header.name.clone(), header.version.clone()),
            metric: metric.to_owned(),
            numbers,
            records,
            own_transfers: head.transfers.clone(),
        }
    })?;
    Ok(Some(all))
}

/// Calls `work` with every statement, its policy and its records.
pub(super) fn each_case<T>(
    policies: &dyn PolicySet,
    statements: &Statements,
    request: &Request,
    mut work: impl FnMut(&StatementCase, &Records) -> T,
) -> Result<Vec<T>, Error> {
    let mut all = Vec::new();
    for range in crate::engine::metrics::cut_into_morsels(statements) {
        // Read from the frame once, for all of its statements.
        let mut records = None;
        let results = policy_selection::each_case(policies, statements, range, request, Keep::Everything, |case| {
            let records = match &mut records {
                Some(records) => records,
                none => {
                    none.insert(Records::from_frame(&case.slice.frame).map_err(crate::engine::metrics::Error::Frame)?)
                }
            };
            Ok(work(case, records))
        })?;
        all.extend(results.into_iter().collect::<Result<Vec<T>, Error>>()?);
    }
    Ok(all)
}
