//! The reference's calendar: days counted from 1970-01-01, one by one.

/// A calendar month: year * 12 + month - 1.
pub(super) type Month = i64;

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Counted year by year and month by month from 1970.
pub(super) fn first_day(month: Month) -> i64 {
    let (year, of_year) = (month.div_euclid(12), month.rem_euclid(12));
    let length = |year: i64| if is_leap(year) { 366 } else { 365 };
    let years: i64 = if year >= 1970 { (1970..year).map(length).sum() } else { -(year..1970).map(length).sum::<i64>() };
    let february = if is_leap(year) { 29 } else { 28 };
    let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    years + lengths[..of_year as usize].iter().sum::<i64>()
}

pub(super) fn month_of(day: i64) -> Month {
    let mut month = (1970 + day.div_euclid(366)) * 12;
    while first_day(month + 1) <= day {
        month += 1;
    }
    while first_day(month) > day {
        month -= 1;
    }
    month
}

/// The Monday of a day's week. 1970-01-01 was a Thursday.
pub(super) fn monday_of(day: i64) -> i64 {
    day - (day + 3).rem_euclid(7)
}
