//! The shared state of planning one statement: the person, the days, the noise and the draws.

use crate::provider::generate::calendar::{self, DayNumber, month_index};
use crate::provider::generate::market::{Bank, Facts};
use crate::provider::generate::options::Hard;
use crate::provider::generate::people::person::{Person, draw_person_name};
use crate::provider::generate::random::{Draw, round_to_multiple};

/// The state that all planning functions share.
pub(crate) struct Scene<'a> {
    pub(crate) person: &'a Person,
    pub(crate) draw: Draw,
    /// In thousandths: 0 for textbook statements, 1000 for hopeless ones.
    pub(crate) noise: u32,
    pub(crate) first: DayNumber,
    pub(crate) last: DayNumber,
    /// Whether the statement lists debits too.
    pub(crate) debits: bool,
    pub(crate) hard: Hard,
    /// Whether an event sometimes happens twice on a day.
    pub(crate) repeats: bool,
    /// A second source of draws, for options. So an option does not change what is drawn from the first source.
    pub(crate) aside: Draw,
    /// The number of links in use.
    pub(crate) links: u64,
}

impl Scene<'_> {
    /// What is so in the person's market.
    pub(crate) fn facts(&self) -> &'static Facts {
        self.person.market.facts()
    }

    /// The bank of the statement.
    pub(crate) fn home_bank(&self) -> &'static Bank {
        &self.facts().banks[self.person.bank]
    }

    /// The nearest day on which banks are open, searching back or forward.
    pub(crate) fn working_day(&self, day: DayNumber, forward: bool) -> DayNumber {
        calendar::working_day(day, forward, self.facts().holidays)
    }

    /// The code of a record that is a transfer.
    pub(crate) fn transfer_code(&self) -> &'static str {
        self.facts().transfer_code
    }

    /// True with a probability of `share` thousandths of the noise.
    pub(crate) fn noisy(&mut self, share: u32) -> bool {
        let permille = self.noise * share / 1000;
        self.draw.chance(permille)
    }

    /// A new link, for the two records of a pair.
    pub(crate) fn pair(&mut self) -> u64 {
        self.links += 1;
        self.links
    }

    /// Runs `work` with the second source of draws instead of the first.
    pub(crate) fn aside<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        std::mem::swap(&mut self.draw, &mut self.aside);
        let done = work(self);
        std::mem::swap(&mut self.draw, &mut self.aside);
        done
    }

    /// The months that the statement touches, by index.
    pub(crate) fn months(&self) -> std::ops::RangeInclusive<i32> {
        month_index(self.first)..=month_index(self.last)
    }

    /// With noise, moves a day by a few days.
    pub(crate) fn moved(&mut self, day: DayNumber) -> DayNumber {
        let reach = i64::from(self.noise / 50).min(9);
        if self.noisy(600) { day + self.draw.range(-reach, reach) as i32 } else { day }
    }

    /// An amount within `spread` thousandths of `centre`, a multiple of `step`.
    pub(crate) fn amount(&mut self, centre: i64, spread: i64, step: i64) -> i64 {
        round_to_multiple(self.draw.around(centre, spread), step)
    }

    /// The name of somebody at random.
    pub(crate) fn stranger(&mut self) -> String {
        draw_person_name(&mut self.draw, &self.person.market.facts().names)
    }

    /// The name of a family member.
    pub(crate) fn relative(&mut self) -> String {
        let place = self.draw.index(self.person.family.len());
        self.person.family[place].clone()
    }
}
