//! The everyday records that fill a statement to its length: takings, gifts, cash, bets, airtime, cards, transfers and
//! their charges. Each day is drawn on its own, so that a statement can be written from either end without keeping it
//! in memory.

use super::event::{AmountRule, Event, Label};
use super::mislead;
use super::scene::Scene;
use crate::provider::generate::calendar::DayNumber;
use crate::provider::generate::people::names;
use crate::provider::generate::people::person::{Profile, draw_person_name};
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
    FailedAirtime,
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
            EverydayKind::FailedAirtime
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
        EverydayKind::FailedAirtime => failed_airtime(scene, day, events),
    }
}

fn draw_gift_event(scene: &mut Scene<'_>, day: DayNumber) -> Event {
    let from = if scene.draw.chance(400) { scene.relative() } else { draw_person_name(&mut scene.draw) };
    let step = scene.draw.weighted(&[(50_000, 3), (100_000, 5), (500_000, 2)]);
    let amount = round_to_multiple(scene.draw.skewed(100_000, scene.person.income / 4 + 500_000), step);
    let bank = scene.bank();
    let remark = scene.remark(Label::Gift);
    let desc = scene.incoming(&from, bank, remark);
    Event::credit(day, amount, Label::Gift, desc, "NIP").who(from)
}

fn draw_takings_event(scene: &mut Scene<'_>, day: DayNumber) -> Event {
    let step = scene.draw.weighted(&[(5_000, 4), (10_000, 3), (50_000, 3), (100_000, 1)]);
    let amount = round_to_multiple(scene.draw.skewed(50_000, scene.person.income / 20 + 600_000), step);
    if scene.draw.chance(250) {
        let terminal = scene.draw.digits(8);
        let desc = format!(
            "NIP Moniepoint POS {terminal} /Comm POS Trf for {} /AT{}_TRF|{}",
            scene.person.name,
            scene.draw.digits(3),
            scene.draw.digits(12)
        );
        let desc = scene.blur(desc);
        return Event::credit(day, amount, Label::Business, desc, "POS");
    }
    let from = draw_person_name(&mut scene.draw);
    let bank = scene.bank();
    let remark = scene.remark(Label::Business);
    let desc = scene.incoming(&from, bank, remark);
    Event::credit(day, amount, Label::Business, desc, "NIP").who(from)
}

fn draw_cash_deposit(scene: &mut Scene<'_>, day: DayNumber) -> Event {
    let amount = round_to_multiple(scene.draw.skewed(200_000, scene.person.income / 2 + 1_000_000), 100_000);
    let city = scene.draw.pick(names::CITIES);
    let by = if scene.draw.chance(600) { scene.person.name.clone() } else { draw_person_name(&mut scene.draw) };
    let text = match scene.draw.weighted(&[(0, 50), (1, 30), (2, 20)]) {
        0 => format!("CASH DEPOSIT BY {by} {city}"),
        1 => format!("CSH DEP {city} BR/{by}"),
        _ => format!("{} CASH LODGEMENT {by}", scene.draw.digits(6)),
    };
    let desc = scene.blur(text);
    Event::credit(day, amount, Label::CashDeposit, desc, "CSH").who(by)
}

fn draw_reversal_event(scene: &mut Scene<'_>, day: DayNumber) -> Event {
    let telco = scene.draw.pick(names::TELCOS);
    let digits = scene.draw.digits(10);
    let shop = scene.draw.pick(names::SHOPS);
    let place = scene.draw.pick(names::TERMINAL_PLACES);
    let plain = scene.noise / 100;
    let (text, other) = match scene.draw.weighted(&[(0, 14), (1, 7), (2, 10), (3, 7), (4, 3), (5, plain)]) {
        0 => (format!("Rvsl:Airtime//{digits}//{telco}"), telco),
        1 => (format!("QTM REVERSAL FOR AIRTIME TOPUP FOR +234{digits}"), telco),
        2 => (format!("**Rev MC Loc POS Prch-{digits}--{shop} {place}"), shop),
        3 => (format!("**Rev MC Loc Web Prch-{digits}--Bolt Lagos NG-"), "Bolt"),
        4 => ("Rvsl:STAMP DUTY CHARGE".into(), names::BANKS[scene.person.bank].1),
        // Some banks do not mark reversals.
        _ => (format!("MC Loc POS Prch-{digits}--{shop} {place}"), shop),
    };
    let amount =
        if text.ends_with("CHARGE") { 5_000 } else { round_to_multiple(scene.draw.skewed(10_000, 2_000_000), 5_000) };
    let desc = scene.blur(text);
    Event::credit(day, amount, Label::Reversal, desc, "RVS").other(other)
}

fn own_in(scene: &mut Scene<'_>, day: DayNumber) -> Event {
    let me = scene.person.name.clone();
    let bank = names::BANKS[scene.person.second_bank].0;
    let amount = round_to_multiple(scene.draw.skewed(100_000, scene.person.income / 3 + 200_000), 50_000);
    let remark = scene.remark(Label::OwnTransfer);
    let desc = scene.incoming(&me, bank, remark);
    Event::credit(day, amount, Label::OwnTransfer, desc, "NIP").who(me)
}

