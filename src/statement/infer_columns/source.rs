//! A file's bytes become the table in it, whatever holds it: text, workbook, JSON, Parquet.

use super::answers::Doubt;
use super::grid::Line;
use super::odd_cells::find_odd_row;
use super::pages::{self, PageValue};
use super::table::{self, FileTable};
use super::{json, parquet, text, workbook};

/// Bytes of a text in which its delimiter is looked for.
const SAMPLE: usize = 1 << 20;

/// What holds a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Container {
    Text,
    Workbook,
    Json,
    Parquet,
}

/// A table, and how its file holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SourceTable {
    pub(crate) name: String,
    pub(crate) container: Container,
    pub(crate) table: FileTable,
    /// The encoding to declare; `None` for UTF-8.
    pub(crate) encoding: Option<&'static str>,
    pub(crate) is_ascii: bool,
    pub(crate) delimiter: char,
    /// Whether the file's first line declares the delimiter.
    pub(crate) declares_delimiter: bool,
    /// The sheet, if the workbook has several.
    pub(crate) sheet: Option<String>,
    /// Other sheets with a table.
    pub(crate) other_sheets: Vec<String>,
    /// Whether a workbook counts its days from 1904.
    pub(crate) is_1904: bool,
    /// What an answer in JSON says about its pages.
    pub(crate) pages: Vec<PageValue>,
}

/// A file of a format whose columns are known, with what to say about it.
pub(crate) fn known_format(bytes: &[u8]) -> Option<&'static str> {
    let start = bytes.get(..bytes.len().min(4_096)).unwrap_or_default();
    let start = text::decode_text_file(start).text;
    let has = |wanted: &str| start.contains(wanted);
    let trimmed = start.trim_start();
    if has("camt.05") && has("<") {
        Some("an ISO 20022 statement (camt), which needs no columns file: pass it to `decide` or `batch` unchanged")
    } else if trimmed.starts_with("OFXHEADER") || has("<OFX>") {
        Some("an OFX file, which needs no columns file: pass it to `decide` or `batch` unchanged")
    } else if trimmed.starts_with("!Type:") || trimmed.starts_with("!Account") || trimmed.starts_with("!Option") {
        Some(
            "a QIF file, which needs no columns but the order of its dates: write a columns file with \
             `[dates]` and `trans_date = \"MM/DD/YYYY\"` or `\"DD/MM/YYYY\"`, as your bank writes them",
        )
    } else if has(":20:") && (has(":60F:") || has(":60M:") || has(":61:") || has(":34F:")) {
        Some("an MT940 or MT942 file, which needs no columns file: pass it to `decide` or `batch` unchanged")
    } else if trimmed.starts_with(['{', '[']) && has("\"unformatted_trans_date\"") {
        Some("the provider's JSON, which needs no columns file: pass it to `decide` or `batch` unchanged")
    } else if trimmed.starts_with("%PDF") {
        Some("a PDF, which is not read: ask the bank for CSV, a spreadsheet or camt.053")
    } else {
        None
    }
}

/// Finds the table of a file, in this sheet if one is given.
pub(crate) fn read_source_table(name: &str, bytes: &[u8], sheet: Option<&str>) -> Result<SourceTable, String> {
    let is_workbook = bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(&[0xd0, 0xcf, 0x11, 0xe0]);
    if is_workbook {
        return from_workbook(name, bytes, sheet);
    }
    if sheet.is_some() {
        return Err("--sheet is for workbooks, and this is none".to_owned());
    }
    if bytes.starts_with(b"PAR1") {
        let lines = parquet::read_parquet_lines(bytes)?;
        return source_with_table(name, Container::Parquet, table_with_most_rows(vec![lines]))
            .ok_or_else(|| no_table(&[]));
    }
    let decoded = text::decode_text_file(bytes);
    let begins = decoded.text.trim_start();
    if begins.starts_with('{') || (begins.starts_with('[') && begins.contains('{')) {
        let values = json::parse_json_values(begins).map_err(|error| format!("the JSON cannot be read: {error}"))?;
        let lists = json::find_object_lists(&values);
        let source = source_with_table(name, Container::Json, table_with_most_rows(lists));
        let source = source.ok_or_else(|| no_list(&values))?;
        let pages = pages::find_page_values(&values, source.table.rows.len());
        return Ok(SourceTable { pages, ..source });
    }
    from_text(name, &decoded)
}

fn from_workbook(name: &str, bytes: &[u8], wanted: Option<&str>) -> Result<SourceTable, String> {
    let book = workbook::read_workbook_lines(bytes).map_err(|error| format!("the workbook cannot be read: {error}"))?;
    let several = book.sheets.len() > 1;
    let names: Vec<String> = book.sheets.iter().map(|(sheet, _)| format!("`{sheet}`")).collect();
    let unknown = workbook::find_unknown_cell(&book.sheets);
    let tables = book.sheets.into_iter().filter_map(|(sheet, lines)| Some((sheet, table::find_table_in_lines(lines)?)));
    let mut tables: Vec<(String, FileTable)> = tables.collect();
    if let Some(wanted) = wanted {
        tables.retain(|(sheet, _)| sheet == wanted);
        if tables.is_empty() {
            return Err(format!("no sheet `{wanted}` has a table; the sheets are {}", names.join(", ")));
        }
    }
    let most = tables.iter().map(|(_, table)| table.movements).max().unwrap_or(0);
    let Some(at) = tables.iter().position(|(_, table)| table.movements == most) else {
        return Err(unknown.unwrap_or_else(|| no_table(&[])));
    };
    let (sheet, table) = tables.remove(at);
    workbook::refuse_unknown_cells(&sheet, &table)?;
    let source = source_with_table(name, Container::Workbook, Some(table)).ok_or_else(|| no_table(&[]))?;
    let other_sheets = tables.into_iter().map(|(sheet, _)| sheet).collect();
    Ok(SourceTable { sheet: several.then_some(sheet), other_sheets, is_1904: book.is_1904, ..source })
}

