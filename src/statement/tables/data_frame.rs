//! A Polars frame of many statements, read as a Parquet table is.

use std::sync::Arc;

use polars::prelude::{CompatLevel, DataFrame};

use crate::statement::base::error::Error;
use crate::statement::base::reading::Reading;
use crate::statement::columns::frame::Statements;
use crate::statement::columns_file::Columns;
use crate::statement::tables::arrow_rows::{ArrowPiece, ArrowRows, statements_of_pieces};

/// Reads the statements of a Polars frame: one row per record, under this crate's names of columns or those that
/// `columns` declares.
///
/// Columns may be integers, `Decimal`, `Float64` (by the digits of its shortest form), `String`, `Categorical` and
/// `Enum` (their texts), `Binary` (UTF-8), `Date`, `Datetime`, `Boolean` (the texts `true` and `false`) and `Null`.
/// Their rows are read and checked as those of a Parquet table: [`read_parquet`](crate::statement::read_parquet)
/// gives the same statements if such a frame is written to a file first. The fields of a `Struct` are columns of
/// their own, named by their path, such as `notes.desc`. A column of another type is an error where it is needed and
/// is skipped elsewhere: cast it.
///
/// ```
/// use lendwright::statement::{Columns, Reading, read_frame};
/// use lendwright::base::{date::Zone, money::Currency};
/// use polars::df;
///
/// let frame = df!(
///     "customer" => ["C-17", "C-17"],
///     "trans_date" => ["2026-06-01", "2026-06-30"],
///     "credit" => [Some(250_000.50), None],
///     "debit" => [None, Some(1_200.0)],
///     "desc" => ["SALARY JUNE", "AIRTIME"],
/// )?;
/// let reading = Reading::new(Currency::from_numeric("566").unwrap(), Zone::parse("Africa/Lagos").unwrap());
/// let statements = read_frame(&frame, "ledger", &reading, &Columns::default())?;
/// assert_eq!(statements.heads()[0].customer.as_deref(), Some("C-17"));
/// assert_eq!(statements.frame().column("credit")?.i64()?.get(0), Some(25_000_050));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`read_parquet`](crate::statement::read_parquet): a column that is missing or has a type that cannot be read, or
/// a row that is at fault, with its number.
pub fn read_frame(frame: &DataFrame, label: &str, reading: &Reading, columns: &Columns) -> Result<Statements, Error> {
    let columns = Arc::new(columns.clone());
    let arrays = frame.columns().iter().map(|column| {
        let series = column.as_materialized_series().rechunk();
        (column.name().to_string(), Ok(series.to_arrow(0, CompatLevel::newest())))
    });
    let given = columns.given(label, Vec::new())?;
    let rows = ArrowRows::new(arrays, (frame.height(), 0), &columns, given)?;
    statements_of_pieces(&[ArrowPiece::whole(rows)], label, reading)
}
