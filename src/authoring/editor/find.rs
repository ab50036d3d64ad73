//! What a name is, where it is defined and where it is used, across the files of a policy.

use std::collections::BTreeSet;
use std::ops::Range;

use toml::de::DeTable;

use super::described;
use super::outline::{Symbol, SymbolKind, outline_rule_file};
use super::under::{CursorTarget, Under, find_under_cursor};
use super::workspace::{Disk, KnownNames, Workspace, normalize_path};
use crate::rules::names::{NamedSymbol, Sort};
use crate::rules::{Repr, Type, Unit};

/// Bytes of a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// The file.
    pub path: String,
    /// The bytes in the open text, or in the file on disk if it is not open.
    pub range: (usize, usize),
}

/// A description of a place, in Markdown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hover {
    /// The description.
    pub markdown: String,
    /// The bytes it describes.
    pub range: Range<usize>,
}

impl Workspace {
    /// Describes what is at a byte of an open file.
    pub fn hover(&self, path: &str, at: usize, disk: Disk) -> Option<Hover> {
        let Under { target, range } = find_under_cursor(path, self.text(path)?, at)?;
        let markdown = match target {
            CursorTarget::Function(name) => {
                let call = described::describe_call(&name)?;
                format!("`{}`\n\n{}", call.usage, call.doc)
            }
            CursorTarget::Key(key) => key.doc.to_owned(),
            CursorTarget::Word(key, (word, says)) => format!("`{word}`: {says}\n\n`{}`: {}", key.name, key.doc),
            CursorTarget::File(name) => format!("`{name}`, used by this policy"),
            CursorTarget::Name(sort, name) => self.about(path, sort, &name, at, disk)?,
        };
        Some(Hover { markdown, range })
    }

    fn about(&self, path: &str, sort: Sort, name: &str, at: usize, disk: Disk) -> Option<String> {
        let known = self.known(path)?;
        let Some(named) = known.resolve(path, sort, name) else {
            let of_offer = described::of_offer(name).filter(|_| self.section(path, at).as_deref() == Some("offer"))?;
            return Some(format!("`{name}`\n\n{of_offer}"));
        };
        let mut parts = vec![format!("`{}`: {}", format_symbol_name(named), describe_symbol_kind(named))];
        let Some(span) = named.span else {
            parts.extend(described::built_in(name).map(str::to_owned));
            return Some(parts.join("\n\n"));
        };
        let file = normalize_path(known.file(span)?);
        let text = self.texts.get(&file).cloned().or_else(|| disk(&file).ok())?;
        let range = self.placed(known, named, &text)?;
        let symbols = outline_rule_file(&text);
        let around = |symbol: &&Symbol| symbol.range.start <= range.start && range.end <= symbol.range.end;
        let table = symbols.iter().find(|symbol| around(symbol) && symbol.name.starts_with("table."));
        let title = table.filter(|table| !table.detail.is_empty());
        let title = title.map(|table| format!("in `[{}]`: {}", table.name, table.detail));
        parts.extend(describe_definition(&text, &symbols, range));
        parts.extend(title);
        if file != path {
            parts.push(format!("in `{}`", file.rsplit(['/', '\\']).next().unwrap_or(&file)));
        }
        Some(parts.join("\n\n"))
    }

    /// The section around a byte.
    fn section(&self, path: &str, at: usize) -> Option<String> {
        super::place::find_cursor_place(self.text(path)?, at).path.into_iter().next()
    }

    /// Where a definition's name is in the file's current text.
    fn placed(&self, known: &KnownNames, named: &NamedSymbol, text: &str) -> Option<Range<usize>> {
        let span = named.span?;
        let range = span.start as usize..span.end as usize;
        let before = known.sources.get(span)?;
        if before.text == text {
            return Some(range);
        }
        // The text has changed since, so take the first key of this name.
        let symbols = outline_rule_file(text);
        let mut keys = symbols.iter().flat_map(|symbol| &symbol.children);
        keys.find(|key| key.kind == SymbolKind::Key && Some(key.name.as_str()) == named.name.rsplit('.').next())
            .map(|key| key.name_range.clone())
    }

    /// Where the name at a byte is defined, or the file named there.
    pub fn definition(&self, path: &str, at: usize, disk: Disk) -> Option<Location> {
        let (sort, name) = match find_under_cursor(path, self.text(path)?, at)?.target {
            CursorTarget::Name(sort, name) => (sort, name),
            CursorTarget::File(name) => {
                let folder = std::path::Path::new(path).parent()?;
                return Some(Location { path: normalize_path(&folder.join(name).to_string_lossy()), range: (0, 0) });
            }
            CursorTarget::Function(_) | CursorTarget::Key(_) | CursorTarget::Word(..) => return None,
        };
        let known = self.known(path)?;
        let named = known.resolve(path, sort, &name)?;
        let file = normalize_path(known.file(named.span?)?);
        let text = self.texts.get(&file).cloned().or_else(|| disk(&file).ok())?;
        let range = self.placed(known, named, &text)?;
        Some(Location { path: file, range: (range.start, range.end) })
    }

