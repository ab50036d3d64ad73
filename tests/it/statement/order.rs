//! One order for every order in which records may come, and what gives it.

use super::*;

fn at(id: &str, day: &str, fields: &str) -> String {
    format!(r#"{{"id":"{id}","trans_date":"{day}",{fields}}}"#)
}

fn ids(records: &[String]) -> Vec<String> {
    texts(&read(&records.join(",")).expect("a statement"), "id").into_iter().flatten().collect()
}

#[test]
fn day_then_time_of_day_then_id() {
    let records = [
        at("d", "2024-03-05", r#""credit":1"#),
        at("c", "2024-03-05T09:00:00+01:00", r#""credit":1"#),
        at("b", "2024-03-05T08:30:00Z", r#""credit":1"#),
        at("a", "2024-03-06", r#""credit":1"#),
        at("e", "2024-03-05", r#""credit":1"#),
    ];
    assert_eq!(ids(&records), ["d", "e", "c", "b", "a"]);
    let read = read(&records.join(",")).expect("a statement");
    // 09:00 in Lagos, and 08:30 UTC which is 09:30 there.
    assert_eq!(numbers(&read, "order"), [Some(0), Some(0), Some(32_400), Some(34_200), Some(0)]);
}

#[test]
fn balances_that_chain_order_a_day() {
    let records = [
        at("a", "2024-03-04", r#""credit":100,"balance":100"#),
        at("b", "2024-03-05", r#""debit":30,"balance":120"#),
        at("c", "2024-03-05", r#""credit":50,"balance":150"#),
        at("d", "2024-03-05", r#""debit":20,"balance":100"#),
    ];
    assert_eq!(ids(&records), ["a", "c", "b", "d"]);
    let read = read(&records.join(",")).expect("a statement");
    assert_eq!(numbers(&read, "order"), [Some(0), Some(0), Some(1), Some(2)]);
}

#[test]
fn a_day_that_does_not_chain_keeps_the_order_of_ids() {
    let records = [
        at("b", "2024-03-05", r#""credit":50,"balance":150"#),
        at("a", "2024-03-05", r#""debit":30,"balance":999"#),
        at("c", "2024-03-05", r#""debit":20,"balance":100"#),
    ];
    assert_eq!(ids(&records), ["a", "b", "c"]);
}

#[test]
fn ten_years_of_records_and_records_out_of_order_are_read() {
    let mut records: Vec<String> = Vec::new();
    for year in 2014..2024 {
        for month in 1..=12 {
            records.push(at(&format!("{year}{month:02}"), &format!("{year}-{month:02}-28"), r#""credit":1"#));
        }
    }
    let sorted = read(&records.join(",")).expect("a statement");
    records.reverse();
    let turned = read(&records.join(",")).expect("a statement");
    assert_eq!((sorted.heads(), digests(&sorted)), (turned.heads(), digests(&turned)));
    assert!(sorted.frame().equals_missing(turned.frame()));
    assert_eq!(sorted.frame().height(), 120);
    assert_eq!(ids(&records[..1]), ["202312"]);
}

#[test]
fn a_digest_stands_for_the_content() {
    let digest = |records: &str| digests(&read(records).expect("a statement"));
    let one = digest(&record("a", r#""credit":10"#));
    assert_eq!(one, digest(&record("a", r#""credit":"10.00","debit":null"#)));
    for other in
        [r#""credit":10.01"#, r#""debit":10"#, r#""credit":10,"notes":{"desc":"x"}"#, r#""credit":10,"balance":0"#]
    {
        assert_ne!(one, digest(&record("a", other)), "{other}");
    }
    assert_ne!(one, digest(""));
}
