//! Tables of many statements: CSV, Parquet, and JSON lines under a columns file. Must not know what a value means.

pub(crate) mod by_rows;
pub(crate) mod columnar;
pub(crate) mod columns_file;
pub(crate) mod csv_quotes;
pub(crate) mod csv_rows;
pub(crate) mod customer_key;
pub(crate) mod data_frame;
pub(crate) mod flat_lines;
pub(crate) mod format_rows;
pub(crate) mod header;
pub(crate) mod parquet;
pub(crate) mod parquet_cells;
pub(crate) mod parquet_checksums;
pub(crate) mod parquet_pages;
pub(crate) mod parquet_parts;
pub(crate) mod parquet_rows;
pub(crate) mod parquet_schema;
pub(crate) mod read;
pub(crate) mod regroup;
pub(crate) mod row_codec;
pub(crate) mod row_mapper;
pub(crate) mod row_stream;
pub(crate) mod table_source;
