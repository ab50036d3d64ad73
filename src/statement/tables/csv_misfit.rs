//! Says why a text is not the table that a columns file declares: another delimiter, a header further down, another
//! encoding. Must not quote a line that may hold a customer's data.

use crate::base::text_search::suggest::suggest_near_name;
use crate::statement::base::error::Error;
use crate::statement::columns_file::Columns;
use crate::statement::formats::layout::normal_name;
use crate::statement::tables::csv_preamble::{Preamble, split_csv_line};
use crate::statement::tables::header::{list_column_names, wanted_names};

/// The delimiters of most files, and how a message names them.
const DELIMITERS: [(u8, &str, &str); 4] =
    [(b',', "commas", ","), (b';', "semicolons", ";"), (b'\t', "tabs", "tab"), (b'|', "bars", "|")];

/// How many lines may come before the header that is looked for.
const LINES: usize = 60;

/// What helps with any table that does not fit.
pub(crate) const COMMAND: &str = "`lendwright columns FILE` writes a columns file for it";

/// Adds to an error for a missing column what the text shows. `text` begins with the header.
pub(crate) fn explain_csv_misfit(
    wrong: Error,
    columns: &Columns,
    names: &[&str],
    text: &str,
    preamble: &Preamble,
) -> Error {
    let Error::Columns { what } = wrong else { return wrong };
    if is_nearly_right(columns, names) {
        return Error::Columns { what };
    }
    let wanted = wanted_names(columns);
    let advice = advise_on_csv_misfit(&wanted, text, preamble);
    let advice: Vec<String> = advice.into_iter().chain([COMMAND.to_owned()]).collect();
    Error::columns(format!("{what}; {}", advice.join("; ")))
}

/// Like [`explain_csv_misfit`], for a sheet. Only its header is known.
pub(crate) fn explain_sheet(wrong: Error, columns: &Columns, names: &[&str]) -> Error {
    let Error::Columns { what } = wrong else { return wrong };
    if is_nearly_right(columns, names) {
        return Error::Columns { what };
    }
    // A single cell is a title, and what looks like data is a row.
    let is_header = names.len() > 1 && !names.iter().any(|name| looks_like_data(name));
    let is_listed = wanted_names(columns).iter().any(|name| names.contains(name));
    let found = match is_header && !is_listed {
        true => format!("; the sheet's columns are {}", list_column_names(names)),
        false => String::new(),
    };
    Error::columns(format!("{what}{found}; {COMMAND}"))
}

/// Whether a column is only misspelt, or something else than the columns is wrong.
fn is_nearly_right(columns: &Columns, names: &[&str]) -> bool {
    let wanted = wanted_names(columns);
    let missing: Vec<&str> = wanted.into_iter().filter(|name| !names.contains(name)).collect();
    missing.is_empty() || missing.iter().any(|name| suggest_near_name(name, names.iter().copied()).is_some())
}

/// A line that may be the header.
struct Candidate {
    line: usize,
    delimiter: u8,
    names: Vec<String>,
    /// How many of the wanted names it has.
    found: usize,
}

fn advise_on_csv_misfit(wanted: &[&str], text: &str, preamble: &Preamble) -> Option<String> {
    if text.contains('\0') {
        return Some("the file may be UTF-16: declare encoding = \"utf-16\" under [file]".into());
    }
    let lines: Vec<&str> = text.split(['\n', '\r']).take(LINES).collect();
    let Some(header) = best_header_candidate(wanted, &lines, preamble.delimiter) else {
        return advise_without_header(&lines, preamble.delimiter);
    };
    let mut advice = Vec::new();
    if header.delimiter != preamble.delimiter {
        advice.push(declare_delimiter(header.delimiter));
    }
    if header.line > 0 {
        let lines = preamble.lines + text_lines(text, header.line);
        advice.push(format!(
            "line {} looks like the header: declare skip_lines = {lines} under [file], or the names by which it is \
             found as `header`",
            lines + 1
        ));
    }
    if !advice.is_empty() {
        let names: Vec<&str> = header.names.iter().map(String::as_str).collect();
        advice.push(format!("the columns are then {}", list_column_names(&names)));
    }
    Some(advice.join("; ")).filter(|advice| !advice.is_empty())
}

