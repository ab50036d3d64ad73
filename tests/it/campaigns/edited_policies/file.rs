//! A rule file as lines: sections, keys, and the places of expressions and words. Parses no TOML; good enough for valid
//! files.

use std::ops::Range;

/// A line with its section.
pub(crate) struct Line<'t> {
    /// As `metric`, `require`, `table.grade`.
    pub(super) section: &'t str,
    /// Before `=`, if there is one.
    pub(super) key: &'t str,
    /// Without its comment.
    pub(super) code: &'t str,
    /// In the file, of the code.
    pub(super) range: Range<usize>,
}

/// Keys whose text is an expression.
const EXPRESSIONS: [&str; 7] = ["when", "on", "amount", "interest", "fee", "instalments", "inputs"];

pub(crate) fn lines(text: &str) -> Vec<Line<'_>> {
    let (mut section, mut start) = ("", 0);
    let mut lines = Vec::new();
    for line in text.split_inclusive('\n') {
        let code = without_comment(line).trim_end();
        if code.starts_with('[') && !code.contains('"') {
            section = code.trim_matches(['[', ']']);
        }
        let key = code.split_once('=').map_or("", |(key, _)| key.trim());
        let key = if key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') { key } else { "" };
        lines.push(Line { section, key, code, range: start..start + code.len() });
        start += line.len();
    }
    lines
}

fn without_comment(line: &str) -> &str {
    let mut quoted = false;
    for (at, c) in line.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '#' if !quoted => return &line[..at],
            _ => {}
        }
    }
    line
}

impl Line<'_> {
    pub(super) fn is_definition(&self) -> bool {
        ["transaction", "month", "week", "day", "counterparty", "stream", "metric"].contains(&self.section)
            && !self.key.is_empty()
    }

    /// Whether its key is a name that others may use.
    pub(super) fn is_named(&self) -> bool {
        self.is_definition() || ["parameters", "words", "request"].contains(&self.section) && !self.key.is_empty()
    }

    fn has_expressions(&self) -> bool {
        self.is_definition() || EXPRESSIONS.contains(&self.key)
    }

    /// What stands between double quotes.
    pub(super) fn quoted(&self) -> Vec<Range<usize>> {
        let quotes: Vec<usize> = self.code.match_indices('"').map(|(at, _)| self.range.start + at).collect();
        quotes.chunks_exact(2).map(|pair| pair[0] + 1..pair[1]).collect()
    }

    /// Where its expressions stand.
    pub(super) fn expressions(&self) -> Vec<Range<usize>> {
        if self.has_expressions() { self.quoted() } else { Vec::new() }
    }
}

/// The words of a part of a text, without those in single quotes.
pub(crate) fn words(text: &str, within: Range<usize>) -> Vec<Range<usize>> {
    let (mut found, mut open, mut quoted) = (Vec::new(), None, false);
    let part = &text[within.clone()];
    for (at, c) in part.char_indices().chain([(part.len(), ' ')]) {
        let is_word = !quoted && (c.is_ascii_alphanumeric() || c == '_');
        match (open, is_word) {
            (None, true) => open = Some(at),
            (Some(start), false) => {
                found.push(within.start + start..within.start + at);
                open = None;
            }
            _ => {}
        }
        quoted ^= c == '\'';
    }
    found.retain(|word| text[word.start..].starts_with(|c: char| c.is_ascii_alphabetic()));
    found
}

/// 1-based.
pub(crate) fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}
