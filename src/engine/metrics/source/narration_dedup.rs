//! Records of one side whose narrations differ only in their numbers are of one kind, and are read once. Knows neither
//! word lists, keys nor operations.

use std::hash::BuildHasher;
use std::ops::Range;

use foldhash::fast::RandomState;

use crate::base::text_search::number_masking::write_masked;
use crate::engine::metrics::chunks;
use crate::engine::metrics::column::Texts;

/// The usual length of a narration.
const USUAL_BYTES: usize = 48;
/// The number of partitions, by hash, of the narrations of a large statement: the table of one partition fits a
/// processor's cache. Also the number of chunks in which kinds are read.
const PARTS: usize = 16;

/// The kind of each row. Rows of a kind are of one side, with narrations that differ only in their numbers.
#[derive(Debug)]
pub(in crate::engine::metrics) struct NarrationKinds {
    /// The first row of each kind.
    first_rows: Vec<u32>,
    /// The number of each row's kind.
    kind_of_rows: Vec<u32>,
}

impl NarrationKinds {
    /// Makes each row its own kind, for programs that ask little of narrations.
    pub(in crate::engine::metrics) fn all_distinct(rows: usize) -> Self {
        let all: Vec<u32> = (0..rows as u32).collect();
        Self { first_rows: all.clone(), kind_of_rows: all }
    }

    pub(in crate::engine::metrics) fn find(narrations: &Texts, is_credit: impl Fn(usize) -> bool + Sync) -> Self {
        let hasher = RandomState::default();
        let parts = if chunks::is_large(narrations.len()) { PARTS } else { 1 };
        let masked = chunks::map_rows(narrations.len(), |rows| {
            let mut masked = MaskedNarrations::new(rows.clone(), parts);
            rows.for_each(|row| masked.add(is_credit(row), narrations.get(row), &hasher));
            masked
        });
        let parts: Vec<usize> = (0..parts).collect();
        let found = chunks::map_items(narrations.len(), &parts, PARTS, |parts| {
            parts.iter().flat_map(|part| first_rows_of_texts(&masked, *part)).collect::<Vec<(u32, u32)>>()
        });
        let mut kind_of_rows = vec![0; narrations.len()];
        found.into_iter().flatten().for_each(|(row, first)| kind_of_rows[row as usize] = first);
        // The first row of a kind precedes the others, and has its number by then.
        let mut first_rows = Vec::new();
        for row in 0..kind_of_rows.len() {
            let first = kind_of_rows[row] as usize;
            kind_of_rows[row] = match first == row {
                true => {
                    first_rows.push(row as u32);
                    first_rows.len() as u32 - 1
                }
                false => kind_of_rows[first],
            };
        }
        Self { first_rows, kind_of_rows }
    }

    /// The first row of each kind, in order.
    pub(in crate::engine::metrics) fn first_rows(&self) -> &[u32] {
        &self.first_rows
    }

    /// The number of each row's kind.
    pub(in crate::engine::metrics) fn kind_of_rows(&self) -> &[u32] {
        &self.kind_of_rows
    }

    /// Calls `look` for the first row of each kind.
    pub(in crate::engine::metrics) fn map_kinds<T: Send>(&self, look: impl Fn(usize) -> T + Sync) -> Vec<T> {
        let rows = self.kind_of_rows.len();
        let chunks = chunks::map_items(rows, &self.first_rows, PARTS, |firsts| {
            firsts.iter().map(|row| look(*row as usize)).collect::<Vec<T>>()
        });
        chunks.into_iter().flatten().collect()
    }
}

/// The narrations of some rows with masked numbers, each after a byte for its side.
struct MaskedNarrations {
    rows: Range<usize>,
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// The rows of each partition, with their hashes.
    parts: Vec<Vec<(u32, u64)>>,
}

impl MaskedNarrations {
    fn new(rows: Range<usize>, parts: usize) -> Self {
        let (bytes, ends) = (Vec::with_capacity(rows.len() * USUAL_BYTES), Vec::with_capacity(rows.len()));
        let usual = rows.len() / parts;
        Self { rows, bytes, ends, parts: (0..parts).map(|_| Vec::with_capacity(usual + usual / 8)).collect() }
    }

