//! The plan of one statement: the planned events, and the number of everyday records of each day. Everyday records are
//! drawn day by day when they are written, so that a plan stays small however long its statement is.

use std::io;
use std::ops::Range;

use super::calendar::{self, DayNumber};
use super::events::balance::Means;
use super::events::event::{AmountRule, Event, EventSide};
use super::events::scene::Scene;
use super::events::{everyday, income, irregular, mislead, obligations, split_pay};
use super::options::{Error, Hard, Options};
use super::people::person::Person;
use super::random::Draw;
use super::writers::style::Style;

/// One planned statement. The same seed, index and options always give the same plan.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) person: Person,
    pub(crate) style: Style,
    pub(crate) export_id: ExportId,
    noise: u32,
    hard: Hard,
    /// Whether an event sometimes happens twice on a day.
    repeating: bool,
    pub(crate) debits: bool,
    pub(crate) first: DayNumber,
    pub(crate) last: DayNumber,
    /// The days of this export, as indexes from the first day.
    shown: Range<usize>,
    /// The parts of its identifiers: the time of the export, and a salt.
    ids: (i64, u32),
    /// Sorted by day.
    planned: Vec<Event>,
    /// One entry per day, and one after the last day.
    days: Vec<DayPlan>,
    /// Numbers of the records that are listed twice.
    repeats: Vec<u64>,
    busy: bool,
    opening: i64,
    idle: i64,
    /// For each day, the amount reserved for promised debits; empty if there are none.
    kept: Vec<i64>,
}

/// Which account and which export of a customer a statement is; 0 where there is only one.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExportId {
    pub(crate) account: u32,
    pub(crate) export: u32,
}

/// Random streams for the options, and for the account's number. The streams of days count from 16.
const ASIDE_STREAM: u64 = 1 << 40;
const ACCOUNT_NUMBER_STREAM: u64 = 3;

#[derive(Clone, Copy, Debug, Default)]
struct DayPlan {
    planned_from: usize,
    everyday: usize,
    number: u64,
}

/// One record, as a writer receives it.
pub(crate) struct PlannedRecord<'a> {
    /// Its number in the order of time.
    pub(crate) number: u64,
    /// Whether it is listed for a second time.
    pub(crate) repeat: bool,
    pub(crate) event: &'a Event,
    pub(crate) balance: Option<i64>,
}

impl Plan {
    /// Plans statement number `index` of a seed. It does not depend on the number of statements.
    ///
    /// # Errors
    /// If an option is out of its range.
    pub fn new(seed: u64, index: u64, options: &Options) -> Result<Self, Error> {
        Self::for_person(Person::from_seed(seed, index, options.market), options)
    }

    /// Plans a statement of a given person, such as one of the cast.
    ///
    /// # Errors
    /// If an option is out of its range.
    pub fn for_person(person: Person, options: &Options) -> Result<Self, Error> {
        options.check()?;
        Ok(Self::with(person, options, 0, Vec::new()))
    }

    /// Plans the statement of an account with given transfers. The options must be checked already.
    pub(crate) fn with(person: Person, options: &Options, account: u32, transfers: Vec<Event>) -> Self {
        let noise = options.noise_permille();
        let mut draw = Draw::new(person.key, 1);
        let style = Style::drawn(&mut draw, noise);
        let records = person.records.map_or(options.records, |story| story.min(options.records));
        let repeats = if records >= 30 { style.repeats } else { 0 };
        let distinct = records - repeats;
        let (first, last) = options.window(person.profile, records, &mut draw);
        let aside = Draw::new(person.key, ASIDE_STREAM);
        let (hard, debits, repeating) = (options.hard, options.debits, options.overlap);
        let mut scene =
            Scene { person: &person, draw, noise, first, last, debits, hard, repeats: repeating, aside, links: 0 };
        let kept_months = kept_months(&mut scene, style.gap_permille);
        let scale = person.market.facts().scale;
        let mut planned = plan_statement_events(&mut scene, transfers, distinct, &kept_months);
        for event in &mut planned {
            event.amount = scale.minor_of(event.amount);
        }
        let everyday = distinct - planned.len() as u64;
        let counts = spread_everyday_counts(&mut scene, everyday, &kept_months);
        let mut repeats: Vec<u64> = (0..repeats).map(|_| scene.draw.below(distinct)).collect();
        repeats.sort_unstable();
        let busy = everyday > 8 * counts.len() as u64;
        let opening = scene.draw.skewed(500_000, person.income);
        let a_day = (distinct / counts.len() as u64).max(1) as i64;
        let idle = person.income.max((person.income / 60 + 200_000).saturating_mul(a_day));
        let days = day_plans(&planned, &counts, first);
        Self {
            ids: (i64::from(last) * 86_400 + style.made, style.salt),
            shown: 0..counts.len(),
            kept: amounts_kept_for_debits(&planned, first, counts.len()),
            style,
            export_id: ExportId { account, export: 0 },
            noise,
            hard,
            repeating,
            debits,
            first,
            last,
            planned,
            days,
            repeats,
            busy,
            opening: scale.minor_of(opening),
            idle: scale.minor_of(idle),
            person,
        }
    }

