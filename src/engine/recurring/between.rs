//! The less common periods: semimonthly, which looks fortnightly for some months, and four-weekly, which looks monthly.
//! They are tried only if a fortnightly or monthly schedule was found and fits badly, which is rare. Knows days. Must
//! not know amounts.

use super::fit::{self, Fit};
use crate::engine::recurring::schedule::{Schedule, When, days_early_or_late};
use crate::engine::recurring::stream::Period;

/// Fewest payments that distinguish such a period from the common one. Over five payments, months are about ten days
/// longer than four weeks.
const PAYMENTS_MIN: i64 = 5;
/// Most days that a payment of either period is off: the greatest of their reaches.
const REACH_MAX: u32 = 2;
/// Days from the first day of the month to the second: about half a month.
const HALF_MONTH_DAYS: std::ops::RangeInclusive<usize> = 11..=19;
/// Days of the month; 31 means the last day of any month.
const MONTH_DAYS: usize = 31;

/// A less common schedule if it explains the days better, else the one found. Days ascend.
pub(super) fn try_closer_schedule(days: &[When], found: Fit) -> Fit {
    let all = days.len() as i64;
    let is_exact = found.reach == 0 && found.hits == all;
    if is_exact || all < PAYMENTS_MIN {
        return found;
    }
    match found.schedule.period {
        Period::Fortnightly => twice_a_month(days, found),
        Period::Monthly if found.hits < all => twice_a_month(days, four_weekly(days, found)),
        Period::Monthly => four_weekly(days, found),
        Period::Weekly | Period::Semimonthly | Period::FourWeekly | Period::Quarterly => found,
    }
}

/// A four-weekly schedule, if at least as many days are near it as the monthly one has hits. Monthly days drift away
/// from four weeks, so few of them are.
fn four_weekly(days: &[When], found: Fit) -> Fit {
    let near = fit::near_by_phase(days, Period::FourWeekly, REACH_MAX);
    let is_near = |place: &i32| i64::from(near[*place as usize]) >= found.hits.max(PAYMENTS_MIN);
    let schedules = (0..28).filter(is_near).map(|place| (i64::MAX, Schedule::at(Period::FourWeekly, place))).collect();
    better(days, schedules, found)
}

/// A semimonthly schedule, if two thirds of all days are near one of its two days and it may have more evidence than
/// the one found.
fn twice_a_month(days: &[When], found: Fit) -> Fit {
    let mut near = fit::near_by_phase(days, Period::Monthly, REACH_MAX);
    let (earliest, latest) = (HALF_MONTH_DAYS.start(), HALF_MONTH_DAYS.end());
    let near_min = found.hits.max(PAYMENTS_MIN).max(days.len() as i64 * 2 / 3);
    let mut pairs: Vec<(usize, usize, i64)> = Vec::new();
    for first in 0..MONTH_DAYS {
        for second in (first + earliest..=first + latest).take_while(|second| *second < MONTH_DAYS) {
            if i64::from(near[first] + near[second]) >= near_min {
                pairs.push((first, second, 0));
            }
        }
    }
    if pairs.is_empty() {
        return found;
    }
    for reach in fit::reaches_of_period(days, Period::Semimonthly) {
        near = fit::near_by_phase(days, Period::Monthly, reach.days);
        for (first, second, bound) in &mut pairs {
            *bound = reach.bound_by_count(i64::from(near[*first] + near[*second])).max(*bound);
        }
    }
    pairs.retain(|(.., bound)| *bound > found.evidence);
    let schedule = |(first, second, bound)| (bound, Schedule::twice(first as i32 + 1, second as i32 + 1));
    let fit = better(days, pairs.into_iter().map(schedule).collect(), found);
    if fit == found || has_both(days, fit) { fit } else { found }
}

/// The best of some schedules, each with an upper bound of its evidence, if it has more than the one found.
fn better(days: &[When], schedules: Vec<(i64, Schedule)>, found: Fit) -> Fit {
    if schedules.is_empty() {
        return found;
    }
    fit::best_of(days, schedules, PAYMENTS_MIN, found.evidence + 1).unwrap_or(found)
}

/// Whether each half of the month has at least two fifths of the payments. Monthly pay with a few other payments is not
/// semimonthly.
fn has_both(days: &[When], fit: Fit) -> bool {
    let mut halves = [0_i64; 2];
    for when in days {
        let (cycle, off) = fit.schedule.nearest(*when);
        if days_early_or_late(when.day - off, off) <= fit.reach && (fit.first..=fit.last).contains(&cycle) {
            halves[cycle.rem_euclid(2) as usize] += 1;
        }
    }
    let [first, second] = halves;
    first.min(second) * 5 >= 2 * (first + second)
}
