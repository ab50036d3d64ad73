//! The income that a statement is planned around: pay, pension, platforms, rents, dividends, allowances.

use super::event::{Event, Label};
use super::filling::Words;
use super::scene::Scene;
use crate::provider::generate::calendar::{self, DayNumber};
use crate::provider::generate::people::person::Profile;
use crate::provider::generate::random::round_to_multiple;

/// Plans every income of the person.
pub(crate) fn plan_income_events(scene: &mut Scene<'_>, events: &mut Vec<Event>) {
    if scene.person.paid_here && scene.person.profile.has_salary() {
        plan_salary_events(scene, events);
    }
    if scene.person.paid_here && scene.person.profile == Profile::Pensioner {
        plan_pension_events(scene, events);
    }
    if scene.person.paid_here && (scene.person.profile == Profile::GigWorker || scene.person.habits.gig_beside) {
        plan_gig_payouts(scene, events);
    }
    if scene.person.habits.allowance {
        plan_allowance_events(scene, events);
    }
    if scene.person.habits.landlord {
        plan_rent_income(scene, events);
    }
    if scene.person.habits.dividends {
        plan_dividend_events(scene, events);
    }
    plan_interest_credits(scene, events);
}

/// How one employer pays.
struct Pay {
    employer: &'static str,
    code: &'static str,
    stream: String,
    base: i64,
    day: u32,
    /// How much the pay varies from month to month, in thousandths.
    spread: i64,
    raise_month: i32,
    raise: i64,
    bonus: bool,
    irregular: bool,
    before_holiday: bool,
}

fn pay_of(scene: &mut Scene<'_>, place: usize) -> Pay {
    let person = scene.person;
    let overtime = scene.draw.chance(300);
    let growth = if place == 0 { 1000 } else { scene.draw.range(1050, 1500) };
    let late_state = person.profile == Profile::CivilServant && scene.draw.chance(400);
    Pay {
        employer: person.employers[place],
        code: scene.transfer_code(),
        stream: format!("salary-{}", place + 1),
        base: person.income / 1000 * growth,
        day: if place == 0 { person.pay_day } else { scene.draw.weighted(&[(25, 2), (28, 2), (31, 3)]) },
        spread: if overtime { 45 } else { 3 },
        raise_month: scene.draw.range(0, 11) as i32,
        raise: scene.draw.range(1030, 1150),
        bonus: scene.draw.chance(350),
        irregular: late_state || scene.noisy(900),
        before_holiday: scene.draw.chance(800),
    }
}

fn plan_salary_events(scene: &mut Scene<'_>, events: &mut Vec<Event>) {
    let months = scene.months();
    let first = pay_of(scene, 0);
    let second = pay_of(scene, 1);
    let change = if scene.person.profile == Profile::JobChanger {
        // Not near the start or the end, so that both employers appear.
        let length = i64::from(months.end() - months.start());
        i64::from(*months.start()) + scene.draw.range(length / 3, length * 2 / 3).max(1)
    } else {
        i64::from(i32::MAX)
    };
    let gap = scene.draw.weighted(&[(0, 50), (1, 35), (2, 15)]);
    let start = *months.start();
    // Pay of the month before may arrive late, in the first month.
    for month in start - 1..=*months.end() {
        if i64::from(month) < change {
            one_pay(scene, events, &first, month, start);
        } else if i64::from(month) >= change + gap {
            one_pay(scene, events, &second, month, start);
        }
    }
}

fn one_pay(scene: &mut Scene<'_>, events: &mut Vec<Event>, pay: &Pay, month: i32, start: i32) {
    let raises = (month - pay.raise_month).div_euclid(12) - (start - pay.raise_month).div_euclid(12);
    let due = (0..raises).fold(pay.base, |sum, _| sum / 1000 * pay.raise);
    let amount = if pay.spread > 3 { scene.draw.around(due, pay.spread * 2) } else { due };
    let missed = scene.draw.chance(15 + scene.noise / 10);
    let late = if pay.irregular {
        scene.draw.range(-1, 4 + i64::from(scene.noise / 150)) as i32
    } else {
        i32::from(scene.draw.chance(80))
    };
    let moved = calendar::in_month(month, pay.day) + late;
    let day = scene.working_day(moved, !pay.before_holiday);
    let desc = scene.pay_narration(pay.employer, month, "SALARY");
    // With the option `hard.split`, `split_pay` splits the pay instead.
    let split = scene.noisy(400) && !scene.hard.split;
    let first_share = scene.draw.range(40, 75);
    if missed {
        return;
    }
    if split {
        let part = round_to_multiple(amount / 100 * first_share, 100_000);
        let later = day + 1 + scene.draw.below(9) as i32;
        let rest_desc = scene.pay_narration(pay.employer, month, "SALARY BAL");
        push_pay(events, pay, day, part.min(amount - 100), desc, Label::Salary);
        push_pay(events, pay, later, (amount - part).max(100), rest_desc, Label::Salary);
    } else {
        push_pay(events, pay, day, amount, desc, Label::Salary);
    }
    if pay.bonus && month.rem_euclid(12) == 11 {
        let desc = scene.pay_narration(pay.employer, month, "13TH MONTH");
        let bonus = scene.draw.range(500, 1000);
        let day = calendar::in_month(month, 12) + scene.draw.below(10) as i32;
        let day = scene.working_day(day, false);
        push_pay(events, pay, day, amount / 1000 * bonus, desc, Label::Bonus);
    }
}

fn push_pay(events: &mut Vec<Event>, pay: &Pay, day: DayNumber, amount: i64, desc: String, label: Label) {
    let event = Event::credit(day, amount, label, desc, pay.code).who(pay.employer).employer(pay.employer);
    events.push(if label == Label::Salary { event.stream(pay.stream.clone(), "monthly") } else { event });
}

