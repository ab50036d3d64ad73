//! An event on an account, which becomes one record. It carries its true label, which only the labels file shows.

use crate::provider::generate::calendar::DayNumber;

/// What a record truly is, whatever its narration says.
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
pub(crate) enum EventSide {
    Credit,
    Debit,
}

/// How the balance may change an event's amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AmountRule {
    /// The amount never changes, except where the balance cannot cover it.
    Fixed,
    /// A debit that shrinks to what the balance covers, and grows with a large balance.
    Elastic,
    /// The amount of the event before: the reversal of a debit.
    Echo,
    /// A debit that is a credit on another account of the customer. Its amount is reserved and never changes.
    Promised,
}

/// One event on the account.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) day: DayNumber,
    /// Second of the local day.
    pub(crate) second: u32,
    pub(crate) side: EventSide,
    /// Kobo while the statement is planned, then minor units of the market; above 0.
    pub(crate) amount: i64,
    pub(crate) amount_rule: AmountRule,
    pub(crate) label: Label,
    pub(crate) desc: String,
    /// The counterparty's name, where a tagger would find one.
    pub(crate) who: Option<String>,
    /// The counterparty, where `who` is not the true one.
    pub(crate) other: Option<&'static str>,
    pub(crate) code: &'static str,
    /// The recurring stream it belongs to.
    pub(crate) stream: Option<String>,
    /// The true period of the stream.
    pub(crate) period: &'static str,
    pub(crate) employer: Option<&'static str>,
    /// A number that only the two records of a pair share.
    pub(crate) link: Option<u64>,
}

/// Links from this one on join records of two accounts; lower ones join records of one account.
pub(crate) const BETWEEN_ACCOUNTS: u64 = 1 << 63;

impl Event {
    /// Which events a short statement keeps: those of lower rank come first.
    pub(crate) fn rank(&self) -> u8 {
        match self.label {
            // Both accounts keep it, so that the pair stays complete.
            _ if self.link.is_some_and(|link| link >= BETWEEN_ACCOUNTS) => 0,
            Label::Salary | Label::Pension => 0,
            Label::Gig | Label::LoanProceeds | Label::LoanRepayment | Label::Business => 1,
            Label::Gift | Label::Rent | Label::RentPaid | Label::Bonus => 2,
            _ => 3,
        }
    }

    pub(crate) fn new(
        day: DayNumber,
        side: EventSide,
        amount: i64,
        label: Label,
        desc: String,
        code: &'static str,
    ) -> Self {
        Self {
            day,
            second: 0,
            side,
            amount: amount.max(100),
            amount_rule: AmountRule::Fixed,
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

    pub(crate) fn credit(day: DayNumber, amount: i64, label: Label, desc: String, code: &'static str) -> Self {
        Self::new(day, EventSide::Credit, amount, label, desc, code)
    }

    pub(crate) fn debit(day: DayNumber, amount: i64, label: Label, desc: String, code: &'static str) -> Self {
        Self::new(day, EventSide::Debit, amount, label, desc, code)
    }

    pub(crate) fn who(mut self, name: impl Into<String>) -> Self {
        self.who = Some(name.into());
        self
    }

    /// Sets the counterparty, where a tagger would not find its name.
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

    pub(crate) fn amount_rule(mut self, amount_rule: AmountRule) -> Self {
        self.amount_rule = amount_rule;
        self
    }
}
