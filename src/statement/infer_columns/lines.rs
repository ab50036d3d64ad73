//! What the lines between and below the rows mean: totals, comments, and rows that would be lost.

use std::collections::BTreeSet;

use super::amounts::Notation;
use super::answers::Doubt;
use super::facts::{Fact, RowPlace, RowReading, best_chain};
use super::grid::{FileCell, Line};
use super::roles::Roles;
use super::source::SourceTable;
use super::words;

/// More texts in the column of days are no few separators.
const STRAY_TEXTS_MAX: usize = 3;

/// The doubts about lines that are no rows.
pub(crate) fn find_line_doubts(
    sources: &[SourceTable],
    roles: &Roles,
    notation: &Notation,
    facts: &[Fact],
    reading: &RowReading,
) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    let chain = best_chain(facts, reading);
    let followed: BTreeSet<RowPlace> = chain.steps.iter().filter(|step| step.follows).map(|step| step.place).collect();
    for (file, source) in sources.iter().enumerate() {
        let rows: Vec<RowPlace> = facts.iter().map(|fact| fact.place).filter(|place| place.file == file).collect();
        let is_bridged = |line: usize| {
            let later = match chain.newest_first {
                true => rows.iter().rev().find(|place| place.line < line),
                false => rows.iter().find(|place| place.line > line),
            };
            later.is_some_and(|place| followed.contains(place))
        };
        doubts.extend(doubt_separating_lines(source, roles, notation, &is_bridged));
        let place = place_in(source, sources.len() > 1);
        let undated: Vec<&Line> = source
            .table
            .strays
            .iter()
            .chain(&source.table.below)
            .filter(|line| moves_money(line, roles, notation) && !is_total(line, roles, notation, facts))
            .collect();
        if let Some(first) = undated.first() {
            let lines =
                if undated.len() > 1 { "lines without a date have amounts" } else { "line has an amount but no date" };
            doubts.push(Doubt::open(format!(
                "{place}{} {lines}, first line {}, so money would be lost. A date that is written once for several \
                 rows cannot be declared: write it in every row, or ask for another export",
                undated.len(),
                first.number
            )));
        }
        let continued: Vec<&Line> =
            source.table.strays.iter().filter(|line| continues_narration(line, roles)).collect();
        if let Some(first) = continued.first() {
            let lines = if continued.len() > 1 { "lines have" } else { "line has" };
            doubts.push(Doubt::open(format!(
                "{place}{} {lines} nothing but a text where the narrations are, first line {}, and would be left out: \
                 if they go on from the line above, join them to it, or rules do not find what they say",
                continued.len(),
                first.number
            )));
        }
        if source.table.stray_texts(roles.trans_date).len() > STRAY_TEXTS_MAX
            && let Some(first) = source.table.strays.first()
        {
            doubts.push(Doubt::open(format!(
                "{place}line {} and others stand between the rows and are none; remove them, or ask for another export",
                first.number
            )));
        }
    }
    doubts
}

/// The doubts about lines that set rows apart: another account, another table, entries that are not booked.
fn doubt_separating_lines(
    source: &SourceTable,
    roles: &Roles,
    notation: &Notation,
    is_bridged: &dyn Fn(usize) -> bool,
) -> Vec<Doubt> {
    let table = &source.table;
    let own = table.above.iter().rev().find_map(account_number);
    let names = |line: &Line| -> Vec<String> { line.cells.iter().map(|cell| cell.trimmed().to_owned()).collect() };
    let header: Vec<String> = table.header.iter().map(|name| name.trim().to_owned()).collect();
    let is_header = |line: &Line| names(line) == header;
    if let Some(other) = table.other_headers.iter().find(|line| !is_header(line) || table.is_above(line)) {
        return vec![Doubt::open(format!(
            "line {} begins another table with rows of its own, which would be lost or misread; make a file of each",
            other.number
        ))];
    }
    let other = |line: &&Line| account_number(line).filter(|number| own.as_ref() != Some(number)).is_some();
    if let Some(line) = table.strays.iter().find(other) {
        return vec![Doubt::open(format!(
            "line {} names another account, so that two accounts would become one; make a file of each account",
            line.number
        ))];
    }
    let says_nothing = |line: &Line| {
        let text = line.first_filled().map(FileCell::trimmed).unwrap_or_default();
        let is_same_account = account_number(line).is_some();
        is_same_account || words::is_page_mark(text) || words::names_total(text) || words::names_balance(text)
    };
    let heading = table.strays.iter().find(|line| {
        let text = line.first_filled().map(FileCell::trimmed).unwrap_or_default();
        text.chars().any(char::is_alphabetic)
            && !moves_money(line, roles, notation)
            && (words::names_pending(text) || !says_nothing(line) && !is_bridged(line.number))
    });
    let Some(line) = heading else { return Vec::new() };
    let text = line.first_filled().map(FileCell::trimmed).unwrap_or_default();
    let what = if words::names_pending(text) {
        "so the rows below it may not be booked; remove those that are not"
    } else if is_header(line) {
        "the names of the columns again, so the rows below may be of another account; make a file of each account"
    } else {
        "and may set the rows below it apart; remove the line, or the rows that are no records"
    };
    let text: String = text.chars().take(60).collect();
    vec![Doubt::open(format!("line {} stands between the rows and says `{text}`, {what}", line.number))]
}