fn draw_betting_win(scene: &mut Scene<'_>, day: DayNumber) -> Event {
    let firm = scene.draw.pick(names::BETTING);
    let amount = round_to_multiple(scene.draw.skewed(50_000, 20_000_000), 1_000);
    let digits = scene.draw.digits(8);
    let me = scene.person.name.clone();
    let text = match scene.draw.weighted(&[(0, 45), (1, 30), (2, 20), (3, 5 + scene.noise / 20)]) {
        0 => format!("NIP/FCMB/{firm} /WITHDRAWAL {digits}"),
        1 => format!("NIP/WEMA/Paystack/{firm} payout {digits}"),
        2 => format!("{firm} WINNINGS/{me}/{digits}"),
        _ => format!("NIP/WEMA/Paystack/Transfer {digits}"),
    };
    let desc = scene.blur(text);
    Event::credit(day, amount, Label::BettingWin, desc, "NIP").who(firm)
}

fn draw_ride_payout(scene: &mut Scene<'_>, day: DayNumber) -> Event {
    let platform = scene.draw.pick(names::PLATFORMS);
    let amount = round_to_multiple(scene.draw.skewed(80_000, scene.person.income / 10 + 100_000), 1_000);
    let remark = scene.remark(Label::Gig);
    let desc = format!("NIP/MONIEPOINT/{platform} /{remark} {}", scene.draw.digits(6));
    let desc = scene.blur(desc);
    Event::credit(day, amount, Label::Gig, desc, "NIP").who(platform).employer(platform)
}

fn draw_airtime_event(scene: &mut Scene<'_>, day: DayNumber) -> Event {
    let telco = scene.draw.pick(names::TELCOS);
    let amount = round_to_multiple(scene.draw.skewed(10_000, 600_000), 10_000);
    let digits = scene.draw.digits(10);
    let text = match scene.draw.weighted(&[(0, 40), (1, 30), (2, 20), (3, 10)]) {
        0 => format!("Airtime//{digits}//{telco}"),
        1 => format!("QTM AIRTIME TOPUP FOR +234{digits}"),
        2 => format!("QTM {}Airtime- {telco} {digits}", amount / 100),
        _ => format!("{telco} Airtime Purchase {digits}-{}", scene.draw.digits(6)),
    };
    let desc = scene.blur(text);
    Event::debit(day, amount, Label::Airtime, desc, "AIR").other(telco).amount_rule(AmountRule::Elastic)
}

fn draw_card_payment(scene: &mut Scene<'_>, day: DayNumber) -> Event {
    let shop = scene.draw.pick(names::SHOPS);
    let amount = round_to_multiple(scene.draw.skewed(40_000, scene.person.income / 15 + 300_000), 5_000);
    let place = match scene.draw.weighted(&[(0, 60), (1, 15), (2, 15), (3, 10)]) {
        0 => shop,
        1 => "ACCELEREX NETWORK",
        2 => "PAYCOM NIGERIA LIMITED",
        _ => "PAYARENA",
    };
    let desc = scene.card(place);
    Event::debit(day, amount, Label::Pos, desc, "POS").who(place).other(shop).amount_rule(AmountRule::Elastic)
}

fn add_atm_withdrawal(scene: &mut Scene<'_>, day: DayNumber, left: usize, events: &mut Vec<Event>) {
    let city = scene.draw.pick(names::CITIES);
    let digits = scene.draw.digits(12);
    let amount = round_to_multiple(scene.draw.skewed(100_000, 4_000_000), 100_000);
    let desc = scene.blur(format!("MC Loc ATM Wdl-{digits}--SWTGTBsnk {city} NG-"));
    events.push(Event::debit(day, amount, Label::Atm, desc, "ATM").amount_rule(AmountRule::Elastic));
    if left >= 2 && scene.draw.chance(300) {
        let desc = format!("*ISO:MC Loc ATM Wdl Fee-{digits}--SWTGTBsnk {city} NG-");
        events.push(Event::debit(day, 3_500, Label::Charge, desc, "FEE"));
    }
}

fn add_outgoing_transfer(scene: &mut Scene<'_>, day: DayNumber, left: usize, events: &mut Vec<Event>) {
    let to = if scene.draw.chance(250) { scene.relative() } else { draw_person_name(&mut scene.draw) };
    let amount = round_to_multiple(scene.draw.skewed(50_000, scene.person.income / 6 + 500_000), 50_000);
    let bank = scene.bank();
    let remark = scene.remark(Label::TransferOut);
    let desc = scene.outgoing(&to, bank, remark);
    events.push(Event::debit(day, amount, Label::TransferOut, desc, "NIP").who(to).amount_rule(AmountRule::Elastic));
    if left >= 2 && scene.draw.chance(550) {
        let fee = match amount {
            ..=500_000 => 1_075,
            500_001..=5_000_000 => 2_688,
            _ => 5_375,
        };
        let words = scene.draw.pick(&["NIP Charge + VAT", "Transfer Charges", "QTM NIP COMM & VAT/USSD/TRF"]);
        events.push(Event::debit(day, fee, Label::Charge, words.into(), "FEE"));
    }
}

