//! The calendar, counted day by day, and dates from 1900 to 2200.

use super::evaluate::{Known, Why};
use super::model::Value;
use super::numbers::whole;

/// A day from 1900 to 2200.
pub fn date(days: i128) -> Known<Value> {
    let (first, last) = (days_of(1900, 1, 1), days_of(2200, 12, 31));
    if days < i128::from(first) || days > i128::from(last) {
        return Err(Why::Said("overflow"));
    }
    whole(days)
}

pub fn add_months(day: i64, months: i64) -> Known<Value> {
    let (year, month, of_month) = civil(day);
    let index = i128::from(year) * 12 + i128::from(month) - 1 + i128::from(months);
    let (year, month) = (index.div_euclid(12), index.rem_euclid(12) as u32 + 1);
    if !(1900..=2200).contains(&year) {
        return Err(Why::Said("overflow"));
    }
    let year = year as i32;
    let next = if month == 12 { days_of(year + 1, 1, 1) } else { days_of(year, month + 1, 1) };
    date(i128::from((days_of(year, month, 1) + i64::from(of_month) - 1).min(next - 1)))
}

/// Year, month and day, counted month by month from 1970.
pub fn civil(days: i64) -> (i32, u32, u32) {
    let (mut year, mut left) = (1970, days);
    while left < 0 {
        year -= 1;
        left += length_of_year(year);
    }
    while left >= length_of_year(year) {
        left -= length_of_year(year);
        year += 1;
    }
    let mut month = 1;
    while left >= length_of_month(year, month) {
        left -= length_of_month(year, month);
        month += 1;
    }
    (year, month, left as u32 + 1)
}

/// Days since 1970-01-01.
pub fn days_of(year: i32, month: u32, day: u32) -> i64 {
    let years: i64 = match year >= 1970 {
        true => (1970..year).map(length_of_year).sum(),
        false => -(year..1970).map(length_of_year).sum::<i64>(),
    };
    years + (1..month).map(|month| length_of_month(year, month)).sum::<i64>() + i64::from(day) - 1
}

fn is_leap(year: i32) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn length_of_year(year: i32) -> i64 {
    if is_leap(year) { 366 } else { 365 }
}

fn length_of_month(year: i32, month: u32) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}
