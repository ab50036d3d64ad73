//! The columns of a bank format's entries, by the product's own names.

use crate::base::date::Day;

/// The columns of every bank format (camt, MT940, OFX, QIF). A reader fills those that its format has.
pub(crate) const ENTRY_COLUMNS: [&str; 18] = [
    "account",
    "id",
    "trans_date",
    "cleared_date",
    "credit",
    "debit",
    "balance",
    "currency",
    "stated_balance",
    "status",
    "code",
    "bank",
    "reference",
    "desc",
    "people",
    "interim",
    "period_from",
    "period_to",
];

/// The place of each column in [`ENTRY_COLUMNS`].
pub(crate) mod at {
    pub(crate) const ACCOUNT: usize = 0;
    pub(crate) const ID: usize = 1;
    pub(crate) const TRANS_DATE: usize = 2;
    pub(crate) const CLEARED_DATE: usize = 3;
    pub(crate) const CREDIT: usize = 4;
    pub(crate) const DEBIT: usize = 5;
    pub(crate) const BALANCE: usize = 6;
    pub(crate) const CURRENCY: usize = 7;
    pub(crate) const STATED_BALANCE: usize = 8;
    pub(crate) const STATUS: usize = 9;
    pub(crate) const CODE: usize = 10;
    pub(crate) const BANK: usize = 11;
    pub(crate) const REFERENCE: usize = 12;
    pub(crate) const DESC: usize = 13;
    pub(crate) const PEOPLE: usize = 14;
    pub(crate) const INTERIM: usize = 15;
    pub(crate) const PERIOD_FROM: usize = 16;
    pub(crate) const PERIOD_TO: usize = 17;
}

/// `stated_balance` of a row that is no movement but the balance before the entries that follow it.
pub(crate) const OPENING: &str = "opening";
/// `stated_balance` of a row that is no movement but the balance after the entries before it.
pub(crate) const CLOSING: &str = "closing";
/// `status` of an entry that is not booked yet.
pub(crate) const PENDING: &str = "pending";

/// `status` of an entry that informs of a movement elsewhere, and is none of this account.
pub(crate) const INFORMATION: &str = "information";

/// `interim` of an entry of a report that a bank sends before its statement, which lists the entry again.
pub(crate) const REPORT: &str = "report";

/// The last day of a period that ends on this day at this time, such as `00:00:00`. Banks write the end of a month as
/// the midnight that begins the next one; midnight of another day is mostly a date without a time.
pub(crate) fn last_day_until(day: Day, time: &str) -> Day {
    let clock = time.get(..6).unwrap_or(time);
    let is_midnight = !clock.is_empty() && clock.bytes().all(|byte| matches!(byte, b'0' | b':'));
    let before = Day::checked_from_days(day.days() - 1).filter(|_| is_midnight && day == day.month_start());
    before.unwrap_or(day)
}

/// The names of the columns, as a reader returns them.
pub(crate) fn entry_names() -> Vec<String> {
    ENTRY_COLUMNS.iter().map(|name| (*name).to_owned()).collect()
}

/// Whether the days fall from entry to entry. `None` if they fall and rise.
pub(crate) fn is_newest_first<D: PartialOrd>(days: impl Iterator<Item = D> + Clone) -> Option<bool> {
    let next_days = days.clone().skip(1);
    let mut pairs = days.zip(next_days);
    let falls = pairs.clone().any(|(day, next)| day > next);
    (!falls || !pairs.any(|(day, next)| day < next)).then_some(falls)
}
