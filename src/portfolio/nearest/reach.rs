//! What follows from the metrics that may change: which requirements, whether the offers; and whether rules only
//! compare a metric with fixed numbers.

use crate::engine::decision::WithChanges;
use crate::portfolio::cutoff::{Cutoff, cutoffs_of_score};
use crate::rules::Policy;
use crate::rules::graph::{NodeId, Op};

/// Requirements and offers with the metrics that they follow from.
pub(super) struct Reach {
    /// The ids of the requirements, in order.
    ids: Vec<String>,
    /// For each requirement, and last for the offers: which metrics it follows from.
    goals: Vec<Vec<bool>>,
    /// For each metric whether rules compare it with fixed numbers only: values between two cut points are the same.
    pub(super) only_compared: Vec<bool>,
    /// The score that is needed, if the points of each metric add up by themselves.
    pub(super) cutoff: Option<Cutoff>,
}

impl Reach {
    pub(super) fn new(policy: &Policy, metrics: &[NodeId]) -> Reach {
        let program = &policy.program;
        let behind = |roots: &[NodeId]| {
            let seen = program.graph.behind(roots);
            metrics.iter().map(|node| seen[node.index()]).collect::<Vec<bool>>()
        };
        let requirements = program.requirements.iter();
        let goals =
            requirements.clone().map(|one| behind(&[one.when, one.asked.node])).chain([behind(&offer_roots(policy))]);
        let used = program.graph.behind(&program.judgement());
        Reach {
            ids: requirements.clone().map(|one| one.id.clone()).collect(),
            goals: goals.collect(),
            only_compared: metrics.iter().map(|node| is_only_compared(policy, *node, &used)).collect(),
            cutoff: cutoff_of_added_points(policy, metrics),
        }
    }

    /// The metrics that may help somebody with these reasons, directly or because another change makes them matter.
    /// `None` if nothing helps: some reason follows from no metric.
    pub(super) fn metrics_that_matter(&self, now: &WithChanges) -> Option<Vec<bool>> {
        let offers = self.goals.len() - 1;
        let mut asked = vec![false; self.goals.len()];
        for (id, _) in &now.reasons {
            let goal = match self.ids.iter().position(|known| known == id) {
                Some(requirement) => requirement,
                None if matches!(id.as_str(), "NO_OFFER" | "OFFER_UNKNOWN") => offers,
                // Dates of the policy and missing inputs.
                None => return None,
            };
            if !self.goals[goal].contains(&true) {
                return None;
            }
            asked[goal] = true;
        }
        // Offers are worked out where every requirement holds, so it is not known yet whether one would be made.
        asked[offers] = true;
        let mut matter = vec![false; self.only_compared.len()];
        loop {
            let goals = || self.goals.iter().zip(&asked).filter(|(_, asked)| **asked).map(|(goal, _)| goal);
            let more: Vec<bool> = (0..matter.len()).map(|metric| goals().any(|goal| goal[metric])).collect();
            if more == matter {
                return Some(matter);
            }
            matter = more;
            for (goal, asked) in self.goals.iter().zip(&mut asked) {
                *asked |= goal.iter().zip(&matter).any(|(follows, matters)| *follows && *matters);
            }
        }
    }

    /// The requirements that follow from one of these metrics alone, and from which.
    pub(super) fn requirements_of_one(&self, varied: &[bool]) -> Vec<(&str, usize)> {
        let mut found = Vec::new();
        for (id, goal) in self.ids.iter().zip(&self.goals) {
            let mut from = (0..varied.len()).filter(|metric| goal[*metric] && varied[*metric]);
            if let (Some(metric), None) = (from.next(), from.next()) {
                found.push((id.as_str(), metric));
            }
        }
        found
    }

    /// Whether a requirement follows from none of these metrics.
    pub(super) fn is_out_of_reach(&self, id: &str, varied: &[bool]) -> bool {
        let goal = self.ids.iter().position(|known| known == id).map(|at| &self.goals[at]);
        goal.is_some_and(|goal| !goal.iter().zip(varied).any(|(follows, varied)| *follows && *varied))
    }
}

/// The greatest cut-off of the score, if no item of it follows from two metrics.
fn cutoff_of_added_points(policy: &Policy, metrics: &[NodeId]) -> Option<Cutoff> {
    let adds_up = policy.program.score_items.iter().all(|item| {
        let behind = policy.program.graph.behind(&[item.on]);
        metrics.iter().filter(|metric| behind[metric.index()]).count() <= 1
    });
    let cutoffs = cutoffs_of_score(&policy.program).filter(|_| adds_up);
    cutoffs.max_by(|one, other| one.least.total_cmp(&other.least).then(one.is_above.cmp(&other.is_above)))
}

fn offer_roots(policy: &Policy) -> Vec<NodeId> {
    let mut roots = Vec::new();
    for offer in &policy.program.offers {
        roots.extend([offer.amount, offer.interest, offer.instalments]);
        roots.extend(offer.when.iter().chain(&offer.fee));
        roots.extend(offer.amount_steps.nodes());
    }
    roots
}

fn is_only_compared(policy: &Policy, metric: NodeId, used: &[bool]) -> bool {
    let program = &policy.program;
    let graph = &program.graph;
    let is_it = |node: NodeId| graph.carried(node) == graph.carried(metric);
    let is_fixed = |node: NodeId| matches!(graph.node(graph.carried(node)).op, Op::Int(_) | Op::Rational(_));
    let outputs = program.tables.iter().flat_map(|table| table.outputs.iter().map(|output| output.node));
    let conditions = program.requirements.iter().flat_map(|one| [one.when, one.asked.node]);
    let score = program.score.iter().map(|score| score.node);
    if offer_roots(policy).into_iter().chain(outputs).chain(conditions).chain(score).any(is_it) {
        return false;
    }
    graph.nodes().iter().enumerate().filter(|(at, _)| used[*at]).all(|(_, node)| {
        if !node.inputs.iter().any(|input| is_it(*input)) {
            return true;
        }
        match node.op {
            Op::Compare(_) => node.inputs.iter().all(|input| is_it(*input) || is_fixed(*input)),
            Op::ToRational | Op::ToFloat | Op::Points(_) | Op::Hit(_) | Op::IsNull | Op::Why => true,
            _ => false,
        }
    })
}
