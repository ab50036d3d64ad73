//! The option of misleading narrations: remarks about something else, names that contain listed words, pay without a
//! remark. Only narrations change; amounts, days and labels stay.

use super::event::{Event, EventSide, Label};
use super::scene::Scene;
use crate::provider::generate::people::names;
use crate::provider::generate::people::person::draw_person_name;

const SALARY: &[&str] = &["SALARY", "SALARY FOR JUNE", "MONTHLY PAY", "WAGES", "PAYROLL", "STAFF SALARY", "BONUS"];
const LOAN: &[&str] =
    &["LOAN", "LOAN BALANCE", "LOAN REPAYMENT", "CREDIT FACILITY", "LOAN RETURNED THANKS", "DISBURSEMENT"];
const GOODS: &[&str] =
    &["REVERSAL OF ORDER", "RVSL GOODS", "REVERSAL 2 CARTONS", "REFUND LESS GOODS", "BET9JA SHOP GOODS"];
const BETS: &[&str] = &["BET9JA", "SPORTYBET", "BETKING MONEY", "1XBET", "NAIRABET"];
const NOTHING: &[&str] = &["", "TRF", "OK", ".", "TRANSFER", "PAYMENT"];

/// The share of a label's records that mislead, in thousandths, and the remarks to draw from.
fn misleading_remarks_of(label: Label) -> (u32, &'static [&'static [&'static str]]) {
    match label {
        Label::Gift => (550, &[SALARY, SALARY, LOAN, BETS]),
        Label::OwnTransfer => (500, &[SALARY, LOAN, GOODS, NOTHING]),
        Label::Business => (500, &[LOAN, GOODS, SALARY, BETS]),
        Label::Rent => (400, &[NOTHING, SALARY]),
        Label::Refund => (500, &[NOTHING, GOODS]),
        Label::LoanProceeds => (450, &[NOTHING, &["GOODS", "SUPPORT", "FOR BUSINESS"]]),
        Label::BettingWin => (450, &[NOTHING, &["COMMISSION", "PAYOUT"]]),
        Label::Reversal => (450, &[NOTHING]),
        Label::TransferOut => (450, &[BETS, LOAN, SALARY, &["HOUSE RENT", "SCHOOL FEES"]]),
        Label::Supplies => (450, &[GOODS, LOAN, BETS]),
        Label::RentPaid | Label::SchoolFees => (400, &[NOTHING]),
        Label::LoanRepayment => (350, &[NOTHING]),
        Label::Salary | Label::Pension | Label::Gig => (1000, &[NOTHING]),
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
    let list = lists[scene.draw.index(lists.len())];
    let remark = scene.draw.pick(list);
    let chosen = match event.employer {
        // An employer, a pension payer or a platform always says what it pays for, or never.
        Some(payer) => says_nothing(scene, payer),
        None => scene.draw.chance(share),
    };
    let may_be_renamed =
        event.stream.is_none() && matches!(event.label, Label::Gift | Label::Business | Label::TransferOut);
    if may_be_renamed && scene.draw.chance(250) {
        let name = format!("{} {}", scene.draw.pick(names::TRAP_FAMILY), scene.draw.pick(names::TRAP_GIVEN));
        event.who = Some(name);
    } else if !chosen {
        return;
    }
    let who = match event.label {
        // Lenders and betting firms pay through agents; banks return what a shop took.
        Label::LoanProceeds | Label::BettingWin => "PAYSTACK SETTLEMENT".into(),
        Label::Reversal => event.other.unwrap_or("MERCHANT").to_uppercase(),
        _ => event.who.get_or_insert_with(|| draw_person_name(&mut scene.draw)).clone(),
    };
    let bank = names::BANKS[(name_hash(scene, &who) / 10 % names::BANKS.len() as u64) as usize].0;
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
