//! Rows in folds: as many bad customers in each as can be, the same whatever order rows come in.

use std::collections::BTreeMap;

use super::input::Sample;

/// The fold of each of `rows`. A customer's rows are all in one fold. Customers with a bad row and those without are
/// dealt out apart, in an order drawn by the seed and the key.
pub(super) fn deal_into_folds(sample: &Sample, rows: &[u32], count: usize, seed: u64) -> Vec<usize> {
    let mut is_bad: BTreeMap<u64, bool> = BTreeMap::new();
    for row in rows {
        *is_bad.entry(sample.key(*row)).or_default() |= sample.is_bad(*row);
    }
    let mut order: Vec<(bool, u64, u64)> =
        is_bad.iter().map(|(key, is_bad)| (*is_bad, draw_number_for_key(*key, seed), *key)).collect();
    order.sort_unstable();
    // The good ones first: the bad ones go on where they end, so that folds differ by one customer at most.
    let fold: BTreeMap<u64, usize> =
        order.iter().enumerate().map(|(place, (_, _, key))| (*key, place % count.max(1))).collect();
    rows.iter().map(|row| fold.get(&sample.key(*row)).copied().unwrap_or(0)).collect()
}

/// A number drawn for a key: the finaliser of SplitMix64 (Steele, Lea and Flood 2014), twice.
fn draw_number_for_key(key: u64, seed: u64) -> u64 {
    fn mix(value: u64) -> u64 {
        let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ (value >> 31)
    }
    mix(mix(key.wrapping_add(0x9e37_79b9_7f4a_7c15)) ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// The rows of one fold, and the others.
pub(super) fn split_off_fold(rows: &[u32], folds: &[usize], fold: usize) -> (Vec<u32>, Vec<u32>) {
    let pairs = rows.iter().zip(folds);
    let (held, rest): (Vec<_>, Vec<_>) = pairs.partition(|(_, of)| **of == fold);
    let rows = |part: Vec<(&u32, &usize)>| part.into_iter().map(|(row, _)| *row).collect();
    (rows(held), rows(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn customers_stay_together_and_outcomes_are_even() {
        let key: Vec<u64> = (0..100).map(|row| row / 2).collect();
        let bad: Vec<bool> = (0..100).map(|row| row % 20 < 2).collect();
        let sample = Sample { bad, key, ..Sample::default() };
        let rows: Vec<u32> = (0..100).collect();
        let found = deal_into_folds(&sample, &rows, 5, 3);
        assert!((0..50).all(|pair| found[2 * pair] == found[2 * pair + 1]));
        for fold in 0..5 {
            let (held, rest) = split_off_fold(&rows, &found, fold);
            assert_eq!((held.len(), rest.len()), (20, 80));
            assert_eq!(held.iter().filter(|row| sample.is_bad(**row)).count(), 2);
        }
        assert_ne!(found, deal_into_folds(&sample, &rows, 5, 4));
        let back: Vec<u32> = rows.iter().rev().copied().collect();
        assert!(deal_into_folds(&sample, &back, 5, 3).iter().rev().eq(&found));
    }
}
