//! A Parquet file as the text of a CSV file, for tables that are no statements: lists of keys. Knows no column.

use std::io::Cursor;

use polars_buffer::Buffer;

use crate::base::csv_line::CsvLine;
use crate::base::date::Day;
use crate::statement::base::error::Error;
use crate::statement::cells::cell::{Cell, format_scaled_decimal};
use crate::statement::tables::parquet::{Content, read_group, slice_column_chunk};

/// Seconds of a day.
const DAY: i64 = 86_400;

/// The columns that can be read, as CSV: texts as they are, numbers by their digits, days as ISO 8601. Nulls are empty.
/// The same rows give the same text, however they are compressed.
pub(crate) fn parquet_as_csv(bytes: Vec<u8>) -> Result<String, Error> {
    let bytes = Buffer::from(bytes);
    let content = Content::read(&mut Cursor::new(&bytes[..]))?;
    let is_read = |at: usize| content.leaves.get(at).is_some_and(|leaf| leaf.kind.is_ok());
    let mut line = CsvLine::default();
    for leaf in content.leaves.iter().filter(|leaf| leaf.kind.is_ok()) {
        line.push_text(&leaf.name);
    }
    let mut text = line.take_line();
    for group in &content.groups {
        let mut fetch = |chunk| slice_column_chunk(&bytes, chunk);
        let columns = read_group(&mut fetch, group, &content.leaves, &is_read)?;
        for row in 0..group.num_rows() {
            columns.iter().flatten().for_each(|column| push_cell(&mut line, column.cell(row)));
            text.push_str(&line.take_line());
        }
    }
    Ok(text)
}

fn push_cell(line: &mut CsvLine, cell: Cell<'_>) {
    match cell {
        Cell::Null | Cell::Text("") => line.push_plain(""),
        Cell::Text(text) => line.push_text(text),
        Cell::Whole(number) => line.push_plain(&number.to_string()),
        Cell::Decimal { digits, scale } => line.push_plain(&decimal_text(digits, scale)),
        // Programs without whole numbers that may be null store those as floats.
        Cell::Float(number) => line.push_plain(&number.to_string()),
        Cell::Single(number) => line.push_plain(&number.to_string()),
        Cell::Day(day) => line.push_plain(&day_text(i64::from(day))),
        // A day is often stored as its midnight.
        Cell::Moment { seconds, milliseconds: 0, .. } if seconds.rem_euclid(DAY) == 0 => {
            line.push_plain(&day_text(seconds.div_euclid(DAY)));
        }
        Cell::Moment { seconds, milliseconds, .. } => line.push_plain(&format!("{seconds}.{milliseconds:03}")),
    }
}

fn day_text(day: i64) -> String {
    let known = i32::try_from(day).ok().and_then(Day::checked_from_days);
    known.map_or_else(|| day.to_string(), |day| day.to_string())
}

/// The digits with their point, without zeros at the end.
fn decimal_text(digits: i128, scale: u32) -> String {
    let text = format_scaled_decimal(digits, scale);
    match scale {
        0 => text,
        _ => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use polars::prelude::{Column, DataFrame, DataType, NamedFrom, ParquetWriter, Series};

    #[test]
    fn rows_become_lines() {
        let days = Series::new("until".into(), [Some(20_000_i32), None, None]).cast(&DataType::Date).expect("days");
        let columns: Vec<Column> = vec![
            Series::new("phone".into(), [Some("0803"), Some("a,\"b\""), None]).into(),
            Series::new("number".into(), [Some(7_i64), None, Some(-1)]).into(),
            Series::new("float".into(), [Some(8_031_234_567.0_f64), Some(0.5), None]).into(),
            days.into(),
        ];
        let mut frame = DataFrame::new(3, columns).expect("a frame");
        let mut bytes = Vec::new();
        ParquetWriter::new(&mut bytes).finish(&mut frame).expect("Parquet");
        let text = parquet_as_csv(bytes.clone()).expect("a table");
        assert_eq!(text, "phone,number,float,until\n0803,7,8031234567,2024-10-04\n\"a,\"\"b\"\"\",,0.5,\n,-1,,\n");
        for cut in [0, 3, bytes.len() / 2, bytes.len() - 1] {
            assert!(parquet_as_csv(bytes[..cut].to_vec()).is_err(), "{cut}");
        }
    }

    #[test]
    fn decimals_are_written_by_their_digits() {
        for (digits, scale, text) in [(12, 0, "12"), (1250, 2, "12.5"), (-5, 3, "-0.005"), (500, 2, "5"), (0, 2, "0")] {
            assert_eq!(decimal_text(digits, scale), text);
        }
    }
}
