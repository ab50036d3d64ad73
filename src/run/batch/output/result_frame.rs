//! Rows of results as a Polars frame with typed columns.

use polars::prelude::{Column, DataFrame, DataType, NamedFrom, PolarsResult, Series};
use serde_json::Value;

use super::result_rows::{ColumnType, ResultColumn};
use crate::base::date::Day;

/// The rows as a frame.
pub(crate) fn frame_of_result_rows(columns: &[ResultColumn], rows: &[Vec<Value>]) -> PolarsResult<DataFrame> {
    let series = columns.iter().enumerate().map(|(at, column)| {
        let values = rows.iter().map(|row| row.get(at).unwrap_or(&Value::Null));
        let name = column.name.as_str().into();
        let series = match column.column_type {
            ColumnType::Text | ColumnType::MoneyList(_) => {
                Series::new(name, values.map(Value::as_str).collect::<Vec<_>>())
            }
            ColumnType::Integer | ColumnType::Money(_) => {
                Series::new(name, values.map(Value::as_i64).collect::<Vec<_>>())
            }
            ColumnType::Float | ColumnType::MoneyMean(_) => {
                Series::new(name, values.map(Value::as_f64).collect::<Vec<_>>())
            }
            ColumnType::Boolean => Series::new(name, values.map(Value::as_bool).collect::<Vec<_>>()),
            ColumnType::Date => {
                let days = values.map(|value| value.as_str().and_then(Day::parse_iso).map(|day| day.days()));
                Series::new(name, days.collect::<Vec<_>>()).cast(&DataType::Date)?
            }
        };
        Ok(Column::from(series))
    });
    DataFrame::new(rows.len(), series.collect::<PolarsResult<Vec<_>>>()?)
}
