//! Compares what shadows would have decided with what was answered, case by case, so that only the policies differ.
//! What became of loans is known only where a loan was made: of others, nothing is said.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::facts::DecisionFacts;
use crate::portfolio::statistics::{Level, Proportion};

/// The outcomes in the order of the tables.
pub const OUTCOME_WORDS: [&str; 3] = ["offer", "refer", "decline"];

/// One shadow and the answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShadowComparison {
    pub shadow: String,
    /// Name, version and digest of each policy that it was.
    pub policies: Vec<[String; 3]>,
    /// Applications that both decided.
    pub compared: u64,
    /// Applications on which the shadow made no decision because it failed.
    pub failed: u64,
    /// Applications between its first and its last that it did not decide: too many waited, or it was not running.
    pub missed: u64,
    /// Counts by the answer, then by the shadow, in the order of [`OUTCOME_WORDS`].
    pub outcomes: [[u64; 3]; 3],
    /// What both offered, by currency; in minor units.
    pub amounts: BTreeMap<String, OfferedAmounts>,
    /// By the id of a reason: in how many answers, and in how many decisions of the shadow.
    pub reasons: BTreeMap<String, [u64; 2]>,
    /// The reasons of the side that offers less, of applications with another outcome, and how often each counts.
    pub flips: BTreeMap<String, FlipCounts>,
    /// What became of loans that were made.
    pub loans: LoansCompared,
    pub days: Vec<ComparedDay>,
    /// Microseconds of the answers and of the shadow, in the middle and at the 99th percentile.
    pub took_us: [[i64; 2]; 2],
}

/// Amounts offered.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct OfferedAmounts {
    pub answered: i64,
    pub shadow: i64,
    /// Applications to which both offer, and how many of them get more and less by the shadow.
    pub both: u64,
    pub more: u64,
    pub less: u64,
}

/// How often a reason is given where one side offers less.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FlipCounts {
    /// The shadow offers less, for this reason.
    pub tightened: u64,
    /// The answer offered less, for this reason.
    pub loosened: u64,
}

/// Loans that followed from answers, by what the shadow says of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LoansCompared {
    pub kept: LoanCounts,
    /// The shadow offers nothing.
    pub given_up: LoanCounts,
}

/// Loans and how many went bad.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LoanCounts {
    pub known: u64,
    pub bad: u64,
}

impl LoanCounts {
    /// The bad rate with its interval of 95%; `None` without loans.
    pub fn bad_rate(&self) -> Option<(f64, f64, f64)> {
        let proportion = Proportion::new(self.bad, self.known).ok()?;
        let interval = proportion.wilson(Level::NINETY_FIVE)?;
        Some((proportion.rate()?, interval.low, interval.high))
    }

    fn count(&mut self, bad: bool) {
        self.known += 1;
        self.bad += u64::from(bad);
    }
}

/// A day of the comparison, in UTC.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ComparedDay {
    pub day: String,
    pub compared: u64,
    pub answered_offers: u64,
    pub shadow_offers: u64,
    /// Applications with another outcome.
    pub changed: u64,
}

/// Compares every shadow with the answers, by the shadows' names.
pub fn compare_shadows(decisions: &[DecisionFacts]) -> Vec<ShadowComparison> {
    let answers: HashMap<&str, &DecisionFacts> =
        decisions.iter().filter(|facts| facts.shadow.is_none()).map(|facts| (facts.id.as_str(), facts)).collect();
    let mut shadows: BTreeMap<&str, Vec<(&DecisionFacts, &DecisionFacts)>> = BTreeMap::new();
    for facts in decisions {
        // Without its answer, which was before the span, it is left out.
        let answer = facts.answer.as_deref().and_then(|id| answers.get(id));
        if let (Some(name), Some(answer)) = (&facts.shadow, answer) {
            shadows.entry(name).or_default().push((answer, facts));
        }
    }
    shadows.into_iter().map(|(name, pairs)| compare_one(name, &pairs, decisions)).collect()
}

