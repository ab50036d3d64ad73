//! The everyday records that fill a statement to its length: takings, gifts, cash, bets, airtime, cards, transfers and
//! their charges. Each day is drawn on its own, so that a statement can be written from either end without keeping it
//! in memory.

use super::event::{AmountRule, Event, Label};
use super::filling::Words;
use super::mislead;
use super::scene::Scene;
use crate::provider::generate::calendar::DayNumber;
use crate::provider::generate::market::Reversed;
use crate::provider::generate::people::person::Profile;
use crate::provider::generate::random::round_to_multiple;

/// A kind of everyday event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EverydayKind {
    Gift,
    Takings,
    Cash,
    Reversal,
    OwnIn,
    Win,
    Ride,
    Airtime,
    Card,
    Atm,
    Transfer,
    Charge,
    Web,
    Power,
    Stake,
    Stock,
    FailedPayment,
}

/// What comes in, by profile: weights of gift, takings, cash, reversal, own transfer, betting win, gig payout.
fn credit_mix(scene: &Scene<'_>, busy: bool) -> [(EverydayKind, u32); 7] {
    let weights = match scene.person.profile {
        _ if busy => [4, 84, 6, 1, 1, 2, 2],
        Profile::Trader => [8, 70, 12, 3, 4, 0, 0],
        Profile::SideBusiness => [18, 55, 10, 4, 6, 0, 0],
        Profile::GigWorker => [18, 8, 12, 5, 6, 0, 45],
        Profile::Gambler => [22, 3, 9, 6, 6, 54, 0],
        Profile::Student => [64, 4, 10, 8, 4, 0, 6],
        _ => [48, 8, 16, 9, 10, 0, 0],
    };
    let kinds = [
        EverydayKind::Gift,
        EverydayKind::Takings,
        EverydayKind::Cash,
        EverydayKind::Reversal,
        EverydayKind::OwnIn,
        EverydayKind::Win,
        EverydayKind::Ride,
    ];
    let mut mix = [0, 1, 2, 3, 4, 5, 6].map(|place: usize| (kinds[place], weights[place]));
    if scene.person.habits.bets && mix[5].1 == 0 {
        mix[5].1 = 12;
    }
    if scene.debits {
        // If debits are listed, a reversal follows its own debit instead.
        mix[3].1 = 0;
    }
    mix
}

/// What goes out.
fn debit_mix(scene: &Scene<'_>, busy: bool) -> [(EverydayKind, u32); 9] {
    let stakes = match scene.person.profile {
        Profile::Gambler => 60,
        _ if scene.person.habits.bets => 12,
        _ => 0,
    };
    let stock = if busy {
        90
    } else if scene.person.profile.trades() {
        30
    } else {
        0
    };
    [
        (EverydayKind::Airtime, 22),
        (EverydayKind::Card, 34),
        (EverydayKind::Atm, 9),
        (EverydayKind::Transfer, 36),
        (EverydayKind::Charge, 8),
        (EverydayKind::Web, 6),
        (EverydayKind::Power, 5),
        (EverydayKind::Stake, stakes),
        (EverydayKind::Stock, stock),
    ]
}

/// Adds `count` events to the day. `busy` means so many events that only shop takings can explain them.
pub(crate) fn fill_day_with_events(
    scene: &mut Scene<'_>,
    day: DayNumber,
    count: usize,
    busy: bool,
    events: &mut Vec<Event>,
) {
    let credits = credit_mix(scene, busy);
    let debits = debit_mix(scene, busy);
    let credit_share = if busy || scene.person.profile.trades() { 430 } else { 230 };
    let full = events.len() + count;
    while events.len() < full {
        let kind = if !scene.debits || scene.draw.chance(credit_share) {
            scene.draw.weighted(&credits)
        } else if full - events.len() >= 2 && scene.draw.chance(22) {
            EverydayKind::FailedPayment
        } else {
            scene.draw.weighted(&debits)
        };
        let second = 21_600 + scene.draw.below(57_600) as u32;
        let from = events.len();
        add_events(scene, day, kind, full - from, events);
        for event in &mut events[from..] {
            event.second = second;
            mislead::mislead_narration(scene, event);
        }
        if scene.repeats && events.len() < full {
            repeat_last(scene, events);
        }
    }
}

