//! The digest of a statement's content: the same for the same records, however they came.

use std::ops::Range;

use polars::prelude::{Column, DataFrame, PolarsResult};
use polars_arrow::array::PrimitiveArray;
use polars_arrow::types::NativeType;
use rayon::prelude::*;

use crate::base::digest::{Digest, Hasher};
use crate::statement::base::column::TEXT_NAMES;
use crate::statement::base::period::PeriodSource;
use crate::statement::columns::frame::Head;
use crate::statement::rows::builder::{NO_DAY, NO_VALUE};
use crate::statement::rows::texts::{TextRows, Texts};

/// With more rows than this, all threads work on the columns.
const LARGE: usize = 10_000;

/// Digests each column by its runs of equal values, then all of them with the currency, the customer, the account and
/// what is known to be shown or missing, and the period that is stated.
pub(crate) fn digest_statement(frame: &DataFrame, head: &Head) -> PolarsResult<Digest> {
    let rows = &head.rows;
    let first = ["id", "trans_date", "order", "cleared_date", "credit", "debit", "balance"];
    let names = first.into_iter().chain(TEXT_NAMES).chain(["created_at", "last_updated", "flags"]);
    let columns: Vec<(&str, &Column)> =
        names.map(|name| Ok((name, frame.column(name)?))).collect::<PolarsResult<_>>()?;
    let of_one = |pending: &mut Vec<u8>, (name, column): &(&str, &Column)| column_digest(name, column, rows, pending);
    let mut pending = Vec::new();
    let digests: Vec<Digest> = match rows.len() > LARGE {
        true => columns.par_iter().map_init(Vec::new, of_one).collect::<PolarsResult<_>>()?,
        false => columns.iter().map(|column| of_one(&mut pending, column)).collect::<PolarsResult<_>>()?,
    };
    let mut hasher = Hasher::new();
    hasher.update(b"lendwright statement 1");
    hasher.update(head.origin.as_ref().map_or("", |origin| origin.currency().numeric()).as_bytes());
    hasher.update(&[u8::from(head.shows_debits)
        | (u8::from(head.lacks_debits) << 1)
        | (u8::from(head.lacks_narrations) << 2)]);
    let customer = head.customer.as_deref();
    hasher.update(&[u8::from(customer.is_some())]).update(&(customer.unwrap_or_default().len() as u64).to_le_bytes());
    hasher.update(customer.unwrap_or_default().as_bytes());
    if let Some(account) = &head.account {
        // Larger than any number of rows, which comes here if there is no account.
        hasher.update(&[u8::MAX; 8]).update(&(account.len() as u64).to_le_bytes()).update(account.as_bytes());
    }
    if let Some(period) = &head.quality.period {
        // Likewise larger than any number of rows.
        hasher.update(&[u8::MAX - 1; 8]);
        hasher.update(&period.from.days().to_le_bytes()).update(&period.to.days().to_le_bytes());
        hasher.update(&[u8::from(period.source == PeriodSource::Balances)]);
    }
    hasher.update(&(rows.len() as u64).to_le_bytes());
    digests.iter().for_each(|digest| {
        hasher.update(digest.as_bytes());
    });
    Ok(hasher.finish())
}

fn column_digest(name: &str, column: &Column, rows: &Range<usize>, pending: &mut Vec<u8>) -> PolarsResult<Digest> {
    let mut writer = RunWriter { hasher: Hasher::new(), pending };
    match name {
        "trans_date" | "cleared_date" => {
            let days = column.date()?.physical().rechunk();
            writer
                .numbers(days.downcast_iter().next(), NO_DAY, rows, |day, count| in_eight(day.cast_unsigned(), count));
        }
        "order" | "credit" | "debit" | "balance" | "created_at" | "last_updated" => {
            let numbers = column.i64()?.rechunk();
            writer.numbers(numbers.downcast_iter().next(), NO_VALUE, rows, |number, count| {
                let [a, b, c, d, e, f, g, h] = number.to_le_bytes();
                let [i, j, k, l] = count.to_le_bytes();
                [a, b, c, d, e, f, g, h, i, j, k, l]
            });
        }
        "flags" => {
            let flags = column.u32()?.rechunk();
            writer.numbers(flags.downcast_iter().next(), 0, rows, in_eight);
        }
        _ => match Texts::from_column(column)?.rows() {
            TextRows::Same(value) => writer.constant(value, rows.len(), write_text),
            TextRows::Each(column) => {
                let column = column.clone().sliced(rows.start, rows.len());
                writer.runs(column.iter(), write_text);
            }
        },
    }
    Ok(writer.finish())
}

/// The number's four bytes, then the four bytes of the run's length, both little-endian, written at once.
fn in_eight(number: u32, count: u32) -> [u8; 8] {
    (u64::from(count) << 32 | u64::from(number)).to_le_bytes()
}

fn write_text(text: Option<&str>, count: u32, into: &mut Vec<u8>) {
    match text {
        None => into.push(0),
        Some(text) => {
            let [a, b, c, d, e, f, g, h] = (text.len() as u64).to_le_bytes();
            into.extend_from_slice(&[1, a, b, c, d, e, f, g, h]);
            into.extend_from_slice(text.as_bytes());
        }
    }
    into.extend_from_slice(&count.to_le_bytes());
}

