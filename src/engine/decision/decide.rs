//! Decides on statements by a policy.

use std::collections::BTreeMap;
use std::ops::Range;

use rayon::prelude::*;

use super::case::StatementCase;
use super::counter_offer::counter_offer;
use super::error::Error;
use super::format;
use super::policy_selection::{self, Keep};
use super::record::{Decision, Digests, PolicyRecord};
use super::request::Request;
use super::request_scale;
use crate::base::engine::describe_engine;
use crate::engine::metrics::CoveredPeriod;
use crate::rules::PolicySet;
use crate::statement::{PeriodSource, Statements};

/// Decides on every statement, in their order. The same inputs give the same bytes on any number of threads.
///
/// ```
/// use lendwright::{Outcome, Request, decide, load_policies, read_json, reading};
///
/// let policies = load_policies("rules/starter.toml", &[])?;
/// let body = br#"{"status": "success", "data": {"transactions": []}}"#;
/// let statements = read_json(body, "reference 17", &reading(&policies))?;
/// let decisions = decide(&policies, &statements, &Request::default())?;
/// assert_eq!(decisions[0].outcome, Outcome::Decline);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the request names a customer and the statements are of several, or if the frame was not made by
/// [`crate::statement`].
pub fn decide(policies: &dyn PolicySet, statements: &Statements, request: &Request) -> Result<Vec<Decision>, Error> {
    let policy = policies.latest().header().name.as_str();
    let _span = tracing::debug_span!("decide", policy, statements = statements.len()).entered();
    if let Some(asked) = &request.customer {
        let mut named = statements.heads().iter().filter_map(|head| head.customer.as_ref());
        let first = named.next();
        if named.any(|customer| Some(customer) != first) {
            return Err(Error::SeveralCustomers { asked: asked.clone() });
        }
    }
    decide_in_morsels(statements, &|range| decide_range(policies, statements, range, request))
}

/// Decides on a range of the statements, on this thread.
pub(crate) fn decide_range(
    policies: &dyn PolicySet,
    statements: &Statements,
    range: Range<usize>,
    request: &Request,
) -> Result<Vec<Decision>, Error> {
    policy_selection::each_case(policies, statements, range, request, Keep::Statements, |case| case.decision())
}

/// Decides on parts of the statements, on all threads; decisions are in the order of the statements.
pub(crate) fn decide_in_morsels(
    statements: &Statements,
    decided: &(dyn Fn(Range<usize>) -> Result<Vec<Decision>, Error> + Sync),
) -> Result<Vec<Decision>, Error> {
    let morsels = crate::engine::metrics::cut_into_morsels(statements);
    // Not worth waking another thread.
    if let [one] = morsels.as_slice() {
        return decided(one.clone());
    }
    let all: Vec<Vec<Decision>> = morsels.into_par_iter().map(decided).collect::<Result<_, Error>>()?;
    Ok(all.into_iter().flatten().collect())
}

impl StatementCase<'_, '_> {
    /// The decision, with everything that its record keeps.
    pub(super) fn decision(&self) -> Decision {
        let (policy, program) = (self.policy, &self.policy.program);
        let head = &self.slice.heads[self.statement];
        let mut unknown = BTreeMap::new();
        let mut named = |name: &str, node| {
            let ty = policy.type_of(node);
            // Most are exact numbers, written as their nearest double.
            let double = self.evaluated.column(node).and_then(|column| column.double(self.statement));
            if let Some(double) = double.filter(|_| !ty.unit.is_iso()) {
                return (name.to_string(), double.into());
            }
            let value = self.value(node);
            if let Err(reason) = &value {
                unknown.insert(name.to_string(), reason.code(program));
            }
            (name.to_string(), format::value_or_null_as_json(ty, &value))
        };
        // In the order of the record, which saves sorting.
        let by_name = program.by_name.iter().map(|metric| &program.metrics[*metric]);
        let asked = by_name.filter(|metric| self.plan.is_none_or(|plan| plan.has(metric.node)));
        let metrics = asked.map(|metric| named(&metric.name, metric.node)).collect();
        let outputs = program.tables.iter().flat_map(|table| &table.outputs);
        let grade = outputs.map(|output| named(&output.name, output.node)).collect();
        let score = program.score.as_ref().and_then(|score| named("score", score.node).1.as_f64());
        let (outcome, reasons, offers) = self.judge();
        let counter_offer = counter_offer(self, &offers);
        let mut quality = head.quality.clone();
        quality.warnings.extend(self.evaluated.remarks(self.statement));
        let is_told = quality.period.is_some_and(|period| period.source != PeriodSource::Balances);
        let covered = self.slice.periods[self.statement].filter(|_| !is_told);
        quality.period = covered.map(CoveredPeriod::shown).or(quality.period);
        quality.warnings.extend(request_scale::warn_of_request_scale(self));
        Decision {
            customer: self.request.customer.clone().or_else(|| head.customer.clone()),
            statement: head.label.clone(),
            reference: head.reference.clone(),
            as_of: self.as_of(),
            as_of_given: !self.slice.is_last_day,
            policy: PolicyRecord::from_policy(policy),
            arm: self.arm,
            engine: describe_engine().to_owned(),
            outcome,
            reasons,
            score,
            points_lost: self.points_lost(),
            grade,
            metrics,
            unknown,
            quality,
            offers,
            counter_offer,
            request: self.inputs.given.clone(),
            parameters: policy.overrides.iter().cloned().collect(),
            digests: Digests { statement: self.digest, parameters: policy.parameters_digest },
        }
    }
}
