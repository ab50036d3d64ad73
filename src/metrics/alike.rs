//! Rows whose narrations differ in their numbers alone, so that what reads narrations looks at each once. Knows no list, no key and no operation.

use std::collections::HashMap;
use std::ops::Range;

use super::pieces;
use super::texts::Texts;
use crate::narration::alike::write_without_numbers;

/// Bytes that narrations mostly have.
const USUAL_BYTES: usize = 48;

/// For each row the first of its piece whose narration is alike: an earlier one, or itself. For none where nobody looked.
#[derive(Debug, Default)]
pub(super) struct Alike {
    firsts: Vec<u32>,
}

impl Alike {
    pub(super) fn of(narrations: &Texts) -> Self {
        let firsts = pieces::of_rows(narrations.len(), |rows| {
            let mut written = Vec::with_capacity(rows.len() * USUAL_BYTES);
            let write = |row| {
                write_without_numbers(narrations.get(row), &mut written);
                written.len()
            };
            let ends: Vec<usize> = rows.clone().map(write).collect();
            let mut known: HashMap<&[u8], u32, foldhash::fast::RandomState> = HashMap::default();
            known.reserve(rows.len());
            let mut start = 0;
            let first = |(row, end): (usize, usize)| {
                let text = &written[start..end];
                start = end;
                *known.entry(text).or_insert(row as u32)
            };
            rows.zip(ends).map(first).collect::<Vec<u32>>()
        });
        Self { firsts: firsts.concat() }
    }

    /// What `look` says of each of these rows: asked once of those that are alike, as far as `serves` lets a row have what an earlier one has.
    pub(super) fn each<T: Copy>(
        &self,
        rows: Range<usize>,
        serves: impl Fn(usize, usize) -> bool,
        mut look: impl FnMut(usize) -> T,
    ) -> Vec<T> {
        let Some(firsts) = self.firsts.get(rows.clone()) else { return rows.map(look).collect() };
        let mut found: Vec<T> = Vec::with_capacity(rows.len());
        for (first, row) in firsts.iter().map(|first| *first as usize).zip(rows.clone()) {
            let known = first.checked_sub(rows.start).and_then(|at| found.get(at).copied());
            found.push(match known {
                Some(known) if serves(first, row) => known,
                _ => look(row),
            });
        }
        found
    }
}
