//! Writes plans as one Parquet table, one batch of rows at a time. The only file of `generate` that uses Polars.

use std::io::Write;

use polars::io::parquet::write::BatchedWriter;
use polars::prelude::{Column, DataFrame, DataType, IntoColumn, NamedFrom, ParquetWriter, PolarsResult, Series};

use super::csv::{LISTS, list_csv_columns};
use super::json::bank_id;
use crate::provider::generate::events::event::EventSide;
use crate::provider::generate::options::Options;
use crate::provider::generate::plan::{Plan, PlannedRecord};

/// Rows per row group.
const GROUP_ROWS: usize = 100_000;

/// A Parquet table of many statements, with the columns of the CSV table. Amounts are 64-bit floats of whole units,
/// such as naira; dates are dates.
pub struct ParquetTable<W: Write> {
    writer: BatchedWriter<W>,
    columns: Vec<&'static str>,
    rows: CollectedRows,
}

/// The collected rows, column by column.
#[derive(Default)]
struct CollectedRows {
    customer: Vec<String>,
    id: Vec<String>,
    days: [Vec<i32>; 2],
    money: [Vec<Option<f64>>; 3],
    code: Vec<&'static str>,
    branch: Vec<String>,
    bank: Vec<String>,
    desc: Vec<Option<String>>,
    lists: [Vec<Option<String>>; LISTS],
    /// The columns `account` and `export`, if there are any.
    places: [Vec<String>; 2],
}

impl<W: Write> ParquetTable<W> {
    /// Starts a table of statements with these options.
    ///
    /// # Errors
    /// If the writer fails.
    pub fn new(out: W, options: &Options) -> PolarsResult<Self> {
        let columns = list_csv_columns(options);
        let empty = CollectedRows::default().frame(&columns)?;
        // One thread writes the columns in turn, so that the bytes are the same everywhere.
        let writer = ParquetWriter::new(out).set_parallel(false).batched(empty.schema())?;
        Ok(Self { writer, columns, rows: CollectedRows::default() })
    }

    /// Adds a statement's rows.
    ///
    /// # Errors
    /// If the writer fails.
    pub fn add(&mut self, plan: &Plan) -> PolarsResult<()> {
        plan.each(|record| {
            self.rows.push(plan, record);
            if self.rows.id.len() >= GROUP_ROWS {
                let frame = std::mem::take(&mut self.rows).frame(&self.columns).map_err(std::io::Error::other)?;
                self.writer.write_batch(&frame).map_err(std::io::Error::other)?;
            }
            Ok(())
        })?;
        Ok(())
    }

    /// Writes the remaining rows and the end of the table.
    ///
    /// # Errors
    /// If the writer fails.
    pub fn finish(mut self) -> PolarsResult<()> {
        if !self.rows.id.is_empty() {
            let frame = std::mem::take(&mut self.rows).frame(&self.columns)?;
            self.writer.write_batch(&frame)?;
        }
        self.writer.finish().map(|_| ())
    }
}

impl CollectedRows {
    fn push(&mut self, plan: &Plan, record: &PlannedRecord<'_>) {
        let event = record.event;
        let major = |minor: i64| minor as f64 / 100.0;
        self.customer.push(plan.person().customer.clone());
        self.id.push(plan.id(record.number));
        self.days[0].push(event.day);
        self.days[1].push(plan.cleared(record));
        self.money[0].push((event.side == EventSide::Credit).then(|| major(event.amount)));
        self.money[1].push((event.side == EventSide::Debit).then(|| major(event.amount)));
        self.money[2].push(record.balance.map(major));
        self.code.push(event.code);
        self.branch.push(plan.style.branch.clone());
        self.bank.push(bank_id(plan.person()));
        self.desc.push(Some(event.desc.clone()).filter(|desc| !desc.is_empty()));
        for (column, items) in self.lists.iter_mut().zip(plan.lists(event)) {
            column.push(Some(items).filter(|items| !items.is_empty()));
        }
        for (column, field) in self.places.iter_mut().zip(plan.export_fields()) {
            column.push(field);
        }
    }

    fn frame(self, columns: &[&'static str]) -> PolarsResult<DataFrame> {
        let height = self.id.len();
        let [trans_date, cleared_date] = self.days;
        let [credit, debit, balance] = self.money;
        let day = |values: Vec<i32>| Series::new("".into(), values).cast(&DataType::Date);
        let [first, second] = self.places;
        let text = |values: Vec<String>| Series::new("".into(), values);
        let series = [
            Series::new("".into(), self.customer),
            Series::new("".into(), self.id),
            day(trans_date)?,
            day(cleared_date)?,
            Series::new("".into(), credit),
            Series::new("".into(), debit),
            Series::new("".into(), balance),
            Series::new("".into(), self.code),
            Series::new("".into(), self.branch),
            Series::new("".into(), self.bank),
            Series::new("".into(), self.desc),
        ];
        let lists = self.lists.map(|items: Vec<Option<String>>| Series::new("".into(), items));
        let places = [first, second].map(text);
        let columns: Vec<Column> = series
            .into_iter()
            .chain(lists)
            .chain(places)
            .zip(columns)
            .map(|(series, name)| series.with_name((*name).into()).into_column())
            .collect();
        DataFrame::new(height, columns)
    }
}
