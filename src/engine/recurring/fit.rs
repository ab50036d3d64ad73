//! Fits a schedule to days. The period (weekly, fortnightly, monthly or quarterly) is chosen here, together with the
//! phase and the reach: the schedule that chance explains worst. `between` tries semimonthly and four-weekly periods.
//! Evidence is a whole number of eighths of a bit. Knows days.

use std::ops::RangeInclusive;

use super::ledger::count_work;
use crate::engine::recurring::schedule::{Schedule, WEEKEND_DAYS_MAX, When, days_early_or_late};
use crate::engine::recurring::stream::Period;

/// For each period, its reaches: how many days off a payment may be, and the evidence of a payment within that, in
/// eighths of a bit. The evidence is the logarithm of the period's days over the reach's days.
const REACHES: [&[(u32, i64)]; 6] = [
    &[(0, 22), (1, 10)],
    &[(0, 30), (1, 18), (2, 12), (4, 5)],
    &[(0, 31), (1, 18), (2, 12)],
    &[(0, 38), (1, 25), (2, 19)],
    &[(0, 39), (1, 27), (2, 21), (4, 14), (7, 8), (10, 4)],
    &[(0, 52), (1, 39), (4, 26), (7, 21), (14, 13)],
];
/// Larger than the greatest reach.
const LATENESS_END: usize = 16;
/// Evidence of exactly one payment in a cycle, where chance may bring none or several.
const HIT: i64 = 10;
/// Evidence of a cycle without a payment.
const MISS: i64 = -15;
/// Evidence of a payment on no due day, or a second one in a cycle.
const STRAY: i64 = -12;
/// Penalty for rare periods, in eighths of a bit; most streams are monthly. For two days of the month, the first
/// payment on the second day sets that day, so it is no evidence and is deducted here.
const RARITY_PENALTY: [i64; 6] = [16, 24, 24 + 31, 24, 8, 24];

/// Approximate days of a period, to see which are worth trying.
const CYCLE_DAYS: [usize; 6] = [7, 14, 15, 28, 30, 91];
/// Fewest days from one due day to the next.
const CYCLE_DAYS_MIN: [i64; 6] = [7, 14, 9, 28, 28, 89];
/// Most days from one due day to the next.
const CYCLE_DAYS_MAX: [i32; 6] = [7, 14, 20, 28, 31, 92];

/// A schedule that explains days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fit {
    pub(super) schedule: Schedule,
    /// Most days that payments are off.
    pub(super) reach: u32,
    /// Its evidence, in eighths of a bit.
    pub(super) evidence: i64,
    pub(super) first: i32,
    pub(super) last: i32,
    pub(super) hits: i64,
}

/// The schedule that explains the days best, if its evidence is at least `evidence_min`. Days ascend.
pub(super) fn fit_best_schedule(days: &[When], hits_min: i64, evidence_min: i64) -> Option<Fit> {
    let (first, last) = (days.first()?.day, days.last()?.day);
    let mut candidates: Vec<(i64, Schedule)> = Vec::new();
    for period in Period::COMMON.into_iter().filter(|period| is_tried(*period, days.len(), (first, last))) {
        add_candidates(days, period, evidence_min, &mut candidates);
    }
    best_of(days, candidates, hits_min, evidence_min)
}

