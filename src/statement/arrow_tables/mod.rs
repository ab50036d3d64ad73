//! Tables of records in memory, as the folder `arrow` receives and gives them: their values, customers and columns.
//! Must not know where a table came from, or what is decided.

mod customer_runs;
mod plain_values;
mod shared_memory;

pub(crate) use plain_values::plain_values;
pub(crate) use shared_memory::shared_memory;

use crate::statement::base::column::Column;
pub(crate) use crate::statement::tables::arrow_rows::{ArrowPiece, ArrowRows, statements_of_pieces};
pub(crate) use crate::statement::tables::parquet_cells::format_uuid_values;

/// The names of the columns whose cells are lists.
pub(crate) fn list_columns() -> impl Iterator<Item = &'static str> {
    Column::all().filter(|column| column.is_list()).map(Column::name)
}
