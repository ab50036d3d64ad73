//! The counterparty of each record, and the groups and streams that its records form. Computes no metric.

use std::sync::Arc;

use super::codes::{Code, CodeSearch};
use super::corrected_records::{CorrectedRecords, NamesOfRows, correct_records};
use super::grouping::Grouping;
use super::names::NumberedNames;
use super::narration_dedup::NarrationKinds;
use super::records::read_record_column;
use super::statement_slice::StatementSlice;
use crate::base::date::Day;
use crate::base::narration::{AfterKey, Scratch, Standing};
use crate::engine::metrics::column::{NAMELESS, Texts};
use crate::engine::metrics::{Error, chunks};
use crate::engine::recurring::{self, StreamEntry};
use crate::rules::graph::TransactionColumn;
use crate::rules::program::Program;

/// The number of chunks in which threads find names. Names found in several chunks are numbered again, so there are few
/// chunks.
const PARTS: usize = 8;

/// The counterparties of the records.
#[derive(Debug, Default)]
pub(crate) struct Counterparties {
    /// Each name once; a name has the same number in all statements.
    pub names: Vec<Arc<str>>,
    /// The number of each row's name, [`NAMELESS`] if the narration names nobody.
    pub name_of_rows: Vec<u32>,
    /// What goes with each row's name.
    pub standing_of_rows: Vec<Standing>,
    /// Words in the place of names that name nobody, by statement.
    pub codes: Vec<(usize, Code)>,
    /// What people said of the records.
    pub corrected: CorrectedRecords,
}

impl Counterparties {
    pub(in crate::engine::metrics) fn find(
        slice: &StatementSlice,
        program: &Program,
        kinds: &NarrationKinds,
    ) -> Result<Self, Error> {
        let column = |name: &str| Ok::<_, Error>(Texts::from_column(slice.frame.column(name)?.str()?));
        let (desc, people) = (column("desc")?, column("people")?);
        let (credits, is_silent) = (read_record_column(slice, TransactionColumn::Credit)?, people.is_silent());
        let is_credit = credits.is_positive();
        let people = |row| (!is_silent).then(|| people.get(row)).filter(|people| !people.is_empty());
        let (mut names, mut leading) = (NumberedNames::default(), Vec::new());
        let mut numbers = |rows: &[u32]| {
            let chunks = chunks::map_items(slice.row_count, rows, PARTS, |rows| {
                let (mut names, mut leading, mut scratch) = (NumberedNames::default(), Vec::new(), Scratch::default());
                let mut number = |row: &u32| {
                    let (at, narration) = (*row as usize, Some(desc.get(*row as usize)));
                    let read = program.normaliser.key_in(&mut scratch, narration, people(at), is_credit(at));
                    let Some(reading) = read else { return (NAMELESS, Standing::default()) };
                    if reading.after_key != AfterKey::Nothing {
                        leading.push((*row, reading.after_key));
                    }
                    (names.number(reading.key), reading.standing)
                };
                let (numbers, standings): (Vec<u32>, Vec<Standing>) = rows.iter().map(&mut number).unzip();
                ((numbers, names), (leading, standings))
            });
            let (chunks, beside): (Vec<_>, Vec<_>) = chunks.into_iter().unzip();
            let (of_chunks, standings): (Vec<_>, Vec<_>) = beside.into_iter().unzip();
            leading.extend(of_chunks.into_iter().flatten());
            (names.numbers_of(chunks), standings.concat())
        };
        let (of_firsts, standing_of_firsts) = numbers(kinds.first_rows());
        let of_kinds = kinds.kind_of_rows().iter().map(|kind| *kind as usize);
        let mut name_of_rows: Vec<u32> = of_kinds.clone().map(|kind| of_firsts[kind]).collect();
        let mut standing_of_rows: Vec<Standing> = of_kinds.map(|kind| standing_of_firsts[kind]).collect();
        let mut others = Vec::new();
        if !is_silent {
            // The provider may know more about one record than about the first of its kind.
            let first = |row: usize| kinds.first_rows()[kinds.kind_of_rows()[row] as usize] as usize;
            others = (0..slice.row_count as u32)
                .filter(|row| people(*row as usize) != people(first(*row as usize)))
                .collect();
            let (numbers, standings) = numbers(&others);
            for (row, (number, standing)) in others.iter().zip(numbers.into_iter().zip(standings)) {
                (name_of_rows[*row as usize], standing_of_rows[*row as usize]) = (number, standing);
            }
        }
        let mut codes = Vec::new();
        if !leading.is_empty() {
            let after_key = after_key_of_rows(kinds, &leading, &others);
            let narrations = &desc;
            let mut search =
                CodeSearch { program, kinds, narrations, names, name_of_rows, standing_of_rows, after_key };
            codes = search.find(&slice.rows, |row| people(row).is_none(), is_credit);
            (names, name_of_rows, standing_of_rows) = (search.names, search.name_of_rows, search.standing_of_rows);
        }
        let mut names = names.list;
        let of_rows =
            NamesOfRows { names: &mut names, name_of_rows: &mut name_of_rows, standing_of_rows: &mut standing_of_rows };
        let corrected = correct_records(slice, program, of_rows)?;
        Ok(Self { names, name_of_rows, standing_of_rows, codes, corrected })
    }

