//! Tests of semimonthly and four-weekly streams, and of fortnightly and monthly ones that must stay so. The days follow
//! a rule, with payments missing, moved by weekends, or days off.

use crate::base::date::Day;
use crate::engine::recurring::find_recurring_streams;
use crate::engine::recurring::stream::{Period, Stream, StreamEntry, TOLERANCE};

/// An invalid day becomes a day of 1970, which fails every case.
fn day(text: &str) -> i32 {
    Day::parse_iso(text).map_or(0, Day::days)
}

/// A day of a month, counted from September 2025. Day 31 is the last.
fn in_month(month: i32, day: u32) -> i32 {
    let from_january = month + 8;
    let (year, month) = (2025 + from_january / 12, (from_january % 12) as u32 + 1);
    (0..4).find_map(|less| Day::from_ymd(year, month, day - less)).map_or(0, Day::days)
}

/// The working day before, where a day is a Saturday or a Sunday; 1970-01-01 was a Thursday.
fn working(day: i32) -> i32 {
    day - ((day + 3).rem_euclid(7) - 4).max(0)
}

/// Two days of each month.
fn twice(months: i32, (first, second): (u32, u32)) -> Vec<i32> {
    (0..months).flat_map(|month| [in_month(month, first), in_month(month, second)]).collect()
}

fn monthly(months: i32, day: u32) -> Vec<i32> {
    (0..months).map(|month| in_month(month, day)).collect()
}

/// Days at equal distance, from a Friday.
fn every(days: i32, times: i32) -> Vec<i32> {
    (0..times).map(|time| day("2025-09-05") + days * time).collect()
}

fn shifted(days: Vec<i32>) -> Vec<i32> {
    days.into_iter().map(working).collect()
}

fn without(mut days: Vec<i32>, at: usize) -> Vec<i32> {
    days.remove(at);
    days
}

/// Moves days by up to `most` days.
fn off(days: Vec<i32>, most: i32) -> Vec<i32> {
    let by = |at: i32| at * 2 % (2 * most + 1) - most;
    days.into_iter().zip(0..).map(|(day, at)| day + by(at)).collect()
}

const AMOUNT: i64 = 20_000_000;

fn entries(days: &[i32], is_credit: bool) -> Vec<StreamEntry> {
    days.iter().map(|day| StreamEntry { day: *day, amount: AMOUNT, is_credit, key: 0 }).collect()
}

/// Gifts of many amounts and people among the payments, as statements have them.
fn among_others(mut payments: Vec<StreamEntry>) -> Vec<StreamEntry> {
    let last = payments.last().map_or(0, |entry| entry.day);
    let first = payments.first().map_or(0, |entry| entry.day);
    let gift = |at: i32| {
        let amount = 300_000 + i64::from(at) * 791_111 % 1_900_000;
        StreamEntry { day: first + at * at * 5 % (last - first), amount, is_credit: true, key: 1 + (at % 4) as u32 }
    };
    payments.extend((0..30).map(gift));
    payments.sort_by_key(|entry| entry.day);
    payments
}

fn found(entries: &[StreamEntry], as_of: i32) -> Vec<Stream> {
    find_recurring_streams(entries, &["acme mills", "bola ade", "chi oke", "dan udo", "eze obi"], as_of, TOLERANCE)
}

fn describe(found: &[Stream]) -> String {
    let describe = |stream: &Stream| {
        let next = Day::from_days(stream.next);
        let month = stream.month_amount.unwrap_or_default();
        format!("{} {} of {month}, next {next}, missed {}", stream.period.name(), stream.rows.len(), stream.missed)
    };
    found.iter().map(describe).collect::<Vec<String>>().join("; ")
}

