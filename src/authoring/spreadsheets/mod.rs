//! Decision tables and the scorecard as sheets, for people who work in a spreadsheet: out of a rule file, and
//! back into it. Must not know files, or how messages look.

mod cells;
mod comments;
mod csv_sheet;
mod grid;
mod import;
mod matching;
mod rewrite;
mod row_positions;
mod sheet;

pub use self::cells::SheetValue;
pub use self::csv_sheet::to_csv;
pub use self::grid::{CellContent, Grid, SheetMistake};
pub use self::import::import_edited_sheet;
pub use self::rewrite::{Edit, Summary};
pub use self::sheet::{ColumnKind, Sheet, SheetColumn, SheetLine};
