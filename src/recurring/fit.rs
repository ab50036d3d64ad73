//! Fits a schedule to days: of all periods, phases and reaches, the one that chance explains worst. Evidence is
//! counted in eighths of a bit, in whole numbers. Knows days and nothing of amounts or payers.

use std::ops::RangeInclusive;

use super::ledger::count_work;
use crate::recurring::schedule::{FORGIVEN, Schedule, When, lateness};
use crate::recurring::stream::Period;

/// For each period: how far off its day a payment may be, in days, and what a payment within that reach tells, in
/// eighths of a bit: the logarithm of the period's days over the reach's.
const REACHES: [&[(u32, i64)]; 6] = [
    &[(0, 22), (1, 10)],
    &[(0, 30), (1, 18), (2, 12), (4, 5)],
    &[(0, 31), (1, 18), (2, 12)],
    &[(0, 38), (1, 25), (2, 19)],
    &[(0, 39), (1, 27), (2, 21), (4, 14), (7, 8), (10, 4)],
    &[(0, 52), (1, 39), (4, 26), (7, 21), (14, 13)],
];
/// More than the greatest reach.
const LATES: usize = 16;
/// One payment in a cycle, where chance would bring none, one or several.
const HIT: i64 = 10;
/// A cycle without a payment, where a stream would have brought one.
const MISS: i64 = -15;
/// A payment of the amount that is on no due day, or the second of a cycle.
const STRAY: i64 = -12;
/// How seldom a period is, in eighths of a bit: most of what recurs does so by the month. Of two days of the month the
/// second is set by its first payment too, which tells nothing of it.
const SELDOM: [i64; 6] = [16, 24, 24 + 31, 24, 8, 24];

/// Days of a period, roughly: to see which are worth a try.
const LENGTHS: [usize; 6] = [7, 14, 15, 28, 30, 91];
/// The least days from a due day to the next.
const SHORTEST: [i64; 6] = [7, 14, 9, 28, 28, 89];
/// The most days from a due day to the next.
const LONGEST: [i32; 6] = [7, 14, 20, 28, 31, 92];

/// A beat that explains days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fit {
    pub(super) schedule: Schedule,
    /// Days that payments may be off.
    pub(super) reach: u32,
    /// What speaks for it, in eighths of a bit.
    pub(super) evidence: i64,
    pub(super) first: i32,
    pub(super) last: i32,
    pub(super) hits: i64,
}

/// The beat that explains the days best, if as much speaks for it as is asked. Days ascend.
pub(super) fn best(days: &[When], least: i64, asked: i64) -> Option<Fit> {
    let (first, last) = (days.first()?.day, days.last()?.day);
    let mut worth_a_try: Vec<(i64, Schedule)> = Vec::new();
    for period in Period::COMMON.into_iter().filter(|period| is_tried(*period, days.len(), (first, last))) {
        hopeful(days, period, asked, &mut worth_a_try);
    }
    best_of(days, worth_a_try, least, asked)
}

/// The best of some beats, each with the most that can speak for it.
pub(super) fn best_of(days: &[When], mut worth_a_try: Vec<(i64, Schedule)>, least: i64, asked: i64) -> Option<Fit> {
    // What may be the best comes first, and most of the others need no try.
    worth_a_try.sort_unstable_by_key(|(most, schedule)| (std::cmp::Reverse(*most), *schedule));
    let mut best: Option<(i64, i64, std::cmp::Reverse<Schedule>, Fit)> = None;
    let mut found = Vec::with_capacity(days.len());
    for (most, schedule) in worth_a_try {
        let known = best.map_or(asked, |(evidence, ..)| evidence.max(asked));
        if most < known {
            break;
        }
        count_work(days.len());
        found.clear();
        let mut lates = [0; LATES];
        for when in days {
            let (cycle, off) = schedule.nearest(*when);
            let late = lateness(when.day - off, off);
            lates[(late as usize).min(LATES - 1)] += 1;
            found.push((cycle, late));
        }
        for reach in reaches(days, schedule.period) {
            let near = lates[..=reach.days as usize].iter().sum();
            if near < least || reach.most(near) < known {
                continue;
            }
            let Stretch { evidence, hits, late, first, last } = tried(&found, reach);
            let cycles = i64::from(last - first) + 1;
            if hits < least || hits * 5 < cycles * 3 {
                continue;
            }
            let fit = Fit { schedule, reach: reach.days, evidence: evidence - reach.seldom, first, last, hits };
            // Of equals the nearest to their days, then the first beat, then the least reach.
            let found = (fit.evidence, -late, std::cmp::Reverse(schedule));
            if best.is_none_or(|(evidence, nearest, before, _)| found > (evidence, nearest, before)) {
                best = Some((found.0, found.1, found.2, fit));
            }
        }
    }
    best.map(|(.., fit)| fit).filter(|fit| fit.evidence >= asked)
}

