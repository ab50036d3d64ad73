//! The columns of a bank format's entries, by the product's own names.

/// The columns of every bank format (camt, MT940, OFX, QIF). A reader fills those that its format has.
pub(crate) const ENTRY_COLUMNS: [&str; 16] = [
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
