//! Reads a whole file row by row, as a batch reads its tables, so that it means the same.

use std::io::Cursor;

use crate::statement::base::error::Error;
use crate::statement::base::reading::Reading;
use crate::statement::columns::frame::Statements;
use crate::statement::columns_file::Columns;
use crate::statement::formats::table_format::TableFormat;
use crate::statement::tables::regroup::{LaidRow, Tables, statements_of};
use crate::statement::tables::row_stream::each_row;
use crate::statement::tables::table_source::{Next, RowsRequest, TableBytes};

/// The statements of a file. `given` are values that are known of all its rows.
pub(crate) fn read_by_rows(
    format: TableFormat,
    bytes: &[u8],
    (label, given): (&str, &[(String, String)]),
    reading: &Reading,
    columns: &Columns,
) -> Result<Statements, Error> {
    let asked = RowsRequest { label, columns, given, rows: &|_| true, memory: u64::MAX };
    let mut rows: Vec<(String, u32, Vec<u8>)> = Vec::new();
    let mut content = Cursor::new(bytes);
    let table = each_row(format, TableBytes::Seekable(&mut content), &asked, |row| {
        rows.push((row.customer.to_owned(), row.ordinal, row.bytes.to_vec()));
        Next::Row
    })?;
    rows.sort_by(|left, right| left.0.cmp(&right.0));
    let tables = Tables { tables: &[table], columns, reading, name_tables: false };
    let laid = rows.iter().map(|(_, ordinal, bytes)| LaidRow { table: 0, ordinal: *ordinal, bytes });
    statements_of(laid, &tables, |_| label.to_owned())
}
