//! How long a loan lasts, and when each of its payments is due.

use std::fmt;

use super::annual::Moment;
use crate::base::date::Day;

/// The unit that a policy counts tenures in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TenureUnit {
    /// Days.
    #[default]
    Days,
    /// Weeks of seven days.
    Weeks,
    /// Calendar months.
    Months,
}

impl TenureUnit {
    /// What a rule file calls it.
    pub const fn name(self) -> &'static str {
        match self {
            TenureUnit::Days => "days",
            TenureUnit::Weeks => "weeks",
            TenureUnit::Months => "months",
        }
    }

    /// The letter of an ISO 8601 period.
    const fn letter(self) -> char {
        match self {
            TenureUnit::Days => 'D',
            TenureUnit::Weeks => 'W',
            TenureUnit::Months => 'M',
        }
    }
}

impl fmt::Display for TenureUnit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// The length of a loan and its instalment periods, which are equal parts of it.
///
/// ```
/// use lendwright::Day;
/// use lendwright::base::pricing::{Tenure, TenureUnit};
///
/// let quarter = Tenure { length: 3, unit: TenureUnit::Months, instalments: 3 };
/// assert_eq!(quarter.period().as_deref(), Some("P1M"));
/// // The last day of a shorter month; the next due date has the 31st again.
/// let paid_out = Day::from_ymd(2026, 1, 31).unwrap();
/// let due = |number| quarter.due(paid_out, number).unwrap().to_string();
/// assert_eq!([due(1), due(2), due(3)], ["2026-02-28", "2026-03-31", "2026-04-30"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tenure {
    /// The number of units.
    pub length: u32,
    /// The unit.
    pub unit: TenureUnit,
    /// The number of instalment periods, above zero.
    pub instalments: u32,
}

impl Tenure {
    /// The instalment period, which the rate is for, as an ISO 8601 period: `P30D`, `P1W`, `P1M`. `None` if it is not
    /// a whole number of units.
    pub fn period(&self) -> Option<String> {
        Some(format!("P{}{}", self.units_per_period()?, self.unit.letter()))
    }

    /// The instalment period in words: `30 days`, `1 month`, `100/3 days`.
    pub fn period_in_words(&self) -> String {
        let name = self.unit.name();
        match self.units_per_period() {
            Some(1) => format!("1 {}", name.trim_end_matches('s')),
            Some(units) => format!("{units} {name}"),
            None => format!("{}/{} {name}", self.length, self.instalments),
        }
    }

    fn units_per_period(&self) -> Option<u32> {
        (self.length.checked_rem(self.instalments)? == 0).then(|| self.length / self.instalments)
    }

    /// The day on which the instalment of this number is due, for a loan paid out on `start`. `None` if a period in
    /// months is not a whole number of them, or the day is beyond the calendar.
    pub fn due(&self, start: Day, number: u32) -> Option<Day> {
        match self.unit {
            TenureUnit::Days | TenureUnit::Weeks => {
                let days = i32::try_from(self.days(number)?).ok()?;
                Day::checked_from_days(start.days().checked_add(days)?)
            }
            TenureUnit::Months => start.plus_months(self.units_per_period()?.checked_mul(number)?),
        }
    }

    /// The days from the paying out to an instalment, to the nearest day and half a day up; `None` for months.
    fn days(&self, number: u32) -> Option<u64> {
        let days = match self.unit {
            TenureUnit::Days => u64::from(self.length),
            TenureUnit::Weeks => u64::from(self.length) * 7,
            TenureUnit::Months => return None,
        };
        let parts = u64::from(self.instalments);
        (2 * days * u64::from(number) + parts).checked_div(2 * parts)
    }

    /// The time from the paying out to an instalment. A month is 365/12 days.
    pub(super) fn moment(&self, number: u32) -> Moment {
        match self.days(number) {
            Some(days) => Moment { parts: days * 12, per_month: 365 },
            None => {
                let parts = u64::from(self.length) * u64::from(number);
                Moment { parts, per_month: u64::from(self.instalments.max(1)) }
            }
        }
    }
}
