//! The penalty for selecting a stream's payments from many candidates, and the evidence that days must have for a
//! search to be worth it. Knows days.

use crate::engine::recurring::fit;
use crate::engine::recurring::ledger::count_work;
use crate::engine::recurring::payment::{PAYMENTS_MIN, Payment};
use crate::engine::recurring::stream::Period;

/// A cluster is chosen by its least and its greatest amount. Each choice is from about as many as there are clusters of
/// its size.
const BOUNDS_CHOSEN: i64 = 2;
/// Numbers of hits that differ by at most an eighth are examined together.
const HITS_STEP: usize = 8;

/// The penalty for selecting `hits` payments from `candidates` in the same time.
fn penalty_for(candidates: usize, hits: usize) -> i64 {
    BOUNDS_CHOSEN * fit::eighths_of_bits(candidates, hits)
}

/// Payments in order of time, each with the range of payments on its day.
pub(super) struct SelectionPenalty<'p> {
    pub(super) all: &'p [Payment],
    days: Vec<OfDay>,
}

/// The payments of one day.
#[derive(Clone, Copy)]
struct OfDay {
    day: i32,
    /// The number of payments before them, and up to and including them.
    before: u32,
    until: u32,
}

impl<'p> SelectionPenalty<'p> {
    pub(super) fn new(all: &'p [Payment]) -> Self {
        let mut days = Vec::with_capacity(all.len());
        for same in all.chunk_by(|one, other| one.day == other.day) {
            let (before, until) = (days.len(), days.len() + same.len());
            let of_day = OfDay { day: same[0].day, before: before as u32, until: until as u32 };
            days.extend(std::iter::repeat_n(of_day, same.len()));
        }
        Self { all, days }
    }

    /// The evidence for a stream between two days, less the penalty.
    pub(super) fn evidence_after(&self, evidence: i64, (first, last): (i32, i32), hits: usize) -> i64 {
        let before = self.all.partition_point(|payment| payment.day < first);
        let until = self.all.partition_point(|payment| payment.day <= last);
        evidence - penalty_for(until.saturating_sub(before), hits)
    }

    /// The evidence that a schedule of these payments needs so that `evidence_min` is left after the penalty; `None` if
    /// no schedule can have it.
    pub(super) fn needed(&self, cluster: &[usize], evidence_min: i64) -> Option<i64> {
        let of_day = |at: &usize| self.days[*at];
        let ends = (of_day(cluster.first()?).day, of_day(cluster.last()?).day);
        let mut tried =
            Period::COMMON.into_iter().filter(|period| fit::is_tried(*period, cluster.len(), ends)).peekable();
        tried.peek()?;
        let mut apart: Vec<OfDay> = cluster.iter().map(of_day).collect();
        // Payments of one day are in one cycle.
        apart.dedup_by_key(|of_day| of_day.day);
        evidence_needed(tried, &apart, evidence_min)
    }
}

fn evidence_needed(periods: impl Iterator<Item = Period>, apart: &[OfDay], evidence_min: i64) -> Option<i64> {
    let mut needed: Option<i64> = None;
    for period in periods {
        let (mut hits_min, mut candidates) = (PAYMENTS_MIN, PAYMENTS_MIN);
        while hits_min <= apart.len() {
            // Examines several numbers of hits at once. The least time is that of the fewest hits, and the most
            // evidence that of the most.
            let hits_max = (hits_min + hits_min / HITS_STEP).min(apart.len());
            if let Some((bound, span)) = fit::bound_evidence(period, hits_min..=hits_max, evidence_min) {
                let is_less = |left: i64| left <= bound && needed.is_none_or(|needed| left < needed);
                // There are at least as many candidates as for fewer hits, which is usually too many already.
                if is_less(evidence_min + penalty_for(candidates, hits_max)) {
                    // More hits need even more time.
                    let Some(fewest) = fewest_payments_in_span(apart, hits_min, span) else { break };
                    candidates = fewest;
                    let left = evidence_min + penalty_for(candidates, hits_max);
                    if is_less(left) {
                        needed = Some(left);
                    }
                }
            }
            hits_min = hits_max + 1;
        }
    }
    needed
}

/// The fewest payments in any time range of at least `span` days with at least `hits` hits.
fn fewest_payments_in_span(days: &[OfDay], hits: usize, span: i64) -> Option<usize> {
    count_work(days.len());
    let mut fewest = None;
    let mut ends = days.iter().enumerate().skip(hits - 1);
    let (mut to, mut last) = ends.next()?;
    for (from, first) in days.iter().enumerate() {
        while to + 1 < from + hits || i64::from(last.day) - i64::from(first.day) < span {
            let Some(next) = ends.next() else { return fewest };
            (to, last) = next;
        }
        let passed = (last.until - first.before) as usize;
        fewest = Some(passed.min(fewest.unwrap_or(usize::MAX)));
    }
    fewest
}
