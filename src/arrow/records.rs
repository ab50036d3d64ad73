//! Records of statements as an Arrow table under the standard names, so that they can be read again, and what can be
//! said of a table before it is decided.

use std::io::Cursor;
use std::sync::Arc;

use polars::prelude::{CompatLevel, DataFrame, DataType, ParquetReader, SerReader};
use polars_arrow::array::{Array, PrimitiveArray, StructArray, Utf8Array};
use polars_arrow::datatypes::{ArrowDataType, Field};
use serde_json::{Map, Value};

use super::error::Error;
use super::results::{ArrowTable, arrow_table};
use crate::base::date::Day;
use crate::base::money::AmountUnit;
use crate::statement::arrow_tables::{
    ArrowPiece, ArrowRows, format_uuid_values, list_columns, plain_values, shared_memory, statements_of_pieces,
};
use crate::statement::{Columns, GivenColumn, Head, PeriodSource, Reading, StatementPeriod, Statements};

/// The columns of the frame that a table of records has as they are.
const PLAIN: [&str; 8] = ["id", "trans_date", "cleared_date", "code", "branch", "bank", "reference", "desc"];

const AMOUNTS: [&str; 3] = ["credit", "debit", "balance"];

/// Digits of an amount in major units: more than the largest amount has.
const AMOUNT_DIGITS: usize = 38;

/// The separator of the frame's lists, and that of a table.
const FRAME_SEPARATOR: &str = "\u{1f}";
const TABLE_SEPARATOR: &str = "|";

/// The records of statements: `customer`, `account`, then what the frame has, with the order within a day as `seq`.
/// Amounts are in the unit of the reading: decimals in major units, or whole minor units.
///
/// # Errors
/// Only if the frame was not made by [`crate::statement`].
pub fn records_as_table(statements: &Statements, reading: &Reading) -> Result<ArrowTable, Error> {
    let frame = statements.frame();
    let of_rows = |value: &dyn Fn(&Head) -> Option<String>| {
        let heads = statements.heads().iter();
        let texts: Vec<Option<String>> =
            heads.flat_map(|head| std::iter::repeat_n(value(head), head.rows.len())).collect();
        Utf8Array::<i64>::from(texts).boxed()
    };
    let mut columns: Vec<(&str, Box<dyn Array>)> =
        vec![("customer", of_rows(&|head| head.customer.clone())), ("account", of_rows(&|head| head.account.clone()))];
    for name in PLAIN {
        columns.push((name, arrow_array_of_column(frame, name)?));
    }
    columns.push(("seq", arrow_array_of_column(frame, "order")?));
    for name in AMOUNTS {
        columns.push((name, amounts_in_unit_array(frame, name, reading)?));
    }
    for name in list_columns() {
        let lists = frame.column(name)?.str()?.iter();
        let joined = lists.map(|list| list.map(|list| list.replace(FRAME_SEPARATOR, TABLE_SEPARATOR)));
        columns.push((name, Utf8Array::<i64>::from(joined.collect::<Vec<_>>()).boxed()));
    }
    let period =
        |day: &dyn Fn(&StatementPeriod) -> Day| of_rows(&|head| stated_period(head).map(|of| day(of).to_string()));
    columns.push(("period_from", period(&|of| of.from)));
    columns.push(("period_to", period(&|of| of.to)));
    // A table without accounts has no column of them: reading it again must not find empty names. The same holds for
    // periods.
    let may_lack = |name: &str| ["account", "period_from", "period_to"].contains(&name);
    columns.retain(|(name, array)| !may_lack(name) || array.null_count() < array.len());
    let fields = columns.iter().map(|(name, array)| Field::new((*name).into(), array.dtype().clone(), true));
    let data_type = ArrowDataType::Struct(fields.collect());
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    let rows = StructArray::try_new(data_type.clone(), frame.height(), arrays, None)?.boxed();
    Ok(ArrowTable { field: Field::new("".into(), data_type, false), parts: vec![rows] })
}

/// The period that somebody states. The days of balances are none: a table has no stated balances.
fn stated_period(head: &Head) -> Option<&StatementPeriod> {
    head.quality.period.as_ref().filter(|period| matches!(period.source, PeriodSource::Stated | PeriodSource::File))
}

fn arrow_array_of_column(frame: &DataFrame, name: &str) -> Result<Box<dyn Array>, Error> {
    Ok(frame.column(name)?.as_materialized_series().rechunk().to_arrow(0, CompatLevel::oldest()))
}

