//! Input and output: records and streams. Finds nothing.

use crate::base::rational::Rational;

/// One record of a statement, with what streams need of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamEntry {
    /// Days since 1970-01-01.
    pub day: i32,
    /// Minor units, above zero; a record of zero or less belongs to no stream.
    pub amount: i64,
    /// Money in, else money out.
    pub is_credit: bool,
    /// The index of its key; an index beyond the list means no key.
    pub key: u32,
}

/// The period of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Period {
    /// Every seven days.
    Weekly,
    /// Every fourteen days.
    Fortnightly,
    /// On two days of the month, half a month apart.
    Semimonthly,
    /// Every twenty-eight days.
    FourWeekly,
    /// On a day of the month, or on its last.
    Monthly,
    /// On a day of every third month.
    Quarterly,
}

impl Period {
    /// Every period, the shortest first.
    pub const ALL: [Self; 6] =
        [Self::Weekly, Self::Fortnightly, Self::Semimonthly, Self::FourWeekly, Self::Monthly, Self::Quarterly];
    /// Periods that are always tried. The others are tried if one of these fits badly: see [`between`](super::between).
    pub(super) const COMMON: [Self; 4] = [Self::Weekly, Self::Fortnightly, Self::Monthly, Self::Quarterly];

    /// The period's name in rules and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Weekly => "weekly",
            Self::Fortnightly => "fortnightly",
            Self::Semimonthly => "semimonthly",
            Self::FourWeekly => "four_weekly",
            Self::Monthly => "monthly",
            Self::Quarterly => "quarterly",
        }
    }
}

/// A series of recurring credits or debits.
#[derive(Clone, Debug, PartialEq)]
pub struct Stream {
    /// Money in, else money out.
    pub is_credit: bool,
    /// Its period.
    pub period: Period,
    /// Indexes in the list of entries, ascending. A payment in two parts has two rows in one cycle.
    pub rows: Vec<usize>,
    /// The median amount of a cycle; the lower of two middle ones.
    pub amount: i64,
    /// The expected amount per month: the median of the latest three cycles, scaled from the period to a month and
    /// rounded half up. A semimonthly stream adds the medians of the latest three of each day. `None` on overflow.
    pub month_amount: Option<i64>,
    /// The day of its first row.
    pub first: i32,
    /// The day of its last row.
    pub last: i32,
    /// The day on which the first cycle that is neither paid nor missed is due.
    pub next: i32,
    /// Cycles since the last paid one that were due, including days of grace, before `as_of`.
    pub missed: i64,
    /// From 0 to 1: the share of cycles that came, times how near they were to their days.
    pub regularity: Rational,
    /// At most two cycles are missed.
    pub is_live: bool,
}

/// The default tolerance of amounts, in thousandths of the median.
pub const TOLERANCE: u32 = 150;
