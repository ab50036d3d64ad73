//! What can be completed at the cursor: keys of the section, words, names that the grain allows, functions.

use std::collections::HashMap;
use std::ops::Range;

use super::described;
use super::find::{describe_definition, describe_symbol_kind, format_symbol_name};
use super::keys::{KeySection, ValueShape};
use super::outline::{Symbol, outline_rule_file};
use super::place::{CursorPlace, Spot, find_cursor_place};
use super::under::{
    ScalarKind, is_letter, is_quoted, key_at, key_register_for, kind_of, list_sort_after, placeholder_range_at,
    range_inside_quotes, table_of, word_range_at,
};
use super::workspace::{KnownNames, Workspace};
use crate::rules::graph::Grain;
use crate::rules::names::{NamedSymbol, Sort};
use crate::rules::{self, AGGREGATES};

/// The kind of a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProposalKind {
    /// A key of the section.
    Key,
    /// One of the words that a key takes.
    Word,
    /// A value.
    Name,
    /// A parameter.
    Parameter,
    /// A list of words.
    Words,
    /// A list of keys.
    List,
    /// A function or an aggregate.
    Function,
}

/// A completion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The label, which is also what typing matches.
    pub label: String,
    /// What it is.
    pub kind: ProposalKind,
    /// Its type, or how to call it.
    pub detail: String,
    /// Its description.
    pub doc: String,
    /// The text to insert.
    pub insert: String,
    /// The bytes to replace.
    pub replace: Range<usize>,
}

impl Workspace {
    /// Proposals at a byte of an open file.
    pub fn complete(&self, path: &str, at: usize) -> Vec<Proposal> {
        let mut proposals = self.proposals(path, at);
        if let Some(known) = self.known(path) {
            document_proposals(known, &mut proposals);
        }
        proposals
    }

    fn proposals(&self, path: &str, at: usize) -> Vec<Proposal> {
        let Some(text) = self.text(path) else { return Vec::new() };
        let CursorPlace { path: keys, spot } = find_cursor_place(text, at);
        let register = key_register_for(path);
        match spot {
            Spot::Comment => Vec::new(),
            Spot::Header => propose_sections(register, text, at),
            Spot::Key(_) => match section_at_path(register, &keys) {
                Some(section) => section_keys(section, text, at),
                None => Vec::new(),
            },
            Spot::Value(range) => {
                let Some((_, shape)) = key_at(register, &keys) else { return Vec::new() };
                let known_words = super::schema::words_of_shape(shape);
                if !known_words.is_empty() {
                    return propose_words(known_words, text, &range);
                }
                let inner = range_inside_quotes(text, &range);
                if kind_of(shape) == ScalarKind::Cell && range.is_empty() {
                    let item = super::values::CellItem { range, is_whole: true, is_value: true };
                    return self.cell_values(path, &keys, at, &item, true);
                }
                let cursor = Cursor { text, at, section: keys.first().map_or("", String::as_str) };
                match kind_of(shape) {
                    // Outside of quotes there is no expression yet.
                    _ if range.is_empty() => Vec::new(),
                    ScalarKind::Expression => self.expression(path, &cursor, inner),
                    ScalarKind::Sentence => placeholder_range_at(text, &inner, at)
                        .map(|within| self.expression(path, &Cursor { section: "", ..cursor }, within))
                        .unwrap_or_default(),
                    ScalarKind::Cell => {
                        let mut values =
                            self.cell_values(path, &keys, at, &super::values::cell_item_at(text, &inner, at), false);
                        values.extend(self.cell(path, &cursor, inner));
                        values
                    }
                    ScalarKind::Other => Vec::new(),
                }
            }
        }
    }

    /// The texts that fit within the quotes that `before` has opened.
    fn compared(&self, path: &str, before: &str, text: &str, inner: &Range<usize>, at: usize) -> Vec<Proposal> {
        let Some(open) = before.rfind('\'') else { return Vec::new() };
        let Some((name, texts)) = self.compared_texts(path, &before[..=open]) else { return Vec::new() };
        let rest = text.get(at..inner.end).unwrap_or("");
        let end = at + rest.find('\'').unwrap_or(0);
        let plain = texts.into_iter().filter(|text| !text.contains(['\'', '"', '\\']));
        let propose = |text: String| Proposal {
            label: text.clone(),
            kind: ProposalKind::Word,
            detail: format!("a value of `{name}`"),
            doc: String::new(),
            insert: text,
            replace: inner.start + open + 1..end,
        };
        plain.map(propose).collect()
    }

