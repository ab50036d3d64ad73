//! The form of a cell, before its values are read: `-`, `unknown`, `>= 3`, `0.10..0.30`, `A, B`, `not(...)`.

use crate::rules::graph::TextPlace;
use crate::rules::types::{Repr, Type};

/// The form of a cell, before its values are read.
pub(in crate::rules) enum Shape<'t> {
    /// `-`
    Anything,
    /// `unknown`
    Unknown,
    /// `not(A, B)`
    Not(Box<Shape<'t>>),
    /// `A, B`
    OneOf(Vec<Shape<'t>>),
    /// `>= 5`: a bound from below or above, and whether it is included.
    Bound { text: &'t str, is_low: bool, closed: bool },
    /// `2..5`: each end, and whether it is included.
    Range { text: &'t str, low: (&'t str, bool), high: (&'t str, bool) },
    /// `!= 5`
    Differs(&'t str),
    /// `5`, `= 5`
    Equals { text: &'t str, signed: bool },
    /// `contains(x)`, `starts_with(x)`, `ends_with(x)`
    Has { place: TextPlace, text: &'t str },
}

/// Parses a cell that tests a value of type `ty`.
pub(in crate::rules) fn shape(text: &str, ty: Type, depth: u8) -> Result<Shape<'_>, String> {
    if text == "-" {
        return Ok(Shape::Anything);
    }
    if text.eq_ignore_ascii_case("unknown") {
        return Ok(Shape::Unknown);
    }
    if let Some(inner) = called(text, "not") {
        if depth > 4 {
            return Err("not(not(...)) is nested too deeply".into());
        }
        return Ok(Shape::Not(Box::new(shape(inner.trim(), ty, depth + 1)?)));
    }
    let places = [("contains", TextPlace::Anywhere), ("starts_with", TextPlace::Start), ("ends_with", TextPlace::End)];
    if let Some((text, place)) = places.iter().find_map(|(word, place)| Some((called(text, word)?, *place))) {
        return match text.trim() {
            "" | "''" => Err("it looks for nothing, which every value has".into()),
            text => Ok(Shape::Has { place, text }),
        };
    }
    let items = split_list(text);
    if items.len() > 1 {
        let shapes: Result<Vec<Shape>, String> = items.iter().map(|item| shape(item.trim(), ty, depth)).collect();
        return Ok(Shape::OneOf(shapes?));
    }
    if let Some(rest) = text.strip_prefix("!=").or_else(|| text.strip_prefix("<>")) {
        return Ok(Shape::Differs(rest));
    }
    for (sign, is_low, closed) in [("<=", false, true), (">=", true, true), ("<", false, false), (">", true, false)] {
        if let Some(text) = text.strip_prefix(sign) {
            return Ok(Shape::Bound { text, is_low, closed });
        }
    }
    let (value, signed) = text.strip_prefix('=').map_or((text, false), |value| (value, true));
    Ok(range(text, ty).unwrap_or(Shape::Equals { text: value, signed }))
}

/// What is in the brackets of `word(...)`, if nothing follows them.
pub(in crate::rules) fn called<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let inner = text.strip_prefix(word)?.strip_prefix('(')?.strip_suffix(')')?;
    // Otherwise it is the first of several: `not(A), not(B)`.
    let closed = depths(inner).find(|(_, depth)| *depth < 0).map(|(at, _)| inner[at + 1..].trim_start());
    closed.is_none_or(|rest| !rest.starts_with(',')).then_some(inner)
}

/// How many brackets are open after each one, outside of quotes. A range may open with one kind and close with the
/// other.
fn depths(text: &str) -> impl Iterator<Item = (usize, i32)> + '_ {
    let (mut depth, mut quoted) = (0_i32, false);
    text.char_indices().filter_map(move |(at, sign)| {
        quoted ^= sign == '\'';
        depth += match sign {
            '(' | '[' if !quoted => 1,
            ')' | ']' if !quoted => -1,
            _ => return None,
        };
        Some((at, depth))
    })
}

/// The text with blanks of the same length for what is in quotes.
fn quoteless(text: &str) -> String {
    let mut quoted = false;
    let blank = |sign: char| {
        quoted ^= sign == '\'';
        if quoted { " ".repeat(sign.len_utf8()) } else { sign.to_string() }
    };
    text.chars().map(blank).collect()
}

/// `low..high` includes low but not high. Brackets say which ends are included: `[low..high]`, `(low..high)`.
fn range(text: &str, ty: Type) -> Option<Shape<'_>> {
    // A bracket that closes before the end belongs to an expression, and so does a last one that was opened behind the
    // first.
    let closes_early = depths(text).any(|(at, depth)| depth == 0 && at + 1 < text.len());
    let (low_closed, inner) = match text.chars().next() {
        Some('[') if !closes_early => (true, &text[1..]),
        Some('(') if !closes_early => (false, &text[1..]),
        _ => (true, text),
    };
    let is_open = depths(inner).any(|(_, depth)| depth < 0);
    let (high_closed, inner) = match inner.chars().last() {
        Some(']') if is_open => (true, &inner[..inner.len() - 1]),
        Some(')') if is_open => (false, &inner[..inner.len() - 1]),
        _ => (false, inner),
    };
    let at = quoteless(inner).find("..").filter(|_| ty.repr != Repr::Text)?;
    let (low, high) = (&inner[..at], &inner[at + 2..]);
    Some(Shape::Range { text, low: (low, low_closed), high: (high, high_closed) })
}

/// Commas outside of quotes and brackets.
fn split_list(text: &str) -> Vec<&str> {
    let (mut items, mut start, mut depth, mut quoted) = (Vec::new(), 0, 0i32, false);
    for (index, c) in text.char_indices() {
        match c {
            '\'' => quoted = !quoted,
            '(' | '[' if !quoted => depth += 1,
            ')' | ']' if !quoted => depth -= 1,
            ',' if !quoted && depth == 0 => {
                items.push(&text[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    items.push(&text[start..]);
    items
}

/// Refuses comparison signs of other languages.
pub(in crate::rules) fn known_sign(text: &str) -> Result<(), String> {
    let signs =
        [("=>", ">="), ("=<", "<="), ("= >", ">="), ("= <", "<="), ("≥", ">="), ("≤", "<="), ("≠", "!="), ("==", "=")];
    match signs.into_iter().find(|(sign, _)| text.trim().starts_with(sign)) {
        Some((sign, here)) => Err(format!("`{sign}` is written {here} here")),
        None => Ok(()),
    }
}

/// `request.lender`: in a cell, any other word without a sign before it is a constant.
pub(in crate::rules) fn is_field(text: &str) -> bool {
    let is_name = |part: &str| {
        !part.is_empty() && part.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_')
    };
    text.split_once('.').is_some_and(|(space, field)| matches!(space, "request" | "bureau" | "own") && is_name(field))
}
