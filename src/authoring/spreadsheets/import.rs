//! Reads an edited sheet: which rows it has, and what each of their cells becomes in the rule file. Refuses what does
//! not fit, with the place of the cell.

use super::cells::{SheetValue, normalize_decimal, of_double};
use super::grid::{CellContent, Grid, SheetMistake};
use super::matching::{is_same, lines_of};
use super::rewrite::{Edit, NewCell, NewRow, rewrite_rule_files};
use super::sheet::{ColumnKind, OTHERWISE, Sheet, fold_whitespace};
use crate::rules::{Type, Unit};

/// How many lines the header has.
const HEADER: usize = 2;

/// Compares an edited sheet with the exported one, and rewrites the rule file.
///
/// # Errors
/// Everything in the sheet that does not fit the table.
pub fn import_edited_sheet(sheet: &Sheet, grid: &Grid) -> Result<Edit, Vec<SheetMistake>> {
    let mut mistakes: Vec<SheetMistake> = grid
        .merged
        .iter()
        .map(|range| SheetMistake {
            place: Some(range.clone()),
            ..SheetMistake::new("these cells are merged", "unmerge them: every cell of a table has its own value")
        })
        .collect();
    mistakes.extend(wrong_header(sheet, grid));
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    let (rows, otherwise) = rows_below(grid, &mut mistakes);
    let origins = lines_of(sheet, grid, &rows);
    let mut new: Vec<NewRow> = Vec::new();
    for (row, origin) in rows.iter().zip(&origins) {
        let before = new.last().map(|row: &NewRow| row.list);
        match new_row(sheet, grid, *row, *origin, before) {
            Ok(row) => new.push(row),
            Err(wrong) => mistakes.extend(wrong),
        }
    }
    let last = otherwise.map(|row| new_otherwise(sheet, grid, row)).transpose();
    let last = last.unwrap_or_else(|wrong| {
        mistakes.extend(wrong);
        None
    });
    mistakes.extend(find_emptied_item(sheet, &new, &mistakes));
    if mistakes.is_empty() { rewrite_rule_files(sheet, new, last).map_err(|wrong| vec![wrong]) } else { Err(mistakes) }
}

/// Whether the two lines of the header are those of this table.
fn wrong_header(sheet: &Sheet, grid: &Grid) -> Vec<SheetMistake> {
    let again = "export the table again and edit that file; columns are changed in the rule file";
    let section = &sheet.section;
    let shown = |row: usize, column: usize| fold_whitespace(&grid.cell(row, column).shown());
    let first = shown(0, 0);
    if first != *section {
        let message = match first.as_str() {
            "" => format!("this is no sheet of `{section}`: its first cell is empty"),
            other => format!("this is a sheet of `{other}`, not of `{section}`"),
        };
        return vec![SheetMistake::at(0, 0, message, "name the table that the sheet was exported from")];
    }
    let mut wrong = Vec::new();
    let width = grid.rows.iter().map(Vec::len).max().unwrap_or(0).max(sheet.columns.len());
    for at in 0..width {
        let Some(column) = sheet.columns.get(at) else {
            let row = (0..grid.rows.len()).find(|row| *grid.cell(*row, at) != CellContent::Empty);
            wrong.extend(row.map(|row| SheetMistake::at(row, at, "the table has no such column", again)));
            continue;
        };
        let (title, unit) = (shown(0, at), shown(1, at));
        if title != column.title {
            let is_elsewhere = (0..width).any(|other| shown(0, other) == column.title);
            let message = match (title.as_str(), is_elsewhere) {
                ("", false) => format!("the column `{}` is missing", column.title),
                (title, _) => format!("this column is `{title}`, but the table has `{}` here", column.title),
            };
            wrong.push(SheetMistake::at(0, at, message, again));
        } else if unit != fold_whitespace(&column.unit) {
            let message = format!("the unit here is `{}`, not `{unit}`", column.unit);
            let help = "an import converts nothing: write the unit as it was, and the values in that unit";
            wrong.push(SheetMistake::at(1, at, message, help));
        }
    }
    wrong
}