    fn cell(&self, path: &str, cursor: &Cursor, inner: Range<usize>) -> Vec<Proposal> {
        let written = cursor.text.get(inner.clone()).unwrap_or("");
        let all = self.expression(path, cursor, inner);
        match written.trim_start().starts_with('=') {
            true => all,
            false => all.into_iter().filter(|proposal| proposal.kind == ProposalKind::Parameter).collect(),
        }
    }

    fn expression(&self, path: &str, cursor: &Cursor, inner: Range<usize>) -> Vec<Proposal> {
        let Cursor { text, at, section } = *cursor;
        let (Some(known), Some(range)) = (self.known(path), word_range_at(text, &inner, at)) else { return Vec::new() };
        let before = text.get(inner.start..range.start).unwrap_or("");
        if is_quoted(before) {
            return self.compared(path, before, text, &inner, at);
        }
        let names = |sort: Sort| known.names.defined.iter().filter(move |named| named.sort == sort);
        if before.ends_with('$') {
            // Replaces the `$` too, because editors differ on whether it is part of the word.
            let range = range.start - 1..range.end;
            return names(Sort::Parameter)
                .map(|named| propose_symbol(named, format_symbol_name(named), &range))
                .collect();
        }
        if let Some(sort) = list_sort_after(before) {
            return names(sort).map(|named| propose_symbol(named, named.name.clone(), &range)).collect();
        }
        let written = text.get(range.start..at).unwrap_or("").to_lowercase();
        if let Some((space, _)) = written.rsplit_once('.') {
            let inside =
                |named: &&NamedSymbol| named.name.strip_prefix(space).is_some_and(|rest| rest.starts_with('.'));
            return names(Sort::Value)
                .filter(inside)
                .map(|named| propose_symbol(named, format_symbol_name(named), &range))
                .collect();
        }
        let target =
            rules::DefinitionSection::from_key(section).map_or(Grain::Statement, rules::DefinitionSection::grain);
        let in_aggregate = is_in_aggregate(before);
        let fits = |named: &&NamedSymbol| in_aggregate || named.grain.serves(target);
        let mut proposals: Vec<Proposal> = names(Sort::Value)
            .filter(fits)
            .chain(names(Sort::Parameter))
            .map(|named| propose_symbol(named, format_symbol_name(named), &range))
            .collect();
        proposals.extend(["TRUE", "FALSE"].map(|truth| Proposal {
            label: truth.to_owned(),
            kind: ProposalKind::Word,
            detail: "boolean".to_owned(),
            doc: String::new(),
            insert: truth.to_owned(),
            replace: range.clone(),
        }));
        if section == "offer" {
            proposals.extend(described::OF_OFFER.iter().map(|(name, doc)| Proposal {
                label: (*name).to_owned(),
                kind: ProposalKind::Name,
                detail: "of this offer".to_owned(),
                doc: (*doc).to_owned(),
                insert: (*name).to_owned(),
                replace: range.clone(),
            }));
        }
        let calls = described::CALLS.iter().filter(|call| !(in_aggregate && AGGREGATES.contains(&call.name)));
        proposals.extend(calls.map(|call| Proposal {
            label: call.name.to_owned(),
            kind: ProposalKind::Function,
            detail: call.usage.to_owned(),
            doc: call.doc.to_owned(),
            insert: format!("{}(", call.name),
            replace: range.clone(),
        }));
        proposals
    }
}

/// The cursor and the section around it.
#[derive(Clone, Copy)]
struct Cursor<'a> {
    text: &'a str,
    at: usize,
    section: &'a str,
}

fn propose_symbol(named: &NamedSymbol, written: String, range: &Range<usize>) -> Proposal {
    let doc = if named.span.is_none() { described::built_in(&named.name).unwrap_or("") } else { "" };
    Proposal {
        label: written.clone(),
        kind: match named.sort {
            Sort::Value => ProposalKind::Name,
            Sort::Parameter => ProposalKind::Parameter,
            Sort::Words => ProposalKind::Words,
            Sort::List => ProposalKind::List,
        },
        detail: describe_symbol_kind(named),
        doc: doc.to_owned(),
        insert: written,
        replace: range.clone(),
    }
}

