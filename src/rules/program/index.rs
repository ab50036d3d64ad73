//! An index from values to the rows of a table or the bins of a score that may match. For each input it has the values
//! at which some cell changes, and for each interval between them the matching rows as bits.

use std::cmp::Ordering;

use crate::rules::value::{Test, Value, compare_values};

/// Most words of bits for one input. Beyond this, neighbouring intervals share theirs.
const WORDS_MAX: usize = 1 << 20;

/// The rows of a table by the values of its inputs.
#[derive(Debug)]
pub(crate) struct Index {
    rows: usize,
    inputs: Vec<IntervalIndex>,
}

/// The tests of one input, with the values for which each passes.
#[derive(Debug)]
pub(crate) struct IntervalIndex {
    /// The values at which a test's result changes, ascending.
    breaks: Vec<Value>,
    /// How many intervals share one set of tests.
    shared: usize,
    /// Words of a set.
    words: usize,
    /// For each set, its tests as bits. The last set has those that may fit an unknown.
    bits: Vec<u64>,
}

impl Index {
    /// The index of rows, each given by its tests, with `inputs` cells each.
    pub(crate) fn new(rows: &[&[Test]], inputs: usize) -> Self {
        let of_input = |input: usize| {
            let tests: Vec<&Test> = rows.iter().map(|row| &row[input]).collect();
            IntervalIndex::new(&tests)
        };
        Self { rows: rows.len(), inputs: (0..inputs).map(of_input).collect() }
    }

    /// For each input, where its tests pass; `None` if that does not decide for every value which rows it fits.
    pub(crate) fn exact(&self) -> Option<Vec<&IntervalIndex>> {
        self.inputs.iter().map(|intervals| Some(intervals).filter(|intervals| intervals.is_exact())).collect()
    }

    /// Calls `visit` with every row that may fit `values`, ascending, until it returns something. The caller must still
    /// test each row.
    pub(crate) fn rows<T>(&self, values: &[Option<&Value>], visit: impl FnMut(usize) -> Option<T>) -> Option<T> {
        let sets = self.inputs.iter().zip(values).filter_map(|(input, value)| input.tests(*value));
        let sets: Vec<&[u64]> = sets.collect();
        each_of_all(&sets, self.rows, visit)
    }
}

/// Calls `visit` with each bit that is set in all sets, ascending, until it returns something. Without sets, visits
/// every bit.
pub(crate) fn each_of_all<T>(sets: &[&[u64]], count: usize, mut visit: impl FnMut(usize) -> Option<T>) -> Option<T> {
    for word in 0..count.div_ceil(64) {
        let all = if (word + 1) * 64 > count { !(!0 << (count % 64)) } else { !0u64 };
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

impl IntervalIndex {
    /// Where each of the tests passes.
    pub(crate) fn new(tests: &[&Test]) -> Self {
        let mut breaks = Vec::new();
        tests.iter().for_each(|test| collect_test_breaks(test, &mut breaks));
        breaks.sort_by(|left, right| compare_values(left, right).unwrap_or(Ordering::Equal));
        breaks.dedup_by(|left, right| compare_values(left, right) == Some(Ordering::Equal));
        let words = tests.len().div_ceil(64);
        // Before the first value, at it, between it and the next, ...
        let intervals = breaks.len() * 2 + 1;
        let shared = (intervals * words).div_ceil(WORDS_MAX).max(1);
        let sets = intervals.div_ceil(shared);
        let mut bits = vec![0u64; (sets + 1) * words];
        let expected = tests.iter().any(|test| test.expects_unknown());
        for (number, test) in tests.iter().enumerate() {
            let (word, bit) = (number / 64, 1u64 << (number % 64));
            for (from, to) in intervals_of(test, &breaks) {
                for set in from / shared..=to / shared {
                    bits[set * words + word] |= bit;
                }
            }
            if test.passes(None).unwrap_or(!expected) {
                bits[sets * words + word] |= bit;
            }
        }
        Self { breaks, shared, words, bits }
    }

    /// Whether each set has only tests that all of its values pass.
    pub(crate) fn is_exact(&self) -> bool {
        self.shared == 1
    }

    /// The values at which a test's result changes.
    pub(crate) fn breaks(&self) -> &[Value] {
        &self.breaks
    }

    /// All sets, one after another, and the words of each. The last is for unknowns.
    pub(crate) fn sets(&self) -> (&[u64], usize) {
        (&self.bits, self.words)
    }

    /// The interval of a value: two for each break below it, plus one if it equals the next break. `None` for a value
    /// of another kind than the tests, which has no order.
    pub(crate) fn interval(&self, value: &Value) -> Option<usize> {
        let below = self.breaks.partition_point(|end| compare_values(end, value) == Some(Ordering::Less));
        match self.breaks.get(below).map(|end| compare_values(end, value)) {
            Some(Some(Ordering::Equal)) => Some(below * 2 + 1),
            Some(None) => None,
            _ => Some(below * 2),
        }
    }

    /// The tests that a value may pass, as bits; `None` where it may be any.
    fn tests(&self, value: Option<&Value>) -> Option<&[u64]> {
        let set = match value {
            Some(value) => self.interval(value)? / self.shared,
            None => (self.bits.len() / self.words.max(1)).saturating_sub(1),
        };
        Some(&self.bits[set * self.words..(set + 1) * self.words])
    }
}

/// The values at which the test's result changes.
fn collect_test_breaks(test: &Test, breaks: &mut Vec<Value>) {
    match test {
        Test::Anything | Test::Unknown => {}
        Test::Equal(value) => breaks.push(value.clone()),
        Test::Range(low, high) => {
            breaks.extend(low.iter().map(|(value, _)| value.clone()));
            breaks.extend(high.iter().map(|(value, _)| value.clone()));
        }
        Test::OneOf(tests) => tests.iter().for_each(|test| collect_test_breaks(test, breaks)),
        Test::Not(test) => collect_test_breaks(test, breaks),
    }
}

/// The intervals in which the test passes, both ends included.
fn intervals_of(test: &Test, breaks: &[Value]) -> Vec<(usize, usize)> {
    let last = breaks.len() * 2;
    let place =
        |value: &Value| breaks.partition_point(|end| compare_values(end, value) == Some(Ordering::Less)) * 2 + 1;
    match test {
        Test::Anything => vec![(0, last)],
        Test::Unknown => Vec::new(),
        Test::Equal(value) => vec![(place(value), place(value))],
        Test::Range(low, high) => {
            let from = low.as_ref().map_or(0, |(value, closed)| place(value) + usize::from(!closed));
            let to = high.as_ref().map_or(last, |(value, closed)| place(value) - usize::from(!closed));
            if from <= to { vec![(from, to)] } else { Vec::new() }
        }
        Test::OneOf(tests) => tests.iter().flat_map(|test| intervals_of(test, breaks)).collect(),
        Test::Not(test) => {
            let mut inside = intervals_of(test, breaks);
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
