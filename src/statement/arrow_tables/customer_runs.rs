//! Which rows of an Arrow table belong to which customer, and the rows in the form in which they are sorted on disk.

use std::ops::Range;

use crate::statement::base::error::Error;
use crate::statement::cells::cell::Cell;
use crate::statement::columns_file::Columns;
use crate::statement::formats::table_format::TableFormat;
use crate::statement::rows::collector::Places;
use crate::statement::tables::arrow_rows::ArrowRows;
use crate::statement::tables::row_codec::pack_row;
use crate::statement::tables::table_source::Table;

/// Consecutive rows of one customer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CustomerRun {
    pub(crate) customer: String,
    pub(crate) rows: Range<usize>,
}

impl ArrowRows {
    /// The names of the columns.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// The name of the column with the customer.
    pub(crate) fn customer_column(&self) -> Result<&str, Error> {
        let at = self.mapper()?.customer_at();
        Ok(self.names.get(at).map(String::as_str).unwrap_or_default())
    }

    fn cells<'t>(&'t self, row: usize, cells: &mut Vec<Cell<'t>>) {
        cells.clear();
        cells.extend(self.values.iter().map(|column| column.as_ref().map_or(Cell::Null, |column| column.cell(row))));
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

impl Columns {
    /// Whether a columns file says which rows are no records.
    pub(crate) fn leaves_rows_out(&self) -> bool {
        self.skip.is_some()
    }

    /// Whether a columns file declares the order of rows.
    pub(crate) fn declares_order(&self) -> bool {
        self.order.is_some()
    }
}
