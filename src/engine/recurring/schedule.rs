//! The schedule of a stream: a period and a phase, which give the due day of every cycle. Knows the calendar.

use std::ops::Range;

use crate::base::date::Day;
use crate::engine::recurring::stream::Period;

/// A period, and the phase at which payments are due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Schedule {
    pub(super) period: Period,
    /// Weekly, fortnightly and four-weekly: the day modulo 7, 14 or 28. Monthly: the day of the month from 1 to 31,
    /// where 31 is the last day of any month.
    /// Quarterly: 32 times the month within the quarter, plus the day of that month. Semimonthly: 32 times the first
    /// day, plus the second; a cycle is half a month.
    phase: i32,
}

/// A day and the months around it, computed once for the many schedules that are tried on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct When {
    pub(super) day: i32,
    /// Months since year 0.
    month: i32,
    /// The quarter, and the month within it from 0.
    quarter: (i32, i32),
    day_of_month: i32,
    /// The lengths of the previous, the current and the next month.
    lengths: [i32; 3],
}

impl When {
    pub(super) fn new(day: i32) -> Self {
        let (year, month, day_of_month) = Day::from_days(day).ymd();
        let month = year * 12 + month as i32 - 1;
        let lengths = [-1, 0, 1].map(|step| month_length(month + step));
        let quarter = (month.div_euclid(3), month.rem_euclid(3));
        Self { day, month, quarter, day_of_month: day_of_month as i32, lengths }
    }

    /// The cycle of this day.
    pub(super) fn cycle(self, period: Period) -> i32 {
        match period {
            Period::Weekly => self.day.div_euclid(7),
            Period::Fortnightly => self.day.div_euclid(14),
            Period::FourWeekly => self.day.div_euclid(28),
            // The half depends on the two days.
            Period::Semimonthly => self.month * 2,
            Period::Monthly => self.month,
            Period::Quarterly => self.quarter.0,
        }
    }

    /// The most days before and after this one on which a payment of this day may have been due, with a
    /// [`days_early_or_late`] of
    /// at most `late`. Only a Monday is forgiven the weekend before it, and only a Friday the one after.
    pub(super) fn forgiven(self, late: i32) -> (i32, i32) {
        if late >= WEEKEND_DAYS_MAX {
            return (late, late);
        }
        match (self.day + 3).rem_euclid(7) {
            0 => (WEEKEND_DAYS_MAX, late),
            4 => (late, WEEKEND_DAYS_MAX),
            _ => (late, late),
        }
    }

    /// Calls `take` with the cycle and the phases, as places from 0, that are due in a range of days relative to this
    /// one.
    #[inline]
    pub(super) fn due(self, period: Period, days: (i32, i32), mut take: impl FnMut(i32, Range<usize>)) {
        let (cycle, of_month) = (self.cycle(period), self.day_of_month - 1);
        // A day that a month does not have means its last.
        let in_month = |step: i32, days: Range<usize>| {
            let is_to_end = days.end == self.lengths[(step + 1) as usize] as usize;
            days.start..if is_to_end { 31 } else { days.end }
        };
        match period {
            Period::Weekly => {
                split_by_round(self.day - cycle * 7, [7; 3], days, |step, phases| take(cycle + step, phases))
            }
            Period::Fortnightly => {
                split_by_round(self.day - cycle * 14, [14; 3], days, |step, phases| take(cycle + step, phases));
            }
            Period::FourWeekly => {
                split_by_round(self.day - cycle * 28, [28; 3], days, |step, phases| take(cycle + step, phases));
            }
            // There are too many pairs of days. Each day is examined by itself, as a monthly one.
            Period::Semimonthly => {}
            Period::Monthly => {
                split_by_round(of_month, self.lengths, days, |step, days| take(cycle + step, in_month(step, days)));
            }
            Period::Quarterly => split_by_round(of_month, self.lengths, days, |step, days| {
                let (cycle, first) = match self.quarter.1 + step {
                    -1 => (cycle - 1, 62),
                    3 => (cycle + 1, 0),
                    month => (cycle, 31 * month as usize),
                };
                let phases = in_month(step, days);
                take(cycle, first + phases.start..first + phases.end);
            }),
        }
    }
}

/// Splits a range of days around a place into places of the previous (-1), the current (0) and the next (1) round,
/// given their lengths.
#[inline]
fn split_by_round(place: i32, lengths: [i32; 3], (from, to): (i32, i32), mut take: impl FnMut(i32, Range<usize>)) {
    let [before, this, _] = lengths;
    let (from, until) = (place + from, place + to + 1);
    if from < 0 {
        take(-1, (before + from).max(0) as usize..before as usize);
    }
    if from < this {
        take(0, from.max(0) as usize..until.min(this) as usize);
    }
    if until > this {
        take(1, (from - this).max(0) as usize..(until - this) as usize);
    }
}

