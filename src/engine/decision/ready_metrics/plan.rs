//! Plans decisions on precomputed metrics, and decides row by row.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::rows::ReadyRows;
use crate::base::diagnostic::nearest_candidate;
use crate::engine::decision::case::StatementCase;
use crate::engine::decision::coverage::{CoveredPart, parts_reached_by};
use crate::engine::decision::error::{Error, ReadyError, wrong_metric};
use crate::engine::decision::record::Decision;
use crate::engine::decision::request::Request;
use crate::engine::metrics::{Groups, Plan, StatementSlice, evaluate_ready};
use crate::rules::{Policy, Type};

/// A policy prepared for rows with the same metrics. Preparing one costs about as much as a hundred decisions.
#[derive(Clone, Debug)]
pub struct ReadyPlan<'p> {
    pub(super) policy: &'p Policy,
    pub(super) plan: Plan,
    /// Name and type of each given metric.
    pub(super) given: Arc<[(String, Type)]>,
}

impl<'p> ReadyPlan<'p> {
    /// Plans for rows with the metrics `names`.
    ///
    /// # Errors
    /// If the policy has no such metric, or two names mean the same expression.
    pub fn new(policy: &'p Policy, names: &[&str]) -> Result<Self, ReadyError> {
        let metrics = &policy.program.metrics;
        let mut given = Vec::new();
        let mut nodes = Vec::new();
        for name in names {
            let Some(metric) = metrics.iter().find(|metric| metric.name == *name) else {
                let near = nearest_candidate(name, metrics.iter().map(|metric| metric.name.as_str()));
                let help = near.map_or("the policy has no metric of this name".to_owned(), |near| {
                    format!("did you mean `{near}`?")
                });
                return wrong_metric(name, help);
            };
            if let Some(at) = nodes.iter().position(|node| *node == metric.node) {
                let (other, _): &(String, Type) = &given[at];
                return wrong_metric(name, format!("it is the same expression as `{other}`; give one of them"));
            }
            nodes.push(metric.node);
            given.push((metric.name.clone(), policy.type_of(metric.node)));
        }
        let plan = Plan::new(&policy.program, nodes, policy.program.judgement());
        Ok(Self { policy, plan, given: given.into() })
    }

    /// No rows yet.
    pub fn rows(&self) -> ReadyRows {
        ReadyRows {
            types: self.given.clone(),
            heads: Vec::new(),
            digests: Vec::new(),
            columns: vec![Vec::new(); self.given.len()],
        }
    }

    /// Decides on every row, in order. `rows` must come from [`ReadyPlan::rows`] of this plan.
    ///
    /// # Errors
    /// If the rows are of another plan.
    pub fn decide(&self, rows: ReadyRows, request: &Request) -> Result<Vec<Decision>, Error> {
        self.each_case(rows, request, |case| case.decision())
    }

    /// The parts of the policy that each row's decision used.
    ///
    /// # Errors
    /// As [`ReadyPlan::decide`].
    pub fn reached(&self, rows: ReadyRows, request: &Request) -> Result<Vec<BTreeSet<CoveredPart>>, Error> {
        self.each_case(rows, request, parts_reached_by)
    }

    fn each_case<T>(
        &self,
        rows: ReadyRows,
        request: &Request,
        work: impl Fn(&StatementCase) -> T,
    ) -> Result<Vec<T>, Error> {
        if rows.types != self.given {
            return Err(crate::engine::metrics::Error::Internal("rows of another plan").into());
        }
        let slice = StatementSlice::without_records(&rows.heads, request.as_of);
        let groups = Groups::new(&self.policy.program, &slice);
        let inputs = request.given_to(self.policy);
        let evaluated = evaluate_ready(&groups, &self.plan, rows.columns, &inputs.values)?;
        let case = |statement, digest| StatementCase {
            policy: self.policy,
            arm: None,
            slice: &slice,
            evaluated: &evaluated,
            request,
            inputs: &inputs,
            plan: Some(&self.plan),
            statement,
            digest,
        };
        Ok(rows.digests.iter().enumerate().map(|(statement, digest)| work(&case(statement, *digest))).collect())
    }
}
