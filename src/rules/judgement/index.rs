//! Which rows of a long table a value may fit, found without looking at each row: for each input the values at which some
//! cell changes its mind, and for each stretch between two of them the rows that fit there, as bits. Knows no columns of data.

use std::cmp::Ordering;

use crate::rules::program::{Row, Test, Value, compare};

/// Shorter tables are read row by row.
const ROWS_MIN: usize = 24;
/// Words of bits that one input may take; beyond it neighbouring stretches share theirs.
const WORDS_MAX: usize = 1 << 20;
/// Above this, whole numbers and decimals are no longer ordered together.
const EXACT: i64 = 1 << 53;

/// The rows of a table by the values of its inputs.
#[derive(Debug)]
pub(crate) struct Index {
    rows: usize,
    /// `None` for an input whose cells cannot be ordered.
    columns: Vec<Option<Column>>,
}

#[derive(Debug)]
struct Column {
    /// Values at which a cell begins or ends, ascending.
    breaks: Vec<Value>,
    /// How many stretches share one set of rows.
    shared: usize,
    /// For each set, its rows as bits.
    bits: Vec<u64>,
    /// The rows that may fit an unknown.
    unknown: Vec<u64>,
}

impl Index {
    /// The index of `rows` with `inputs` cells each; `None` where reading them one by one is as good.
    pub(crate) fn new(rows: &[Row], inputs: usize) -> Option<Self> {
        if rows.len() < ROWS_MIN {
            return None;
        }
        let columns = (0..inputs).map(|input| Column::new(rows, input)).collect();
        Some(Self { rows: rows.len(), columns })
    }

    /// Calls `visit` with every row that may fit `values`, ascending, until it gives something. Each must still be looked at.
    pub(crate) fn rows<T>(&self, values: &[Option<&Value>], mut visit: impl FnMut(usize) -> Option<T>) -> Option<T> {
        let sets: Vec<&[u64]> =
            self.columns.iter().zip(values).filter_map(|(column, value)| column.as_ref()?.rows(*value)).collect();
        for word in 0..self.rows.div_ceil(64) {
            let all = if (word + 1) * 64 > self.rows { !(!0 << (self.rows % 64)) } else { !0u64 };
            let mut left = sets.iter().fold(all, |left, set| left & set[word]);
            while left != 0 {
                if let Some(found) = visit(word * 64 + left.trailing_zeros() as usize) {
                    return Some(found);
                }
                left &= left - 1;
            }
        }
        None
    }
}

impl Column {
    fn new(rows: &[Row], input: usize) -> Option<Self> {
        let mut breaks = Vec::new();
        rows.iter().for_each(|row| ends(&row.tests[input], &mut breaks));
        let mixed = breaks.iter().any(|value| matches!(value, Value::Float(_)));
        let far = |value: &Value| value.int().is_some_and(|value| !(-EXACT..=EXACT).contains(&value));
        if mixed && breaks.iter().any(far) {
            return None;
        }
        breaks.sort_by(|left, right| compare(left, right).unwrap_or(Ordering::Equal));
        breaks.dedup_by(|left, right| compare(left, right) == Some(Ordering::Equal));
        let words = rows.len().div_ceil(64);
        // Before the first value, at it, between it and the next, ...
        let stretches = breaks.len() * 2 + 1;
        let shared = (stretches * words).div_ceil(WORDS_MAX).max(1);
        let mut bits = vec![0u64; stretches.div_ceil(shared) * words];
        let mut unknown = vec![0u64; words];
        let expected = rows.iter().any(|row| row.tests[input].expects_unknown());
        for (number, row) in rows.iter().enumerate() {
            let (word, bit) = (number / 64, 1u64 << (number % 64));
            for (from, to) in stretches_of(&row.tests[input], &breaks) {
                for set in from / shared..=to / shared {
                    bits[set * words + word] |= bit;
                }
            }
            if row.tests[input].passes(None).unwrap_or(!expected) {
                unknown[word] |= bit;
            }
        }
        Some(Self { breaks, shared, bits, unknown })
    }

    /// The rows that may fit a value, as bits; `None` where any may.
    fn rows(&self, value: Option<&Value>) -> Option<&[u64]> {
        let Some(value) = value else { return Some(&self.unknown) };
        let below = self.breaks.partition_point(|end| compare(end, value) == Some(Ordering::Less));
        let at = match self.breaks.get(below).map(|end| compare(end, value)) {
            Some(Some(Ordering::Equal)) => below * 2 + 1,
            // Of another kind than the cells: no order to go by.
            Some(None) => return None,
            _ => below * 2,
        };
        let words = self.unknown.len();
        let set = at / self.shared * words;
        Some(&self.bits[set..set + words])
    }
}

/// The values at which the test changes its mind.
fn ends(test: &Test, breaks: &mut Vec<Value>) {
    match test {
        Test::Anything | Test::Unknown => {}
        Test::Equal(value) => breaks.push(value.clone()),
        Test::Range(low, high) => {
            breaks.extend(low.iter().map(|(value, _)| value.clone()));
            breaks.extend(high.iter().map(|(value, _)| value.clone()));
        }
        Test::OneOf(tests) => tests.iter().for_each(|test| ends(test, breaks)),
        Test::Not(test) => ends(test, breaks),
    }
}

/// The stretches in which the test passes, from and to, both belonging.
fn stretches_of(test: &Test, breaks: &[Value]) -> Vec<(usize, usize)> {
    let last = breaks.len() * 2;
    let place = |value: &Value| breaks.partition_point(|end| compare(end, value) == Some(Ordering::Less)) * 2 + 1;
    match test {
        Test::Anything => vec![(0, last)],
        Test::Unknown => Vec::new(),
        Test::Equal(value) => vec![(place(value), place(value))],
        Test::Range(low, high) => {
            let from = low.as_ref().map_or(0, |(value, closed)| place(value) + usize::from(!closed));
            let to = high.as_ref().map_or(last, |(value, closed)| place(value) - usize::from(!closed));
            if from <= to { vec![(from, to)] } else { Vec::new() }
        }
        Test::OneOf(tests) => tests.iter().flat_map(|test| stretches_of(test, breaks)).collect(),
        Test::Not(test) => {
            let mut inside = stretches_of(test, breaks);
            inside.sort_unstable();
            let mut outside = Vec::new();
            let mut next = 0;
            for (from, to) in inside {
                if from > next {
                    outside.push((next, from - 1));
                }
                next = next.max(to + 1);
            }
            if next <= last {
                outside.push((next, last));
            }
            outside
        }
    }
}