/// The most days that are near to a phase of a period, by each reach: as it is counted, and by each phase.
#[cfg(test)]
pub(super) fn near_by_reach(days: &[When], period: Period) -> Vec<(i64, i64)> {
    let phases = || (0..PHASES[period as usize]).map(|place| Schedule::at(period, place as i32));
    let is_near = |schedule: Schedule, reach: &Reach, when: &When| {
        let (_, off) = schedule.nearest(*when);
        lateness(when.day - off, off) <= reach.days
    };
    let plain = |reach: &Reach| {
        phases()
            .map(|schedule| days.iter().filter(|when| is_near(schedule, reach, when)).count() as i64)
            .max()
            .unwrap_or(0)
    };
    reaches(days, period).map(|reach| (reach.near(days, period), plain(&reach))).collect()
}

/// The same beat, found by a try of each.
#[cfg(test)]
pub(super) fn best_of_all(days: &[When], least: i64, asked: i64) -> Option<Fit> {
    let ends = (days.first()?.day, days.last()?.day);
    let periods = Period::COMMON.into_iter().filter(|period| is_tried(*period, days.len(), ends));
    let phases =
        |period: Period| (0..PHASES[period as usize]).map(move |place| (i64::MAX, Schedule::at(period, place as i32)));
    best_of(days, periods.flat_map(phases).collect(), least, asked)
}

/// Whether a period is worth a try for so many payments from one day to another: with much more or much less than one a
/// cycle no phase can make up for it.
pub(super) fn is_tried(period: Period, payments: usize, (first, last): (i32, i32)) -> bool {
    let cycles = (last - first) as usize / LENGTHS[period as usize] + 1;
    payments <= 2 * cycles + 2 && payments * 5 >= cycles
}

/// How far off its day a payment may be, and what payments within that tell.
#[derive(Clone, Copy)]
pub(super) struct Reach {
    pub(super) days: u32,
    tells: i64,
    seldom: i64,
    /// No more cycles than this have a payment: so many due days lie within the reach of the days from the first to the
    /// last.
    cycles: i64,
}

impl Reach {
    /// No less than so many payments can ever say for a beat: each the only one of its cycle, none missed between them.
    pub(super) fn most(self, payments: i64) -> i64 {
        HIT + (payments.min(self.cycles) - 1) * (HIT + self.tells) - self.seldom
    }

    /// The most of these days that are near to any one phase.
    fn near(self, days: &[When], period: Period) -> i64 {
        let near = near_more(days, period, self.days).into_iter().scan(0, |near, more| {
            *near += more;
            Some(*near)
        });
        i64::from(near.max().unwrap_or(0))
    }

    /// No less than these days can say for any phase: as if each day were a hit, and no more cycles missed between two
    /// than so many days must hold. Where a day is no hit, the gaps around it hold no more missed cycles than both
    /// together.
    fn followed(self, days: &[When], longest: i32) -> i64 {
        let off = 2 * FORGIVEN.max(self.days as i32);
        let (mut open, mut most) = (HIT, HIT);
        for pair in days.windows(2).filter(|pair| pair[0].day < pair[1].day) {
            let beyond = pair[1].day - pair[0].day - off - 1;
            // Most days are too near to one another for that, and a division takes longer than all the rest.
            let missed = if beyond < longest { 0 } else { beyond / longest };
            let left = open + i64::from(missed) * MISS;
            open = if left <= 0 { HIT } else { left + HIT + self.tells };
            most = most.max(open);
        }
        most - self.seldom
    }
}

/// By how many more of these days, or by how many fewer, each phase is within so many days of than the one before it.
#[inline]
fn near_more(days: &[When], period: Period, reach: u32) -> [i32; MOST_PHASES + 1] {
    count_work(days.len());
    let mut more = [0_i32; MOST_PHASES + 1];
    for when in days {
        let (early, late) = when.forgiven(reach as i32);
        when.due(period, (-early, late), |_, phases| {
            more[phases.start] += 1;
            more[phases.end] -= 1;
        });
    }
    more
}

/// How many of these days are within so many days of each phase.
pub(super) fn near_each(days: &[When], period: Period, reach: u32) -> [i32; MOST_PHASES + 1] {
    let mut near = near_more(days, period, reach);
    for phase in 1..near.len() {
        near[phase] += near[phase - 1];
    }
    near
}

/// The most that some hits can say for a beat of a period, and the days that pass from the first of them to the last at
/// least, if they can say as much as is asked at any reach.
pub(super) fn hopes(period: Period, hits: RangeInclusive<usize>, asked: i64) -> Option<(i64, i64)> {
    let further = |hits: &usize| *hits as i64 - 1;
    let reaches = REACHES[period as usize];
    let most = |tells: i64| HIT + further(hits.end()) * (HIT + tells) - SELDOM[period as usize];
    let (widest, _) = reaches.iter().rev().find(|(_, tells)| most(*tells) >= asked)?;
    let off = i64::from(*widest).max(i64::from(FORGIVEN));
    Some((most(reaches[0].1), further(hits.start()) * SHORTEST[period as usize] - 2 * off))
}