/// Writes runs of equal values, many at a time: each value with the length of its run.
struct RunWriter<'p> {
    hasher: Hasher,
    /// Empty before and after each column. The same job's next column reuses its capacity.
    pending: &'p mut Vec<u8>,
}

impl RunWriter<'_> {
    /// Writes the numbers of these rows, with `none` in place of null.
    fn numbers<T: NativeType, const BYTES: usize>(
        &mut self,
        column: Option<&PrimitiveArray<T>>,
        none: T,
        rows: &Range<usize>,
        bytes: impl Fn(T, u32) -> [u8; BYTES],
    ) {
        let Some(column) = column else { return };
        let write = |value: T, count, into: &mut Vec<u8>| into.extend_from_slice(&bytes(value, count));
        // A digest of no rows would be that of another statement.
        let values = column.values().get(rows.clone()).expect("INVARIANT: a head's rows are rows of the frame");
        match column.validity() {
            None => self.runs(values.iter().copied(), write),
            Some(valid) => {
                let valid = valid.iter().skip(rows.start);
                self.runs(values.iter().zip(valid).map(|(value, valid)| if valid { *value } else { none }), write);
            }
        }
    }

    /// Like [`RunWriter::runs`], for `count` equal values.
    fn constant<T: Copy>(&mut self, value: T, mut count: usize, write: impl Fn(T, u32, &mut Vec<u8>)) {
        while let Some(run) = u32::try_from(count).ok().or(Some(u32::MAX)).filter(|run| *run > 0) {
            self.run(value, run, &write);
            count -= run as usize;
        }
    }

    fn runs<T: Copy + PartialEq>(&mut self, mut values: impl Iterator<Item = T>, write: impl Fn(T, u32, &mut Vec<u8>)) {
        let Some(mut same) = values.next() else { return };
        let mut count = 1;
        for value in values {
            if value == same && count < u32::MAX {
                count += 1;
                continue;
            }
            self.run(same, count, &write);
            (same, count) = (value, 1);
        }
        self.run(same, count, &write);
    }

    #[inline]
    fn run<T>(&mut self, value: T, count: u32, write: &impl Fn(T, u32, &mut Vec<u8>)) {
        write(value, count, self.pending);
        if self.pending.len() >= 1 << 16 {
            self.flush();
        }
    }

    fn flush(&mut self) {
        self.hasher.update(self.pending);
        self.pending.clear();
    }

    fn finish(mut self) -> Digest {
        self.flush();
        self.hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(work: impl FnOnce(&mut RunWriter<'_>)) -> Digest {
        let mut pending = Vec::new();
        let mut writer = RunWriter { hasher: Hasher::new(), pending: &mut pending };
        work(&mut writer);
        writer.finish()
    }

    fn as_bytes<const BYTES: usize>(bytes: [u8; BYTES], count: usize) -> Vec<u8> {
        [bytes.as_slice(), &(count as u32).to_le_bytes()].concat()
    }

    /// More runs than are pending at a time, from a part of a column's rows. The second column reuses the first's
    /// buffer.
    #[test]
    fn a_number_is_written_as_its_bytes_and_the_length_of_its_run() {
        let value = |at: i64| match at % 7 {
            0 => None,
            1 | 2 => Some(i64::MIN + 1 + at / 1_000),
            _ => Some(-at),
        };
        let amounts: Vec<Option<i64>> = (0..20_000).map(value).collect();
        let flags: Vec<u32> = (0..20_000).map(|at| u32::MAX - at / 2).collect();
        let rows = 3..19_990;
        let mut pending = Vec::new();
        let mut found = |name: &str, column| column_digest(name, &column, &rows, &mut pending).expect("its type");
        let credit = found("credit", Column::new("credit".into(), amounts.as_slice()));
        let flag = found("flags", Column::new("flags".into(), flags.as_slice()));
        let plain: Vec<u8> = amounts[rows.clone()]
            .chunk_by(|one, other| one == other)
            .flat_map(|same| as_bytes(same[0].unwrap_or(NO_VALUE).to_le_bytes(), same.len()))
            .collect();
        assert_eq!(credit, Digest::compute(&plain));
        let plain: Vec<u8> = flags[rows.clone()]
            .chunk_by(|one, other| one == other)
            .flat_map(|same| as_bytes(same[0].to_le_bytes(), same.len()))
            .collect();
        assert_eq!(flag, Digest::compute(&plain));
    }

    #[test]
    fn one_text_for_all_rows_is_written_as_if_each_had_it() {
        for text in [None, Some(""), Some("NGN é")] {
            let constant = written(|writer| writer.constant(text, 70_000, write_text));
            assert_eq!(
                constant,
                written(|writer| writer.runs(std::iter::repeat_n(text, 70_000), write_text)),
                "{text:?}"
            );
        }
        assert_eq!(written(|writer| writer.constant(Some("x"), 0, write_text)), Digest::compute(&[]));
        // A run is split where its length no longer fits.
        let long = written(|writer| writer.constant(None, u32::MAX as usize + 5, write_text));
        let plain = [as_bytes([0], u32::MAX as usize), as_bytes([0], 5)].concat();
        assert_eq!(long, Digest::compute(&plain));
    }
}
