//! The values of cells: numbers, days and times of spreadsheets.

use std::ops::ControlFlow;

use calamine::{CellErrorType, Data, DataRef, ExcelDateTime};

use super::sheet::COLUMNS_MAX;
use crate::base::date::split_serial_second;
use crate::statement::formats::RowValue;

/// A cell of any workbook.
#[derive(Clone, Copy, Debug)]
pub(super) enum CellValue<'c> {
    Text(&'c str),
    Number(f64),
    Whole(i64),
    Bool(bool),
    /// A number with the format of a date or a time.
    Serial(ExcelDateTime),
    /// A day or a moment in ISO 8601.
    Iso(&'c str),
    Error(&'static str),
    /// A formula without a value.
    Uncalculated,
    Empty,
}

impl<'c> From<&'c DataRef<'_>> for CellValue<'c> {
    fn from(cell: &'c DataRef<'_>) -> CellValue<'c> {
        match cell {
            DataRef::Int(number) => CellValue::Whole(*number),
            DataRef::Float(number) => CellValue::Number(*number),
            DataRef::String(text) | DataRef::DurationIso(text) => CellValue::Text(text),
            DataRef::SharedString(text) => CellValue::Text(text),
            DataRef::Bool(value) => CellValue::Bool(*value),
            DataRef::DateTime(serial) => CellValue::Serial(*serial),
            DataRef::DateTimeIso(text) => CellValue::Iso(text),
            DataRef::Error(error) => CellValue::Error(error_text(error)),
            DataRef::Empty => CellValue::Empty,
        }
    }
}

impl<'c> From<&'c Data> for CellValue<'c> {
    fn from(cell: &'c Data) -> CellValue<'c> {
        match cell {
            Data::Int(number) => CellValue::Whole(*number),
            Data::Float(number) => CellValue::Number(*number),
            Data::String(text) | Data::DurationIso(text) => CellValue::Text(text),
            Data::Bool(value) => CellValue::Bool(*value),
            Data::DateTime(serial) => CellValue::Serial(*serial),
            Data::DateTimeIso(text) => CellValue::Iso(text),
            Data::Error(error) => CellValue::Error(error_text(error)),
            Data::Empty => CellValue::Empty,
        }
    }
}

/// Makes values of the cells of a row, which come with their columns, and passes them on. `None` if a column is beyond
/// the last of any sheet, or occurs twice.
pub(super) fn to_values<'c>(
    cells: impl Iterator<Item = (u32, CellValue<'c>)> + Clone,
    is_1904: bool,
    take: impl FnOnce(&[RowValue<'_>]) -> ControlFlow<()>,
) -> Option<ControlFlow<()>> {
    // Texts that are in no cell: times, and whole numbers that a float does not hold.
    let texts: Vec<(u32, String)> =
        cells.clone().filter_map(|(column, cell)| Some((column, text_of_text_only_cell(&cell, is_1904)?))).collect();
    let mut values = Vec::with_capacity(cells.size_hint().0);
    for (column, cell) in cells {
        if column >= COLUMNS_MAX {
            return None;
        }
        let value = match texts.iter().find(|(of, _)| *of == column) {
            Some((_, text)) => RowValue::Text(text),
            None => value_of_cell(cell, is_1904),
        };
        let at = column as usize;
        if at >= values.len() {
            values.resize(at, RowValue::Empty);
            values.push(value);
            continue;
        }
        // Columns may come in any order, but each only once.
        let slot = values.get_mut(at).filter(|slot| **slot == RowValue::Empty)?;
        *slot = value;
    }
    Some(take(&values))
}

/// The text of a cell whose value is only a text to us.
fn text_of_text_only_cell(cell: &CellValue<'_>, is_1904: bool) -> Option<String> {
    match cell {
        CellValue::Whole(number) if number.unsigned_abs() > 1 << 53 => Some(number.to_string()),
        CellValue::Serial(serial) => serial_text(serial, is_1904),
        _ => None,
    }
}

fn value_of_cell<'c>(cell: CellValue<'c>, is_1904: bool) -> RowValue<'c> {
    match cell {
        CellValue::Text("") | CellValue::Empty => RowValue::Empty,
        CellValue::Text(text) => RowValue::Text(text),
        CellValue::Number(number) => RowValue::Number(number),
        CellValue::Whole(number) => RowValue::Number(number as f64),
        CellValue::Bool(value) => RowValue::Text(if value { "true" } else { "false" }),
        CellValue::Serial(serial) => moment_of_serial(serial.as_f64(), is_1904),
        CellValue::Iso(text) => parse_iso_cell(text),
        CellValue::Error(text) => RowValue::Text(text),
        CellValue::Uncalculated => RowValue::Uncalculated,
    }
}

/// A time of day or a duration as text, or a day that a spreadsheet shows and the calendar does not have.
fn serial_text(serial: &ExcelDateTime, is_1904: bool) -> Option<String> {
    let number = serial.as_f64();
    if !number.is_finite() || number.abs() > 1e7 {
        return Some(number.to_string());
    }
    if !serial.is_duration() && number >= 1.0 {
        // Excel counts the 29th of February 1900, which was no day.
        return (!is_1904 && number.floor() == 60.0).then(|| "1900-02-29".to_owned());
    }
    let seconds = (number.abs() * 86_400.0).round() as u64;
    let sign = if number < 0.0 { "-" } else { "" };
    Some(format!("{sign}{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60))
}

/// The day or the moment of a serial number of 1 or more.
fn moment_of_serial(number: f64, is_1904: bool) -> RowValue<'static> {
    // Days from the serial number 0 to 1970-01-01. Before March 1900 the numbers are one less, because of the day that
    // was none.
    let epoch = match (is_1904, number < 60.0) {
        (true, _) => 24_107,
        (false, true) => 25_568,
        (false, false) => 25_569,
    };
    let (whole, second) = split_serial_second(number.fract());
    let days = number.floor() as i64 + i64::from(whole) - epoch;
    match (second, i32::try_from(days)) {
        (0, Ok(days)) => RowValue::Day(days),
        _ => RowValue::Moment(days * 86_400 + second),
    }
}

/// A day or a local moment in ISO 8601, as ODS writes them; text if it is neither.
fn parse_iso_cell(text: &str) -> RowValue<'_> {
    let number = |from: usize, to: usize| {
        let digits = text.get(from..to).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
        digits.and_then(|digits| digits.parse::<i64>().ok())
    };
    let mark = |at: usize| text.as_bytes().get(at).copied();
    let (Some(year), Some(month), Some(day)) = (number(0, 4), number(5, 7), number(8, 10)) else {
        return RowValue::Text(text);
    };
    let Some(days) = days_of(year, month, day).filter(|_| (mark(4), mark(7)) == (Some(b'-'), Some(b'-'))) else {
        return RowValue::Text(text);
    };
    if text.len() == 10 {
        return RowValue::Day(days);
    }
    let clock = (number(11, 13), number(14, 16), number(17, 19));
    let marks = (mark(10), mark(13), mark(16));
    let fraction = text.get(19..).unwrap_or("?");
    let is_fraction = fraction.bytes().enumerate().all(|(at, byte)| match at {
        0 => byte == b'.' || byte == b',',
        _ => byte.is_ascii_digit(),
    });
    match (clock, marks) {
        ((Some(hour @ 0..24), Some(minute @ 0..60), Some(second @ 0..60)), (Some(b'T'), Some(b':'), Some(b':')))
            if is_fraction =>
        {
            RowValue::Moment(i64::from(days) * 86_400 + hour * 3_600 + minute * 60 + second)
        }
        _ => RowValue::Text(text),
    }
}

/// Days since 1970-01-01 of a day of the calendar.
fn days_of(year: i64, month: i64, day: i64) -> Option<i32> {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + i64::from(is_leap),
        _ => return None,
    };
    if !(1..=length).contains(&day) {
        return None;
    }
    // Years from March on, so that the day of a leap year is the last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let of_year = (153 * month + 2) / 5 + day - 1;
    i32::try_from(year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + of_year - 719_468)
        .ok()
}