/// A name, the days, as of which day, and what must be found: the period, the records, the next day, cycles missed.
type Case = (&'static str, Vec<i32>, &'static str, (Period, usize, &'static str, i64));

fn twice_a_month() -> Vec<Case> {
    let is = |records, next, missed| (Period::Semimonthly, records, next, missed);
    vec![
        ("15th and last working day", shifted(twice(12, (15, 31))), "2026-08-31", is(24, "2026-09-15", 0)),
        ("15th and last day, half a year", twice(6, (15, 31)), "2026-02-28", is(12, "2026-03-15", 0)),
        ("15th and last day, three months", twice(3, (15, 31)), "2025-12-01", is(6, "2025-12-15", 0)),
        ("1st and 15th, a year", twice(12, (1, 15)), "2026-08-20", is(24, "2026-09-01", 0)),
        ("1st and 15th, weekends, half a year", shifted(twice(6, (1, 15))), "2026-02-20", is(12, "2026-03-01", 0)),
        ("1st and 15th, up to a day off", off(twice(12, (1, 15)), 1), "2026-08-20", is(24, "2026-09-01", 0)),
        ("5th and 20th, a year", twice(12, (5, 20)), "2026-08-20", is(24, "2026-09-05", 0)),
        ("weekends, one missing", without(shifted(twice(12, (5, 20))), 9), "2026-08-25", is(23, "2026-09-05", 0)),
        ("half a year, one missing", without(twice(6, (5, 20)), 4), "2026-02-22", is(11, "2026-03-05", 0)),
        ("the last one missing", without(twice(8, (10, 25)), 15), "2026-05-02", is(15, "2026-05-10", 1)),
    ]
}

fn fortnights_and_months() -> Vec<Case> {
    let fortnightly = |records, next| (Period::Fortnightly, records, next, 0);
    let monthly_of = |records, next| (Period::Monthly, records, next, 0);
    vec![
        ("a fortnight", every(14, 26), "2026-08-25", fortnightly(26, "2026-09-04")),
        ("a fortnight, one missing", without(every(14, 13), 5), "2026-02-25", fortnightly(12, "2026-03-06")),
        ("a fortnight, two days off", off(every(14, 26), 2), "2026-08-25", fortnightly(26, "2026-09-04")),
        ("28th, a year", monthly(12, 28), "2026-08-30", monthly_of(12, "2026-09-28")),
        ("28th, weekends", shifted(monthly(6, 28)), "2026-03-02", monthly_of(6, "2026-03-28")),
        ("25th, three months", monthly(3, 25), "2025-11-30", monthly_of(3, "2025-12-25")),
        ("last day, a year", monthly(12, 31), "2026-08-31", monthly_of(12, "2026-09-30")),
        ("25th, two days off", off(monthly(12, 25), 2), "2026-08-30", monthly_of(12, "2026-09-25")),
    ]
}

fn four_weeks() -> Vec<Case> {
    let is = |records, next, missed| (Period::FourWeekly, records, next, missed);
    vec![
        ("four weeks, a year", every(28, 13), "2026-08-27", is(13, "2026-09-04", 0)),
        ("four weeks, half a year", every(28, 6), "2026-01-27", is(6, "2026-02-20", 0)),
        ("four weeks, one missed", without(every(28, 13), 6), "2026-08-27", is(12, "2026-09-04", 0)),
        ("half a year, one missed", without(every(28, 7), 3), "2026-02-27", is(6, "2026-03-20", 0)),
        ("two days off", off(every(28, 13), 2), "2026-08-27", is(13, "2026-09-04", 0)),
        ("the last two missed", every(28, 11), "2026-08-27", is(11, "2026-09-04", 2)),
    ]
}

/// What a month brings of [`AMOUNT`].
fn of_month(period: Period) -> i64 {
    match period {
        Period::Weekly => 86_964_286,
        Period::Fortnightly => 43_482_143,
        Period::Semimonthly => 40_000_000,
        Period::FourWeekly => 21_666_667,
        Period::Monthly => AMOUNT,
        Period::Quarterly => 6_666_667,
    }
}

#[test]
fn semimonthly_and_four_weekly_days_are_distinguished_from_fortnights_and_months() {
    let mut wrong = Vec::new();
    for (name, days, as_of, (period, records, next, missed)) in
        [twice_a_month(), fortnights_and_months(), four_weeks()].concat()
    {
        let month = of_month(period);
        let expected = format!("{} {records} of {month}, next {next}, missed {missed}", period.name());
        let mut of = |how: &str, entries: Vec<StreamEntry>| {
            let mut found = found(&entries, day(as_of));
            found.retain(|stream| stream.amount == AMOUNT);
            if describe(&found) != expected {
                wrong.push(format!("{name}, {how}\nexpected {expected}\nfound    {}", describe(&found)));
            }
        };
        of("in", entries(&days, true));
        of("out", entries(&days, false));
        of("among others", among_others(entries(&days, true)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Halves of 60 and 40 are two monthly streams, for their amounts are not alike; halves of 52 and 48 are one stream,
/// and a month brings both.
#[test]
fn halves_need_not_be_equal() {
    let halves = |first: i64, second: i64| {
        let mut halves = entries(&shifted(twice(12, (15, 31))), true);
        halves.iter_mut().zip(0..).for_each(|(entry, at)| entry.amount = if at % 2 == 0 { first } else { second });
        describe(&found(&halves, day("2026-08-31")))
    };
    assert_eq!(
        halves(12_000_000, 8_000_000),
        "monthly 12 of 12000000, next 2026-09-15, missed 0; monthly 12 of 8000000, next 2026-09-30, missed 0"
    );
    assert_eq!(halves(10_400_000, 9_600_000), "semimonthly 24 of 20000000, next 2026-09-15, missed 0");
}

#[test]
fn raises_and_late_pay_are_followed_every_four_weeks() {
    let mut pay = entries(&every(28, 13), true);
    pay.iter_mut().skip(8).for_each(|entry| entry.amount = AMOUNT / 10 * 12);
    assert_eq!(describe(&found(&pay, day("2026-08-27"))), "four_weekly 13 of 26000000, next 2026-09-04, missed 0");
    let mut late = entries(&every(28, 13), true);
    late[5].day += 9;
    assert_eq!(describe(&found(&late, day("2026-08-27"))), "four_weekly 13 of 21666667, next 2026-09-04, missed 0");
}

#[test]
fn amounts_too_large_for_a_month_are_unknown() {
    let mut entries = entries(&twice(6, (15, 31)), true);
    entries.iter_mut().for_each(|entry| entry.amount = i64::MAX - 1);
    let found = found(&entries, day("2026-02-28"));
    assert_eq!((found.len(), found[0].period, found[0].month_amount), (1, Period::Semimonthly, None));
}
