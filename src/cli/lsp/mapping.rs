//! Converts between the protocol and `editor`: URIs and paths, positions (lines and UTF-16 units) and byte offsets.

use std::ops::Range;
use std::path::Path;

use lsp_types::{Position, Range as Lines, Url};

/// The path of a file. If the URI is not of a file, the URI itself.
pub(super) fn uri_to_path(uri: &Url) -> String {
    match uri.to_file_path() {
        Ok(path) => path.to_string_lossy().into_owned(),
        Err(()) => uri.to_string(),
    }
}

/// The URI of a path.
pub(super) fn path_to_uri(path: &str) -> Option<Url> {
    Url::from_file_path(Path::new(path)).ok().or_else(|| Url::parse(path).ok())
}

/// A text with an index of its lines.
pub(super) struct IndexedText<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> IndexedText<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { text, starts }
    }

    /// The position of a byte. A byte within a character has the position of the character.
    pub(super) fn position(&self, at: usize) -> Position {
        let at = (0..=at.min(self.text.len())).rev().find(|at| self.text.is_char_boundary(*at)).unwrap_or(0);
        let line = self.starts.partition_point(|start| *start <= at).saturating_sub(1);
        let start = self.starts.get(line).copied().unwrap_or(0);
        let units = self.text.get(start..at).map_or(0, |before| before.encode_utf16().count());
        Position { line: line as u32, character: units as u32 }
    }

    /// The byte of a position. A position past the end of a line or of the text is that end.
    pub(super) fn byte(&self, position: Position) -> usize {
        let line = position.line as usize;
        let Some(start) = self.starts.get(line).copied() else { return self.text.len() };
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        let line = self.text.get(start..end).unwrap_or("").trim_end_matches(['\n', '\r']);
        let mut units = position.character as usize;
        for (at, character) in line.char_indices() {
            if units < character.len_utf16() {
                return start + at;
            }
            units -= character.len_utf16();
        }
        start + line.len()
    }

    pub(super) fn lines(&self, range: Range<usize>) -> Lines {
        Lines { start: self.position(range.start), end: self.position(range.end) }
    }

    pub(super) fn bytes(&self, lines: Lines) -> Range<usize> {
        let start = self.byte(lines.start);
        start..self.byte(lines.end).max(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_utf_16_units() {
        // Characters of two, three and four bytes. The last one has two UTF-16 units.
        let text = "aé₦😀b\r\n\nx";
        let lines = IndexedText::new(text);
        for (byte, line, character) in
            [(0, 0, 0), (1, 0, 1), (3, 0, 2), (6, 0, 3), (10, 0, 5), (11, 0, 6), (13, 1, 0), (14, 2, 0), (15, 2, 1)]
        {
            let position = Position { line, character };
            assert_eq!((lines.position(byte), lines.byte(position)), (position, byte), "{byte}");
        }
        // Within a character, past a line, past the text.
        assert_eq!(lines.position(8), Position { line: 0, character: 3 });
        assert_eq!(lines.byte(Position { line: 0, character: 4 }), 6);
        assert_eq!(lines.byte(Position { line: 0, character: 99 }), 11);
        assert_eq!(lines.byte(Position { line: 9, character: 0 }), text.len());
    }
}
