//! Rows of an Arrow table in memory: which of them are whose, and the statements of some.

use std::ops::Range;
use std::sync::Arc;

use crate::statement::base::error::Error;
use crate::statement::base::reading::Reading;
use crate::statement::cells::cell::Cell;
use crate::statement::columns::dedup_sort::arrange;
use crate::statement::columns::frame::Statements;
use crate::statement::columns_file::Columns;
use crate::statement::formats::table_format::TableFormat;
use crate::statement::rows::collector::Places;
use crate::statement::tables::arrow_columns::{ArrowColumn, GivenColumn, add_column};
use crate::statement::tables::columnar::take_columns;
use crate::statement::tables::parquet::take_some;
use crate::statement::tables::parquet_cells::Chunks;
use crate::statement::tables::row_codec::pack_row;
use crate::statement::tables::row_mapper::RowMapper;
use crate::statement::tables::table_source::Table;
use crate::statement::tables::table_start::{declared, start};

/// Consecutive rows of a table, with the meaning of its columns.
pub(crate) struct ArrowRows {
    columns: Arc<Columns>,
    names: Vec<String>,
    values: Vec<Option<Chunks>>,
    rows: usize,
    /// The ordinal of the first row in the table.
    first: u32,
}

/// Some of the rows.
#[derive(Clone)]
pub(crate) struct ArrowPiece {
    pub(crate) of: Arc<ArrowRows>,
    pub(crate) rows: Range<usize>,
}

/// Consecutive rows of one customer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CustomerRun {
    pub(crate) customer: String,
    pub(crate) rows: Range<usize>,
}

impl ArrowRows {
    /// The rows of `arrays`, a name and an array for each column. Values in `given` stand for columns that the table
    /// lacks.
    ///
    /// # Errors
    /// If a column is missing, or has a type that cannot be read.
    pub(crate) fn new(
        arrays: impl IntoIterator<Item = GivenColumn>,
        (rows, first): (usize, u32),
        columns: &Arc<Columns>,
        given: Vec<(String, String)>,
    ) -> Result<ArrowRows, Error> {
        let mut found = Vec::new();
        arrays.into_iter().for_each(|column| add_column(column, &mut found));
        for (name, value) in given {
            if !found.iter().any(|column| column.path() == name) {
                found.push(ArrowColumn::constant(name, &value, rows));
            }
        }
        let names: Vec<String> = found.iter().map(|column| column.name(columns).to_owned()).collect();
        let header: Vec<&str> = names.iter().map(String::as_str).collect();
        let mapper = RowMapper::new(columns, &header)?;
        mapper.refuse_repeated_names(&header)?;
        let values = found.iter().enumerate().map(|(at, column)| mapper.uses(at).then(|| column.values()).transpose());
        let values = values.collect::<Result<_, Error>>()?;
        Ok(ArrowRows { columns: Arc::clone(columns), names, values, rows, first })
    }

    /// The names of the columns.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// The name of the column with the customer.
    pub(crate) fn customer_column(&self) -> Result<&str, Error> {
        let at = self.mapper()?.customer_at();
        Ok(self.names.get(at).map(String::as_str).unwrap_or_default())
    }

    fn mapper(&self) -> Result<RowMapper<'_>, Error> {
        RowMapper::new(&self.columns, &self.names.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn cells<'t>(&'t self, row: usize, cells: &mut Vec<Cell<'t>>) {
        cells.clear();
        cells.extend(self.values.iter().map(|column| column.as_ref().map_or(Cell::Null, |column| column.cell(row))));
    }

    /// The ordinal of a row in the table. The number of rows is checked when they are added.
    fn ordinal(&self, row: usize) -> u32 {
        self.first.saturating_add(u32::try_from(row).unwrap_or(u32::MAX))
    }

    /// The customers of the rows, in the order of the rows. A row that a columns file leaves out, and whose customer
    /// cannot be read, is in no run.
    ///
    /// # Errors
    /// If a row has no customer: nobody can say whose record it is.
    pub(crate) fn runs(&self) -> Result<Vec<CustomerRun>, Error> {
        let mapper = self.mapper()?;
        let at = mapper.customer_at();
        let Some(customers) = self.values.get(at).and_then(Option::as_ref) else { return Ok(Vec::new()) };
        let skips = self.columns.skip.is_some();
        let mut cells = vec![Cell::Null; self.names.len()];
        let (mut runs, mut last): (Vec<CustomerRun>, Cell<'_>) = (Vec::new(), Cell::Null);
        for row in 0..self.rows {
            let cell = customers.cell(row);
            if let Some(run) = runs.last_mut()
                && run.rows.end == row
                && cell == last
            {
                run.rows.end = row + 1;
                continue;
            }
            match (skips, cells.get_mut(at)) {
                (false, Some(customer)) => *customer = cell,
                _ => self.cells(row, &mut cells),
            }
            let Some(customer) = mapper.customer_unless_skipped(&cells, &Places::Rows, self.ordinal(row))? else {
                continue;
            };
            last = cell;
            match runs.last_mut() {
                // Another spelling of the same name, such as one with a blank after it.
                Some(run) if run.rows.end == row && run.customer == customer => run.rows.end = row + 1,
                _ => runs.push(CustomerRun { customer: customer.into_owned(), rows: row..row + 1 }),
            }
        }
        Ok(runs)
    }

    /// Passes the ordinal and the bytes of each of these rows to `take`, as
    /// [`statements_of`](crate::statement::statements_of) takes them.
    pub(crate) fn pack<E: From<Error>>(
        &self,
        rows: Range<usize>,
        mut take: impl FnMut(u32, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mapper = self.mapper()?;
        let (mut cells, mut bytes) = (Vec::new(), Vec::new());
        for row in rows {
            self.cells(row, &mut cells);
            pack_row(&cells, |at| mapper.uses(at), &mut bytes);
            take(self.ordinal(row), &bytes)?;
        }
        Ok(())
    }

    /// What [`statements_of`](crate::statement::statements_of) must know of the table.
    pub(crate) fn table(&self, label: &str) -> Table {
        Table {
            label: label.to_owned(),
            format: TableFormat::Parquet,
            names: self.names.clone(),
            given: Vec::new(),
            places: Places::Rows,
            unread: Default::default(),
        }
    }
}

impl ArrowPiece {
    /// All rows.
    pub(crate) fn whole(of: ArrowRows) -> ArrowPiece {
        let rows = 0..of.rows;
        ArrowPiece { of: Arc::new(of), rows }
    }
}

/// The statements of these rows, which must be all rows of their customers.
///
/// # Errors
/// If a row is wrong, nothing is made.
pub(crate) fn statements_of_pieces(pieces: &[ArrowPiece], label: &str, reading: &Reading) -> Result<Statements, Error> {
    let Some(ArrowPiece { of: first, .. }) = pieces.first() else { return Err(Error::table("there are no rows")) };
    let reading = declared(reading, &first.columns);
    let mapper = first.mapper()?;
    let mut collector = start(&reading, &mapper, Places::Rows);
    for ArrowPiece { of, rows } in pieces {
        let ordinal = of.ordinal(rows.start);
        if take_columns(&mapper, &of.values, rows.clone(), ordinal, &mut collector).is_none() {
            take_some(of.mapper()?, &of.values, rows.clone(), ordinal, &mut collector)?;
        }
    }
    first.columns.name_customer(arrange(collector, label)?)
}