/// Sometimes repeats the last event later on the same day, with the same amount and text. Readers must not take it for
/// a duplicate.
fn repeat_last(scene: &mut Scene<'_>, events: &mut Vec<Event>) {
    let later = scene.aside(|scene| scene.draw.chance(40).then(|| scene.draw.range(60, 7_200) as u32));
    if let (Some(later), Some(last)) = (later, events.last_mut().filter(|event| event.link.is_none())) {
        last.amount_rule = AmountRule::Fixed;
        let mut second = last.clone();
        second.second = (last.second + later).min(86_399);
        events.push(second);
    }
}

fn add_events(scene: &mut Scene<'_>, day: DayNumber, kind: EverydayKind, left: usize, events: &mut Vec<Event>) {
    match kind {
        EverydayKind::Gift => events.push(draw_gift_event(scene, day)),
        EverydayKind::Takings => events.push(draw_takings_event(scene, day)),
        EverydayKind::Cash => events.push(draw_cash_deposit(scene, day)),
        EverydayKind::Reversal => events.push(draw_reversal_event(scene, day)),
        EverydayKind::OwnIn => events.push(own_in(scene, day)),
        EverydayKind::Win => events.push(draw_betting_win(scene, day)),
        EverydayKind::Ride => events.push(draw_ride_payout(scene, day)),
        EverydayKind::Airtime => events.push(draw_airtime_event(scene, day)),
        EverydayKind::Card => events.push(draw_card_payment(scene, day)),
        EverydayKind::Atm => add_atm_withdrawal(scene, day, left, events),
        EverydayKind::Transfer => add_outgoing_transfer(scene, day, left, events),
        EverydayKind::Charge => events.push(draw_bank_charge(scene, day)),
        EverydayKind::Web => events.push(draw_web_purchase(scene, day)),
        EverydayKind::Power => events.push(draw_utility_bill(scene, day)),
        EverydayKind::Stake => events.push(draw_betting_stake(scene, day)),
        EverydayKind::Stock => events.push(draw_stock_purchase(scene, day)),
        EverydayKind::FailedPayment => add_failed_payment(scene, day, events),
    }
}

fn draw_gift_event(scene: &mut Scene<'_>, day: DayNumber) -> Event {
    let from = if scene.draw.chance(400) { scene.relative() } else { scene.stranger() };
    let step = scene.draw.weighted(&[(50_000, 3), (100_000, 5), (500_000, 2)]);
    let amount = round_to_multiple(scene.draw.skewed(100_000, scene.person.income / 4 + 500_000), step);
    let bank = scene.bank();
    let remark = scene.remark(Label::Gift);
    let desc = scene.incoming(&from, bank, remark);
    Event::credit(day, amount, Label::Gift, desc, scene.transfer_code()).who(from)
}

fn draw_takings_event(scene: &mut Scene<'_>, day: DayNumber) -> Event {
    let step = scene.draw.weighted(&[(5_000, 4), (10_000, 3), (50_000, 3), (100_000, 1)]);
    let amount = round_to_multiple(scene.draw.skewed(50_000, scene.person.income / 20 + 600_000), step);
    if scene.draw.chance(250) {
        let desc = scene.transfer_narration(scene.facts().forms.terminal_takings, &Words::default());
        return Event::credit(day, amount, Label::Business, desc, "POS");
    }
    let from = scene.stranger();
    let bank = scene.bank();
    let remark = scene.remark(Label::Business);
    let desc = scene.incoming(&from, bank, remark);
    Event::credit(day, amount, Label::Business, desc, scene.transfer_code()).who(from)
}

