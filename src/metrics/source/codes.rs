//! Finds words in the place of a name that precede several names: codes of a bank that no list knows. A code names
//! nobody, so that no record is judged by the other records with it. Knows how often a code occurs, not how narrations
//! are built.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use super::narration_dedup::NarrationKinds;
use crate::metrics::chunks;
use crate::metrics::column::Texts;
use crate::narration::{AfterKey, Scratch};
use crate::rules::program::Program;

/// This number of different names after a word makes it a code.
const NAMES: usize = 3;
/// As above, if remarks follow the names: a name in last place may be a remark itself.
const NAMES_BEFORE_REMARKS: usize = 2;
/// The number of chunks in which threads read the narrations of a large statement.
const PARTS: usize = 8;

/// A code in a statement's narrations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Code {
    pub word: Arc<str>,
    /// Records that would have this counterparty.
    pub records: u64,
}

/// The warning about it.
impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Self { word, records } = self;
        write!(f, "{records} records have `{word}` where a name stands and other names behind it: a code, and nobody")
    }
}

/// What is known of the records before codes are searched.
pub(in crate::metrics) struct CodeSearch<'s> {
    pub program: &'s Program,
    pub kinds: &'s NarrationKinds,
    pub narrations: &'s Texts<'s>,
    /// The number of the name that each row has so far.
    pub name_of_rows: &'s [u32],
    pub names: &'s [Arc<str>],
    /// What follows each row's name in its narration.
    pub after_key: &'s [AfterKey],
}

/// The codes, and what changes for the rows.
#[derive(Default)]
pub(in crate::metrics) struct FoundCodes {
    /// The codes of each statement, in alphabetical order.
    pub codes: Vec<(usize, Code)>,
    /// The rows whose name was a code, with the name after it, if any.
    pub renamed: Vec<(u32, Option<Arc<str>>)>,
}

/// The rows of a statement with one name.
#[derive(Default)]
struct Party {
    rows: Vec<u32>,
    leading: usize,
}

impl CodeSearch<'_> {
    /// Searches each statement separately. `counts` selects rows named by their narration: a name from the provider is
    /// somebody.
    pub(in crate::metrics) fn find(
        &self,
        statements: &[Range<usize>],
        counts: impl Fn(usize) -> bool,
        is_credit: impl Fn(usize) -> bool + Sync,
    ) -> FoundCodes {
        let may_be = self.candidates();
        let mut parties: Vec<(usize, u32, Party)> = Vec::new();
        for (statement, rows) in statements.iter().enumerate() {
            let mut of_statement: BTreeMap<u32, Party> = BTreeMap::new();
            let under = |row: &usize| may_be.get(self.name_of_rows[*row] as usize) == Some(&true) && counts(*row);
            for row in rows.clone().filter(under) {
                let party = of_statement.entry(self.name_of_rows[row]).or_default();
                party.rows.push(row as u32);
                party.leading += usize::from(self.after_key[row] != AfterKey::Nothing);
            }
            // Remarks may look like names now and then.
            of_statement
                .retain(|_, party| party.leading >= NAMES_BEFORE_REMARKS && 2 * party.leading > party.rows.len());
            parties.extend(of_statement.into_iter().map(|(name, party)| (statement, name, party)));
        }
        let named_after = self.read(&parties, &is_credit);
        let mut found = FoundCodes::default();
        for (statement, name, party) in parties {
            let named = |row: &u32| named_after.get(&self.kind(*row)).and_then(Option::as_ref);
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
        self.kinds.kind_of_rows()[row as usize]
    }

    /// For each name whether it may be a code: something follows it, and no word list has it.
    fn candidates(&self) -> Vec<bool> {
        let mut may_be = vec![false; self.names.len()];
        let leading =
            self.after_key.iter().zip(self.name_of_rows).filter(|(after_key, _)| **after_key != AfterKey::Nothing);
        leading.for_each(|(_, name)| may_be[*name as usize] = true);
        for (may_be, name) in may_be.iter_mut().zip(self.names).filter(|(may_be, _)| **may_be) {
            *may_be = self.program.words.mask(name) == 0;
        }
        may_be
    }

    /// For each kind of narration with these names, the name after them.
    fn read(
        &self,
        parties: &[(usize, u32, Party)],
        is_credit: &(impl Fn(usize) -> bool + Sync),
    ) -> HashMap<u32, Option<Arc<str>>> {
        let mut known = HashSet::new();
        let rows = parties.iter().flat_map(|(_, name, party)| party.rows.iter().map(move |row| (*row, *name)));
        let firsts: Vec<(u32, u32)> = rows.filter(|(row, _)| known.insert(self.kind(*row))).collect();
        let read = chunks::map_items(self.after_key.len(), &firsts, PARTS, |rows| {
            let mut scratch = Scratch::default();
            let mut name_of = |(row, code): &(u32, u32)| {
                let (narration, code) = (self.narrations.get(*row as usize), &self.names[*code as usize]);
                let normaliser = &self.program.normaliser;
                let name = normaliser.key_after_code(&mut scratch, narration, code, is_credit(*row as usize));
                (self.kind(*row), name.map(Arc::from))
            };
            rows.iter().map(&mut name_of).collect::<Vec<_>>()
        });
        read.into_iter().flatten().collect()
    }

    /// Whether enough different names follow it.
    fn is_code<'n>(&self, party: &Party, named: impl Fn(&u32) -> Option<&'n Arc<str>>) -> bool {
        let names_where = |wanted: &dyn Fn(AfterKey) -> bool| {
            let rows = party.rows.iter().filter(|row| wanted(self.after_key[**row as usize]));
            rows.filter_map(&named).collect::<HashSet<_>>().len()
        };
        names_where(&|after_key| after_key != AfterKey::Nothing) >= NAMES
            || names_where(&|after_key| after_key == AfterKey::NameAndMore) >= NAMES_BEFORE_REMARKS
    }
}
