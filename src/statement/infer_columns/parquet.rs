//! A Parquet file becomes lines of cells.

use std::io::Cursor;

use polars::prelude::{AnyValue, ParquetReader, SerReader};

use super::grid::{CellKind, FileCell, Line};

/// More cells do not fit in memory. The rows that a columns file reads are compared with those that were looked at, so
/// all of them are.
const CELLS_MAX: usize = 20_000_000;

/// The names of the columns as the first line, then the rows.
pub(crate) fn read_parquet_lines(bytes: &[u8]) -> Result<Vec<Line>, String> {
    let unreadable = |error| format!("the Parquet file cannot be read: {error}");
    let mut reader = ParquetReader::new(Cursor::new(bytes));
    let rows = reader.num_rows().map_err(unreadable)?;
    let width = reader.schema().map_err(unreadable)?.len();
    if rows.saturating_mul(width) > CELLS_MAX {
        return Err(format!(
            "the Parquet file has {rows} rows of {width} columns, and `columns` looks at up to {CELLS_MAX} cells: \
             write a part of its rows to another file, which has the same columns"
        ));
    }
    let frame = reader.finish().map_err(unreadable)?;
    let names = frame.columns().iter().map(|column| FileCell::text(column.name().as_str())).collect();
    let mut lines = vec![Line { number: 0, cells: names }];
    for row in 0..frame.height() {
        let cells = frame
            .columns()
            .iter()
            .map(|column| column.get(row).map(|value| cell_of_parquet_value(&value)).unwrap_or_default());
        lines.push(Line { number: row + 1, cells: cells.collect() });
    }
    Ok(lines)
}

fn cell_of_parquet_value(value: &AnyValue<'_>) -> FileCell {
    match value {
        AnyValue::Null => FileCell::default(),
        AnyValue::String(text) => FileCell::text(*text),
        AnyValue::StringOwned(text) => FileCell::text(text.as_str()),
        AnyValue::Date(_) | AnyValue::Datetime(..) => FileCell { text: value.to_string(), kind: CellKind::Day },
        value if value.is_primitive_numeric() => FileCell { text: value.to_string(), kind: CellKind::Number },
        value => FileCell::text(value.to_string()),
    }
}
