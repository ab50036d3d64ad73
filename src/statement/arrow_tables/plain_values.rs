//! The values of an Arrow table as JSON values, for tables that hold no records.

use polars_arrow::array::BooleanArray;
use serde_json::{Number, Value};

use crate::base::date::Day;
use crate::statement::base::error::{Error, show_source_text};
use crate::statement::cells::cell::Cell;
use crate::statement::columns_file::Columns;
use crate::statement::tables::arrow_columns::{ArrowColumn, GivenColumn, add_column};

/// The columns by name, each with the values of all rows. Days are texts such as `2026-06-30`.
///
/// # Errors
/// If a column has a type that cannot be read, or a value has no JSON form.
pub(crate) fn plain_values(columns: Vec<GivenColumn>, rows: usize) -> Result<Vec<(String, Vec<Value>)>, Error> {
    let mut read: Vec<(String, Vec<Value>)> = Vec::new();
    for (name, array) in columns {
        if read.iter().any(|(known, _)| *known == name) {
            return Err(Error::columns(format!("the table has two columns `{}`", show_source_text(&name))));
        }
        if let Ok(array) = &array
            && let Some(booleans) = array.as_any().downcast_ref::<BooleanArray>()
        {
            read.push((name, booleans.iter().map(Value::from).collect()));
            continue;
        }
        let mut found = Vec::new();
        add_column((name, array), &mut found);
        for column in found {
            read.push((column.name(&Columns::default()).to_owned(), values_of_arrow_column(&column, rows)?));
        }
    }
    Ok(read)
}

fn values_of_arrow_column(column: &ArrowColumn, rows: usize) -> Result<Vec<Value>, Error> {
    let cells = column.values()?;
    let value = |row: usize| {
        plain_value_of_cell(cells.cell(row)).ok_or_else(|| {
            Error::table(format!(
                "row {}: column `{}` holds no plain number, text or date",
                row + 1,
                show_source_text(column.path())
            ))
        })
    };
    (0..rows).map(value).collect()
}

/// Midnight without a time zone is how pandas writes a day.
const SECONDS_A_DAY: i64 = 86_400;

fn plain_value_of_cell(cell: Cell<'_>) -> Option<Value> {
    Some(match cell {
        Cell::Null => Value::Null,
        Cell::Text(text) => text.into(),
        Cell::Whole(number) => i64::try_from(number).ok()?.into(),
        Cell::Decimal { digits, scale: 0 } => i64::try_from(digits).ok()?.into(),
        // Not a whole number, even where its decimals are zeros: it may be an amount in major units.
        Cell::Decimal { digits, scale } => {
            Value::Number(Number::from_f64(digits as f64 / 10_i128.checked_pow(scale)? as f64)?)
        }
        Cell::Float(number) => Value::Number(Number::from_f64(number)?),
        Cell::Single(number) => Value::Number(Number::from_f64(number.to_string().parse().ok()?)?),
        Cell::Day(day) => Day::checked_from_days(day)?.to_string().into(),
        Cell::Moment { seconds, milliseconds: 0, utc: false } if seconds % SECONDS_A_DAY == 0 => {
            let days = i32::try_from(seconds / SECONDS_A_DAY).ok()?;
            Day::checked_from_days(days)?.to_string().into()
        }
        Cell::Moment { .. } => return None,
    })
}