    /// Another export of the same account: some of its days, made after the last of them. With `salt`, it has new
    /// identifiers.
    pub(crate) fn export(&self, number: u32, shown: Range<usize>, salt: Option<u32>) -> Self {
        let last = self.first + shown.end as i32 - 1;
        let ids = salt.map_or(self.ids, |salt| (i64::from(last) * 86_400 + self.style.made, salt));
        let export_id = ExportId { export: number, ..self.export_id.clone() };
        Self { ids, shown, last, export_id, ..self.clone() }
    }

    /// Numbers of the records of this export.
    pub(crate) fn numbers(&self) -> Range<u64> {
        let at = |day: usize| self.days.get(day).map_or(0, |plan| plan.number);
        at(self.shown.start)..at(self.shown.end)
    }

    /// The number of days of the account, not only of this export.
    pub(crate) fn length(&self) -> usize {
        self.days.len() - 1
    }

    /// The end of the statement's name, so that those of a customer differ: `-a2` for the second account, `-e1` for the
    /// first export.
    pub fn suffix(&self) -> String {
        let part = |mark: &str, number: u32| if number == 0 { String::new() } else { format!("-{mark}{number}") };
        part("a", self.export_id.account) + &part("e", self.export_id.export)
    }

    /// The account's number, as banks of the market issue them.
    pub(crate) fn account_number(&self) -> String {
        Draw::new(self.person.key, ACCOUNT_NUMBER_STREAM).digits(self.person.market.facts().account_digits)
    }

    /// The person whose statement it is.
    pub fn person(&self) -> &Person {
        &self.person
    }

    /// The number of records that will be written. Those listed twice count twice.
    pub fn records(&self) -> u64 {
        let numbers = self.numbers();
        let repeats = self.repeats.iter().filter(|repeat| numbers.contains(repeat)).count();
        numbers.end - numbers.start + repeats as u64
    }

    /// The identifier of a record: 24 hexadecimal digits that ascend with time.
    pub(crate) fn id(&self, number: u64) -> String {
        let (made, salt) = self.ids;
        format!("{:08x}{salt:08x}{number:08x}", made as u32)
    }

