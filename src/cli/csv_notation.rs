//! How a CSV file separates cells and writes decimals: commas and points, or semicolons and commas, as spreadsheets in
//! much of Europe save it. What could be read in both ways is refused.

use serde_json::Value;

use crate::base::text::escape_terminal;
use crate::portfolio::ColumnTable;

/// The sign between cells: a semicolon if the header has one and no comma.
///
/// # Errors
/// If the rows have as many cells as the header by either sign.
pub(super) fn find_delimiter(bytes: &[u8]) -> Result<u8, String> {
    let header = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if !header.contains(&b';') {
        return Ok(b',');
    }
    let fits = |delimiter: u8| {
        let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).from_reader(bytes);
        let width = reader.headers().map_or(0, csv::StringRecord::len);
        width > 1 && reader.records().all(|record| record.is_ok())
    };
    match (fits(b';'), fits(b',')) {
        (true, false) => Ok(b';'),
        (true, true) => Err("its cells may be separated by commas or by semicolons; put texts that hold one of these \
                             into double quotes, or keep only one of the signs in the header"
            .to_owned()),
        (false, _) => Ok(b','),
    }
}

/// Writes decimals with points, in a table of cells that semicolons separate: in each column that holds numbers alone,
/// some of them with a decimal comma.
///
/// # Errors
/// If a column has both notations, or a number with a comma or a point may be of thousands.
pub(super) fn read_decimal_commas(table: &mut ColumnTable) -> Result<(), String> {
    let kinds: Vec<Vec<Written>> = table.iter().map(|(_, cells)| cells.iter().map(written_as).collect()).collect();
    let is_number = |kinds: &[Written]| !kinds.contains(&Written::Other);
    let numbers = || kinds.iter().filter(|kinds| is_number(kinds));
    if !numbers().any(|kinds| kinds.contains(&Written::Comma) || kinds.contains(&Written::CommaOrThousands)) {
        return Ok(());
    }
    let has_comma = numbers().any(|kinds| kinds.contains(&Written::Comma));
    for ((name, cells), kinds) in table.iter_mut().zip(&kinds).filter(|(_, kinds)| is_number(kinds)) {
        let row_of = |wanted: Written| kinds.iter().position(|kind| *kind == wanted).map(|row| row + 1);
        let wrong = |row: usize, what: &str| Err(format!("row {row}: the column `{}` {what}", escape_terminal(name)));
        if let Some(row) = row_of(Written::Point) {
            return wrong(row, "has a decimal point, and other numbers of the table have decimal commas");
        }
        if let Some(row) = row_of(Written::PointOrThousands) {
            return wrong(row, "has a number that may be of thousands or of decimals; write it without the point");
        }
        if let Some(row) = row_of(Written::CommaOrThousands).filter(|_| !has_comma) {
            return wrong(row, "has a number that may be of thousands or of decimals; write decimals with a point");
        }
        for cell in cells.iter_mut() {
            if let Value::String(text) = cell {
                *text = text.replace('.', "").replace(',', ".");
            }
        }
    }
    Ok(())
}

/// How a cell is written, as far as its digits tell.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Written {
    /// Empty, or digits alone.
    Plain,
    /// `12,5` or `1.250,50`.
    Comma,
    /// `1,250`.
    CommaOrThousands,
    /// `12.5`.
    Point,
    /// `1.250`.
    PointOrThousands,
    /// No number.
    Other,
}

fn written_as(cell: &Value) -> Written {
    let Value::String(text) = cell else { return Written::Plain };
    let digits = text.trim().trim_start_matches(['-', '+']);
    if ["", "NA", "N/A", "NaN", "nan", "null", "NULL"].contains(&digits) {
        return Written::Plain;
    }
    let are_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_grouped = |whole: &str| {
        let mut parts = whole.split('.');
        let first = parts.next().unwrap_or_default();
        are_digits(first) && first.len() <= 3 && parts.all(|part| part.len() == 3 && are_digits(part))
    };
    let may_be_thousands = |whole: &str, rest: &str| rest.len() == 3 && whole.len() <= 3 && !whole.starts_with('0');
    match (digits.split_once(','), digits.split_once('.')) {
        (None, None) if are_digits(digits) => Written::Plain,
        (Some((whole, rest)), None) if are_digits(whole) && are_digits(rest) => match may_be_thousands(whole, rest) {
            true => Written::CommaOrThousands,
            false => Written::Comma,
        },
        (Some((whole, rest)), Some(_)) if is_grouped(whole) && are_digits(rest) => Written::Comma,
        (None, Some((whole, rest))) if are_digits(whole) && are_digits(rest) => match may_be_thousands(whole, rest) {
            true => Written::PointOrThousands,
            false => Written::Point,
        },
        (None, Some(_)) if is_grouped(digits) => Written::PointOrThousands,
        _ => Written::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sign_between_cells_is_found_or_refused() {
        for (text, wanted) in [
            ("a,b\n1,2\n", Some(b',')),
            ("a;b\n1;2,5\n", Some(b';')),
            ("a;b,c\n1;2,5\n", None),
            ("a;b,c\n1,2\n", Some(b',')),
            ("a,\"b;c\"\n1,2\n", Some(b',')),
            ("\"a,b\";c\n1;2\n", Some(b';')),
            ("a\n1;2\n", Some(b',')),
        ] {
            assert_eq!(find_delimiter(text.as_bytes()).ok(), wanted, "{text}");
        }
    }

    fn read(columns: &[&[&str]]) -> Result<Vec<Vec<String>>, String> {
        let cells = |cells: &&[&str]| cells.iter().map(|cell| Value::from(*cell)).collect();
        let mut table: ColumnTable = columns.iter().map(|column| ("x".to_owned(), cells(column))).collect();
        read_decimal_commas(&mut table)?;
        let texts = |cells: Vec<Value>| cells.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        Ok(table.into_iter().map(|(_, cells)| texts(cells)).collect())
    }

    #[test]
    fn decimal_commas_are_read_and_doubts_are_refused() {
        let same = |columns: &[&[&str]]| assert_eq!(read(columns).expect("it is clear")[0], columns[0]);
        same(&[&["12.5", "3"]]);
        same(&[&["1.250"]]);
        same(&[&["12,5", "a, b"]]);
        same(&[&["2026-01-31", "x"], &["2,5"]]);
        assert_eq!(
            read(&[&["12,5", "1.250,50", "-0,125", "", "7"]]).expect("clear")[0],
            ["12.5", "1250.50", "-0.125", "", "7"]
        );
        // Another column shows what the comma is.
        assert_eq!(read(&[&["1,250"], &["2,5"]]).expect("clear")[0], ["1.250"]);
        for (columns, why) in [
            (&[&["1,250", "7"][..]][..], "row 1: the column `x` has a number that may be of thousands or of decimals"),
            (&[&["2,5", "1.250"]], "row 2: the column `x` has a number that may be of thousands"),
            (&[&["2,5"], &["1.250"]], "row 1: the column `x` has a number that may be of thousands"),
            (&[&["2,5", "2.5"]], "row 2: the column `x` has a decimal point, and other numbers"),
            (&[&["2,5"], &["0.5"]], "has a decimal point, and other numbers of the table have decimal commas"),
        ] {
            let error = read(columns).expect_err(why);
            assert!(error.contains(why), "{error}");
        }
    }
}
