//! The dictionary on a terminal: one name with all it depends on, or every name on one line.

use std::fmt::Write;

use super::{needs, sections, unit, value};
use crate::authoring::analysis::{Dictionary, Entry, Kind};
use crate::base::text::escape_terminal;

/// Most words shown of a word list; the entry itself has all of them.
const WORDS_SHOWN: usize = 12;

/// The first entry in full, then one or two lines for each entry that it depends on.
pub fn render_dictionary_entry(dictionary: &Dictionary, coloured: bool) -> String {
    let Some((entry, below)) = dictionary.entries.split_first() else { return String::new() };
    let paint = Paint(coloured);
    let mut out = format!("{}\n", paint.name(&entry.name));
    if !entry.doc.is_empty() {
        out += &format!("  {}\n", escape_terminal(&entry.doc));
    }
    let mut line = |label: &str, text: &str| {
        let label = if label.is_empty() { " ".repeat(9) } else { paint.soft(&format!("{label:<9}")) };
        out += &format!("  {label}  {}\n", escape_terminal(text));
    };
    line("is", &kind(entry));
    if !entry.group.is_empty() {
        line("group", &entry.group);
    }
    if !entry.formula.is_empty() {
        line("formula", &entry.formula);
    }
    if !entry.values.is_empty() {
        line("value", &value(entry));
    }
    if !entry.words.is_empty() {
        line("words", &entry.words.join(", "));
    }
    if matches!(entry.kind, Kind::Metric | Kind::Value | Kind::Output | Kind::Score) {
        line("needs", &needs(entry));
    }
    let width = entry.unknown.iter().map(|unknown| unknown.code.chars().count()).max().unwrap_or(0);
    for (index, unknown) in entry.unknown.iter().enumerate() {
        let label = if index == 0 { "unknown" } else { "" };
        line(label, &format!("{:<width$}  {}", unknown.code, unknown.because));
    }
    if entry.unknown.is_empty() && matches!(entry.kind, Kind::Metric | Kind::Output | Kind::Score) {
        line("unknown", "never");
    }
    if !below.is_empty() {
        out += &format!("\n  {}\n", paint.soft("depends on"));
    }
    let width = below.iter().map(|entry| entry.name.chars().count()).max().unwrap_or(0).min(32);
    for entry in below {
        let gap = " ".repeat(width.saturating_sub(entry.name.chars().count()));
        let _ = writeln!(out, "    {}{gap}  {}", paint.name(&entry.name), escape_terminal(&kind(entry)));
        for text in [definition(entry), entry.doc.clone()].iter().filter(|text| !text.is_empty()) {
            let _ = writeln!(out, "    {}  {}", " ".repeat(width), paint.soft(&escape_terminal(text)));
        }
    }
    out
}

/// Every metric, finer value, parameter and word list on one line each, under headings.
pub fn list_dictionary_entries(dictionary: &Dictionary, coloured: bool) -> String {
    let paint = Paint(coloured);
    let mut out = String::new();
    for section in sections(dictionary) {
        let gap = if out.is_empty() { "" } else { "\n" };
        let _ = writeln!(out, "{gap}{}", paint.soft(&escape_terminal(&section.heading)));
        let width = section.entries.iter().map(|entry| entry.name.chars().count()).max().unwrap_or(0).min(40);
        let units = section.entries.iter().map(|entry| unit(entry).len()).max().unwrap_or(0);
        for entry in section.entries {
            let gap = " ".repeat(width.saturating_sub(entry.name.chars().count()));
            let description = if entry.doc.is_empty() { definition(entry) } else { entry.doc.clone() };
            let line = format!("{:<units$}  {description}", unit(entry));
            let _ = writeln!(out, "  {}{gap}  {}", paint.name(&entry.name), escape_terminal(line.trim_end()));
        }
    }
    out
}

/// An entry's unit, grain and kind.
fn kind(entry: &Entry) -> String {
    match entry.kind {
        Kind::Words => "a word list".to_owned(),
        Kind::List => "a list of keys".to_owned(),
        Kind::Parameter => format!("{}, a parameter", unit(entry)),
        Kind::Input => format!("{}, given beside the statement", unit(entry)),
        Kind::BuiltIn => format!("{}; one per {}, built in", unit(entry), entry.grain),
        Kind::Metric | Kind::Value | Kind::Output | Kind::Score => format!("{}; one per {}", unit(entry), entry.grain),
    }
}

/// How an entry is defined: its value, its words or its formula.
fn definition(entry: &Entry) -> String {
    match entry.kind {
        Kind::Parameter => value(entry),
        Kind::Words if entry.words.len() > WORDS_SHOWN => {
            format!("{}, ... ({} words)", entry.words[..WORDS_SHOWN].join(", "), entry.words.len())
        }
        Kind::Words => entry.words.join(", "),
        Kind::Metric | Kind::Value | Kind::Output | Kind::Score => entry.formula.clone(),
        Kind::List | Kind::Input | Kind::BuiltIn => entry.formula.clone(),
    }
}

/// Colours text if true.
struct Paint(bool);

impl Paint {
    fn name(&self, text: &str) -> String {
        self.with("1", text)
    }

    fn soft(&self, text: &str) -> String {
        self.with("2", text)
    }

    fn with(&self, code: &str, text: &str) -> String {
        if self.0 { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}
