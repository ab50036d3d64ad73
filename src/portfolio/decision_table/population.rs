//! A population of applications as it is watched: how many there are of each outcome and reason, and how values are
//! distributed. It comes from decisions that were made, or from a policy judged on a table of metrics.

use std::collections::BTreeMap;

use super::facts::DecisionFacts;
use crate::engine::decision::{Decision, MetricsCache};
use crate::portfolio::backtest::{Judged, list_distributions};

/// What is counted in a population, in the order of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CountedKind {
    Outcome,
    Reason,
    Arm,
    /// A metric that is not known, with the code of why.
    Unknown,
}

/// How many applications have something.
pub type CountsByName = BTreeMap<(CountedKind, String), u64>;

/// A population.
#[derive(Clone, Debug, Default)]
pub struct Population {
    pub size: u64,
    /// How many of them have a record: what is unknown, and values, are of these alone. Others were erased.
    pub recorded: u64,
    pub counts: CountsByName,
    /// Of each value, such as the score and the metrics, that of each application.
    pub values: BTreeMap<String, Vec<Option<f64>>>,
    /// What is not counted in it, because what it comes from does not say.
    pub lacks: Vec<CountedKind>,
}

impl Population {
    /// Counts a decision, and returns as what. Of one that was erased, only the facts are counted.
    pub fn add(&mut self, facts: &DecisionFacts, decision: Option<&Decision>) -> Vec<(CountedKind, String)> {
        let earlier = self.recorded as usize;
        self.size += 1;
        self.recorded += u64::from(decision.is_some());
        let counted = list_counted(facts, decision);
        for one in &counted {
            *self.counts.entry(one.clone()).or_default() += 1;
        }
        for (name, value) in decision.into_iter().flat_map(list_values) {
            let values = self.values.entry(name).or_default();
            values.resize(earlier, None);
            values.push(value);
        }
        let recorded = self.recorded as usize;
        self.values.values_mut().for_each(|values| values.resize(recorded, None));
        counted
    }

    /// Of how many applications a kind is known.
    pub fn size_of(&self, kind: CountedKind) -> u64 {
        if kind == CountedKind::Unknown { self.recorded } else { self.size }
    }

    /// The population that a policy was judged on.
    pub fn from_judged(judged: &Judged<'_>, cache: &MetricsCache) -> Population {
        let rows = cache.rows();
        let mut counts = CountsByName::new();
        for (word, count) in judged.decisions.count_outcomes(rows) {
            counts.insert((CountedKind::Outcome, word.to_owned()), count);
        }
        for (id, count) in judged.decisions.count_reasons(rows) {
            counts.insert((CountedKind::Reason, id), count);
        }
        let values = list_distributions(cache, judged).into_iter();
        let mut lacks = vec![CountedKind::Arm, CountedKind::Unknown];
        // Without what requests bring, the policy would have decided otherwise.
        if !judged.policy.inputs().is_empty() {
            lacks.extend([CountedKind::Outcome, CountedKind::Reason]);
        }
        Population { size: rows as u64, recorded: rows as u64, counts, values: values.collect(), lacks }
    }
}

/// What a decision counts as.
pub fn list_counted(facts: &DecisionFacts, decision: Option<&Decision>) -> Vec<(CountedKind, String)> {
    let mut counted = vec![(CountedKind::Outcome, facts.outcome.clone())];
    let mut reasons = facts.reasons.clone();
    reasons.sort_unstable();
    reasons.dedup();
    counted.extend(reasons.into_iter().map(|id| (CountedKind::Reason, id)));
    counted.extend(facts.arm.clone().map(|arm| (CountedKind::Arm, arm)));
    let unknown = decision.into_iter().flat_map(|decision| &decision.unknown);
    counted.extend(unknown.map(|(name, why)| (CountedKind::Unknown, format!("{name}: {why}"))));
    counted
}

/// The score and the metrics that are numbers.
fn list_values(decision: &Decision) -> Vec<(String, Option<f64>)> {
    let numbers = decision.metrics.iter().filter(|(_, value)| value.is_number() || value.is_null());
    let metrics = numbers.map(|(name, value)| (name.clone(), value.as_f64()));
    std::iter::once((SCORE.to_owned(), decision.score)).chain(metrics).collect()
}

/// The name of the score among the values.
pub const SCORE: &str = "score";
