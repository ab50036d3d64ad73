//! Truth values of rows, 64 per word. Knows neither columns nor statements.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use fearless_simd::{Level, dispatch};

use super::{Few, collect_few};
use crate::base::text_search::ascii_words::set_bits;

/// The widest instructions of this processor, detected at run time.
static LEVEL: LazyLock<Level> = LazyLock::new(Level::new);

/// One bit per row. Bits past the last row are not set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bits {
    words: Few<u64>,
    rows: usize,
}

const WORD: usize = u64::BITS as usize;

impl Bits {
    /// The same for every row.
    pub(crate) fn all(rows: usize, truth: bool) -> Self {
        Self { words: Few::from_elem(if truth { u64::MAX } else { 0 }, rows.div_ceil(WORD)), rows }.trimmed()
    }

    /// Calls `truth` for each row.
    pub(crate) fn from_fn(rows: usize, truth: impl Fn(usize) -> bool) -> Self {
        let word = |start: usize| {
            let rows = (rows - start).min(WORD);
            (0..rows).fold(0, |word, bit| word | u64::from(truth(start + bit)) << bit)
        };
        Self { words: collect_few((0..rows.div_ceil(WORD)).map(|at| word(at * WORD))), rows }
    }

    /// Calls `truth` for each value.
    #[inline]
    pub(crate) fn from_values<T: Copy>(values: &[T], truth: impl Fn(T) -> bool) -> Self {
        let rows = values.len();
        // Dispatching does not pay for few values.
        let words = match rows < WORD {
            true => words_of(values, truth),
            false => dispatch!(*LEVEL, _ => words_of(values, &truth)),
        };
        Self { words, rows }
    }

    /// Calls `truth` for each pair of values.
    #[inline]
    pub(crate) fn from_pairs<A: Copy, B: Copy>(left: &[A], right: &[B], truth: impl Fn(A, B) -> bool) -> Self {
        let rows = left.len().min(right.len());
        Self { words: dispatch!(*LEVEL, _ => words_of_pairs(&left[..rows], &right[..rows], &truth)), rows }
    }

    /// Transposes masks: for each of `count` bits, the lowest first, the rows whose mask has it set.
    pub(crate) fn by_bit(masks: &[u128], count: usize) -> Vec<Self> {
        let mut all: Vec<Few<u64>> = (0..count).map(|_| Few::with_capacity(masks.len().div_ceil(WORD))).collect();
        for masks in masks.chunks(WORD) {
            let mut words = [0_u64; u128::BITS as usize];
            for (row, mask) in masks.iter().enumerate() {
                for (half, from) in [(*mask as u64, 0), ((*mask >> WORD) as u64, WORD)] {
                    set_bits(half).for_each(|bit| words[from + bit] |= 1 << row);
                }
            }
            all.iter_mut().zip(words).for_each(|(bits, word)| bits.push(word));
        }
        all.into_iter().map(|words| Self::from_raw(words, masks.len())).collect()
    }

    /// The bits of these rows; false for a row past the last.
    pub(crate) fn gather(&self, rows: &[u32]) -> Self {
        let words = self.words.as_slice();
        let word = |row: u32| words.get(row as usize / WORD).copied().unwrap_or(0);
        Self::from_values(rows, |row| word(row) >> (row as usize % WORD) & 1 == 1)
    }

    /// From words. Bits past the last row are cleared.
    pub(crate) fn from_raw(words: Few<u64>, rows: usize) -> Self {
        Self { words, rows }.trimmed()
    }

    fn trimmed(mut self) -> Self {
        if let (Some(last), 1..) = (self.words.last_mut(), self.rows % WORD) {
            *last &= (1 << (self.rows % WORD)) - 1;
        }
        self
    }

    /// Appends rows. The existing rows must fill whole words.
    pub(crate) fn append(&mut self, mut more: Self) {
        debug_assert!(self.rows.is_multiple_of(WORD));
        self.words.append(&mut more.words);
        self.rows += more.rows;
    }

    /// 64 rows each; bits past the last row are not set.
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    pub(crate) fn len(&self) -> usize {
        self.rows
    }

