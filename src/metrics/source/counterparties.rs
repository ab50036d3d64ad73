//! The other sides of records, each by its number; the groups and the streams that their records make. Computes no metric.

use std::collections::HashMap;
use std::sync::Arc;

use super::codes::{Code, Found, Seen};
use super::grouping::Grouping;
use super::narration_dedup::Alike;
use super::records::transaction;
use super::statement_slice::View;
use crate::metrics::column::{NAMELESS, Texts};
use crate::metrics::{Error, chunks};
use crate::narration::{Behind, Scratch};
use crate::recurring::{self, Entry};
use crate::rules::graph::Column as Source;
use crate::rules::program::Program;
use crate::words::date::Day;

/// Narrations are named in so many parts by the threads; names that several parts have are numbered anew, so there are few.
const PARTS: usize = 8;

/// Names, each with a number.
#[derive(Default)]
struct Names {
    numbers: HashMap<Arc<str>, u32, foldhash::fast::RandomState>,
    list: Vec<Arc<str>>,
}

impl Names {
    fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.list.len() as u32;
        let name: Arc<str> = name.into();
        self.list.push(name.clone());
        self.numbers.insert(name, number);
        number
    }

    /// The numbers of some pieces that were numbered each by itself, as these names have them.
    fn numbers_of(&mut self, pieces: Vec<(Vec<u32>, Names)>) -> Vec<u32> {
        let mut all = Vec::new();
        for (numbers, of_piece) in pieces {
            if self.list.is_empty() {
                *self = of_piece;
                all.extend(numbers);
                continue;
            }
            let known: Vec<u32> = of_piece.list.iter().map(|name| self.number(name)).collect();
            all.extend(numbers.into_iter().map(|number| known.get(number as usize).copied().unwrap_or(NAMELESS)));
        }
        all
    }
}

/// The other sides of the records.
#[derive(Debug, Default)]
pub(crate) struct Counterparties {
    /// Each name once; one name has one number in all statements of the view.
    pub names: Vec<Arc<str>>,
    /// The number of each row's, [`NAMELESS`] where the narration says nobody.
    pub of_rows: Vec<u32>,
    /// Words in the places of names that are nobody's, by statement.
    pub codes: Vec<(usize, Code)>,
}

impl Counterparties {
    pub(in crate::metrics) fn of(view: &View, program: &Program, alike: &Alike) -> Result<Self, Error> {
        let column = |name: &str| Ok::<_, Error>(Texts::of(view.frame.column(name)?.str()?));
        let (desc, people) = (column("desc")?, column("people")?);
        let (credits, is_silent) = (transaction(view, Source::Credit)?, people.is_silent());
        let is_credit = credits.is_positive();
        let people = |row| (!is_silent).then(|| people.get(row)).filter(|people| !people.is_empty());
        let (mut names, mut leading) = (Names::default(), Vec::new());
        let mut numbers = |rows: &[u32]| {
            let pieces = chunks::of_all(view.row_count, rows, PARTS, |rows| {
                let (mut names, mut leading, mut scratch) = (Names::default(), Vec::new(), Scratch::default());
                let mut number = |row: &u32| {
                    let (at, narration) = (*row as usize, Some(desc.get(*row as usize)));
                    let key = program.normaliser.key_in(&mut scratch, narration, people(at), is_credit(at));
                    let Some((key, behind)) = key else { return NAMELESS };
                    if behind != Behind::Nothing {
                        leading.push((*row, behind));
                    }
                    names.number(key)
                };
                ((rows.iter().map(&mut number).collect::<Vec<u32>>(), names), leading)
            });
            let (pieces, of_pieces): (Vec<_>, Vec<_>) = pieces.into_iter().unzip();
            leading.extend(of_pieces.into_iter().flatten());
            names.numbers_of(pieces)
        };
        let of_firsts = numbers(alike.firsts());
        let mut of_rows: Vec<u32> = alike.of_rows().iter().map(|kind| of_firsts[*kind as usize]).collect();
        let mut others = Vec::new();
        if !is_silent {
            // The provider may know more of one than of the other.
            let first = |row: usize| alike.firsts()[alike.of_rows()[row] as usize] as usize;
            others = (0..view.row_count as u32)
                .filter(|row| people(*row as usize) != people(first(*row as usize)))
                .collect();
            others.iter().zip(numbers(&others)).for_each(|(row, number)| of_rows[*row as usize] = number);
        }
        let mut found = Self { names: names.list, of_rows, codes: Vec::new() };
        if !leading.is_empty() {
            let behind = behind_of_rows(alike, &leading, &others);
            let (narrations, of_rows) = (&desc, found.of_rows.as_slice());
            let seen = Seen { program, alike, narrations, of_rows, names: &found.names, behind: &behind };
            let codes = seen.codes(&view.rows, |row| people(row).is_none(), is_credit);
            found.without(codes);
        }
        Ok(found)
    }