/// The rows below the header, and the one that is `otherwise`.
fn rows_below(grid: &Grid, mistakes: &mut Vec<SheetMistake>) -> (Vec<usize>, Option<usize>) {
    let (mut rows, mut otherwise, mut blank) = (Vec::new(), None, None);
    for row in HEADER..grid.rows.len() {
        let first = grid.cell(row, 0);
        if grid.is_blank(row) {
            blank.get_or_insert(row);
        } else if let Some(blank) = blank {
            let message = format!("this row is below the table, which ends above the empty row {}", blank + 1);
            let help = "delete empty rows within the table, and whatever is below it";
            mistakes.push(SheetMistake { place: Some(format!("row {}", row + 1)), ..SheetMistake::new(message, help) });
            return (rows, otherwise);
        } else if let Some(last) = otherwise {
            let message = format!("this row is below `{OTHERWISE}`, in row {}, which is the last", last + 1);
            let help = "move it above that row, or delete it";
            mistakes.push(SheetMistake { place: Some(format!("row {}", row + 1)), ..SheetMistake::new(message, help) });
            return (rows, otherwise);
        } else if matches!(first, CellContent::Text(text) if text.trim() == OTHERWISE) {
            otherwise = Some(row);
        } else {
            let is_number = match first {
                CellContent::Empty => true,
                CellContent::Number(number) => number.fract() == 0.0,
                CellContent::Text(text) => text.trim().bytes().all(|byte| byte.is_ascii_digit()),
                _ => false,
            };
            if !is_number {
                let message = format!("`{}` is neither the number of a row nor `{OTHERWISE}`", first.shown());
                mistakes.push(SheetMistake::at(row, 0, message, "leave the first cell of a new row empty"));
            }
            rows.push(row);
        }
    }
    (rows, otherwise)
}

/// An item of the scorecard that has lost all its bins.
fn find_emptied_item(sheet: &Sheet, new: &[NewRow], mistakes: &[SheetMistake]) -> Option<SheetMistake> {
    let is_lost = |list: &usize| new.iter().all(|row| row.list != *list);
    let list = (0..sheet.source.items.len()).find(is_lost).filter(|_| mistakes.is_empty())?;
    let message = format!("no bin is left of the item `{}`", fold_whitespace(&sheet.source.items[list].on));
    Some(SheetMistake::new(message, "remove the item in the rule file"))
}

/// What a row becomes. `before` is the list of the row above.
fn new_row(
    sheet: &Sheet,
    grid: &Grid,
    row: usize,
    origin: Option<usize>,
    before: Option<usize>,
) -> Result<NewRow, Vec<SheetMistake>> {
    // A row whose fixed cells are not those of the line with its number is not that line.
    let origin = origin.filter(|line| fixed_are_same(sheet, grid, row, *line));
    let place = origin.and_then(|line| sheet.lines[line].origin);
    let list = match place {
        Some((list, _)) => list,
        None => list_of(sheet, grid, row, before).map_err(|wrong| vec![wrong])?,
    };
    let (mut cells, mut wrong, mut comment) = (Vec::new(), Vec::new(), None);
    for at in sheet.fixed()..sheet.columns.len() {
        let (found, old) = (grid.cell(row, at), origin.map(|line| &sheet.lines[line].values[at]));
        let kind = sheet.kind(at, Some(list));
        if kind == ColumnKind::Comment {
            comment = read_edited_comment(sheet, found, old).unwrap_or_else(|mistake| {
                wrong.push(mistake_at(row, at, mistake));
                None
            });
            continue;
        }
        match read_edited_cell(found, kind, old, grid.is_typed) {
            Ok(cell) => cells.push(cell),
            Err(mistake) => wrong.push(mistake_at(row, at, mistake)),
        }
    }
    if !wrong.is_empty() {
        return Err(wrong);
    }
    Ok(NewRow { list, origin: place.map(|(_, row)| row), cells, comment, row })
}

fn mistake_at(row: usize, column: usize, (message, help): (String, String)) -> SheetMistake {
    SheetMistake::at(row, column, message, help)
}

/// The outputs if no row matches.
fn new_otherwise(sheet: &Sheet, grid: &Grid, row: usize) -> Result<NewRow, Vec<SheetMistake>> {
    let line = sheet.lines.iter().find(|line| line.origin.is_none());
    if sheet.source.table.is_none() {
        let help = "a bin - or unknown of an item counts if no other does";
        return Err(vec![SheetMistake::at(row, 0, format!("a scorecard has no `{OTHERWISE}`"), help)]);
    }
    let (mut cells, mut wrong, mut comment) = (Vec::new(), Vec::new(), None);
    for (at, column) in sheet.columns.iter().enumerate().skip(1) {
        let (found, old) = (grid.cell(row, at), line.map(|line| &line.values[at]));
        match column.kind {
            ColumnKind::Given(_) => match read_edited_cell(found, column.kind, old, grid.is_typed) {
                Ok(cell) => cells.push(cell),
                Err(mistake) => wrong.push(mistake_at(row, at, mistake)),
            },
            ColumnKind::Comment => match otherwise_comment(found, old) {
                Ok(text) => comment = text,
                Err(mistake) => wrong.push(mistake_at(row, at, mistake)),
            },
            _ if *found == CellContent::Empty || found.shown() == "-" => {}
            _ => {
                let message = format!("`{OTHERWISE}` counts if no row matches, so it tests nothing");
                wrong.push(SheetMistake::at(row, at, message, "empty this cell, or write a row of the table"));
            }
        }
    }
    if wrong.is_empty() { Ok(NewRow { list: 0, origin: line.map(|_| 0), cells, comment, row }) } else { Err(wrong) }
}

