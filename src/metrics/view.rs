//! Some statements of a frame as slices: which rows count, and which months they make. Computes no metric.

use std::ops::Range;

use polars::prelude::*;

use super::Error;
use crate::statement::{Head, Statements};
use crate::words::date::Day;

/// One calendar month of a statement.
#[derive(Clone, Debug)]
pub(crate) struct Month {
    pub start: Day,
    pub rows: Range<usize>,
    pub full: bool,
    /// 0 for the latest full month.
    pub full_months_ago: Option<i64>,
    pub number: i64,
}

/// Some statements of a frame. Rows are counted from the first row of the first of them.
pub(crate) struct View<'a> {
    pub frame: DataFrame,
    pub heads: &'a [Head],
    /// Rows that count: those up to `as_of`.
    pub rows: Vec<Range<usize>>,
    pub row_count: usize,
    pub as_of: Vec<Option<Day>>,
    pub months: Vec<Month>,
    /// The months of each statement.
    pub month_ranges: Vec<Range<usize>>,
    pub has_debit: Vec<bool>,
    pub has_balance: Vec<bool>,
    /// For each row, the word lists that its narration mentions; found once, when first asked for.
    pub masks: std::sync::OnceLock<Vec<u64>>,
}

impl<'a> View<'a> {
    /// The statements `which` as of a day, or as of the last record of each.
    pub(crate) fn new(statements: &'a Statements, which: Range<usize>, as_of: Option<Day>) -> Result<Self, Error> {
        let heads = &statements.heads()[which];
        let first = heads.first().map_or(0, |head| head.rows.start);
        let last = heads.last().map_or(0, |head| head.rows.end);
        let frame = statements.frame().slice(first as i64, last - first);
        let dates = dates(&frame)?;
        let mut view = Self {
            heads,
            rows: Vec::new(),
            row_count: last - first,
            as_of: Vec::new(),
            months: Vec::new(),
            month_ranges: Vec::new(),
            has_debit: Vec::new(),
            has_balance: Vec::new(),
            masks: Default::default(),
            frame: DataFrame::empty(),
        };
        let (debit, balance) = (known(&frame, "debit")?, known(&frame, "balance")?);
        for head in heads {
            let range = head.rows.start - first..head.rows.end - first;
            let until = match as_of {
                Some(day) => range.start + dates[range.clone()].partition_point(|date| *date <= day.days()),
                None => range.end,
            };
            let rows = range.start..until;
            view.as_of.push(as_of.or_else(|| rows.clone().next_back().map(|row| Day::from_days(dates[row]))));
            view.has_debit.push(head.shows_debits || debit.any(rows.clone()));
            view.has_balance.push(balance.any(rows.clone()));
            view.add_months(&dates, rows.clone());
            view.rows.push(rows);
        }
        drop((debit, balance));
        view.frame = frame;
        Ok(view)
    }

    /// Statements of which no record is known, as of a day.
    pub(crate) fn without_records(heads: &'a [Head], as_of: Option<Day>) -> Self {
        Self {
            heads,
            rows: vec![0..0; heads.len()],
            row_count: 0,
            as_of: vec![as_of; heads.len()],
            months: Vec::new(),
            month_ranges: vec![0..0; heads.len()],
            has_debit: vec![false; heads.len()],
            has_balance: vec![false; heads.len()],
            masks: Default::default(),
            frame: DataFrame::empty(),
        }
    }

    fn add_months(&mut self, dates: &[i32], rows: Range<usize>) {
        let from = self.months.len();
        if let (Some(first), Some(last)) =
            (dates.get(rows.start), rows.end.checked_sub(1).and_then(|row| dates.get(row)))
            && !rows.is_empty()
        {
            let mut start = Day::from_days(*first).month_start();
            let mut row = rows.start;
            let mut number = 0;
            while start.days() <= *last {
                let next = next_month(start);
                let end = row + dates[row..rows.end].partition_point(|date| *date < next.days());
                let full = *first <= start.days() && *last >= next.days() - 1;
                self.months.push(Month { start, rows: row..end, full, full_months_ago: None, number });
                (row, start, number) = (end, next, number + 1);
            }
        }
        for (ago, month) in self.months[from..].iter_mut().rev().filter(|month| month.full).enumerate() {
            month.full_months_ago = Some(ago as i64);
        }
        self.month_ranges.push(from..self.months.len());
    }

    /// The statement that a row belongs to.
    pub(crate) fn statement_of_row(&self, row: usize) -> u32 {
        self.heads.partition_point(|head| head.rows.start - self.heads[0].rows.start <= row).saturating_sub(1) as u32
    }

    /// The statement that a month belongs to.
    pub(crate) fn statement_of_month(&self, month: usize) -> u32 {
        self.month_ranges.partition_point(|range| range.start <= month && range.end <= month) as u32
    }
}

fn next_month(start: Day) -> Day {
    let (year, month, _) = start.ymd();
    let (year, month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    Day::from_ymd(year, month, 1).unwrap_or(Day::from_days(start.days() + 31))
}

/// Which values of a column are there.
struct Known(Option<polars::prelude::BooleanChunked>, usize);

impl Known {
    fn any(&self, rows: Range<usize>) -> bool {
        match &self.0 {
            None => self.1 > 0 && !rows.is_empty(),
            Some(mask) => mask.slice(rows.start as i64, rows.len()).any(),
        }
    }
}

fn known(frame: &DataFrame, name: &str) -> Result<Known, Error> {
    let column = frame.column(name)?;
    if column.null_count() == 0 {
        return Ok(Known(None, column.len()));
    }
    Ok(Known(Some(column.is_not_null()), column.len()))
}

/// The days of `trans_date`.
fn dates(frame: &DataFrame) -> Result<Vec<i32>, Error> {
    let column = frame.column("trans_date")?.to_physical_repr();
    Ok(column.i32()?.into_no_null_iter().collect())
}
