//! What a person must decide about a draft, and what a person has decided.

/// What a person has decided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Answers {
    /// Whether the day stands before the month.
    pub(crate) day_first: Option<bool>,
    /// Whether a positive amount is money in.
    pub(crate) positive_is_credit: Option<bool>,
    /// Where the fees are.
    pub(crate) fees: Option<Fees>,
    /// Whether the column of debits is money in, as in the books of the account's holder.
    pub(crate) swaps_sides: bool,
    /// What a balance is that does not follow.
    pub(crate) balance: Option<BalanceAnswer>,
    /// The code of the account's currency.
    pub(crate) currency: Option<String>,
    /// The sheet of a workbook.
    pub(crate) sheet: Option<String>,
    /// Whether amounts are in minor units.
    pub(crate) is_minor: Option<bool>,
    /// The day after which nothing has happened yet.
    pub(crate) today: Option<i32>,
}

/// Whether amounts contain their fees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fees {
    Within,
    Beside,
}

/// What a column of balances is that does not follow from the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BalanceAnswer {
    /// A debt, which grows with money out.
    Owed,
    /// No balance after each row; the column is not read.
    Unread,
    /// The balance after each row, although rows are missing or out of order.
    Kept,
}

/// What a person must decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Doubt {
    pub(crate) what: String,
    /// Whether an option of the command answers it. Otherwise the draft is finished by hand.
    pub(crate) has_option: bool,
    /// Whether it only says that balances do not follow.
    pub(crate) is_of_balances: bool,
}

impl Doubt {
    pub(crate) fn open(what: impl Into<String>) -> Doubt {
        Doubt { what: what.into(), has_option: false, is_of_balances: false }
    }

    pub(crate) fn asked(what: impl Into<String>) -> Doubt {
        Doubt { has_option: true, ..Doubt::open(what) }
    }

    pub(crate) fn of_balances(what: impl Into<String>) -> Doubt {
        Doubt { is_of_balances: true, ..Doubt::asked(what) }
    }
}