/// The best of some schedules, each with an upper bound of its evidence.
pub(super) fn best_of(
    days: &[When],
    mut candidates: Vec<(i64, Schedule)>,
    hits_min: i64,
    evidence_min: i64,
) -> Option<Fit> {
    // The most promising first, so that most others need not be tried.
    candidates.sort_unstable_by_key(|(bound, schedule)| (std::cmp::Reverse(*bound), *schedule));
    let mut best: Option<(i64, i64, std::cmp::Reverse<Schedule>, Fit)> = None;
    let mut found = Vec::with_capacity(days.len());
    for (bound, schedule) in candidates {
        let to_beat = best.map_or(evidence_min, |(evidence, ..)| evidence.max(evidence_min));
        if bound < to_beat {
            break;
        }
        count_work(days.len());
        found.clear();
        let mut by_lateness = [0; LATENESS_END];
        for when in days {
            let (cycle, off) = schedule.nearest(*when);
            let late = days_early_or_late(when.day - off, off);
            by_lateness[(late as usize).min(LATENESS_END - 1)] += 1;
            found.push((cycle, late));
        }
        for reach in reaches_of_period(days, schedule.period) {
            let near = by_lateness[..=reach.days as usize].iter().sum();
            if near < hits_min || reach.bound_by_count(near) < to_beat {
                continue;
            }
            let Segment { evidence, hits, late, first, last } = best_segment(&found, reach);
            let cycles = i64::from(last - first) + 1;
            if hits < hits_min || hits * 5 < cycles * 3 {
                continue;
            }
            let fit = Fit { schedule, reach: reach.days, evidence: evidence - reach.rarity_penalty, first, last, hits };
            // Among equals: the least lateness, then the first schedule, then the smallest reach.
            let found = (fit.evidence, -late, std::cmp::Reverse(schedule));
            if best.is_none_or(|(evidence, nearest, before, _)| found > (evidence, nearest, before)) {
                best = Some((found.0, found.1, found.2, fit));
            }
        }
    }
    best.map(|(.., fit)| fit).filter(|fit| fit.evidence >= evidence_min)
}

/// The most days near one phase of a period, for each reach: counted at once, and phase by phase.
#[cfg(test)]
pub(super) fn near_by_reach(days: &[When], period: Period) -> Vec<(i64, i64)> {
    let phases = || (0..PHASES[period as usize]).map(|place| Schedule::at(period, place as i32));
    let is_near = |schedule: Schedule, reach: &Reach, when: &When| {
        let (_, off) = schedule.nearest(*when);
        days_early_or_late(when.day - off, off) <= reach.days
    };
    let plain = |reach: &Reach| {
        phases()
            .map(|schedule| days.iter().filter(|when| is_near(schedule, reach, when)).count() as i64)
            .max()
            .unwrap_or(0)
    };
    reaches_of_period(days, period).map(|reach| (reach.near(days, period), plain(&reach))).collect()
}

/// The best schedule, found by trying every one.
#[cfg(test)]
pub(super) fn best_of_all(days: &[When], hits_min: i64, evidence_min: i64) -> Option<Fit> {
    let ends = (days.first()?.day, days.last()?.day);
    let periods = Period::COMMON.into_iter().filter(|period| is_tried(*period, days.len(), ends));
    let phases =
        |period: Period| (0..PHASES[period as usize]).map(move |place| (i64::MAX, Schedule::at(period, place as i32)));
    best_of(days, periods.flat_map(phases).collect(), hits_min, evidence_min)
}

/// Whether a period is worth trying for this many payments between two days. With much more or less than one payment
/// per cycle, no phase has enough evidence.
pub(super) fn is_tried(period: Period, payments: usize, (first, last): (i32, i32)) -> bool {
    let cycles = (last - first) as usize / CYCLE_DAYS[period as usize] + 1;
    payments <= 2 * cycles + 2 && payments * 5 >= cycles
}

/// How far off its day a payment may be, and the evidence of payments within that.
#[derive(Clone, Copy)]
pub(super) struct Reach {
    pub(super) days: u32,
    evidence_per_hit: i64,
    rarity_penalty: i64,
    /// Most cycles with a payment: the due days within reach of the days from the first to the last.
    cycles: i64,
}

impl Reach {
    /// Upper bound of the evidence of this many payments: each is the only one of its cycle, and no cycle is missed.
    pub(super) fn bound_by_count(self, payments: i64) -> i64 {
        HIT + (payments.min(self.cycles) - 1) * (HIT + self.evidence_per_hit) - self.rarity_penalty
    }

