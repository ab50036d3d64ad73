//! Writes the new rows of a table into the text of its rule file, and leaves everything else as it was.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::comments::{Around, Between};
use super::grid::{SheetMistake, spreadsheet_cell_name};
use super::row_positions::{self, Token, WrittenRow};
use super::sheet::{List, OTHERWISE, Sheet, comment_after, rows_of_csv};
use crate::authoring::editor::format::format_rule_file;
use crate::base::csv_line::quoted_text;
use crate::base::diagnostic::Span;

/// What a cell becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NewCell {
    /// What it was.
    Kept,
    /// A text.
    Text(String),
    /// A number or a truth value, without quotes.
    Bare(String),
}

/// A row of the new table.
#[derive(Clone, Debug)]
pub(super) struct NewRow {
    /// The list that it is in.
    pub list: usize,
    /// The row of that list that it was.
    pub origin: Option<usize>,
    pub cells: Vec<NewCell>,
    /// Its new comment; `None` if that is unchanged.
    pub comment: Option<String>,
    /// The row of the sheet, from 0.
    pub row: usize,
}

/// What an import changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Rows that are new.
    pub added: usize,
    /// Removed rows.
    pub removed: usize,
    /// Rows with other cells or another comment.
    pub changed: usize,
    /// Rows that stand elsewhere among the others.
    pub moved: usize,
    /// What became of `otherwise`: added, removed or changed.
    pub otherwise: Option<&'static str>,
}

impl Summary {
    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        *self == Summary::default()
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts =
            [(self.added, "added"), (self.removed, "removed"), (self.changed, "changed"), (self.moved, "moved")];
        let rows = counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| {
            let rows = if *count == 1 { "row" } else { "rows" };
            format!("{count} {rows} {what}")
        });
        let parts: Vec<String> = rows.chain(self.otherwise.map(|what| format!("`{OTHERWISE}` {what}"))).collect();
        out.write_str(if parts.is_empty() { "no change" } else { "" })?;
        out.write_str(&parts.join(", "))
    }
}

/// The new texts of the files.
#[derive(Clone, Debug)]
pub struct Edit {
    /// Each file that changes, with its new text.
    pub files: Vec<(PathBuf, String)>,
    /// What changes.
    pub summary: Summary,
    section: String,
    fixed: usize,
    /// The rows of the sheet, by list and by row.
    rows: BTreeMap<(usize, usize), usize>,
    otherwise: Option<usize>,
    /// The first column with an output.
    given: usize,
    rule_file: PathBuf,
}

/// Rewrites the files of a sheet.
pub(super) fn rewrite_rule_files(
    sheet: &Sheet,
    new: Vec<NewRow>,
    otherwise: Option<NewRow>,
) -> Result<Edit, SheetMistake> {
    let source = &sheet.source;
    let mut lists: Vec<Vec<NewRow>> = vec![Vec::new(); source.lists.len()];
    for row in new {
        let list = row.list;
        lists[list].push(row);
    }
    let mut summary = Summary::default();
    let mut changes: Vec<(Range<usize>, String)> = Vec::new();
    let mut files = Vec::new();
    let newline = newline_of(&source.text);
    for (list, rows) in source.lists.iter().zip(&lists) {
        let of_list = count_row_changes(list, rows);
        if of_list.is_empty() {
            continue;
        }
        summary.added += of_list.added;
        summary.removed += of_list.removed;
        summary.changed += of_list.changed;
        summary.moved += of_list.moved;
        match &source.rows_file {
            Some((path, text)) => files.push((path.clone(), csv_text(text, list, rows))),
            None => {
                let range = range_of(sheet, list);
                changes.push((range, write_toml_array(&source.text, list, rows, newline)));
            }
        }
    }
    if let Some(table) = &source.table {
        let (what, change) = otherwise_change(&source.text, table, otherwise.as_ref(), newline)?;
        summary.otherwise = what;
        changes.extend(change);
    }
    if !changes.is_empty() {
        files.push((source.file.clone(), apply_text_changes(&source.text, changes)));
    }
    let numbered = lists.iter().enumerate();
    let rows = numbered.flat_map(|(list, rows)| rows.iter().enumerate().map(move |(at, row)| ((list, at), row.row)));
    let given = sheet.columns.iter().position(|column| matches!(column.kind, super::sheet::ColumnKind::Given(_)));
    Ok(Edit {
        files,
        summary,
        section: sheet.section.clone(),
        fixed: sheet.fixed(),
        rows: rows.collect(),
        otherwise: otherwise.map(|row| row.row),
        given: given.unwrap_or_default(),
        rule_file: source.file.clone(),
    })
}

