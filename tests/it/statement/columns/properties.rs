//! What holds for any input: order, money, dates.

use chrono::TimeZone;
use lendwright::base::date::{Day, Zone};
use lendwright::base::money::{AmountUnit, parse_amount};
use lendwright::statement::DateConflict;
use proptest::prelude::*;
use proptest::sample::select;

use crate::fixtures::zones::{local_time, zone_names};
use crate::statement::*;

fn any_record() -> impl Strategy<Value = String> {
    let amount = (1_i64..100_000, any::<bool>(), proptest::option::of(-50_i64..50));
    let parts = (0_u32..40, 0_i32..6, amount, "[a-c ]{0,3}", any::<bool>());
    parts.prop_map(|(id, day, (minor, credit, balance), desc, unknown)| {
        // The content follows from the id, so that a repeated id is a copy.
        let copied = (id as i32 % 6, i64::from(id) * 7 + 1, id % 2 == 0);
        let (day, minor, credit) = if id < 8 { copied } else { (day, minor, credit) };
        let (desc, balance, unknown) = if id < 8 { ("same".to_owned(), None, false) } else { (desc, balance, unknown) };
        let id = if id < 8 { format!("copy{id}") } else { format!("{id}-{day}-{minor}-{credit}-{desc}-{balance:?}") };
        let side = if credit { "credit" } else { "debit" };
        let balance = balance.map(|balance| format!(r#","balance":{balance}"#)).unwrap_or_default();
        let unknown = if unknown { r#","odd":1"# } else { "" };
        let date = Day::from_days(19_800 + day);
        let amount = format!(r#""{side}":{}.{:02}{balance}"#, minor / 100, minor % 100);
        let notes = format!(r#""notes":{{"desc":"{desc}"}}{unknown}"#);
        format!(r#"{{"id":"{id}","trans_date":"{date}T22:30:00Z",{amount},{notes}}}"#)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_permutation_of_the_records_changes_nothing(
        (records, shuffled) in proptest::collection::vec(any_record(), 0..40)
            .prop_flat_map(|records| (Just(records.clone()), Just(records).prop_shuffle()))
    ) {
        match (read(&records.join(",")), read(&shuffled.join(","))) {
            (Ok(one), Ok(other)) => {
                prop_assert_eq!((one.heads(), digests(&one)), (other.heads(), digests(&other)));
                prop_assert!(one.frame().equals_missing(other.frame()));
            }
            (one, other) => prop_assert_eq!(one.is_err(), other.is_err()),
        }
    }

    #[test]
    fn money_text_goes_there_and_back(minor in -i64::MAX..=i64::MAX, exponent in 0_u32..=4, zeros in 0_usize..30) {
        let scale = 10_u64.pow(exponent);
        let sign = if minor < 0 { "-" } else { "" };
        let (whole, fraction) = (minor.unsigned_abs() / scale, minor.unsigned_abs() % scale);
        let zeros = "0".repeat(zeros);
        let width = exponent as usize;
        let plain = match width {
            0 => format!("{sign}{whole}"),
            _ => format!("{sign}{whole}.{fraction:0width$}{zeros}"),
        };
        prop_assert_eq!(parse_amount(plain.as_bytes(), AmountUnit::Major, exponent), Ok(minor), "{}", plain);
        let shifted = format!("{minor}e-{exponent}");
        prop_assert_eq!(parse_amount(shifted.as_bytes(), AmountUnit::Major, exponent), Ok(minor), "{}", shifted);
        let more = format!("{sign}{whole}.{fraction:0width$}1", width = width);
        let more = if width == 0 { format!("{sign}{whole}.1") } else { more };
        prop_assert!(parse_amount(more.as_bytes(), AmountUnit::Major, exponent).is_err(), "{}", more);
        prop_assert_eq!(parse_amount(minor.to_string().as_bytes(), AmountUnit::Minor, exponent), Ok(minor));
    }

    #[test]
    fn text_that_is_no_number_is_no_amount(text in "[0-9.,eE+ -]{0,8}") {
        // Every accepted text is also a number to other readers, apart from leading zeros.
        if let Ok(minor) = parse_amount(text.as_bytes(), AmountUnit::Major, 2) {
            let float: f64 = text.parse().expect("a number");
            prop_assert!((float * 100.0 - minor as f64).abs() <= 0.01 * (1.0 + float.abs()), "{}", text);
        }
    }

    #[test]
    fn days_agree_with_another_calendar_in_every_zone(
        seconds in -2_000_000_000_i64..7_000_000_000, zone in select(zone_names()),
    ) {
        let local = local_time(zone, seconds);
        let zone = Zone::parse(zone).expect("a zone");
        prop_assert_eq!(zone.local_day(seconds).to_string(), local.date().to_string());
    }

    #[test]
    fn both_forms_of_one_local_day_are_never_a_conflict(
        seconds in 0_i64..4_000_000_000, zone in select(zone_names()),
    ) {
        let utc = chrono::Utc.timestamp_opt(seconds, 0).single().expect("a moment");
        let local = local_time(zone, seconds).date();
        let iso = utc.format("%Y-%m-%dT%H:%M:%S.000Z");
        let body = |bank: String| {
            format!(r#"{{"id":"a","credit":1,"trans_date":"{iso}","unformatted_trans_date":"{bank}"}}"#)
        };
        let reading = Reading { zone: Zone::parse(zone).expect("a zone"), ..lagos() };
        let read = read_with(&reading, &body(local.format("%d-%m-%Y").to_string())).expect("a statement");
        prop_assert_eq!(days(&read, "trans_date"), [Some(local.to_string())]);
        prop_assert_eq!(read.heads()[0].quality.date_repaired, u64::from(local != utc.date_naive()));
        // A day beyond both is a conflict under every rule.
        let beyond = local.max(utc.date_naive()).succ_opt().expect("a day");
        let records = body(beyond.format("%d-%m-%Y").to_string());
        prop_assert!(read_with(&reading, &records).is_err());
        let reading = Reading { date_conflict: DateConflict::PreferUnformatted, ..reading };
        let chosen = read_with(&reading, &records).expect("a statement");
        prop_assert_eq!(days(&chosen, "trans_date"), [Some(beyond.to_string())]);
    }
}
