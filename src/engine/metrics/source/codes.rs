//! Finds words in the place of a name that precede several names: codes of a bank that no list knows. A code names
//! nobody, so that no record is judged by the other records with it. Knows how often a code occurs, not how narrations
//! are built.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use super::names::NumberedNames;
use super::narration_dedup::NarrationKinds;
use crate::base::narration::{AfterKey, Codes, Scratch, Standing};
use crate::engine::metrics::chunks;
use crate::engine::metrics::column::{NAMELESS, Texts};
use crate::rules::program::Program;

/// This number of different names after a word makes it a code.
const NAMES: usize = 3;
/// As above, if remarks follow the names: a name in last place may be a remark itself.
const NAMES_BEFORE_REMARKS: usize = 2;
/// As above, for a code of several words, which looks like a name.
const NAMES_AFTER_WORDS: usize = 8;
/// Most codes in a row.
const ROUNDS: usize = 3;
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

/// The names of the records, with codes among them.
pub(in crate::engine::metrics) struct CodeSearch<'s> {
    pub program: &'s Program,
    pub kinds: &'s NarrationKinds,
    pub narrations: &'s Texts<'s>,
    pub names: NumberedNames,
    /// The number of each row's name.
    pub name_of_rows: Vec<u32>,
    /// What goes with each row's name.
    pub standing_of_rows: Vec<Standing>,
    /// What follows each row's name in its narration.
    pub after_key: Vec<AfterKey>,
}

/// The rows of a statement with one name.
#[derive(Default)]
struct Party {
    rows: Vec<u32>,
    leading: usize,
}

impl CodeSearch<'_> {
    /// Searches each statement separately, and replaces codes by the names after them. Returns the codes of each
    /// statement in alphabetical order. `counts` selects rows named by their narration: a name from the provider is
    /// somebody.
    pub(in crate::engine::metrics) fn find(
        &mut self,
        statements: &[Range<usize>],
        counts: impl Fn(usize) -> bool,
        is_credit: impl Fn(usize) -> bool + Sync,
    ) -> Vec<(usize, Code)> {
        let mut codes: Vec<(usize, Code)> = Vec::new();
        for _ in 0..ROUNDS {
            let parties = self.parties(statements, &counts);
            if parties.is_empty() {
                break;
            }
            let code = |(statement, name, party): &(usize, u32, Party)| {
                let word = self.names.list[*name as usize].clone();
                (*statement, Code { word, records: party.rows.len() as u64 })
            };
            codes.extend(parties.iter().map(code));
            self.rename(&parties, &codes, &is_credit);
        }
        codes.sort_by(|(one, a), (other, b)| (one, &a.word).cmp(&(other, &b.word)));
        codes
    }

    fn kind(&self, row: u32) -> u32 {
        self.kinds.kind_of_rows()[row as usize]
    }

    /// The rows under each code, with the statement and the number of the code.
    fn parties(&self, statements: &[Range<usize>], counts: &impl Fn(usize) -> bool) -> Vec<(usize, u32, Party)> {
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
            of_statement.retain(|name, party| self.is_code(&self.names.list[*name as usize], party));
            parties.extend(of_statement.into_iter().map(|(name, party)| (statement, name, party)));
        }
        parties
    }

    /// For each name whether it may be a code: something follows it, and no word list has it.
    fn candidates(&self) -> Vec<bool> {
        let mut may_be = vec![false; self.names.list.len()];
        let named = self.after_key.iter().zip(&self.name_of_rows).filter(|(_, name)| **name != NAMELESS);
        let leading = named.filter(|(after_key, _)| **after_key != AfterKey::Nothing);
        leading.for_each(|(_, name)| may_be[*name as usize] = true);
        for (may_be, name) in may_be.iter_mut().zip(&self.names.list).filter(|(may_be, _)| **may_be) {
            *may_be = self.program.words.mask(name) == 0;
        }
        may_be
    }

    /// Whether enough different names follow it. Remarks may look like names now and then.
    fn is_code(&self, word: &str, party: &Party) -> bool {
        if party.leading < NAMES_BEFORE_REMARKS || 2 * party.leading <= party.rows.len() {
            return false;
        }
        let (mut names, mut before_remarks) = (HashSet::new(), HashSet::new());
        for row in &party.rows {
            match self.after_key[*row as usize] {
                AfterKey::Nothing => {}
                AfterKey::Name(name) => drop(names.insert(name)),
                AfterKey::NameAndMore(name) => drop((names.insert(name), before_remarks.insert(name))),
            }
        }
        match word.contains(' ') {
            true => names.len() >= NAMES_AFTER_WORDS && party.leading == party.rows.len(),
            false => names.len() >= NAMES || before_remarks.len() >= NAMES_BEFORE_REMARKS,
        }
    }

    /// Gives the rows the names after their codes, or none.
    fn rename(
        &mut self,
        parties: &[(usize, u32, Party)],
        codes: &[(usize, Code)],
        is_credit: &(impl Fn(usize) -> bool + Sync),
    ) {
        let mut known = HashSet::new();
        let rows =
            parties.iter().flat_map(|(statement, _, party)| party.rows.iter().map(move |row| (*row, *statement)));
        let mut codes_of: HashMap<usize, Codes<'_>> = HashMap::new();
        for (statement, code) in codes {
            codes_of.entry(*statement).or_default().add(&code.word);
        }
        let none = Codes::default();
        let firsts: Vec<(u32, usize)> = rows.filter(|(row, of)| known.insert((self.kind(*row), *of))).collect();
        let read = chunks::map_items(self.after_key.len(), &firsts, PARTS, |rows| {
            let mut scratch = Scratch::default();
            let mut name_of = |(row, statement): &(u32, usize)| {
                let (narration, is_credit) = (self.narrations.get(*row as usize), is_credit(*row as usize));
                let of_statement = codes_of.get(statement).unwrap_or(&none);
                let found = self.program.normaliser.key_after_codes(&mut scratch, narration, of_statement, is_credit);
                let found = found.map(|of| (Arc::<str>::from(of.key), of.after_key, of.standing));
                ((self.kind(*row), *statement), found)
            };
            rows.iter().map(&mut name_of).collect::<Vec<_>>()
        });
        let read: HashMap<_, _> = read.into_iter().flatten().collect();
        for (statement, _, party) in parties {
            for row in &party.rows {
                let found = read.get(&(self.kind(*row), *statement)).and_then(Option::as_ref);
                let place = *row as usize;
                self.name_of_rows[place] = found.map_or(NAMELESS, |(name, _, _)| self.names.number(name));
                self.after_key[place] = found.map_or(AfterKey::Nothing, |(_, after_key, _)| *after_key);
                self.standing_of_rows[place] = found.map_or(Standing::default(), |(_, _, standing)| *standing);
            }
        }
    }
}
