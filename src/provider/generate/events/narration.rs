//! Narrations in the style of Nigerian banks. With more noise, more of them mislead; the label never does.

use super::event::Label;
use super::scene::Scene;
use crate::provider::generate::calendar::month_name;
use crate::provider::generate::people::names;

/// The remarks that people write on a transfer.
fn transfer_remarks_of(label: Label) -> &'static [&'static str] {
    match label {
        Label::Gift => &[
            "UPKEEP",
            "FOR FOOD",
            "SUPPORT",
            "HAPPY BIRTHDAY",
            "TRANSFER",
            "FEEDING",
            "THANKS",
            "FROM MUM",
            "PROJECT",
            "URGENT 2K",
        ],
        Label::Business => &[
            "GOODS",
            "PAYMENT FOR GOODS",
            "ORDER",
            "PART PAYMENT",
            "BALANCE FOR GOODS",
            "TRANSFER",
            "2 CARTONS",
            "POS SETTLEMENT",
            "DEPOSIT",
        ],
        Label::Refund => {
            &["REFUND", "REFUNDS", "REFUND FOR ORDER", "MONEY BACK", "REFUND OF TRANSPORT FARE", "PART REFUND"]
        }
        Label::OwnTransfer => &["SELF", "OWN ACCOUNT", "TRANSFER", "TO MYSELF", "SAVINGS", "TOP UP"],
        Label::TransferOut => {
            &["TRANSFER", "PAYMENT", "PART PAYMENT", "FOOD", "SUPPORT", "CONTRIBUTION", "LOGISTICS", "OK"]
        }
        Label::RentPaid | Label::Rent => &["HOUSE RENT", "RENT", "ANNUAL RENT", "RENT BALANCE", "SHOP RENT"],
        Label::Supplies => &["STOCK", "GOODS", "INVOICE", "SUPPLY", "RESTOCK"],
        Label::SchoolFees => &["SCHOOL FEES", "FEES FIRST TERM", "TUITION", "PTA LEVY"],
        Label::Gig => &["PAYOUT", "WEEKLY EARNINGS", "TRIPS PAYOUT", "SETTLEMENT", "INVOICE PAYMENT"],
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

/// `MARCH` as `March`.
pub(crate) fn to_title_case(word: &str) -> String {
    word.split(' ')
        .map(|part| part.chars().take(1).chain(part.chars().skip(1).flat_map(char::to_lowercase)).collect::<String>())
        .collect::<Vec<_>>()
        .join(" ")
}

impl Scene<'_> {
    /// The remark of a transfer. With noise it may be misleading, or say nothing useful.
    pub(crate) fn remark(&mut self, label: Label) -> &'static str {
        if self.noisy(250) {
            self.draw.pick(MISLEADING)
        } else if self.noisy(250) {
            self.draw.pick(&["", "TRF", "OK", "."])
        } else {
            self.draw.pick(transfer_remarks_of(label))
        }
    }

    /// The code of a bank that sends or receives.
    pub(crate) fn bank(&mut self) -> &'static str {
        names::BANKS[self.draw.index(names::BANKS.len())].0
    }

    /// The narration of an incoming transfer.
    pub(crate) fn incoming(&mut self, from: &str, bank: &str, remark: &str) -> String {
        let me = &self.person.name;
        let home = names::BANKS[self.person.bank].1;
        let way = self.draw.weighted(&[(0, 40), (1, 16), (2, 12), (3, 8), (4, 8), (5, 8), (6, 8)]);
        let text = match way {
            0 if bank == "FBN" => format!("NIP/FBN/{from} /FBNMOBILE:{me} /{remark}"),
            0 => format!("NIP/{bank}/{from} /{remark}"),
            1 => format!("NIP/{bank}/{from} /App Transfer To {home} {remark}"),
            2 => format!("NIP {from} /via {}/{remark}", to_title_case(bank)),
            3 => format!("NIP/{bank}/{from} /USSD_{remark}"),
            4 => format!("{} TRF/{remark}/FRM {from} TO {me}", self.draw.digits(6)),
            5 => format!("NIP {from} /USSD-NIP/To {me} ./#{}", self.draw.digits(10)),
            _ => format!("NIP/{bank}/{from} /MOB/{me} /{remark}/{}", self.draw.digits(9)),
        };
        self.blur(text)
    }

    /// The narration of an outgoing transfer.
    pub(crate) fn outgoing(&mut self, to: &str, bank: &str, remark: &str) -> String {
        let me = &self.person.name;
        let way = self.draw.weighted(&[(0, 55), (1, 25), (2, 20)]);
        let text = match way {
            0 => format!("NIP CR/{to} /{bank}"),
            1 => format!("TRF FRM {me} TO {to} |{remark} ."),
            _ => format!("NIP CR/MOB/{to} /{bank}/{remark}"),
        };
        self.blur(text)
    }

    /// The narration of a card payment at a terminal.
    pub(crate) fn card(&mut self, place: &str) -> String {
        let end = self.draw.pick(names::TERMINAL_PLACES);
        let digits = self.draw.digits(12);
        let text = match self.draw.weighted(&[(0, 70), (1, 12), (2, 18)]) {
            0 => format!("MC Loc POS Prch-{digits}--{place} {end}"),
            1 => format!("VC POS Loc-{digits}--{place} {end}"),
            _ => format!("{} POS/WEB PMT {place} {}NG", self.draw.digits(6), self.draw.digits(4)),
        };
        self.blur(text)
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
        let name = month_name(month);
        let year = month.div_euclid(12);
        let me = self.person.name.clone();
        let (style, bank) = self.house_style(employer);
        if self.noisy(250) {
            let remark = self.remark(Label::TransferOut);
            return self.incoming(employer, bank, remark);
        }
        let text = match style {
            0 => format!("NIP/{bank}/{employer} /{what} {name} {year}"),
            1 => format!(
                "NIP/{bank}/{employer} /Paystack/{} payment for {} {year} By {}",
                to_title_case(what),
                to_title_case(&name[..3]),
                to_title_case(employer)
            ),
            2 => format!("{} TRF/{what}/FRM {employer} TO {me}", self.draw.digits(6)),
            3 => format!("{} FOR {} {year}-{me}", &what[..3], &name[..3]),
            4 => format!("REMITA/{employer} {what} {:02}/{year}/{}", month.rem_euclid(12) + 1, self.draw.digits(8)),
            5 => format!("PAYROLL {} {employer} {name}", self.draw.digits(4)),
            6 => format!("NIP/{bank}/{employer} /{} {year} PAY", &name[..3]),
            _ => format!("NIP/{bank}/{employer} /{} {}", &name[..3], self.draw.digits(6)),
        };
        self.blur(text)
    }

    /// The style and the bank of an employer, the same every month.
    fn house_style(&self, employer: &str) -> (u8, &'static str) {
        let sum = employer.bytes().fold(7_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)));
        let styles = [0, 1, 2, 3, 4, 5, 6, 7, 0, 0];
        let style = styles[((sum ^ u64::from(self.person.key[0])) % 10) as usize];
        (style, names::BANKS[(sum / 10 % names::HOME_BANKS as u64) as usize].0)
    }
}
