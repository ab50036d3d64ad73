//! Sorted values with their ties: what every rank statistic starts from.

use crate::portfolio::statistics::error::StatisticsError;

/// All rows with one value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tie {
    /// The value.
    pub(crate) value: f64,
    /// Rows that went bad.
    pub(crate) bad: u64,
    /// Rows that did not.
    pub(crate) good: u64,
}

impl Tie {
    /// Rows with this value.
    pub(crate) fn n(&self) -> u64 {
        self.bad + self.good
    }
}

/// Rows by value, lowest first, equal values together. `what` names the values in errors.
pub(crate) fn group_tied_values(what: &'static str, values: &[f64], bad: &[bool]) -> Result<Vec<Tie>, StatisticsError> {
    StatisticsError::same_length((what, values.len()), ("bad", bad.len()))?;
    refuse_nan(what, values)?;
    let keys = |wanted: bool| {
        let mut keys: Vec<u64> =
            values.iter().zip(bad).filter(|(_, bad)| **bad == wanted).map(|(value, _)| order_key(*value)).collect();
        keys.sort_unstable();
        keys
    };
    let (bads, goods) = (keys(true), keys(false));
    let (mut bads, mut goods) = (bads.into_iter().peekable(), goods.into_iter().peekable());
    let mut ties = Vec::new();
    while let Some(key) = lower_of_two_keys(bads.peek(), goods.peek()) {
        let mut tie = Tie { value: value_of(key), bad: 0, good: 0 };
        while bads.next_if_eq(&key).is_some() {
            tie.bad += 1;
        }
        while goods.next_if_eq(&key).is_some() {
            tie.good += 1;
        }
        ties.push(tie);
    }
    Ok(ties)
}

fn lower_of_two_keys(left: Option<&u64>, right: Option<&u64>) -> Option<u64> {
    match (left, right) {
        (Some(left), Some(right)) => Some(*left.min(right)),
        (one, other) => one.or(other).copied(),
    }
}

/// Refuses NaN, which has no rank.
pub(crate) fn refuse_nan(what: &'static str, values: &[f64]) -> Result<(), StatisticsError> {
    match values.iter().position(|value| value.is_nan()) {
        Some(row) => Err(StatisticsError::NotANumber { what, row }),
        None => Ok(()),
    }
}

const SIGN: u64 = 1 << 63;

/// A whole number that orders as the value does. Zero and minus zero are one value.
pub(crate) fn order_key(value: f64) -> u64 {
    let bits = (value + 0.0).to_bits();
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

/// The value with this key.
pub(crate) fn value_of(key: u64) -> f64 {
    f64::from_bits(if key & SIGN == 0 { !key } else { key & !SIGN })
}

/// A row with the key of its value; orders by key, then by row. One number, which sorts faster than a pair.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct KeyedRow(u128);

impl KeyedRow {
    pub(crate) fn new(key: u64, row: usize) -> KeyedRow {
        KeyedRow(u128::from(key) << 64 | row as u128)
    }

    /// The key of the value.
    pub(crate) fn key(self) -> u64 {
        (self.0 >> 64) as u64
    }

    /// The row.
    pub(crate) fn row(self) -> usize {
        self.0 as u64 as usize
    }
}

/// The band, from 0, of a tie with `below` rows below it and `size` rows of its own, among `n` rows in `bands` bands of
/// equal count. The middle of the tie decides: floor(bands x (below + size / 2) / n). A tie is never split, so that
/// bands may be unequal or empty where ties are large.
pub(crate) fn band_of(below: u64, size: u64, n: u64, bands: usize) -> usize {
    let middle = 2 * u128::from(below) + u128::from(size);
    let band = middle * bands as u128 / (2 * u128::from(n)).max(1);
    usize::try_from(band).unwrap_or(usize::MAX).min(bands.saturating_sub(1))
}

/// Evenly spaced places of `count`, at most `most` (2 or more), with the first and the last.
pub(crate) fn thin_evenly(count: usize, most: usize) -> impl Iterator<Item = usize> {
    let kept = count.min(most);
    (0..kept).map(move |place| match kept {
        0 | 1 => place,
        _ => (place as u128 * (count - 1) as u128 / (kept - 1) as u128) as usize,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_order_as_values_do() {
        let values = [f64::NEG_INFINITY, -1e300, -1.5, -f64::MIN_POSITIVE, 0.0, 5e-324, 1.0, f64::MAX, f64::INFINITY];
        for pair in values.windows(2) {
            assert!(order_key(pair[0]) < order_key(pair[1]));
        }
        assert_eq!(order_key(-0.0), order_key(0.0));
        assert!(values.iter().all(|value| value_of(order_key(*value)) == *value));
    }

    #[test]
    fn rows_sort_by_value_then_by_row() {
        let mut rows: Vec<_> = [2.0, 1.0, 2.0, -1.0].iter().map(|v| order_key(*v)).zip(0..).collect();
        rows.sort_unstable();
        let mut keyed: Vec<_> = rows.iter().rev().map(|(key, row)| KeyedRow::new(*key, *row)).collect();
        keyed.sort_unstable();
        assert_eq!(keyed.iter().map(|row| (row.key(), row.row())).collect::<Vec<_>>(), rows);
    }

    #[test]
    fn the_middle_of_a_tie_chooses_the_band() {
        let bands: Vec<_> = (0..10).map(|below| band_of(below, 1, 10, 5)).collect();
        assert_eq!(bands, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]);
        assert_eq!(band_of(0, 10, 10, 5), 2);
        assert_eq!(band_of(0, 0, 0, 5), 0);
    }

    #[test]
    fn thinning_keeps_both_ends() {
        assert_eq!(thin_evenly(11, 3).collect::<Vec<_>>(), [0, 5, 10]);
        assert_eq!(thin_evenly(2, 100).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(thin_evenly(1, 2).collect::<Vec<_>>(), [0]);
        assert_eq!(thin_evenly(0, 2).count(), 0);
    }
}
