//! The file that a command writes its table to: its name, its format. Knows nothing of the table.

use std::path::{Path, PathBuf};

use polars::prelude::{Column, DataFrame, DataType, NamedFrom, PolarsResult, Series};

use super::output::Failure;
use crate::base::money::{AmountUnit, Currency, amount_digits};
use crate::run::files;

/// Writes a table in the format that the file's name says.
pub(super) fn write_table_file(mut table: DataFrame, path: &Path) -> Result<(), Failure> {
    table.rechunk_mut();
    match lowercase_extension(path).as_str() {
        "parquet" => files::write_parquet(&table, path),
        "csv" => files::write_csv(&table, path),
        _ => files::write_ndjson(&table, path),
    }
    .map_err(Failure::message)
}

/// As [`write_table_file`], for a table with amounts in minor units. CSV, which people open, has major units, and the
/// name of the column says the currency. Without one currency, amounts stay in minor units, which the name says.
pub(super) fn write_table_with_money(
    mut table: DataFrame,
    amounts: &[String],
    currency: Option<Currency>,
    path: &Path,
) -> Result<(), Failure> {
    if lowercase_extension(path) == "csv" {
        let unit = currency.map_or("minor".to_owned(), |currency| currency.alphabetic().to_lowercase());
        let decimals = currency.map_or(0, |currency| currency.exponent());
        for name in amounts {
            let column = table.column(name).map_err(Failure::message)?;
            let shown = column_in_major(column, decimals).map_err(Failure::message)?;
            let at = table.get_column_index(name).unwrap_or_default();
            table.replace_column(at, shown.with_name(format!("{name}_{unit}").into())).map_err(Failure::message)?;
        }
    }
    write_table_file(table, path)
}

/// Amounts in major units: whole ones digit by digit, means as numbers.
fn column_in_major(column: &Column, decimals: u32) -> PolarsResult<Column> {
    let series = column.as_materialized_series();
    Ok(match series.dtype() {
        DataType::Int64 => {
            let digits = |minor: Option<i64>| minor.map(|minor| amount_digits(minor, AmountUnit::Major, decimals));
            Series::new(column.name().clone(), series.i64()?.iter().map(digits).collect::<Vec<_>>()).into()
        }
        DataType::Float64 => {
            let minor_units = 10_f64.powi(decimals as i32);
            let major = |minor: Option<f64>| minor.map(|minor| minor / minor_units);
            Series::new(column.name().clone(), series.f64()?.iter().map(major).collect::<Vec<_>>()).into()
        }
        _ => column.clone(),
    })
}

/// Parses the name of a file for a table.
pub(super) fn parse_table_path(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match lowercase_extension(&path).as_str() {
        "parquet" | "csv" | "ndjson" | "jsonl" => Ok(path),
        _ => Err("unknown kind of file; name it .parquet, .csv or .ndjson".to_owned()),
    }
}

/// The ending of a file's name, in lower case.
pub(super) fn lowercase_extension(path: &Path) -> String {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_ascii_lowercase()
}