    /// Takes the codes away from among the names.
    fn without(&mut self, Found { codes, renamed }: Found) {
        if codes.is_empty() {
            return;
        }
        let numbers = self.names.iter().cloned().zip(0..).collect();
        let mut names = Names { numbers, list: std::mem::take(&mut self.names) };
        for (row, name) in renamed {
            self.of_rows[row as usize] = name.map_or(NAMELESS, |name| names.number(&name));
        }
        (self.names, self.codes) = (names.list, codes);
    }

    /// The name of this number.
    pub(crate) fn name(&self, number: u32) -> Option<&str> {
        self.names.get(number as usize).map(AsRef::as_ref)
    }

    /// The counterparties of each statement, in the order in which they are first seen.
    pub(in crate::metrics) fn grouping(&self, view: &View) -> Grouping {
        let mut grouping = Grouping::new(view.rows.len());
        // The group of a name in the statement at hand; of others it says nothing.
        let mut of_name = vec![(usize::MAX, 0); self.names.len()];
        for (statement, rows) in view.rows.iter().enumerate() {
            let mut members = Vec::with_capacity(rows.len());
            let mut groups = 0;
            for row in rows.clone().filter(|row| self.of_rows[*row] != NAMELESS) {
                let (of_statement, group) = &mut of_name[self.of_rows[row] as usize];
                if *of_statement != statement {
                    (*of_statement, *group) = (statement, groups);
                    groups += 1;
                }
                members.push((row as u32, *group));
            }
            grouping.add_scattered(groups as usize, members.iter().copied());
        }
        grouping
    }

    pub(in crate::metrics) fn streams(&self, view: &View, program: &Program) -> Result<Grouping, Error> {
        let (credits, debits) = (transaction(view, Source::Credit)?, transaction(view, Source::Debit)?);
        let (credit, debit) = (credits.known_ints(), debits.known_ints());
        let tolerance = program.stream_tolerance.unwrap_or(recurring::TOLERANCE);
        // Numbered anew in each statement: what others' counterparties are called must not matter.
        let mut local = vec![(usize::MAX, 0); self.names.len()];
        let mut grouping = Grouping::new(view.rows.len());
        for (statement, rows) in view.rows.iter().enumerate() {
            let as_of = view.as_of[statement].map_or(0, Day::days);
            let (mut entries, mut rows_of) = (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
            let mut names: Vec<&str> = Vec::new();
            for row in rows.clone().filter(|row| self.of_rows[*row] != NAMELESS) {
                let credit = credit(row).unwrap_or(0);
                let (is_credit, amount) = if credit > 0 { (true, credit) } else { (false, debit(row).unwrap_or(0)) };
                if amount > 0 {
                    let name = self.of_rows[row] as usize;
                    let (of_statement, key) = &mut local[name];
                    if *of_statement != statement {
                        (*of_statement, *key) = (statement, names.len() as u32);
                        names.push(&self.names[name]);
                    }
                    entries.push(Entry { day: view.dates[row], amount, is_credit, key: *key });
                    rows_of.push(row as u32);
                }
            }
            let found = recurring::streams(&entries, &names, as_of, tolerance);
            let rows_of = &rows_of;
            let members = found.iter().zip(0..);
            let members = members.flat_map(|(found, stream)| found.rows.iter().map(move |row| (rows_of[*row], stream)));
            grouping.add_scattered(found.len(), members);
            grouping.streams.extend(found);
        }
        Ok(grouping)
    }
}

/// What stands behind each row's name, out of what was seen of the first of each kind and of those that were looked
/// at by themselves.
fn behind_of_rows(alike: &Alike, leading: &[(u32, Behind)], others: &[u32]) -> Vec<Behind> {
    let mut of_kinds = vec![Behind::Nothing; alike.firsts().len()];
    for (row, behind) in leading {
        let kind = alike.of_rows()[*row as usize] as usize;
        if alike.firsts()[kind] == *row {
            of_kinds[kind] = *behind;
        }
    }
    let mut of_rows: Vec<Behind> = alike.of_rows().iter().map(|kind| of_kinds[*kind as usize]).collect();
    others.iter().for_each(|row| of_rows[*row as usize] = Behind::Nothing);
    // The first of a kind is never among the others.
    leading.iter().for_each(|(row, behind)| of_rows[*row as usize] = *behind);
    of_rows
}
