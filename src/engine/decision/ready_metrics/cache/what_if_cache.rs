//! Decides a statement again with some of its values changed: the whole judgement, by the engine. What follows from a
//! changed value follows anew.

use super::plan::{Keyed, Steps};
use super::{CacheError, MetricsCache, ROWS};
use crate::base::digest::Digest;
use crate::engine::decision::case::StatementCase;
use crate::engine::decision::record::Outcome;
use crate::engine::decision::request::{Inputs, Request};
use crate::engine::metrics::{CowColumn, Evaluated, Reason, StatementSlice, from_values};
use crate::rules::Policy;
use crate::rules::graph::NodeId;
use crate::rules::node_keys::NodeKey;
use crate::rules::program::Value;

/// A policy prepared to decide on changed values.
pub struct Supposing<'p> {
    policy: &'p Policy,
    request: Request,
    inputs: Inputs,
    steps: Steps,
    /// The values that are taken as they are, in the order of the plan.
    given: Vec<NodeId>,
    /// The required inputs of which each statement has its own value, by path.
    own_inputs: Vec<(String, NodeKey)>,
}

/// What was decided with changed values.
#[derive(Clone, Debug, PartialEq)]
pub struct WithChanges {
    pub outcome: Outcome,
    /// The greatest amount offered, in minor units, and its tenure.
    pub offer: Option<(i64, u32)>,
    /// The ids and texts of the reasons for no offer.
    pub reasons: Vec<(String, String)>,
    /// The score, where there is one and it is known.
    pub score: Option<f64>,
}

/// Values that replace those of a statement; `None` keeps the statement's own.
pub type Changed = Vec<Option<Value>>;

impl<'p> Supposing<'p> {
    /// Prepares a policy to decide on changes of some nodes.
    ///
    /// # Errors
    /// If it needs values that only records can give.
    pub fn new(
        cache: &mut MetricsCache,
        policy: &'p Policy,
        request: &Request,
        nodes: &[NodeId],
    ) -> Result<Self, CacheError> {
        let inputs = request.given_to(policy);
        let keyed = Keyed::new(policy, &inputs.values, cache);
        cache.compute(&keyed, nodes, &inputs)?;
        let (steps, given) = keyed.steps_from_records(&policy.program.judgement(), nodes, cache)?;
        let own: Vec<_> = keyed.inputs_by_customer().into_iter().filter(|(input, _)| input.required).collect();
        cache.load(&own.iter().map(|(input, key)| (*key, input.ty)).collect::<Vec<_>>())?;
        let own_inputs = own.into_iter().map(|(input, key)| (input.path(), key)).collect();
        Ok(Supposing { policy, request: request.clone(), inputs, steps, given, own_inputs })
    }

    /// Whether some rule looks at a value.
    pub fn looks_at(&self, node: NodeId) -> bool {
        self.given.contains(&node)
    }

    /// The value of a statement.
    pub fn value(&self, cache: &MetricsCache, node: NodeId, row: usize) -> Option<Value> {
        let at = self.given.iter().position(|given| *given == node)?;
        let column = cache.columns.get(&self.steps.given[at])?.get(row / ROWS)?;
        column.value(row % ROWS).ok()
    }

    /// Decides a statement once for each list of changes; `nodes` are what the changes are of.
    ///
    /// # Errors
    /// If the engine fails.
    pub fn decide(
        &self,
        cache: &MetricsCache,
        row: usize,
        nodes: &[NodeId],
        changes: &[Changed],
    ) -> Result<Vec<WithChanges>, CacheError> {
        let mut found = Vec::with_capacity(changes.len());
        for some in changes.chunks(ROWS) {
            self.decide_some(cache, row, nodes, some, &mut found)?;
        }
        Ok(found)
    }

    fn decide_some(
        &self,
        cache: &MetricsCache,
        row: usize,
        nodes: &[NodeId],
        changes: &[Changed],
        found: &mut Vec<WithChanges>,
    ) -> Result<(), CacheError> {
        let given = self.given.iter().zip(&self.steps.given).map(|(node, key)| {
            let column = &cache.columns[key][row / ROWS];
            let own = column.value(row % ROWS);
            let place = nodes.iter().position(|changed| changed == node);
            let value = |changed: &Changed| -> Result<Value, Reason> {
                place.and_then(|place| changed[place].clone()).map_or_else(|| own.clone(), Ok)
            };
            let repr = self.policy.type_of(*node).repr;
            let values: Vec<Result<Value, Reason>> = match place {
                // A single value serves every row.
                None => vec![own.clone()],
                Some(_) => changes.iter().map(value).collect(),
            };
            CowColumn::Owned(from_values(values, repr))
        });
        let days = vec![cache.days[row]; changes.len()];
        let mut inputs = self.inputs.clone();
        let own = |key: &NodeKey| cache.columns.get(key)?.get(row / ROWS)?.value(row % ROWS).ok();
        let own = self.own_inputs.iter().filter_map(|(path, key)| Some((path.clone(), own(key)?)));
        own.for_each(|(path, value)| inputs.values.insert(path, value));
        let parts = (self.policy, &self.steps, &inputs);
        cache.evaluate(parts, days, given.collect(), |evaluated, slice| {
            found.extend((0..changes.len()).map(|statement| self.decided(evaluated, slice, &inputs, statement)));
            Ok(())
        })?;
        Ok(())
    }

    fn decided(&self, evaluated: &Evaluated, slice: &StatementSlice, inputs: &Inputs, statement: usize) -> WithChanges {
        let case = StatementCase {
            policy: self.policy,
            arm: None,
            slice,
            evaluated,
            request: &self.request,
            inputs,
            plan: Some(&self.steps.plan),
            statement,
            // It only goes into ids of offers, which are not looked at.
            digest: Digest::compute(&[]),
        };
        let (outcome, reasons, offers) = case.judge();
        let score = self.policy.program.score.as_ref().and_then(|score| case.value(score.node).ok()?.float());
        let best = offers
            .iter()
            .map(|offer| &offer.offer)
            .reduce(|best, offer| if offer.amount_offered > best.amount_offered { offer } else { best });
        WithChanges {
            outcome,
            offer: best.map(|offer| (offer.amount_offered, offer.tenure)),
            reasons: reasons.into_iter().map(|reason| (reason.id, reason.text)).collect(),
            score,
        }
    }
}