    /// The most of these days that are near one phase.
    fn near(self, days: &[When], period: Period) -> i64 {
        let near = near_differences(days, period, self.days).into_iter().scan(0, |near, more| {
            *near += more;
            Some(*near)
        });
        i64::from(near.max().unwrap_or(0))
    }

    /// Upper bound of the evidence of these days for any phase. Assumes that each day is a hit and that a gap has no
    /// more missed cycles than its length requires. If a day is no hit, the combined gap around it has at least as many
    /// missed cycles as its two gaps.
    fn bound_by_gaps(self, days: &[When], cycle_days_max: i32) -> i64 {
        let off = 2 * WEEKEND_DAYS_MAX.max(self.days as i32);
        let (mut open, mut bound) = (HIT, HIT);
        for pair in days.windows(2).filter(|pair| pair[0].day < pair[1].day) {
            let beyond = pair[1].day - pair[0].day - off - 1;
            // Most gaps are too short, and the division would be the slowest step.
            let missed = if beyond < cycle_days_max { 0 } else { beyond / cycle_days_max };
            let left = open + i64::from(missed) * MISS;
            open = if left <= 0 { HIT } else { left + HIT + self.evidence_per_hit };
            bound = bound.max(open);
        }
        bound - self.rarity_penalty
    }
}

/// The difference between each phase and the one before it in the number of days within `reach` of it.
#[inline]
fn near_differences(days: &[When], period: Period, reach: u32) -> [i32; PHASES_MAX + 1] {
    count_work(days.len());
    let mut more = [0_i32; PHASES_MAX + 1];
    for when in days {
        let (early, late) = when.forgiven(reach as i32);
        when.due(period, (-early, late), |_, phases| {
            more[phases.start] += 1;
            more[phases.end] -= 1;
        });
    }
    more
}

/// The number of days within `reach` of each phase.
pub(super) fn near_by_phase(days: &[When], period: Period, reach: u32) -> [i32; PHASES_MAX + 1] {
    let mut near = near_differences(days, period, reach);
    for phase in 1..near.len() {
        near[phase] += near[phase - 1];
    }
    near
}

/// Upper bound of the evidence of some hits for a schedule of a period, and the fewest days from the first hit to the
/// last. `None` if the evidence is below `evidence_min` at every reach.
pub(super) fn bound_evidence(period: Period, hits: RangeInclusive<usize>, evidence_min: i64) -> Option<(i64, i64)> {
    let further = |hits: &usize| *hits as i64 - 1;
    let reaches = REACHES[period as usize];
    let rarity_penalty = RARITY_PENALTY[period as usize];
    let bound = |per_hit: i64| HIT + further(hits.end()) * (HIT + per_hit) - rarity_penalty;
    let (widest, _) = reaches.iter().rev().find(|(_, per_hit)| bound(*per_hit) >= evidence_min)?;
    let off = i64::from(*widest).max(i64::from(WEEKEND_DAYS_MAX));
    Some((bound(reaches[0].1), further(hits.start()) * CYCLE_DAYS_MIN[period as usize] - 2 * off))
}

/// The reaches of a period, for payments of these days.
pub(super) fn reaches_of_period(days: &[When], period: Period) -> impl Iterator<Item = Reach> {
    let span = days.last().map_or(0, |last| i64::from(last.day) - i64::from(days[0].day));
    REACHES[period as usize].iter().map(move |(days, evidence)| {
        let cycles =
            (span + 2 * i64::from(*days).max(i64::from(WEEKEND_DAYS_MAX))) / CYCLE_DAYS_MIN[period as usize] + 1;
        Reach { days: *days, evidence_per_hit: *evidence, rarity_penalty: RARITY_PENALTY[period as usize], cycles }
    })
}

/// The number of phases of each period, and the greatest of them.
const PHASES: [usize; 6] = [7, 14, 0, 28, 31, PHASES_MAX];
pub(super) const PHASES_MAX: usize = 93;