fn draw_bank_charge(scene: &mut Scene<'_>, day: DayNumber) -> Event {
    let (words, amount) = scene.draw.weighted(&[
        (("STAMP DUTY CHARGE", 5_000), 35),
        (("ELECTRONIC MONEY TRANSFER LEVY", 5_000), 25),
        (("QTM USSD COMM & VAT/Account Balance", 698), 25),
        (("SAC SMS Alert Fee-", 400), 30),
    ]);
    let desc = if words.ends_with('-') {
        format!("{words}{}/{}", scene.draw.digits(6), scene.draw.digits(4))
    } else {
        words.into()
    };
    Event::debit(day, amount, Label::Charge, desc, "FEE")
}

fn draw_web_purchase(scene: &mut Scene<'_>, day: DayNumber) -> Event {
    let amount = round_to_multiple(scene.draw.skewed(90_000, 2_500_000), 1_000);
    let firm =
        scene.draw.pick(&["Bolt Lagos NG-", "REMITA WEB PAY LAGOS NG-", "JUMIA ONLINE LANG-", "NETFLIX.COM AMS NL-"]);
    let name = firm.split([' ', '.']).next().unwrap_or(firm);
    let desc = format!("MC Loc Web Prch-{}--{firm}", scene.draw.digits(12));
    let desc = scene.blur(desc);
    Event::debit(day, amount, Label::Web, desc, "WEB").other(name).amount_rule(AmountRule::Elastic)
}

fn draw_utility_bill(scene: &mut Scene<'_>, day: DayNumber) -> Event {
    let amount = round_to_multiple(scene.draw.skewed(200_000, 2_500_000), 50_000);
    let firm =
        scene.draw.pick(&["IKEDC PREPAID", "IBEDC PREPAID", "EKEDC POSTPAID", "LAWMA WASTE BILL", "STATE WATER BILL"]);
    let desc = format!("{}//{}////#{firm} NGN{}", scene.draw.digits(9), scene.draw.digits(11), amount / 100);
    let desc = scene.blur(desc);
    Event::debit(day, amount, Label::Utilities, desc, "WEB").other(firm.rsplit_once(' ').map_or(firm, |(name, _)| name))
}

fn draw_betting_stake(scene: &mut Scene<'_>, day: DayNumber) -> Event {
    let firm = scene.draw.pick(names::BETTING);
    let amount = round_to_multiple(scene.draw.skewed(10_000, 2_000_000), 10_000);
    let digits = scene.draw.digits(10);
    let text = match scene.draw.weighted(&[(0, 50), (1, 30), (2, 15), (3, 5 + scene.noise / 20)]) {
        0 => format!("MC Loc Web Pyt-{digits}--{firm} LANG-"),
        1 => format!("NIP CR/{firm} /WEMA"),
        2 => format!("QTM {firm} {digits}"),
        _ => format!("MC Loc Web Pyt-{digits}--PAYSTACK CHECKOUT LANG-"),
    };
    let desc = scene.blur(text);
    Event::debit(day, amount, Label::BettingStake, desc, "WEB").who(firm).amount_rule(AmountRule::Elastic)
}

fn draw_stock_purchase(scene: &mut Scene<'_>, day: DayNumber) -> Event {
    let supplier = scene.draw.pick(names::SUPPLIERS);
    let amount = round_to_multiple(scene.draw.skewed(100_000, scene.person.income / 12 + 1_200_000), 50_000);
    let bank = scene.bank();
    let remark = scene.remark(Label::Supplies);
    let desc = scene.outgoing(supplier, bank, remark);
    Event::debit(day, amount, Label::Supplies, desc, "NIP").who(supplier).amount_rule(AmountRule::Elastic)
}

fn failed_airtime(scene: &mut Scene<'_>, day: DayNumber, events: &mut Vec<Event>) {
    let telco = scene.draw.pick(names::TELCOS);
    let digits = scene.draw.digits(10);
    let amount = round_to_multiple(scene.draw.skewed(10_000, 200_000), 10_000);
    let link = scene.pair();
    let bought = Event::debit(day, amount, Label::Airtime, format!("Airtime//{digits}//{telco}"), "AIR");
    events.push(bought.other(telco).link(link));
    let desc = scene.blur(format!("Rvsl:Airtime//{digits}//{telco}"));
    let back = Event::credit(day, amount, Label::Reversal, desc, "RVS").other(telco).link(link);
    events.push(back.amount_rule(AmountRule::Echo));
}