    /// The name with this number.
    pub(crate) fn name(&self, number: u32) -> Option<&str> {
        self.names.get(number as usize).map(AsRef::as_ref)
    }

    /// The counterparties of each statement, in the order of their first records.
    pub(in crate::engine::metrics) fn grouping(&self, slice: &StatementSlice) -> Grouping {
        let mut grouping = Grouping::new(slice.rows.len());
        // The group of a name, valid only in the statement beside it.
        let mut of_name = vec![(usize::MAX, 0); self.names.len()];
        for (statement, rows) in slice.rows.iter().enumerate() {
            let mut members = Vec::with_capacity(rows.len());
            let mut groups = 0;
            for row in rows.clone().filter(|row| self.name_of_rows[*row] != NAMELESS) {
                let (of_statement, group) = &mut of_name[self.name_of_rows[row] as usize];
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

    pub(in crate::engine::metrics) fn streams(
        &self,
        slice: &StatementSlice,
        program: &Program,
    ) -> Result<Grouping, Error> {
        let (credits, debits) = (
            read_record_column(slice, TransactionColumn::Credit)?,
            read_record_column(slice, TransactionColumn::Debit)?,
        );
        let (credit, debit) = (credits.known_ints(), debits.known_ints());
        let tolerance = program.stream_tolerance.unwrap_or(recurring::TOLERANCE);
        // Numbered per statement: names of other statements' counterparties must not matter.
        let mut local = vec![(usize::MAX, 0); self.names.len()];
        let mut grouping = Grouping::new(slice.rows.len());
        for (statement, rows) in slice.rows.iter().enumerate() {
            let as_of = slice.as_of[statement].map_or(0, Day::days);
            let (mut entries, mut rows_of) = (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
            let mut names: Vec<&str> = Vec::new();
            for row in rows.clone().filter(|row| self.name_of_rows[*row] != NAMELESS) {
                let credit = credit(row).unwrap_or(0);
                let (is_credit, amount) = if credit > 0 { (true, credit) } else { (false, debit(row).unwrap_or(0)) };
                if amount > 0 {
                    let name = self.name_of_rows[row] as usize;
                    let (of_statement, key) = &mut local[name];
                    if *of_statement != statement {
                        (*of_statement, *key) = (statement, names.len() as u32);
                        names.push(&self.names[name]);
                    }
                    entries.push(StreamEntry { day: slice.dates[row], amount, is_credit, key: *key });
                    rows_of.push(row as u32);
                }
            }
            let found = recurring::find_recurring_streams(&entries, &names, as_of, tolerance);
            let rows_of = &rows_of;
            let members = found.iter().zip(0..);
            let members = members.flat_map(|(found, stream)| found.rows.iter().map(move |row| (rows_of[*row], stream)));
            grouping.add_scattered(found.len(), members);
            grouping.streams.extend(found);
        }
        Ok(grouping)
    }
}

/// What follows each row's name, from the first row of each kind and the rows that were read separately.
fn after_key_of_rows(kinds: &NarrationKinds, leading: &[(u32, AfterKey)], others: &[u32]) -> Vec<AfterKey> {
    let mut of_kinds = vec![AfterKey::Nothing; kinds.first_rows().len()];
    for (row, after_key) in leading {
        let kind = kinds.kind_of_rows()[*row as usize] as usize;
        if kinds.first_rows()[kind] == *row {
            of_kinds[kind] = *after_key;
        }
    }
    let mut all: Vec<AfterKey> = kinds.kind_of_rows().iter().map(|kind| of_kinds[*kind as usize]).collect();
    others.iter().for_each(|row| all[*row as usize] = AfterKey::Nothing);
    // The first row of a kind is never among the others.
    leading.iter().for_each(|(row, after_key)| all[*row as usize] = *after_key);
    all
}
