//! The sections and names of a rule file in order, also of an incomplete one: what an editor lists beside the text,
//! and where a name is defined. Knows no type.

use std::ops::Range;

use toml_parser::parser::{Event, EventKind};

/// What a symbol is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SymbolKind {
    /// `[section]`
    Section,
    /// A key under a section.
    Key,
}

/// A section or a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// As written, such as `score.item` or `min_income`.
    pub name: String,
    /// For a section its `id` or `name` and its `title`; for a key its value.
    pub detail: String,
    /// What it is.
    pub kind: SymbolKind,
    /// From its first to its last byte.
    pub range: Range<usize>,
    /// Its name.
    pub name_range: Range<usize>,
    /// The keys of a section.
    pub children: Vec<Symbol>,
}

/// Most characters shown of a value.
const DETAIL_MAX: usize = 80;

/// The sections of a text with their keys. Keys before the first section come first, on their own.
pub fn outline_rule_file(text: &str) -> Vec<Symbol> {
    let events = super::format::parse_toml_events(text);
    let mut symbols: Vec<Symbol> = Vec::new();
    let mut at = 0;
    while let Some(event) = events.get(at) {
        let (start, end) = (event.span().start(), event.span().end());
        match event.kind() {
            EventKind::StdTableOpen | EventKind::ArrayTableOpen => {
                let (header, next) = header(text, &events, at);
                symbols.push(header);
                at = next;
                continue;
            }
            EventKind::SimpleKey => {
                let (value, next) = value(&events, at + 1);
                let shown: String = text.get(value.clone()).unwrap_or("").chars().take(DETAIL_MAX).collect();
                let key = Symbol {
                    name: text.get(start..end).unwrap_or("").trim_matches(['"', '\'']).to_owned(),
                    detail: shown.lines().next().unwrap_or("").to_owned(),
                    kind: SymbolKind::Key,
                    range: start..value.end.max(end),
                    name_range: start..end,
                    children: Vec::new(),
                };
                match symbols.last_mut().filter(|symbol| symbol.kind == SymbolKind::Section) {
                    Some(section) => {
                        section.range.end = key.range.end;
                        section.children.push(key);
                        section.detail = detail(&section.children);
                    }
                    None => symbols.push(key),
                }
                at = next;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    symbols
}

/// What names a section among others: its id and its title.
fn detail(keys: &[Symbol]) -> String {
    let value = |names: &[&str]| {
        let key = keys.iter().find(|key| names.contains(&key.name.as_str()))?;
        Some(key.detail.trim_matches(['"', '\'']).to_owned()).filter(|value| !value.is_empty())
    };
    value(&["id", "name", "on"]).into_iter().chain(value(&["title"])).collect::<Vec<_>>().join(" ")
}

fn header(text: &str, events: &[Event], open: usize) -> (Symbol, usize) {
    let mut next = open + 1;
    let mut path: Option<Range<usize>> = None;
    let mut end = events[open].span().end();
    while let Some(event) = events.get(next) {
        let span = event.span().start()..event.span().end();
        match event.kind() {
            EventKind::Newline => break,
            EventKind::SimpleKey => path = Some(path.map_or(span.clone(), |path| path.start..span.end)),
            _ => {}
        }
        end = span.end;
        next += 1;
        if matches!(event.kind(), EventKind::StdTableClose | EventKind::ArrayTableClose) {
            break;
        }
    }
    let start = events[open].span().start();
    let name_range = path.unwrap_or(start..end);
    let name = text.get(name_range.clone()).unwrap_or("").to_owned();
    let section = SymbolKind::Section;
    (Symbol { name, detail: String::new(), kind: section, range: start..end, name_range, children: vec![] }, next)
}

/// The bytes of the value that follows a key, and the event after it.
fn value(events: &[Event], from: usize) -> (Range<usize>, usize) {
    let (mut at, mut depth, mut range): (usize, usize, Option<Range<usize>>) = (from, 0, None);
    while let Some(event) = events.get(at) {
        let span = event.span().start()..event.span().end();
        match event.kind() {
            EventKind::Newline if depth == 0 => break,
            EventKind::StdTableOpen | EventKind::ArrayTableOpen => break,
            EventKind::ArrayOpen | EventKind::InlineTableOpen => depth += 1,
            EventKind::ArrayClose | EventKind::InlineTableClose => depth = depth.saturating_sub(1),
            EventKind::Scalar => {}
            _ => {
                at += 1;
                continue;
            }
        }
        range = Some(range.map_or(span.clone(), |range| range.start..span.end));
        at += 1;
    }
    let none = events.get(from).map_or(0, |event| event.span().start());
    (range.unwrap_or(none..none), at)
}
