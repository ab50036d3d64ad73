//! Where the planning of one statement happens: the person, the days, the noise and the draws. Knows nothing of records and formats.

use crate::generate::calendar::{Number, month_index};
use crate::generate::options::Hard;
use crate::generate::people::person::Person;
use crate::generate::random::{Draw, rounded};

/// The state that every planning function shares.
pub(crate) struct Scene<'a> {
    pub(crate) person: &'a Person,
    pub(crate) draw: Draw,
    /// Thousandths: 0 for textbook statements, 1000 for hopeless ones.
    pub(crate) noise: u32,
    pub(crate) first: Number,
    pub(crate) last: Number,
    /// Whether debits are listed too.
    pub(crate) debits: bool,
    pub(crate) hard: Hard,
    /// Whether the same thing is to happen twice on a day now and then.
    pub(crate) repeats: bool,
    /// A second source, for what only some options ask for: without them nothing is drawn from it, and with them the first is not disturbed.
    pub(crate) aside: Draw,
    /// Links given out.
    pub(crate) links: u64,
}

impl Scene<'_> {
    /// True in `share` thousandths of the noise.
    pub(crate) fn noisy(&mut self, share: u32) -> bool {
        let permille = self.noise * share / 1000;
        self.draw.chance(permille)
    }

    /// A link for the two records of a pair.
    pub(crate) fn pair(&mut self) -> u64 {
        self.links += 1;
        self.links
    }

    /// Does something with the second source in the place of the first.
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

    /// A day moved a little, as far as the noise moves things.
    pub(crate) fn moved(&mut self, day: Number) -> Number {
        let reach = i64::from(self.noise / 50).min(9);
        if self.noisy(600) { day + self.draw.range(-reach, reach) as i32 } else { day }
    }

    /// An amount within `spread` thousandths of `centre`, in steps.
    pub(crate) fn amount(&mut self, centre: i64, spread: i64, step: i64) -> i64 {
        rounded(self.draw.around(centre, spread), step)
    }

    /// One of the family.
    pub(crate) fn relative(&mut self) -> String {
        let place = self.draw.place(self.person.family.len());
        self.person.family[place].clone()
    }
}
