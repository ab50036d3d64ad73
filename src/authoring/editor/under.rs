//! Finds what is under the cursor: a name, a function, a key, a word. Looks only at the surrounding characters, so it
//! works in incomplete text too.

use std::ops::Range;

use super::keys::{CASES, Key, KeySection, RULES, ValueShape, Word};
use super::place::{CursorPlace, Spot, find_cursor_place};
use crate::rules::names::Sort;
use crate::rules::{self, AGGREGATES, FUNCTIONS};

/// What is under the cursor.
#[derive(Debug, Clone)]
pub(super) enum CursorTarget {
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
    pub target: CursorTarget,
    pub range: Range<usize>,
}

/// The register of keys for a file.
pub(super) fn key_register_for(path: &str) -> &'static KeySection {
    if super::workspace::is_rules(path) { &RULES } else { &CASES }
}

/// The key at the end of a path, and the shape of its value.
pub(super) fn key_at(register: &'static KeySection, path: &[String]) -> Option<(&'static Key, &'static ValueShape)> {
    let (first, rest) = path.split_first()?;
    let key = register.key(first)?;
    let (mut last, mut shape) = (key, &key.shape);
    for name in rest {
        shape = match table_of(shape) {
            Some(ValueShape::Table(section) | ValueShape::Tables(section)) => {
                last = section.key(name)?;
                &last.shape
            }
            Some(ValueShape::Names(each)) => each,
            _ => return None,
        };
    }
    Some((last, shape))
}

/// The shape with keys, within lists and choices.
pub(super) fn table_of(shape: &'static ValueShape) -> Option<&'static ValueShape> {
    match shape {
        ValueShape::Table(_) | ValueShape::Tables(_) | ValueShape::Names(_) => Some(shape),
        ValueShape::List(item) => table_of(item),
        ValueShape::Either(shapes) => shapes.iter().find_map(table_of),
        _ => None,
    }
}

/// How a scalar of this shape is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScalarKind {
    Expression,
    Sentence,
    Cell,
    Other,
}

pub(super) fn kind_of(shape: &'static ValueShape) -> ScalarKind {
    match shape {
        ValueShape::Expression => ScalarKind::Expression,
        ValueShape::Sentence => ScalarKind::Sentence,
        ValueShape::Cell => ScalarKind::Cell,
        ValueShape::List(item) | ValueShape::Row(_, item) => kind_of(item),
        // A condition is text, and an expression.
        ValueShape::Either([ValueShape::Text, ValueShape::Table(_)]) => ScalarKind::Expression,
        ValueShape::Either(shapes) => {
            shapes.iter().map(kind_of).find(|kind| *kind != ScalarKind::Other).unwrap_or(ScalarKind::Other)
        }
        _ => ScalarKind::Other,
    }
}

/// The sort of names that a section's keys define, and the prefix of these names in expressions.
fn defined_sort(path: &[String]) -> Option<(Sort, &'static str)> {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    match path[..] {
        ["table", _, "outputs"] => Some((Sort::Value, "")),
        [section] if rules::DefinitionSection::from_key(section).is_some() => Some((Sort::Value, "")),
        ["parameters"] => Some((Sort::Parameter, "")),
        ["words"] => Some((Sort::Words, "")),
        ["list"] => Some((Sort::List, "")),
        ["request"] => Some((Sort::Value, "request.")),
        ["bureau"] => Some((Sort::Value, "bureau.")),
        ["own"] => Some((Sort::Value, "own.")),
        _ => None,
    }
}

