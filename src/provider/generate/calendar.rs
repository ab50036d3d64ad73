//! Calendar arithmetic for generated statements: weekends, public holidays, and working days.

use crate::base::date::Day;

/// Days since 1970-01-01.
pub(crate) type DayNumber = i32;

/// The day number of a date. A day beyond the end of the month becomes the month's last day.
pub(crate) fn day_number(year: i32, month: u32, day: u32) -> DayNumber {
    (1..=day.min(31)).rev().find_map(|day| Day::from_ymd(year, month, day)).map_or(0, |found| found.days())
}

/// Year, month and day of a day number.
pub(crate) fn year_month_day(number: DayNumber) -> (i32, u32, u32) {
    // The proleptic Gregorian calendar, in eras of 400 years that begin on 1 March.
    let shifted = number + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = (day_of_year - (153 * march_month + 2) / 5 + 1) as u32;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    (year_of_era + era * 400 + i32::from(month <= 2), month as u32, day)
}

/// Months since the year 0.
pub(crate) fn month_index(number: DayNumber) -> i32 {
    let (year, month, _) = year_month_day(number);
    year * 12 + month as i32 - 1
}

/// Day `day` of a month given by its index, or the last day of a shorter month.
pub(crate) fn in_month(index: i32, day: u32) -> DayNumber {
    day_number(index.div_euclid(12), index.rem_euclid(12) as u32 + 1, day)
}

/// 1 for Monday to 7 for Sunday.
pub(crate) fn iso_weekday_number(number: DayNumber) -> u32 {
    (number + 3).rem_euclid(7) as u32 + 1
}

/// Whether banks are closed, by the holidays of their market.
fn is_closed(number: DayNumber, holidays: &[(u32, u32)]) -> bool {
    let (_, month, day) = year_month_day(number);
    iso_weekday_number(number) > 5 || holidays.contains(&(month, day))
}

/// The nearest day on which banks are open, searching back or forward.
pub(crate) fn working_day(number: DayNumber, forward: bool, holidays: &[(u32, u32)]) -> DayNumber {
    let step = if forward { 1 } else { -1 };
    (0..10).map(|away| number + away * step).find(|day| !is_closed(*day, holidays)).unwrap_or(number)
}

/// The name of a month given by its index, such as `SEPTEMBER`.
pub(crate) fn month_name(index: i32) -> &'static str {
    const NAMES: [&str; 12] = [
        "JANUARY",
        "FEBRUARY",
        "MARCH",
        "APRIL",
        "MAY",
        "JUNE",
        "JULY",
        "AUGUST",
        "SEPTEMBER",
        "OCTOBER",
        "NOVEMBER",
        "DECEMBER",
    ];
    NAMES[index.rem_euclid(12) as usize]
}
