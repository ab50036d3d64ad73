//! The rows of a table in a CSV file next to the rule file (RFC 4180), with the place of every cell. The `csv` crate
//! gives the place of a record only, `csv-core` the ends of cells in what it wrote and not in the text. Both accept
//! damaged quotes, which are errors here.

use std::borrow::Cow;

use crate::base::diagnostic::{Diagnostic, Span};
use crate::rules::syntax::judgement::{DecisionTable, TableRowsSource};
use crate::rules::syntax::source::Text;

type CsvRow = (Vec<Text>, Span);

/// The rows of `text`, source number `source`. Its first line names the inputs and the outputs of `table`, in their
/// order.
pub(in crate::rules) fn read_csv_table(
    source: u32,
    text: &str,
    table: &DecisionTable,
    diagnostics: &mut Vec<Diagnostic>,
) -> TableRowsSource {
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut lines = CsvLines { source, text, at: start };
    let mut rows = Vec::new();
    let mut titled = false;
    loop {
        match lines.next() {
            Ok(None) => break,
            Ok(Some((cells, _))) if cells.len() == 1 && cells[0].value().trim().is_empty() => {}
            Ok(Some(row)) if titled => rows.push(row),
            Ok(Some(titles)) => {
                titled = true;
                if let Some(mistake) = otherwise_parted(&titles, table) {
                    diagnostics.push(mistake);
                    break;
                }
                diagnostics.extend(wrong_titles(titles, table));
            }
            Err(diagnostic) => {
                // This mistake may hide cells, so do not report missing ones.
                titled = true;
                diagnostics.push(*diagnostic);
                break;
            }
        }
    }
    if !titled {
        let message = format!("the file is empty; its first line must name the columns of `{}`", table.name.text);
        diagnostics.push(Diagnostic::error("csv", Span::new(source, 0, 0), message));
    }
    TableRowsSource::Here(rows)
}

/// The lines of a CSV text with the place of each cell, source number `source`. An empty line has
/// one empty cell.
pub(crate) fn read_csv_lines(source: u32, text: &str) -> Result<Vec<CsvRow>, Box<Diagnostic>> {
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let (mut lines, mut found) = (CsvLines { source, text, at: start }, Vec::new());
    while let Some(row) = lines.next()? {
        found.push(row);
    }
    Ok(found)
}

/// Spreadsheets of some countries separate columns by other signs.
fn otherwise_parted((titles, span): &CsvRow, table: &DecisionTable) -> Option<Diagnostic> {
    let [only] = titles.as_slice() else { return None };
    let sign = [';', '\t', '|'].into_iter().find(|sign| only.value().contains(*sign))?;
    let is_one = table.inputs.len() + table.outputs.len() == 1;
    let shown = if sign == '\t' { "tabs".to_owned() } else { format!("`{sign}`") };
    let message = format!("the columns are separated by {shown}");
    (!is_one).then(|| Diagnostic::error("csv", *span, message).help("save the file with commas between the columns"))
}

fn wrong_titles((titles, span): CsvRow, table: &DecisionTable) -> Option<Diagnostic> {
    let inputs = table.inputs.iter().map(Text::value);
    let wanted: Vec<&str> = inputs.chain(table.outputs.iter().map(|output| output.name.text.as_str())).collect();
    let help = format!("the first line must be {}", wanted.join(","));
    for (title, wanted) in titles.iter().zip(&wanted) {
        if title.value().trim() != wanted.trim() {
            let message = format!("this column is `{}`, but the table has `{wanted}` here", title.value().trim());
            return Some(Diagnostic::error("csv", title.span(), message).help(help));
        }
    }
    let message = format!("this line has {} columns, but the table has {}", titles.len(), wanted.len());
    (titles.len() != wanted.len()).then(|| Diagnostic::error("csv", span, message).help(help))
}

struct CsvLines<'t> {
    source: u32,
    text: &'t str,
    at: usize,
}

