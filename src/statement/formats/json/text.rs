//! A JSON string: its source text and its meaning.

use std::borrow::Cow;

/// The source text between a string's quotes, known to be well-formed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawJsonString<'a> {
    pub(crate) raw: &'a str,
    pub(crate) escaped: bool,
    pub(crate) at: usize,
}

impl<'a> RawJsonString<'a> {
    /// The string's meaning. Adds the number of repaired characters to `repaired`.
    pub(crate) fn decode(self, repaired: &mut u64) -> Cow<'a, str> {
        if !self.escaped {
            return Cow::Borrowed(self.raw);
        }
        let mut text = String::with_capacity(self.raw.len());
        *repaired += unescape_json_string(self.raw, &mut text);
        Cow::Owned(text)
    }
}

/// The beginning of a text, long enough to recognize it.
pub(crate) fn shorten_quoted_text(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(60) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}…", text.get(..end).unwrap_or_default())),
    }
}

/// Writes the meaning of a well-formed raw string. Returns how many escapes stood for no character.
pub(crate) fn unescape_json_string(raw: &str, into: &mut String) -> u64 {
    let mut repaired = 0;
    let mut rest = raw;
    while let Some((plain, after)) = rest.split_once('\\') {
        into.push_str(plain);
        let (character, length) = match after.as_bytes() {
            [b'u', ..] => code_point(after),
            [b'b', ..] => (Some('\u{8}'), 1),
            [b'f', ..] => (Some('\u{c}'), 1),
            [b'n', ..] => (Some('\n'), 1),
            [b'r', ..] => (Some('\r'), 1),
            [b't', ..] => (Some('\t'), 1),
            [other, ..] => (Some(char::from(*other)), 1),
            [] => (None, 0),
        };
        repaired += u64::from(character.is_none());
        into.push(character.unwrap_or(char::REPLACEMENT_CHARACTER));
        rest = after.get(length..).unwrap_or_default();
    }
    into.push_str(rest);
    repaired
}

/// The character of `\uXXXX`, and how many bytes after the backslash it takes. Two escapes may make one character.
fn code_point(after: &str) -> (Option<char>, usize) {
    let hex = |from: usize| after.get(from..from + 4).and_then(|digits| u32::from_str_radix(digits, 16).ok());
    let Some(first) = hex(1) else { return (None, after.len().min(5)) };
    let second = if (0xd800..0xdc00).contains(&first) && after.get(5..7) == Some("\\u") { hex(7) } else { None };
    if let Some(second) = second.filter(|second| (0xdc00..0xe000).contains(second)) {
        return (char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00)), 11);
    }
    (char::from_u32(first), 5)
}

/// The first key that means the same as an earlier one.
pub(crate) fn find_repeated_key<'a>(keys: &[RawJsonString<'a>]) -> Option<RawJsonString<'a>> {
    if keys.len() < 2 {
        return None;
    }
    if keys.len() <= 12 && keys.iter().all(|key| !key.escaped) {
        let before = |at: usize, raw: &str| keys.iter().take(at).any(|other| other.raw == raw);
        return keys.iter().enumerate().find(|(at, key)| before(*at, key.raw)).map(|(_, key)| *key);
    }
    let mut sorted: Vec<(Cow<'_, str>, &RawJsonString<'a>)> =
        keys.iter().map(|key| (key.decode(&mut 0), key)).collect();
    sorted.sort_by(|left, right| left.0.cmp(&right.0).then(left.1.at.cmp(&right.1.at)));
    let pairs = sorted.iter().zip(sorted.iter().skip(1));
    pairs.filter(|(left, right)| left.0 == right.0).map(|(_, right)| *right.1).min_by_key(|key| key.at)
}