fn draw_cash_deposit(scene: &mut Scene<'_>, day: DayNumber) -> Event {
    let amount = round_to_multiple(scene.draw.skewed(200_000, scene.person.income / 2 + 1_000_000), 100_000);
    let place = scene.draw.pick(scene.facts().cities);
    let by = if scene.draw.chance(600) { scene.person.name.clone() } else { scene.stranger() };
    let words = Words { party: &by, place, ..Words::default() };
    let desc = scene.transfer_narration(scene.facts().forms.cash_deposit, &words);
    Event::credit(day, amount, Label::CashDeposit, desc, "CSH").who(by)
}

fn draw_reversal_event(scene: &mut Scene<'_>, day: DayNumber) -> Event {
    let facts = scene.facts();
    let telco = scene.draw.pick(facts.firms.telcos);
    let digits = scene.draw.digits(10);
    let shop = scene.draw.pick(facts.firms.shops);
    let place = scene.draw.pick(facts.card_ends);
    let words = Words { party: shop, telco, place, digits: &digits, ..Words::default() };
    // Some banks do not mark reversals.
    let chosen = scene.choose_form(facts.forms.reversal, "", scene.noise / 100);
    let text = match chosen {
        Some(reversal) => scene.fill_form(reversal.form.text, &words),
        None => scene.narrate(facts.forms.unmarked_reversal, &words),
    };
    let (other, charge) = match chosen.map(|reversal| reversal.of) {
        Some(Reversed::Airtime) => (telco, None),
        Some(Reversed::Web(firm)) => (firm, None),
        Some(Reversed::Charge(minor)) => (scene.home_bank().words, Some(minor)),
        Some(Reversed::Purchase) | None => (shop, None),
    };
    let amount = match charge {
        Some(minor) => facts.scale.kobo_of(minor),
        None => round_to_multiple(scene.draw.skewed(10_000, 2_000_000), 5_000),
    };
    let desc = scene.blur(text);
    Event::credit(day, amount, Label::Reversal, desc, "RVS").other(other)
}

fn own_in(scene: &mut Scene<'_>, day: DayNumber) -> Event {
    let me = scene.person.name.clone();
    let bank = scene.facts().banks[scene.person.second_bank].code;
    let amount = round_to_multiple(scene.draw.skewed(100_000, scene.person.income / 3 + 200_000), 50_000);
    let remark = scene.remark(Label::OwnTransfer);
    let desc = scene.incoming(&me, bank, remark);
    Event::credit(day, amount, Label::OwnTransfer, desc, scene.transfer_code()).who(me)
}

fn draw_betting_win(scene: &mut Scene<'_>, day: DayNumber) -> Event {
    let facts = scene.facts();
    let firm = scene.draw.pick(facts.firms.betting);
    let amount = round_to_multiple(scene.draw.skewed(50_000, 20_000_000), 1_000);
    let digits = scene.draw.digits(8);
    let words = Words { party: firm, digits: &digits, ..Words::default() };
    let text = match scene.choose_form(facts.forms.win, firm, 5 + scene.noise / 20) {
        Some(form) => scene.fill_form(form.text, &words),
        None => scene.narrate(facts.forms.silent_win, &words),
    };
    let desc = scene.blur(text);
    Event::credit(day, amount, Label::BettingWin, desc, scene.transfer_code()).who(firm)
}

fn draw_ride_payout(scene: &mut Scene<'_>, day: DayNumber) -> Event {
    let platform = scene.draw.pick(scene.facts().firms.platforms);
    let amount = round_to_multiple(scene.draw.skewed(80_000, scene.person.income / 10 + 100_000), 1_000);
    let remark = scene.remark(Label::Gig);
    let bank = scene.facts().firms.platform_banks[1];
    let words = Words { party: platform, bank, remark, ..Words::default() };
    let desc = scene.transfer_narration(scene.facts().forms.payout, &words);
    Event::credit(day, amount, Label::Gig, desc, scene.transfer_code()).who(platform).employer(platform)
}

