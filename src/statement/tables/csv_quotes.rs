//! Finds quotes in a CSV table that do not close where their text ends, and so swallow the rows after them. Must not
//! know what columns mean.
//!
//! The CSV reader accepts whatever the quotes hold, even half the table. This file looks for signs of that in the row's
//! source text.

const HOW: &str =
    "close it where the text ends, and write a quote inside a text as two quotes, with quotes around the whole text";

/// What is wrong with the quotes in the source text of one row. `row_in` says whether a line within a quoted text of
/// the given column looks like a row of the table.
pub(crate) fn fault(row: &str, row_in: impl Fn(usize, &str) -> bool) -> Option<String> {
    let mut state = State::Start;
    let (mut opened, mut column) = (0, 0);
    for (at, byte) in row.bytes().chain([b'\n']).enumerate() {
        let before = state;
        state = match (state, byte) {
            (State::Quoted, b'"') => State::Closing,
            (State::Quoted, _) | (State::Closing, b'"') => State::Quoted,
            (State::Start, b'"') => {
                opened = at + 1;
                State::Quoted
            }
            (_, b',' | b'\r' | b'\n') => State::Start,
            (State::Start | State::Plain | State::Closing, _) => State::Plain,
        };
        if before == State::Closing && state != State::Quoted {
            let text = row.get(opened..at.saturating_sub(1)).unwrap_or_default();
            let mut lines = text.lines().skip(1).peekable();
            if lines.peek().is_some() && (state == State::Plain || lines.any(|line| row_in(column, line))) {
                return Some(format!("a quote opened in this row is not closed before the next rows begin; {HOW}"));
            }
        }
        column += usize::from(state == State::Start && byte == b',');
    }
    let unclosed = state == State::Quoted;
    unclosed
        .then(|| format!("a quote opened in this row is never closed, so the rest of the file would be lost; {HOW}"))
}

/// The state within a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Before a field.
    Start,
    /// In a field without quotes, or after its closing quote.
    Plain,
    Quoted,
    /// After a quote within quotes: it closes them, or is the first of a doubled quote.
    Closing,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_sound(row: &str) -> bool {
        fault(row, |column, line| column == 1 && line == "x,y").is_none()
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
