//! Narrations in the style of the market's banks. With more noise, more of them mislead; the label never does.

use super::event::Label;
use super::filling::Words;
use super::scene::Scene;
use crate::provider::generate::market::{NarrationForm, Remarks};

/// The remarks that people write on a transfer.
fn transfer_remarks_of(remarks: &Remarks, label: Label) -> &'static [&'static str] {
    match label {
        Label::Gift => remarks.gift,
        Label::Business => remarks.business,
        Label::Refund => remarks.refund,
        Label::OwnTransfer => remarks.own_transfer,
        Label::TransferOut => remarks.transfer_out,
        Label::RentPaid | Label::Rent => remarks.rent,
        Label::Supplies => remarks.supplies,
        Label::SchoolFees => remarks.school_fees,
        Label::Gig => remarks.gig,
        _ => &["TRANSFER"],
    }
}

/// Remarks that do not say what happened.
const MISLEADING: &[&str] = &[
    "SALARY",
    "LOAN",
    "REFUND",
    "PAYMENT",
    "SALARY BALANCE",
    "REVERSAL",
    "BET",
    "WAGES",
    "LOAN BALANCE",
    "RENT",
    "GIFT",
    "BONUS",
];

impl Scene<'_> {
    /// The remark of a transfer. With noise it may be misleading, or say nothing useful.
    pub(crate) fn remark(&mut self, label: Label) -> &'static str {
        if self.noisy(250) {
            self.draw.pick(MISLEADING)
        } else if self.noisy(250) {
            self.draw.pick(&["", "TRF", "OK", "."])
        } else {
            self.draw.pick(transfer_remarks_of(&self.facts().remarks, label))
        }
    }

    /// The code of a bank that sends or receives.
    pub(crate) fn bank(&mut self) -> &'static str {
        let banks = self.facts().banks;
        banks[self.draw.index(banks.len())].code
    }

    /// The narration of an incoming transfer.
    pub(crate) fn incoming(&mut self, party: &str, bank: &str, remark: &str) -> String {
        self.transfer_narration(self.facts().forms.incoming, &Words { party, bank, remark, ..Words::default() })
    }

    /// The narration of an outgoing transfer.
    pub(crate) fn outgoing(&mut self, party: &str, bank: &str, remark: &str) -> String {
        self.transfer_narration(self.facts().forms.outgoing, &Words { party, bank, remark, ..Words::default() })
    }

    /// A narration of a transfer, which noise may blur.
    pub(crate) fn transfer_narration(&mut self, forms: &'static [NarrationForm], words: &Words<'_>) -> String {
        let text = self.narrate(forms, words);
        self.blur(text)
    }

    /// The narration of a card payment at a terminal.
    pub(crate) fn card(&mut self, party: &str) -> String {
        let place = self.draw.pick(self.facts().card_ends);
        let digits = self.draw.digits(12);
        let words = Words { party, place, digits: &digits, ..Words::default() };
        self.transfer_narration(self.facts().forms.card, &words)
    }

    /// With noise, drops a word of the narration or cuts it short.
    pub(crate) fn blur(&mut self, text: String) -> String {
        if !self.noisy(300) {
            return text;
        }
        let words: Vec<&str> = text.split(' ').collect();
        if words.len() > 2 && self.draw.chance(500) {
            let lost = self.draw.index(words.len());
            let kept: Vec<&str> =
                words.iter().enumerate().filter(|(place, _)| *place != lost).map(|(_, word)| *word).collect();
            return kept.join(" ");
        }
        let length = 10 + self.draw.index(16);
        text.chars().take(length).collect()
    }

    /// The narration of pay. Some employers never say that it is a salary.
    pub(crate) fn pay_narration(&mut self, employer: &str, month: i32, what: &str) -> String {
        let (form, bank) = self.house_style(employer);
        if self.noisy(250) {
            let remark = self.remark(Label::TransferOut);
            return self.incoming(employer, bank, remark);
        }
        let words = Words { party: employer, bank, remark: what, month, ..Words::default() };
        let text = form.map(|form| self.fill_form(form.text, &words)).unwrap_or_default();
        self.blur(text)
    }

    /// The form and the bank of an employer, the same every month.
    fn house_style(&self, employer: &str) -> (Option<&'static NarrationForm>, &'static str) {
        let facts = self.facts();
        let sum = employer.bytes().fold(7_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)));
        let total: u64 = self.closest_forms(facts.forms.pay, employer).map(|form| u64::from(form.weight)).sum();
        let place = (sum ^ u64::from(self.person.key[0])) % total.max(1);
        let bank = &facts.banks[(sum / 10 % facts.home_banks() as u64) as usize];
        (self.form_at_weight(facts.forms.pay, employer, place), bank.code)
    }
}
