//! Columns files with one slip each, over tables in every format: the same statements, a refusal that names the place,
//! or a difference that `quality` reports.

use std::collections::BTreeMap;
use std::fmt::Write;

use lendwright::statement::{Columns, Statements};

use super::edits::{Edit, edits};
use super::tables::{Base, FORMATS, bases};
use super::whole;
use crate::statement::digests;

/// The result of an edit, from good to bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Came {
    /// The message names the key, the column or the line.
    Refused,
    /// The message names the row and the column that contradict the edit.
    AtARow,
    Same,
    /// Other statements, and `quality` reports it.
    Told,
    /// Another valid declaration that cannot be told from the intended one, see [`is_meant`].
    Meant,
    /// Refused without its place.
    Elsewhere,
    Silent,
}

/// Columns whose meanings can be exchanged without a contradiction in the data, with the reason.
const ALIKE: [(&[&str], &str); 4] = [
    (&["code", "branch", "bank", "env", "reference", "desc", "topics", "people"], "any text may be each of them"),
    (&["created_at", "last_updated"], "both are moments of the bank's own books"),
    (&["id", "reference"], "both may name a record once"),
    (&["customer", "account", "bank", "env"], "whoever has one of each is told apart by any of them"),
];

/// Declarations that are as good as the original, with the reason why the data cannot contradict them.
const MEANT: [(&str, &str); 1] =
    [("[dates] century = 2000 -> century = 1900", "the century is declared because the cells do not say it")];

/// Whether the edit makes another valid file that cannot be told from the intended one.
fn is_meant(edit: &Edit) -> bool {
    let is_alike = |(names, _): &(&[&str], &str)| {
        edit.what.split_once(" and ").is_some_and(|(one, other)| names.contains(&one) && names.contains(&other))
    };
    ALIKE.iter().any(is_alike) || MEANT.iter().any(|(what, _)| edit.what == *what)
}

fn came(base: &Base, edit: &Edit, known: &Statements, format: super::tables::Format) -> (Came, String) {
    let read = Columns::parse(&edit.text).map_err(|wrong| wrong.to_string()).and_then(|columns| format(base, &columns));
    let read = match read {
        Ok(read) => read,
        Err(wrong) => {
            // A duplicate shows at its second place.
            let lines = [edit.line, edit.line + 1].map(|line| format!("line {line}:"));
            // Without its header, a line is in the section before, and TOML may read on for a while.
            let is_read_on = edit.kind == "a section dropped" && wrong.starts_with("columns: line ");
            let is_named = is_read_on
                || lines.iter().any(|line| wrong.contains(line))
                || edit.names.iter().any(|name| names(&wrong, name));
            let came = match () {
                () if is_named => Came::Refused,
                () if base.names_a_cell(&wrong) => Came::AtARow,
                () => Came::Elsewhere,
            };
            return (came, wrong);
        }
    };
    let quality = |read: &Statements| read.heads().iter().map(|head| head.quality.clone()).collect::<Vec<_>>();
    match (digests(&read) == digests(known), quality(&read) == quality(known)) {
        (true, _) => (Came::Same, String::new()),
        (false, false) => (Came::Told, String::new()),
        (false, true) if is_meant(edit) => (Came::Meant, String::new()),
        (false, true) => (Came::Silent, String::new()),
    }
}

/// Whether a message speaks of this name as one.
fn names(said: &str, name: &str) -> bool {
    let name = name.trim_matches('"');
    [format!("`{name}`"), format!("] {name} "), format!("] {name}:"), format!("{name} = ")]
        .iter()
        .any(|form| said.contains(form))
}

#[test]
fn no_slip_in_a_columns_file_changes_statements_in_silence() {
    let mut counts: BTreeMap<(&str, Came), usize> = BTreeMap::new();
    let mut findings = String::new();
    for base in bases() {
        let columns = Columns::parse(base.file).expect("a columns file");
        let known = FORMATS.map(|(_, format)| format(&base, &columns).expect("statements"));
        assert!(known.iter().all(|read| digests(read) == digests(&known[0])), "one table in three formats");
        for edit in edits(base.file).into_iter().step_by(if whole() { 1 } else { 5 }) {
            for ((name, format), known) in FORMATS.iter().zip(&known) {
                let (came, said) = came(&base, &edit, known, *format);
                *counts.entry((edit.kind, came)).or_default() += 1;
                if came >= Came::Elsewhere {
                    let _ = writeln!(findings, "{name}: {}: {}: {came:?}: {said}", edit.kind, edit.what);
                }
            }
        }
    }
    let table: String = counts.iter().map(|((kind, came), count)| format!("{kind}: {came:?} {count}\n")).collect();
    if whole() {
        println!("{table}");
    }
    assert!(findings.is_empty(), "{table}\n{findings}");
    assert!(
        counts.keys().any(|(_, came)| *came == Came::Told) && counts.keys().any(|(_, came)| *came == Came::Refused),
        "{table}"
    );
}