/// The days of a month, by months since year 0.
fn month_length(month: i32) -> i32 {
    let year = month.div_euclid(12);
    match month.rem_euclid(12) + 1 {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// The first day of a month, by months since year 0.
fn month_start(month: i32) -> i32 {
    // Years begin in March, so that the leap day is their last.
    let shifted = month - 2;
    let year = shifted.div_euclid(12);
    let from_march = shifted.rem_euclid(12);
    let leaps = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leaps + (153 * from_march + 2) / 5 - 719_468
}

impl Schedule {
    /// The schedule with a phase, given by its place among the period's phases, from 0.
    pub(super) fn at(period: Period, place: i32) -> Self {
        let phase = match period {
            Period::Weekly | Period::Fortnightly | Period::FourWeekly | Period::Semimonthly => place,
            Period::Monthly => place + 1,
            Period::Quarterly => place / 31 * 32 + place % 31 + 1,
        };
        Self { period, phase }
    }

    /// The schedule on two days of the month, the earlier one first.
    pub(super) fn twice(first: i32, second: i32) -> Self {
        Self::at(Period::Semimonthly, first * 32 + second)
    }

    /// The day on which a cycle is due.
    pub(super) fn due(self, cycle: i32) -> i32 {
        match self.period {
            Period::Weekly => cycle * 7 + self.phase,
            Period::Fortnightly => cycle * 14 + self.phase,
            Period::FourWeekly => cycle * 28 + self.phase,
            Period::Semimonthly => due_in(cycle.div_euclid(2), self.day_of_half(cycle.rem_euclid(2))),
            Period::Monthly => due_in(cycle, self.phase),
            Period::Quarterly => due_in(cycle * 3 + self.phase / 32, self.phase % 32),
        }
    }

    /// The day of the month of the first half (0) or the second (1).
    fn day_of_half(self, half: i32) -> i32 {
        if half == 0 { self.phase / 32 } else { self.phase % 32 }
    }

    /// The cycle whose due day is nearest, and the days since then. Of two as near, the earlier one.
    pub(super) fn nearest(self, when: When) -> (i32, i32) {
        match self.period {
            Period::Weekly => nearest_of(when.day - self.phase, 7),
            Period::Fortnightly => nearest_of(when.day - self.phase, 14),
            Period::FourWeekly => nearest_of(when.day - self.phase, 28),
            Period::Semimonthly => {
                let halves = [(0, 0), (0, 1), (1, 0)];
                let nearer = |best: (i32, i32), (step, half): (i32, i32)| {
                    let found = (2 * (when.month + step) + half, off(when, step, self.day_of_half(half)));
                    if found.1.abs() < best.1.abs() { found } else { best }
                };
                halves.into_iter().fold((2 * when.month - 1, off(when, -1, self.day_of_half(1))), nearer)
            }
            Period::Monthly => {
                // The due day of the month on the other side is further away than this month's.
                let this = off(when, 0, self.phase);
                let (step, other) =
                    if this > 0 { (1, off(when, 1, self.phase)) } else { (-1, off(when, -1, self.phase)) };
                match (other.abs(), step) < (this.abs(), 0) {
                    true => (when.month + step, other),
                    false => (when.month, this),
                }
            }
            Period::Quarterly => {
                // Exactly one of three consecutive months is the due month of its quarter.
                let (quarter, place) = when.quarter;
                let ahead = self.phase / 32 - place;
                let (step, cycle) = match ahead {
                    2 => (-1, quarter - 1),
                    -2 => (1, quarter + 1),
                    step => (step, quarter),
                };
                (cycle, off(when, step, self.phase % 32))
            }
        }
    }
}

fn nearest_of(day: i32, period: i32) -> (i32, i32) {
    let cycle = (day + (period - 1) / 2).div_euclid(period);
    (cycle, day - cycle * period)
}

fn due_in(month: i32, day: i32) -> i32 {
    let start = month_start(month);
    start + day.min(month_length(month)) - 1
}

/// Days since the due day of the previous (-1), the current (0) or the next (1) month.
fn off(when: When, step: i32, day: i32) -> i32 {
    let [before, this, next] = when.lengths;
    match step {
        -1 => when.day_of_month + before - day.min(before),
        0 => when.day_of_month - day.min(this),
        _ => when.day_of_month - this - day.min(next),
    }
}

/// Most days that a weekend may move a payment.
pub(super) const WEEKEND_DAYS_MAX: i32 = 2;

/// Days that a payment was early or late. 0 if it was due on a Saturday or Sunday and came on the working day before or
/// after.
pub(super) fn days_early_or_late(due: i32, off: i32) -> u32 {
    if !(1..=WEEKEND_DAYS_MAX as u32).contains(&off.unsigned_abs()) {
        return off.unsigned_abs();
    }
    let weekday = (due + 3).rem_euclid(7); // 0 is Monday
    let forgiven = match weekday {
        5 => off == -1 || off == 2,
        6 => off == -2 || off == 1,
        _ => false,
    };
    if forgiven { 0 } else { off.unsigned_abs() }
}
