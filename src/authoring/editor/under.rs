//! Finds what is under the cursor: a name, a function, a key, a word. Looks only at the surrounding characters, so it
//! works in incomplete text too.

use std::ops::Range;

use super::keys::{CASES, Key, RULES, Section, Shape, Word};
use super::place::{Place, Spot, place};
use crate::rules::names::Sort;
use crate::rules::{self, AGGREGATES, FUNCTIONS};

/// What is under the cursor.
#[derive(Debug, Clone)]
pub(super) enum Target {
    /// A name in lower case.
    Name(Sort, String),
    Function(String),
    Key(&'static Key),
    Word(&'static Key, Word),
    /// The name of a used file.
    File(String),
}

/// What is under the cursor, and its range.
#[derive(Debug, Clone)]
pub(super) struct Under {
    pub target: Target,
    pub range: Range<usize>,
}

/// The register of keys for a file.
pub(super) fn register(path: &str) -> &'static Section {
    if super::workspace::is_rules(path) { &RULES } else { &CASES }
}

/// The key at the end of a path, and the shape of its value.
pub(super) fn key_at(register: &'static Section, path: &[String]) -> Option<(&'static Key, &'static Shape)> {
    let (first, rest) = path.split_first()?;
    let key = register.key(first)?;
    let (mut last, mut shape) = (key, &key.shape);
    for name in rest {
        shape = match table_of(shape) {
            Some(Shape::Table(section) | Shape::Tables(section)) => {
                last = section.key(name)?;
                &last.shape
            }
            Some(Shape::Names(each)) => each,
            _ => return None,
        };
    }
    Some((last, shape))
}

/// The shape with keys, within lists and choices.
pub(super) fn table_of(shape: &'static Shape) -> Option<&'static Shape> {
    match shape {
        Shape::Table(_) | Shape::Tables(_) | Shape::Names(_) => Some(shape),
        Shape::List(item) => table_of(item),
        Shape::Either(shapes) => shapes.iter().find_map(table_of),
        _ => None,
    }
}

/// How a scalar of this shape is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Expression,
    Sentence,
    Cell,
    Other,
}

pub(super) fn kind_of(shape: &'static Shape) -> Kind {
    match shape {
        Shape::Expression => Kind::Expression,
        Shape::Sentence => Kind::Sentence,
        Shape::Cell => Kind::Cell,
        Shape::List(item) | Shape::Row(_, item) => kind_of(item),
        // A condition is text, and an expression.
        Shape::Either([Shape::Text, Shape::Table(_)]) => Kind::Expression,
        Shape::Either(shapes) => shapes.iter().map(kind_of).find(|kind| *kind != Kind::Other).unwrap_or(Kind::Other),
        _ => Kind::Other,
    }
}

/// The sort of names that a section's keys define, and the prefix of these names in expressions.
fn defined_sort(path: &[String]) -> Option<(Sort, &'static str)> {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    match path[..] {
        ["table", _, "outputs"] => Some((Sort::Value, "")),
        [section] if rules::Section::from_key(section).is_some() => Some((Sort::Value, "")),
        ["parameters"] => Some((Sort::Parameter, "")),
        ["words"] => Some((Sort::Words, "")),
        ["request"] => Some((Sort::Value, "request.")),
        ["bureau"] => Some((Sort::Value, "bureau.")),
        _ => None,
    }
}

/// Finds what is at a byte of a rule file or a cases file.
pub(super) fn under(path: &str, text: &str, at: usize) -> Option<Under> {
    let Place { path: keys, spot } = place(text, at);
    let register = register(path);
    match spot {
        Spot::Key(range) if !range.is_empty() => {
            let name = text.get(range.clone())?.to_owned();
            if let Some((sort, before)) = defined_sort(&keys).filter(|_| super::workspace::is_rules(path)) {
                return Some(Under { target: Target::Name(sort, format!("{before}{name}")), range });
            }
            let mut whole = keys;
            whole.push(name);
            key_at(register, &whole).map(|(key, _)| Under { target: Target::Key(key), range })
        }
        Spot::Value(range) => {
            let (key, shape) = key_at(register, &keys)?;
            let inner = content(text, &range);
            let value = text.get(inner.clone())?;
            if let Some(word) = super::schema::words(shape).iter().find(|(word, _)| *word == value) {
                return Some(Under { target: Target::Word(key, *word), range: inner });
            }
            // The cells of a table are in `rows` too.
            if is_file(&keys) && !(is_rows(&keys) && super::values::column(text, range.start).is_some()) {
                return Some(Under { target: Target::File(value.to_owned()), range: inner });
            }
            match kind_of(shape) {
                Kind::Expression => in_expression(text, inner, at),
                Kind::Cell if value.trim_start().starts_with('=') => in_expression(text, inner, at),
                Kind::Sentence => in_sentence(text, inner, at),
                Kind::Cell => in_expression(text, inner, at)
                    .filter(|under| matches!(under.target, Target::Name(Sort::Parameter, _))),
                Kind::Other => None,
            }
        }
        Spot::Key(_) | Spot::Header | Spot::Comment => None,
    }
}