fn draw_airtime_event(scene: &mut Scene<'_>, day: DayNumber) -> Event {
    let telco = scene.draw.pick(scene.facts().firms.telcos);
    let amount = round_to_multiple(scene.draw.skewed(10_000, 600_000), 10_000);
    let digits = scene.draw.digits(10);
    let words = Words { party: telco, amount, digits: &digits, ..Words::default() };
    let desc = scene.transfer_narration(scene.facts().forms.airtime, &words);
    Event::debit(day, amount, Label::Airtime, desc, "AIR").other(telco).amount_rule(AmountRule::Elastic)
}

fn draw_card_payment(scene: &mut Scene<'_>, day: DayNumber) -> Event {
    let firms = &scene.facts().firms;
    let shop = scene.draw.pick(firms.shops);
    let amount = round_to_multiple(scene.draw.skewed(40_000, scene.person.income / 15 + 300_000), 5_000);
    let terminal = scene.draw.weighted(firms.terminals);
    let place = if terminal.is_empty() { shop } else { terminal };
    let desc = scene.card(place);
    Event::debit(day, amount, Label::Pos, desc, "POS").who(place).other(shop).amount_rule(AmountRule::Elastic)
}

fn add_atm_withdrawal(scene: &mut Scene<'_>, day: DayNumber, left: usize, events: &mut Vec<Event>) {
    let facts = scene.facts();
    let place = scene.draw.pick(facts.cities);
    let digits = scene.draw.digits(12);
    let amount = round_to_multiple(scene.draw.skewed(100_000, 4_000_000), 100_000);
    let words = Words { place, digits: &digits, ..Words::default() };
    let desc = scene.transfer_narration(facts.forms.cash_machine, &words);
    events.push(Event::debit(day, amount, Label::Atm, desc, "ATM").amount_rule(AmountRule::Elastic));
    if left >= 2 && scene.draw.chance(300) && scene.has_form(facts.forms.cash_machine_fee) {
        let desc = scene.narrate(facts.forms.cash_machine_fee, &words);
        let fee = facts.scale.kobo_of(facts.forms.cash_machine_fee_amount);
        events.push(Event::debit(day, fee, Label::Charge, desc, "FEE"));
    }
}

fn add_outgoing_transfer(scene: &mut Scene<'_>, day: DayNumber, left: usize, events: &mut Vec<Event>) {
    let to = if scene.draw.chance(250) { scene.relative() } else { scene.stranger() };
    let amount = round_to_multiple(scene.draw.skewed(50_000, scene.person.income / 6 + 500_000), 50_000);
    let bank = scene.bank();
    let remark = scene.remark(Label::TransferOut);
    let desc = scene.outgoing(&to, bank, remark);
    events.push(
        Event::debit(day, amount, Label::TransferOut, desc, scene.transfer_code())
            .who(to)
            .amount_rule(AmountRule::Elastic),
    );
    let forms = &scene.facts().forms;
    if left >= 2 && scene.draw.chance(forms.transfer_fee_permille) && scene.has_form(forms.transfer_fee) {
        let fee = match amount {
            ..=500_000 => forms.transfer_fee_amounts[0],
            500_001..=5_000_000 => forms.transfer_fee_amounts[1],
            _ => forms.transfer_fee_amounts[2],
        };
        let desc = scene.narrate(forms.transfer_fee, &Words::default());
        events.push(Event::debit(day, scene.facts().scale.kobo_of(fee), Label::Charge, desc, "FEE"));
    }
}

fn draw_bank_charge(scene: &mut Scene<'_>, day: DayNumber) -> Event {
    let forms = &scene.facts().forms;
    let charge = scene.choose_form(forms.bank_charge, "", 0);
    let desc = charge.map(|charge| scene.fill_form(charge.form.text, &Words::default())).unwrap_or_default();
    let amount = charge.map_or(1, |charge| scene.facts().scale.kobo_of(charge.amount));
    Event::debit(day, amount, Label::Charge, desc, "FEE")
}

