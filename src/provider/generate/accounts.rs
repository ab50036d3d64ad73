//! Several accounts of one customer, transfers between them, and overlapping exports of one account.

use std::io::{self, Write};

use super::calendar::{self, DayNumber};
use super::events::event::{AmountRule, BETWEEN_ACCOUNTS, Event, Label};
use super::events::scene::Scene;
use super::options::{Error, Options};
use super::people::person::{Habits, Person};
use super::plan::Plan;
use super::random::{Draw, round_to_multiple};
use super::writers::labels;

/// Random streams of a person's key: transfers between accounts, their narrations, exports.
const TRANSFER_STREAM: u64 = 5;
const NARRATION_STREAM: u64 = 6;
const EXPORT_STREAM: u64 = 7;

/// A customer with all statements: one per account, or two if exports overlap.
#[derive(Debug)]
pub struct Customer {
    plans: Vec<Plan>,
}

impl Customer {
    /// Plans every statement of customer number `index` of a seed. It does not depend on the number of customers.
    ///
    /// # Errors
    /// If an option is out of its range.
    pub fn new(seed: u64, index: u64, options: &Options) -> Result<Self, Error> {
        Self::for_person(Person::from_seed(seed, index, options.market), options)
    }

    /// Plans every statement of a given person.
    ///
    /// # Errors
    /// If an option is out of its range.
    pub fn for_person(person: Person, options: &Options) -> Result<Self, Error> {
        options.check()?;
        let mut accounts = if options.accounts == 1 {
            vec![Plan::for_person(person, options)?]
        } else {
            plan_several_accounts(person, options)
        };
        if options.overlap {
            accounts = accounts.iter().flat_map(split_into_two_exports).collect();
        }
        Ok(Self { plans: accounts })
    }

    /// The statements, by account and export.
    pub fn statements(&self) -> &[Plan] {
        &self.plans
    }

    /// Writes the true labels of every record of every statement. `name` is the customer's name; each statement adds
    /// its [suffix](Plan::suffix).
    ///
    /// # Errors
    /// If the writer fails.
    pub fn write_labels(&self, name: &str, out: &mut impl Write) -> io::Result<()> {
        let plans: Vec<&Plan> = self.plans.iter().collect();
        labels::write_record_labels(&plans, |plan| format!("{name}{}", plan.suffix()), out)
    }
}

/// The accounts, in order. The main account is the one the person would have alone, with pay, loans and obligations;
/// the others have everyday records.
fn plan_several_accounts(person: Person, options: &Options) -> Vec<Plan> {
    let mut money = Draw::new(person.key, TRANSFER_STREAM);
    let main = money.index(options.accounts as usize);
    let mut owners = Vec::new();
    let mut bank = person.bank;
    let homes = person.market.facts().home_banks();
    for place in 0..options.accounts as usize {
        if place == main {
            owners.push(person.clone());
            continue;
        }
        // Narrations mention a second account that is not listed, so its bank must not be one of these.
        bank = (1..)
            .map(|step| (bank + step) % homes)
            .find(|bank| *bank != person.bank && *bank != person.second_bank)
            .unwrap_or(bank);
        owners.push(owner_of_other_account(&person, place, bank));
    }
    let transfers = plan_account_transfers(&mut money, &owners, main, options);
    owners
        .into_iter()
        .zip(transfers)
        .zip(1..)
        .map(|((owner, transfers), account)| Plan::with(owner, options, account, transfers))
        .collect()
}

/// The person as the owner of an account other than the main one.
fn owner_of_other_account(person: &Person, place: usize, bank: usize) -> Person {
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

/// Transfers between the accounts, as each account lists them.
fn plan_account_transfers(money: &mut Draw, owners: &[Person], main: usize, options: &Options) -> Vec<Vec<Event>> {
    let mut events: Vec<Vec<Event>> = owners.iter().map(|_| Vec::new()).collect();
    let Some(person) = owners.get(main) else { return events };
    let (first, last) = options.whole_window(person.profile, person.records.unwrap_or(options.records));
    let mut scenes: Vec<Scene<'_>> = owners
        .iter()
        .map(|owner| Scene {
            person: owner,
            draw: Draw::new(owner.key, NARRATION_STREAM),
            noise: options.noise_permille(),
            first,
            last,
            debits: options.debits,
            hard: options.hard,
            repeats: false,
            aside: Draw::new(owner.key, NARRATION_STREAM),
            links: 0,
        })
        .collect();
    let mut link = BETWEEN_ACCOUNTS;
    for month in calendar::month_index(first)..=calendar::month_index(last) {
        for _ in 0..=money.below(owners.len() as u64 + 1) {
            // Most transfers leave the account that receives the pay.
            let from = if money.chance(600) { main } else { money.index(owners.len()) };
            let to = (from + 1 + money.index(owners.len() - 1)) % owners.len();
            let most = owners[from].income / if from == main { 4 } else { 8 } + 300_000;
            let amount = round_to_multiple(money.skewed(100_000, most), 50_000);
            let day = calendar::in_month(month, money.range(1, 31) as u32);
            let second = 25_000 + money.below(50_000) as u32;
            let arrives =
                if money.chance(150) { (day + 1, 22_000) } else { (day, second + 5 + money.below(600) as u32) };
            link += 1;
            let out = outgoing_transfer(&mut scenes[from], owners[to].bank, day, amount);
            events[from].push(Event { second, ..out.link(link) });
            let into = incoming_transfer(&mut scenes[to], owners[from].bank, arrives.0, amount);
            events[to].push(Event { second: arrives.1, ..into.link(link) });
        }
    }
    events
}

fn outgoing_transfer(scene: &mut Scene<'_>, to: usize, day: DayNumber, amount: i64) -> Event {
    let me = scene.person.name.clone();
    let remark = scene.remark(Label::OwnTransfer);
    let desc = scene.outgoing(&me, scene.facts().banks[to].code, remark);
    Event::debit(day, amount, Label::OwnTransfer, desc, scene.transfer_code()).who(me).amount_rule(AmountRule::Promised)
}

fn incoming_transfer(scene: &mut Scene<'_>, from: usize, day: DayNumber, amount: i64) -> Event {
    let me = scene.person.name.clone();
    // A bank may print the name's parts in another order.
    let printed = if scene.draw.chance(250) { me.split(' ').rev().collect::<Vec<_>>().join(" ") } else { me };
    let remark = scene.remark(Label::OwnTransfer);
    let desc = scene.incoming(&printed, scene.facts().banks[from].code, remark);
    Event::credit(day, amount, Label::OwnTransfer, desc, scene.transfer_code()).who(printed)
}

/// Two exports of an account with overlapping days. The second keeps the identifiers of the first, or has new ones.
fn split_into_two_exports(plan: &Plan) -> [Plan; 2] {
    let mut draw = Draw::new(plan.person.key, EXPORT_STREAM);
    let length = plan.length();
    let until = (length * draw.range(50, 80) as usize).div_ceil(100);
    let overlap = (draw.range(7, 45) as usize).min(until);
    let fresh = draw.chance(500);
    let salt = draw.below(1 << 32) as u32;
    [plan.export(1, 0..until, None), plan.export(2, until - overlap..length, fresh.then_some(salt))]
}
