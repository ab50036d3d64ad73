//! Fits a beat to days: of every period, phase and reach the one that chance explains worst. Evidence is counted in eighths of a bit, whole numbers
//! only. Knows days and nothing of amounts or payers.

use super::Period;
use super::beat::{Beat, When, lateness};
use super::ledger::count_work;

/// For each period: how far off its day a payment may be, in days, and what a payment within that reach tells, in eighths of a bit: the logarithm of
/// the period's days over the reach's.
const REACHES: [&[(u32, i64)]; 4] = [
    &[(0, 22), (1, 10)],
    &[(0, 30), (1, 18), (2, 12), (4, 5)],
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
/// How seldom a period is, in eighths of a bit: most of what recurs does so by the month.
const SELDOM: [i64; 4] = [16, 24, 8, 24];

/// Days of a period, roughly: to see which are worth a try.
const LENGTHS: [usize; 4] = [7, 14, 30, 91];

/// A beat that explains days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fit {
    pub(super) beat: Beat,
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
    let mut worth_a_try: Vec<(i64, Beat)> = Vec::new();
    for (period, (length, reaches)) in Period::ALL.into_iter().zip(LENGTHS.into_iter().zip(REACHES)) {
        let cycles = (last - first) as usize / length + 1;
        // Much more or much less than one a cycle: no phase can make up for it. Nor can any for too few payments.
        let (_, tells) = reaches[0];
        let seldom = SELDOM[period as usize];
        let at_most = ceiling(days.len() as i64, tells) - seldom;
        if days.len() > 2 * cycles + 2 || days.len() * 5 < cycles || at_most < asked {
            continue;
        }
        let most = most(days, period, reaches, least);
        let places = most.iter().take(PHASES[period as usize]).enumerate();
        let near = places.filter(|(_, most)| **most - seldom >= asked);
        worth_a_try.extend(near.map(|(place, most)| (most - seldom, Beat::at(period, place as i32))));
    }
    // What may be the best comes first, and most of the others need no try.
    worth_a_try.sort_unstable_by_key(|(most, beat)| (std::cmp::Reverse(*most), *beat));
    let mut best: Option<(i64, i64, std::cmp::Reverse<Beat>, Fit)> = None;
    let mut found = Vec::with_capacity(days.len());
    for (most, beat) in worth_a_try {
        let known = best.map_or(asked, |(evidence, ..)| evidence.max(asked));
        if most < known {
            break;
        }
        count_work(days.len());
        found.clear();
        let mut lates = [0; LATES];
        for when in days {
            let (cycle, off) = beat.nearest(*when);
            let late = lateness(when.day - off, off);
            lates[(late as usize).min(LATES - 1)] += 1;
            found.push((cycle, late));
        }
        let seldom = SELDOM[beat.period as usize];
        for (reach, tells) in REACHES[beat.period as usize] {
            let near = lates[..=*reach as usize].iter().sum();
            if near < least || ceiling(near, *tells) - seldom < known {
                continue;
            }
            let Stretch { evidence, hits, late, first, last } = tried(&found, *reach, *tells);
            let cycles = i64::from(last - first) + 1;
            if hits < least || hits * 5 < cycles * 3 {
                continue;
            }
            let fit = Fit { beat, reach: *reach, evidence: evidence - seldom, first, last, hits };
            // Of equals the nearest to their days, then the first beat, then the least reach.
            let found = (fit.evidence, -late, std::cmp::Reverse(beat));
            if best.is_none_or(|(evidence, nearest, before, _)| found > (evidence, nearest, before)) {
                best = Some((found.0, found.1, found.2, fit));
            }
        }
    }
    best.map(|(.., fit)| fit).filter(|fit| fit.evidence >= asked)
}

/// More than so many payments can ever tell: each the only one of its cycle, none missed between them.
fn ceiling(payments: i64, tells: i64) -> i64 {
    HIT + (payments - 1) * (HIT + tells)
}

/// How many phases a period has, and the one that has most.
const PHASES: [usize; 4] = [7, 14, 31, MOST_PHASES];
const MOST_PHASES: usize = 93;

/// For each phase of a period more than can ever speak for it, by the payments that are near enough.
fn most(days: &[When], period: Period, reaches: &[(u32, i64)], least: i64) -> [i64; MOST_PHASES] {
    let mut most = [i64::MIN / 2; MOST_PHASES];
    for (reach, tells) in reaches {
        // How many more payments are near to a phase than to the one before it.
        let mut steps = [0_i32; MOST_PHASES + 1];
        for when in days {
            when.phases_near(period, *reach as i32, |phases| {
                steps[phases.start as usize] += 1;
                steps[phases.end as usize] -= 1;
            });
        }
        let mut near = 0;
        for (most, step) in most.iter_mut().zip(&steps).take(PHASES[period as usize]) {
            near += i64::from(*step);
            if near >= least {
                *most = (*most).max(ceiling(near, *tells));
            }
        }
    }
    most
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
fn tried(found: &[(i32, u32)], reach: u32, tells: i64) -> Stretch {
    let (mut open, mut best) = (Stretch::default(), Stretch::default());
    for (cycle, late) in found {
        if *late > reach {
            open.evidence += STRAY;
            continue;
        }
        open.hit(*cycle, *late, tells);
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
