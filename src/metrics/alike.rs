//! Records whose narrations differ in their numbers alone, so that what reads narrations looks at each once. Knows no list, no key and no operation.

use std::hash::BuildHasher;
use std::ops::Range;

use foldhash::fast::RandomState;

use super::pieces;
use super::texts::Texts;
use crate::narration::alike::write_without_numbers;

/// Bytes that narrations mostly have.
const USUAL_BYTES: usize = 48;
/// The narrations of a large statement are told apart in so many parts, by what they hash to: what is known of one part fits a processor's cache.
const PARTS: usize = 16;

/// Which rows are alike: of one side, with narrations that differ in their numbers alone.
#[derive(Debug)]
pub(super) struct Alike {
    /// The first row of each kind.
    firsts: Vec<u32>,
    /// For each row the number of its kind.
    of_rows: Vec<u32>,
}

impl Alike {
    /// Each of so many rows by itself: for those who ask too little of narrations for a look at which are alike.
    pub(super) fn apart(rows: usize) -> Self {
        let all: Vec<u32> = (0..rows as u32).collect();
        Self { firsts: all.clone(), of_rows: all }
    }

    pub(super) fn of(narrations: &Texts, is_credit: impl Fn(usize) -> bool + Sync) -> Self {
        let hasher = RandomState::default();
        let written =
            pieces::of_rows(narrations.len(), |rows| Written::of(narrations, rows, &is_credit, &hasher));
        let parts: Vec<usize> = if written.len() == 1 { vec![0] } else { (0..PARTS).collect() };
        let found = pieces::of_all(narrations.len(), &parts, PARTS, |some| {
            let of_part = |part: &usize| firsts(&written, *part, parts.len());
            some.iter().flat_map(of_part).collect::<Vec<(u32, u32)>>()
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
    pub(super) fn firsts(&self) -> &[u32] {
        &self.firsts
    }

    /// For each row the number of its kind.
    pub(super) fn of_rows(&self) -> &[u32] {
        &self.of_rows
    }

    /// What `look` says of the first row of each kind.
    pub(super) fn each<T: Send>(&self, look: impl Fn(usize) -> T + Sync) -> Vec<T> {
        let rows = self.of_rows.len();
        let pieces = pieces::of_all(rows, &self.firsts, PARTS, |firsts| {
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
    hashes: Vec<u64>,
}

impl Written {
    fn of(
        narrations: &Texts,
        rows: Range<usize>,
        is_credit: &(impl Fn(usize) -> bool + Sync),
        hasher: &RandomState,
    ) -> Self {
        let mut bytes = Vec::with_capacity(rows.len() * USUAL_BYTES);
        let (mut ends, mut hashes) = (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
        for row in rows.clone() {
            let start = bytes.len();
            bytes.push(u8::from(is_credit(row)));
            write_without_numbers(narrations.get(row), &mut bytes);
            ends.push(bytes.len());
            hashes.push(hasher.hash_one(&bytes[start..]));
        }
        Self { rows, bytes, ends, hashes }
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
fn firsts(written: &[Written], part: usize, parts: usize) -> Vec<(u32, u32)> {
    let is_ours = |hash: u64| (hash >> 32) as usize % parts == part;
    let hashes = || written.iter().flat_map(|piece| piece.rows.clone().zip(piece.hashes.iter().copied()));
    let ours: Vec<(usize, u64)> = hashes().filter(|(_, hash)| is_ours(*hash)).collect();
    let usual = written.first().map_or(1, |piece| piece.rows.len().max(1));
    let text = |row: usize| written[row / usual].get(row);
    // No more than half of the places have a row, beside a part of its hash.
    let mut known = vec![(0_u32, FREE); (2 * ours.len()).next_power_of_two().max(2)];
    let last = known.len() - 1;
    let first = |(row, hash): (usize, u64)| {
        let (short, mut place) = (hash as u32, hash as usize & last);
        loop {
            match &mut known[place] {
                free if free.1 == FREE => {
                    *free = (short, row as u32);
                    return (row as u32, row as u32);
                }
                (other, there) if *other == short && text(*there as usize) == text(row) => return (row as u32, *there),
                _ => place = (place + 1) & last,
            }
        }
    };
    ours.into_iter().map(first).collect()
}
