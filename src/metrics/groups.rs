//! The groups that the records of statements make: months, weeks, days, counterparties, recurring streams. Computes no metric.

use std::ops::Range;
use std::sync::OnceLock;

use super::Error;
use super::alike::Alike;
use super::codes::Code;
use super::counterparties::Counterparties;
use super::leaf;
use super::picked::Source;
use super::texts::Texts;
use super::view::View;
use crate::recurring::Stream;
use crate::rules::graph::{Column, Group};
use crate::rules::program::Program;
use crate::words::date::Day;

/// One sort of groups of all statements of a view.
#[derive(Debug)]
pub(crate) struct Grouping {
    /// The groups of each statement.
    pub statements: Vec<Range<usize>>,
    /// The records of each group: rows of the view, or places in `order`.
    pub rows: Vec<Range<usize>>,
    /// Where a group's records stand apart: the rows of one group after those of another, in their order within each.
    pub order: Option<Vec<u32>>,
    /// What a calendar says of each group.
    pub calendar: Vec<Span>,
    /// What is known of each stream.
    pub streams: Vec<Stream>,
    /// The statement of each, once asked for.
    of_statements: OnceLock<Source>,
}

/// A month, a week or a day of a statement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub start: Day,
    /// The statement covers all of it.
    pub full: bool,
    /// 0 for the latest full one.
    pub full_ago: Option<i64>,
    pub number: i64,
}

/// A row that belongs to no group, or has no neighbour.
pub(crate) const NONE: u32 = u32::MAX;

impl Grouping {
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The statement that a group belongs to.
    pub(crate) fn statement_of(&self, group: usize) -> u32 {
        self.statements.partition_point(|range| range.end <= group) as u32
    }

    /// The rows of the view that belong to a group, in their order.
    pub(crate) fn rows_of(&self, group: usize) -> impl Iterator<Item = usize> + '_ {
        self.rows[group].clone().map(|place| self.order.as_ref().map_or(place, |order| order[place] as usize))
    }

    /// The statement of every group.
    pub(super) fn statement_of_groups(&self) -> &Source {
        self.of_statements.get_or_init(|| {
            let groups = self.statements.iter().enumerate();
            let each = groups.flat_map(|(statement, groups)| std::iter::repeat_n(statement as u32, groups.len()));
            Source::new(each.collect())
        })
    }

    /// The group of every row.
    fn of_rows(&self, rows: usize) -> Source {
        let mut of = vec![NONE; rows];
        for (group, places) in self.rows.iter().enumerate() {
            match &self.order {
                None => of[places.clone()].fill(group as u32),
                Some(order) => order[places.clone()].iter().for_each(|row| of[*row as usize] = group as u32),
            }
        }
        Source::new(of)
    }

    pub(super) fn new(statements: usize) -> Self {
        let (rows, calendar, streams) = (Vec::new(), Vec::new(), Vec::new());
        let statements = Vec::with_capacity(statements);
        Self { statements, rows, order: None, calendar, streams, of_statements: OnceLock::new() }
    }

    fn calendar(view: &View, group: Group) -> Self {
        let mut grouping = Self::new(view.rows.len());
        for rows in &view.rows {
            let from = grouping.rows.len();
            grouping.add_spans(&view.dates, rows.clone(), group);
            grouping.statements.push(from..grouping.rows.len());
        }
        grouping
    }

    fn add_spans(&mut self, dates: &[i32], rows: Range<usize>, group: Group) {
        let counted = &dates[rows.clone()];
        let (Some(first), Some(last)) = (counted.first().copied(), counted.last().copied()) else { return };
        let from = self.calendar.len();
        let (mut start, mut row) = (start_of(group, first), rows.start);
        while start <= last {
            let next = next_start(group, start);
            let end = row + dates[row..rows.end].partition_point(|date| *date < next);
            let full = first <= start && last >= next - 1;
            let number = (self.calendar.len() - from) as i64;
            // The week of the first day that there is may begin before it.
            let start_day = Day::checked_from_days(start).unwrap_or(Day::from_days(first));
            self.calendar.push(Span { start: start_day, full, full_ago: None, number });
            self.rows.push(row..end);
            (row, start) = (end, next);
        }
        for (ago, span) in self.calendar[from..].iter_mut().rev().filter(|span| span.full).enumerate() {
            span.full_ago = Some(ago as i64);
        }
    }

    /// The rows of each of so many groups in a statement, one group after the other.
    pub(super) fn add_scattered(&mut self, groups: usize, members: impl Iterator<Item = (u32, u32)> + Clone) {
        let order = self.order.get_or_insert_default();
        let (from, base) = (self.rows.len(), order.len());
        let mut counts = vec![0; groups];
        members.clone().for_each(|(_, group)| counts[group as usize] += 1);
        let mut start = base;
        let mut next = Vec::with_capacity(groups);
        for count in counts {
            next.push(start);
            self.rows.push(start..start + count);
            start += count;
        }
        order.resize(start, 0);
        for (row, group) in members {
            order[next[group as usize]] = row;
            next[group as usize] += 1;
        }
        self.statements.push(from..self.rows.len());
    }
}

/// The first day of the group that a day is in.
fn start_of(group: Group, day: i32) -> i32 {
    match group {
        Group::Month => Day::from_days(day).month_start().days(),
        Group::Week => day + 1 - Day::from_days(day).weekday() as i32,
        _ => day,
    }
}

fn next_start(group: Group, start: i32) -> i32 {
    match group {
        Group::Month => {
            let (year, month, _) = Day::from_days(start).ymd();
            let (year, month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
            Day::from_ymd(year, month, 1).map_or(start + 31, Day::days)
        }
        Group::Week => start + 7,
        _ => start + 1,
    }
}

/// All sorts of groups that the records of a view make for a program, each worked out when first asked for.
pub(crate) struct Groups<'a> {
    pub program: &'a Program,
    pub view: &'a View<'a>,
    groupings: [OnceLock<Grouping>; Group::ALL.len()],
    alike: OnceLock<Alike>,
    counterparties: OnceLock<Counterparties>,
    /// The group of every row, by the sort of groups.
    of_rows: [OnceLock<Source>; Group::ALL.len()],
    statement_of_rows: OnceLock<Source>,
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
    pub(super) fn group_of_rows(&self, group: Group) -> Result<&Source, Error> {
        let grouping = self.of(group)?;
        Ok(self.of_rows[group as usize].get_or_init(|| grouping.of_rows(self.view.row_count)))
    }

    /// The statement of every row, also of those that do not count.
    pub(super) fn statement_of_rows(&self) -> &Source {
        self.statement_of_rows.get_or_init(|| {
            let heads = self.view.heads.iter().enumerate();
            let each = heads.flat_map(|(statement, head)| std::iter::repeat_n(statement as u32, head.rows.len()));
            Source::new(each.collect())
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
    pub(super) fn alike(&self) -> Result<&Alike, Error> {
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
