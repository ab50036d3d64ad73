//! Lowercase for case-insensitive search, and uppercase.

use std::borrow::Cow;

/// The text in lowercase, each letter independent of its neighbours, so that a part of a text lowercases to a part of
/// the lowercased text. That is why a final sigma becomes an ordinary one.
pub(crate) fn lowercase_each_letter(text: &str) -> Cow<'_, str> {
    if text.is_ascii() && !text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Cow::Borrowed(text);
    }
    if text.is_ascii() {
        return Cow::Owned(text.to_ascii_lowercase());
    }
    Cow::Owned(text.chars().flat_map(char::to_lowercase).map(|c| if c == 'ς' { 'σ' } else { c }).collect())
}

/// The text in uppercase, each letter by itself: `ß` becomes `SS`.
pub(crate) fn uppercase_each_letter(text: &str) -> String {
    if text.is_ascii() { text.to_ascii_uppercase() } else { text.chars().flat_map(char::to_uppercase).collect() }
}
