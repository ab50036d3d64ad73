//! What the data of a market consists of.

use super::clock::Clock;
use super::form::{Charge, FailedPayment, NarrationForm, Reversal, Subscription};

/// Everything that differs between markets.
pub(crate) struct Facts {
    pub(crate) clock: Clock,
    pub(crate) scale: AmountScale,
    /// The public holidays that fall on the same date every year, as month and day.
    pub(crate) holidays: &'static [(u32, u32)],
    /// The identifiers of its banks count from here.
    pub(crate) first_bank_id: usize,
    pub(crate) account_digits: usize,
    /// The code of a record that is a transfer.
    pub(crate) transfer_code: &'static str,
    pub(crate) names: Names,
    pub(crate) firms: Firms,
    /// Banks and wallets; those that keep statements come first.
    pub(crate) banks: &'static [Bank],
    pub(crate) cities: &'static [&'static str],
    /// How the narrations of cards end.
    pub(crate) card_ends: &'static [&'static str],
    pub(crate) remarks: Remarks,
    pub(crate) forms: Forms,
}

impl Facts {
    /// How many of the banks keep statements.
    pub(crate) fn home_banks(&self) -> usize {
        self.banks.iter().take_while(|bank| bank.customers > 0).count()
    }
}

/// The amounts of a market. Planning is in kobo everywhere.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AmountScale {
    /// The kobo of one minor unit.
    pub(crate) kobo: i64,
    /// People spend the rest of their money in multiples of this many minor units.
    pub(crate) spending_step: i64,
}

impl AmountScale {
    /// Kobo in minor units of the market, at least one. Round sums stay round: a multiple of 500 naira is whole.
    pub(crate) fn minor_of(self, kobo: i64) -> i64 {
        if self.kobo == 1 {
            return kobo;
        }
        let step = if kobo % 50_000 == 0 { 100 } else { 1 };
        let of_step = self.kobo * step;
        ((kobo + of_step / 2) / of_step * step).max(step)
    }

    /// The kobo that become this many minor units.
    pub(crate) fn kobo_of(self, minor: i64) -> i64 {
        minor * self.kobo
    }
}

/// Invented people, upper case as banks print them.
pub(crate) struct Names {
    pub(crate) given: &'static [&'static str],
    pub(crate) family: &'static [&'static str],
    /// Whether the given name comes first.
    pub(crate) given_first: bool,
    /// Names that hold or are words of lists.
    pub(crate) trap_given: &'static [&'static str],
    pub(crate) trap_family: &'static [&'static str],
}

impl Names {
    /// The name of a person of two names, as banks print it.
    pub(crate) fn join(&self, given: &str, family: &str) -> String {
        if self.given_first { format!("{given} {family}") } else { format!("{family} {given}") }
    }
}

/// Firms: invented ones, and the real brands of betting firms, lenders and telephone companies.
pub(crate) struct Firms {
    pub(crate) employers: &'static [&'static str],
    /// Offices of the state.
    pub(crate) offices: &'static [&'static str],
    pub(crate) pension_payers: &'static [&'static str],
    /// Platforms that pay drivers, couriers and freelancers.
    pub(crate) platforms: &'static [&'static str],
    /// The codes of the two banks that platforms pay from.
    pub(crate) platform_banks: [&'static str; 2],
    pub(crate) shops: &'static [&'static str],
    pub(crate) suppliers: &'static [&'static str],
    pub(crate) schools: &'static [&'static str],
    pub(crate) school_bank: &'static str,
    /// Firms that pay dividends.
    pub(crate) registrars: &'static [&'static str],
    pub(crate) betting: &'static [&'static str],
    /// Lenders that word lists know.
    pub(crate) lenders: &'static [&'static str],
    /// Invented lenders that no word list knows: their narrations must speak for themselves.
    pub(crate) small_lenders: &'static [&'static str],
    pub(crate) lender_banks: &'static [&'static str],
    pub(crate) telcos: &'static [&'static str],
    /// What a card's narration names, with its weight: empty for the shop itself, else the owner of its terminal.
    pub(crate) terminals: &'static [(&'static str, u32)],
    /// Who pays out for lenders and betting firms that do not show their name.
    pub(crate) paying_agent: &'static str,
    pub(crate) web_shops: &'static [Seller],
    /// Whom households pay: power, water and the like.
    pub(crate) billers: &'static [Seller],
}

/// A seller, as narrations print it and by its name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seller {
    pub(crate) printed: &'static str,
    pub(crate) name: &'static str,
}

impl Seller {
    pub(crate) const fn new(printed: &'static str, name: &'static str) -> Self {
        Self { printed, name }
    }
}

/// A bank or a wallet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bank {
    /// In narrations; without spaces.
    pub(crate) code: &'static str,
    pub(crate) words: &'static str,
    /// What narrations of other banks add about a transfer from here, as a form.
    pub(crate) mark: &'static str,
    /// How many people have their account here; 0 for banks that only send money.
    pub(crate) customers: u32,
}

impl Bank {
    pub(crate) const fn new(code: &'static str, words: &'static str, mark: &'static str, customers: u32) -> Self {
        Self { code, words, mark, customers }
    }
}

