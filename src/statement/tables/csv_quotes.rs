//! Quotes in a CSV table that do not close where their text ends, and so take the rows after them along. Must not know what columns mean.
//!
//! The reader of rows takes whatever the quotes hold, be it half the table. Here is what a row's own text gives away of that.

const HOW: &str =
    "close it where the text ends, and write a quote that is part of a text twice, with quotes around the whole text";

/// What is wrong with the quotes of one row, as it stands in the table; `row_in` tells whether a line within a quoted text reads as one
/// of the table's rows from the given column on.
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
            _ => State::Plain,
        };
        if before == State::Closing && state != State::Quoted {
            let text = row.get(opened..at.saturating_sub(1)).unwrap_or_default();
            let mut lines = text.lines().skip(1).peekable();
            if lines.peek().is_some() && (state == State::Plain || lines.any(|line| row_in(column, line))) {
                return Some(format!("a quote that opens in this row is not closed before the next rows begin; {HOW}"));
            }
        }
        column += usize::from(state == State::Start && byte == b',');
    }
    let unclosed = state == State::Quoted;
    unclosed.then(|| {
        format!("a quote that opens in this row is never closed, so that all that follows would be lost; {HOW}")
    })
}

/// Where in a row its text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Before a field.
    Start,
    /// In a field without quotes, or after those that it had.
    Plain,
    Quoted,
    /// After a quote in quotes: it closes them, or it is the first of two that stand for one.
    Closing,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_sound(row: &str) -> bool {
        fault(row, |column, line| column == 1 && line == "x,y").is_none()
    }

    #[test]
    fn a_text_in_quotes_may_go_over_lines() {
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
    fn a_quote_that_takes_rows_along_is_seen() {
        for row in
            ["a,\"b\n", "a,\"b", "a,\"", "a,\"b\nc,\"d\"\n", "a,\"b\nx,y\"\n", "a,\"b\"\"\n", "a,\"b\nc,\"d\ne,f\"\n"]
        {
            assert!(!is_sound(row), "{row:?}");
        }
    }
}
