//! Statements: the bytes of a source become one Polars frame per batch. It is checked, repaired by declared rules,
//! exact, and in one order. Must not know metrics, rules or decisions, nor where the bytes came from: no file, no
//! socket, no clock.
//!
//! The parts, in order: each imports only parts above it in this list.
//!
//! 1. `formats`: files of banks, spreadsheets and aggregators, and JSON text, as rows of plain values.
//! 2. `base`: what all folders share: errors, counts of quality, the declared rules of reading, the names of columns.
//! 3. `cells`: what a single cell says: an amount, a date, a currency, an identifier, the name of a balance.
//! 4. `columns_file`: what a columns file declares about a table, and which rows it skips.
//! 5. `rows`: the row of a record, and the collector in which rows become growing columns, statement by statement.
//! 6. `normalize`: a raw record of any format becomes a row, or a fault with its place.
//! 7. `columns`: collected rows without duplicates, in order, with their balances checked, as the frame and its heads.
//! 8. `merge`: one statement from a customer's several, frame to frame.
//! 9. `provider`: reads the provider's JSON: envelopes, pages, lists and lines of records.
//! 10. `tables`: reads tables of many statements: CSV, Parquet, JSON lines, Arrow, and all `formats`.
//! 11. `stored_column`: one column of a Parquet file as it is stored.
//! 12. `infer_columns`: drafts the columns file of an export.
//! 13. `arrow_tables`: tables of records in memory, for the folder `arrow`.
//!
//! ```
//! use lendwright::statement::{Reading, read_json};
//! use lendwright::base::{date::Zone, money::Currency};
//! let reading = Reading::new(Currency::from_numeric("566").unwrap(), Zone::parse("Africa/Lagos").unwrap());
//! let body = br#"{"status": "success", "data": {"transactions": [
//!     {"id": "a1", "credit": 1250.50,
//!      "trans_date": "2024-03-04T23:00:00.000Z", "unformatted_trans_date": "05-03-2024"}]}}"#;
//! let statements = read_json(body, "example", &reading).unwrap();
//! assert_eq!(statements.len(), 1);
//! assert_eq!(statements.heads()[0].quality.date_repaired, 1);
//! let credit = statements.frame().column("credit").unwrap();
//! assert_eq!(credit.i64().unwrap().get(0), Some(125_050));
//! ```

#[cfg(feature = "arrow")]
pub(crate) mod arrow_tables;
mod base;
mod cells;
mod columns;
mod columns_file;
pub(crate) mod formats;
#[cfg(feature = "cli")]
pub(crate) mod infer_columns;
mod merge;
mod normalize;
mod provider;
mod rows;
#[cfg(feature = "cli")]
pub(crate) mod stored_column;
mod tables;

pub use base::error::{Error, Place};
pub use base::period::{PeriodSource, StatementPeriod};
pub use base::quality::{BalanceDiscrepancy, BalanceVerdict, Merged, Merging, Quality, flag};
pub use base::reading::{DateConflict, EmptyAmount, NegativeRule, Reading, ReadingMismatch, RecordDay};
#[cfg(feature = "cli")]
pub(crate) use cells::cell::Cell;
#[doc(hidden)]
pub use cells::identity::letters_cut_from_names;
pub use columns::frame::{Head, OwnTransfer, Statements};
pub(crate) use columns::frame::{check_reading_of, printed_narrations};
pub use columns_file::Columns;
#[doc(hidden)]
pub use formats::table_format::TableFormat;
#[doc(hidden)]
pub use merge::{OtherSide, RecordParties};
#[doc(hidden)]
pub use provider::envelope::{Envelope, REFERENCE};
pub use provider::read::{read_json, read_pages};
#[doc(hidden)]
pub use tables::arrow_columns::GivenColumn;
pub(crate) use tables::by_rows::read_by_rows;
#[doc(hidden)]
pub use tables::customer_key::customer_name;
pub(crate) use tables::customer_key::{
    FirstLine, first_line, may_name_customer, parquet_names_customers, text_names_others,
};
pub(crate) use tables::customer_value::customer_of;
pub use tables::data_frame::read_frame;
pub(crate) use tables::parquet_as_csv::parquet_as_csv;
pub use tables::parquet_parts::read_parquet_parts;
pub use tables::read::{read_csv, read_ndjson_table, read_parquet};
#[doc(hidden)]
pub use tables::regroup::{LaidRow, Tables, statements_of};
pub(crate) use tables::row_codec::lost_row;
#[doc(hidden)]
pub use tables::row_stream::each_row;
#[doc(hidden)]
pub use tables::table_source::{Next, ReadSeek, RowsRequest, SeenRow, Table, TableBytes};