/// The number of lines before one of the pieces between line breaks, of which CRLF are two.
fn text_lines(text: &str, pieces: usize) -> usize {
    let end = text.split_inclusive(['\n', '\r']).take(pieces).map(str::len).sum();
    let before = text.get(..end).unwrap_or_default();
    before.matches(['\n', '\r']).count() - before.matches("\r\n").count()
}

/// The line that has most of the wanted names: all, or at least two.
fn best_header_candidate(wanted: &[&str], lines: &[&str], delimiter: u8) -> Option<Candidate> {
    let mut best: Option<Candidate> = None;
    let others = DELIMITERS.iter().map(|(other, ..)| *other).filter(|other| *other != delimiter);
    for delimiter in [delimiter].into_iter().chain(others) {
        for (line, text) in lines.iter().enumerate() {
            let names: Vec<String> = normal_cells(text, delimiter);
            let found = wanted.iter().filter(|name| names.iter().any(|own| own == *name)).count();
            if found >= wanted.len().min(2) && found > best.as_ref().map_or(0, |best| best.found) {
                best = Some(Candidate { line, delimiter, names, found });
            }
        }
    }
    best
}

fn normal_cells(line: &str, delimiter: u8) -> Vec<String> {
    let cells = split_csv_line(line.as_bytes(), delimiter);
    cells.iter().map(|cell| normal_name(cell).into_owned()).collect()
}

/// What can be seen where no line has the names: a delimiter that all lines have, and names of other columns.
fn advise_without_header(lines: &[&str], delimiter: u8) -> Option<String> {
    let mut filled = lines.iter().filter(|line| !line.trim().is_empty());
    let (first, second) = (filled.next()?, filled.next()?);
    let count = |line: &str, delimiter: u8| split_csv_line(line.as_bytes(), delimiter).len();
    let of_both =
        |delimiter: u8| (count(first, delimiter) == count(second, delimiter)).then(|| count(first, delimiter));
    let others = DELIMITERS.iter().map(|(other, ..)| *other);
    let used = match of_both(delimiter) {
        Some(1) | None => others.max_by_key(|other| of_both(*other).unwrap_or_default())?,
        Some(_) => delimiter,
    };
    of_both(used).filter(|fields| *fields > 1)?;
    let mut advice = Vec::new();
    if used != delimiter {
        advice.push(declare_delimiter(used));
    }
    // Names of columns stand above data and look unlike them. Anything else may be a row.
    let (names, row) = (normal_cells(first, used), normal_cells(second, used));
    if !names.iter().any(|name| looks_like_data(name)) && row.iter().any(|cell| looks_like_data(cell)) {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        advice.push(format!("the file's columns are {}", list_column_names(&names)));
    }
    Some(advice.join("; ")).filter(|advice| !advice.is_empty())
}

fn declare_delimiter(delimiter: u8) -> String {
    let known = DELIMITERS.iter().find(|(other, ..)| *other == delimiter);
    let (words, mark) = known.map_or(("other marks", ","), |(_, words, mark)| (*words, *mark));
    format!("its fields seem to be separated by {words}: declare delimiter = \"{mark}\" under [file]")
}

/// Whether a cell looks like a number, a date, an account or an address, and unlike the name of a column.
fn looks_like_data(cell: &str) -> bool {
    let digits = cell.bytes().filter(u8::is_ascii_digit).count();
    let start = cell.trim_start_matches(|letter: char| !letter.is_alphanumeric());
    digits >= 4 || cell.contains('@') || start.starts_with(|letter: char| letter.is_ascii_digit())
}