/// The reaches of a period, for payments of these days.
pub(super) fn reaches(days: &[When], period: Period) -> impl Iterator<Item = Reach> {
    let span = days.last().map_or(0, |last| i64::from(last.day) - i64::from(days[0].day));
    REACHES[period as usize].iter().map(move |(days, tells)| {
        let cycles = (span + 2 * i64::from(*days).max(i64::from(FORGIVEN))) / SHORTEST[period as usize] + 1;
        Reach { days: *days, tells: *tells, seldom: SELDOM[period as usize], cycles }
    })
}

/// How many phases a period has, and the one that has most.
const PHASES: [usize; 6] = [7, 14, 0, 28, 31, MOST_PHASES];
pub(super) const MOST_PHASES: usize = 93;

/// Adds the beats of a period for which as much as is asked may speak, and the most that can: what [`tried`] finds, for
/// all phases at once. A due day is told at the first payment near to it; each payment in between counts against the
/// beat.
fn hopeful(days: &[When], period: Period, asked: i64, worth_a_try: &mut Vec<(i64, Schedule)>) {
    let many = |reach: &Reach| {
        reach.most(days.len() as i64) >= asked
            && reach.followed(days, LONGEST[period as usize]) >= asked
            && (period < Period::Monthly || reach.most(reach.near(days, period)) >= asked)
    };
    let mut reaches = reaches(days, period).filter(many).peekable();
    if reaches.peek().is_none() {
        return;
    }
    let start = days[0].cycle(period);
    let (hit, miss, stray) = (HIT as i32, MISS as i32, STRAY as i32);
    let mut most = [0; MOST_PHASES];
    for reach in reaches {
        // For each phase the evidence of the open stretch, less what all cycles and payments up to its last hit would
        // take from it.
        let mut open = [i32::MIN / 2; MOST_PHASES];
        let further = (HIT + reach.tells) as i32;
        let mut covered = days[0].day.saturating_sub(LATES as i32);
        count_work(days.len());
        let mut passed = 0;
        for same in days.chunk_by(|one, other| one.day == other.day) {
            let (when, strays) = (same[0], stray * passed);
            passed += same.len() as i32;
            let (early, late) = when.forgiven(reach.days as i32);
            // Due days that were near to an earlier payment have been reported; but a Monday reaches back beyond what
            // was near to a Sunday, and may tell some again, which only says too much.
            let from = if early > reach.days as i32 { -early } else { (-early).max(covered + 1 - when.day) };
            if from > late {
                continue;
            }
            covered = covered.max(when.day + late);
            when.due(period, (from, late), |cycle, phases| {
                let before = strays + miss * (cycle - start);
                let after = before + stray + miss;
                for (open, most) in open[phases.clone()].iter_mut().zip(&mut most[phases]) {
                    let left = *open + before;
                    let evidence = if left <= 0 { hit } else { left + further };
                    *open = evidence - after;
                    *most = (*most).max(evidence);
                }
            });
        }
    }
    let most = most[..PHASES[period as usize]].iter().map(|most| i64::from(*most) - SELDOM[period as usize]);
    let schedules = most.enumerate().filter(|(_, most)| *most >= asked);
    worth_a_try.extend(schedules.map(|(place, most)| (most, Schedule::at(period, place as i32))));
}

/// The cycles from one to another that evidence is being added up over, for one reach.
#[derive(Clone, Copy, Default)]
struct Stretch {
    evidence: i64,
    hits: i64,
    late: i64,
    first: i32,
    last: i32,
}

impl Stretch {
    fn hit(&mut self, cycle: i32, late: u32, tells: i64) {
        if self.hits > 0 && cycle == self.last {
            self.evidence += STRAY;
            return;
        }
        let missed = i64::from(cycle - self.last - 1) * MISS;
        if self.hits == 0 || self.evidence + missed <= 0 {
            // What came before speaks against it: begin anew. The first payment sets the phase and tells nothing of it.
            *self = Self { evidence: HIT, hits: 1, late: i64::from(late), first: cycle, last: cycle };
            return;
        }
        self.evidence += missed + HIT + tells;
        self.hits += 1;
        self.late += i64::from(late);
        self.last = cycle;
    }
}

/// The stretch of cycles that speaks most for a beat, of payments by their cycle and the days that they are off.
fn tried(found: &[(i32, u32)], reach: Reach) -> Stretch {
    let (mut open, mut best) = (Stretch::default(), Stretch::default());
    for (cycle, late) in found {
        if *late > reach.days {
            open.evidence += STRAY;
            continue;
        }
        open.hit(*cycle, *late, reach.tells);
        if open.evidence > best.evidence {
            best = open;
        }
    }
    best
}

/// The logarithm to base 2 of a ratio of at least 1, in eighths, rounded down.
pub(super) fn eighths_of_bits(of: usize, to: usize) -> i64 {
    let mut ratio = ((of.max(to).max(1) as u128) << 32) / to.max(1) as u128;
    let whole = i64::from(ratio.ilog2()) - 32;
    ratio >>= whole;
    let mut eighths = whole * 8;
    for bit in [4, 2, 1] {
        ratio = (ratio * ratio) >> 32;
        if ratio >> 33 > 0 {
            ratio >>= 1;
            eighths += bit;
        }
    }
    eighths
}