/// What people write on a transfer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Remarks {
    pub(crate) gift: &'static [&'static str],
    pub(crate) business: &'static [&'static str],
    pub(crate) refund: &'static [&'static str],
    pub(crate) own_transfer: &'static [&'static str],
    pub(crate) transfer_out: &'static [&'static str],
    pub(crate) rent: &'static [&'static str],
    pub(crate) supplies: &'static [&'static str],
    pub(crate) school_fees: &'static [&'static str],
    pub(crate) gig: &'static [&'static str],
    /// Remarks about bets and goods that mislead.
    pub(crate) bets: &'static [&'static str],
    pub(crate) returned_goods: &'static [&'static str],
}

/// The narrations. A list may be empty where a market has no such record.
pub(crate) struct Forms {
    pub(crate) incoming: &'static [NarrationForm],
    pub(crate) outgoing: &'static [NarrationForm],
    pub(crate) card: &'static [NarrationForm],
    /// Each employer has one of them for ever.
    pub(crate) pay: &'static [NarrationForm],
    pub(crate) pension: &'static [NarrationForm],
    /// A platform's payout, planned or between.
    pub(crate) weekly_payout: &'static [NarrationForm],
    pub(crate) payout: &'static [NarrationForm],
    pub(crate) dividend: &'static [NarrationForm],
    pub(crate) interest: &'static [NarrationForm],
    pub(crate) interest_tax: &'static [NarrationForm],
    /// A customer's card at a shop's own terminal.
    pub(crate) terminal_takings: &'static [NarrationForm],
    pub(crate) cash_deposit: &'static [NarrationForm],
    pub(crate) reversal: &'static [Reversal],
    /// A reversal that does not say so.
    pub(crate) unmarked_reversal: &'static [NarrationForm],
    pub(crate) win: &'static [NarrationForm],
    /// A win and a stake that name no betting firm.
    pub(crate) silent_win: &'static [NarrationForm],
    pub(crate) stake: &'static [NarrationForm],
    pub(crate) silent_stake: &'static [NarrationForm],
    pub(crate) airtime: &'static [NarrationForm],
    pub(crate) failure: &'static [FailedPayment],
    pub(crate) cash_machine: &'static [NarrationForm],
    pub(crate) cash_machine_fee: &'static [NarrationForm],
    pub(crate) cash_machine_fee_amount: i64,
    pub(crate) transfer_fee: &'static [NarrationForm],
    /// The fee of a small, a medium and a large transfer, in minor units of the market.
    pub(crate) transfer_fee_amounts: [i64; 3],
    /// The share of transfers with a fee, in thousandths.
    pub(crate) transfer_fee_permille: u32,
    pub(crate) bank_charge: &'static [Charge],
    pub(crate) web: &'static [NarrationForm],
    pub(crate) bill: &'static [NarrationForm],
    pub(crate) loan: &'static [NarrationForm],
    pub(crate) repayment: &'static [NarrationForm],
    pub(crate) subscription: &'static [Subscription],
    /// A monthly charge, of so many minor units a message.
    pub(crate) monthly_charge: &'static [NarrationForm],
    pub(crate) message_amount: i64,
    pub(crate) quarterly_charge: &'static [NarrationForm],
    pub(crate) quarterly_charge_amount: i64,
    /// What a debit becomes that the balance cannot pay: a small one of the day, and one that is due.
    pub(crate) small_charge: &'static [Charge],
    pub(crate) returned_charge: &'static [Charge],
}

impl Remarks {
    /// What people write anywhere.
    pub(crate) const PLAIN: Self = Self {
        gift: &["UPKEEP", "FOR FOOD", "SUPPORT", "HAPPY BIRTHDAY", "THANKS", "FROM MUM", "PROJECT"],
        business: &[
            "GOODS",
            "PAYMENT FOR GOODS",
            "ORDER",
            "PART PAYMENT",
            "BALANCE FOR GOODS",
            "TRANSFER",
            "2 BOXES",
            "DEPOSIT",
        ],
        refund: &["REFUND", "REFUNDS", "REFUND FOR ORDER", "MONEY BACK", "REFUND OF FARE", "PART REFUND"],
        own_transfer: &["SELF", "OWN ACCOUNT", "TRANSFER", "TO MYSELF", "SAVINGS", "TOP UP"],
        transfer_out: &["TRANSFER", "PAYMENT", "PART PAYMENT", "FOOD", "SUPPORT", "CONTRIBUTION", "OK"],
        rent: &["HOUSE RENT", "RENT", "RENT BALANCE", "SHOP RENT"],
        supplies: &["STOCK", "GOODS", "INVOICE", "SUPPLY", "RESTOCK"],
        school_fees: &["SCHOOL FEES", "FEES FIRST TERM", "TUITION"],
        gig: &["PAYOUT", "WEEKLY EARNINGS", "TRIPS PAYOUT", "SETTLEMENT", "INVOICE PAYMENT"],
        bets: &[],
        returned_goods: &["REVERSAL OF ORDER", "REVERSED GOODS", "REVERSAL 2 BOXES", "REFUND LESS GOODS"],
    };
}
