//! The groups that the records of statements make: months, weeks, days, counterparties, recurring streams. Computes no metric.

use std::sync::OnceLock;

use super::codes::Code;
use super::counterparties::Counterparties;
use super::grouping::Grouping;
use super::narration_dedup::Alike;
use super::records;
use super::statement_slice::View;
use crate::metrics::Error;
use crate::metrics::column::{RowIndices, Texts};
use crate::rules::graph::{Column, Group};
use crate::rules::program::Program;

/// All sorts of groups that the records of a view make for a program, each worked out when first asked for.
pub(crate) struct Groups<'a> {
    pub program: &'a Program,
    pub view: &'a View<'a>,
    groupings: [OnceLock<Grouping>; Group::ALL.len()],
    alike: OnceLock<Alike>,
    counterparties: OnceLock<Counterparties>,
    /// The group of every row, by the sort of groups.
    of_rows: [OnceLock<RowIndices>; Group::ALL.len()],
    statement_of_rows: OnceLock<RowIndices>,
}

impl<'a> Groups<'a> {
    pub(crate) fn new(program: &'a Program, view: &'a View<'a>) -> Self {
        Self {
            program,
            view,
            groupings: Default::default(),
            alike: OnceLock::new(),
            counterparties: OnceLock::new(),
            of_rows: Default::default(),
            statement_of_rows: OnceLock::new(),
        }
    }

    /// The group of every row.
    pub(in crate::metrics) fn group_of_rows(&self, group: Group) -> Result<&RowIndices, Error> {
        let grouping = self.of(group)?;
        Ok(self.of_rows[group as usize].get_or_init(|| grouping.of_rows(self.view.row_count)))
    }

    /// The statement of every row, also of those that do not count.
    pub(in crate::metrics) fn statement_of_rows(&self) -> &RowIndices {
        self.statement_of_rows.get_or_init(|| {
            let heads = self.view.heads.iter().enumerate();
            let each = heads.flat_map(|(statement, head)| std::iter::repeat_n(statement as u32, head.rows.len()));
            RowIndices::new(each.collect())
        })
    }

    pub(crate) fn of(&self, group: Group) -> Result<&Grouping, Error> {
        let cell = &self.groupings[group as usize];
        if let Some(grouping) = cell.get() {
            return Ok(grouping);
        }
        let grouping = match group {
            Group::Month | Group::Week | Group::Day => Grouping::calendar(self.view, group),
            Group::Counterparty => self.counterparties()?.grouping(self.view),
            Group::Stream => self.counterparties()?.streams(self.view, self.program)?,
        };
        Ok(cell.get_or_init(|| grouping))
    }

    /// Which rows are of one side and have narrations that differ in their numbers alone, where enough is asked of narrations.
    pub(in crate::metrics) fn alike(&self) -> Result<&Alike, Error> {
        if let Some(alike) = self.alike.get() {
            return Ok(alike);
        }
        let alike = match self.program.quick.finds_alike {
            true => {
                let credits = leaf::transaction(self.view, Column::Credit)?;
                let narrations = Texts::of(self.view.frame.column("desc")?.str()?);
                Alike::of(&narrations, credits.is_positive())
            }
            false => Alike::apart(self.view.row_count),
        };
        Ok(self.alike.get_or_init(|| alike))
    }

    /// The words of a statement that stand where names do and are nobody's, as far as names were asked for.
    pub(crate) fn codes(&self, statement: usize) -> impl Iterator<Item = &Code> {
        let codes = self.counterparties.get().map_or(&[][..], |found| &found.codes);
        codes.iter().filter(move |(of, _)| *of == statement).map(|(_, code)| code)
    }

    pub(crate) fn counterparties(&self) -> Result<&Counterparties, Error> {
        if let Some(found) = self.counterparties.get() {
            return Ok(found);
        }
        let found = Counterparties::of(self.view, self.program, self.alike()?)?;
        Ok(self.counterparties.get_or_init(|| found))
    }
}
