//! Payments, and clusters of payments of similar amounts.

use std::collections::HashMap;

use smallvec::SmallVec;

use super::ledger::{Ledger, is_within};

/// Fewest payments of a stream.
pub(super) const PAYMENTS_MIN: usize = 3;

/// A payment: one row, or several that are its parts.
#[derive(Clone, Debug)]
pub(super) struct Payment {
    pub(super) day: i32,
    pub(super) amount: i64,
    /// Most payments have one.
    pub(super) rows: SmallVec<[usize; 2]>,
}

/// A row as a payment.
pub(super) fn payment_of_row(ledger: &Ledger, row: usize) -> Payment {
    Payment { day: ledger.rows[row].day, amount: ledger.rows[row].amount, rows: SmallVec::from_slice(&[row]) }
}

/// Clusters payments by amount and returns their places. Neighbouring amounts differ by at most `thousandths`. The
/// largest clusters come first, each in order of time.
pub(super) fn cluster_by_amount(payments: &[Payment], thousandths: u32) -> Vec<Vec<usize>> {
    let sorted = by_amount(payments);
    let mut clusters: Vec<Vec<usize>> = Vec::new();
    for cluster in sorted.chunk_by(|one, other| is_within(other.0, one.0, thousandths)) {
        if cluster.len() >= PAYMENTS_MIN {
            let mut places: Vec<usize> = cluster.iter().map(|(_, at)| *at).collect();
            places.sort_unstable();
            clusters.push(places);
        }
    }
    clusters.sort_unstable_by_key(|cluster| (std::cmp::Reverse(cluster.len()), cluster[0]));
    clusters
}

/// From this many payments on, sorting the distinct amounts is faster than sorting all, because most amounts repeat.
const COUNTING_SORT_MIN: usize = 256;

/// The amounts with the places of their payments, in order.
pub(super) fn by_amount(payments: &[Payment]) -> Vec<(i64, usize)> {
    let places = payments.iter().enumerate().map(|(at, payment)| (payment.amount, at));
    if payments.len() < COUNTING_SORT_MIN {
        let mut sorted: Vec<(i64, usize)> = places.collect();
        sorted.sort_unstable();
        return sorted;
    }
    let mut counts: HashMap<i64, usize, foldhash::fast::RandomState> = HashMap::default();
    payments.iter().for_each(|payment| *counts.entry(payment.amount).or_default() += 1);
    let mut amounts: Vec<i64> = counts.keys().copied().collect();
    amounts.sort_unstable();
    // Turns each count into the place of the amount's first payment, then of its next ones.
    let mut next = 0;
    for amount in amounts {
        counts.entry(amount).and_modify(|count| next += std::mem::replace(count, next));
    }
    let mut sorted = vec![(0, 0); payments.len()];
    for (amount, at) in places {
        counts.entry(amount).and_modify(|place| {
            sorted[*place] = (amount, at);
            *place += 1;
        });
    }
    sorted
}
