//! Days and moments as text: what was written is read back, for every form of a date and every zone.

use chrono::{Datelike, TimeZone, Timelike};
use lendwright::base::date::{Day, Zone};
use lendwright::statement::{DateConflict, Reading};
use proptest::prelude::*;
use proptest::sample::select;

use crate::fixtures::zones::{local_time, zone_names};
use crate::statement::{days, lagos, numbers, read_with};

/// How a source writes a moment.
#[derive(Clone, Copy, Debug)]
enum Offset {
    /// `Z`
    Utc,
    /// `+01:00`, `+0100`, `+01`
    Minutes(i32, usize),
    /// Wall-clock time, with nothing behind it.
    None,
}

fn offsets() -> impl Strategy<Value = Offset> {
    prop_oneof![
        Just(Offset::Utc),
        (-12 * 4..=14 * 4_i32, 0..3_usize).prop_map(|(quarters, form)| Offset::Minutes(
            if form == 2 { quarters / 4 * 60 } else { quarters * 15 },
            form
        )),
        Just(Offset::None),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn two_forms_of_a_date_make_one_day_or_a_conflict(
        seconds in 0_i64..4_000_000_000, zone in select(zone_names()), offset in offsets(),
        fraction in "[0-9]{0,9}", separator in prop_oneof![Just('T'), Just(' ')],
        bank in 0..4_usize, away in 2_u64..400,
    ) {
        let utc = chrono::Utc.timestamp_opt(seconds, 0).single().unwrap();
        let in_zone = local_time(zone, seconds);
        let (written, suffix) = match offset {
            Offset::Utc => (utc.naive_utc(), "Z".to_string()),
            Offset::None => (in_zone, String::new()),
            Offset::Minutes(minutes, form) => {
                let (sign, size) = (if minutes < 0 { '-' } else { '+' }, minutes.abs());
                let suffix = match form {
                    0 => format!("{sign}{:02}:{:02}", size / 60, size % 60),
                    1 => format!("{sign}{:02}{:02}", size / 60, size % 60),
                    _ => format!("{sign}{:02}", size / 60),
                };
                (utc.naive_utc() + chrono::Duration::minutes(i64::from(minutes)), suffix)
            }
        };
        let fraction = if fraction.is_empty() { fraction } else { format!(".{fraction}") };
        let iso = format!("{}{separator}{}{fraction}{suffix}", written.format("%Y-%m-%d"), written.format("%H:%M:%S"));
        let (local, written_day) = (in_zone.date(), written.date());
        let other = local.max(written_day) + chrono::Days::new(away);
        let given = [None, Some(local), Some(written_day), Some(other)][bank];
        let unformatted = given
            .map_or(String::new(), |day| format!(r#","unformatted_trans_date":"{}""#, day.format("%d-%m-%Y")));
        let record = format!(r#"{{"id":"a","credit":1,"trans_date":"{iso}"{unformatted}}}"#);
        let second = |time: chrono::NaiveDateTime| i64::from(time.num_seconds_from_midnight());
        for rule in [DateConflict::Error, DateConflict::PreferIso, DateConflict::PreferUnformatted] {
            // The day, its order, whether it was repaired and whether the rule chose.
            let wanted = match given {
                None => Some((local, second(in_zone), 0, 0)),
                Some(day) if day == local => Some((local, second(in_zone), u64::from(written_day != local), 0)),
                Some(day) if day == written_day => Some((day, second(written), 0, 0)),
                Some(day) => match rule {
                    DateConflict::Error => None,
                    DateConflict::PreferIso => Some((local, second(in_zone), 0, 1)),
                    DateConflict::PreferUnformatted => Some((day, 0, 0, 1)),
                },
            };
            let reading = Reading { zone: Zone::parse(zone).unwrap(), date_conflict: rule, ..lagos() };
            let found = read_with(&reading, &record).ok().map(|read| {
                let quality = &read.heads()[0].quality;
                let day = days(&read, "trans_date").remove(0).unwrap();
                (day, numbers(&read, "order")[0].unwrap(), quality.date_repaired, quality.date_conflicts)
            });
            let wanted =
                wanted.map(|(day, order, repaired, conflict)| (day.to_string(), order, repaired, conflict));
            prop_assert_eq!(found, wanted, "{} {:?} {:?}", record, zone, rule);
        }
    }

    #[test]
    fn a_day_is_the_same_in_both_forms_and_out_of_range_is_none(
        year in 1_i32..=9_999, month in 0_u32..=13, day in 0_u32..=32,
    ) {
        let date = chrono::NaiveDate::from_ymd_opt(year, month, day);
        let wanted = date.filter(|date| (1900..=2200).contains(&date.year()));
        let iso = Day::parse_iso(&format!("{year:04}-{month:02}-{day:02}"));
        prop_assert_eq!(iso, Day::parse_day_first(&format!("{day:02}-{month:02}-{year:04}")));
        prop_assert_eq!(iso.map(|day| day.to_string()), wanted.map(|date| date.to_string()));
        prop_assert_eq!(iso.map(Day::weekday), wanted.map(|date| date.weekday().number_from_monday()));
    }
}

/// What governments have changed since July 2025.
#[test]
fn zones_are_of_a_database_that_is_kept() {
    for (zone, moment, local) in [
        // Morocco went to UTC, and these parts of Canada keep summer time.
        ("Africa/Casablanca", "2026-11-30T23:30:00Z", "2026-11-30"),
        ("America/Vancouver", "2026-12-01T07:30:00Z", "2026-12-01"),
        ("America/Edmonton", "2026-12-01T06:30:00Z", "2026-12-01"),
        ("America/Winnipeg", "2026-12-01T05:30:00Z", "2026-12-01"),
        ("Africa/Lagos", "2026-11-30T23:30:00Z", "2026-12-01"),
    ] {
        let seconds = chrono::DateTime::parse_from_rfc3339(moment).unwrap().timestamp();
        assert_eq!(Zone::parse(zone).unwrap().local_day(seconds).to_string(), local, "{zone}");
    }
    assert!(Zone::parse("Factory").is_none() && Zone::parse("africa/lagos").is_none());
}
