//! The dictionary as a page of Markdown.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{DictionarySection, needs, sections, unit, value};
use crate::authoring::analysis::{Dictionary, Entry, Kind};

/// The whole dictionary: metrics by group, the meanings of unknown reasons, finer values, parameters, word lists.
pub fn render_dictionary_markdown(dictionary: &Dictionary) -> String {
    let sections = sections(dictionary);
    let mut out = format!("# Metrics of {}\n\n", text(&dictionary.title));
    for section in &sections {
        let _ = writeln!(out, "- [{}](#{})", text(&section.heading), anchor(&section.heading));
    }
    out += &reasons(dictionary);
    for section in &sections {
        let _ = write!(out, "\n## {}\n", text(&section.heading));
        out += &match section.entries.first().map(|entry| entry.kind) {
            Some(Kind::Parameter) => table(section, &["name", "unit", "value", "what it is"], |entry| {
                vec![code(&entry.name), unit(entry), text(&value(entry)), text(&entry.doc)]
            }),
            Some(Kind::Words) => {
                table(section, &["name", "words"], |entry| vec![code(&entry.name), text(&entry.words.join(", "))])
            }
            Some(Kind::List) => table(section, &["name", "keys", "what it is"], |entry| {
                vec![code(&entry.name), text(&entry.formula), text(&entry.doc)]
            }),
            Some(Kind::Input) => table(section, &["name", "unit", "what it is"], |entry| {
                vec![code(&entry.name), unit(entry), text(&entry.doc)]
            }),
            Some(Kind::Value) => table(section, &["name", "unit", "needs", "what it is"], |entry| {
                vec![code(&entry.name), unit(entry), needs(entry), description(entry)]
            }),
            Some(Kind::Metric | Kind::Output | Kind::Score | Kind::BuiltIn) | None => {
                table(section, &["name", "unit", "needs", "what it is", "unknown by"], |entry| {
                    let codes: Vec<String> = entry.unknown.iter().map(|unknown| code(&unknown.code)).collect();
                    vec![code(&entry.name), unit(entry), needs(entry), description(entry), codes.join(" ")]
                })
            }
        };
    }
    out
}

/// What each code of unknown in the dictionary means.
fn reasons(dictionary: &Dictionary) -> String {
    let known: BTreeMap<&str, &str> = dictionary
        .entries
        .iter()
        .flat_map(|entry| &entry.unknown)
        .map(|unknown| (unknown.code.as_str(), unknown.because.as_str()))
        .collect();
    if known.is_empty() {
        return String::new();
    }
    let mut out = "\nA value that cannot be known is unknown, with one of these reasons; \
                   any number may also be too large to hold (`overflow`):\n\n\
                   | reason | because |\n|---|---|\n"
        .to_owned();
    for (reason, because) in known {
        let _ = writeln!(out, "| {} | {} |", code(reason), text(because));
    }
    out
}

fn table(section: &DictionarySection, columns: &[&str], cells: impl Fn(&Entry) -> Vec<String>) -> String {
    let mut out = format!("\n| {} |\n|{}\n", columns.join(" | "), "---|".repeat(columns.len()));
    for entry in &section.entries {
        let _ = writeln!(out, "| {} |", cells(entry).join(" | "));
    }
    out
}

/// An entry's documentation and formula.
fn description(entry: &Entry) -> String {
    let parts = [text(&entry.doc), code(&entry.formula)];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("<br>")
}

/// The text of a cell, with markup escaped.
fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\\' | '|' | '*' | '_' | '<' | '[' | ']' | '#' => out.extend(['\\', letter]),
            letter if letter.is_control() => out.push(' '),
            letter => out.push(letter),
        }
    }
    out
}

/// Code in a cell, fenced by one more backtick than its longest run of backticks.
fn code(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let marks = "`".repeat(text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0) + 1);
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    let line: String = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    format!("{marks}{space}{}{space}{marks}", line.replace('|', "\\|"))
}

/// The anchor that Markdown renderers give a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase();
    let kept = kept.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
    kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
}
