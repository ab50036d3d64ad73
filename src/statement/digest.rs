//! What stands for a statement's content: the same for the same records, however they came. Must not know formats, nor who asks.

use std::ops::Range;

use polars::prelude::{Column, DataFrame, PolarsResult};
use polars_arrow::array::PrimitiveArray;
use polars_arrow::types::NativeType;
use rayon::prelude::*;

use crate::statement::frame::Head;
use crate::statement::rows::{NO_DAY, NO_VALUE, TEXT_NAMES};
use crate::statement::texts::{TextRows, Texts};
use crate::words::digest::{Digest, Hasher};

/// From so many rows on, all threads work on the columns.
const LARGE: usize = 10_000;

/// Each column digested by its runs of equal values, then all of them together with the currency, the customer and whether a debit would have
/// been shown.
pub(super) fn digest(frame: &DataFrame, head: &Head) -> PolarsResult<Digest> {
    let rows = &head.rows;
    let first = ["id", "trans_date", "order", "cleared_date", "credit", "debit", "balance"];
    let names = first.into_iter().chain(TEXT_NAMES).chain(["created_at", "last_updated", "flags"]);
    let columns: Vec<(&str, &Column)> =
        names.map(|name| Ok((name, frame.column(name)?))).collect::<PolarsResult<_>>()?;
    let of_one = |(name, column): &(&str, &Column)| of_column(name, column, rows);
    let digests: Vec<Digest> = match rows.len() > LARGE {
        true => columns.par_iter().map(of_one).collect::<PolarsResult<_>>()?,
        false => columns.iter().map(of_one).collect::<PolarsResult<_>>()?,
    };
    let mut hasher = Hasher::new();
    hasher.update(b"lendwright statement 1");
    hasher.update(head.origin.map_or("", |origin| origin.currency.numeric()).as_bytes());
    hasher.update(&[u8::from(head.shows_debits) | (u8::from(head.lacks_debits) << 1)]);
    let customer = head.customer.as_deref();
    hasher.update(&[u8::from(customer.is_some())]).update(&(customer.unwrap_or_default().len() as u64).to_le_bytes());
    hasher.update(customer.unwrap_or_default().as_bytes());
    if let Some(account) = &head.account {
        // More than any count of rows, which stands here otherwise.
        hasher.update(&[u8::MAX; 8]).update(&(account.len() as u64).to_le_bytes()).update(account.as_bytes());
    }
    hasher.update(&(rows.len() as u64).to_le_bytes());
    digests.iter().for_each(|digest| {
        hasher.update(digest.as_bytes());
    });
    Ok(hasher.finish())
}

fn of_column(name: &str, column: &Column, rows: &Range<usize>) -> PolarsResult<Digest> {
    let mut writer = RunWriter::default();
    match name {
        "trans_date" | "cleared_date" => {
            let days = column.date()?.physical().rechunk();
            writer.numbers(days.downcast_iter().next(), NO_DAY, rows, |day, into| {
                into.extend_from_slice(&day.to_le_bytes());
            });
        }
        "order" | "credit" | "debit" | "balance" | "created_at" | "last_updated" => {
            let numbers = column.i64()?.rechunk();
            writer.numbers(numbers.downcast_iter().next(), NO_VALUE, rows, |number, into| {
                into.extend_from_slice(&number.to_le_bytes());
            });
        }
        "flags" => {
            let flags = column.u32()?.rechunk();
            writer.numbers(flags.downcast_iter().next(), 0, rows, |flags, into| {
                into.extend_from_slice(&flags.to_le_bytes());
            });
        }
        _ => match Texts::of_column(column)?.rows() {
            TextRows::Same(value) => writer.constant(value, rows.len(), write_text),
            TextRows::Each(column) => {
                let column = column.clone().sliced(rows.start, rows.len());
                writer.runs(column.iter(), write_text);
            }
        },
    }
    writer.hasher.update(&writer.pending);
    Ok(writer.hasher.finish())
}

fn write_text(text: Option<&str>, into: &mut Vec<u8>) {
    match text {
        None => into.push(0),
        Some(text) => {
            let [a, b, c, d, e, f, g, h] = (text.len() as u64).to_le_bytes();
            into.extend_from_slice(&[1, a, b, c, d, e, f, g, h]);
            into.extend_from_slice(text.as_bytes());
        }
    }
}

/// Writes values and how often each follows itself, a good many at a time.
#[derive(Default)]
struct RunWriter {
    hasher: Hasher,
    pending: Vec<u8>,
}

impl RunWriter {
    /// The numbers of some rows; `none` stands where there is none.
    fn numbers<T: NativeType>(
        &mut self,
        column: Option<&PrimitiveArray<T>>,
        none: T,
        rows: &Range<usize>,
        write: impl Fn(T, &mut Vec<u8>),
    ) {
        let Some(column) = column else { return };
        let values = column.values().get(rows.clone()).unwrap_or_default();
        match column.validity() {
            None => self.runs(values.iter().copied(), write),
            Some(valid) => {
                let valid = valid.iter().skip(rows.start);
                self.runs(values.iter().zip(valid).map(|(value, valid)| if valid { *value } else { none }), write);
            }
        }
    }

    /// As [`RunWriter::runs`] of so many equal values.
    fn constant<T: Copy>(&mut self, value: T, mut count: usize, write: impl Fn(T, &mut Vec<u8>)) {
        while let Some(run) = u32::try_from(count).ok().or(Some(u32::MAX)).filter(|run| *run > 0) {
            self.run(value, run, &write);
            count -= run as usize;
        }
    }

    fn runs<T: Copy + PartialEq>(&mut self, values: impl Iterator<Item = T>, write: impl Fn(T, &mut Vec<u8>)) {
        let mut run: Option<(T, u32)> = None;
        for value in values {
            run = match run {
                Some((same, count)) if same == value && count < u32::MAX => Some((same, count + 1)),
                Some((other, count)) => {
                    self.run(other, count, &write);
                    Some((value, 1))
                }
                None => Some((value, 1)),
            };
        }
        if let Some((value, count)) = run {
            self.run(value, count, &write);
        }
    }

    fn run<T>(&mut self, value: T, count: u32, write: &impl Fn(T, &mut Vec<u8>)) {
        write(value, &mut self.pending);
        self.pending.extend_from_slice(&count.to_le_bytes());
        if self.pending.len() >= 1 << 16 {
            self.hasher.update(&self.pending);
            self.pending.clear();
        }
    }
}