fn plan_pension_events(scene: &mut Scene<'_>, events: &mut Vec<Event>) {
    let payer = scene.draw.pick(scene.facts().firms.pension_payers);
    let amount = scene.person.income;
    for month in scene.months() {
        let day = scene.working_day(calendar::in_month(month, scene.person.pay_day), false);
        let day = scene.moved(day);
        let words = Words { party: payer, month, ..Words::default() };
        let desc = scene.transfer_narration(scene.facts().forms.pension, &words);
        if !scene.noisy(100) {
            events.push(
                Event::credit(day, amount, Label::Pension, desc, scene.transfer_code())
                    .who(payer)
                    .stream("pension-1", "monthly")
                    .employer(payer),
            );
        }
    }
}

fn plan_gig_payouts(scene: &mut Scene<'_>, events: &mut Vec<Event>) {
    let platform = scene.draw.pick(scene.facts().firms.platforms);
    let main = scene.person.profile == Profile::GigWorker;
    let weekly = if main { scene.person.income / 5 } else { scene.person.income / 40 };
    let pay_weekday = scene.draw.range(1, 5) as u32;
    let idle = if main { 60 } else { 350 };
    // A few have a contract with a steady amount; only that counts as a stream.
    let steady = main && scene.draw.chance(250);
    for day in scene.first..=scene.last {
        if calendar::iso_weekday_number(day) != pay_weekday || scene.draw.chance(idle) {
            continue;
        }
        let amount = scene.amount(weekly.max(200_000), if steady { 150 } else { 900 }, 5_000);
        let remark = scene.remark(Label::Gig);
        let bank = scene.facts().firms.platform_banks[usize::from(!scene.draw.chance(500))];
        let words = Words { party: platform, bank, remark, ..Words::default() };
        let desc = scene.transfer_narration(scene.facts().forms.weekly_payout, &words);
        let day = scene.moved(day);
        let event =
            Event::credit(day, amount, Label::Gig, desc, scene.transfer_code()).who(platform).employer(platform);
        events.push(if steady { event.stream("gig-1", "weekly") } else { event });
    }
}

/// Money from a relative on the same day every month: as regular as a salary, but not one.
fn plan_allowance_events(scene: &mut Scene<'_>, events: &mut Vec<Event>) {
    let from = scene.person.family[0].clone();
    let main = scene.person.profile == Profile::Student;
    let amount = round_to_multiple(if main { scene.person.income * 7 / 10 } else { scene.person.income / 12 }, 100_000);
    let day = scene.draw.range(1, 28) as u32;
    let bank = scene.bank();
    for month in scene.months() {
        let remark = scene.remark(Label::Gift);
        let desc = scene.incoming(&from, bank, remark);
        let when = calendar::in_month(month, day) + scene.draw.below(3) as i32;
        let when = scene.moved(when);
        if !scene.draw.chance(60) {
            events.push(
                Event::credit(when, amount, Label::Gift, desc, scene.transfer_code())
                    .who(&*from)
                    .stream("gift-1", "monthly"),
            );
        }
    }
}

fn plan_rent_income(scene: &mut Scene<'_>, events: &mut Vec<Event>) {
    let tenant = scene.stranger();
    let every = scene.draw.weighted(&[(1, 50), (3, 20), (6, 10), (12, 20)]);
    let amount = round_to_multiple(scene.person.income / 4 * i64::from(every), 500_000);
    let day = scene.draw.range(1, 10) as u32;
    let bank = scene.bank();
    let phase = scene.draw.below(every as u64) as i32;
    for month in scene.months().filter(|month| month.rem_euclid(every) == phase) {
        let remark = scene.remark(Label::Rent);
        let desc = scene.incoming(&tenant, bank, remark);
        let when = scene.moved(calendar::in_month(month, day));
        events.push(
            Event::credit(when, amount, Label::Rent, desc, scene.transfer_code())
                .who(&*tenant)
                .stream("rent-1", every_months(every)),
        );
    }
}

/// The name of a period of this many months.
pub(crate) fn every_months(months: i32) -> &'static str {
    match months {
        1 => "monthly",
        3 => "quarterly",
        4 => "termly",
        6 => "half_yearly",
        _ => "yearly",
    }
}

fn plan_dividend_events(scene: &mut Scene<'_>, events: &mut Vec<Event>) {
    let payer = scene.draw.pick(scene.facts().firms.registrars);
    for month in scene.months().filter(|month| matches!(month.rem_euclid(12), 4 | 9)) {
        let amount = scene.amount(scene.person.income / 6, 800, 1);
        let words = Words { party: payer, month, ..Words::default() };
        let desc = scene.transfer_narration(scene.facts().forms.dividend, &words);
        let when = calendar::in_month(month, 12) + scene.draw.below(12) as i32;
        let when = scene.working_day(when, true);
        events.push(Event::credit(when, amount, Label::Dividend, desc, "DIV").who(payer));
    }
}

fn plan_interest_credits(scene: &mut Scene<'_>, events: &mut Vec<Event>) {
    let forms = &scene.facts().forms;
    if scene.draw.chance(500) || !scene.has_form(forms.interest) {
        return;
    }
    for month in scene.months() {
        let amount = scene.draw.skewed(150, 60_000);
        let day = calendar::in_month(month, 31);
        let words = Words { month, ..Words::default() };
        let desc = scene.narrate(forms.interest, &words);
        events.push(Event::credit(day, amount, Label::Interest, desc, "INT"));
        if scene.debits && scene.has_form(forms.interest_tax) {
            let desc = scene.narrate(forms.interest_tax, &words);
            events.push(Event::debit(day, amount / 10, Label::Charge, desc, "FEE"));
        }
    }
}
