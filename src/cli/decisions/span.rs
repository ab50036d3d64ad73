//! The span of days that a command looks at.

use clap::Args;

use super::super::input::parse_day_argument;
use super::super::output::Failure;
use crate::base::date::Day;
use crate::base::time::{DAY, Timestamp};
use crate::decision_book::DecisionFilter;

/// The moment at which a day begins, in UTC.
pub(super) fn begin_of_day(day: Day) -> Option<Timestamp> {
    Timestamp::from_milliseconds(i64::from(day.days()) * DAY)
}

/// The span of a command.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct SpanArgs {
    /// The first day on which decisions were made, in UTC
    #[arg(long, value_name = "DAY", value_parser = parse_day_argument)]
    pub(crate) from: Option<Day>,
    /// The last day
    #[arg(long, value_name = "DAY", value_parser = parse_day_argument)]
    pub(crate) to: Option<Day>,
}

impl SpanArgs {
    /// The decisions of the span.
    pub(super) fn filter(&self) -> Result<DecisionFilter, Failure> {
        if self.from.zip(self.to).is_some_and(|(from, to)| from > to) {
            return Err(Failure::message("--from is after --to"));
        }
        Ok(DecisionFilter {
            from: self.from.and_then(begin_of_day),
            before: self.to.and_then(|day| begin_of_day(Day::checked_from_days(day.days() + 1)?)),
        })
    }
}
