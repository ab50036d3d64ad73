//! What happens on an account: one event becomes one record. Carries the truth about itself, which only the labels tell.

use crate::generate::calendar::Number;

/// What a record is in truth, whatever its narration says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each variant is what its name says; docs/guides/generate.md lists them")]
pub enum Label {
    Salary,
    Bonus,
    Pension,
    Gig,
    Business,
    Gift,
    Rent,
    Dividend,
    Interest,
    BettingWin,
    BettingStake,
    LoanProceeds,
    LoanRepayment,
    Reversal,
    Refund,
    OwnTransfer,
    CashDeposit,
    Airtime,
    Pos,
    Atm,
    Charge,
    Utilities,
    SchoolFees,
    RentPaid,
    Subscription,
    Supplies,
    TransferOut,
    Web,
}

impl Label {
    /// Every label.
    pub const ALL: [Self; 28] = [
        Self::Salary,
        Self::Bonus,
        Self::Pension,
        Self::Gig,
        Self::Business,
        Self::Gift,
        Self::Rent,
        Self::Dividend,
        Self::Interest,
        Self::BettingWin,
        Self::BettingStake,
        Self::LoanProceeds,
        Self::LoanRepayment,
        Self::Reversal,
        Self::Refund,
        Self::OwnTransfer,
        Self::CashDeposit,
        Self::Airtime,
        Self::Pos,
        Self::Atm,
        Self::Charge,
        Self::Utilities,
        Self::SchoolFees,
        Self::RentPaid,
        Self::Subscription,
        Self::Supplies,
        Self::TransferOut,
        Self::Web,
    ];

    /// The label's name in `labels.csv`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Salary => "salary",
            Self::Bonus => "bonus",
            Self::Pension => "pension",
            Self::Gig => "gig",
            Self::Business => "business",
            Self::Gift => "gift",
            Self::Rent => "rent",
            Self::Dividend => "dividend",
            Self::Interest => "interest",
            Self::BettingWin => "betting_win",
            Self::BettingStake => "betting_stake",
            Self::LoanProceeds => "loan_proceeds",
            Self::LoanRepayment => "loan_repayment",
            Self::Reversal => "reversal",
            Self::Refund => "refund",
            Self::OwnTransfer => "own_transfer",
            Self::CashDeposit => "cash_deposit",
            Self::Airtime => "airtime",
            Self::Pos => "pos",
            Self::Atm => "atm",
            Self::Charge => "charge",
            Self::Utilities => "utilities",
            Self::SchoolFees => "school_fees",
            Self::RentPaid => "rent_paid",
            Self::Subscription => "subscription",
            Self::Supplies => "supplies",
            Self::TransferOut => "transfer_out",
            Self::Web => "web",
        }
    }
}

/// The side of the account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Credit,
    Debit,
}

/// How an event's amount answers to the balance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Give {
    /// It stands as it is.
    Firm,
    /// A debit that shrinks to what is there, and grows where much is there.
    Elastic,
    /// It repeats the amount of the event before it: a debit's reversal.
    Echo,
    /// A debit that another account of the customer shows as a credit: its amount is kept back for it and never changes.
    Promised,
}

/// One thing that happens on the account.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) day: Number,
    /// Second of the local day.
    pub(crate) second: u32,
    pub(crate) side: Side,
    /// Kobo, above 0.
    pub(crate) amount: i64,
    pub(crate) give: Give,
    pub(crate) label: Label,
    pub(crate) desc: String,
    /// The other side's name, where a tagger would find one.
    pub(crate) who: Option<String>,
    /// The other side where `who` does not say it.
    pub(crate) other: Option<&'static str>,
    pub(crate) code: &'static str,
    /// The recurring stream it belongs to.
    pub(crate) stream: Option<String>,
    /// How often the stream comes, in truth.
    pub(crate) period: &'static str,
    pub(crate) employer: Option<&'static str>,
    /// What the two records of a pair have in common, and nobody else.
    pub(crate) link: Option<u64>,
}

/// Links from here on tie records of two accounts; those below, records of one.
pub(crate) const BETWEEN_ACCOUNTS: u64 = 1 << 63;

impl Event {
    /// Which events a statement too short for all of them keeps: smaller is kept longer.
    pub(crate) fn rank(&self) -> u8 {
        match self.label {
            // Both accounts keep it, so that the pair stays whole.
            _ if self.link.is_some_and(|link| link >= BETWEEN_ACCOUNTS) => 0,
            Label::Salary | Label::Pension => 0,
            Label::Gig | Label::LoanProceeds | Label::LoanRepayment | Label::Business => 1,
            Label::Gift | Label::Rent | Label::RentPaid | Label::Bonus => 2,
            _ => 3,
        }
    }

    pub(crate) fn new(day: Number, side: Side, amount: i64, label: Label, desc: String, code: &'static str) -> Self {
        Self {
            day,
            second: 0,
            side,
            amount: amount.max(100),
            give: Give::Firm,
            label,
            desc,
            who: None,
            other: None,
            code,
            stream: None,
            period: "",
            employer: None,
            link: None,
        }
    }

    pub(crate) fn credit(day: Number, amount: i64, label: Label, desc: String, code: &'static str) -> Self {
        Self::new(day, Side::Credit, amount, label, desc, code)
    }

    pub(crate) fn debit(day: Number, amount: i64, label: Label, desc: String, code: &'static str) -> Self {
        Self::new(day, Side::Debit, amount, label, desc, code)
    }

    pub(crate) fn who(mut self, name: impl Into<String>) -> Self {
        self.who = Some(name.into());
        self
    }

    /// The other side, where no tagger would find its name.
    pub(crate) fn other(mut self, name: &'static str) -> Self {
        self.other = Some(name);
        self
    }

    pub(crate) fn stream(mut self, stream: impl Into<String>, period: &'static str) -> Self {
        self.stream = Some(stream.into());
        self.period = period;
        self
    }

    pub(crate) fn link(mut self, link: u64) -> Self {
        self.link = Some(link);
        self
    }

    pub(crate) fn employer(mut self, employer: &'static str) -> Self {
        self.employer = Some(employer);
        self
    }

    pub(crate) fn give(mut self, give: Give) -> Self {
        self.give = give;
        self
    }
}