    #[inline]
    pub(crate) fn get(&self, row: usize) -> bool {
        self.words[row / WORD] >> (row % WORD) & 1 == 1
    }

    /// As [`Bits::get`], for many rows.
    #[inline]
    pub(crate) fn reader(&self) -> impl Fn(usize) -> bool + '_ {
        let words = self.words.as_slice();
        move |row| words[row / WORD] >> (row % WORD) & 1 == 1
    }

    #[inline]
    pub(crate) fn set(&mut self, row: usize) {
        self.words[row / WORD] |= 1 << (row % WORD);
    }

    #[inline]
    pub(crate) fn unset(&mut self, row: usize) {
        self.words[row / WORD] &= !(1 << (row % WORD));
    }

    /// Whether every row is set.
    pub(crate) fn is_full(&self) -> bool {
        self.count(0..self.rows) == self.rows
    }

    pub(crate) fn and(&self, other: &Self) -> Self {
        self.zip(other, |one, other| one & other)
    }

    pub(crate) fn or(&self, other: &Self) -> Self {
        self.zip(other, |one, other| one | other)
    }

    /// The bits set here and not in `other`.
    pub(crate) fn without(&self, other: &Self) -> Self {
        self.zip(other, |one, other| one & !other)
    }

    pub(crate) fn not(&self) -> Self {
        Self::from_raw(collect_few(self.words.iter().map(|word| !word)), self.rows)
    }

    fn zip(&self, other: &Self, f: impl Fn(u64, u64) -> u64) -> Self {
        let words = self.words.iter().zip(&other.words).map(|(one, other)| f(*one, *other));
        Self::from_raw(collect_few(words), self.rows)
    }

    /// Repeats a single bit for `rows` rows.
    pub(crate) fn spread(&self, rows: usize) -> Cow<'_, Self> {
        if self.rows == rows { Cow::Borrowed(self) } else { Cow::Owned(Self::all(rows, self.rows == 1 && self.get(0))) }
    }

    /// How many of these rows are set.
    pub(crate) fn count(&self, rows: Range<usize>) -> usize {
        self.masked(rows).map(|(_, word)| word.count_ones() as usize).sum()
    }

    /// The words that overlap these rows, each with the row of its first bit. Bits of other rows are cleared.
    fn masked(&self, rows: Range<usize>) -> impl DoubleEndedIterator<Item = (usize, u64)> + '_ {
        let (first, until) = (rows.start / WORD, rows.end.div_ceil(WORD).max(rows.start / WORD));
        self.words[first..until].iter().enumerate().map(move |(at, word)| {
            let start = (first + at) * WORD;
            let mut word = *word;
            if start < rows.start {
                word &= u64::MAX << (rows.start - start);
            }
            if start + WORD > rows.end {
                word &= if rows.end > start { u64::MAX >> (start + WORD - rows.end) } else { 0 };
            }
            (start, word)
        })
    }

    /// The set rows of a range, in order.
    pub(crate) fn ones(&self, rows: Range<usize>) -> impl Iterator<Item = usize> + '_ {
        self.masked(rows).flat_map(|(start, word)| set_bits(word).map(move |bit| start + bit))
    }

    /// The last set row of a range.
    pub(crate) fn last(&self, rows: Range<usize>) -> Option<usize> {
        let (start, word) = self.masked(rows).rev().find(|(_, word)| *word != 0)?;
        Some(start + word.ilog2() as usize)
    }
}

// Loops instead of closures: code that is not inlined is compiled for the baseline processor.

#[inline(always)]
fn words_of<T: Copy>(values: &[T], truth: impl Fn(T) -> bool) -> Few<u64> {
    let (whole, rest) = values.as_chunks::<WORD>();
    let mut words = Few::with_capacity(whole.len() + 1);
    for values in whole {
        words.push(word_of(values, &truth));
    }
    if !rest.is_empty() {
        words.push(word_of(rest, &truth));
    }
    words
}

