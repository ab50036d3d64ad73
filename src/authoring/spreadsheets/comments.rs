//! What stands between the rows of a list in TOML: comments and blank lines.

use super::row_positions::WrittenRows;

/// What stands around one row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Around {
    /// The lines above it, each a comment or blank.
    pub above: Vec<String>,
    /// The comment at its end.
    pub at_end: Option<String>,
}

/// What stands between the rows of a list.
#[derive(Clone, Debug, Default)]
pub(super) struct Between {
    /// The comment after the opening bracket.
    pub head: Option<String>,
    pub rows: Vec<Around>,
    /// The lines after the last row.
    pub tail: Vec<String>,
    /// Whether the list is on several lines.
    pub is_broken: bool,
}

/// Reads what stands between the rows.
pub(super) fn read_between_rows(text: &str, list: &WrittenRows) -> Between {
    let mut found = Between::default();
    let mut end = list.range.start + 1;
    let starts =
        list.rows.iter().map(|row| row.range.clone()).chain(std::iter::once(list.range.end - 1..list.range.end));
    for (index, row) in starts.enumerate() {
        // Only white space, commas and comments are between rows.
        let gap = text.get(end..row.start).unwrap_or_default();
        let mut lines = gap.split('\n').map(|line| line.trim().trim_start_matches(',').trim_start().to_owned());
        let first = lines.next().filter(|line| !line.is_empty());
        match index.checked_sub(1).and_then(|before| found.rows.get_mut(before)) {
            Some(before) => before.at_end = first,
            None => found.head = first,
        }
        let mut above: Vec<String> = lines.collect();
        found.is_broken |= !above.is_empty();
        // The last is the beginning of the row's own line.
        above.pop();
        if index < list.rows.len() {
            found.rows.push(Around { above, at_end: None });
        } else {
            found.tail = above;
        }
        end = row.end;
    }
    found
}

impl Around {
    /// The comments, without their signs.
    pub(super) fn text(&self) -> String {
        let comments = self.above.iter().chain(&self.at_end).filter(|line| !line.is_empty());
        comments.map(|comment| strip_comment_sign(comment)).collect::<Vec<_>>().join("\n")
    }

    /// The same place with other comments. A comment stays above a row or at its end if it was there.
    pub(super) fn with_text(&self, text: &str) -> Around {
        let mut lines: Vec<String> =
            text.lines().map(str::trim).filter(|line| !line.is_empty()).map(|line| format!("# {line}")).collect();
        let was_above = self.above.iter().any(|line| !line.is_empty());
        let at_end = match (&self.at_end, was_above) {
            (Some(_), _) => lines.pop(),
            (None, true) => None,
            (None, false) if lines.len() == 1 => lines.pop(),
            (None, false) => None,
        };
        let blank = self.above.first().filter(|line| line.is_empty()).cloned();
        Around { above: blank.into_iter().chain(lines).collect(), at_end }
    }
}

/// A comment without its sign.
pub(super) fn strip_comment_sign(comment: &str) -> String {
    let text = comment.strip_prefix('#').unwrap_or(comment);
    text.strip_prefix(' ').unwrap_or(text).trim_end().to_owned()
}