fn draw_web_purchase(scene: &mut Scene<'_>, day: DayNumber) -> Event {
    let amount = round_to_multiple(scene.draw.skewed(90_000, 2_500_000), 1_000);
    let shops = scene.facts().firms.web_shops;
    let firm = &shops[scene.draw.index(shops.len())];
    let words = Words { party: firm.printed, ..Words::default() };
    let desc = scene.transfer_narration(scene.facts().forms.web, &words);
    Event::debit(day, amount, Label::Web, desc, "WEB").other(firm.name).amount_rule(AmountRule::Elastic)
}

fn draw_utility_bill(scene: &mut Scene<'_>, day: DayNumber) -> Event {
    let amount = round_to_multiple(scene.draw.skewed(200_000, 2_500_000), 50_000);
    let billers = scene.facts().firms.billers;
    let biller = &billers[scene.draw.index(billers.len())];
    let words = Words { party: biller.printed, amount, ..Words::default() };
    let desc = scene.transfer_narration(scene.facts().forms.bill, &words);
    Event::debit(day, amount, Label::Utilities, desc, "WEB").other(biller.name)
}

fn draw_betting_stake(scene: &mut Scene<'_>, day: DayNumber) -> Event {
    let facts = scene.facts();
    let firm = scene.draw.pick(facts.firms.betting);
    let amount = round_to_multiple(scene.draw.skewed(10_000, 2_000_000), 10_000);
    let digits = scene.draw.digits(10);
    let words = Words { party: firm, digits: &digits, ..Words::default() };
    let text = match scene.choose_form(facts.forms.stake, firm, 5 + scene.noise / 20) {
        Some(form) => scene.fill_form(form.text, &words),
        None => scene.narrate(facts.forms.silent_stake, &words),
    };
    let desc = scene.blur(text);
    Event::debit(day, amount, Label::BettingStake, desc, "WEB").who(firm).amount_rule(AmountRule::Elastic)
}

fn draw_stock_purchase(scene: &mut Scene<'_>, day: DayNumber) -> Event {
    let supplier = scene.draw.pick(scene.facts().firms.suppliers);
    let amount = round_to_multiple(scene.draw.skewed(100_000, scene.person.income / 12 + 1_200_000), 50_000);
    let bank = scene.bank();
    let remark = scene.remark(Label::Supplies);
    let desc = scene.outgoing(supplier, bank, remark);
    Event::debit(day, amount, Label::Supplies, desc, scene.transfer_code())
        .who(supplier)
        .amount_rule(AmountRule::Elastic)
}

/// A payment that the bank gives back on the same day.
fn add_failed_payment(scene: &mut Scene<'_>, day: DayNumber, events: &mut Vec<Event>) {
    let facts = scene.facts();
    let telco = scene.draw.pick(facts.firms.telcos);
    let digits = scene.draw.digits(10);
    let amount = round_to_multiple(scene.draw.skewed(10_000, 200_000), 10_000);
    let link = scene.pair();
    let Some(failure) = scene.choose_form(facts.forms.failure, "", 0) else { return };
    let (label, code, party, name) = if failure.is_bill {
        let biller = facts.firms.billers[scene.draw.index(facts.firms.billers.len())];
        (Label::Utilities, "WEB", biller.printed, biller.name)
    } else {
        (Label::Airtime, "AIR", telco, telco)
    };
    let words = Words { party, amount, digits: &digits, ..Words::default() };
    let desc = scene.fill_form(failure.out.text, &words);
    events.push(Event::debit(day, amount, label, desc, code).other(name).link(link));
    let text = scene.fill_form(failure.back, &words);
    let desc = scene.blur(text);
    let back = Event::credit(day, amount, Label::Reversal, desc, "RVS").other(name).link(link);
    events.push(back.amount_rule(AmountRule::Echo));
}
