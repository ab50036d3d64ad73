//! Percent escapes in texts: `%2F` is `/`.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

/// The text with its escapes decoded; what is not an escape stays as it is. `None` if the bytes are not UTF-8.
pub(crate) fn decode_percent_escapes(text: &str) -> Option<Cow<'_, str>> {
    percent_decode_str(text).decode_utf8().ok()
}

/// Whether every `%` begins an escape: two hexadecimal digits follow it.
pub(crate) fn has_whole_escapes(text: &str) -> bool {
    let is_escape = |after: &str| {
        after.as_bytes().first_chunk::<2>().is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    text.split('%').skip(1).all(is_escape)
}