    /// Every place of the name at a byte, across the open policies that share it. Includes its definition if wanted.
    pub fn references(&self, path: &str, at: usize, with_definition: bool) -> Vec<Location> {
        let found = || {
            let CursorTarget::Name(sort, name) = find_under_cursor(path, self.text(path)?, at)?.target else {
                return None;
            };
            let known = self.known(path)?;
            let named = known.resolve(path, sort, &name)?;
            let origin = Origin::for_name(known, named);
            let all = self.analyses.values().map(|analysis| &analysis.known);
            let all = all.flat_map(|known| {
                origin.named_in(known).map(|named| find_name_places(known, named)).unwrap_or_default()
            });
            Some(all.filter(|(_, defines)| with_definition || !defines).map(|(place, _)| place).collect())
        };
        let places: BTreeSet<Location> = found().unwrap_or_default();
        // Places in texts that have changed since are unknown.
        places.into_iter().filter(|place| self.is_current(place)).collect()
    }

    fn is_current(&self, place: &Location) -> bool {
        let Some(text) = self.texts.get(&place.path) else { return true };
        let known = self.analyses.values().flat_map(|analysis| analysis.known.sources.iter());
        known.filter(|source| normalize_path(&source.name) == place.path).all(|source| source.text == *text)
    }
}

/// Where a name is defined. Policies may use different namespaces for it, but it has one definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Origin {
    BuiltIn(Sort, String),
    /// The file, and the first byte of the definition.
    Defined(Sort, String, u32),
}

impl Origin {
    pub fn for_name(known: &KnownNames, named: &NamedSymbol) -> Origin {
        match named.span.and_then(|span| Some((normalize_path(known.file(span)?), span.start))) {
            Some((file, start)) => Origin::Defined(named.sort, file, start),
            None => Origin::BuiltIn(named.sort, named.name.clone()),
        }
    }

    /// A policy's name for this origin.
    pub fn named_in<'k>(&self, known: &'k KnownNames) -> Option<&'k NamedSymbol> {
        known.names.defined.iter().find(|named| match self {
            Origin::BuiltIn(sort, name) => named.sort == *sort && named.name == *name && named.span.is_none(),
            Origin::Defined(sort, file, start) => {
                named.sort == *sort
                    && named.span.is_some_and(|span| {
                        span.start == *start && known.file(span).is_some_and(|name| normalize_path(name) == *file)
                    })
            }
        })
    }
}

/// The places of a name. The flag marks its definition.
pub(super) fn find_name_places(known: &KnownNames, named: &NamedSymbol) -> Vec<(Location, bool)> {
    let place = |span: crate::base::diagnostic::Span| {
        let path = normalize_path(known.file(span)?);
        Some(Location { path, range: (span.start as usize, span.end as usize) })
    };
    let uses = known.names.uses.iter().filter(|used| used.sort == named.sort && used.name == named.name);
    let definition = named.span.and_then(place).map(|place| (place, true));
    uses.filter_map(|used| Some((place(used.span)?, false))).chain(definition).collect()
}

/// What the definition of a name says: its `doc`, its text, the comment above it.
pub(super) fn describe_definition(text: &str, symbols: &[Symbol], range: Range<usize>) -> Vec<String> {
    let own = symbols.iter().flat_map(|symbol| std::iter::once(symbol).chain(&symbol.children));
    // An output of a table is within the value of a key.
    let around = |symbol: &&Symbol| symbol.range.start <= range.start && range.end <= symbol.range.end;
    let key = own.filter(|symbol| symbol.kind == SymbolKind::Key).find(around);
    let written = key.and_then(|symbol| text.get(symbol.range.clone()));
    let doc = written.filter(|written| written.contains("doc")).and_then(doc);
    let written = written.map(|written| format!("```toml\n{written}\n```"));
    doc.into_iter().chain(written).chain(comment_above(text, range.start)).collect()
}

/// The `doc` of a definition.
fn doc(written: &str) -> Option<String> {
    let entry = DeTable::parse(written).ok()?.into_inner();
    let (_, value) = entry.into_iter().next()?;
    let table = value.into_inner();
    let (_, doc) = table.as_table()?.iter().find(|(key, _)| key.get_ref() == "doc")?;
    doc.get_ref().as_str().map(str::to_owned)
}

/// The name as written in an expression.
pub(super) fn format_symbol_name(named: &NamedSymbol) -> String {
    match named.sort {
        Sort::Parameter => format!("${}", named.name),
        Sort::Value | Sort::Words | Sort::List => named.name.clone(),
    }
}

/// Its type and its grain.
pub(super) fn describe_symbol_kind(named: &NamedSymbol) -> String {
    let ty = named.ty.map_or("unknown, as it has a mistake".to_owned(), type_label);
    match named.sort {
        Sort::Words => "a word list, for `mentions` and `mentioned`".to_owned(),
        Sort::List => "a list of keys, for `in_list`".to_owned(),
        Sort::Parameter => format!("{ty}, a parameter"),
        Sort::Value => format!("{ty}, one per {}", named.grain.word()),
    }
}

fn type_label(ty: Type) -> String {
    let exact = match ty.repr {
        Repr::Rational if ty.unit == Unit::Money => ", not whole",
        Repr::Float => ", approximate",
        Repr::List => ", a list",
        Repr::Int | Repr::Rational | Repr::Boolean | Repr::Text => "",
    };
    format!("{}{exact}", ty.unit.word())
}

/// The comment directly above a byte's line.
fn comment_above(text: &str, at: usize) -> Option<String> {
    let line = text.get(..at)?.rfind('\n')?;
    let above: Vec<&str> = text[..line].lines().rev().map_while(|line| line.trim().strip_prefix('#')).collect();
    let lines: Vec<&str> = above.into_iter().rev().map(str::trim).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}