    /// Passes every record to `take`, in the order of the export.
    pub(crate) fn each(&self, mut take: impl FnMut(&PlannedRecord<'_>) -> io::Result<()>) -> io::Result<()> {
        let length = self.shown.end;
        if !self.style.newest_first {
            let mut balance = self.opening;
            for day in 0..length {
                let events = self.day(day, &mut balance);
                if self.shown.contains(&day) {
                    self.emit(day, &events, balance, &mut take)?;
                }
            }
            return Ok(());
        }
        let mut openings = vec![self.opening; length + 1];
        if self.debits {
            for day in 0..length {
                let mut balance = openings[day];
                self.day(day, &mut balance);
                openings[day + 1] = balance;
            }
        }
        for day in self.shown.clone().rev() {
            let mut balance = openings[day];
            let events = self.day(day, &mut balance);
            self.emit(day, &events, balance, &mut take)?;
        }
        Ok(())
    }

    /// The events of a day in the order of time. Updates the balance if there is one.
    fn day(&self, day: usize, balance: &mut i64) -> Vec<Event> {
        let plan = self.days[day];
        let number = self.first + day as i32;
        let mut events = self.planned[plan.planned_from..self.days[day + 1].planned_from].to_vec();
        let mut scene = Scene {
            person: &self.person,
            draw: Draw::new(self.person.key, 16 + day as u64),
            noise: self.noise,
            first: self.first,
            last: self.last,
            debits: self.debits,
            hard: self.hard,
            repeats: self.repeating,
            aside: Draw::new(self.person.key, ASIDE_STREAM + 1 + day as u64),
            // The links of a day differ from those of other days and of planned events.
            links: (day as u64 + 1) << 32,
        };
        let planned = events.len();
        everyday::fill_day_with_events(&mut scene, number, plan.everyday, self.busy, &mut events);
        for event in &mut events[planned..] {
            event.amount = scene.facts().scale.minor_of(event.amount);
        }
        events.sort_by_key(|event| event.second);
        if self.debits {
            let kept = self.kept.get(day).copied().unwrap_or(0);
            *balance = Means { idle: self.idle, kept, scene: &scene }.fit_events(&mut events, *balance);
        }
        if self.style.missing_permille > 0 {
            for event in &mut events {
                if scene.draw.chance(self.style.missing_permille) {
                    event.desc.clear();
                }
            }
        }
        events
    }

    fn emit(
        &self,
        day: usize,
        events: &[Event],
        closing: i64,
        take: &mut impl FnMut(&PlannedRecord<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let first = self.days[day].number;
        let mut balance = closing;
        // The balance is known at the end of the day, so the others are computed backwards, whatever the order of
        // writing.
        let mut balances = vec![0; events.len()];
        for (event, after) in events.iter().zip(&mut balances).rev() {
            *after = balance;
            balance -= if event.side == EventSide::Credit { event.amount } else { -event.amount };
        }
        let mut one = |place: usize| {
            let number = first + place as u64;
            let balance = self.debits.then(|| balances[place]);
            take(&PlannedRecord { number, repeat: false, event: &events[place], balance })?;
            let from = self.repeats.partition_point(|repeat| *repeat < number);
            let again = self.repeats[from..].iter().take_while(|repeat| **repeat == number).count();
            (0..again).try_for_each(|_| take(&PlannedRecord { number, repeat: true, event: &events[place], balance }))
        };
        if self.style.newest_first {
            (0..events.len()).rev().try_for_each(&mut one)
        } else {
            (0..events.len()).try_for_each(&mut one)
        }
    }
}

/// Which months are listed: all, or in some statements all but a few in the middle.
fn kept_months(scene: &mut Scene<'_>, gap_permille: u32) -> Vec<bool> {
    let count = scene.months().count();
    (0..count).map(|place| place == 0 || place + 1 == count || count < 4 || !scene.draw.chance(gap_permille)).collect()
}

fn is_kept(scene: &Scene<'_>, kept_months: &[bool], day: DayNumber) -> bool {
    let place = calendar::month_index(day) - scene.months().start();
    day >= scene.first && day <= scene.last && kept_months.get(place as usize).copied().unwrap_or(false)
}

/// The planned events, at most `events_max` of them, ordered by day.
fn plan_statement_events(
    scene: &mut Scene<'_>,
    transfers: Vec<Event>,
    events_max: u64,
    kept_months: &[bool],
) -> Vec<Event> {
    let mut events = Vec::new();
    income::plan_income_events(scene, &mut events);
    obligations::plan_obligation_events(scene, &mut events);
    irregular::make_irregular(scene, &mut events);
    split_pay::split_pay_events(scene, &mut events);
    events.extend(transfers);
    for event in &mut events {
        mislead::mislead_narration(scene, event);
    }
    events.retain(|event| is_kept(scene, kept_months, event.day) && (scene.debits || event.side == EventSide::Credit));
    // A short statement keeps the most important events, and of these the latest.
    events.sort_by_key(|event| (event.rank(), -event.day));
    events.truncate(usize::try_from(events_max).unwrap_or(usize::MAX));
    for event in &mut events {
        let second = 21_600 + scene.draw.below(57_600) as u32;
        // Transfers between accounts have a time already, so that money leaves before it arrives.
        event.second = if event.second == 0 { second } else { event.second };
    }
    events.sort_by_key(|event| (event.day, event.second));
    events
}

/// The number of everyday records of each day, spread unevenly by random weights.
fn spread_everyday_counts(scene: &mut Scene<'_>, total: u64, kept_months: &[bool]) -> Vec<usize> {
    let mut weights: Vec<u64> = Vec::new();
    for day in scene.first..=scene.last {
        let busy_day = if calendar::iso_weekday_number(day) == 7 { 50 } else { 100 };
        let weight = busy_day * (20 + scene.draw.below(160));
        weights.push(if is_kept(scene, kept_months, day) { weight } else { 0 });
    }
    let sum: u64 = weights.iter().sum();
    let mut counts = vec![0_usize; weights.len()];
    let (mut day, mut passed) = (0, 0_u64);
    for place in 0..total {
        let position = (u128::from(place) * u128::from(sum) + u128::from(scene.draw.below(sum))) / u128::from(total);
        while passed + weights[day] <= position as u64 && day + 1 < weights.len() {
            passed += weights[day];
            day += 1;
        }
        counts[day] += 1;
    }
    counts
}

/// The number of days for which money is reserved before a promised debit.
const KEPT_DAYS: i32 = 25;

/// For each day, the amount that promised debits of this day and the next ones need.
fn amounts_kept_for_debits(planned: &[Event], first: DayNumber, length: usize) -> Vec<i64> {
    let promised: Vec<&Event> = planned.iter().filter(|event| event.amount_rule == AmountRule::Promised).collect();
    if promised.is_empty() {
        return Vec::new();
    }
    let mut kept = vec![0_i64; length];
    for event in promised {
        let until = event.day - first;
        for day in (until - KEPT_DAYS).max(0)..=until {
            kept[day as usize] += event.amount;
        }
    }
    kept
}

fn day_plans(planned: &[Event], counts: &[usize], first: DayNumber) -> Vec<DayPlan> {
    let mut days = Vec::with_capacity(counts.len() + 1);
    let (mut from, mut number) = (0, 0);
    for (place, everyday) in counts.iter().enumerate() {
        days.push(DayPlan { planned_from: from, everyday: *everyday, number });
        let until = from + planned[from..].iter().take_while(|event| event.day == first + place as i32).count();
        number += (until - from + everyday) as u64;
        from = until;
    }
    days.push(DayPlan { planned_from: from, everyday: 0, number });
    days
}
