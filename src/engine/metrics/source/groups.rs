//! The groups that the records of statements form: months, weeks, days, counterparties, streams. Computes no metric.

use std::sync::OnceLock;

use super::codes::Code;
use super::counterparties::Counterparties;
use super::grouping::Grouping;
use super::narration_dedup::NarrationKinds;
use super::records;
use super::statement_slice::StatementSlice;
use crate::engine::metrics::Error;
use crate::engine::metrics::column::{RowIndices, Texts};
use crate::rules::graph::{Group, TransactionColumn};
use crate::rules::program::Program;

/// All kinds of groups that a program needs, each computed on first use.
pub(crate) struct Groups<'a> {
    pub program: &'a Program,
    pub slice: &'a StatementSlice<'a>,
    groupings: [OnceLock<Grouping>; Group::ALL.len()],
    narration_kinds: OnceLock<NarrationKinds>,
    counterparties: OnceLock<Counterparties>,
    /// The group of every row, by the kind of groups.
    group_of_rows: [OnceLock<RowIndices>; Group::ALL.len()],
    statement_of_rows: OnceLock<RowIndices>,
}

impl<'a> Groups<'a> {
    pub(crate) fn new(program: &'a Program, slice: &'a StatementSlice<'a>) -> Self {
        Self {
            program,
            slice,
            groupings: Default::default(),
            narration_kinds: OnceLock::new(),
            counterparties: OnceLock::new(),
            group_of_rows: Default::default(),
            statement_of_rows: OnceLock::new(),
        }
    }

    /// The group of every row.
    pub(in crate::engine::metrics) fn group_of_rows(&self, group: Group) -> Result<&RowIndices, Error> {
        let grouping = self.grouping(group)?;
        Ok(self.group_of_rows[group as usize].get_or_init(|| grouping.group_of_rows(self.slice.row_count)))
    }

    /// The statement of every row, including rows that do not count.
    pub(in crate::engine::metrics) fn statement_of_rows(&self) -> &RowIndices {
        self.statement_of_rows.get_or_init(|| {
            let heads = self.slice.heads.iter().enumerate();
            let each = heads.flat_map(|(statement, head)| std::iter::repeat_n(statement as u32, head.rows.len()));
            RowIndices::new(each.collect())
        })
    }

    pub(crate) fn grouping(&self, group: Group) -> Result<&Grouping, Error> {
        let cell = &self.groupings[group as usize];
        if let Some(grouping) = cell.get() {
            return Ok(grouping);
        }
        let grouping = match group {
            Group::Month | Group::Week | Group::Day => Grouping::calendar(self.slice, group),
            Group::Counterparty => self.counterparties()?.grouping(self.slice),
            Group::Stream => self.counterparties()?.streams(self.slice, self.program)?,
        };
        Ok(cell.get_or_init(|| grouping))
    }

    /// Which narrations differ only in their numbers, if enough nodes read narrations.
    pub(in crate::engine::metrics) fn narration_kinds(&self) -> Result<&NarrationKinds, Error> {
        if let Some(kinds) = self.narration_kinds.get() {
            return Ok(kinds);
        }
        let kinds = match self.program.quick.finds_alike {
            true => {
                let credits = records::read_record_column(self.slice, TransactionColumn::Credit)?;
                let narrations = Texts::from_column(self.slice.frame.column("desc")?.str()?);
                NarrationKinds::find(&narrations, credits.is_positive())
            }
            false => NarrationKinds::all_distinct(self.slice.row_count),
        };
        Ok(self.narration_kinds.get_or_init(|| kinds))
    }

    /// The codes of a statement, if names were found.
    pub(crate) fn codes(&self, statement: usize) -> impl Iterator<Item = &Code> {
        let codes = self.counterparties.get().map_or(&[][..], |found| &found.codes);
        codes.iter().filter(move |(of, _)| *of == statement).map(|(_, code)| code)
    }

    pub(crate) fn knows_counterparties(&self) -> bool {
        self.counterparties.get().is_some()
    }

    pub(crate) fn counterparties(&self) -> Result<&Counterparties, Error> {
        if let Some(found) = self.counterparties.get() {
            return Ok(found);
        }
        let found = Counterparties::find(self.slice, self.program, self.narration_kinds()?)?;
        Ok(self.counterparties.get_or_init(|| found))
    }
}