/// The digits of an account that a line names.
fn account_number(line: &Line) -> Option<String> {
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let mut cells = line.cells.iter().map(FileCell::trimmed).filter(|text| !text.is_empty());
    let first = cells.next()?;
    let (label, rest) = first.split_once(':').unwrap_or((first, ""));
    let number = if rest.trim().is_empty() { cells.next().map(digits)? } else { digits(rest) };
    (words::labels_account(label) && number.len() >= 4).then_some(number)
}

/// The name of a file before a line's number, where there are several.
fn place_in(source: &SourceTable, has_others: bool) -> String {
    if has_others { format!("{}: ", source.name) } else { String::new() }
}

/// The amounts of a line, with their columns.
fn amounts_of_line<'l>(
    line: &'l Line,
    roles: &Roles,
    notation: &'l Notation,
) -> impl Iterator<Item = (usize, i64)> + use<'l> {
    let columns = [roles.credit, roles.debit, roles.amount].into_iter().flatten();
    columns.filter_map(|column| {
        let value = notation.read(line.cell(column)?)?.value;
        (value != 0).then_some((column, value))
    })
}

/// Whether a line has an amount where rows have theirs.
fn moves_money(line: &Line, roles: &Roles, notation: &Notation) -> bool {
    // What stands where the days are is a label of its own, such as the number of the rows.
    let is_row_like = line.cell(roles.trans_date).is_none_or(|cell| !super::amounts::looks_like_amount(cell));
    is_row_like && amounts_of_line(line, roles, notation).next().is_some()
}

/// Whether a line has a text in a column of narrations and nothing else, as the second line of a long narration has.
fn continues_narration(line: &Line, roles: &Roles) -> bool {
    let mut filled = line.cells.iter().enumerate().filter(|(_, cell)| !cell.is_blank()).peekable();
    filled.peek().is_some()
        && filled.all(|(column, cell)| {
            let text = cell.trimmed();
            let is_mark = words::is_page_mark(text) || words::names_total(text) || words::names_balance(text);
            roles.desc.contains(&column) && !is_mark && text.chars().any(char::is_alphabetic)
        })
}

/// Whether a line only sums up the rows, or is of money that did not move.
fn is_total(line: &Line, roles: &Roles, notation: &Notation, facts: &[Fact]) -> bool {
    let label = line.first_filled().map(FileCell::trimmed).unwrap_or_default();
    if words::names_total(label) || words::names_balance(label) {
        return true;
    }
    if line.cell(roles.trans_date).is_some_and(|cell| words::is_done(cell.trimmed()) == Some(false)) {
        return true;
    }
    let sum = |column: usize| {
        let of_fact = |fact: &Fact| match Some(column) {
            column if column == roles.credit => fact.credit,
            column if column == roles.debit => fact.debit,
            _ => fact.amount,
        };
        facts.iter().filter_map(of_fact).map(i128::from).sum::<i128>()
    };
    let mut sums = amounts_of_line(line, roles, notation);
    // One row alone is its own sum.
    facts.len() > 2 && sums.all(|(column, value)| i128::from(value) == sum(column))
}
