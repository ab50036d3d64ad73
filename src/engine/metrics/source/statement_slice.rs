//! Some statements of a frame, and which rows count. Computes no metric.

use std::ops::Range;

use polars::prelude::*;

use super::period::CoveredPeriod;
use super::policy_reading::reading;
use crate::base::date::Day;
use crate::engine::metrics::Error;
use crate::engine::metrics::column::validity_bits;
use crate::rules::PolicySet;
use crate::statement::{Head, Statements, check_reading_of};

/// Some statements of a frame. Rows are numbered from the first row of the first statement.
pub(crate) struct StatementSlice<'a> {
    pub frame: DataFrame,
    pub heads: &'a [Head],
    /// Rows that count: those up to `as_of`.
    pub rows: Vec<Range<usize>>,
    pub row_count: usize,
    pub as_of: Vec<Option<Day>>,
    /// `as_of` was not given: it is the day of each statement's last record, which says nothing about today.
    pub is_last_day: bool,
    /// The day of each row.
    pub dates: Vec<i32>,
    /// What each statement covers, up to `as_of`; `None` if nothing shows it.
    pub periods: Vec<Option<CoveredPeriod>>,
    pub has_debit: Vec<bool>,
    pub has_balance: Vec<bool>,
    /// Whether some record that counts has a narration; true if no record counts.
    pub has_narration: Vec<bool>,
    /// As `has_narration`, counting people too.
    pub has_names: Vec<bool>,
}

impl<'a> StatementSlice<'a> {
    /// The statements `which` as of a day, or as of the last record of each. They must have been read as the policy
    /// reads statements.
    pub(crate) fn new(
        policies: &dyn PolicySet,
        statements: &'a Statements,
        which: Range<usize>,
        as_of: Option<Day>,
    ) -> Result<Self, Error> {
        let heads = &statements.heads()[which];
        check_reading_of(heads, &reading(policies))?;
        let first = heads.first().map_or(0, |head| head.rows.start);
        let last = heads.last().map_or(0, |head| head.rows.end);
        let frame = statements.frame().slice(first as i64, last - first);
        let mut slice = Self {
            heads,
            rows: Vec::new(),
            row_count: last - first,
            as_of: Vec::new(),
            is_last_day: as_of.is_none(),
            dates: dates(&frame)?,
            periods: Vec::new(),
            has_debit: Vec::new(),
            has_balance: Vec::new(),
            has_narration: Vec::new(),
            has_names: Vec::new(),
            frame: DataFrame::empty(),
        };
        let (debit, balance) = (frame.column("debit")?.i64()?, validity_bits(frame.column("balance")?.i64()?));
        let (desc, people) = (frame.column("desc")?.str()?, frame.column("people")?.str()?);
        let some = |texts: &StringChunked, rows: &Range<usize>| {
            // Mostly found in the first rows.
            rows.is_empty() || texts.slice(rows.start as i64, rows.len()).first_non_null().is_some()
        };
        for head in heads {
            let range = head.rows.start - first..head.rows.end - first;
            let until = match as_of {
                Some(day) => range.start + slice.dates[range.clone()].partition_point(|date| *date <= day.days()),
                None => range.end,
            };
            let rows = range.start..until;
            slice.periods.push(CoveredPeriod::find(head.quality.period, &slice.dates[rows.clone()], as_of));
            slice.as_of.push(as_of.or_else(|| rows.clone().next_back().map(|row| Day::from_days(slice.dates[row]))));
            let debits = debit.slice(rows.start as i64, rows.len());
            slice.has_debit.push(head.knows_debits(debits.iter().flatten()));
            slice.has_balance.push(balance.as_ref().map_or(!rows.is_empty(), |known| known.count(rows.clone()) > 0));
            let narrates = !head.lacks_narrations && some(desc, &rows);
            slice.has_narration.push(narrates);
            slice.has_names.push(narrates || !head.lacks_narrations && some(people, &rows));
            slice.rows.push(rows);
        }
        slice.frame = frame;
        Ok(slice)
    }

    /// Statements without known records, as of a day.
    pub(crate) fn without_records(heads: &'a [Head], as_of: Option<Day>) -> Self {
        Self {
            heads,
            rows: vec![0..0; heads.len()],
            row_count: 0,
            as_of: vec![as_of; heads.len()],
            is_last_day: false,
            dates: Vec::new(),
            periods: vec![None; heads.len()],
            has_debit: vec![false; heads.len()],
            has_balance: vec![false; heads.len()],
            has_narration: vec![true; heads.len()],
            has_names: vec![true; heads.len()],
            frame: DataFrame::empty(),
        }
    }

    /// The statement that a row belongs to.
    pub(crate) fn statement_of_row(&self, row: usize) -> u32 {
        self.heads.partition_point(|head| head.rows.start - self.heads[0].rows.start <= row).saturating_sub(1) as u32
    }
}

/// The days of `trans_date`.
fn dates(frame: &DataFrame) -> Result<Vec<i32>, Error> {
    let column = frame.column("trans_date")?.to_physical_repr();
    let mut dates = Vec::with_capacity(column.len());
    column.i32()?.downcast_iter().for_each(|chunk| dates.extend_from_slice(chunk.values()));
    Ok(dates)
}
