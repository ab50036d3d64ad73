//! The options of a statement, and the days that follow from them. There is no clock: the end is an option with a fixed
//! default.

use super::calendar::{self, DayNumber};
use super::market::Market;
use super::people::person::Profile;
use super::random::Draw;
use crate::base::date::Day;

/// Why a statement cannot be generated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The start is after the end.
    #[error("no days from `{start}` to `{end}`: give a start on or before the end")]
    NoDays {
        /// The first day asked for.
        start: String,
        /// The last day asked for.
        end: String,
    },
    /// A day outside the supported years.
    #[error("`{day}` is outside the years 1901 to 2199")]
    OutsideYears {
        /// The day.
        day: String,
    },
    /// A number of months that is zero or more than a century.
    #[error("`{months}` months: give 1 to 1200")]
    Months {
        /// The months asked for.
        months: u32,
    },
    /// More records than identifiers of 32 bits allow.
    #[error("`{records}` records: a statement holds at most 4294967295")]
    TooManyRecords {
        /// The records asked for.
        records: u64,
    },
    /// A number of accounts that is zero or more than there are banks for.
    #[error("`{accounts}` accounts: give 1 to 9")]
    Accounts {
        /// The accounts asked for.
        accounts: u32,
    },
    /// A noise that is not a share between 0 and 1.
    #[error("a noise of `{noise}`: give 0.0 to 1.0")]
    Noise {
        /// The noise asked for.
        noise: String,
    },
}

/// What makes statements hard to read, in addition to the noise. Each option has a strong effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hard {
    /// Pay and streams come up to nine days early or late, at weekends too. A missed payment is made up with the next.
    pub irregular: bool,
    /// Most pay comes in two or three parts.
    pub split: bool,
    /// Narrations are misleading or missing.
    pub misleading: bool,
}

impl Hard {
    /// All options.
    pub const ALL: Self = Self { irregular: true, split: true, misleading: true };
}

/// What a statement is like.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The exact number of records in the statement.
    pub records: u64,
    /// Whether debits and balances are listed too. Otherwise credits only, as in the interface.
    pub debits: bool,
    /// 0.0 for textbook statements to 1.0 for hopeless ones.
    pub noise: f64,
    /// The first day; takes precedence over `months`.
    pub start: Option<Day>,
    /// The last day; by default 2026-10-31.
    pub end: Option<Day>,
    /// The number of calendar months, the last one included; by default as many as the records fill, at most 36.
    pub months: Option<u32>,
    /// What makes it hard to read, in addition to the noise.
    pub hard: Hard,
    /// Accounts of the customer, 1 to 9. A [`Customer`](super::Customer) has them all; a [`Plan`](super::Plan) is of
    /// one.
    pub accounts: u32,
    /// Whether each account is exported twice, with overlapping days.
    pub overlap: bool,
    /// Where the people bank. A [`Person`](super::Person) that is given keeps the own market.
    pub market: Market,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            records: 200,
            debits: false,
            noise: 0.1,
            start: None,
            end: None,
            months: None,
            hard: Hard::default(),
            accounts: 1,
            overlap: false,
            market: Market::Nigeria,
        }
    }
}

impl Options {
    /// Refuses options that cannot be met.
    ///
    /// # Errors
    /// The first option that is out of its range.
    pub fn check(&self) -> Result<(), Error> {
        if !(0.0..=1.0).contains(&self.noise) {
            return Err(Error::Noise { noise: self.noise.to_string() });
        }
        if self.records > u64::from(u32::MAX) {
            return Err(Error::TooManyRecords { records: self.records });
        }
        if !(1..=9).contains(&self.accounts) {
            return Err(Error::Accounts { accounts: self.accounts });
        }
        if let Some(months) = self.months.filter(|months| !(1..=1200).contains(months)) {
            return Err(Error::Months { months });
        }
        for day in [self.start, self.end].into_iter().flatten() {
            if !(1901..=2199).contains(&calendar::year_month_day(day.days()).0) {
                return Err(Error::OutsideYears { day: day.to_string() });
            }
        }
        match self.start {
            Some(start) if start.days() > self.last() => Err(Error::NoDays {
                start: start.to_string(),
                end: self.end.map_or_else(|| DEFAULT_END.into(), |end| end.to_string()),
            }),
            _ => Ok(()),
        }
    }

    /// The noise in thousandths.
    pub(crate) fn noise_permille(&self) -> u32 {
        (self.noise.clamp(0.0, 1.0) * 1000.0).round() as u32
    }

    fn last(&self) -> DayNumber {
        self.end.map_or_else(|| calendar::day_number(2026, 10, 31), Day::days)
    }

    /// First and last day of a statement. With default days, the export may start and end within a month, as real ones
    /// do.
    pub(crate) fn window(&self, profile: Profile, records: u64, draw: &mut Draw) -> (DayNumber, DayNumber) {
        let begins_late = if draw.chance(400) { draw.below(27) as i32 } else { 0 };
        let ends_early = if draw.chance(400) { draw.below(20) as i32 } else { 0 };
        let (first, last) = self.whole_window(profile, records);
        let months = calendar::month_index(last) + 1 - calendar::month_index(first);
        let free = self.start.is_none() && self.months.is_none() && self.end.is_none() && months > 1;
        if free { (first + begins_late, last - ends_early) } else { (first, last) }
    }

    /// First and last day, before an export starts late or ends early.
    pub(crate) fn whole_window(&self, profile: Profile, records: u64) -> (DayNumber, DayNumber) {
        let last = self.last();
        if let Some(start) = self.start {
            return (start.days().min(last), last);
        }
        let a_month = profile.monthly_credits() * if self.debits { 4 } else { 1 };
        let months = self.months.unwrap_or_else(|| records.div_ceil(a_month).clamp(1, 36) as u32);
        (calendar::in_month(calendar::month_index(last) + 1 - months as i32, 1), last)
    }
}

/// The default last day of statements.
pub const DEFAULT_END: &str = "2026-10-31";
