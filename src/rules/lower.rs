//! Letters in one case. Must not know what a text means.

use std::borrow::Cow;

/// The text in small letters, letter by letter: what stands beside a letter makes no difference to it, and so a part of a text is in
/// small letters what it is within the whole. A final sigma is one as others.
pub(crate) fn in_small_letters(text: &str) -> Cow<'_, str> {
    if text.is_ascii() && !text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Cow::Borrowed(text);
    }
    if text.is_ascii() {
        return Cow::Owned(text.to_ascii_lowercase());
    }
    Cow::Owned(text.chars().flat_map(char::to_lowercase).map(|c| if c == 'ς' { 'σ' } else { c }).collect())
}