/// Whether a value names a file.
fn is_file(keys: &[String]) -> bool {
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    matches!(
        keys[..],
        ["use"] | ["use", "file"] | ["policy", "use"] | ["policy", "use" | "challenger", "file"] | ["table", _, "rows"]
    )
}

fn is_rows(keys: &[String]) -> bool {
    matches!(keys, [table, _, rows] if table == "table" && rows == "rows")
}

/// The range between the quotes of a value. The closing quotes may be missing.
pub(super) fn content(text: &str, range: &Range<usize>) -> Range<usize> {
    let raw = text.get(range.clone()).unwrap_or("");
    for quotes in ["\"\"\"", "'''", "\"", "'"] {
        if let Some(rest) = raw.strip_prefix(quotes) {
            let start = range.start + quotes.len();
            let end = if rest.ends_with(quotes) { range.end - quotes.len() } else { range.end };
            return start..end.max(start);
        }
    }
    range.clone()
}

pub(super) fn is_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// The name around a byte of `inner`, including its namespaces.
pub(super) fn word(text: &str, inner: &Range<usize>, at: usize) -> Option<Range<usize>> {
    let (before, after) = (text.get(inner.start..at)?, text.get(at..inner.end)?);
    let mut start = before.trim_end_matches(is_letter);
    // A dot between two names belongs to the name. In a range of numbers it does not.
    while let Some(outer) = start.strip_suffix('.').filter(|outer| outer.ends_with(is_letter)) {
        start = outer.trim_end_matches(is_letter);
    }
    let mut end = after.trim_start_matches(is_letter);
    while let Some(inner) = end.strip_prefix('.').filter(|inner| inner.starts_with(is_letter)) {
        end = inner.trim_start_matches(is_letter);
    }
    Some(inner.start + start.len()..inner.end - end.len())
}

/// Whether the expression `before` a byte ends within single quotes.
pub(super) fn is_quoted(before: &str) -> bool {
    before.matches('\'').count() % 2 == 1
}

fn in_expression(text: &str, inner: Range<usize>, at: usize) -> Option<Under> {
    // A cursor before a `$` means the name after it.
    let at = if text.get(at..)?.starts_with('$') { at + 1 } else { at };
    let range = word(text, &inner, at).filter(|range| !range.is_empty())?;
    let (before, name) = (text.get(inner.start..range.start)?, text.get(range.clone())?.to_lowercase());
    let after = text.get(range.end..inner.end)?.trim_start();
    if is_quoted(before) || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    // Only the last part can be renamed.
    let last = range.end - name.rsplit('.').next().map_or(0, str::len)..range.end;
    let named = |sort| Some(Under { target: Target::Name(sort, name.clone()), range: last.clone() });
    if before.ends_with('$') {
        return named(Sort::Parameter);
    }
    if is_list_of_words(before) {
        return named(Sort::Words);
    }
    if after.starts_with('(') {
        let known = FUNCTIONS.iter().chain(AGGREGATES).any(|known| *known == name);
        return known.then(|| Under { target: Target::Function(name.clone()), range: range.clone() });
    }
    named(Sort::Value)
}

/// Whether a word list's name comes next.
pub(super) fn is_list_of_words(before: &str) -> bool {
    let open = before.trim_end().strip_suffix('(').map(str::trim_end);
    open.is_some_and(|call| {
        let name = &call[call.trim_end_matches(is_letter).len()..];
        ["mentions", "mentioned", "named"].iter().any(|known| name.eq_ignore_ascii_case(known))
    })
}

/// The part of a sentence within the braces around a byte.
pub(super) fn placeholder(text: &str, inner: &Range<usize>, at: usize) -> Option<Range<usize>> {
    let before = text.get(inner.start..at)?;
    let open = before.rfind('{').filter(|open| !before[*open..].contains('}'))?;
    let rest = text.get(at..inner.end)?;
    let close = rest.find('}').unwrap_or(rest.len());
    Some(inner.start + open + 1..at + close)
}

fn in_sentence(text: &str, inner: Range<usize>, at: usize) -> Option<Under> {
    let within = placeholder(text, &inner, at)?;
    in_expression(text, within, at)
}
