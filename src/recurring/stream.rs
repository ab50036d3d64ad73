//! What goes in and comes out: records and streams. Finds nothing.

use crate::words::rational::Rational;

/// One record of a statement, as far as streams are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Days since 1970-01-01.
    pub day: i32,
    /// Minor units, above zero; a record of zero or less belongs to no stream.
    pub amount: i64,
    /// Money in, else money out.
    pub is_credit: bool,
    /// Its place in the list of keys; beyond the list stands for no key.
    pub key: u32,
}

/// How often a stream comes.
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
    /// Those that are looked for in all days. The others are looked for where one of these fits badly: see
    /// [`between`](super::between).
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

/// A run of credits, or of debits, that comes again and again.
#[derive(Clone, Debug, PartialEq)]
pub struct Stream {
    /// Money in, else money out.
    pub is_credit: bool,
    /// How often it comes.
    pub period: Period,
    /// Places in the list of entries, ascending. A pay in two parts has two rows in one cycle.
    pub rows: Vec<usize>,
    /// Median of what came in a cycle; the lower of the two middle ones.
    pub amount: i64,
    /// What a month is expected to bring: the median of the latest three cycles, for the share of the period in a
    /// month, half up; of what comes on two days of the month, that of the latest three of each day, added. None where
    /// that is too large to hold.
    pub month_amount: Option<i64>,
    /// The day of its first row.
    pub first: i32,
    /// The day of its last row.
    pub last: i32,
    /// The day on which the first cycle that is neither paid nor missed is due.
    pub next: i32,
    /// Cycles since the last paid one that were due, days of grace included, before `as_of`.
    pub missed: i64,
    /// From 0 to 1: the share of cycles that came, times how near to their day.
    pub regularity: Rational,
    /// Not more than two cycles are missed.
    pub is_live: bool,
}

/// A tolerance that the catalogue takes where none is declared: thousandths of the median.
pub const TOLERANCE: u32 = 150;
