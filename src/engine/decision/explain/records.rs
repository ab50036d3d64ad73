//! The records of a frame as shown, and totals by day. Knows no rules.

use std::ops::Range;

use polars::prelude::{DataFrame, PolarsResult};

use super::explanation::{DayTotals, Record};
use crate::base::date::Day;
use crate::statement::printed_narrations;

/// The shown values of each record of a frame.
pub(in crate::engine::decision) struct Records {
    ids: Vec<Option<String>>,
    days: Vec<Option<i32>>,
    credits: Vec<Option<i64>>,
    debits: Vec<Option<i64>>,
    balances: Vec<Option<i64>>,
    narrations: Vec<Option<String>>,
}

impl Records {
    pub(super) fn from_frame(frame: &DataFrame) -> PolarsResult<Records> {
        let texts = |name: &str| -> PolarsResult<Vec<Option<String>>> {
            Ok(frame.column(name)?.str()?.iter().map(|text| text.map(str::to_owned)).collect())
        };
        let numbers =
            |name: &str| -> PolarsResult<Vec<Option<i64>>> { Ok(frame.column(name)?.i64()?.iter().collect()) };
        Ok(Records {
            ids: texts("id")?,
            days: frame.column("trans_date")?.date()?.phys.iter().collect(),
            credits: numbers("credit")?,
            debits: numbers("debit")?,
            balances: numbers("balance")?,
            narrations: printed_narrations(frame)?,
        })
    }

    /// The record at a row of the frame, in a statement that begins at `first`.
    pub(in crate::engine::decision) fn record(&self, row: usize, first: usize) -> Record {
        Record {
            row: row - first + 1,
            id: self.ids[row].clone(),
            day: self.days[row].map(Day::from_days),
            credit: self.credits[row],
            debit: self.debits[row],
            balance: self.balances[row],
            narration: self.narrations[row].clone(),
        }
    }

    pub(super) fn brings_money(&self, row: usize) -> bool {
        self.credits[row].is_some_and(|credit| credit > 0)
    }

    /// Sums saturate: they are for a chart.
    pub(super) fn by_day(&self, rows: Range<usize>) -> Vec<DayTotals> {
        let mut days: Vec<DayTotals> = Vec::new();
        for row in rows {
            let Some(day) = self.days[row].map(Day::from_days) else { continue };
            if days.last().is_none_or(|last| last.day != day) {
                days.push(DayTotals { day, inflow: 0, outflow: 0, balance: None });
            }
            let Some(last) = days.last_mut() else { continue };
            last.inflow = last.inflow.saturating_add(self.credits[row].unwrap_or(0));
            last.outflow = last.outflow.saturating_add(self.debits[row].unwrap_or(0));
            last.balance = self.balances[row].or(last.balance);
        }
        days
    }
}
