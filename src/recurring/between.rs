//! The less common periods: semimonthly, which a fortnight fits for some months, and four-weekly, which a month
//! does. They are tried only where a fortnight or a month was found and fits badly, which is rare. Knows days and
//! nothing of amounts.

use super::fit::{self, Fit};
use crate::recurring::schedule::{Schedule, When, lateness};
use crate::recurring::stream::Period;

/// Fewer payments do not tell such a period from the common one: in so many four weeks a month is some ten days longer.
const LEAST: i64 = 5;
/// How far off its day a payment of either period is at most, in days: the greatest of their reaches.
const OFF: u32 = 2;
/// From the first day of the month to the second: about half a month.
const APART: std::ops::RangeInclusive<usize> = 11..=19;
/// Days of the month; 31 stands for the last day of any month.
const MONTH: usize = 31;

/// What explains the days better than the beat that was found, or else that. Days ascend.
pub(super) fn closer(days: &[When], found: Fit) -> Fit {
    let all = days.len() as i64;
    let is_exact = found.reach == 0 && found.hits == all;
    if is_exact || all < LEAST {
        return found;
    }
    match found.schedule.period {
        Period::Fortnightly => twice_a_month(days, found),
        Period::Monthly if found.hits < all => twice_a_month(days, four_weekly(days, found)),
        Period::Monthly => four_weekly(days, found),
        _ => found,
    }
}

/// Every four weeks, where no fewer days are near to it than the month has: of days that come by the month and do not
/// drift few are.
fn four_weekly(days: &[When], found: Fit) -> Fit {
    let near = fit::near_each(days, Period::FourWeekly, OFF);
    let is_near = |place: &i32| i64::from(near[*place as usize]) >= found.hits.max(LEAST);
    let schedules = (0..28).filter(is_near).map(|place| (i64::MAX, Schedule::at(Period::FourWeekly, place))).collect();
    better(days, schedules, found)
}

/// Two days of the month, where two in three of all days are near to one of them and they can say more than what was
/// found.
fn twice_a_month(days: &[When], found: Fit) -> Fit {
    let mut near = fit::near_each(days, Period::Monthly, OFF);
    let least = found.hits.max(LEAST).max(days.len() as i64 * 2 / 3);
    let mut pairs: Vec<(usize, usize, i64)> = Vec::new();
    for first in 0..MONTH {
        for second in (first + APART.start()..=first + APART.end()).take_while(|second| *second < MONTH) {
            if i64::from(near[first] + near[second]) >= least {
                pairs.push((first, second, 0));
            }
        }
    }
    if pairs.is_empty() {
        return found;
    }
    for reach in fit::reaches(days, Period::Semimonthly) {
        near = fit::near_each(days, Period::Monthly, reach.days);
        for (first, second, most) in &mut pairs {
            *most = reach.most(i64::from(near[*first] + near[*second])).max(*most);
        }
    }
    pairs.retain(|(.., most)| *most > found.evidence);
    let schedule = |(first, second, most)| (most, Schedule::twice(first as i32 + 1, second as i32 + 1));
    let fit = better(days, pairs.into_iter().map(schedule).collect(), found);
    if fit == found || has_both(days, fit) { fit } else { found }
}

/// The best of some beats, each with the most that can speak for it, if more does than for what was found.
fn better(days: &[When], schedules: Vec<(i64, Schedule)>, found: Fit) -> Fit {
    if schedules.is_empty() {
        return found;
    }
    fit::best_of(days, schedules, LEAST, found.evidence + 1).unwrap_or(found)
}

/// Whether two in five payments at least are of each half of the month: pay by the month with a few others beside it is
/// not pay twice a month.
fn has_both(days: &[When], fit: Fit) -> bool {
    let mut halves = [0_i64; 2];
    for when in days {
        let (cycle, off) = fit.schedule.nearest(*when);
        if lateness(when.day - off, off) <= fit.reach && (fit.first..=fit.last).contains(&cycle) {
            halves[cycle.rem_euclid(2) as usize] += 1;
        }
    }
    let [first, second] = halves;
    first.min(second) * 5 >= 2 * (first + second)
}
