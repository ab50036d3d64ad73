//! Finds quotes in a CSV table that do not close where their text ends, and so swallow the rows after them.
//!
//! The CSV reader accepts whatever the quotes hold, even half the table. This file looks for signs of that in the row's
//! source text.

const HOW: &str =
    "close it where the text ends, and write a quote inside a text as two quotes, with quotes around the whole text";

/// What is wrong with the quotes in the source text of one row. `row_in` says whether a line within a quoted text of
/// the given column looks like a row of the table.
pub(crate) fn find_quote_fault(row: &str, delimiter: u8, row_in: impl Fn(usize, &str) -> bool) -> Option<String> {
    let mut state = QuoteState::Start;
    let (mut opened, mut column) = (0, 0);
    for (at, byte) in row.bytes().chain([b'\n']).enumerate() {
        let before = state;
        state = state.after(byte, delimiter);
        if before == QuoteState::Start && state == QuoteState::Quoted {
            opened = at + 1;
        }
        if before == QuoteState::Closing && state != QuoteState::Quoted {
            let text = row.get(opened..at.saturating_sub(1)).unwrap_or_default();
            let mut lines = text.lines().skip(1).peekable();
            if lines.peek().is_some() && (state == QuoteState::Plain || lines.any(|line| row_in(column, line))) {
                return Some(format!("a quote opened in this row is not closed before the next rows begin; {HOW}"));
            }
        }
        column += usize::from(state == QuoteState::Start && byte == delimiter);
    }
    let unclosed = state == QuoteState::Quoted;
    unclosed
        .then(|| format!("a quote opened in this row is never closed, so the rest of the file would be lost; {HOW}"))
}

/// The state within a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum QuoteState {
    /// Before a field.
    Start,
    /// In a field without quotes, or after its closing quote.
    Plain,
    Quoted,
    /// After a quote within quotes: it closes them, or is the first of a doubled quote.
    Closing,
}

impl QuoteState {
    fn after(self, byte: u8, delimiter: u8) -> QuoteState {
        match (self, byte) {
            (QuoteState::Quoted, b'"') => QuoteState::Closing,
            (QuoteState::Quoted, _) | (QuoteState::Closing | QuoteState::Start, b'"') => QuoteState::Quoted,
            (_, b'\r' | b'\n') => QuoteState::Start,
            (_, byte) if byte == delimiter => QuoteState::Start,
            (QuoteState::Start | QuoteState::Plain | QuoteState::Closing, _) => QuoteState::Plain,
        }
    }
}

/// Follows a text to see where it is within quotes.
pub(crate) struct Quoting {
    state: QuoteState,
    delimiter: u8,
}

impl Quoting {
    pub(crate) fn new(delimiter: u8) -> Quoting {
        Quoting { state: QuoteState::Start, delimiter }
    }

    /// Whether the text so far ends within quotes.
    pub(crate) fn is_open(&self) -> bool {
        self.state == QuoteState::Quoted
    }

    /// Follows the next line, with its line break.
    pub(crate) fn pass(&mut self, line: &[u8]) {
        if self.state == QuoteState::Start && memchr::memchr(b'"', line).is_none() {
            return;
        }
        self.state = line.iter().fold(self.state, |state, byte| state.after(*byte, self.delimiter));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_sound(row: &str) -> bool {
        let semicolons = find_quote_fault(&row.replace(',', ";"), b';', |column, line| column == 1 && line == "x;y");
        let commas = find_quote_fault(row, b',', |column, line| column == 1 && line == "x,y");
        assert_eq!(commas, semicolons, "{row:?}");
        commas.is_none()
    }

    #[test]
    fn a_text_in_quotes_may_span_lines() {
        for row in [
            "a,b\n",
            "a,\"b\"\n",
            "a,\"b\nc, d\"\r\n",
            "a,\"\"\n",
            "a,\"b \"\"c\"\"\n\"\n",
            "a,b\"\n",
            "a,\"b\"c\n",
            "\n\"a\",\"b\"",
        ] {
            assert!(is_sound(row), "{row:?}");
        }
    }

    #[test]
    fn a_quote_that_swallows_rows_is_found() {
        for row in
            ["a,\"b\n", "a,\"b", "a,\"", "a,\"b\nc,\"d\"\n", "a,\"b\nx,y\"\n", "a,\"b\"\"\n", "a,\"b\nc,\"d\ne,f\"\n"]
        {
            assert!(!is_sound(row), "{row:?}");
        }
    }
}
