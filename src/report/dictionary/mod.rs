//! The dictionary of a policy for people, as text and as Markdown. Must not know how an entry is made.

mod markdown;
mod text;

pub use markdown::render_dictionary_markdown as dictionary_markdown;
pub use text::{list_dictionary_entries, render_dictionary_entry};

use crate::authoring::analysis::{Dictionary, Entry, Kind};

/// `money`, `money, not whole`, `list of text`.
fn unit(entry: &Entry) -> String {
    let unit = entry.unit.clone().unwrap_or_default();
    match (unit.as_str(), entry.whole) {
        ("money" | "days" | "months" | "count" | "duration", Some(false)) => format!("{unit}, not whole"),
        _ => unit,
    }
}

/// Which columns a statement must have.
fn needs(entry: &Entry) -> String {
    let needed: Vec<String> = entry.needs.iter().map(|column| format!("{column}s")).collect();
    match needed.as_slice() {
        [] => "credits suffice".to_owned(),
        [one] => one.clone(),
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
    }
}

/// The values of a parameter with the days from which they hold, and its bounds.
fn value(entry: &Entry) -> String {
    let values = entry.values.iter().map(|valid| match &valid.from {
        Some(from) => format!("{} from {from}", valid.value),
        None => valid.value.clone(),
    });
    let bounds = match (&entry.min, &entry.max) {
        (Some(min), Some(max)) => format!(" ({min} to {max})"),
        (Some(min), None) => format!(" ({min} or more)"),
        (None, Some(max)) => format!(" ({max} or less)"),
        (None, None) => String::new(),
    };
    format!("{}{bounds}", values.collect::<Vec<_>>().join(", "))
}

/// Entries under one heading.
struct DictionarySection<'d> {
    heading: String,
    entries: Vec<&'d Entry>,
}

/// The metrics by group, then finer values, parameters, word lists and inputs, each under a heading.
fn sections(dictionary: &Dictionary) -> Vec<DictionarySection<'_>> {
    let mut sections: Vec<DictionarySection> = Vec::new();
    for entry in &dictionary.entries {
        let heading = match entry.kind {
            Kind::Metric if entry.group.is_empty() => "Metrics".to_owned(),
            Kind::Metric => entry.group.clone(),
            Kind::Value => format!("Values of each {}", entry.grain),
            Kind::Output | Kind::Score => "Score and tables".to_owned(),
            Kind::Parameter => "Parameters".to_owned(),
            Kind::Words => "Word lists".to_owned(),
            Kind::List => "Lists".to_owned(),
            Kind::Input => "Given beside the statement".to_owned(),
            Kind::BuiltIn => continue,
        };
        match sections.iter_mut().find(|section| section.heading == heading) {
            Some(section) => section.entries.push(entry),
            None => sections.push(DictionarySection { heading, entries: vec![entry] }),
        }
    }
    sections
}
