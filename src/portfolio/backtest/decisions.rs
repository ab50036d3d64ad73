//! Decisions on many customers, column by column.

use std::collections::HashMap;
use std::num::NonZeroI64;
use std::sync::Arc;

use crate::engine::decision::{Judgement, Outcome, ReasonBits};
use crate::engine::metrics::Bits;

/// The order of outcomes in tables.
pub const OUTCOMES: [Outcome; 3] = [Outcome::Offer, Outcome::Refer, Outcome::Decline];

/// What one policy decided on every customer.
#[derive(Clone, Debug)]
pub struct Decisions {
    /// The customers with each outcome, in the order of [`OUTCOMES`].
    pub(crate) outcomes: [Bits; 3],
    /// The greatest amount offered, in minor units.
    pub amounts: Arc<Vec<Option<NonZeroI64>>>,
    /// The tenure of that offer; 0 without one.
    pub tenures: Arc<Vec<u32>>,
    /// Reasons for no offer, in order.
    pub reasons: Arc<Vec<ReasonBits>>,
    /// For each reason the customers whose first it is, if that does not follow from the order of `reasons`.
    pub(crate) firsts: Option<Vec<Bits>>,
}

/// What was decided on one customer.
#[derive(Clone, Debug, PartialEq)]
pub struct DecidedRow {
    /// Offer, refer or decline.
    pub outcome: Outcome,
    /// The greatest amount offered, in minor units.
    pub amount: Option<i64>,
    /// The ids of the reasons, in the policy's order.
    pub reasons: Vec<String>,
}

impl Decisions {
    /// How many of so many customers have each outcome.
    pub fn count_outcomes(&self, rows: usize) -> Vec<(&'static str, u64)> {
        OUTCOMES
            .iter()
            .zip(&self.outcomes)
            .map(|(outcome, bits)| (outcome.word(), bits.count(0..rows) as u64))
            .collect()
    }

    /// How many of so many customers have each reason.
    pub fn count_reasons(&self, rows: usize) -> Vec<(String, u64)> {
        self.reasons.iter().map(|reason| (reason.id.clone(), reason.rows.count(0..rows) as u64)).collect()
    }

    /// From a judgement.
    pub fn new(judgement: &Judgement) -> Decisions {
        Decisions {
            outcomes: judgement.outcomes.clone(),
            amounts: judgement.amounts.clone(),
            tenures: judgement.tenures.clone(),
            reasons: judgement.reasons.clone(),
            firsts: None,
        }
    }

    /// From decisions one by one. Reasons are listed in the order in which they were first seen.
    pub fn from_rows(rows: &[DecidedRow]) -> Decisions {
        let mut reasons: Vec<ReasonBits> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        for (row, decided) in rows.iter().enumerate() {
            for id in &decided.reasons {
                let place = *places.entry(id).or_insert_with(|| {
                    let none = Bits::all(rows.len(), false);
                    let (rows, unknown) = (none.clone(), none);
                    reasons.push(ReasonBits { id: id.clone(), title: None, rows, unknown });
                    reasons.len() - 1
                });
                reasons[place].rows.set(row);
            }
        }
        let mut firsts = vec![Bits::all(rows.len(), false); reasons.len()];
        for (row, decided) in rows.iter().enumerate() {
            let first = decided.reasons.first().and_then(|id| places.get(id.as_str()));
            first.into_iter().for_each(|place| firsts[*place].set(row));
        }
        Decisions {
            outcomes: OUTCOMES.map(|wanted| Bits::from_fn(rows.len(), |row| rows[row].outcome == wanted)),
            amounts: Arc::new(rows.iter().map(|decided| decided.amount.and_then(NonZeroI64::new)).collect()),
            tenures: Arc::new(vec![0; rows.len()]),
            reasons: Arc::new(reasons),
            firsts: Some(firsts),
        }
    }

    /// How many customers there are.
    pub fn rows(&self) -> usize {
        self.amounts.len()
    }

    /// The outcome of a customer.
    pub fn outcome(&self, row: usize) -> Outcome {
        let mut outcomes = OUTCOMES.iter().zip(&self.outcomes);
        *outcomes.find(|(_, rows)| rows.get(row)).expect("INVARIANT: every customer has an outcome").0
    }

    /// The greatest amount offered to a customer, in minor units.
    pub fn amount(&self, row: usize) -> Option<i64> {
        self.amounts[row].map(NonZeroI64::get)
    }

    /// The ids of a customer's reasons, in order.
    pub fn reasons_of(&self, row: usize) -> Vec<String> {
        self.reasons.iter().filter(|reason| reason.rows.get(row)).map(|reason| reason.id.clone()).collect()
    }
}

/// The rows with another outcome.
pub fn rows_with_new_outcome(champion: &Decisions, challenger: &Decisions) -> Bits {
    let pairs = champion.outcomes.iter().zip(&challenger.outcomes);
    pairs.fold(Bits::all(champion.rows(), false), |moved, (before, after)| moved.or(&before.without(after)))
}
