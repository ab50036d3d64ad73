//! Rows of an Arrow table in memory, and the statements of some.

use std::ops::Range;
use std::sync::Arc;

use crate::statement::base::error::Error;
use crate::statement::base::reading::Reading;
use crate::statement::columns::dedup_sort::arrange_statements;
use crate::statement::columns::frame::Statements;
use crate::statement::columns_file::Columns;
use crate::statement::rows::collector::Places;
use crate::statement::tables::arrow_columns::{ArrowColumn, GivenColumn, add_column};
use crate::statement::tables::columnar::take_columns;
use crate::statement::tables::parquet::take_some;
use crate::statement::tables::parquet_cells::Chunks;
use crate::statement::tables::row_mapper::RowMapper;
use crate::statement::tables::table_start::{apply_declarations, start_collector};

/// Consecutive rows of a table, with the meaning of its columns.
pub(crate) struct ArrowRows {
    pub(crate) columns: Arc<Columns>,
    pub(crate) names: Vec<String>,
    pub(crate) values: Vec<Option<Chunks>>,
    pub(crate) rows: usize,
    /// The ordinal of the first row in the table.
    first: u32,
}

/// Some of the rows.
#[derive(Clone)]
pub(crate) struct ArrowPiece {
    pub(crate) of: Arc<ArrowRows>,
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

    pub(crate) fn mapper(&self) -> Result<RowMapper<'_>, Error> {
        RowMapper::new(&self.columns, &self.names.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// The ordinal of a row in the table. The number of rows is checked when they are added.
    pub(crate) fn ordinal(&self, row: usize) -> u32 {
        self.first.saturating_add(u32::try_from(row).unwrap_or(u32::MAX))
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
    let reading = apply_declarations(reading, &first.columns);
    let mapper = first.mapper()?;
    let mut collector = start_collector(&reading, &mapper, Places::Rows);
    for ArrowPiece { of, rows } in pieces {
        let ordinal = of.ordinal(rows.start);
        if take_columns(&mapper, &of.values, rows.clone(), ordinal, &mut collector).is_none() {
            take_some(of.mapper()?, &of.values, rows.clone(), ordinal, &mut collector)?;
        }
    }
    first.columns.name_customer(arrange_statements(collector, label)?)
}
