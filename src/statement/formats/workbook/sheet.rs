//! What the readers of sheets share: bounds, places, and how a row is passed on.

use std::ops::ControlFlow;

use crate::statement::formats::RowValue;

/// The most columns of a sheet.
pub(super) const COLUMNS_MAX: u32 = 16_384;
/// The most rows of a sheet.
pub(super) const ROWS_MAX: u32 = 1_048_576;

pub(super) const DAMAGED: &str = "the workbook is damaged";
/// A formula without a known value. Programs that write workbooks store none, or 0.
pub(crate) const UNCALCULATED: &str = "\
    the formula was never calculated, so its value is not known; open the workbook in a spreadsheet program and save \
    it";
pub(super) const LOCKED: &str = "the workbook is encrypted; open it with its password and save it without one";

/// Receives a row of a sheet, numbered from 0, with a value for each column up to its last cell.
pub(super) type TakeCells<'t> = dyn FnMut(u32, &[RowValue<'_>]) -> ControlFlow<()> + 't;

pub(super) fn place_of(sheet: &str, row: Option<u32>) -> String {
    let row = row.map(|row| format!(", row {}", u64::from(row) + 1)).unwrap_or_default();
    format!("sheet \"{sheet}\"{row}")
}