/// Adds the schedules of a period whose evidence may reach `evidence_min`, with an upper bound of it. The bound is
/// what [`best_segment`] finds, computed for all phases at once. A due day is hit by the first payment near it, and
/// each payment in between counts as a stray.
fn add_candidates(days: &[When], period: Period, evidence_min: i64, candidates: &mut Vec<(i64, Schedule)>) {
    let may_suffice = |reach: &Reach| {
        reach.bound_by_count(days.len() as i64) >= evidence_min
            && reach.bound_by_gaps(days, CYCLE_DAYS_MAX[period as usize]) >= evidence_min
            && (period < Period::Monthly || reach.bound_by_count(reach.near(days, period)) >= evidence_min)
    };
    let mut reaches = reaches_of_period(days, period).filter(may_suffice).peekable();
    if reaches.peek().is_none() {
        return;
    }
    let start = days[0].cycle(period);
    let (hit, miss, stray) = (HIT as i32, MISS as i32, STRAY as i32);
    let mut bounds = [0; PHASES_MAX];
    for reach in reaches {
        // For each phase, the evidence of the open segment, less the total of misses and strays up to its last hit.
        let mut open = [i32::MIN / 2; PHASES_MAX];
        let further = (HIT + reach.evidence_per_hit) as i32;
        let mut covered = days[0].day.saturating_sub(LATENESS_END as i32);
        count_work(days.len());
        let mut passed = 0;
        for same in days.chunk_by(|one, other| one.day == other.day) {
            let (when, strays) = (same[0], stray * passed);
            passed += same.len() as i32;
            let (early, late) = when.forgiven(reach.days as i32);
            // Due days near an earlier payment are already hit. But a Monday reaches back further than a Sunday and may
            // hit some again, which only raises the bound.
            let from = if early > reach.days as i32 { -early } else { (-early).max(covered + 1 - when.day) };
            if from > late {
                continue;
            }
            covered = covered.max(when.day + late);
            when.due(period, (from, late), |cycle, phases| {
                let before = strays + miss * (cycle - start);
                let after = before + stray + miss;
                for (open, bound) in open[phases.clone()].iter_mut().zip(&mut bounds[phases]) {
                    let left = *open + before;
                    let evidence = if left <= 0 { hit } else { left + further };
                    *open = evidence - after;
                    *bound = (*bound).max(evidence);
                }
            });
        }
    }
    let bounds =
        bounds[..PHASES[period as usize]].iter().map(|bound| i64::from(*bound) - RARITY_PENALTY[period as usize]);
    let schedules = bounds.enumerate().filter(|(_, bound)| *bound >= evidence_min);
    candidates.extend(schedules.map(|(place, bound)| (bound, Schedule::at(period, place as i32))));
}

/// Consecutive cycles with its evidence, for one reach.
#[derive(Clone, Copy, Default)]
struct Segment {
    evidence: i64,
    hits: i64,
    late: i64,
    first: i32,
    last: i32,
}

impl Segment {
    fn hit(&mut self, cycle: i32, late: u32, evidence_per_hit: i64) {
        if self.hits > 0 && cycle == self.last {
            self.evidence += STRAY;
            return;
        }
        let missed = i64::from(cycle - self.last - 1) * MISS;
        if self.hits == 0 || self.evidence + missed <= 0 {
            // The evidence so far is negative, so start again. The first payment sets the phase, so it is no evidence
            // for it.
            *self = Self { evidence: HIT, hits: 1, late: i64::from(late), first: cycle, last: cycle };
            return;
        }
        self.evidence += missed + HIT + evidence_per_hit;
        self.hits += 1;
        self.late += i64::from(late);
        self.last = cycle;
    }
}

/// The segment of cycles with the most evidence. `found` has the cycle and lateness of each payment.
fn best_segment(found: &[(i32, u32)], reach: Reach) -> Segment {
    let (mut open, mut best) = (Segment::default(), Segment::default());
    for (cycle, late) in found {
        if *late > reach.days {
            open.evidence += STRAY;
            continue;
        }
        open.hit(*cycle, *late, reach.evidence_per_hit);
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
