//! Which places of a sweep stand out: those that nothing beats, the most profitable one, and what is left of its gain
//! on customers that it was not chosen on.

use super::MeasuredPlace;
use crate::base::digest::Digest;
use crate::engine::metrics::Bits;
use crate::portfolio::backtest::summary::{BestPoint, SweepPoint};
use crate::portfolio::outcomes::KnownRows;

/// Into how many parts customers are dealt.
pub const PARTS: usize = 5;

/// The part of a customer: by the name, so that it does not depend on the order of a table.
pub(super) fn part_of_customer(customer: &str) -> usize {
    usize::from(Digest::compute(customer.as_bytes()).as_bytes()[0]) % PARTS
}

/// What places cost; less is better. A rate is never compared with an amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cost {
    /// The bad rate.
    BadRate,
    /// What is not earned, where no place has a bad rate.
    Profit,
}

impl Cost {
    pub fn for_points(points: &[SweepPoint]) -> Cost {
        if points.iter().any(|point| point.bad_rate.is_some()) { Cost::BadRate } else { Cost::Profit }
    }

    /// By known outcomes.
    pub fn of_known(self, point: &SweepPoint) -> Option<f64> {
        match self {
            Cost::BadRate => point.bad_rate,
            Cost::Profit => point.profit.map(|profit| -profit),
        }
    }

    /// If everybody without an outcome is bad.
    pub fn at_worst(self, point: &SweepPoint) -> Option<f64> {
        match self {
            Cost::BadRate => point.bad_rate_bounds.map(|(_, worst)| worst),
            Cost::Profit => point.profit_bounds.map(|(least, _)| -least),
        }
    }
}

/// The places that no other beats in both approvals and cost. Of equal ones the present one stays, or the first.
pub(super) fn unbeaten_points(
    points: &[SweepPoint],
    present: Option<usize>,
    cost: &dyn Fn(&SweepPoint) -> Option<f64>,
) -> Vec<usize> {
    let mut order: Vec<(usize, f64)> =
        points.iter().enumerate().filter_map(|(at, point)| Some((at, cost(point)?))).collect();
    order.sort_by(|one, other| {
        let rate = |at: usize| points[at].approval_rate;
        let is_other = |at: usize| Some(at) != present;
        let by_rate = rate(other.0).total_cmp(&rate(one.0)).then(one.1.total_cmp(&other.1));
        by_rate.then(is_other(one.0).cmp(&is_other(other.0))).then(one.0.cmp(&other.0))
    });
    let mut best = f64::INFINITY;
    let mut kept: Vec<usize> = Vec::new();
    for (at, cost) in order {
        if cost < best {
            best = cost;
            kept.push(at);
        }
    }
    kept.sort_unstable();
    kept
}

/// The most profitable place; of equal ones the present one, or the first.
pub(super) fn find_best_point(
    own: &MeasuredPlace,
    places: &[MeasuredPlace],
    present: Option<usize>,
) -> Option<BestPoint> {
    own.point.profit?;
    let best_by = |profit: &dyn Fn(&MeasuredPlace) -> i128| {
        let better = |at: &usize| (profit(&places[*at]), Some(*at) == present, std::cmp::Reverse(*at));
        (0..places.len()).max_by_key(better)
    };
    let whole = |place: &MeasuredPlace| place.profit_of_parts.iter().sum::<i128>();
    let point = best_by(&whole)?;
    let gain_of_part = |part: usize| {
        let chosen = best_by(&|place| whole(place) - place.profit_of_parts[part])?;
        Some(places[chosen].profit_of_parts[part] - own.profit_of_parts[part])
    };
    let gains: Vec<i128> = (0..PARTS).filter_map(gain_of_part).collect();
    Some(BestPoint {
        point,
        gain: (whole(&places[point]) - whole(own)) as f64,
        held_out_gain: gains.iter().sum::<i128>() as f64,
        parts: (PARTS, gains.iter().filter(|gain| **gain > 0).count()),
    })
}

/// By how much the bad rate of some offers may exceed that of others, whatever became of those without an outcome. Who
/// is among both has one outcome. `None` without an offer.
///
/// ```text
/// excess = max over x in {0, 1} of (bad + new + x * both) / offers - (bad before + x * both) / offers before
/// ```
///
/// where `new` are those without an outcome who get an offer only now, and `both` those who got one before too.
pub(super) fn worst_excess_of_bad_rate(before: &Bits, now: &Bits, known: &KnownRows) -> Option<f64> {
    let count = |rows: &Bits| rows.count(0..rows.len()) as f64;
    let offers = count(now);
    if offers == 0.0 {
        return None;
    }
    let unknown = now.without(&known.known);
    let both = unknown.and(before);
    let rate = |bad: f64, all: f64| if all > 0.0 { bad / all } else { 0.0 };
    let excess = |both: f64| {
        let new = count(&unknown) - count(&unknown.and(before));
        rate(count(&now.and(&known.bad)) + new + both, offers)
            - rate(count(&before.and(&known.bad)) + both, count(before))
    };
    Some(excess(0.0).max(excess(count(&both))))
}
