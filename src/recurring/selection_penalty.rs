//! The penalty for having selected a stream's payments from many candidates, and the evidence that days must have
//! before a schedule is worth looking for. Knows days and nothing of amounts.

use crate::recurring::fit;
use crate::recurring::ledger::count_work;
use crate::recurring::payment::{LEAST, Payment};
use crate::recurring::stream::Period;

/// A cluster was chosen by the amount where it begins and by that where it ends, each out of about as many as there are
/// clusters of its size.
const CHOICES: i64 = 2;
/// Numbers of hits that differ by this part of them are looked at together.
const STEP: usize = 8;

/// What so many payments in time, of which so many are the stream's, take from what speaks for it.
fn cost(penalty: usize, hits: usize) -> i64 {
    CHOICES * fit::eighths_of_bits(penalty, hits)
}

/// Payments in the order of time, and where those of each one's day lie among them.
pub(super) struct SelectionPenalty<'p> {
    pub(super) all: &'p [Payment],
    days: Vec<OfDay>,
}

/// Payments of one day.
#[derive(Clone, Copy)]
struct OfDay {
    day: i32,
    /// How many there are before them, and until the last of them.
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

    /// What is left of the evidence for a stream from one day to another.
    pub(super) fn evidence_after(&self, evidence: i64, (first, last): (i32, i32), hits: usize) -> i64 {
        let before = self.all.partition_point(|payment| payment.day < first);
        let until = self.all.partition_point(|payment| payment.day <= last);
        evidence - cost(until.saturating_sub(before), hits)
    }

    /// As much as a beat of these payments, by their places, must say to be left with what is asked; nothing where no
    /// beat can.
    pub(super) fn needed(&self, cluster: &[usize], asked: i64) -> Option<i64> {
        let of_day = |at: &usize| self.days[*at];
        let ends = (of_day(cluster.first()?).day, of_day(cluster.last()?).day);
        let mut tried =
            Period::COMMON.into_iter().filter(|period| fit::is_tried(*period, cluster.len(), ends)).peekable();
        tried.peek()?;
        let mut apart: Vec<OfDay> = cluster.iter().map(of_day).collect();
        // Those of one day are payments of one cycle.
        apart.dedup_by_key(|of_day| of_day.day);
        needed(tried, &apart, asked)
    }
}

fn needed(periods: impl Iterator<Item = Period>, apart: &[OfDay], asked: i64) -> Option<i64> {
    let mut needed: Option<i64> = None;
    for period in periods {
        let (mut few, mut penalty) = (LEAST, LEAST);
        while few <= apart.len() {
            // So many hits or some more at once: no fewer days pass than for the fewest, and no more is said than by
            // the most.
            let many = (few + few / STEP).min(apart.len());
            if let Some((most, span)) = fit::hopes(period, few..=many, asked) {
                let is_less = |left: i64| left <= most && needed.is_none_or(|needed| left < needed);
                // Among no fewer than for fewer hits: mostly that is too many already.
                if is_less(asked + cost(penalty, many)) {
                    // More hits take longer still.
                    let Some(fewest) = fewest(apart, few, span) else { break };
                    penalty = fewest;
                    let left = asked + cost(penalty, many);
                    if is_less(left) {
                        needed = Some(left);
                    }
                }
            }
            few = many + 1;
        }
    }
    needed
}

/// The fewest payments in any time in which so many days pass and there are so many hits.
fn fewest(days: &[OfDay], hits: usize, span: i64) -> Option<usize> {
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
