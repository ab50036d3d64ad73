//! Payments, and clusters of payments of similar amounts. Knows no days and no streams.

use std::collections::HashMap;

use smallvec::SmallVec;

use super::ledger::{Ledger, is_within};

/// Payments that a stream has at least.
pub(super) const LEAST: usize = 3;

/// What comes at once: one row, or the parts of one payment.
#[derive(Clone, Debug)]
pub(super) struct Payment {
    pub(super) day: i32,
    pub(super) amount: i64,
    /// Most have one.
    pub(super) rows: SmallVec<[usize; 2]>,
}

/// A row as a payment.
pub(super) fn single(ledger: &Ledger, row: usize) -> Payment {
    Payment { day: ledger.rows[row].day, amount: ledger.rows[row].amount, rows: SmallVec::from_slice(&[row]) }
}

/// The places of payments in clusters of amounts, none further from the next than so many thousandths; the greatest
/// clusters first, each in the order of time.
pub(super) fn alike(payments: &[Payment], thousandths: u32) -> Vec<Vec<usize>> {
    let sorted = by_amount(payments);
    let mut clusters: Vec<Vec<usize>> = Vec::new();
    for cluster in sorted.chunk_by(|one, other| is_within(other.0, one.0, thousandths)) {
        if cluster.len() >= LEAST {
            let mut places: Vec<usize> = cluster.iter().map(|(_, at)| *at).collect();
            places.sort_unstable();
            clusters.push(places);
        }
    }
    clusters.sort_unstable_by_key(|cluster| (std::cmp::Reverse(cluster.len()), cluster[0]));
    clusters
}

/// From so many payments on it is quicker to tell their amounts apart, which mostly come again and again, than to sort
/// all of them.
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
    // Where the first payment of each amount goes, and then where its next one does.
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
