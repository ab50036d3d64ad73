//! A sheet as an XLSX workbook. Knows nothing of rules.

use rust_xlsxwriter::{
    Color, DocProperties, ExcelDateTime, Format, FormatAlign, IgnoreError, Workbook, Worksheet, XlsxError,
};

use crate::authoring::spreadsheets::{ColumnKind, Sheet, SheetColumn, SheetValue};
use crate::report::aligned::measure_text_width;

/// The narrowest and the widest column, in letters.
const WIDTHS: (f64, f64) = (8.0, 60.0);
const GREY: Color = Color::RGB(0x0060_6060);

/// The bytes of a workbook. The same sheet gives the same bytes.
pub(super) fn sheet_as_workbook(sheet: &Sheet) -> Result<Vec<u8>, XlsxError> {
    let mut book = Workbook::new();
    book.set_properties(&DocProperties::new().set_creation_datetime(&ExcelDateTime::from_ymd(2000, 1, 1)?));
    let tab = book.add_worksheet();
    tab.set_name(sheet.tab())?;
    let formats: Vec<Format> = sheet.columns.iter().map(format_of_column).collect();
    let titles = Format::new().set_bold().set_text_wrap().set_num_format("@").set_align(FormatAlign::Top);
    let units = Format::new().set_italic().set_font_color(GREY).set_text_wrap().set_num_format("@");
    for (at, (column, format)) in (0..).zip(sheet.columns.iter().zip(&formats)) {
        // So that a new row has the format of the others.
        tab.set_column_format(at, format)?;
        tab.set_column_width(at, width_of_column(sheet, usize::from(at)))?;
        tab.write_string_with_format(0, at, &column.title, &titles)?;
        tab.write_string_with_format(1, at, &column.unit, &units)?;
    }
    for (row, line) in (2..).zip(&sheet.lines) {
        for (at, (value, format)) in (0..).zip(line.values.iter().zip(&formats)) {
            put_sheet_value(tab, row, at, value, format)?;
        }
    }
    tab.set_freeze_panes(2, 1)?;
    let last = u32::try_from(sheet.lines.len() + 1).unwrap_or(u32::MAX);
    // Conditions such as 5 are texts here, which is no mistake.
    tab.ignore_error_range(
        0,
        0,
        last,
        u16::try_from(sheet.columns.len() - 1).unwrap_or(u16::MAX),
        IgnoreError::NumberStoredAsText,
    )?;
    book.save_to_buffer()
}

fn put_sheet_value(
    tab: &mut Worksheet,
    row: u32,
    column: u16,
    value: &SheetValue,
    format: &Format,
) -> Result<(), XlsxError> {
    match value {
        SheetValue::Empty => tab.write_blank(row, column, format)?,
        SheetValue::Text(text) => tab.write_string_with_format(row, column, text, format)?,
        SheetValue::Truth(truth) => tab.write_boolean_with_format(row, column, *truth, format)?,
        SheetValue::Number(digits) => match digits.parse::<f64>() {
            Ok(number) => tab.write_number_with_format(row, column, number, format)?,
            Err(_) => tab.write_string_with_format(row, column, digits, format)?,
        },
    };
    Ok(())
}

/// The format of a column's cells. Conditions are texts, so that the spreadsheet makes no dates and formulas of them.
fn format_of_column(column: &SheetColumn) -> Format {
    let top = Format::new().set_align(FormatAlign::Top);
    match column.kind {
        ColumnKind::Row => top.set_font_color(GREY),
        ColumnKind::Fixed => top.set_font_color(GREY).set_text_wrap(),
        ColumnKind::Test(_) => top.set_num_format("@"),
        ColumnKind::Given(ty) if ty.is_numeric() => top,
        ColumnKind::Given(_) => top.set_num_format("@"),
        ColumnKind::Comment => top.set_num_format("@").set_text_wrap(),
    }
}

/// The width of a column: of its widest cell, within limits.
fn width_of_column(sheet: &Sheet, column: usize) -> f64 {
    let letters = |text: &str| text.lines().map(measure_text_width).max().unwrap_or(0);
    let cells = sheet.lines.iter().filter_map(|line| match line.values.get(column)? {
        SheetValue::Text(text) | SheetValue::Number(text) => Some(letters(text)),
        SheetValue::Truth(_) => Some(5),
        SheetValue::Empty => None,
    });
    // A long title is wrapped.
    let title = sheet.columns.get(column).map_or(0, |column| letters(&column.title).min(24).max(letters(&column.unit)));
    let widest = cells.chain([title]).max().unwrap_or(0);
    (widest as f64 + 2.0).clamp(WIDTHS.0, WIDTHS.1)
}