/// The text of a header's cell, or of one above it.
pub(super) fn header_cell_text(value: &RowValue<'_>) -> String {
    match value {
        RowValue::Empty | RowValue::Uncalculated => String::new(),
        RowValue::Text(text) | RowValue::Digits(text) => (*text).to_owned(),
        RowValue::Number(number) => number.to_string(),
        RowValue::Day(days) => format!("{days}"),
        RowValue::Moment(seconds) => format!("{seconds}"),
    }
}

fn error_text(error: &CellErrorType) -> &'static str {
    match error {
        CellErrorType::Div0 => "#DIV/0!",
        CellErrorType::NA => "#N/A",
        CellErrorType::Name => "#NAME?",
        CellErrorType::Null => "#NULL!",
        CellErrorType::Num => "#NUM!",
        CellErrorType::Ref => "#REF!",
        CellErrorType::Value => "#VALUE!",
        CellErrorType::GettingData => "#GETTING_DATA",
    }
}

#[cfg(test)]
mod tests {
    use calamine::ExcelDateTimeType::{DateTime, TimeDelta};

    use super::*;

    fn read(cell: CellValue<'_>, is_1904: bool) -> String {
        let mut read = String::new();
        let cells = [(0, cell)];
        let passed = to_values(cells.into_iter(), is_1904, |values| {
            read = format!("{:?}", values.first());
            ControlFlow::Continue(())
        });
        assert!(passed.is_some());
        read
    }