fn fixed_are_same(sheet: &Sheet, grid: &Grid, row: usize, line: usize) -> bool {
    (1..sheet.fixed()).all(|at| is_same(grid.cell(row, at), &sheet.lines[line].values[at], ColumnKind::Fixed))
}

/// The item of the scorecard that a new row belongs to: the one that its fixed cells describe. Of several alike, that
/// of the row above.
fn list_of(sheet: &Sheet, grid: &Grid, row: usize, before: Option<usize>) -> Result<usize, SheetMistake> {
    if sheet.source.items.is_empty() {
        return Ok(0);
    }
    let first_line = |list: usize| sheet.lines.iter().position(|line| line.origin == Some((list, 0)));
    let is_item = |list: usize, at: usize| {
        first_line(list)
            .is_some_and(|line| is_same(grid.cell(row, at), &sheet.lines[line].values[at], ColumnKind::Fixed))
    };
    let all = 0..sheet.source.items.len();
    let named: Vec<usize> = all.filter(|list| is_item(*list, 1)).collect();
    if named.is_empty() {
        let message = format!("the scorecard has no item `{}`", grid.cell(row, 1).shown());
        let help = "write an item as the other rows do; new items are added in the rule file";
        return Err(SheetMistake::at(row, 1, message, help));
    }
    // Cells that are left empty in a new row say nothing.
    let says = |at: usize| *grid.cell(row, at) != CellContent::Empty;
    let fits = |list: &usize| (2..sheet.fixed()).all(|at| !says(at) || is_item(*list, at));
    let fitting: Vec<usize> = named.iter().copied().filter(fits).collect();
    match fitting.as_slice() {
        [] => {
            let list = named[0];
            let at = (2..sheet.fixed()).find(|at| says(*at) && !is_item(list, *at)).unwrap_or(1);
            let message = format!("`{}` of an item is only shown here", sheet.columns[at].title);
            Err(SheetMistake::at(row, at, message, "write it as it was; change it in the rule file"))
        }
        several => Ok(before.filter(|list| several.contains(list)).unwrap_or(several[0])),
    }
}

/// What is wrong with a cell, and what to do.
type Refusal = (String, String);

fn refused<T>(message: impl Into<String>, help: impl Into<String>) -> Result<T, Refusal> {
    Err((message.into(), help.into()))
}

/// What a cell becomes.
fn read_edited_cell(
    found: &CellContent,
    kind: ColumnKind,
    old: Option<&SheetValue>,
    is_typed: bool,
) -> Result<NewCell, Refusal> {
    if old.is_some_and(|old| is_same(found, old, kind)) {
        return Ok(NewCell::Kept);
    }
    let (ty, is_test) = match kind {
        ColumnKind::Test(ty) => (ty, true),
        ColumnKind::Given(ty) => (ty, false),
        ColumnKind::Row | ColumnKind::Fixed | ColumnKind::Comment => return Ok(NewCell::Kept),
    };
    match found {
        CellContent::Empty if is_test => {
            refused("this cell is empty", "write - for a condition that matches everything")
        }
        CellContent::Empty => refused("this cell is empty", "an output needs a value"),
        CellContent::Error(error) => refused(format!("the formula here has the error {error}"), "write the value"),
        CellContent::Date(shown) => refused(
            format!("the spreadsheet made a date of this cell: {shown}"),
            "format the cell as text and write it again",
        ),
        CellContent::Percent(number) => {
            let plain = of_double(*number).unwrap_or_else(|| number.to_string());
            let message = format!("this cell shows {}, but holds {plain}", found.shown());
            refused(message, "format it as a number, and write the value in the unit that the second line says")
        }
        CellContent::Truth(_) if ty != Type::BOOLEAN => {
            let help = "format the cell as text and write it again";
            refused(format!("this cell is true or false, but the column is {}", ty.unit.word()), help)
        }
        CellContent::Truth(truth) if is_test => Ok(NewCell::Text(truth.to_string())),
        CellContent::Truth(truth) => Ok(NewCell::Bare(truth.to_string())),
        CellContent::Number(number) => read_edited_number(*number, ty, is_test),
        CellContent::Text(text) => read_edited_text(text.trim(), ty, is_test, is_typed),
    }
}

