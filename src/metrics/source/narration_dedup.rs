//! Records of one side whose narrations differ in their numbers alone, so that what reads narrations looks at each once. Knows no list, no key and no operation.

use std::hash::BuildHasher;
use std::ops::Range;

use foldhash::fast::RandomState;

use crate::metrics::chunks;
use crate::metrics::column::Texts;
use crate::text_search::number_masking::write_masked;

/// Bytes that narrations mostly have.
const USUAL_BYTES: usize = 48;
/// The narrations of a large statement are told apart in so many parts, by what they hash to: what is known of one part fits a processor's cache. In as
/// many parts they are looked at.
const PARTS: usize = 16;

/// Which rows are alike: of one side, with narrations that differ in their numbers alone.
#[derive(Debug)]
pub(in crate::metrics) struct Alike {
    /// The first row of each kind.
    firsts: Vec<u32>,
    /// For each row the number of its kind.
    of_rows: Vec<u32>,
}

impl Alike {
    /// Each of so many rows by itself: for those who ask too little of narrations for a look at which are alike.
    pub(in crate::metrics) fn apart(rows: usize) -> Self {
        let all: Vec<u32> = (0..rows as u32).collect();
        Self { firsts: all.clone(), of_rows: all }
    }

    pub(in crate::metrics) fn of(narrations: &Texts, is_credit: impl Fn(usize) -> bool + Sync) -> Self {
        let hasher = RandomState::default();
        let parts = if chunks::are_worth_it(narrations.len()) { PARTS } else { 1 };
        let written = chunks::of_rows(narrations.len(), |rows| {
            let mut written = Written::new(rows.clone(), parts);
            rows.for_each(|row| written.add(is_credit(row), narrations.get(row), &hasher));
            written
        });
        let parts: Vec<usize> = (0..parts).collect();
        let found = chunks::of_all(narrations.len(), &parts, PARTS, |parts| {
            parts.iter().flat_map(|part| firsts(&written, *part)).collect::<Vec<(u32, u32)>>()
        });
        let mut of_rows = vec![0; narrations.len()];
        found.into_iter().flatten().for_each(|(row, first)| of_rows[row as usize] = first);
        // The first of a kind stands before all others of it, and is numbered by then.
        let mut firsts = Vec::new();
        for row in 0..of_rows.len() {
            let first = of_rows[row] as usize;
            of_rows[row] = match first == row {
                true => {
                    firsts.push(row as u32);
                    firsts.len() as u32 - 1
                }
                false => of_rows[first],
            };
        }
        Self { firsts, of_rows }
    }

    /// The first row of each kind, in their order.
    pub(in crate::metrics) fn firsts(&self) -> &[u32] {
        &self.firsts
    }

    /// For each row the number of its kind.
    pub(in crate::metrics) fn of_rows(&self) -> &[u32] {
        &self.of_rows
    }

    /// What `look` says of the first row of each kind.
    pub(in crate::metrics) fn each<T: Send>(&self, look: impl Fn(usize) -> T + Sync) -> Vec<T> {
        let rows = self.of_rows.len();
        let pieces = chunks::of_all(rows, &self.firsts, PARTS, |firsts| {
            firsts.iter().map(|row| look(*row as usize)).collect::<Vec<T>>()
        });
        pieces.into_iter().flatten().collect()
    }
}

/// The narrations of some rows without their numbers, each behind a sign for its side.
struct Written {
    rows: Range<usize>,
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// The rows of each part with what they hash to.
    parts: Vec<Vec<(u32, u64)>>,
}

impl Written {
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

/// A place of no row.
const FREE: u32 = u32::MAX;

/// The rows of a part, each with the first that has the same text.
fn firsts(written: &[Written], part: usize) -> Vec<(u32, u32)> {
    let ours = || written.iter().flat_map(|piece| piece.parts[part].iter().copied());
    let count: usize = written.iter().map(|piece| piece.parts[part].len()).sum();
    let usual = written.first().map_or(1, |piece| piece.rows.len().max(1));
    let text = |row: u32| written[row as usize / usual].get(row as usize);
    // No more than half of the places have a row, beside a part of its hash.
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

    use super::{Alike, write_masked};
    use crate::metrics::column::Texts;

    /// For each row the first of its side with its text, and the number of that among the firsts.
    fn plain(texts: &[String], is_credit: &dyn Fn(usize) -> bool) -> (Vec<u32>, Vec<u32>) {
        let (mut known, mut firsts, mut of_rows) = (HashMap::new(), Vec::new(), Vec::new());
        for (row, text) in texts.iter().enumerate() {
            let mut written = Vec::new();
            write_masked(text, &mut written);
            let number = *known.entry((is_credit(row), written)).or_insert(firsts.len() as u32);
            if number as usize == firsts.len() {
                firsts.push(row as u32);
            }
            of_rows.push(number);
        }
        (firsts, of_rows)
    }

    fn holds(texts: &[String], is_credit: impl Fn(usize) -> bool + Sync) {
        let narrations = Texts::Made(texts.iter().map(|text| Cow::Borrowed(text.as_str())).collect());
        let alike = Alike::of(&narrations, &is_credit);
        assert_eq!((alike.firsts.clone(), alike.of_rows.clone()), plain(texts, &is_credit));
        assert_eq!(alike.each(|row| row as u32), alike.firsts);
    }

    proptest! {
        #[test]
        fn rows_are_alike_whose_texts_differ_in_numbers_alone(texts in proptest::collection::vec("(|POS|TRF) ?(1234|5678|12)?( A| B)?", 0..200)) {
            holds(&texts, |row| row % 3 == 0);
        }
    }

    #[test]
    fn many_rows_are_told_apart_as_few_are() {
        for rows in [0, 1, 40_000, 70_001] {
            let mixed = |row: usize| (row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
            let text = |row: usize| format!("NIP/{}/{} {}", mixed(row) % 9_000, mixed(row + 1) % 100, row % 7);
            holds(&(0..rows).map(text).collect::<Vec<String>>(), |row| row % 5 == 0);
        }
    }
}
