//! What is shown of a rule file around a place: lines that fit a screen, without signs that a terminal would obey, the place with its line
//! and column as the file has them. Knows nothing of what is wrong there.

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use crate::words::diagnostic::Source;

/// Longer lines are cut, in bytes; and what is left of them before the place.
const LINE_MAX: usize = 200;
const BEFORE_MAX: usize = 60;
/// Longer sentences are cut, in letters.
const SENTENCE_MAX: usize = 1_000;
const CUT: &str = "…";

/// A text to be shown, and where the place stands in the file.
#[derive(Debug)]
pub(super) struct Excerpt {
    name: String,
    text: String,
    line: usize,
    column: usize,
}

impl Excerpt {
    /// The text around `start` and `length`, and where the place lies in it. Lines keep their numbers; the column counts letters, as in JSON.
    pub(super) fn new(
        source: &Source,
        (start, length): (usize, usize),
        (line, column): (usize, usize),
    ) -> (Excerpt, (usize, usize)) {
        let (text, place) = cut(&same_length(&source.text), start, length);
        (Excerpt { name: harmless(&source.name), text, line: line - 1, column: column - 1 }, place)
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
        // Without lines around it this is the place itself.
        let (line, column) =
            if before + after == 0 { (self.line, self.column) } else { (inner.line(), inner.column()) };
        let (name, lines) = (self.name.clone(), inner.line_count());
        Ok(Box::new(MietteSpanContents::new_named(name, inner.data(), *inner.span(), line, column, lines)))
    }
}

/// The text with its long lines cut, and the place in it.
fn cut(text: &str, start: usize, length: usize) -> (String, (usize, usize)) {
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
            (false, false) => (0, boundary(whole, LINE_MAX)),
            (false, true) => {
                let from = boundary(whole, (start - at).saturating_sub(BEFORE_MAX));
                (from, boundary(whole, from + LINE_MAX))
            }
        };
        if from > 0 {
            shown.push_str(CUT);
        }
        // Where a place of the file lies among what is shown, at the nearest end where it was cut off.
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

/// The place, or the end of the letter before it.
fn boundary(text: &str, place: usize) -> usize {
    (0..=place.min(text.len())).rev().find(|place| text.is_char_boundary(*place)).unwrap_or(0)
}

/// Signs that move the cursor, change colours or turn the direction of writing; lines and tabs are none.
fn is_obeyed(sign: char) -> bool {
    let turns = matches!(sign, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    turns || (sign.is_control() && !matches!(sign, '\n' | '\r' | '\t'))
}

/// The text without such signs, every other at its place.
fn same_length(text: &str) -> String {
    if !text.contains(is_obeyed) {
        return text.to_owned();
    }
    let harmless = |sign: char| match (is_obeyed(sign), sign.len_utf8()) {
        (false, _) => sign,
        (true, 1) => '?',
        (true, 2) => '¿',
        (true, _) => '\u{FFFD}',
    };
    text.chars().map(harmless).collect()
}

/// A sentence that may quote a file, as it may be shown.
pub(super) fn harmless(sentence: &str) -> String {
    let mut shown = same_length(sentence);
    if let Some((at, _)) = shown.char_indices().nth(SENTENCE_MAX) {
        shown.truncate(at);
        shown.push_str(CUT);
    }
    shown
}
