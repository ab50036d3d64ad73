//! A text file becomes lines of cells: its encoding, and its fields by a delimiter.

use csv::{ReaderBuilder, StringRecord};

use super::grid::{FileCell, Line};
use crate::statement::tables::csv_preamble::separator_note;

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
    let (first, rest) = text.split_at(text.find(['\n', '\r'])?);
    let delimiter = separator_note(first)?;
    let rest = rest.strip_prefix("\r\n").or_else(|| rest.get(1..)).unwrap_or_default();
    Some((char::from(delimiter), rest))
}

/// Splits a text into lines of cells, as statements are split. A quoted cell may hold the delimiter and line ends.
/// Empty lines are left out.
pub(crate) fn split_into_cells(text: &str, delimiter: char) -> Vec<Line> {
    let mut builder = ReaderBuilder::new();
    builder.has_headers(false).flexible(true).delimiter(u8::try_from(delimiter).unwrap_or(b','));
    let mut reader = builder.from_reader(text.as_bytes());
    let (mut lines, mut record) = (Vec::new(), StringRecord::new());
    let (mut number, mut counted) = (1, 0);
    // Text in memory that is UTF-8 and of any width has no errors.
    while reader.read_record(&mut record).is_ok_and(|is_there| is_there) {
        // Where the record was looked for: line ends come first.
        let from = record.position().map_or(counted, |position| position.byte() as usize);
        let ahead = text.get(from..).unwrap_or_default();
        let start = text.len() - ahead.trim_start_matches(['\n', '\r']).len();
        number += text.get(counted..start).unwrap_or_default().matches('\n').count();
        counted = start;
        lines.push(Line { number, cells: record.iter().map(FileCell::text).collect() });
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
        assert_eq!(declared_delimiter("\"SEP=;\"\ra;b"), Some((';', "a;b")));
        assert_eq!(declared_delimiter("sep=ab\na;b"), None);
        let lines = split_into_cells("a;\"b \"\"x\"\";\ny\";c\r\n\n;d\n\r\n\r\n\"e\"f\r\ng", ';');
        let texts: Vec<Vec<&str>> =
            lines.iter().map(|line| line.cells.iter().map(|cell| cell.text.as_str()).collect()).collect();
        assert_eq!(texts, [vec!["a", "b \"x\";\ny", "c"], vec!["", "d"], vec!["ef"], vec!["g"]]);
        assert_eq!(lines.iter().map(|line| line.number).collect::<Vec<_>>(), [1, 4, 7, 8]);
    }
}
