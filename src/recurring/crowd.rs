//! What it costs a stream that its payments were chosen out of many, and what must speak for days before it is worth while to look for a beat. Knows
//! days and nothing of amounts.

use std::cell::LazyCell;

use super::Period;
use super::fit;
use super::ledger::count_work;
use super::seek::{LEAST, Payment};

/// A cluster was chosen by the amount where it begins and by that where it ends, each out of about as many as there are clusters of its size.
const CHOICES: i64 = 2;
/// Numbers of hits that differ by this part of them are looked at together.
const STEP: usize = 8;

/// What so many payments in time, of which so many are the stream's, take from what speaks for it.
fn cost(crowd: usize, hits: usize) -> i64 {
    CHOICES * fit::eighths_of_bits(crowd, hits)
}

/// What is left of the evidence for a stream from one day to another. All payments are in the order of time.
pub(super) fn left(evidence: i64, all: &[Payment], (first, last): (i32, i32), hits: usize) -> i64 {
    evidence - cost(until(all, last).saturating_sub(before(all, first)), hits)
}

/// As much as a beat of these days must say to be left with what is asked; nothing where no beat can. Days ascend.
pub(super) fn needed(all: &[Payment], days: &[i32], asked: i64) -> Option<i64> {
    let ends = (*days.first()?, *days.last()?);
    let mut apart = days.to_vec();
    // Those of one day are payments of one cycle.
    apart.dedup();
    let places = LazyCell::new(|| apart.iter().map(|day| (before(all, *day), until(all, *day))).collect::<Vec<_>>());
    let mut needed: Option<i64> = None;
    for period in Period::ALL.into_iter().filter(|period| fit::is_tried(*period, days.len(), ends)) {
        let mut few = LEAST;
        while few <= apart.len() {
            // So many hits or some more at once: no fewer days pass than for the fewest, and no more is said than by the most.
            let many = (few + few / STEP).min(apart.len());
            if let Some((most, span)) = fit::hopes(period, few..=many, asked) {
                // More hits take longer still.
                let Some(crowd) = fewest(&apart, &places, few, span) else { break };
                let left = asked + cost(crowd, many);
                if left <= most && needed.is_none_or(|needed| left < needed) {
                    needed = Some(left);
                }
            }
            few = many + 1;
        }
    }
    needed
}

/// The fewest payments in any time in which so many days pass and there are so many hits.
fn fewest(days: &[i32], places: &[(usize, usize)], hits: usize, span: i64) -> Option<usize> {
    count_work(days.len());
    let mut fewest = None;
    let mut to = hits - 1;
    for (from, (day, (before, _))) in days.iter().zip(places).enumerate() {
        to = to.max(from + hits - 1);
        while to < days.len() && i64::from(days[to]) - i64::from(*day) < span {
            to += 1;
        }
        let Some((_, until)) = places.get(to) else { break };
        fewest = Some((until - before).min(fewest.unwrap_or(usize::MAX)));
    }
    fewest
}

fn before(all: &[Payment], day: i32) -> usize {
    all.partition_point(|payment| payment.day < day)
}

fn until(all: &[Payment], day: i32) -> usize {
    all.partition_point(|payment| payment.day <= day)
}
