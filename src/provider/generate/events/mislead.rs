//! The option of misleading narrations: remarks about something else, names that contain listed words, pay without a
//! remark. Only narrations change; amounts, days and labels stay.

use super::event::{Event, EventSide, Label};
use super::scene::Scene;
use crate::provider::generate::market::Remarks;

const SALARY: &[&str] = &["SALARY", "SALARY FOR JUNE", "MONTHLY PAY", "WAGES", "PAYROLL", "STAFF SALARY", "BONUS"];
const LOAN: &[&str] =
    &["LOAN", "LOAN BALANCE", "LOAN REPAYMENT", "CREDIT FACILITY", "LOAN RETURNED THANKS", "DISBURSEMENT"];
const NOTHING: &[&str] = &["", "TRF", "OK", ".", "TRANSFER", "PAYMENT"];

/// What a misleading remark is about.
#[derive(Clone, Copy)]
enum Topic {
    Salary,
    Loan,
    Goods,
    Bets,
    Nothing,
    Support,
    Commission,
    Household,
}

impl Topic {
    fn remarks(self, remarks: &Remarks) -> &'static [&'static str] {
        match self {
            Self::Salary => SALARY,
            Self::Loan => LOAN,
            Self::Goods => remarks.returned_goods,
            Self::Bets => remarks.bets,
            Self::Nothing => NOTHING,
            Self::Support => &["GOODS", "SUPPORT", "FOR BUSINESS"],
            Self::Commission => &["COMMISSION", "PAYOUT"],
            Self::Household => &["HOUSE RENT", "SCHOOL FEES"],
        }
    }
}

/// The share of a label's records that mislead, in thousandths, and what the remarks to draw from are about.
fn misleading_remarks_of(label: Label) -> (u32, &'static [Topic]) {
    use Topic::{Bets, Commission, Goods, Household, Loan, Nothing, Salary, Support};
    match label {
        Label::Gift => (550, &[Salary, Salary, Loan, Bets]),
        Label::OwnTransfer => (500, &[Salary, Loan, Goods, Nothing]),
        Label::Business => (500, &[Loan, Goods, Salary, Bets]),
        Label::Rent => (400, &[Nothing, Salary]),
        Label::Refund => (500, &[Nothing, Goods]),
        Label::LoanProceeds => (450, &[Nothing, Support]),
        Label::BettingWin => (450, &[Nothing, Commission]),
        Label::Reversal => (450, &[Nothing]),
        Label::TransferOut => (450, &[Bets, Loan, Salary, Household]),
        Label::Supplies => (450, &[Goods, Loan, Bets]),
        Label::RentPaid | Label::SchoolFees => (400, &[Nothing]),
        Label::LoanRepayment => (350, &[Nothing]),
        Label::Salary | Label::Pension | Label::Gig => (1000, &[Nothing]),
        _ => (0, &[]),
    }
}

/// Rewrites the narration of some events.
pub(crate) fn mislead_narration(scene: &mut Scene<'_>, event: &mut Event) {
    if scene.hard.misleading {
        scene.aside(|scene| rewrite_narration(scene, event));
    }
}

fn rewrite_narration(scene: &mut Scene<'_>, event: &mut Event) {
    let (share, lists) = misleading_remarks_of(event.label);
    if lists.is_empty() {
        return;
    }
    let facts = scene.facts();
    let topic = lists[scene.draw.index(lists.len())];
    let remark = scene.draw.pick(topic.remarks(&facts.remarks));
    let chosen = match event.employer {
        // An employer, a pension payer or a platform always says what it pays for, or never.
        Some(payer) => says_nothing(scene, payer),
        None => scene.draw.chance(share),
    };
    let may_be_renamed =
        event.stream.is_none() && matches!(event.label, Label::Gift | Label::Business | Label::TransferOut);
    if may_be_renamed && scene.draw.chance(250) {
        let family = scene.draw.pick(facts.names.trap_family);
        event.who = Some(facts.names.join(scene.draw.pick(facts.names.trap_given), family));
    } else if !chosen {
        return;
    }
    let who = match event.label {
        // Lenders and betting firms pay through agents; banks return what a shop took.
        Label::LoanProceeds | Label::BettingWin => facts.firms.paying_agent.into(),
        Label::Reversal => event.other.unwrap_or("MERCHANT").to_uppercase(),
        _ => event.who.get_or_insert_with(|| scene.stranger()).clone(),
    };
    let bank = facts.banks[(name_hash(scene, &who) / 10 % facts.banks.len() as u64) as usize].code;
    event.desc = match event.side {
        EventSide::Credit => scene.incoming(&who, bank, remark),
        EventSide::Debit => scene.outgoing(&who, bank, remark),
    };
}

/// Whether a payer never says what it pays for; 7 in 10 do not.
fn says_nothing(scene: &Scene<'_>, payer: &str) -> bool {
    name_hash(scene, payer) % 10 < 7
}

/// A hash of a name that is the same throughout a statement.
fn name_hash(scene: &Scene<'_>, name: &str) -> u64 {
    let sum = name.bytes().fold(5_u64, |sum, byte| sum.wrapping_mul(33).wrapping_add(u64::from(byte)));
    sum ^ u64::from(scene.person.key[1])
}