/// The place of a list in the rule file.
fn range_of(sheet: &Sheet, list: &List) -> Range<usize> {
    let source = &sheet.source;
    let at = source.lists.iter().position(|other| std::ptr::eq(other, list)).unwrap_or_default();
    let of_table = source.table.as_ref().map(|table| table.place.clone());
    of_table.or_else(|| source.items.get(at).map(|item| item.bins.range.clone())).unwrap_or_default()
}

fn newline_of(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// What changes in one list.
fn count_row_changes(list: &List, rows: &[NewRow]) -> Summary {
    let kept: Vec<usize> = rows.iter().filter_map(|row| row.origin).collect();
    let is_changed = |row: &&NewRow| {
        row.origin.is_some() && (row.comment.is_some() || row.cells.iter().any(|cell| *cell != NewCell::Kept))
    };
    Summary {
        added: rows.len() - kept.len(),
        removed: list.rows.len() - kept.len(),
        changed: rows.iter().filter(is_changed).count(),
        moved: kept.len() - longest_ascending(&kept),
        otherwise: None,
    }
}

/// The length of the longest ascending part of distinct numbers.
fn longest_ascending(numbers: &[usize]) -> usize {
    // The least last number of an ascending part of each length.
    let mut last: Vec<usize> = Vec::new();
    for number in numbers {
        let at = last.partition_point(|known| known < number);
        match last.get_mut(at) {
            Some(known) => *known = *number,
            None => last.push(*number),
        }
    }
    last.len()
}

/// The list as TOML, not yet laid out.
fn write_toml_array(text: &str, list: &List, rows: &[NewRow], newline: &str) -> String {
    let Between { head, tail, is_broken, .. } = &list.between;
    let grouped = grouped_columns(text, list);
    let mut lines: Vec<(Around, String)> = Vec::new();
    for new in rows {
        let around = new.origin.and_then(|row| list.between.rows.get(row)).cloned().unwrap_or_default();
        let around = new.comment.as_ref().map_or_else(|| around.clone(), |comment| around.with_text(comment));
        lines.push((around, write_toml_row(text, list, new, &grouped)));
    }
    let has_comments = lines.iter().any(|(around, _)| *around != Around::default());
    if !is_broken && !has_comments && !list.rows.is_empty() {
        return format!("[{}]", lines.into_iter().map(|(_, row)| row).collect::<Vec<_>>().join(", "));
    }
    let mut out = format!("[{}{newline}", head.as_ref().map(|head| format!(" {head}")).unwrap_or_default());
    for (around, row) in lines {
        around.above.iter().for_each(|line| out += &format!("{line}{newline}"));
        let at_end = around.at_end.map(|comment| format!(" {comment}")).unwrap_or_default();
        out += &format!("{row},{at_end}{newline}");
    }
    tail.iter().for_each(|line| out += &format!("{line}{newline}"));
    out + "]"
}

/// The columns in which a number has underscores between its thousands.
fn grouped_columns(text: &str, list: &List) -> Vec<bool> {
    let width = list.rows.iter().map(|row| row.tokens.len()).max().unwrap_or_default();
    let is_grouped = |token: &Token| !token.is_text && text[token.range.clone()].contains('_');
    (0..width).map(|at| list.rows.iter().any(|row| row.tokens.get(at).is_some_and(is_grouped))).collect()
}

/// A row as TOML. One that was there keeps what is written in it, except for the cells that changed.
fn write_toml_row(text: &str, list: &List, new: &NewRow, grouped: &[bool]) -> String {
    let literal = |at: usize, cell: &NewCell| write_toml_literal(cell, grouped.get(at) == Some(&true));
    match new.origin.and_then(|row| list.rows.get(row)) {
        Some(old) => with_cells(text, old, &new.cells, &literal),
        None => {
            let cells = new.cells.iter().enumerate().map(|(at, cell)| literal(at, cell).unwrap_or_default());
            format!("[{}]", cells.collect::<Vec<_>>().join(", "))
        }
    }
}

/// A written row with other cells.
fn with_cells(
    text: &str,
    old: &WrittenRow,
    cells: &[NewCell],
    literal: &dyn Fn(usize, &NewCell) -> Option<String>,
) -> String {
    let (mut out, mut from) = (String::new(), old.range.start);
    for (at, (token, cell)) in old.tokens.iter().zip(cells).enumerate() {
        out += &text[from..token.range.start];
        out += &literal(at, cell).unwrap_or_else(|| text[token.range.clone()].to_owned());
        from = token.range.end;
    }
    out + &text[from..old.range.end]
}

/// A cell as TOML; `None` if it is what it was.
fn write_toml_literal(cell: &NewCell, is_grouped: bool) -> Option<String> {
    match cell {
        NewCell::Kept => None,
        NewCell::Text(text) => Some(toml_edit::Value::from(text.as_str()).to_string()),
        NewCell::Bare(number) if is_grouped => Some(crate::base::text::group_thousands(number, '_')),
        NewCell::Bare(literal) => Some(literal.clone()),
    }
}

/// What becomes of `otherwise`: in a word, and in the text.
type OtherwiseChange = (Option<&'static str>, Vec<(Range<usize>, String)>);

fn otherwise_change(
    text: &str,
    table: &row_positions::WrittenTable,
    new: Option<&NewRow>,
    newline: &str,
) -> Result<OtherwiseChange, SheetMistake> {
    let by_hand = || {
        let help = format!("add or remove it in the rule file: {OTHERWISE} = [...]");
        SheetMistake::new(format!("the table is written on one line, so `{OTHERWISE}` has no line of its own"), help)
    };
    let rest_of = |at: usize| &text[at..at + text[at..].find('\n').unwrap_or(text.len() - at)];
    let is_free = |rest: &str| rest.trim().is_empty() || rest.trim_start().starts_with('#');
    match (&table.otherwise, new) {
        (None, None) => Ok((None, Vec::new())),
        (Some(old), None) => {
            let start = text[..old.range.start].rfind('\n').map_or(0, |at| at + 1);
            let end = old.range.end + rest_of(old.range.end).len();
            // Before it on its line is the key alone, which may be dotted.
            let key = text[start..old.range.start].trim_end().trim_end_matches('=').trim_end();
            let is_alone = key.ends_with(OTHERWISE) && !key.contains(['{', ',']);
            if !is_alone || !is_free(rest_of(old.range.end)) {
                return Err(by_hand());
            }
            Ok((Some("removed"), vec![(start..(end + 1).min(text.len()), String::new())]))
        }
        (None, Some(new)) => {
            let rest = rest_of(table.place.end);
            if !is_free(rest) {
                return Err(by_hand());
            }
            let cells: Vec<String> = new.cells.iter().filter_map(|cell| write_toml_literal(cell, false)).collect();
            let comment = new.comment.as_ref().map(|comment| format!("  # {comment}")).unwrap_or_default();
            let at = table.place.end + rest.trim_end_matches('\r').len();
            let start = text[..table.place.start].rfind('\n').map_or(0, |at| at + 1);
            let before = text[start..table.place.start].rsplit_once("rows").map_or("", |(before, _)| before);
            let line = format!("{newline}{before}{OTHERWISE} = [{}]{comment}", cells.join(", "));
            Ok((Some("added"), vec![(at..at, line)]))
        }
        (Some(old), Some(new)) => {
            let is_same = new.cells.iter().all(|cell| *cell == NewCell::Kept) && new.comment.is_none();
            if is_same {
                return Ok((None, Vec::new()));
            }
            let cells = with_cells(text, old, &new.cells, &|_, cell| write_toml_literal(cell, false));
            let mut changes = vec![(old.range.clone(), cells)];
            if let Some(comment) = &new.comment {
                let written = comment_after(text, old.range.end);
                let place = written.clone().unwrap_or(old.range.end..old.range.end);
                let blanks = if written.is_some() { "" } else { "  " };
                match (comment.is_empty(), is_free(rest_of(old.range.end))) {
                    (_, false) => return Err(by_hand()),
                    (true, true) => changes.push((old.range.end..place.end, String::new())),
                    (false, true) => changes.push((place, format!("{blanks}# {comment}"))),
                }
            }
            Ok((Some("changed"), changes))
        }
    }
}

/// The text with its changes. If it was laid out as `fmt` does, it still is; if not, only the lists that changed are.
fn apply_text_changes(text: &str, mut changes: Vec<(Range<usize>, String)>) -> String {
    let is_formatted = format_rule_file(text).is_ok_and(|formatted| formatted == text);
    changes.sort_by_key(|(range, _)| range.start);
    let mut out = text.to_owned();
    for (range, new) in changes.into_iter().rev() {
        let new = if new.starts_with('[') && new.ends_with(']') { laid_out(&new) } else { new };
        out.replace_range(range, &new);
    }
    if is_formatted { format_rule_file(&out).unwrap_or(out) } else { out }
}

/// A list as `fmt` lays it out.
fn laid_out(list: &str) -> String {
    const KEY: &str = "rows = ";
    let formatted = format_rule_file(&format!("{KEY}{list}"));
    let formatted = formatted.ok().and_then(|text| text.strip_prefix(KEY).map(|list| list.trim_end().to_owned()));
    formatted.unwrap_or_else(|| list.to_owned())
}

/// A file of rows with its new rows. Rows that stay keep their bytes.
fn csv_text(text: &str, list: &List, rows: &[NewRow]) -> String {
    let newline = newline_of(text);
    let Some(first) = list.rows.first() else { return text.to_owned() };
    let mut lines: Vec<String> = Vec::new();
    for new in rows {
        let old = new.origin.and_then(|row| Some((row, list.rows.get(row)?)));
        // No guard against formulas: these are rules, and `= 0.5 * income` is one.
        let cell = |cell: &NewCell| match cell {
            NewCell::Kept => None,
            NewCell::Text(text) | NewCell::Bare(text) => Some(quoted_text(text).into_owned()),
        };
        match old {
            Some((at, old)) => {
                // Empty lines above a row stay there.
                let above = at.checked_sub(1).and_then(|before| text.get(list.rows[before].range.end..old.range.start));
                let blanks = above.map_or(0, |gap| gap.matches('\n').count().saturating_sub(1));
                lines.extend(std::iter::repeat_n(String::new(), blanks));
                lines.push(with_cells(text, old, &new.cells, &|_, new| cell(new)));
            }
            None => lines.push(new.cells.iter().filter_map(cell).collect::<Vec<_>>().join(",")),
        }
    }
    let end = list.rows.last().map_or(text.len(), |last| last.range.end);
    format!("{}{}{}", &text[..first.range.start], lines.join(newline), &text[end..])
}

impl Edit {
    /// The cell of the sheet that a place in a new text is about, such as `B7`, or its row.
    pub fn place(&self, file: &str, text: &str, span: Span) -> Option<String> {
        let lists: Vec<Vec<WrittenRow>>;
        let mut otherwise = None;
        if Path::new(file) == self.rule_file {
            lists = match self.section.strip_prefix("table.") {
                Some(name) => {
                    let table = row_positions::locate_table_rows(text, name.rsplit('.').next().unwrap_or(name))?;
                    otherwise = table.otherwise;
                    vec![table.rows.map(|rows| rows.rows).unwrap_or_default()]
                }
                None => row_positions::locate_score_items(text)?.into_iter().map(|item| item.bins.rows).collect(),
            };
        } else if self.files.iter().any(|(path, _)| path == Path::new(file)) {
            lists = vec![rows_of_csv(text)];
        } else {
            return None;
        }
        let numbered = lists.iter().enumerate();
        let rows = numbered.flat_map(|(list, rows)| rows.iter().enumerate().map(move |(at, row)| ((list, at), row)));
        for (key, row) in rows {
            if let Some(row_of_sheet) = self.rows.get(&key).filter(|_| holds(&row.range, span)) {
                return Some(cell_place(row, span, *row_of_sheet, self.fixed));
            }
        }
        let row = otherwise.filter(|row| holds(&row.range, span))?;
        Some(cell_place(&row, span, self.otherwise?, self.given))
    }
}

fn holds(range: &Range<usize>, span: Span) -> bool {
    range.start <= span.start as usize && span.end as usize <= range.end
}

fn cell_place(row: &WrittenRow, span: Span, row_of_sheet: usize, first: usize) -> String {
    match row.tokens.iter().position(|token| holds(&token.range, span)) {
        Some(at) => spreadsheet_cell_name(row_of_sheet, first + at),
        None => format!("row {}", row_of_sheet + 1),
    }
}
