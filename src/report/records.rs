//! What a policy finds in records, as a table for a terminal: one record per line, and why below it.

use std::collections::BTreeMap;

use crate::base::money::{Currency, Money};
use crate::base::text::escape_terminal;
use crate::engine::decision::{Verdict, Verdicts};
use crate::report::aligned::{cut_text_to_width, measure_text_width, pad_text_end, pad_text_start};

/// Most characters of a line.
const WIDTH: usize = 118;

/// Most characters of a counterparty.
const NAME_MAX: usize = 24;

/// Least characters of a narration, even where the other columns are wide.
const NARRATION_MIN: usize = 30;

/// The records of each statement under a heading.
pub fn render_record_verdicts(verdicts: &Verdicts, currency: &Currency) -> String {
    let same = |one: &Verdict, other: &Verdict| {
        (&one.customer, &one.statement, &one.account) == (&other.customer, &other.statement, &other.account)
            && one.record < other.record
    };
    let of_statements: Vec<String> =
        verdicts.records.chunk_by(same).map(|records| render_record_table(records, currency)).collect();
    of_statements.join("\n")
}

/// The cells of one record.
struct Cells {
    short: [String; COLUMNS],
    narration: String,
}

const COLUMNS: usize = 7;

const HEADINGS: [&str; COLUMNS] = ["#", "date", "in", "out", "kind", "stream", "counterparty"];

/// Whether a column is of numbers, which end at the same place.
const IS_NUMBER: [bool; COLUMNS] = [true, false, true, true, false, true, false];

fn render_record_table(records: &[Verdict], currency: &Currency) -> String {
    let rows: Vec<Cells> = records.iter().map(|record| cells(record, currency)).collect();
    let widths: [usize; COLUMNS] = std::array::from_fn(|column| {
        let widest = rows.iter().map(|row| measure_text_width(&row.short[column])).max().unwrap_or(0);
        // A column without any value is omitted.
        if widest == 0 { 0 } else { widest.max(HEADINGS[column].len()) }
    });
    let indent: usize = widths.iter().filter(|width| **width > 0).map(|width| width + 2).sum();
    let margin = widths[0] + 2;
    let mut text = format!("{}\n{}", heading(records), list_record_streams(records));
    text += &line(&HEADINGS.map(str::to_owned), &widths, "narration");
    for (record, row) in records.iter().zip(&rows) {
        let room = WIDTH.saturating_sub(indent).max(NARRATION_MIN);
        text += &line(&row.short, &widths, &cut_text_to_width(&row.narration, room, "..."));
        for part in wrap_at_blanks(&because(record), WIDTH - margin) {
            text += &format!("{}{part}\n", " ".repeat(margin));
        }
    }
    text
}

fn heading(records: &[Verdict]) -> String {
    let Some(first) = records.first() else { return String::new() };
    let whose = first.customer.iter().chain([&first.statement]).chain(&first.account);
    let whose: Vec<_> = whose.map(|part| escape_terminal(part).into_owned()).collect();
    let count = if records.len() == 1 { "1 record".to_owned() } else { format!("{} records", records.len()) };
    format!("{}: {count}", whose.join(", "))
}

/// The streams of a statement, each on a line.
fn list_record_streams(records: &[Verdict]) -> String {
    let mut all: BTreeMap<usize, (String, usize)> = BTreeMap::new();
    for stream in records.iter().filter_map(|record| record.stream.as_ref()) {
        let payer = escape_terminal(stream.payer.as_deref().unwrap_or("nobody named")).into_owned();
        let what = format!("{payer}, {}", stream.period.replace('_', "-"));
        all.entry(stream.number).or_insert((what, 0)).1 += 1;
    }
    let lines = all.iter().map(|(number, (what, count))| format!("  stream {number}: {what}, {count} records\n"));
    lines.collect()
}

fn cells(record: &Verdict, currency: &Currency) -> Cells {
    let amount = |minor: Option<i64>| match minor {
        Some(minor) if minor != 0 => Money::from_minor(minor).display(currency).to_string(),
        _ => String::new(),
    };
    let shown = |text: &Option<String>| escape_terminal(text.as_deref().unwrap_or_default()).into_owned();
    let short = [
        record.record.to_string(),
        record.day.map(|day| day.to_string()).unwrap_or_default(),
        amount(record.credit),
        amount(record.debit),
        record.kind.clone().unwrap_or_else(|| "?".to_owned()),
        record.stream.as_ref().map(|stream| stream.number.to_string()).unwrap_or_default(),
        cut_text_to_width(&shown(&record.counterparty), NAME_MAX, "..."),
    ];
    Cells { short, narration: shown(&record.narration) }
}

/// Why, and what is unknown.
fn because(record: &Verdict) -> String {
    let parts = escape_terminal(&record.parts);
    let why = match parts.is_empty() {
        true => escape_terminal(&record.why).into_owned(),
        false => format!("{}. Words: {parts}", escape_terminal(&record.why)),
    };
    let unknown = escape_terminal(&record.unknown).into_owned();
    match (why.is_empty(), unknown.is_empty()) {
        (_, true) => why,
        (true, false) => format!("unknown: {unknown}"),
        (false, false) if why.starts_with("unknown") => why,
        (false, false) => format!("{why}. unknown: {unknown}"),
    }
}

fn line(cells: &[String; COLUMNS], widths: &[usize; COLUMNS], last: &str) -> String {
    let mut line = String::new();
    for (column, cell) in cells.iter().enumerate().filter(|(column, _)| widths[*column] > 0) {
        let width = widths[column];
        match IS_NUMBER[column] {
            true => line += &format!("{}  ", pad_text_start(cell, width)),
            false => line += &format!("{}  ", pad_text_end(cell, width)),
        }
    }
    format!("{}\n", format!("{line}{last}").trim_end())
}

/// Lines of at most this width, broken at blanks.
fn wrap_at_blanks(text: &str, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        match lines.last_mut() {
            Some(line) if measure_text_width(line) + 1 + measure_text_width(word) <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
