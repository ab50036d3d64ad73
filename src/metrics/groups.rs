//! The groups that the records of statements make: months, weeks, days, counterparties, recurring streams. Computes no metric.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;

use super::Error;
use super::view::View;
use crate::recurring::{self, Entry, Stream};
use crate::rules::ir::Group;
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
    pub order: Option<Vec<usize>>,
    /// What a calendar says of each group.
    pub calendar: Vec<Span>,
    /// What is known of each stream.
    pub streams: Vec<Stream>,
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
pub(crate) const NONE: usize = usize::MAX;

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
        self.rows[group].clone().map(|place| self.order.as_ref().map_or(place, |order| order[place]))
    }

    /// The group of every row, [`NONE`] for those without.
    pub(crate) fn of_rows(&self, rows: usize) -> Vec<usize> {
        let mut of = vec![NONE; rows];
        for group in 0..self.len() {
            self.rows_of(group).for_each(|row| of[row] = group);
        }
        of
    }

    fn new(statements: usize) -> Self {
        let (rows, calendar, streams) = (Vec::new(), Vec::new(), Vec::new());
        Self { statements: Vec::with_capacity(statements), rows, order: None, calendar, streams }
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
    fn add_scattered(&mut self, groups: usize, members: impl Iterator<Item = (usize, usize)> + Clone) {
        let order = self.order.get_or_insert_default();
        let (from, base) = (self.rows.len(), order.len());
        let mut counts = vec![0; groups];
        members.clone().for_each(|(_, group)| counts[group] += 1);
        let mut start = base;
        let mut next = Vec::with_capacity(groups);
        for count in counts {
            next.push(start);
            self.rows.push(start..start + count);
            start += count;
        }
        order.resize(start, 0);
        for (row, group) in members {
            order[next[group]] = row;
            next[group] += 1;
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

/// The other sides of the records.
#[derive(Debug, Default)]
pub(crate) struct Counterparties {
    /// Each name once; one name has one number in all statements of the view.
    pub names: Vec<String>,
    /// The number of each row's, [`NONE`] where the narration says nobody.
    pub of_rows: Vec<usize>,
}

impl Counterparties {
    fn of(view: &View, program: &Program) -> Result<Self, Error> {
        let (desc, people) = (view.frame.column("desc")?.str()?, view.frame.column("people")?.str()?);
        let credit = view.frame.column("credit")?.i64()?;
        let mut found = Self::default();
        let mut numbers: HashMap<String, usize> = HashMap::new();
        for ((desc, people), credit) in desc.iter().zip(people.iter()).zip(credit.iter()) {
            let Some(key) = program.normaliser.key(desc, people, credit.is_some_and(|credit| credit > 0)) else {
                found.of_rows.push(NONE);
                continue;
            };
            let number = *numbers.entry(key).or_insert_with_key(|key| {
                found.names.push(key.clone());
                found.names.len() - 1
            });
            found.of_rows.push(number);
        }
        Ok(found)
    }

    /// The counterparties of each statement, in the order in which they are first seen.
    fn grouping(&self, view: &View) -> Grouping {
        let mut grouping = Grouping::new(view.rows.len());
        // The group of a name in the statement at hand; of others it says nothing.
        let mut of_name = vec![(NONE, 0); self.names.len()];
        for (statement, rows) in view.rows.iter().enumerate() {
            let mut members = Vec::new();
            let mut groups = 0;
            for row in rows.clone().filter(|row| self.of_rows[*row] != NONE) {
                let (of_statement, group) = &mut of_name[self.of_rows[row]];
                if *of_statement != statement {
                    (*of_statement, *group) = (statement, groups);
                    groups += 1;
                }
                members.push((row, *group));
            }
            grouping.add_scattered(groups, members.iter().copied());
        }
        grouping
    }

    fn streams(&self, view: &View, program: &Program) -> Result<Grouping, Error> {
        let (credit, debit) = (view.frame.column("credit")?.i64()?, view.frame.column("debit")?.i64()?);
        let tolerance = program.stream_tolerance.unwrap_or(recurring::TOLERANCE);
        // Numbered anew in each statement: what others' counterparties are called must not matter.
        let mut local = vec![(NONE, 0); self.names.len()];
        let mut grouping = Grouping::new(view.rows.len());
        for (statement, rows) in view.rows.iter().enumerate() {
            let as_of = view.as_of[statement].map_or(0, Day::days);
            let (mut entries, mut rows_of) = (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
            let mut names: Vec<&str> = Vec::new();
            for row in rows.clone().filter(|row| self.of_rows[*row] != NONE) {
                let (credit, debit) = (credit.get(row).unwrap_or(0), debit.get(row).unwrap_or(0));
                let (is_credit, amount) = if credit > 0 { (true, credit) } else { (false, debit) };
                if amount > 0 {
                    let (of_statement, key) = &mut local[self.of_rows[row]];
                    if *of_statement != statement {
                        (*of_statement, *key) = (statement, names.len() as u32);
                        names.push(&self.names[self.of_rows[row]]);
                    }
                    entries.push(Entry { day: view.dates[row], amount, is_credit, key: *key });
                    rows_of.push(row);
                }
            }
            let found = recurring::streams(&entries, &names, as_of, tolerance);
            let rows_of = &rows_of;
            let members = found.iter().enumerate();
            let members = members.flat_map(|(stream, found)| found.rows.iter().map(move |row| (rows_of[*row], stream)));
            grouping.add_scattered(found.len(), members);
            grouping.streams.extend(found);
        }
        Ok(grouping)
    }
}

/// All sorts of groups that the records of a view make for a program, each worked out when first asked for.
pub(crate) struct Groups<'a> {
    pub program: &'a Program,
    pub view: &'a View<'a>,
    groupings: [OnceLock<Grouping>; Group::ALL.len()],
    counterparties: OnceLock<Counterparties>,
}

impl<'a> Groups<'a> {
    pub(crate) fn new(program: &'a Program, view: &'a View<'a>) -> Self {
        Self { program, view, groupings: Default::default(), counterparties: OnceLock::new() }
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

    pub(crate) fn counterparties(&self) -> Result<&Counterparties, Error> {
        if let Some(found) = self.counterparties.get() {
            return Ok(found);
        }
        let found = Counterparties::of(self.view, self.program)?;
        Ok(self.counterparties.get_or_init(|| found))
    }
}
