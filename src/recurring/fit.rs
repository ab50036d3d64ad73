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
/// The most reaches that a period has.
const MOST_REACHES: usize = 6;
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
        let at_most = HIT + (days.len() as i64 - 1) * (HIT + tells) - SELDOM[period as usize];
        if days.len() > 2 * cycles + 2 || days.len() * 5 < cycles || at_most < asked {
            continue;
        }
        let most = most(days, period, reaches, least).into_iter().map(|most| most - SELDOM[period as usize]);
        worth_a_try.extend(most.zip(Beat::phases(period)).filter(|(most, _)| *most >= asked));
    }
    // What may be the best comes first, and most of the others need no try.
    worth_a_try.sort_by_key(|(most, beat)| (std::cmp::Reverse(*most), *beat));
    let mut best: Option<(i64, i64, std::cmp::Reverse<Beat>, Fit)> = None;
    for (most, beat) in worth_a_try {
        if best.is_some_and(|(evidence, ..)| most < evidence) {
            break;
        }
        count_work(days.len());
        for (late, mut fit) in tried(days, beat, REACHES[beat.period as usize], least) {
            fit.evidence -= SELDOM[beat.period as usize];
            // Of equals the nearest to their days, then the first beat, then the least reach.
            let found = (fit.evidence, -late, std::cmp::Reverse(beat));
            if best.is_none_or(|(evidence, nearest, before, _)| found > (evidence, nearest, before)) {
                best = Some((found.0, found.1, found.2, fit));
            }
        }
    }
    best.map(|(.., fit)| fit).filter(|fit| fit.evidence >= asked)
}

/// How many phases a period has, and the one that has most.
const PHASES: [usize; 4] = [7, 14, 31, MOST_PHASES];
const MOST_PHASES: usize = 93;

/// Days by which a payment may be late and is forgiven: over a weekend.
const FORGIVEN: i32 = 2;

/// For each phase of a period more than can ever speak for it: every payment near enough as one in a cycle of its own, none missed between them.
fn most(days: &[When], period: Period, reaches: &[(u32, i64)], least: i64) -> [i64; MOST_PHASES] {
    let mut most = [i64::MIN / 2; MOST_PHASES];
    for (reach, tells) in reaches {
        // How many more payments are near to a phase than to the one before it.
        let mut steps = [0_i64; MOST_PHASES + 1];
        for when in days {
            when.phases_near(period, *reach as i32 + FORGIVEN, |phases| {
                steps[phases.start as usize] += 1;
                steps[phases.end as usize] -= 1;
            });
        }
        let mut near = 0;
        for (most, step) in most.iter_mut().zip(steps).take(PHASES[period as usize]) {
            near += step;
            if near >= least {
                *most = (*most).max(HIT + (near - 1) * (HIT + tells));
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

/// For each reach the stretch of cycles that speaks most for a beat, with the sum of its days off.
fn tried<'a>(
    days: &[When],
    beat: Beat,
    reaches: &'a [(u32, i64)],
    least: i64,
) -> impl Iterator<Item = (i64, Fit)> + use<'a> {
    let mut open = [Stretch::default(); MOST_REACHES];
    let mut best = [Stretch::default(); MOST_REACHES];
    for when in days {
        let (cycle, off) = beat.nearest(*when);
        let late = lateness(when.day - off, off);
        for ((reach, tells), (open, best)) in reaches.iter().zip(open.iter_mut().zip(&mut best)) {
            if late > *reach {
                open.evidence += STRAY;
            } else {
                open.hit(cycle, late, *tells);
                if open.evidence > best.evidence {
                    *best = *open;
                }
            }
        }
    }
    reaches.iter().zip(best).filter_map(move |((reach, _), best)| {
        let Stretch { evidence, hits, late, first, last } = best;
        let cycles = i64::from(last - first) + 1;
        let fit = Fit { beat, reach: *reach, evidence, first, last, hits };
        (hits >= least && hits * 5 >= cycles * 3).then_some((late, fit))
    })
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