#[inline(always)]
fn words_of_pairs<A: Copy, B: Copy>(left: &[A], right: &[B], truth: impl Fn(A, B) -> bool) -> Few<u64> {
    let ((left, left_rest), (right, right_rest)) = (left.as_chunks::<WORD>(), right.as_chunks::<WORD>());
    let mut words = Few::with_capacity(left.len() + 1);
    for (left, right) in left.iter().zip(right) {
        words.push(word_of_pairs(left, right, &truth));
    }
    if !left_rest.is_empty() {
        words.push(word_of_pairs(left_rest, right_rest, &truth));
    }
    words
}

/// One bit per value; at most a word of values.
#[inline(always)]
fn word_of<T: Copy>(values: &[T], truth: impl Fn(T) -> bool) -> u64 {
    let mut word = 0;
    for (bit, value) in values.iter().enumerate() {
        word |= u64::from(truth(*value)) << bit;
    }
    word
}

#[inline(always)]
fn word_of_pairs<A: Copy, B: Copy>(left: &[A], right: &[B], truth: impl Fn(A, B) -> bool) -> u64 {
    let mut word = 0;
    for (bit, (left, right)) in left.iter().zip(right).enumerate() {
        word |= u64::from(truth(*left, *right)) << bit;
    }
    word
}

#[cfg(test)]
mod tests {
    use super::Bits;

    #[test]
    fn bits_are_what_a_list_of_truths_is() {
        for rows in [0, 1, 63, 64, 65, 127, 128, 200] {
            let truth = |row: usize| row.is_multiple_of(3) || row > 120;
            let list: Vec<bool> = (0..rows).map(truth).collect();
            let bits = Bits::from_fn(rows, truth);
            assert_eq!(bits, Bits::from_values(&list, |truth| truth));
            let numbers: Vec<i64> = (0..rows as i64).map(|row| row * 37 % 100 - 50).collect();
            let others: Vec<i64> = numbers.iter().rev().copied().collect();
            assert_eq!(Bits::from_values(&numbers, |number| number < 7), Bits::from_fn(rows, |row| numbers[row] < 7));
            let is_less = |one: i64, other: i64| one < other;
            assert_eq!(
                Bits::from_pairs(&numbers, &others, is_less),
                Bits::from_fn(rows, |row| is_less(numbers[row], others[row]))
            );
            let masks: Vec<u128> =
                (0..rows).map(|row| (row as u128).wrapping_mul(0x9e37_79b9_7f4a_7c15) << 61 | 1).collect();
            for count in [0, 1, 64, 128] {
                let by_bit = Bits::by_bit(&masks, count);
                assert_eq!(by_bit.len(), count);
                for (bit, of_rows) in by_bit.iter().enumerate() {
                    assert_eq!(*of_rows, Bits::from_fn(rows, |row| masks[row] >> bit & 1 == 1), "{bit}");
                }
            }
            let places: Vec<u32> = (0..rows as u32).map(|row| if row % 5 == 0 { u32::MAX } else { row * 7 }).collect();
            let is_there = |row: usize| (places[row] as usize) < rows && truth(places[row] as usize);
            assert_eq!(bits.gather(&places), Bits::from_fn(rows, is_there));
            let read: Vec<bool> = (0..rows).map(|row| bits.get(row)).collect();
            assert_eq!(read, list);
            assert_eq!(bits.not().not(), bits);
            assert_eq!(bits.is_full(), !list.contains(&false));
            for (start, end) in [(0, rows), (rows / 3, rows), (rows / 3, rows / 2), (rows / 2, rows / 2), (rows, rows)]
            {
                let expected: Vec<usize> = (start..end).filter(|row| list[*row]).collect();
                assert_eq!(bits.ones(start..end).collect::<Vec<_>>(), expected);
                assert_eq!(bits.count(start..end), expected.len());
                assert_eq!(bits.last(start..end), expected.last().copied());
            }
        }
    }

    #[test]
    fn what_is_behind_the_last_row_is_never_set() {
        let (all, none) = (Bits::all(70, true), Bits::all(70, false));
        for bits in [all.clone(), none.not(), all.or(&none), all.without(&none)] {
            assert_eq!((bits.count(0..70), bits.is_full()), (70, true));
            assert_eq!(bits, all);
        }
        assert_eq!(Bits::all(1, true).spread(70).into_owned(), all);
    }
}
