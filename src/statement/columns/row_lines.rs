//! In which line of its text each row of a table begins. Must not know what a row holds.

use serde::{Deserialize, Serialize};

/// The lines of rows, as far as they differ from those of a table whose header is the first line and whose rows are a
/// line each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RowLines {
    /// From which row on the rows follow line by line, and the line of that row; 0 if it is not known.
    runs: Vec<(u32, u64)>,
}

/// Beyond so many runs, the lines of further rows are not known.
const RUNS_MAX: usize = 4096;

impl RowLines {
    /// Adds the line of the next row.
    pub(crate) fn add(&mut self, row: u32, line: u64) {
        let is_known = self.runs.last().is_none_or(|(_, line)| *line > 0);
        if is_known && self.at(row) != line {
            self.runs.push((row, if self.runs.len() < RUNS_MAX { line } else { 0 }));
        }
    }

    /// The line of a row, unless it is the one that the row's number tells.
    pub(crate) fn line(&self, row: u32) -> Option<u64> {
        // A smaller number belongs to a text whose lines do not end in line feeds, which are what is counted.
        Some(self.at(row)).filter(|line| *line > RowLines::default().at(row))
    }

    /// The line by the run before the row. The first row of a plain table is line 2.
    fn at(&self, row: u32) -> u64 {
        let before = self.runs.partition_point(|(first, _)| *first <= row);
        match before.checked_sub(1).and_then(|last| self.runs.get(last)) {
            None => u64::from(row) + 2,
            Some((_, 0)) => 0,
            Some((first, line)) => line + u64::from(row - first),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_known_where_they_are_not_obvious() {
        let mut lines = RowLines::default();
        for (row, line) in [(0, 2), (1, 3), (2, 6), (3, 7), (4, 8)] {
            lines.add(row, line);
        }
        assert_eq!([0, 1, 2, 4].map(|row| lines.line(row)), [None, None, Some(6), Some(8)]);
        let mut odd = RowLines::default();
        (0..10_000).for_each(|row| odd.add(row, u64::from(row) * 2 + 7));
        assert_eq!((odd.line(9), odd.line(9_999), odd.runs.len()), (Some(25), None, RUNS_MAX + 1));
    }
}
