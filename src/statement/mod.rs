//! Statements: the bytes of a source become one Polars frame a batch, checked, repaired by declared rules, exact, in one order.
//! Must not know metrics, rules or decisions, nor where the bytes came from: no file, no socket, no clock.
//!
//! The path is one way: `json` scans, `envelope` finds the list, `stencil` or else `record` fills a `draft`, `normalize` makes its meaning, `intake` collects
//! `rows`; then `arrange` drops duplicates and orders, and `assemble` makes the frame and each statement's head. Tables join at `intake`.
//! `merge` makes one statement of a customer's several, frame to frame.
//!
//! ```
//! use lendwright::statement::{Reading, read_json};
//! use lendwright::words::{date::Zone, money::Currency};
//! let reading = Reading::new(Currency::from_numeric("566").unwrap(), Zone::parse("Africa/Lagos").unwrap());
//! let body = br#"{"status": "success", "data": {"transactions": [
//!     {"id": "a1", "credit": 1250.50, "trans_date": "2024-03-04T23:00:00.000Z", "unformatted_trans_date": "05-03-2024"}]}}"#;
//! let statements = read_json(body, "example", &reading).unwrap();
//! assert_eq!(statements.len(), 1);
//! assert_eq!(statements.heads()[0].quality.date_repaired, 1);
//! let credit = statements.frame().column("credit").unwrap();
//! assert_eq!(credit.i64().unwrap().get(0), Some(125_050));
//! ```

mod arrange;
mod assemble;
mod balance_rows;
mod breaks;
mod by_columns;
mod cell;
mod chain;
mod checked;
mod column;
mod columns;
mod csv_rows;
mod currency;
mod digest;
mod draft;
mod envelope;
mod error;
mod field;
mod flat_lines;
mod frame;
mod header;
mod identity;
mod ids;
mod intake;
mod json;
mod json_record;
mod json_text;
mod merge;
mod minute;
mod near;
mod needle;
mod normalize;
mod packed;
mod pages;
mod parquet;
mod parquet_cells;
mod parquet_checksums;
mod parquet_pages;
mod parquet_parts;
mod parquet_rows;
mod parquet_schema;
mod parts;
mod pattern;
mod pieces;
mod quality;
mod quotes;
mod raw_record;
mod read;
mod reading;
mod record;
mod record_day;
mod row_order;
mod rows;
mod rows_read;
mod settled;
mod sheet;
mod sides;
mod signs;
mod statements_of;
mod stencil;
mod table;
mod texts;
mod unread;
mod when;
mod whose;

pub use columns::Columns;
pub use envelope::{Envelope, REFERENCE};
pub use error::{Error, Place};
pub use frame::{Head, OwnTransfer, Statements};
pub use merge::{Named, OtherSide};
pub use parquet::read_parquet;
pub use parquet_parts::read_parquet_parts;
pub use quality::{Merged, Merging, Quality, flag};
pub use read::{read_json, read_pages};
pub use reading::{DateConflict, EmptyAmount, NegativeRule, Reading, RecordDay};
pub(crate) use rows_read::lost_row;
pub use rows_read::{Asked, Next, ReadSeek, SeenRow, Table, TableBytes, TableFormat, each_row};
pub use statements_of::{LaidRow, Tables, statements_of};
pub use table::{read_csv, read_ndjson_table};
pub(crate) use whose::{
    FirstLine, customer_name, first_line, may_name_customer, parquet_names_customers, text_names_others,
};
