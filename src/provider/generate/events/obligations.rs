//! Obligations and their kin: loans and repayments, rent, fees, subscriptions, monthly bank charges, transfers between
//! own accounts, refunds after purchases.

use super::event::{Event, Label};
use super::filling::Words;
use super::income::every_months;
use super::scene::Scene;
use crate::provider::generate::calendar;
use crate::provider::generate::random::round_to_multiple;

/// Plans all of these events; debits only if the statement lists them.
pub(crate) fn plan_obligation_events(scene: &mut Scene<'_>, events: &mut Vec<Event>) {
    plan_loan_events(scene, events);
    if scene.person.habits.second_account {
        own_transfers(scene, events);
    }
    plan_purchase_refunds(scene, events);
    if scene.debits {
        plan_household_bills(scene, events);
        plan_subscriptions(scene, events);
        monthly_charges(scene, events);
    }
}

fn plan_loan_events(scene: &mut Scene<'_>, events: &mut Vec<Event>) {
    let habits = &scene.person.habits;
    let days = i64::from(scene.last - scene.first + 1);
    let exact = i64::from(habits.loans_a_year) * days;
    let count = exact / 365 + i64::from(scene.draw.below(365) < (exact % 365) as u64);
    // More than a hundred loans would make a statement no more realistic.
    for number in 1..=count.min(100) {
        let lender = habits.lenders[scene.draw.index(habits.lenders.len())];
        let taken = scene.first + scene.draw.below(days as u64) as i32;
        let amount = round_to_multiple(scene.draw.skewed(scene.person.income / 20, scene.person.income), 100_000);
        let desc = loan_narration(scene, lender, number);
        events.push(Event::credit(taken, amount, Label::LoanProceeds, desc, scene.transfer_code()).who(lender));
        if scene.debits {
            plan_loan_repayments(scene, events, lender, number, taken, amount);
        }
    }
}

fn loan_narration(scene: &mut Scene<'_>, lender: &str, number: i64) -> String {
    let bank = scene.draw.pick(scene.facts().firms.lender_banks);
    if scene.noisy(250) {
        let agent = scene.stranger();
        let remark = scene.remark(Label::TransferOut);
        return scene.incoming(&agent, bank, remark);
    }
    let words = Words { party: lender, bank, number, ..Words::default() };
    scene.transfer_narration(scene.facts().forms.loan, &words)
}

fn plan_loan_repayments(
    scene: &mut Scene<'_>,
    events: &mut Vec<Event>,
    lender: &'static str,
    number: i64,
    taken: i32,
    amount: i64,
) {
    let parts = scene.draw.weighted(&[(1, 45), (2, 15), (3, 25), (6, 15)]);
    let owed = amount / 1000 * scene.draw.range(1040, 1350);
    for part in 1..=parts {
        let due = taken + 30 * part;
        let late = if scene.draw.chance(200) { scene.draw.range(1, 9) as i32 } else { 0 };
        let words = Words { party: lender, number, part, ..Words::default() };
        let desc = scene.transfer_narration(scene.facts().forms.repayment, &words);
        let event =
            Event::debit(due + late, owed / i64::from(parts), Label::LoanRepayment, desc, scene.transfer_code())
                .who(lender);
        events.push(event.stream(format!("loan-{number}"), "monthly"));
    }
}

/// Transfers between two accounts of the same person: out and back within days, in, or out.
fn own_transfers(scene: &mut Scene<'_>, events: &mut Vec<Event>) {
    let me = scene.person.name.clone();
    let bank = scene.facts().banks[scene.person.second_bank].code;
    for month in scene.months() {
        for _ in 0..scene.draw.weighted(&[(0, 35), (1, 40), (2, 25)]) {
            let amount = round_to_multiple(scene.draw.skewed(200_000, scene.person.income / 2 + 400_000), 50_000);
            let day = calendar::in_month(month, scene.draw.range(1, 28) as u32);
            let way = scene.draw.weighted(&[(0, 50), (1, 25), (2, 25)]);
            let link = scene.pair();
            if way != 1 {
                let remark = scene.remark(Label::OwnTransfer);
                // A bank may print the name's parts in another order, or fewer of them.
                let printed =
                    if scene.draw.chance(250) { me.split(' ').rev().collect::<Vec<_>>().join(" ") } else { me.clone() };
                let desc = scene.incoming(&printed, bank, remark);
                events.push(
                    Event::credit(day, amount, Label::OwnTransfer, desc, scene.transfer_code()).who(printed).link(link),
                );
            }
            if way != 0 && scene.debits {
                let remark = scene.remark(Label::OwnTransfer);
                let desc = scene.outgoing(&me, bank, remark);
                let out = day + if way == 2 { scene.draw.below(3) as i32 } else { 0 };
                events.push(
                    Event::debit(out, amount, Label::OwnTransfer, desc, scene.transfer_code()).who(&*me).link(link),
                );
            }
        }
    }
}

