//! Excerpts of rule files around a place. Long lines are cut, and control characters are replaced. Line and column are
//! those in the file. Knows nothing of what is wrong there.

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use crate::base::diagnostic::Source;
use crate::base::text::is_unseen;

/// Longer lines are cut, in bytes.
const LINE_MAX: usize = 200;
/// How much of a cut line is shown before the place, in bytes.
const BEFORE_MAX: usize = 60;
/// Longer sentences are cut, in characters.
const SENTENCE_MAX: usize = 1_000;
const CUT: &str = "…";

/// The text to show, and the place in the file.
#[derive(Debug)]
pub(super) struct Excerpt {
    name: String,
    text: String,
    line: usize,
    column: usize,
}

impl Excerpt {
    /// The text around `start` and `length`, and the place in that text. Lines keep their numbers. The column counts
    /// characters, as in JSON.
    pub(super) fn new(
        source: &Source,
        (start, length): (usize, usize),
        (line, column): (usize, usize),
    ) -> (Excerpt, (usize, usize)) {
        let (text, place) = cut_long_lines(&same_length(&source.text), start, length);
        (Excerpt { name: make_sentence_harmless(&source.name), text, line: line - 1, column: column - 1 }, place)
    }
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let inner = self.text.read_span(span, before, after)?;
        // Without context lines, this is the place itself.
        let (line, column) =
            if before + after == 0 { (self.line, self.column) } else { (inner.line(), inner.column()) };
        let (name, lines) = (self.name.clone(), inner.line_count());
        Ok(Box::new(MietteSpanContents::new_named(name, inner.data(), *inner.span(), line, column, lines)))
    }
}

/// The text with its long lines cut, and the place in it.
fn cut_long_lines(text: &str, start: usize, length: usize) -> (String, (usize, usize)) {
    if text.lines().all(|line| line.len() <= LINE_MAX) {
        return (text.to_owned(), (start, length));
    }
    let end = start + length;
    let (mut shown, mut at, mut place) = (String::new(), 0, (None, None));
    for line in text.split_inclusive('\n') {
        let whole = line.trim_end_matches(['\n', '\r']);
        let is_here = (at..=at + whole.len()).contains(&start);
        let (from, to) = match (whole.len() <= LINE_MAX, is_here) {
            (true, _) => (0, whole.len()),
            (false, false) => (0, char_boundary_before(whole, LINE_MAX)),
            (false, true) => {
                let from = char_boundary_before(whole, (start - at).saturating_sub(BEFORE_MAX));
                (from, char_boundary_before(whole, from + LINE_MAX))
            }
        };
        if from > 0 {
            shown.push_str(CUT);
        }
        // The place in the shown text. A place that was cut off moves to the nearest end.
        let moved = |place: usize| shown.len() + (place - at).clamp(from, to) - from;
        if place.0.is_none() && is_here {
            place.0 = Some(moved(start));
        }
        if place.1.is_none() && (at..=at + whole.len()).contains(&end) {
            place.1 = Some(moved(end));
        }
        shown.push_str(&whole[from..to]);
        if to < whole.len() {
            shown.push_str(CUT);
        }
        shown.push_str(&line[whole.len()..]);
        at += line.len();
    }
    let first = place.0.unwrap_or(shown.len());
    let last = place.1.unwrap_or(first).max(first);
    (shown, (first, last - first))
}

/// The place, or the start of the character that it is in.
fn char_boundary_before(text: &str, place: usize) -> usize {
    (0..=place.min(text.len())).rev().find(|place| text.is_char_boundary(*place)).unwrap_or(0)
}

/// Characters that move the cursor, change colours or the direction of writing, or cannot be seen. Line breaks and tabs
/// are allowed.
fn is_terminal_control(character: char) -> bool {
    is_unseen(character) && !matches!(character, '\n' | '\r' | '\t')
}

/// Replaces control characters by others of the same length in bytes, so that places stay valid.
fn same_length(text: &str) -> String {
    if !text.contains(is_terminal_control) {
        return text.to_owned();
    }
    let harmless = |character: char| match (is_terminal_control(character), character.len_utf8()) {
        (false, _) => character,
        (true, 1) => '?',
        (true, 2) => '¿',
        (true, 3) => '\u{FFFD}',
        (true, _) => '🛇',
    };
    text.chars().map(harmless).collect()
}

/// Makes a sentence safe to show: it may quote a file.
pub(super) fn make_sentence_harmless(sentence: &str) -> String {
    let mut shown = same_length(sentence);
    if let Some((at, _)) = shown.char_indices().nth(SENTENCE_MAX) {
        shown.truncate(at);
        shown.push_str(CUT);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::same_length;

    #[test]
    fn what_is_replaced_keeps_its_length() {
        for (text, shown) in
            [("a\u{1b}b\n\t", "a?b\n\t"), ("\u{ad}\u{9b}", "¿¿"), ("\u{202e}", "\u{fffd}"), ("\u{e0041}", "🛇")]
        {
            assert_eq!(same_length(text), shown);
            assert_eq!(text.len(), shown.len());
        }
    }
}
