//! A text file becomes lines of cells: its encoding, and its fields by a delimiter.

use super::grid::{FileCell, Line};

/// Delimiters that are tried.
pub(crate) const DELIMITERS: [char; 4] = [',', ';', '\t', '|'];

/// A decoded text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decoded {
    pub(crate) text: String,
    /// The encoding to declare; `None` for UTF-8.
    pub(crate) encoding: Option<&'static str>,
    /// Whether every character is ASCII, so that another file's encoding fits too.
    pub(crate) is_ascii: bool,
}

/// Decodes a file. Bytes that are no UTF-8 are Windows-1252, whose every byte is a character.
pub(crate) fn decode_text_file(bytes: &[u8]) -> Decoded {
    let (text, encoding) = match bytes {
        [0xff, 0xfe, rest @ ..] => (encoding_rs::UTF_16LE.decode_without_bom_handling(rest).0, Some("utf-16")),
        [0xfe, 0xff, rest @ ..] => (encoding_rs::UTF_16BE.decode_without_bom_handling(rest).0, Some("utf-16")),
        [0xef, 0xbb, 0xbf, rest @ ..] => (String::from_utf8_lossy(rest), None),
        _ if std::str::from_utf8(bytes).is_ok() => (String::from_utf8_lossy(bytes), None),
        _ => (encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes).0, Some("windows-1252")),
    };
    Decoded { is_ascii: text.is_ascii(), text: text.into_owned(), encoding }
}

/// The delimiter that a first line such as `sep=;` declares, and the text after that line.
pub(crate) fn declared_delimiter(text: &str) -> Option<(char, &str)> {
    let (first, rest) = text.split_once('\n')?;
    let mut after = first.trim_end_matches('\r').trim_matches('"').strip_prefix("sep=")?.chars();
    match (after.next(), after.next()) {
        (Some(delimiter), None) => Some((delimiter, rest)),
        _ => None,
    }
}

/// Splits a text into lines of cells. A quoted cell may hold the delimiter and line ends.
pub(crate) fn split_into_cells(text: &str, delimiter: char) -> Vec<Line> {
    let mut lines = Vec::new();
    let (mut line, mut number) = (Line { number: 1, cells: Vec::new() }, 1);
    let (mut cell, mut is_quoted, mut was_quoted) = (String::new(), false, false);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        number += usize::from(character == '\n');
        match character {
            '"' if is_quoted && characters.peek() == Some(&'"') => {
                characters.next();
                cell.push('"');
            }
            '"' if is_quoted => is_quoted = false,
            '"' if cell.is_empty() && !was_quoted => (is_quoted, was_quoted) = (true, true),
            _ if is_quoted => cell.push(character),
            '\r' if characters.peek() == Some(&'\n') => {}
            '\n' | '\r' => {
                line.cells.push(FileCell::text(std::mem::take(&mut cell)));
                lines.push(std::mem::replace(&mut line, Line { number, cells: Vec::new() }));
                was_quoted = false;
            }
            _ if character == delimiter => {
                line.cells.push(FileCell::text(std::mem::take(&mut cell)));
                was_quoted = false;
            }
            _ => cell.push(character),
        }
    }
    if !cell.is_empty() || !line.cells.is_empty() {
        line.cells.push(FileCell::text(cell));
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_decoded_and_split() {
        assert_eq!(decode_text_file(b"Geb\xfchr \x80").text, "Gebühr €");
        assert_eq!(decode_text_file(b"\xff\xfea\0;\0").text, "a;");
        assert_eq!(declared_delimiter("sep=;\r\na;b"), Some((';', "a;b")));
        let lines = split_into_cells("a;\"b \"\"x\"\";\ny\";c\r\n\n;d", ';');
        let texts: Vec<Vec<&str>> =
            lines.iter().map(|line| line.cells.iter().map(|cell| cell.text.as_str()).collect()).collect();
        assert_eq!(texts, [vec!["a", "b \"x\";\ny", "c"], vec![""], vec!["", "d"]]);
        assert_eq!(lines.iter().map(|line| line.number).collect::<Vec<_>>(), [1, 3, 4]);
    }
}