impl CsvLines<'_> {
    fn next(&mut self) -> Result<Option<CsvRow>, Box<Diagnostic>> {
        if self.at >= self.text.len() {
            return Ok(None);
        }
        let start = self.at;
        let mut cells = Vec::new();
        loop {
            cells.push(self.cell()?);
            let rest = &self.text[self.at..];
            if rest.starts_with(',') {
                self.at += 1;
                continue;
            }
            let end = self.at;
            self.at += if rest.starts_with("\r\n") { 2 } else { usize::from(!rest.is_empty()) };
            return Ok(Some((cells, Span::new(self.source, start, end))));
        }
    }

    /// One cell, up to a comma or the end of the line.
    fn cell(&mut self) -> Result<Text, Box<Diagnostic>> {
        let start = self.at;
        match read_csv_cell(self.text, start) {
            Ok(CsvCell { value, is_quoted, end }) => {
                self.at = end;
                let span = Span::new(self.source, start, end);
                Ok(if is_quoted { Text::within(&value, span) } else { Text::bare(&value, span) })
            }
            Err(CsvFault { message, help, end }) => {
                let span = Span::new(self.source, start, end);
                Err(Box::new(Diagnostic::error("csv", span, message).help(help)))
            }
        }
    }
}

/// A cell, without its quotes, and where it ends.
struct CsvCell<'t> {
    value: Cow<'t, str>,
    is_quoted: bool,
    end: usize,
}

/// Why a cell cannot be read, and where its damaged part ends. Repeats nothing of it.
pub(in crate::rules) struct CsvFault {
    pub message: String,
    pub help: &'static str,
    end: usize,
}

/// A damaged cell, and the line of its row.
pub(in crate::rules) struct DamagedRow {
    pub line: u64,
    pub fault: CsvFault,
}

/// The cell that begins at a byte of the text, up to a comma or the end of the line.
fn read_csv_cell(text: &str, start: usize) -> Result<CsvCell<'_>, CsvFault> {
    let rest = &text[start..];
    if !rest.starts_with('"') {
        let length = memchr::memchr3(b',', b'\n', b'\r', rest.as_bytes()).unwrap_or(rest.len());
        return Ok(CsvCell { value: Cow::Borrowed(&rest[..length]), is_quoted: false, end: start + length });
    }
    let mut value = Cow::Borrowed("");
    let mut from = start + 1;
    loop {
        let Some(quote) = text[from..].find('"').map(|quote| from + quote) else {
            let message = "this quote is never closed".to_owned();
            return Err(CsvFault { message, help: "write a quote within quotes twice: \"\"", end: start + 1 });
        };
        if value.is_empty() {
            value = Cow::Borrowed(&text[from..quote]);
        } else {
            value.to_mut().push_str(&text[from..quote]);
        }
        from = quote + 1;
        if text[from..].starts_with('"') {
            value.to_mut().push('"');
            from += 1;
            continue;
        }
        if !(text[from..].is_empty() || text[from..].starts_with([',', '\n', '\r'])) {
            let message = match text[from..].chars().next() {
                Some(sign @ (';' | '|')) => format!("expected a comma after this cell, found `{sign}`"),
                Some('\t') => "expected a comma after this cell, found a tab".to_owned(),
                _ => "a comma is missing after this cell".to_owned(),
            };
            let help = "save the file with commas between the columns; write a quote within quotes twice";
            return Err(CsvFault { message, help, end: from });
        }
        return Ok(CsvCell { value, is_quoted: true, end: from });
    }
}

/// The rows of a CSV text with the line of each, for texts that are too long to keep every cell.
pub(in crate::rules) struct CsvRows<'t> {
    text: &'t str,
    at: usize,
    /// The line that comes next, from 1.
    line: u64,
}

impl<'t> CsvRows<'t> {
    pub(in crate::rules) fn new(text: &'t str) -> Self {
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Self { text, at, line: 1 }
    }

    /// Puts the cells of the next row into `cells`, and returns its line; `None` after the last. An empty line has one
    /// empty cell.
    ///
    /// # Errors
    /// The first damaged cell.
    pub(in crate::rules) fn next_row(&mut self, cells: &mut Vec<Cow<'t, str>>) -> Result<Option<u64>, DamagedRow> {
        cells.clear();
        if self.at >= self.text.len() {
            return Ok(None);
        }
        let line = self.line;
        loop {
            let CsvCell { value, is_quoted, end } =
                read_csv_cell(self.text, self.at).map_err(|fault| DamagedRow { line, fault })?;
            if is_quoted {
                self.line += value.bytes().filter(|byte| *byte == b'\n').count() as u64;
            }
            cells.push(value);
            self.at = end;
            match self.text.as_bytes()[end..] {
                [b',', ..] => self.at += 1,
                [b'\r', b'\n', ..] => {
                    self.at += 2;
                    break;
                }
                [] => break,
                _ => {
                    self.at += 1;
                    break;
                }
            }
        }
        self.line += 1;
        Ok(Some(line))
    }
}
