//! Invented statements from a seed, as a table. Must not know how they are made.

use lendwright::base::csv_line::unguarded_text;
use lendwright::base::date::Day;
use lendwright::generate::{Customer, Hard, Market, Options, ParquetTable, labels_header};
use polars_arrow::array::{StructArray, Utf8Array};
use polars_arrow::datatypes::{ArrowDataType, Field};
use pyo3::prelude::*;

use lendwright::arrow::{ArrowTable, table_of_parquet};

use crate::errors;
use crate::table::Table;
use crate::work::{self, How, Watcher};

/// The records of invented people, and the label of each record.
#[pyfunction]
#[pyo3(signature = (*, statements, records, seed, debits, noise, hard, start, end, market))]
#[allow(clippy::too_many_arguments, reason = "Python calls it by names")]
pub(crate) fn generate(
    py: Python<'_>,
    statements: u64,
    records: u64,
    seed: u64,
    debits: bool,
    noise: f64,
    hard: Vec<String>,
    start: Option<String>,
    end: Option<String>,
    market: String,
) -> PyResult<(Table, Table)> {
    let wrong = |what: &str| errors::other(py, "generate", what);
    let day = |text: Option<String>| match text {
        None => Ok(None),
        Some(text) => match Day::parse_iso(&text) {
            Some(day) => Ok(Some(day)),
            None => Err(wrong(&format!("`{text}` is not a date; write it as 2026-10-31"))),
        },
    };
    let mut hardships = Hard { irregular: false, split: false, misleading: false };
    for one in hard {
        match one.as_str() {
            "irregular" => hardships.irregular = true,
            "split" => hardships.split = true,
            "misleading" => hardships.misleading = true,
            "all" => hardships = Hard { irregular: true, split: true, misleading: true },
            other => {
                return Err(wrong(&format!("`{other}` is no hardship; write irregular, split, misleading or all")));
            }
        }
    }
    let (start, end) = (day(start)?, day(end)?);
    let Some(market) = Market::of_name(&market) else {
        let known = Market::ALL.map(Market::name).join(", ");
        return Err(wrong(&format!("`{market}` is no market of invented people; write one of {known}")));
    };
    let options = Options { records, debits, noise, start, end, hard: hardships, market, ..Options::default() };
    options.check().map_err(|error| wrong(&error.to_string()))?;
    let made = work::run(py, &How::default(), move |watcher| {
        let made = make(statements, seed, &options, watcher);
        Ok(made
            .and_then(|(parquet, labels)| Ok((table_of_parquet(parquet).map_err(|error| error.to_string())?, labels))))
    })?;
    let (records, labels) = made.map_err(|what| wrong(&what))?;
    Ok((Table(records), Table(labels_table(&labels).map_err(|what| wrong(&what))?)))
}

fn make(statements: u64, seed: u64, options: &Options, watcher: &Watcher) -> Result<(Vec<u8>, Vec<u8>), String> {
    let (mut bytes, mut labels) = (Vec::new(), labels_header().as_bytes().to_vec());
    let mut rows = ParquetTable::new(&mut bytes, options).map_err(|error| error.to_string())?;
    for index in 0..statements {
        if !watcher.count(1) {
            return Err("interrupted".to_owned());
        }
        let customer = Customer::new(seed, index, options).map_err(|error| error.to_string())?;
        for plan in customer.statements() {
            rows.add(plan).map_err(|error| error.to_string())?;
        }
        let name = format!("statement-{:06}", index + 1);
        customer.write_labels(&name, &mut labels).map_err(|error| error.to_string())?;
    }
    rows.finish().map_err(|error| error.to_string())?;
    Ok((bytes, labels))
}

/// A CSV file as a table of texts.
fn labels_table(csv: &[u8]) -> Result<ArrowTable, String> {
    let mut reader = csv::Reader::from_reader(csv);
    let header = reader.headers().map_err(|error| error.to_string())?.clone();
    let mut columns: Vec<Vec<Option<String>>> = vec![Vec::new(); header.len()];
    for row in reader.records() {
        let row = row.map_err(|error| error.to_string())?;
        for (column, cell) in columns.iter_mut().zip(&row) {
            column.push(Some(unguarded_text(cell).to_owned()).filter(|cell| !cell.is_empty()));
        }
    }
    let rows = columns.first().map_or(0, Vec::len);
    let fields = header.iter().map(|name| Field::new(name.into(), ArrowDataType::LargeUtf8, true)).collect();
    let data_type = ArrowDataType::Struct(fields);
    let arrays = columns.into_iter().map(|column| Utf8Array::<i64>::from(column).boxed()).collect();
    let part = StructArray::try_new(data_type.clone(), rows, arrays, None).map_err(|error| error.to_string())?;
    Ok(ArrowTable { field: Field::new("".into(), data_type, false), parts: vec![part.boxed()] })
}
