//! Words that are taken for names and stand before the names of several: codes of a bank's that no list knows. Such a
//! word is nobody, so that no record is judged by the others under it. Knows how often a code comes, not how narrations
//! are built.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use super::narration_dedup::Alike;
use crate::metrics::chunks;
use crate::metrics::column::Texts;
use crate::narration::{Behind, Scratch};
use crate::rules::program::Program;

/// So many names behind a word make it a code.
const NAMES: usize = 3;
/// So many do where remarks come after them: what stands last may be a remark itself.
const NAMES_BEFORE_REMARKS: usize = 2;
/// Narrations of a large statement are read in so many parts by the threads.
const PARTS: usize = 8;

/// A code that a statement's narrations have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Code {
    pub word: Arc<str>,
    /// Records that would be this counterparty's.
    pub records: u64,
}

/// What a person should know of it.
impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Self { word, records } = self;
        write!(f, "{records} records have `{word}` where a name stands and other names behind it: a code, and nobody")
    }
}

/// What is known of the records when codes are looked for.
pub(in crate::metrics) struct Seen<'s> {
    pub program: &'s Program,
    pub alike: &'s Alike,
    pub narrations: &'s Texts<'s>,
    /// The name that each row has so far.
    pub of_rows: &'s [u32],
    pub names: &'s [Arc<str>],
    /// What stands behind each row's name.
    pub behind: &'s [Behind],
}

/// What becomes of the rows.
#[derive(Default)]
pub(in crate::metrics) struct Found {
    /// The codes of each statement, in the order of the alphabet.
    pub codes: Vec<(usize, Code)>,
    /// The rows whose name was a code, with the name behind it, if there is one.
    pub renamed: Vec<(u32, Option<Arc<str>>)>,
}

/// The rows of a statement under one name.
#[derive(Default)]
struct Party {
    rows: Vec<u32>,
    leading: usize,
}

impl Seen<'_> {
    /// Looks for codes in each statement by itself. `counts` tells rows that are named by their narration: whom the
    /// provider names is somebody.
    pub(in crate::metrics) fn codes(
        &self,
        statements: &[Range<usize>],
        counts: impl Fn(usize) -> bool,
        is_credit: impl Fn(usize) -> bool + Sync,
    ) -> Found {
        let may_be = self.candidates();
        let mut parties: Vec<(usize, u32, Party)> = Vec::new();
        for (statement, rows) in statements.iter().enumerate() {
            let mut of_statement: BTreeMap<u32, Party> = BTreeMap::new();
            let under = |row: &usize| may_be.get(self.of_rows[*row] as usize) == Some(&true) && counts(*row);
            for row in rows.clone().filter(under) {
                let party = of_statement.entry(self.of_rows[row]).or_default();
                party.rows.push(row as u32);
                party.leading += usize::from(self.behind[row] != Behind::Nothing);
            }
            // Somebody's remarks may look like names now and then.
            of_statement
                .retain(|_, party| party.leading >= NAMES_BEFORE_REMARKS && 2 * party.leading > party.rows.len());
            parties.extend(of_statement.into_iter().map(|(name, party)| (statement, name, party)));
        }
        let behind = self.read(&parties, &is_credit);
        let mut found = Found::default();
        for (statement, name, party) in parties {
            let named = |row: &u32| behind.get(&self.kind(*row)).and_then(Option::as_ref);
            if self.is_code(&party, named) {
                let word = self.names[name as usize].clone();
                found.codes.push((statement, Code { word, records: party.rows.len() as u64 }));
                found.renamed.extend(party.rows.iter().map(|row| (*row, named(row).cloned())));
            }
        }
        found.codes.sort_by(|(one, a), (other, b)| (one, &a.word).cmp(&(other, &b.word)));
        found
    }

    fn kind(&self, row: u32) -> u32 {
        self.alike.of_rows()[row as usize]
    }

    /// For each name whether it may be a code: something stands behind it, and no word list has it.
    fn candidates(&self) -> Vec<bool> {
        let mut may_be = vec![false; self.names.len()];
        let leading = self.behind.iter().zip(self.of_rows).filter(|(behind, _)| **behind != Behind::Nothing);
        leading.for_each(|(_, name)| may_be[*name as usize] = true);
        for (may_be, name) in may_be.iter_mut().zip(self.names).filter(|(may_be, _)| **may_be) {
            *may_be = self.program.words.mask(name) == 0;
        }
        may_be
    }

    /// For each kind of narration under these names, the name behind.
    fn read(
        &self,
        parties: &[(usize, u32, Party)],
        is_credit: &(impl Fn(usize) -> bool + Sync),
    ) -> HashMap<u32, Option<Arc<str>>> {
        let mut known = HashSet::new();
        let rows = parties.iter().flat_map(|(_, name, party)| party.rows.iter().map(move |row| (*row, *name)));
        let firsts: Vec<(u32, u32)> = rows.filter(|(row, _)| known.insert(self.kind(*row))).collect();
        let read = chunks::of_all(self.behind.len(), &firsts, PARTS, |rows| {
            let mut scratch = Scratch::default();
            let mut name_of = |(row, code): &(u32, u32)| {
                let (narration, code) = (self.narrations.get(*row as usize), &self.names[*code as usize]);
                let normaliser = &self.program.normaliser;
                let name = normaliser.key_behind(&mut scratch, narration, code, is_credit(*row as usize));
                (self.kind(*row), name.map(Arc::from))
            };
            rows.iter().map(&mut name_of).collect::<Vec<_>>()
        });
        read.into_iter().flatten().collect()
    }

    /// Whether there are enough different names behind it.
    fn is_code<'n>(&self, party: &Party, named: impl Fn(&u32) -> Option<&'n Arc<str>>) -> bool {
        let names_where = |wanted: &dyn Fn(Behind) -> bool| {
            let rows = party.rows.iter().filter(|row| wanted(self.behind[**row as usize]));
            rows.filter_map(&named).collect::<HashSet<_>>().len()
        };
        names_where(&|behind| behind != Behind::Nothing) >= NAMES
            || names_where(&|behind| behind == Behind::NameAndMore) >= NAMES_BEFORE_REMARKS
    }
}