fn compare_one(
    name: &str,
    pairs: &[(&DecisionFacts, &DecisionFacts)],
    decisions: &[DecisionFacts],
) -> ShadowComparison {
    let edges = pairs.first().zip(pairs.last()).map(|((first, _), (last, _))| (first.at, last.at));
    let within = decisions.iter().filter(|facts| facts.shadow.is_none());
    let within = within.filter(|facts| edges.is_some_and(|(from, to)| from <= facts.at && facts.at <= to)).count();
    let mut compared = ShadowComparison {
        shadow: name.to_owned(),
        policies: Vec::new(),
        compared: 0,
        failed: 0,
        missed: (within as u64).saturating_sub(pairs.len() as u64),
        outcomes: [[0; 3]; 3],
        amounts: BTreeMap::new(),
        reasons: BTreeMap::new(),
        flips: BTreeMap::new(),
        loans: LoansCompared::default(),
        days: Vec::new(),
        took_us: [[0; 2]; 2],
    };
    let mut days: BTreeMap<String, ComparedDay> = BTreeMap::new();
    let mut took = [Vec::new(), Vec::new()];
    for (answer, shadow) in pairs {
        if !compared.policies.contains(&shadow.policy) {
            compared.policies.push(shadow.policy.clone());
        }
        let (Some(before), Some(after)) = (place_of(&answer.outcome), place_of(&shadow.outcome)) else {
            compared.failed += 1;
            continue;
        };
        compared.count(answer, shadow, before, after);
        took[0].push(answer.took_us);
        took[1].push(shadow.took_us);
        let label = answer.day().map_or_else(String::new, |day| day.to_string());
        let day = days.entry(label.clone()).or_insert_with(|| ComparedDay { day: label, ..ComparedDay::default() });
        day.compared += 1;
        day.answered_offers += u64::from(before == 0);
        day.shadow_offers += u64::from(after == 0);
        day.changed += u64::from(before != after);
    }
    compared.days = days.into_values().collect();
    compared.took_us = took.map(|mut times| {
        times.sort_unstable();
        [0.5, 0.99].map(|share| nearest_rank(&times, share))
    });
    compared
}

impl ShadowComparison {
    fn count(&mut self, answer: &DecisionFacts, shadow: &DecisionFacts, before: usize, after: usize) {
        self.compared += 1;
        self.outcomes[before][after] += 1;
        for (side, facts) in [answer, shadow].into_iter().enumerate() {
            for reason in &facts.reasons {
                self.reasons.entry(reason.clone()).or_default()[side] += 1;
            }
        }
        // The worse side says why, by what the other one does not say.
        let [flips, others] = match after > before {
            true => [&shadow.reasons, &answer.reasons],
            false => [&answer.reasons, &shadow.reasons],
        };
        for reason in flips.iter().filter(|reason| before != after && !others.contains(reason)) {
            let counts = self.flips.entry(reason.clone()).or_default();
            match after > before {
                true => counts.tightened += 1,
                false => counts.loosened += 1,
            }
        }
        self.count_amounts(answer, shadow);
        if let Some(loan) = &answer.loan {
            match after == 0 {
                true => self.loans.kept.count(loan.bad),
                false => self.loans.given_up.count(loan.bad),
            }
        }
    }

    fn count_amounts(&mut self, answer: &DecisionFacts, shadow: &DecisionFacts) {
        for (side, facts) in [answer, shadow].into_iter().enumerate() {
            let Some((amount, currency)) = facts.amount_minor.zip(facts.currency.clone()) else { continue };
            let amounts = self.amounts.entry(currency).or_default();
            let sum = if side == 0 { &mut amounts.answered } else { &mut amounts.shadow };
            *sum = sum.saturating_add(amount);
        }
        let both = answer.amount_minor.zip(shadow.amount_minor);
        if let (Some((before, after)), Some(currency)) = (both, &answer.currency)
            && answer.currency == shadow.currency
        {
            let amounts = self.amounts.entry(currency.clone()).or_default();
            amounts.both += 1;
            amounts.more += u64::from(after > before);
            amounts.less += u64::from(after < before);
        }
    }
}

fn place_of(outcome: &str) -> Option<usize> {
    OUTCOME_WORDS.iter().position(|word| *word == outcome)
}

/// The value at this share of sorted values, the nearest rank; 0 without any.
pub(super) fn nearest_rank(sorted: &[i64], share: f64) -> i64 {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or_default()
}