    fn add(&mut self, is_credit: bool, narration: &str, hasher: &RandomState) {
        let (row, start) = (self.rows.start + self.ends.len(), self.bytes.len());
        self.bytes.push(u8::from(is_credit));
        write_masked(narration, &mut self.bytes);
        self.ends.push(self.bytes.len());
        let hash = hasher.hash_one(&self.bytes[start..]);
        let part = (hash >> 32) as usize % self.parts.len();
        self.parts[part].push((row as u32, hash));
    }

    fn get(&self, row: usize) -> &[u8] {
        let at = row - self.rows.start;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[at]]
    }
}

/// A free slot.
const FREE: u32 = u32::MAX;

/// The rows of a partition, each with the first row of the same text.
fn first_rows_of_texts(masked: &[MaskedNarrations], part: usize) -> Vec<(u32, u32)> {
    let ours = || masked.iter().flat_map(|chunk| chunk.parts[part].iter().copied());
    let count: usize = masked.iter().map(|chunk| chunk.parts[part].len()).sum();
    let usual = masked.first().map_or(1, |chunk| chunk.rows.len().max(1));
    let text = |row: u32| masked[row as usize / usual].get(row as usize);
    // At most half of the slots are used; each has a row and part of its hash.
    let mut known = vec![(0_u32, FREE); (2 * count).next_power_of_two().max(2)];
    let last = known.len() - 1;
    let first = |(row, hash): (u32, u64)| {
        let (short, mut place) = (hash as u32, hash as usize & last);
        loop {
            match &mut known[place] {
                free if free.1 == FREE => {
                    *free = (short, row);
                    return (row, row);
                }
                (other, there) if *other == short && text(*there) == text(row) => return (row, *there),
                _ => place = (place + 1) & last,
            }
        }
    };
    ours().map(first).collect()
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::{NarrationKinds, write_masked};
    use crate::engine::metrics::column::Texts;

    /// The first rows, and for each row the number of the first with its side and text.
    fn plain(texts: &[String], is_credit: &dyn Fn(usize) -> bool) -> (Vec<u32>, Vec<u32>) {
        let (mut known, mut firsts, mut kind_of_rows) = (HashMap::new(), Vec::new(), Vec::new());
        for (row, text) in texts.iter().enumerate() {
            let mut masked = Vec::new();
            write_masked(text, &mut masked);
            let number = *known.entry((is_credit(row), masked)).or_insert(firsts.len() as u32);
            if number as usize == firsts.len() {
                firsts.push(row as u32);
            }
            kind_of_rows.push(number);
        }
        (firsts, kind_of_rows)
    }

    fn holds(texts: &[String], is_credit: impl Fn(usize) -> bool + Sync) {
        let narrations = Texts::Owned(texts.iter().map(|text| Cow::Borrowed(text.as_str())).collect());
        let kinds = NarrationKinds::find(&narrations, &is_credit);
        assert_eq!((kinds.first_rows.clone(), kinds.kind_of_rows.clone()), plain(texts, &is_credit));
        assert_eq!(kinds.map_kinds(|row| row as u32), kinds.first_rows);
    }

    proptest! {
        #[test]
        fn one_kind_is_texts_that_differ_in_numbers(
            texts in proptest::collection::vec("(|POS|TRF) ?(1234|5678|12)?( A| B)?", 0..200)
        ) {
            holds(&texts, |row| row % 3 == 0);
        }
    }

    #[test]
    fn many_rows_are_distinguished_as_few_are() {
        for rows in [0, 1, 40_000, 70_001] {
            let mixed = |row: usize| (row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
            let text = |row: usize| format!("NIP/{}/{} {}", mixed(row) % 9_000, mixed(row + 1) % 100, row % 7);
            holds(&(0..rows).map(text).collect::<Vec<String>>(), |row| row % 5 == 0);
        }
    }
}
