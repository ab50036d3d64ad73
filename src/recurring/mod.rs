//! Floor 1: finds the recurring streams of a statement: pay, pensions, rents, instalments, subscriptions. Days, amounts and counterparty keys
//! in, streams out; whole numbers throughout, so that every machine gives the same. Knows nothing of Polars, of rules, or of what a narration
//! says: keys are compared as texts and never read. The algorithm is told in docs/explanation/detection.md.

mod adopt;
mod beat;
mod between;
mod crowd;
mod families;
mod figures;
mod fit;
mod follow;
mod ledger;
mod parts;
#[cfg(test)]
mod pay_days;
mod run;
mod seek;
#[cfg(test)]
mod tests;

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
    /// Those that are looked for in all days. The others are looked for where one of these fits badly: see [`between`].
    const COMMON: [Self; 4] = [Self::Weekly, Self::Fortnightly, Self::Monthly, Self::Quarterly];

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

/// The streams of one statement's entries up to `as_of`; later entries are not for the caller to give. `tolerance` says in thousandths how far
/// from one another amounts of a stream may lie. No entry is in two streams. They come in the order of their first rows.
///
/// ```
/// use lendwright::recurring::{Entry, Period, TOLERANCE, streams};
/// use lendwright::words::date::Day;
/// let day = |text| Day::parse_iso(text).unwrap().days();
/// let pay = ["2026-01-23", "2026-02-25", "2026-03-25", "2026-04-24"]
///     .map(|text| Entry { day: day(text), amount: 25_000_000, is_credit: true, key: 0 });
/// let found = streams(&pay, &["acme foods"], day("2026-04-30"), TOLERANCE);
/// assert_eq!(found[0].period, Period::Monthly);
/// assert_eq!(found[0].rows, [0, 1, 2, 3]);
/// assert_eq!(found[0].next, day("2026-05-25"));
/// ```
pub fn streams(entries: &[Entry], keys: &[&str], as_of: i32, tolerance: u32) -> Vec<Stream> {
    let ledger = ledger::Ledger::new(entries, keys, tolerance);
    let mut runs = seek::runs(&ledger);
    let sides = adopt::unclaimed(&ledger);
    adopt::adopt(&ledger, &sides, &mut runs);
    adopt::gather(&ledger, &sides, &mut runs);
    let mut found: Vec<Stream> = runs.iter().map(|run| figures::stream(&ledger, run, as_of)).collect();
    found.sort_by(|one, other| one.rows.cmp(&other.rows));
    found
}
