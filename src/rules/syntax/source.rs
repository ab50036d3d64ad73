//! A text value of a rule file together with the place of its characters in that file.

use std::ops::Range;

use crate::base::diagnostic::{Diagnostic, Span, nearest_candidate};
use crate::rules::syntax::advice::known_word_for;

/// A name and its place.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub text: String,
    pub span: Span,
}

/// A string from a TOML file, with the bytes its content came from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Text {
    value: String,
    span: Span,
    /// Where the content starts in the file, if it is there literally, without escapes.
    content: Option<u32>,
}

impl Text {
    /// `value` as decoded from `range` of `file`, quotes included.
    pub(crate) fn from_toml(value: &str, source: u32, file: &str, range: Range<usize>) -> Self {
        let raw = file.get(range.clone()).unwrap_or("");
        let content = content_start(raw)
            .filter(|start| raw[*start..].starts_with(value))
            .map(|start| (range.start + start) as u32);
        Self { value: value.to_string(), span: Span::new(source, range.start, range.end), content }
    }

    /// A text that is a file of its own.
    pub(crate) fn alone(value: &str) -> Self {
        Self { value: value.to_string(), span: Span::new(0, 0, value.len()), content: Some(0) }
    }

    pub(crate) fn value(&self) -> &str {
        &self.value
    }

    pub(crate) fn span(&self) -> Span {
        self.span
    }

    /// The place of the value, without quotes.
    pub(crate) fn content(&self) -> Span {
        self.locate(0, self.value.len())
    }

    /// The place of bytes `start..end` of the value.
    pub(crate) fn locate(&self, start: usize, end: usize) -> Span {
        match self.content {
            Some(content) => Span::new(self.span.source, content as usize + start, content as usize + end),
            None => self.span,
        }
    }
}

/// Reads one choice among words.
pub(crate) fn read_choice<T: Copy>(
    text: Option<&Text>,
    known: &[(&str, T)],
    default: T,
    diagnostics: &mut Vec<Diagnostic>,
) -> T {
    let Some(text) = text else { return default };
    if let Some((_, value)) = known.iter().find(|(word, _)| *word == text.value()) {
        return *value;
    }
    let words: Vec<&str> = known.iter().map(|(word, _)| *word).collect();
    let message = format!("`{}` is not known here", text.value());
    let near = known_word_for(text.value(), words.iter().copied());
    let near = near.or_else(|| nearest_candidate(text.value(), words.iter().copied()));
    let help = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("one of: {}", words.join(", ")),
    };
    let wrong = Diagnostic::error("unknown-word", text.span(), message).help(help);
    diagnostics.push(wrong.meant_at(text.content(), text.value(), near));
    default
}

fn content_start(raw: &str) -> Option<usize> {
    for quotes in ["\"\"\"", "'''"] {
        if let Some(rest) = raw.strip_prefix(quotes) {
            let newline = if rest.starts_with("\r\n") { 2 } else { usize::from(rest.starts_with('\n')) };
            return Some(3 + newline);
        }
    }
    raw.starts_with(['"', '\'']).then_some(1)
}

impl Text {
    /// Drops marks around a value that are not part of it.
    pub(crate) fn within(value: &str, span: Span) -> Self {
        let plain = span.end.saturating_sub(span.start) as usize == value.len() + 2;
        Self { value: value.to_string(), span, content: plain.then_some(span.start + 1) }
    }

    /// Bytes `start..end` of the value.
    pub(crate) fn part(&self, start: usize, end: usize) -> Self {
        let value = self.value.get(start..end).unwrap_or("").to_string();
        Self { value, span: self.locate(start, end), content: self.content.map(|content| content + start as u32) }
    }

    /// A value that is in the file literally, such as a bare number.
    pub(crate) fn bare(value: &str, span: Span) -> Self {
        Self { value: value.to_string(), span, content: Some(span.start) }
    }
}
