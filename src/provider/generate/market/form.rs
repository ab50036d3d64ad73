//! Forms of narrations: texts with gaps, each with the banks that write so. `events/filling.rs` fills the gaps.
//!
//! A gap is `{name}`, or `{name:how}` with how its value is written: a number cuts it to so many letters, `title` is
//! `Title Case`, `lower`, `upper` and `glued` as named, `short` a person's initial and family name, `handle` an address
//! for payments. `{#6}` is six digits that are drawn there; all other draws are made before.

/// One form of a narration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NarrationForm {
    /// The codes of the banks that print it, separated by spaces. Empty for banks that have no form of their
    /// own in the same list.
    pub(crate) banks: &'static str,
    /// The only party that it is for; empty for every party without forms of its own.
    pub(crate) party: &'static str,
    /// How often it occurs among the others; 0 says that these banks have no such record.
    pub(crate) weight: u32,
    pub(crate) text: &'static str,
}

/// A form of every bank that has none of its own.
pub(crate) const fn any_bank(weight: u32, text: &'static str) -> NarrationForm {
    NarrationForm { banks: "", party: "", weight, text }
}

/// A form of some banks, by their codes.
pub(crate) const fn at_bank(banks: &'static str, weight: u32, text: &'static str) -> NarrationForm {
    NarrationForm { banks, party: "", weight, text }
}

impl NarrationForm {
    /// The form for one party alone, such as a lender that is a bank's own product.
    pub(crate) const fn of(self, party: &'static str) -> Self {
        Self { party, ..self }
    }

    /// How closely it is meant for a bank's statement and a party: 0 if not at all.
    pub(crate) fn closeness(&self, bank: &str, party: &str) -> u8 {
        let here = self.banks.split(' ').any(|code| code == bank);
        match (here, self.party.is_empty()) {
            (true, false) if self.party == party => 4,
            (false, false) if self.party == party && self.banks.is_empty() => 3,
            (true, true) => 2,
            (false, true) if self.banks.is_empty() => 1,
            _ => 0,
        }
    }
}

/// A charge of a bank: its words and its amount.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Charge {
    pub(crate) form: NarrationForm,
    /// Minor units of the market.
    pub(crate) amount: i64,
}

/// What a bank returns by itself.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reversed {
    Airtime,
    Purchase,
    /// A purchase from a named firm on the web.
    Web(&'static str),
    /// A charge of the bank, of this amount in minor units of the market.
    Charge(i64),
}

/// How a bank returns money.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reversal {
    pub(crate) form: NarrationForm,
    pub(crate) of: Reversed,
}

/// A payment that fails: it goes out and comes back on the same day.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FailedPayment {
    /// The words of the debit; its bank, weight and party hold for both.
    pub(crate) out: NarrationForm,
    pub(crate) back: &'static str,
    /// Whether it is a bill, else airtime.
    pub(crate) is_bill: bool,
}

/// What is paid for every month.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subscription {
    pub(crate) form: NarrationForm,
    pub(crate) firm: &'static str,
    /// Minor units of the market.
    pub(crate) amount: i64,
}

/// Something that has a form of a narration, to choose from.
pub(crate) trait Worded {
    fn form(&self) -> &NarrationForm;
}

impl Worded for NarrationForm {
    fn form(&self) -> &NarrationForm {
        self
    }
}

impl Worded for Charge {
    fn form(&self) -> &NarrationForm {
        &self.form
    }
}

impl Worded for Reversal {
    fn form(&self) -> &NarrationForm {
        &self.form
    }
}

impl Worded for FailedPayment {
    fn form(&self) -> &NarrationForm {
        &self.out
    }
}

impl Worded for Subscription {
    fn form(&self) -> &NarrationForm {
        &self.form
    }
}
