//! The text of a file and its lines.

use std::borrow::Cow;

use encoding_rs::{Encoding, WINDOWS_1252};

/// The text of a file: by its byte order mark, else UTF-8, else the encoding that it declares, else Windows-1252.
///
/// A text in another encoding that has letters beyond ASCII is hardly ever valid UTF-8, so what is valid is UTF-8,
/// whatever the file declares.
pub(crate) fn decode_bank_text<'b>(bytes: &'b [u8], declared: Option<&'static Encoding>) -> Cow<'b, str> {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return encoding.decode_without_bom_handling(bytes.get(mark..).unwrap_or_default()).0;
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => declared.unwrap_or(WINDOWS_1252).decode_without_bom_handling(bytes).0,
    }
}

/// The lines of a text with their numbers from 1. CRLF, LF and CR each end a line.
pub(crate) fn numbered_lines(text: &str) -> impl Iterator<Item = (u32, &str)> {
    let (mut rest, mut number) = (Some(text), 0_u32);
    std::iter::from_fn(move || {
        let text = rest?;
        number = number.saturating_add(1);
        let Some((line, after)) = text.find(['\r', '\n']).and_then(|end| text.split_at_checked(end)) else {
            rest = None;
            return Some((number, text));
        };
        rest = after.strip_prefix("\r\n").or_else(|| after.get(1..));
        Some((number, line))
    })
}

/// Where a line is, for a message.
pub(crate) fn line_place(number: u32) -> String {
    format!("line {number}")
}

/// A value as a message shows it: its first 40 letters.
pub(crate) fn shorten_for_message(value: &str) -> String {
    match value.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", value.get(..end).unwrap_or_default()),
        None => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_line_end_counts_once() {
        let read: Vec<_> = numbered_lines("a\r\nb\rc\n\nd").collect();
        assert_eq!(read, [(1, "a"), (2, "b"), (3, "c"), (4, ""), (5, "d")]);
    }

    #[test]
    fn text_is_utf_8_or_windows_1252_or_what_its_mark_says() {
        assert_eq!(decode_bank_text("Müller".as_bytes(), None), "Müller");
        assert_eq!(decode_bank_text(b"M\xfcller \x80", None), "Müller €");
        assert_eq!(decode_bank_text(b"\xef\xbb\xbf:20:", None), ":20:");
        assert_eq!(decode_bank_text(b"\xff\xfea\0b\0", None), "ab");
        assert_eq!(decode_bank_text(b"\xcc\xe8\xf0", Encoding::for_label(b"windows-1251")), "Мир");
    }
}
