//! Days in the conditions of `skip`: a column of days is compared with days, not with letters. Must not read a table.

use std::sync::Arc;

use crate::base::date::{Day, IsoMoment};
use crate::statement::base::error::show_source_text;
use crate::statement::cells::cell::Cell;
use crate::statement::cells::date_pattern::Pattern;

/// A day that a column of days is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SkipDay {
    /// As it was written.
    pub(super) text: String,
    day: i32,
    /// The second of the day, if one was written.
    second: Option<i64>,
    /// How the days of the column are written. `None` for ISO 8601.
    pattern: Option<Arc<Pattern>>,
}

impl SkipDay {
    /// Reads a constant as a day, in the pattern of its column or in ISO 8601.
    pub(super) fn parse(text: &str, pattern: Option<&Arc<Pattern>>) -> Option<SkipDay> {
        let has_time = |pattern: &Pattern| pattern.text().contains(['h', 'H']);
        let in_pattern = pattern.and_then(|pattern| {
            let (day, second) = pattern.read(text)?;
            Some((day, has_time(pattern).then_some(second)))
        });
        let in_iso = || {
            let moment = IsoMoment::parse(text.trim())?;
            Some((moment.written, moment.time.map(|(second, _)| i64::from(second))))
        };
        let (day, second) = in_pattern.or_else(in_iso)?;
        Some(SkipDay { text: text.to_owned(), day: day.days(), second, pattern: pattern.cloned() })
    }

    /// Whether the day of a cell is before this one, equal or after. `None` if the cell holds no day.
    pub(super) fn compare_cell(&self, cell: &Cell<'_>) -> Option<std::cmp::Ordering> {
        let pattern = self.pattern.as_deref();
        let (day, second) = match (cell, pattern) {
            (Cell::Text(text), Some(pattern)) => pattern.read(text)?,
            (Cell::Text(text), None) => {
                let moment = IsoMoment::parse(text.trim())?;
                (moment.written, i64::from(moment.time.map_or(0, |(second, _)| second)))
            }
            (Cell::Day(days), _) => (Day::checked_from_days(*days)?, 0),
            (Cell::Moment { seconds, .. }, _) => {
                let days = i32::try_from(seconds.div_euclid(86_400)).ok()?;
                (Day::checked_from_days(days)?, seconds.rem_euclid(86_400))
            }
            (cell, Some(pattern)) => match cell.whole() {
                Some(number) => pattern.read_number(number)?,
                None => pattern.read(&cell.display())?,
            },
            _ => return None,
        };
        Some((day.days(), self.second.map(|_| second)).cmp(&(self.day, self.second)))
    }
}

/// The error for a constant that names no day, where days are compared.
pub(super) fn refuse_constant(text: &str, column: &str, pattern: Option<&Arc<Pattern>>) -> String {
    let written = match pattern {
        Some(pattern) => format!("in the pattern `{}`, or as 2026-02-28", show_source_text(pattern.text())),
        None => "as 2026-02-28".to_owned(),
    };
    format!(
        "skip: `{}` is not a day, and `{}` is a column of days; write the day {written}",
        show_source_text(text),
        show_source_text(column)
    )
}
