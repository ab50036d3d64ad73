//! The days that a statement covers, and who says so.

use serde::{Deserialize, Serialize};

use crate::base::date::Day;

/// The days that a statement covers: an export of them would list every record of the account.
///
/// `docs/explanation/period.md` says where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StatementPeriod {
    /// The first day.
    pub from: Day,
    /// The last day.
    pub to: Day,
    /// Who says so.
    pub source: PeriodSource,
}

/// Who says which days a statement covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PeriodSource {
    /// The caller.
    Stated,
    /// The file.
    #[default]
    File,
    /// The balances that the file states: it covers the days from the first to the last of them, and perhaps more.
    Balances,
    /// The rhythm of the records makes it likely.
    Records,
}

impl StatementPeriod {
    /// The period from one day to another.
    pub(crate) fn new(from: Day, to: Day, source: PeriodSource) -> StatementPeriod {
        StatementPeriod { from, to, source }
    }

    /// Whether a day, in days since 1970-01-01, is in the period.
    pub(crate) fn covers(&self, day: i32) -> bool {
        (self.from.days()..=self.to.days()).contains(&day)
    }

    /// The period with the days of these balances too.
    pub(crate) fn of_balances(days: impl Iterator<Item = (i32, i32)>) -> Option<StatementPeriod> {
        let (from, to) = days.reduce(|(from, to), (opening, closing)| (from.min(opening), to.max(closing)))?;
        let (from, to) = (Day::checked_from_days(from)?, Day::checked_from_days(to)?);
        (from <= to).then_some(StatementPeriod::new(from, to, PeriodSource::Balances))
    }

    /// The period as messages name it.
    pub(crate) fn name(&self) -> String {
        format!("{} to {}", self.from, self.to)
    }
}

/// The period that the parts of one statement state together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PeriodParts {
    /// The first day and the last.
    days: Option<(i32, i32)>,
    source: PeriodSource,
    /// How many records came with a period. One without a period may be of any day.
    records: u64,
}

impl PeriodParts {
    /// A period of this many records.
    pub(crate) fn of_records(period: StatementPeriod, records: u64) -> PeriodParts {
        PeriodParts { days: Some((period.from.days(), period.to.days())), source: period.source, records }
    }

    /// Adds a part. What two parts state together is from the first day of both to the last.
    pub(crate) fn add(&mut self, other: PeriodParts) {
        self.records += other.records;
        let Some((from, to)) = other.days else { return };
        let is_alike = self.days.is_none() || self.source == other.source;
        // Of two sources, the one that says the least.
        self.source = if is_alike { other.source } else { PeriodSource::Balances };
        let (first, last) = self.days.unwrap_or((from, to));
        self.days = Some((first.min(from), last.max(to)));
    }

    /// The period of a statement with this many records, if it is stated for all of them.
    pub(crate) fn whole(&self, records: u64) -> Option<StatementPeriod> {
        let (from, to) = self.days.filter(|_| self.records >= records)?;
        Some(StatementPeriod::new(Day::from_days(from), Day::from_days(to), self.source))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_state_a_period_together_if_all_records_have_one() {
        let period = |from, to| StatementPeriod::new(Day::from_days(from), Day::from_days(to), PeriodSource::File);
        let mut parts = PeriodParts::default();
        assert_eq!(parts.whole(0), None);
        parts.add(PeriodParts::of_records(period(31, 58), 2));
        parts.add(PeriodParts::of_records(period(0, 30), 1));
        assert_eq!(parts.whole(3), Some(period(0, 58)));
        assert_eq!(parts.whole(4), None, "a record of another part has none");
        assert!(period(3, 5).covers(3) && period(3, 5).covers(5) && !period(3, 5).covers(6));
    }
}