/// A purchase that is refunded days later.
fn plan_purchase_refunds(scene: &mut Scene<'_>, events: &mut Vec<Event>) {
    for month in scene.months() {
        if !scene.draw.chance(220) {
            continue;
        }
        let shop = scene.draw.pick(scene.facts().firms.shops);
        let amount = round_to_multiple(scene.draw.skewed(150_000, 4_000_000), 5_000);
        let day = calendar::in_month(month, scene.draw.range(1, 28) as u32);
        let link = scene.pair();
        if scene.debits {
            let desc = scene.card(shop);
            events.push(Event::debit(day, amount, Label::Pos, desc, "POS").who(shop).link(link));
        }
        let remark = scene.remark(Label::Refund);
        let bank = scene.bank();
        let desc = scene.incoming(shop, bank, remark);
        let back = day + scene.draw.range(1, 6) as i32;
        events.push(Event::credit(back, amount, Label::Refund, desc, scene.transfer_code()).who(shop).link(link));
    }
}

fn plan_household_bills(scene: &mut Scene<'_>, events: &mut Vec<Event>) {
    let income = scene.person.income;
    if scene.person.habits.pays_rent {
        let landlord = scene.stranger();
        let every = scene.draw.weighted(&[(1, 40), (6, 15), (12, 45)]);
        let amount = round_to_multiple(income / 7 * i64::from(every), 500_000);
        let phase = scene.draw.below(every as u64) as i32;
        let bank = scene.bank();
        for month in scene.months().filter(|month| month.rem_euclid(every) == phase) {
            let remark = scene.remark(Label::RentPaid);
            let desc = scene.outgoing(&landlord, bank, remark);
            let day = scene.moved(calendar::in_month(month, 3));
            events.push(
                Event::debit(day, amount, Label::RentPaid, desc, scene.transfer_code())
                    .who(&*landlord)
                    .stream("rent-paid-1", every_months(every)),
            );
        }
    }
    if scene.person.habits.has_children {
        let school = scene.draw.pick(scene.facts().firms.schools);
        let amount = round_to_multiple(income / 4, 500_000);
        for month in scene.months().filter(|month| matches!(month.rem_euclid(12), 0 | 4 | 8)) {
            let remark = scene.remark(Label::SchoolFees);
            let desc = scene.outgoing(school, scene.facts().firms.school_bank, remark);
            let day = calendar::in_month(month, 6) + scene.draw.below(12) as i32;
            events.push(
                Event::debit(day, amount, Label::SchoolFees, desc, scene.transfer_code())
                    .who(school)
                    .stream("school-1", every_months(4)),
            );
        }
    }
}

fn plan_subscriptions(scene: &mut Scene<'_>, events: &mut Vec<Event>) {
    if !scene.person.habits.subscriptions {
        return;
    }
    let digits = scene.draw.digits(9);
    let Some(subscription) = scene.choose_form(scene.facts().forms.subscription, "", 0) else { return };
    let (firm, amount) = (subscription.firm, scene.facts().scale.kobo_of(subscription.amount));
    let day = scene.draw.range(2, 28) as u32;
    for month in scene.months() {
        let words = Words { party: firm, digits: &digits, amount, ..Words::default() };
        let desc = scene.fill_form(subscription.form.text, &words);
        let when = scene.moved(calendar::in_month(month, day));
        events.push(
            Event::debit(when, amount, Label::Subscription, desc, "WEB")
                .other(firm)
                .stream("subscription-1", "monthly"),
        );
    }
}

fn monthly_charges(scene: &mut Scene<'_>, events: &mut Vec<Event>) {
    let (forms, scale) = (&scene.facts().forms, scene.facts().scale);
    for month in scene.months() {
        let messages = scene.draw.range(8, 60);
        let words = Words { month, ..Words::default() };
        if scene.has_form(forms.monthly_charge) {
            let desc = scene.narrate(forms.monthly_charge, &words);
            let amount = messages * scale.kobo_of(forms.message_amount);
            events.push(Event::debit(calendar::in_month(month, 31), amount, Label::Charge, desc, "FEE"));
        }
        if month.rem_euclid(3) == 0 && scene.has_form(forms.quarterly_charge) {
            let desc = scene.narrate(forms.quarterly_charge, &words);
            let amount = scale.kobo_of(forms.quarterly_charge_amount);
            events.push(
                Event::debit(calendar::in_month(month, 28), amount, Label::Charge, desc, "FEE")
                    .stream("card-fee-1", "quarterly"),
            );
        }
    }
}
