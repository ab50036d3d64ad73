//! Tables about customers: outcomes, and attributes that no rule can read. Counts nothing.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use polars::prelude::{AnyValue, Column, DataFrame};
use serde_json::Value;

use super::super::output::Failure;
use super::super::table_file::lowercase_extension;
use crate::base::csv_line::unguarded_text;
use crate::base::date::Day;
use crate::base::text::escape_terminal;
use crate::portfolio::{LoanOutcome, Outcomes};
use crate::rules::Policy;
use crate::run::files::{parquet_columns, parquet_shape};
use crate::statement::customer_of;

/// Outcomes beside the customers of a portfolio.
pub(super) struct OutcomesFound {
    /// The outcome of each customer.
    pub rows: Vec<Option<LoanOutcome>>,
    /// How many outcomes belong to nobody in the portfolio.
    unmet: usize,
    all: usize,
}

impl OutcomesFound {
    /// What a reader must know.
    pub(super) fn warning(&self) -> Option<String> {
        (self.unmet > 0).then(|| {
            format!("{} of {} outcomes belong to customers that the portfolio does not have", self.unmet, self.all)
        })
    }
}

/// Reads outcomes.
pub(super) fn read_outcome_table(
    path: Option<&Path>,
    policy: &Policy,
    customers: &[String],
) -> Result<Option<OutcomesFound>, Failure> {
    let Some(path) = path else { return Ok(None) };
    let wrong = |what: String| Failure::Message(format!("{}: {what}", path.display()));
    let table = read_wanted_columns(path, &|name| COLUMNS.contains(&name))?;
    let outcomes = Outcomes::from_table(&table, &policy.header().currency).map_err(|error| wrong(error.to_string()))?;
    let rows = outcomes.for_customers(customers);
    let met = rows.iter().flatten().count();
    refuse_of_nobody(outcomes.count(), met).map_err(wrong)?;
    Ok(Some(OutcomesFound { rows, unmet: outcomes.count() - met, all: outcomes.count() }))
}

/// Reads attributes: a column of text for each, with the value of each of these customers.
pub(super) fn read_attribute_table(path: &Path, customers: &[String]) -> Result<DataFrame, Failure> {
    let wrong = |what: String| Failure::Message(format!("{}: {what}", path.display()));
    let table = read_wanted_columns(path, &|_| true)?;
    let names = table.iter().find(|(name, _)| name == "customer").map(|(_, values)| values);
    let names = names.ok_or_else(|| wrong("there is no column `customer`".to_owned()))?;
    let text = |value: &Value| match value {
        Value::Null => None,
        Value::String(text) if text.trim().is_empty() => None,
        Value::String(text) => Some(text.trim().to_owned()),
        other => Some(other.to_string()),
    };
    let mut rows: HashMap<String, usize> = HashMap::with_capacity(names.len());
    for (row, name) in names.iter().enumerate() {
        let name = customer_of(name).map_err(|what| wrong(format!("row {}: {what}", row + 1)))?;
        if rows.insert(name, row).is_some() {
            return Err(wrong(format!("row {}: its customer is in an earlier row too", row + 1)));
        }
    }
    let of_customers: Vec<Option<usize>> = customers.iter().map(|customer| rows.get(customer).copied()).collect();
    refuse_of_nobody(rows.len(), of_customers.iter().flatten().count()).map_err(wrong)?;
    let columns = table.iter().filter(|(name, _)| name != "customer").map(|(name, values)| {
        let value = |row: &Option<usize>| row.and_then(|row| text(&values[row]));
        Column::new(name.as_str().into(), of_customers.iter().map(value).collect::<Vec<_>>())
    });
    DataFrame::new(customers.len(), columns.collect()).map_err(Failure::message)
}

/// A table with nobody of the portfolio is the wrong table, or names customers in another way.
fn refuse_of_nobody(rows: usize, met: usize) -> Result<(), String> {
    match (rows, met) {
        (0, _) => Err("it has no rows".to_owned()),
        (_, 0) => Err("none of its customers is in the portfolio; are they named the same way?".to_owned()),
        _ => Ok(()),
    }
}

