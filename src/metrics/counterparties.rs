//! The other sides of records, each by its number; the groups and the streams that their records make. Computes no metric.

use std::collections::HashMap;
use std::sync::Arc;

use super::Error;
use super::alike::Alike;
use super::groups::{Grouping, NONE};
use super::leaf::transaction;
use super::pieces;
use super::texts::Texts;
use super::view::View;
use crate::narration::Scratch;
use crate::recurring::{self, Entry};
use crate::rules::ir::Column as Source;
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
            all.extend(numbers.into_iter().map(|number| known.get(number as usize).copied().unwrap_or(NONE)));
        }
        all
    }
}

/// The other sides of the records.
#[derive(Debug, Default)]
pub(crate) struct Counterparties {
    /// Each name once; one name has one number in all statements of the view.
    pub names: Vec<Arc<str>>,
    /// The number of each row's, [`NONE`] where the narration says nobody.
    pub of_rows: Vec<u32>,
}

impl Counterparties {
    pub(super) fn of(view: &View, program: &Program, alike: &Alike) -> Result<Self, Error> {
        let column = |name: &str| Ok::<_, Error>(Texts::of(view.frame.column(name)?.str()?));
        let (desc, people) = (column("desc")?, column("people")?);
        let (credits, is_silent) = (transaction(view, Source::Credit)?, people.is_silent());
        let is_credit = credits.is_positive();
        let people = |row| (!is_silent).then(|| people.get(row)).filter(|people| !people.is_empty());
        let mut names = Names::default();
        let mut numbers = |rows: &[u32]| {
            let pieces = pieces::of_all(view.row_count, rows, PARTS, |rows| {
                let (mut names, mut scratch) = (Names::default(), Scratch::default());
                let number = |row: &u32| {
                    let row = *row as usize;
                    let (narration, is_credit) = (Some(desc.get(row)), is_credit(row));
                    let key = program.normaliser.key_in(&mut scratch, narration, people(row), is_credit);
                    key.map_or(NONE, |key| names.number(key))
                };
                (rows.iter().map(number).collect::<Vec<u32>>(), names)
            });
            names.numbers_of(pieces)
        };
        let of_firsts = numbers(alike.firsts());
        let mut of_rows: Vec<u32> = alike.of_rows().iter().map(|kind| of_firsts[*kind as usize]).collect();
        if !is_silent {
            // The provider may know more of one than of the other.
            let first = |row: usize| alike.firsts()[alike.of_rows()[row] as usize] as usize;
            let others = (0..view.row_count).filter(|row| people(*row) != people(first(*row)));
            let others: Vec<u32> = others.map(|row| row as u32).collect();
            others.iter().zip(numbers(&others)).for_each(|(row, number)| of_rows[*row as usize] = number);
        }
        Ok(Self { names: names.list, of_rows })
    }

    /// The name of this number.
    pub(crate) fn name(&self, number: u32) -> Option<&str> {
        self.names.get(number as usize).map(AsRef::as_ref)
    }

    /// The counterparties of each statement, in the order in which they are first seen.
    pub(super) fn grouping(&self, view: &View) -> Grouping {
        let mut grouping = Grouping::new(view.rows.len());
        // The group of a name in the statement at hand; of others it says nothing.
        let mut of_name = vec![(usize::MAX, 0); self.names.len()];
        for (statement, rows) in view.rows.iter().enumerate() {
            let mut members = Vec::with_capacity(rows.len());
            let mut groups = 0;
            for row in rows.clone().filter(|row| self.of_rows[*row] != NONE) {
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

    pub(super) fn streams(&self, view: &View, program: &Program) -> Result<Grouping, Error> {
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
            for row in rows.clone().filter(|row| self.of_rows[*row] != NONE) {
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
