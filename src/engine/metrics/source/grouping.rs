//! One kind of groups: months, weeks and days by the calendar, or groups with scattered rows.

use std::ops::Range;
use std::sync::OnceLock;

use super::period::CoveredPeriod;
use super::statement_slice::StatementSlice;
use crate::base::date::Day;
use crate::engine::metrics::column::{NO_ROW, RowIndices};
use crate::engine::recurring::Stream;
use crate::rules::graph::Group;

/// One kind of groups of all statements of a slice.
#[derive(Debug)]
pub(crate) struct Grouping {
    /// The groups of each statement.
    pub statements: Vec<Range<usize>>,
    /// The records of each group: rows of the slice, or positions in `order`.
    pub rows: Vec<Range<usize>>,
    /// For groups with scattered rows: the rows of each group after those of another, in order within each.
    pub order: Option<Vec<u32>>,
    /// The calendar's data of each group.
    pub calendar: Vec<CalendarSpan>,
    /// The streams.
    pub streams: Vec<Stream>,
    /// The statement of each group, computed on first use.
    statement_of_groups: OnceLock<RowIndices>,
}

/// A month, a week or a day of a statement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CalendarSpan {
    pub start: Day,
    /// The statement covers all of it.
    pub full: bool,
    /// 0 for the latest full one.
    pub full_ago: Option<i64>,
    pub number: i64,
}

impl Grouping {
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The statement that a group belongs to.
    pub(crate) fn statement_of(&self, group: usize) -> u32 {
        self.statements.partition_point(|range| range.end <= group) as u32
    }

    /// The rows of a group, in order.
    pub(crate) fn rows_of(&self, group: usize) -> impl Iterator<Item = usize> + '_ {
        self.rows[group].clone().map(|place| self.order.as_ref().map_or(place, |order| order[place] as usize))
    }

    /// The statement of every group.
    pub(in crate::engine::metrics) fn statement_of_groups(&self) -> &RowIndices {
        self.statement_of_groups.get_or_init(|| {
            let groups = self.statements.iter().enumerate();
            let each = groups.flat_map(|(statement, groups)| std::iter::repeat_n(statement as u32, groups.len()));
            RowIndices::new(each.collect())
        })
    }

    /// The group of every row.
    pub(super) fn group_of_rows(&self, rows: usize) -> RowIndices {
        let mut group_of_rows = vec![NO_ROW; rows];
        for (group, places) in self.rows.iter().enumerate() {
            match &self.order {
                None => group_of_rows[places.clone()].fill(group as u32),
                Some(order) => order[places.clone()].iter().for_each(|row| group_of_rows[*row as usize] = group as u32),
            }
        }
        RowIndices::new(group_of_rows)
    }

    pub(in crate::engine::metrics) fn new(statements: usize) -> Self {
        let (rows, calendar, streams) = (Vec::new(), Vec::new(), Vec::new());
        let statements = Vec::with_capacity(statements);
        Self { statements, rows, order: None, calendar, streams, statement_of_groups: OnceLock::new() }
    }

    pub(super) fn calendar(slice: &StatementSlice, group: Group) -> Self {
        let mut grouping = Self::new(slice.rows.len());
        for (rows, period) in slice.rows.iter().zip(&slice.periods) {
            let from = grouping.rows.len();
            if let Some(period) = period {
                grouping.add_spans(&slice.dates, rows.clone(), group, *period);
            }
            grouping.statements.push(from..grouping.rows.len());
        }
        grouping
    }

    fn add_spans(&mut self, dates: &[i32], rows: Range<usize>, group: Group, period: CoveredPeriod) {
        let counted = &dates[rows.clone()];
        let (Some(first), Some(last)) = (counted.first().copied(), counted.last().copied()) else { return };
        // After the last record, only a stated period shows that there was nothing.
        let end = if group == Group::Day { last } else { last.max(period.known_to) };
        let from = self.calendar.len();
        let (mut start, mut row) = (start_of(group, first), rows.start);
        while start <= end {
            let next = next_start(group, start);
            let end = row + dates[row..rows.end].partition_point(|date| *date < next);
            let full = group == Group::Day || (period.from <= start && period.to >= next - 1);
            let number = (self.calendar.len() - from) as i64;
            // The week of the first valid day may begin before it.
            let start_day = Day::checked_from_days(start).unwrap_or(Day::from_days(first));
            self.calendar.push(CalendarSpan { start: start_day, full, full_ago: None, number });
            self.rows.push(row..end);
            (row, start) = (end, next);
        }
        for (ago, span) in self.calendar[from..].iter_mut().rev().filter(|span| span.full).enumerate() {
            span.full_ago = Some(ago as i64);
        }
    }

    /// Adds a statement's groups, whose members are scattered.
    pub(in crate::engine::metrics) fn add_scattered(
        &mut self,
        groups: usize,
        members: impl Iterator<Item = (u32, u32)> + Clone,
    ) {
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
