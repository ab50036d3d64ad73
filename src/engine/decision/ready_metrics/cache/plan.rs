//! Which values a policy needs that the cache does not have, and what they follow from. Evaluates nothing.

use std::collections::BTreeMap;

use super::{CacheError, MetricsCache};
use crate::engine::metrics::{Plan, needs_records};
use crate::rules::Policy;
use crate::rules::graph::{NodeId, Op};
use crate::rules::node_keys::{NodeKey, key_of, node_keys};
use crate::rules::program::Value;

/// How the wanted values follow from values that the cache has, or that its source has.
pub(super) struct Steps {
    pub plan: Plan,
    /// The values that are taken as they are, in the order of the plan.
    pub given: Vec<NodeKey>,
}

/// A policy with the key of each of its values.
pub(super) struct Keyed<'p> {
    pub policy: &'p Policy,
    pub keys: Vec<NodeKey>,
    /// For each node whether the source has its values.
    stored: Vec<bool>,
}

impl<'p> Keyed<'p> {
    pub(super) fn new(policy: &'p Policy, given: &BTreeMap<String, Value>, cache: &MetricsCache) -> Self {
        let keys = node_keys(policy, given);
        let stored = keys.iter().map(|key| cache.source.has(*key)).collect();
        Self { policy, keys, stored }
    }

    pub(super) fn key(&self, node: NodeId) -> NodeKey {
        key_of(&self.keys, node)
    }

    /// Plans how `roots` are computed, and loads the metrics that they need.
    pub(super) fn steps(&self, roots: &[NodeId], cache: &mut MetricsCache) -> Result<Steps, CacheError> {
        Ok(self.planned(roots, cache, None)?.0)
    }

    /// As [`Keyed::steps`], but only from what records give and from `taken`, which must have been computed, whatever
    /// else was. Also returns the values that are taken as they are.
    pub(super) fn steps_from_records(
        &self,
        roots: &[NodeId],
        taken: &[NodeId],
        cache: &mut MetricsCache,
    ) -> Result<(Steps, Vec<NodeId>), CacheError> {
        self.planned(roots, cache, Some(taken))
    }

    fn planned(
        &self,
        roots: &[NodeId],
        cache: &mut MetricsCache,
        taken: Option<&[NodeId]>,
    ) -> Result<(Steps, Vec<NodeId>), CacheError> {
        let nodes = self.policy.program.graph.nodes();
        let is_taken = |node: NodeId| taken.is_none_or(|taken| taken.contains(&node));
        let follows = self.follows(cache, &is_taken);
        let mut seen = vec![false; nodes.len()];
        let (mut given, mut load, mut missing) = (Vec::new(), Vec::new(), Vec::new());
        let mut stack: Vec<NodeId> = roots.iter().rev().copied().collect();
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut seen[node.index()], true) {
                continue;
            }
            let key = self.key(node);
            if is_taken(node) && cache.columns.contains_key(&key) {
                given.push(node);
            } else if !asks_records(self.policy, node) && self.inputs_follow(node, &follows) {
                stack.extend(nodes[node.index()].inputs.iter().rev());
            } else if self.stored[node.index()] {
                given.push(node);
                load.push((key, self.policy.type_of(node)));
            } else {
                missing.extend(self.missing(node, &follows));
            }
        }
        missing.sort();
        missing.dedup();
        if !missing.is_empty() {
            return Err(CacheError::NeedsRecords(missing));
        }
        cache.load(&load)?;
        let keys = given.iter().map(|node| self.key(*node)).collect();
        let plan = Plan::new(&self.policy.program, given.clone(), roots.iter().copied());
        Ok((Steps { plan, given: keys }, given))
    }

    /// For each node whether it follows from what the cache or its source has.
    fn follows(&self, cache: &MetricsCache, is_taken: &dyn Fn(NodeId) -> bool) -> Vec<bool> {
        let nodes = self.policy.program.graph.nodes();
        let mut follows = vec![false; nodes.len()];
        for index in 0..nodes.len() {
            let node = NodeId(index as u32);
            follows[index] = (is_taken(node) && cache.columns.contains_key(&self.key(node)))
                || self.stored[index]
                || (!asks_records(self.policy, node) && self.inputs_follow(node, &follows));
        }
        follows
    }

    fn inputs_follow(&self, node: NodeId, follows: &[bool]) -> bool {
        self.policy.program.graph.node(node).inputs.iter().all(|input| follows[input.index()])
    }

    /// The names of the metrics behind a value that does not follow; the value itself if none of them has a name.
    fn missing(&self, node: NodeId, follows: &[bool]) -> Vec<String> {
        let program = &self.policy.program;
        let named = |node: NodeId| program.metrics.iter().find(|metric| metric.node == node);
        let mut names = Vec::new();
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            match named(node) {
                Some(metric) => names.push(format!("`{}`", metric.name)),
                None if asks_records(self.policy, node) => names.push(self.describe(node)),
                None => {
                    let inputs = program.graph.node(node).inputs.iter();
                    stack.extend(inputs.filter(|input| !follows[input.index()]));
                }
            }
        }
        names
    }

    /// Where a value without a name stands.
    fn describe(&self, node: NodeId) -> String {
        let place = self.policy.program.places.aggregates.get(&node);
        let line = place.and_then(|span| {
            let source = self.policy.sources().get(*span)?;
            Some(format!("{}:{}", source.name, self.policy.sources().line_column(*span).0))
        });
        line.map_or("a value without a name".to_owned(), |line| format!("the value at {line}"))
    }
}

/// Whether only the statement gives the value. Why a value is unknown, a table of metrics does not say.
fn asks_records(policy: &Policy, node: NodeId) -> bool {
    let graph = &policy.program.graph;
    graph.node(node).op == Op::Why || needs_records(&policy.program, graph.node(node))
}

/// The values that a table must have, so that the policy and others like it can be judged from it: every metric that
/// only records give, and what judgements take from records without naming it.
pub(crate) fn stored_nodes(policy: &Policy) -> Vec<NodeId> {
    let nodes = policy.program.graph.nodes();
    let mut seen = vec![false; nodes.len()];
    let mut stored = Vec::new();
    let mut stack = policy.program.judgement();
    stack.extend(policy.program.metrics.iter().map(|metric| metric.node));
    while let Some(node) = stack.pop() {
        if std::mem::replace(&mut seen[node.index()], true) {
            continue;
        }
        match asks_records(policy, node) {
            true => stored.push(node),
            false => stack.extend(&nodes[node.index()].inputs),
        }
    }
    stored.sort_unstable();
    stored
}
