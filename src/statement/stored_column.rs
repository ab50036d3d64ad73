//! One column of a Parquet file as it is stored: moments, decimals, whole numbers of every size.

use std::io::Cursor;

use polars_buffer::Buffer;

use super::base::error::{Error, show_source_text};
use super::cells::cell::Cell;
use super::tables::parquet::{Content, read_group, slice_column_chunk};

/// What `take` makes of the cells of a column, in the order of the rows.
pub(crate) fn read_stored_cells<T>(
    bytes: Vec<u8>,
    name: &str,
    take: &mut dyn FnMut(Cell<'_>) -> T,
) -> Result<Vec<T>, Error> {
    let bytes = Buffer::from(bytes);
    let content = Content::read(&mut Cursor::new(&bytes[..]))?;
    let wanted = |at: usize| content.leaves[at].name == name;
    let mut cells = Vec::new();
    for group in &content.groups {
        let columns = read_group(&mut |chunk| slice_column_chunk(&bytes, chunk), group, &content.leaves, &wanted)?;
        let column = columns.into_iter().flatten().next();
        let column = column.ok_or_else(|| Error::table(format!("no column `{}`", show_source_text(name))))?;
        cells.extend((0..group.num_rows()).map(|row| take(column.cell(row))));
    }
    Ok(cells)
}
