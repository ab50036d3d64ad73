//! Statements: the bytes of a source become one Polars frame per batch. It is checked, repaired by declared rules,
//! exact, and in one order. Must not know metrics, rules or decisions, nor where the bytes came from: no file, no
//! socket, no clock.
//!
//! Data flows one way. `provider` (JSON) and `tables` (CSV, Parquet, JSON lines) read raw records. `normalize` turns
//! each into a row, or into a fault with its place. `columns` collects rows, drops duplicates, orders, and assembles
//! the frame and each statement's head. `merge` makes one statement of a customer's several, frame to frame. `base`
//! holds what all share.
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

mod base;
mod columns;
pub(crate) mod formats;
#[cfg(feature = "cli")]
pub(crate) mod infer_columns;
mod merge;
mod normalize;
mod provider;
mod tables;

pub(crate) use base::column::LIST_COLUMNS;
pub use base::error::{Error, Place};
pub use base::quality::{BalanceDiscrepancy, BalanceVerdict, Merged, Merging, Quality, flag};
pub use base::reading::{DateConflict, EmptyAmount, NegativeRule, Reading, RecordDay};
pub use columns::frame::{Head, OwnTransfer, Statements};
#[doc(hidden)]
pub use merge::{Named, OtherSide};
#[doc(hidden)]
pub use normalize::identity::letters_cut_from_names;
#[doc(hidden)]
pub use provider::envelope::{Envelope, REFERENCE};
pub use provider::read::{read_json, read_pages};
#[doc(hidden)]
pub use tables::arrow_columns::GivenColumn;
pub(crate) use tables::arrow_columns::shared_memory;
pub(crate) use tables::arrow_rows::{ArrowPiece, ArrowRows, statements_of_pieces};
pub(crate) use tables::by_rows::read_by_rows;
pub use tables::columns_file::Columns;
#[doc(hidden)]
pub use tables::customer_key::customer_name;
pub(crate) use tables::customer_key::{
    FirstLine, first_line, may_name_customer, parquet_names_customers, text_names_others,
};
pub(crate) use tables::customer_value::customer_of;
pub use tables::data_frame::read_frame;
pub(crate) use tables::parquet_cells::uuids;
pub use tables::parquet_parts::read_parquet_parts;
pub(crate) use tables::plain_values::plain_values;
pub use tables::read::{read_csv, read_ndjson_table, read_parquet};
#[doc(hidden)]
pub use tables::regroup::{LaidRow, Tables, statements_of};
pub(crate) use tables::row_codec::lost_row;
#[doc(hidden)]
pub use tables::row_stream::each_row;
#[doc(hidden)]
pub use tables::table_source::{Asked, Next, ReadSeek, SeenRow, Table, TableBytes, TableFormat};