/// Finds what is at a byte of a rule file or a cases file.
pub(super) fn find_under_cursor(path: &str, text: &str, at: usize) -> Option<Under> {
    let CursorPlace { path: keys, spot } = find_cursor_place(text, at);
    let register = key_register_for(path);
    match spot {
        Spot::Key(range) if !range.is_empty() => {
            let name = text.get(range.clone())?.to_owned();
            if let Some((sort, before)) = defined_sort(&keys).filter(|_| super::workspace::is_rules(path)) {
                return Some(Under { target: CursorTarget::Name(sort, format!("{before}{name}")), range });
            }
            let mut whole = keys;
            whole.push(name);
            key_at(register, &whole).map(|(key, _)| Under { target: CursorTarget::Key(key), range })
        }
        Spot::Value(range) => {
            let (key, shape) = key_at(register, &keys)?;
            let inner = range_inside_quotes(text, &range);
            let value = text.get(inner.clone())?;
            if let Some(word) = super::schema::words_of_shape(shape).iter().find(|(word, _)| *word == value) {
                return Some(Under { target: CursorTarget::Word(key, *word), range: inner });
            }
            // The cells of a table are in `rows` too.
            if is_file(&keys) && !(is_rows(&keys) && super::values::open_list_position(text, range.start).is_some()) {
                return Some(Under { target: CursorTarget::File(value.to_owned()), range: inner });
            }
            match kind_of(shape) {
                ScalarKind::Expression => in_expression(text, inner, at),
                ScalarKind::Cell if value.trim_start().starts_with('=') => in_expression(text, inner, at),
                ScalarKind::Sentence => in_sentence(text, inner, at),
                ScalarKind::Cell => in_expression(text, inner, at)
                    .filter(|under| matches!(under.target, CursorTarget::Name(Sort::Parameter, _))),
                ScalarKind::Other => None,
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
        ["use"]
            | ["use", "file"]
            | ["policy", "use"]
            | ["policy", "use" | "challenger", "file"]
            | ["table", _, "rows"]
            | ["list", _, "file"]
    )
}

fn is_rows(keys: &[String]) -> bool {
    matches!(keys, [table, _, rows] if table == "table" && rows == "rows")
}

/// The range between the quotes of a value. The closing quotes may be missing.
pub(super) fn range_inside_quotes(text: &str, range: &Range<usize>) -> Range<usize> {
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
pub(super) fn word_range_at(text: &str, inner: &Range<usize>, at: usize) -> Option<Range<usize>> {
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
    let range = word_range_at(text, &inner, at).filter(|range| !range.is_empty())?;
    let (before, name) = (text.get(inner.start..range.start)?, text.get(range.clone())?.to_lowercase());
    let after = text.get(range.end..inner.end)?.trim_start();
    if is_quoted(before) || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    // Only the last part can be renamed.
    let last = range.end - name.rsplit('.').next().map_or(0, str::len)..range.end;
    let named = |sort| Some(Under { target: CursorTarget::Name(sort, name.clone()), range: last.clone() });
    if before.ends_with('$') {
        return named(Sort::Parameter);
    }
    if let Some(sort) = list_sort_after(before) {
        return named(sort);
    }
    if after.starts_with('(') {
        let known = FUNCTIONS.iter().chain(AGGREGATES).any(|known| *known == name);
        return known.then(|| Under { target: CursorTarget::Function(name.clone()), range: range.clone() });
    }
    named(Sort::Value)
}

/// The sort of list that is named next: a word list, or a list of keys.
pub(super) fn list_sort_after(before: &str) -> Option<Sort> {
    let call = before.trim_end().strip_suffix('(')?.trim_end();
    let name = &call[call.trim_end_matches(is_letter).len()..];
    let known =
        [("mentions", Sort::Words), ("mentioned", Sort::Words), ("named", Sort::Words), ("in_list", Sort::List)];
    known.into_iter().find(|(known, _)| name.eq_ignore_ascii_case(known)).map(|(_, sort)| sort)
}

/// The part of a sentence within the braces around a byte.
pub(super) fn placeholder_range_at(text: &str, inner: &Range<usize>, at: usize) -> Option<Range<usize>> {
    let before = text.get(inner.start..at)?;
    let open = before.rfind('{').filter(|open| !before[*open..].contains('}'))?;
    let rest = text.get(at..inner.end)?;
    let close = rest.find('}').unwrap_or(rest.len());
    Some(inner.start + open + 1..at + close)
}

fn in_sentence(text: &str, inner: Range<usize>, at: usize) -> Option<Under> {
    let within = placeholder_range_at(text, &inner, at)?;
    in_expression(text, within, at)
}