/// Adds to the names of a policy what their definitions say.
fn document_proposals(known: &KnownNames, proposals: &mut [Proposal]) {
    // Each file is read once for all names.
    let mut outlines: HashMap<u32, Vec<Symbol>> = HashMap::new();
    for proposal in proposals {
        let (sort, name) = match proposal.kind {
            ProposalKind::Name => (Sort::Value, proposal.label.as_str()),
            ProposalKind::Parameter => (Sort::Parameter, proposal.label.trim_start_matches('$')),
            ProposalKind::Words => (Sort::Words, proposal.label.as_str()),
            ProposalKind::List => (Sort::List, proposal.label.as_str()),
            ProposalKind::Key | ProposalKind::Word | ProposalKind::Function => continue,
        };
        let Some(span) = known.find(sort, name).and_then(|named| named.span) else { continue };
        let Some(source) = known.sources.get(span) else { continue };
        let symbols = outlines.entry(span.source).or_insert_with(|| outline_rule_file(&source.text));
        proposal.doc = describe_definition(&source.text, symbols, span.start as usize..span.end as usize).join("\n\n");
    }
}

/// Whether the text after `before` is within an aggregate or its filter.
fn is_in_aggregate(before: &str) -> bool {
    let mut open: Vec<bool> = Vec::new();
    let mut quoted = false;
    for (at, sign) in before.char_indices() {
        match sign {
            '\'' => quoted = !quoted,
            '(' if !quoted => {
                let call = before[..at].trim_end();
                let name = call[call.trim_end_matches(is_letter).len()..].to_lowercase();
                open.push(name == "filter" || AGGREGATES.contains(&name.as_str()));
            }
            ')' if !quoted => {
                open.pop();
            }
            _ => {}
        }
    }
    open.contains(&true)
}

/// The section that a path leads to.
fn section_at_path(register: &'static KeySection, path: &[String]) -> Option<&'static KeySection> {
    if path.is_empty() {
        return None;
    }
    match table_of(key_at(register, path)?.1)? {
        ValueShape::Table(section) | ValueShape::Tables(section) => Some(section),
        _ => None,
    }
}

fn bare_word(text: &str, at: usize, is_part: impl Fn(char) -> bool + Copy) -> Range<usize> {
    let (before, after) = (text.get(..at).unwrap_or(""), text.get(at..).unwrap_or(""));
    before.trim_end_matches(is_part).len()..at + (after.len() - after.trim_start_matches(is_part).len())
}

fn section_keys(section: &'static KeySection, text: &str, at: usize) -> Vec<Proposal> {
    let replace = bare_word(text, at, is_letter);
    let is_assigned = text.get(replace.end..).is_some_and(|rest| rest.trim_start_matches([' ', '\t']).starts_with('='));
    let keys = section.keys.iter().map(|key| Proposal {
        label: key.name.to_owned(),
        kind: ProposalKind::Key,
        detail: if key.needed { "needed".to_owned() } else { String::new() },
        doc: key.doc.to_owned(),
        insert: if is_assigned { key.name.to_owned() } else { format!("{} = ", key.name) },
        replace: replace.clone(),
    });
    keys.collect()
}

/// Proposals within the brackets of a section header.
fn propose_sections(register: &'static KeySection, text: &str, at: usize) -> Vec<Proposal> {
    let replace = bare_word(text, at, |letter| is_letter(letter) || letter == '.');
    let mut proposals = Vec::new();
    for key in register.keys {
        let name = key.name;
        proposals.push(Proposal {
            label: name.to_owned(),
            kind: ProposalKind::Key,
            detail: if matches!(key.shape, ValueShape::Tables(_)) {
                format!("[[{name}]]")
            } else {
                format!("[{name}]")
            },
            doc: key.doc.to_owned(),
            insert: name.to_owned(),
            replace: replace.clone(),
        });
        let ValueShape::Table(section) = &key.shape else { continue };
        let parts = section.keys.iter().filter(|part| matches!(part.shape, ValueShape::Tables(_)));
        proposals.extend(parts.map(|part| Proposal {
            label: format!("{name}.{}", part.name),
            kind: ProposalKind::Key,
            detail: format!("[[{name}.{}]]", part.name),
            doc: part.doc.to_owned(),
            insert: format!("{name}.{}", part.name),
            replace: replace.clone(),
        }));
    }
    proposals
}

fn propose_words(known: &'static [super::keys::Word], text: &str, range: &Range<usize>) -> Vec<Proposal> {
    let inner = range_inside_quotes(text, range);
    let quoted = inner != *range;
    let propose = |(word, says): &(&'static str, &'static str)| Proposal {
        label: (*word).to_owned(),
        kind: ProposalKind::Word,
        detail: (*says).to_owned(),
        doc: String::new(),
        insert: if quoted { (*word).to_owned() } else { format!("\"{word}\"") },
        replace: inner.clone(),
    };
    known.iter().map(propose).collect()
}