fn read_edited_number(number: f64, ty: Type, is_test: bool) -> Result<NewCell, Refusal> {
    let Some(plain) = of_double(number) else {
        return refused(format!("{number} cannot be written out"), "write a number with at most 15 digits");
    };
    if !ty.is_numeric() {
        let help = format!("format the cell as text and write it again; zeros in front of {plain} may have been lost");
        return refused(format!("this cell is a number, but the column is {}", ty.unit.word()), help);
    }
    Ok(if is_test { NewCell::Text(plain) } else { NewCell::Bare(plain) })
}

fn read_edited_text(text: &str, ty: Type, is_test: bool, is_typed: bool) -> Result<NewCell, Refusal> {
    if text.chars().any(char::is_control) {
        return refused("this cell has a line break or another sign that is not shown", "write it on one line");
    }
    if is_test && ["–", "—", "−"].contains(&text) {
        return refused(format!("`{text}` is a long dash"), "write - for a condition that matches everything");
    }
    if is_test && text.matches('\'').count() % 2 == 1 && text.ends_with('\'') {
        let help = "a spreadsheet drops the quote that a cell begins with: write two of them at the beginning";
        return refused("a quote is missing at the beginning of this cell", help);
    }
    if is_test {
        return Ok(NewCell::Text(text.to_owned()));
    }
    if ty == Type::BOOLEAN && ["true", "false"].iter().any(|truth| text.eq_ignore_ascii_case(truth)) {
        return Ok(NewCell::Bare(text.to_lowercase()));
    }
    if !ty.is_numeric() || text.starts_with(['$', '=']) {
        return Ok(NewCell::Text(text.to_owned()));
    }
    if text.ends_with('%') {
        let help = "write a number without the sign, in the unit that the second line says";
        return refused(format!("`{text}` has a percent sign"), help);
    }
    let Some(plain) = normalize_decimal(text) else {
        let digits = text.replace([',', ' ', '\u{a0}', '\u{202f}'], "");
        if normalize_decimal(&digits).is_some() {
            let help = "write a decimal point, and no sign between thousands";
            return refused(format!("`{text}` is a text, not a number"), help);
        }
        return Ok(NewCell::Text(text.to_owned()));
    };
    // Where thousands are separated by points, 2.500 is a larger number than here.
    let (whole, fraction) = plain.split_once('.').unwrap_or((&plain, ""));
    let written = text.split_once('.').map_or("", |(_, fraction)| fraction);
    let may_be_thousands = written.len() == 3 && whole.trim_start_matches('-') != "0" && whole.len() <= 3;
    if may_be_thousands && (is_typed || ty.unit == Unit::Money) {
        let help = format!(
            "write {whole}{written} or {whole}.{}, as a number",
            if fraction.is_empty() { "0" } else { fraction }
        );
        return refused(format!("`{text}` is a text that may be a number of thousands"), help);
    }
    Ok(NewCell::Bare(plain))
}

/// The comment of a row; `None` if it is unchanged.
fn read_edited_comment(
    sheet: &Sheet,
    found: &CellContent,
    old: Option<&SheetValue>,
) -> Result<Option<String>, Refusal> {
    let text = comment_text(found)?;
    if let (Some((path, _)), false) = (&sheet.source.rows_file, text.is_empty()) {
        let path = path.display();
        return refused(format!("the rows are in `{path}`, which holds no comments"), "empty this cell");
    }
    let is_kept = match old {
        Some(SheetValue::Text(old)) => old.trim() == text.trim(),
        _ => text.is_empty(),
    };
    Ok((!is_kept).then_some(text))
}

fn otherwise_comment(found: &CellContent, old: Option<&SheetValue>) -> Result<Option<String>, Refusal> {
    let text = comment_text(found)?;
    if text.contains('\n') {
        return refused(format!("the comment of `{OTHERWISE}` is on one line"), "write it on one line");
    }
    let old = old.and_then(|old| if let SheetValue::Text(old) = old { Some(old.as_str()) } else { None });
    Ok((old.unwrap_or_default().trim() != text.trim()).then_some(text))
}

fn comment_text(found: &CellContent) -> Result<String, Refusal> {
    let text = match found {
        CellContent::Error(error) => {
            return refused(format!("the formula here has the error {error}"), "write the text");
        }
        CellContent::Text(text) => text.replace("\r\n", "\n"),
        other => other.shown(),
    };
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    if lines.iter().any(|line| line.chars().any(|sign| sign.is_control() && sign != '\t')) {
        return refused("a comment has signs that are not shown", "write it anew");
    }
    Ok(lines.join("\n"))
}