fn amounts_in_unit_array(frame: &DataFrame, name: &str, reading: &Reading) -> Result<Box<dyn Array>, Error> {
    if reading.unit == AmountUnit::Minor {
        return arrow_array_of_column(frame, name);
    }
    let digits = frame.column(name)?.i64()?.iter().map(|minor| minor.map(i128::from));
    let decimal = ArrowDataType::Decimal(AMOUNT_DIGITS, reading.currency.exponent() as usize);
    Ok(PrimitiveArray::from_trusted_len_iter(digits.collect::<Vec<_>>().into_iter()).to(decimal).boxed())
}

/// Checks that a table has the columns that records need, in types that can be read, and returns the name of the one
/// with the customer.
///
/// # Errors
/// What is missing, or cannot be read.
pub fn check_columns(
    columns: Vec<GivenColumn>,
    rows: usize,
    meaning: &Arc<Columns>,
    label: &str,
) -> Result<String, Error> {
    if meaning.declares_order() {
        return Err(Error::Order);
    }
    let given = meaning.given(label, Vec::new())?;
    Ok(ArrowRows::new(columns, (rows, 0), meaning, given)?.customer_column()?.to_owned())
}

/// The statements of tables that follow each other, or of one customer in them.
///
/// # Errors
/// If a row is wrong, nothing is made.
pub fn read_tables(
    tables: Vec<(Vec<GivenColumn>, usize)>,
    columns: Columns,
    customer: Option<&str>,
    reading: &Reading,
) -> Result<Statements, Error> {
    let label = "table";
    let (columns, mut first) = (Arc::new(columns), 0_usize);
    let mut pieces = Vec::with_capacity(tables.len());
    for (arrays, rows) in tables {
        let given = columns.given(label, Vec::new())?;
        let ordinal = u32::try_from(first).unwrap_or(u32::MAX);
        let whole = ArrowPiece::whole(ArrowRows::new(arrays, (rows, ordinal), &columns, given)?);
        first += rows;
        match customer {
            None => pieces.push(whole),
            Some(customer) => {
                let own = whole.of.runs()?.into_iter().filter(|run| run.customer == customer);
                pieces.extend(own.map(|run| ArrowPiece { of: Arc::clone(&whole.of), rows: run.rows }));
            }
        }
    }
    if let (true, Some(customer)) = (pieces.is_empty(), customer) {
        return Err(Error::NoCustomer(customer.to_owned()));
    }
    Ok(statements_of_pieces(&pieces, label, reading)?)
}

/// A Parquet file in memory as a table.
///
/// # Errors
/// If it is not Parquet.
pub fn table_of_parquet(bytes: Vec<u8>) -> Result<ArrowTable, Error> {
    arrow_table(&[ParquetReader::new(Cursor::new(bytes)).finish()?])
}

/// The type of a column of results in one word.
pub fn type_word(data_type: &DataType) -> &'static str {
    match data_type {
        DataType::Boolean => "boolean",
        DataType::Date => "date",
        DataType::Float64 => "float",
        DataType::String => "text",
        _ => "integer",
    }
}

/// Identifiers of sixteen bytes as their texts; `None` if the array holds something else.
pub fn texts_of_identifiers(array: &dyn Array) -> Option<Box<dyn Array>> {
    format_uuid_values(array)
}

/// Where the values of each column are in memory, as they are read: to show that a table was not copied.
pub fn buffer_addresses(columns: Vec<GivenColumn>) -> Vec<(String, Vec<usize>)> {
    shared_memory(columns)
}

impl ArrowTable {
    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.parts.iter().map(|part| part.len()).sum()
    }

    /// The first rows as JSON objects, for people to look at: decimals are doubles.
    ///
    /// # Errors
    /// If a column has no such form.
    pub fn first_rows(&self, most: usize) -> Result<Vec<Map<String, Value>>, Error> {
        let mut rows = Vec::new();
        for part in &self.parts {
            let Some(part) = part.as_any().downcast_ref::<StructArray>() else {
                return Err(Error::Internal("a table that is no struct"));
            };
            let length = part.len().min(most - rows.len());
            let columns = part.fields().iter().zip(part.values());
            let columns = columns.map(|(field, array)| (field.name.to_string(), Ok(array.sliced(0, length))));
            let mut columns = plain_values(columns.collect(), length)?;
            for row in 0..length {
                let value = |(name, values): &mut (String, Vec<Value>)| {
                    (name.clone(), values.get_mut(row).map(Value::take).unwrap_or_default())
                };
                rows.push(columns.iter_mut().map(value).collect());
            }
            if rows.len() == most {
                break;
            }
        }
        Ok(rows)
    }
}
