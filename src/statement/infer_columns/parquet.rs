//! A Parquet file becomes lines of cells.

use std::io::Cursor;

use polars::prelude::{AnyValue, ParquetReader, SerReader};

use super::grid::{CellKind, FileCell, Line};

/// More rows tell nothing new.
const ROWS_MAX: usize = 10_000;

/// The names of the columns as the first line, then the rows.
pub(crate) fn read_parquet_lines(bytes: &[u8]) -> Result<Vec<Line>, String> {
    let frame = ParquetReader::new(Cursor::new(bytes))
        .with_slice(Some((0, ROWS_MAX)))
        .finish()
        .map_err(|error| format!("the Parquet file cannot be read: {error}"))?;
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