    #[test]
    fn a_serial_number_is_the_day_that_excel_shows() {
        for (number, is_1904, wanted) in [
            (1.0, false, "Day(-25567)"),
            (59.0, false, "Day(-25509)"),
            (60.0, false, "Text(\"1900-02-29\")"),
            (61.0, false, "Day(-25508)"),
            (25_569.0, false, "Day(0)"),
            (46_173.0, false, "Day(20604)"),
            (46_173.5, false, "Moment(1780228800)"),
            (46_173.999_999_999, false, "Day(20605)"),
            (44_711.0, true, "Day(20604)"),
            (0.5, false, "Text(\"12:00:00\")"),
            (0.0, false, "Text(\"00:00:00\")"),
            (f64::NAN, false, "Text(\"NaN\")"),
            (1e300, false, "Text(\"1000"),
            (-1.0, false, "Text(\"-24:00:00\")"),
        ] {
            let serial = ExcelDateTime::new(number, DateTime, is_1904);
            let read = read(CellValue::Serial(serial), is_1904);
            assert!(read.starts_with(&format!("Some({wanted}")), "{number}: {read}");
        }
        let duration = ExcelDateTime::new(1.25, TimeDelta, false);
        assert_eq!(read(CellValue::Serial(duration), false), "Some(Text(\"30:00:00\"))");
    }

    #[test]
    fn iso_dates_are_days_and_moments() {
        for (text, wanted) in [
            ("1970-01-01", "Day(0)"),
            ("2026-05-31", "Day(20604)"),
            ("2024-02-29", "Day(19782)"),
            ("2026-02-29", "Text(\"2026-02-29\")"),
            ("2026-05-31T12:00:00", "Moment(1780228800)"),
            ("2026-05-31T12:00:00.5", "Moment(1780228800)"),
            ("2026-05-31T12:00:00Z", "Text(\"2026-05-31T12:00:00Z\")"),
            ("2026-05-31T24:00:00", "Text(\"2026-05-31T24:00:00\")"),
            ("31.05.2026", "Text(\"31.05.2026\")"),
            ("ünïcödé-ö", "Text(\"ünïcödé-ö\")"),
            ("", "Text(\"\")"),
        ] {
            assert_eq!(read(CellValue::Iso(text), false), format!("Some({wanted})"));
        }
    }

    #[test]
    fn columns_are_places() {
        let cells = |cells: &[(u32, f64)]| {
            let cells = cells.iter().map(|(column, number)| (*column, CellValue::Number(*number)));
            let mut read = Vec::new();
            let passed = to_values(cells, false, |values| {
                read = values.iter().map(header_cell_text).collect();
                ControlFlow::Continue(())
            });
            passed.map(|_| read.join(","))
        };
        assert_eq!(cells(&[(1, 5.0), (3, 7.5)]).as_deref(), Some(",5,,7.5"));
        assert_eq!(cells(&[(3, 7.5), (1, 5.0)]).as_deref(), Some(",5,,7.5"));
        assert_eq!(cells(&[(1, 5.0), (1, 7.5)]), None);
        assert_eq!(cells(&[(COLUMNS_MAX, 5.0)]), None);
    }
}
