//! Days as generated people live them: weekends, public holidays and pay days that move because of them. Knows no clock: every date comes
//! from the caller.

use crate::words::date::Day;

/// A day number, days since 1970-01-01.
pub(crate) type Number = i32;

/// The day number of a date; the last day of the month where the month is too short for it.
pub(crate) fn number(year: i32, month: u32, day: u32) -> Number {
    (1..=day.min(31)).rev().find_map(|day| Day::from_ymd(year, month, day)).map_or(0, |found| found.days())
}

/// Year, month and day of a day number.
pub(crate) fn civil(number: Number) -> (i32, u32, u32) {
    // The proleptic Gregorian calendar in eras of 400 years, each beginning on 1 March.
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
pub(crate) fn month_index(number: Number) -> i32 {
    let (year, month, _) = civil(number);
    year * 12 + month as i32 - 1
}

/// The day `day` of a month given by its index, or its last day where it is shorter.
pub(crate) fn in_month(index: i32, day: u32) -> Number {
    number(index.div_euclid(12), index.rem_euclid(12) as u32 + 1, day)
}

/// 1 for Monday to 7 for Sunday.
pub(crate) fn weekday(number: Number) -> u32 {
    (number + 3).rem_euclid(7) as u32 + 1
}

/// The public holidays of Nigeria that fall on the same date every year.
const HOLIDAYS: [(u32, u32); 7] = [(1, 1), (5, 1), (6, 12), (10, 1), (12, 25), (12, 26), (1, 2)];

/// Whether banks are closed.
pub(crate) fn closed(number: Number) -> bool {
    let (_, month, day) = civil(number);
    weekday(number) > 5 || HOLIDAYS.contains(&(month, day))
}

/// The nearest day on which banks work, going back or forward.
pub(crate) fn working(number: Number, forward: bool) -> Number {
    let step = if forward { 1 } else { -1 };
    (0..10).map(|away| number + away * step).find(|day| !closed(*day)).unwrap_or(number)
}

/// `SEPTEMBER` of a day.
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