/// Reads the columns of a table that are wanted, whatever its format.
pub(in crate::cli) fn read_wanted_columns(
    path: &Path,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Result<crate::portfolio::ColumnTable, Failure> {
    let wrong = |what: String| Failure::Message(format!("{}: {what}", path.display()));
    if lowercase_extension(path) == "parquet" {
        return read_parquet_columns(path, is_wanted).map_err(wrong);
    }
    let bytes = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
    match lowercase_extension(path).as_str() {
        "csv" => read_csv_columns(&bytes, is_wanted).map_err(wrong),
        "ndjson" | "jsonl" => read_ndjson_columns(&bytes, is_wanted).map_err(wrong),
        _ => Err(wrong("unknown kind of file; name it .csv, .ndjson or .parquet".to_owned())),
    }
}

/// The columns that outcomes may have.
const COLUMNS: [&str; 6] = ["customer", "bad", "loan_date", "bad_date", "observed_until", "amount"];

fn read_csv_columns(bytes: &[u8], is_wanted: &dyn Fn(&str) -> bool) -> Result<crate::portfolio::ColumnTable, String> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(bytes);
    // The error of the library would show what is in the row.
    let wrong = |error: csv::Error| {
        let line = error.position().map_or(1, csv::Position::line);
        format!("line {line}: it is no row of CSV with as many fields as the header")
    };
    let header = reader.headers().map_err(wrong)?.clone();
    let names = header.iter().map(|name| name.trim_start_matches('\u{feff}').to_owned());
    let wanted: Vec<(usize, String)> = names.enumerate().filter(|(_, name)| is_wanted(name)).collect();
    let mut known = BTreeSet::new();
    if let Some((_, name)) = wanted.iter().find(|(_, name)| !known.insert(name)) {
        return Err(format!(
            "there are two columns `{}`; which of them counts is not clear, so leave one out",
            escape_terminal(name)
        ));
    }
    let mut table: crate::portfolio::ColumnTable = wanted.iter().map(|(_, name)| (name.clone(), Vec::new())).collect();
    for row in reader.records() {
        let row = row.map_err(wrong)?;
        for ((at, _), (_, values)) in wanted.iter().zip(&mut table) {
            values.push(Value::from(unguarded_text(row.get(*at).unwrap_or_default())));
        }
    }
    Ok(table)
}

fn read_ndjson_columns(
    bytes: &[u8],
    is_wanted: &dyn Fn(&str) -> bool,
) -> Result<crate::portfolio::ColumnTable, String> {
    let mut rows = Vec::new();
    for (number, line) in
        bytes.split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.trim_ascii().is_empty())
    {
        let row: serde_json::Map<String, Value> =
            serde_json::from_slice(line).map_err(|_| format!("line {}: it is no JSON object", number + 1))?;
        rows.push(row);
    }
    let names: BTreeSet<&String> = rows.iter().flat_map(|row| row.keys()).filter(|name| is_wanted(name)).collect();
    let value = |row: &serde_json::Map<String, Value>, name: &str| row.get(name).cloned().unwrap_or_default();
    Ok(names.into_iter().map(|name| (name.clone(), rows.iter().map(|row| value(row, name)).collect())).collect())
}

fn read_parquet_columns(
    path: &Path,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Result<crate::portfolio::ColumnTable, String> {
    let shape = parquet_shape(path).map_err(|error| error.to_string())?;
    let shape = shape.ok_or("it is no Parquet")?;
    let wanted: Vec<&str> = shape.names.iter().map(String::as_str).filter(|name| is_wanted(name)).collect();
    if let Some((name, what)) = shape.others.iter().find(|(name, _)| is_wanted(name)) {
        return Err(format!(
            "the column `{name}` is a {what}; write it as text, as a whole or floating number, as a truth value or as \
             a date"
        ));
    }
    let frame = parquet_columns(path, &wanted).map_err(|error| error.to_string())?;
    let value = |value: AnyValue| match value {
        AnyValue::Null => Value::Null,
        AnyValue::Boolean(truth) => Value::from(truth),
        AnyValue::String(text) => Value::from(text),
        // A day outside of all years stays something that is no day.
        AnyValue::Date(days) => {
            Day::checked_from_days(days).map_or_else(|| format!("day {days}"), |day| day.to_string()).into()
        }
        AnyValue::UInt64(number) => Value::from(number),
        AnyValue::Float64(number) => Value::from(number),
        AnyValue::Float32(number) => Value::from(number),
        other => other.extract::<i64>().map_or(Value::Null, Value::from),
    };
    let column = |name: &str| -> Result<(String, Vec<Value>), String> {
        let column = frame.column(name).map_err(|error| error.to_string())?;
        let values = (0..column.len()).map(|row| column.get(row).map(value).map_err(|error| error.to_string()));
        Ok((name.to_owned(), values.collect::<Result<_, _>>()?))
    };
    wanted.into_iter().map(column).collect()
}
