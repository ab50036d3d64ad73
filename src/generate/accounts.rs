//! Several accounts of one customer, money that goes between them, and exports of one account that overlap. Knows nothing of what else
//! happens on an account, nor of formats.

use std::io::{self, Write};

use super::calendar::{self, Number};
use super::events::event::{BETWEEN_ACCOUNTS, Event, Give, Label};
use super::events::scene::Scene;
use super::options::{Error, Options};
use super::people::names;
use super::people::person::{Habits, Person};
use super::plan::Plan;
use super::random::{Draw, rounded};
use super::writers::labels;

/// Streams of draws of a person's key: the money between accounts, what is said of it, the exports.
const MONEY: u64 = 5;
const WORDS: u64 = 6;
const EXPORTS: u64 = 7;

/// A customer with all statements: one of each account, or two where exports overlap.
#[derive(Debug)]
pub struct Customer {
    plans: Vec<Plan>,
}

impl Customer {
    /// Plans every statement of customer number `index` of a seed; it does not depend on how many others there are.
    ///
    /// # Errors
    /// Where an option is out of its range.
    pub fn new(seed: u64, index: u64, options: &Options) -> Result<Self, Error> {
        Self::of(Person::number(seed, index), options)
    }

    /// Plans every statement of a given person.
    ///
    /// # Errors
    /// Where an option is out of its range.
    pub fn of(person: Person, options: &Options) -> Result<Self, Error> {
        options.check()?;
        let mut accounts =
            if options.accounts == 1 { vec![Plan::of(person, options)?] } else { several(person, options) };
        if options.overlap {
            accounts = accounts.iter().flat_map(exports).collect();
        }
        Ok(Self { plans: accounts })
    }

    /// The statements, by account and export.
    pub fn statements(&self) -> &[Plan] {
        &self.plans
    }

    /// Writes the truth of every record of every statement; `name` is the customer's, to which each statement adds its [suffix](Plan::suffix).
    ///
    /// # Errors
    /// What the writer fails with.
    pub fn write_labels(&self, name: &str, out: &mut impl Write) -> io::Result<()> {
        let plans: Vec<&Plan> = self.plans.iter().collect();
        labels::write(&plans, |plan| format!("{name}{}", plan.suffix()), out)
    }
}

/// The accounts in their order. One of them is the person's own as it were alone, with pay, loans and duties; the others see the rest of life.
fn several(person: Person, options: &Options) -> Vec<Plan> {
    let mut money = Draw::new(person.key, MONEY);
    let main = money.place(options.accounts as usize);
    let mut owners = Vec::new();
    let mut bank = person.bank;
    for place in 0..options.accounts as usize {
        if place == main {
            owners.push(person.clone());
            continue;
        }
        // The second account that transfers tell of is at another bank than any of these: it is not listed.
        bank = (1..)
            .map(|step| (bank + step) % names::HOME_BANKS)
            .find(|bank| *bank != person.bank && *bank != person.second_bank)
            .unwrap_or(bank);
        owners.push(beside(&person, place, bank));
    }
    let transfers = transfers(&mut money, &owners, main, options);
    owners
        .into_iter()
        .zip(transfers)
        .zip(1..)
        .map(|((owner, transfers), account)| Plan::with(owner, options, account, transfers))
        .collect()
}

/// The person as owner of an account beside the main one.
fn beside(person: &Person, place: usize, bank: usize) -> Person {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&person.key);
    hasher.update(format!("lendwright account 1 {place}").as_bytes());
    Person {
        key: *hasher.finalize().as_bytes(),
        bank,
        paid_here: false,
        income: (person.income / 3).max(1_000_000),
        habits: Habits { bets: person.habits.bets, ..Habits::default() },
        ..person.clone()
    }
}

/// Money that goes between the accounts, as each of them sees it.
fn transfers(money: &mut Draw, owners: &[Person], main: usize, options: &Options) -> Vec<Vec<Event>> {
    let mut events: Vec<Vec<Event>> = owners.iter().map(|_| Vec::new()).collect();
    let Some(person) = owners.get(main) else { return events };
    let (first, last) = options.whole_window(person.profile, person.records.unwrap_or(options.records));
    let mut scenes: Vec<Scene<'_>> = owners
        .iter()
        .map(|owner| Scene {
            person: owner,
            draw: Draw::new(owner.key, WORDS),
            noise: options.noise_permille(),
            first,
            last,
            debits: options.debits,
            hard: options.hard,
            repeats: false,
            aside: Draw::new(owner.key, WORDS),
            links: 0,
        })
        .collect();
    let mut link = BETWEEN_ACCOUNTS;
    for month in calendar::month_index(first)..=calendar::month_index(last) {
        for _ in 0..=money.below(owners.len() as u64 + 1) {
            // Most money goes out from where the pay comes in.
            let from = if money.chance(600) { main } else { money.place(owners.len()) };
            let to = (from + 1 + money.place(owners.len() - 1)) % owners.len();
            let most = owners[from].income / if from == main { 4 } else { 8 } + 300_000;
            let amount = rounded(money.skewed(100_000, most), 50_000);
            let day = calendar::in_month(month, money.range(1, 31) as u32);
            let second = 25_000 + money.below(50_000) as u32;
            let arrives =
                if money.chance(150) { (day + 1, 22_000) } else { (day, second + 5 + money.below(600) as u32) };
            link += 1;
            let out = leaves(&mut scenes[from], owners[to].bank, day, amount);
            events[from].push(Event { second, ..out.link(link) });
            let into = comes(&mut scenes[to], owners[from].bank, arrives.0, amount);
            events[to].push(Event { second: arrives.1, ..into.link(link) });
        }
    }
    events
}

fn leaves(scene: &mut Scene<'_>, to: usize, day: Number, amount: i64) -> Event {
    let me = scene.person.name.clone();
    let remark = scene.remark(Label::OwnTransfer);
    let desc = scene.outgoing(&me, names::BANKS[to].0, remark);
    Event::debit(day, amount, Label::OwnTransfer, desc, "NIP").who(me).give(Give::Promised)
}

fn comes(scene: &mut Scene<'_>, from: usize, day: Number, amount: i64) -> Event {
    let me = scene.person.name.clone();
    // A bank may print the name's parts in another order.
    let printed = if scene.draw.chance(250) { me.split(' ').rev().collect::<Vec<_>>().join(" ") } else { me };
    let remark = scene.remark(Label::OwnTransfer);
    let desc = scene.incoming(&printed, names::BANKS[from].0, remark);
    Event::credit(day, amount, Label::OwnTransfer, desc, "NIP").who(printed)
}

/// Two exports of an account whose days overlap; the second keeps the identifiers of the first, or has fresh ones.
fn exports(plan: &Plan) -> [Plan; 2] {
    let mut draw = Draw::new(plan.person.key, EXPORTS);
    let length = plan.length();
    let until = (length * draw.range(50, 80) as usize).div_ceil(100);
    let overlap = (draw.range(7, 45) as usize).min(until);
    let fresh = draw.chance(500);
    let salt = draw.below(1 << 32) as u32;
    [plan.export(1, 0..until, None), plan.export(2, until - overlap..length, fresh.then_some(salt))]
}
