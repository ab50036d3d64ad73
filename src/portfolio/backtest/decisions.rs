//! Decisions on many customers, column by column. Must not know where they come from.

use std::num::NonZeroI64;

use crate::decision::{Judgement, Outcome, ReasonBits};
use crate::metrics::Bits;

/// The order of outcomes in tables.
pub const OUTCOMES: [Outcome; 3] = [Outcome::Offer, Outcome::Refer, Outcome::Decline];

/// What one policy decided on every customer.
#[derive(Clone, Debug)]
pub struct Decisions {
    /// The customers with each outcome, in the order of [`OUTCOMES`].
    pub(crate) outcomes: [Bits; 3],
    /// The greatest amount offered, in minor units.
    pub amounts: Vec<Option<NonZeroI64>>,
    /// The tenure of that offer; 0 without one.
    pub tenures: Vec<u32>,
    /// Reasons for no offer, in order.
    pub reasons: Vec<ReasonBits>,
}

impl Decisions {
    /// From a judgement.
    pub fn new(judgement: &Judgement) -> Decisions {
        Decisions {
            outcomes: judgement.outcomes.clone(),
            amounts: judgement.amounts.clone(),
            tenures: judgement.tenures.clone(),
            reasons: judgement.reasons.clone(),
        }
    }

    /// How many customers there are.
    pub fn rows(&self) -> usize {
        self.amounts.len()
    }

    /// The outcome of a customer.
    pub fn outcome(&self, row: usize) -> Outcome {
        match OUTCOMES.iter().zip(&self.outcomes).find(|(_, rows)| rows.get(row)) {
            Some((outcome, _)) => *outcome,
            None => unreachable!("INVARIANT: every customer has an outcome"),
        }
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

/// Which customers have an outcome, and which of those are bad.
#[derive(Clone, Debug)]
pub struct KnownRows {
    /// Customers with an outcome.
    pub(crate) known: Bits,
    /// Of those, the bad ones.
    pub(crate) bad: Bits,
}

impl KnownRows {
    /// Nobody has an outcome.
    pub fn none(rows: usize) -> KnownRows {
        KnownRows { known: Bits::all(rows, false), bad: Bits::all(rows, false) }
    }

    /// Whether a customer is bad; `None` if nobody knows.
    pub fn bad(&self, row: usize) -> Option<bool> {
        self.known.get(row).then(|| self.bad.get(row))
    }
}
