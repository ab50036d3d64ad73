//! Which values a policy needs that the cache does not have, and what they follow from. Evaluates nothing.

use std::collections::BTreeSet;

use super::{CacheError, MetricsCache};
use crate::engine::metrics::{GivenInputs, Plan, needs_records};
use crate::rules::graph::{Node, NodeId, Op};
use crate::rules::node_keys::{InputValues, NodeKey, key_of, key_of_input_by_customer, node_keys};
use crate::rules::{Input, InputSource, Policy};

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
    /// For each node whether it can only be taken from the source.
    asks_source: Vec<bool>,
    /// The paths of inputs of which each statement has its own value.
    by_customer: BTreeSet<String>,
}

impl<'p> Keyed<'p> {
    pub(super) fn new(policy: &'p Policy, given: &GivenInputs, cache: &MetricsCache) -> Self {
        let inputs = policy.inputs().iter().filter(|input| cache.has_input(&input.path()));
        let by_customer: BTreeSet<String> = inputs.map(Input::path).collect();
        let is_by_customer = |path: &str| by_customer.contains(path);
        let keys = node_keys(policy, InputValues { shared: given.values(), is_by_customer: &is_by_customer });
        let stored = keys.iter().map(|key| cache.has_stored(*key)).collect();
        let asks_source = |(index, node): (usize, &Node)| match input_of(policy, node) {
            Some(input) => {
                let path = input.path();
                is_by_customer(&path) || (input.source == InputSource::Given && !given.contains_key(&path))
            }
            None => asks_records(policy, NodeId(index as u32)),
        };
        let asks_source = policy.program.graph.nodes().iter().enumerate().map(asks_source).collect();
        Self { policy, keys, stored, asks_source, by_customer }
    }

    /// Whether each statement has its own value of an input.
    pub(super) fn is_by_customer(&self, path: &str) -> bool {
        self.by_customer.contains(path)
    }

    /// The inputs of which each statement has its own value, with their keys.
    pub(super) fn inputs_by_customer(&self) -> Vec<(&'p Input, NodeKey)> {
        let inputs = self.policy.inputs().iter().filter(|input| self.is_by_customer(&input.path()));
        inputs.map(|input| (input, key_of_input_by_customer(input))).collect()
    }

    /// Whether only the source gives the value.
    fn asks(&self, node: NodeId) -> bool {
        self.asks_source[node.index()]
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
        let (mut given, mut load, mut missing, mut not_given) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut stack: Vec<NodeId> = roots.iter().rev().copied().collect();
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut seen[node.index()], true) {
                continue;
            }
            let key = self.key(node);
            if is_taken(node) && cache.columns.contains_key(&key) {
                given.push(node);
            } else if !self.asks(node) && self.inputs_follow(node, &follows) {
                stack.extend(nodes[node.index()].inputs.iter().rev());
            } else if self.stored[node.index()] {
                given.push(node);
                load.push((key, self.policy.type_of(node)));
            } else {
                self.missing(node, &follows, &mut missing, &mut not_given);
            }
        }
        for (names, error) in [(not_given, CacheError::NotGiven as fn(_) -> _), (missing, CacheError::NeedsRecords)] {
            let names: Vec<String> = BTreeSet::from_iter(names).into_iter().collect();
            if !names.is_empty() {
                return Err(error(names));
            }
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
                || (!self.asks(node) && self.inputs_follow(node, &follows));
        }
        follows
    }

    fn inputs_follow(&self, node: NodeId, follows: &[bool]) -> bool {
        self.policy.program.graph.node(node).inputs.iter().all(|input| follows[input.index()])
    }

    /// The names of the metrics behind a value that does not follow; the value itself if none of them has a name. Given
    /// metrics are named apart.
    fn missing(&self, node: NodeId, follows: &[bool], missing: &mut Vec<String>, not_given: &mut Vec<String>) {
        let program = &self.policy.program;
        let named = |node: NodeId| program.metrics.iter().find(|metric| metric.node == node);
        let mut seen = BTreeSet::new();
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            if !seen.insert(node) {
                continue;
            }
            let below = || program.graph.node(node).inputs.iter().filter(|input| !follows[input.index()]);
            match (input_of(self.policy, program.graph.node(node)), named(node)) {
                (Some(input), _) => not_given.push(format!("`{}`", input.name)),
                // A metric that can be computed lacks what it follows from.
                (None, Some(metric)) if self.asks(node) || !self.lacks_given(node, follows) => {
                    missing.push(format!("`{}`", metric.name));
                }
                (None, None) if self.asks(node) => missing.push(self.describe(node)),
                (None, _) => stack.extend(below()),
            }
        }
    }

    /// Whether a given metric is behind a value that does not follow.
    fn lacks_given(&self, node: NodeId, follows: &[bool]) -> bool {
        let graph = &self.policy.program.graph;
        let (mut seen, mut stack) = (BTreeSet::new(), vec![node]);
        while let Some(node) = stack.pop() {
            if !follows[node.index()] && seen.insert(node) {
                if input_of(self.policy, graph.node(node)).is_some() {
                    return true;
                }
                stack.extend(&graph.node(node).inputs);
            }
        }
        false
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

/// The input that a node reads.
fn input_of<'p>(policy: &'p Policy, node: &Node) -> Option<&'p Input> {
    match node.op {
        Op::Input(index) => policy.program.inputs.get(index),
        _ => None,
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