fn from_text(name: &str, decoded: &text::Decoded) -> Result<SourceTable, String> {
    let declared = text::declared_delimiter(&decoded.text);
    let whole = declared.map_or(decoded.text.as_str(), |(_, rest)| rest);
    // The beginning of a large text tells the delimiter.
    let start = whole.char_indices().find(|(at, _)| *at > SAMPLE).map_or(whole, |(at, _)| whole.split_at(at).0);
    let candidates: Vec<(char, &str)> = match declared {
        Some((delimiter, _)) => vec![(delimiter, start)],
        None => text::DELIMITERS.iter().map(|delimiter| (*delimiter, start)).collect(),
    };
    let mut split: Vec<(char, Vec<Line>)> =
        candidates.iter().map(|(delimiter, rest)| (*delimiter, text::split_into_cells(rest, *delimiter))).collect();
    let tables =
        split.iter().filter_map(|(delimiter, lines)| Some((*delimiter, table::find_table_in_lines(lines.clone())?)));
    // Most rows, then most columns.
    let best = tables.rev().max_by_key(|(_, table)| (table.movements, table.header.len()));
    let Some((delimiter, table)) = best else {
        split.sort_by_key(|(_, lines)| std::cmp::Reverse(lines.iter().map(|line| line.cells.len()).max()));
        return Err(no_table(split.first().map(|(_, lines)| lines.as_slice()).unwrap_or_default()));
    };
    let table = if start.len() == whole.len() {
        Some(table)
    } else {
        table::find_table_in_lines(text::split_into_cells(whole, delimiter))
    };
    let source = source_with_table(name, Container::Text, table).ok_or_else(|| no_table(&[]))?;
    Ok(SourceTable {
        encoding: decoded.encoding,
        is_ascii: decoded.is_ascii,
        delimiter,
        declares_delimiter: declared.is_some(),
        ..source
    })
}

/// Several sheets with tables: a columns file names one of them.
pub(crate) fn sheet_doubt(sources: &[SourceTable]) -> Option<Doubt> {
    let source = sources.iter().find(|source| !source.other_sheets.is_empty())?;
    let sheets = source.sheet.iter().chain(&source.other_sheets).map(|sheet| format!("`{sheet}`"));
    Some(Doubt::asked(format!(
        "{}: the sheets {} have rows, and a columns file reads one sheet; say --sheet NAME if the others are no \
         records of the account, or make a file of each sheet",
        source.name,
        sheets.collect::<Vec<_>>().join(", ")
    )))
}

/// The lines above and below the tables.
pub(crate) fn lines_around_tables(sources: &[SourceTable]) -> Vec<Line> {
    sources.iter().flat_map(|source| source.table.above.iter().chain(&source.table.below)).cloned().collect()
}

/// The table with the most rows.
fn table_with_most_rows(lists: Vec<Vec<Line>>) -> Option<FileTable> {
    lists.into_iter().filter_map(table::find_table_in_lines).rev().max_by_key(|table| table.movements)
}

fn source_with_table(name: &str, container: Container, table: Option<FileTable>) -> Option<SourceTable> {
    Some(SourceTable {
        name: name.to_owned(),
        container,
        table: table?,
        encoding: None,
        is_ascii: true,
        delimiter: ',',
        declares_delimiter: false,
        sheet: None,
        other_sheets: Vec::new(),
        is_1904: false,
        pages: Vec::new(),
    })
}

/// Why no list of a JSON document was found.
fn no_list(values: &[serde_json::Value]) -> String {
    let what = "no list of the JSON has objects with a day and an amount";
    match json::find_epoch_moments(values) {
        Some(path) => format!(
            "{what}; `{path}` may be a moment in seconds or milliseconds since 1970, which is not read as a day: write \
             it as 2026-03-31 or 2026-03-31T10:00:00Z"
        ),
        None => what.to_owned(),
    }
}

/// Why no table was found.
fn no_table(lines: &[Line]) -> String {
    let has_rows = |line: &&Line| {
        line.cells.iter().any(super::dates::looks_like_date) && line.cells.iter().any(super::amounts::looks_like_amount)
    };
    match lines.iter().find(has_rows) {
        Some(line) => format!(
            "line {} has a day and an amount, but no line above names its columns; add a line with names, such as \
             Date, Amount, Description",
            line.number
        ),
        None => {
            let what = "no line has a day and an amount below a line of column names";
            find_odd_row(lines).map_or(what.to_owned(), |odd| format!("{what}: {odd}"))
        }
    }
}
