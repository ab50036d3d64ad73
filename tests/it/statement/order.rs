//! One order for every order in which records may come, and what gives it.

use lendwright::statement::{Columns, Merging, read_csv};

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

/// Decisions, offers and replays name these bytes: they were written by the program before digests were worked out when asked for.
#[test]
fn the_digest_of_a_content_stays_what_it_was() {
    let told = |statements: &Statements| -> Vec<String> { digests(statements).iter().map(Digest::to_string).collect() };
    let two = r#"{"id":"a","customer":"c1","trans_date":"2024-03-04T23:00:00.000Z","unformatted_trans_date":"05-03-2024","cleared_date":"2024-03-06","credit":10,"debit":null,"balance":10.5,"code":"TRF","branch":"759","env":"live","ref":"R 1","notes":{"desc":"NIP/ACME é","topics":["loan","x"],"people":[]},"owner":["o"],"record":["r"],"bank":{"_id":"b"},"created_at":"2026-10-14T13:54:14.999Z","last_updated":"2026-10-14T13:54:15Z"},{"id":"b","customer":"c1","trans_date":"2024-03-07T10:00:00Z","credit":null,"debit":"3.25","env":"live","notes":{"desc":null},"owner":["o"]}"#;
    let many = |number: usize| {
        let side = if number.is_multiple_of(2) { "credit" } else { "debit" };
        format!(
            r#"{{"id":"r{number}","customer":"c1","trans_date":"2024-0{}-{:02}T10:00:00.000Z","{side}":{},"env":"live","notes":{{"desc":"NIP/{}/ACME"}}}}"#,
            number % 9 + 1,
            number % 28 + 1,
            number % 77 + 1,
            number / 3
        )
    };
    let many: Vec<String> = (0..12_000).map(many).collect();
    for (records, digest) in [
        ("", "ce82f794520917ca78807b18cbe31c95a9eede8a8c8b70bd33698f3ea0219fa7"),
        (two, "d695ef9fbda42502b056d80b507bfc7bacb48e449f8e52e163113a37edad4c74"),
        (
            r#"{"id":"a","trans_date":"2024-03-04T23:00:00.000Z","credit":10}"#,
            "794cdcde9f90f6f6cd8fcc5e6461fbed8be88556e53c16e5343e0727fa7851fe",
        ),
        (&many.join(","), "307663f6ef4850c242be209199243cbe3ff553ae6c289e1f38b00d754d1c312d"),
    ] {
        assert_eq!(told(&read(records).expect("a statement")), [digest], "{records:.60}");
    }
    let table = |rows: &str| {
        let text = format!("customer,account,id,trans_date,credit,debit,balance,desc\n{rows}");
        read_csv(text.as_bytes(), "table", &lagos(), &Columns::default()).expect("statements")
    };
    let accounts =
        table("c1,a,1,2026-10-01,7,,7,x\nc1,a,2,2026-10-01,,2,5,y\nc1,b,1,2026-10-02,9,,,x\nc2,a,1,2026-10-01,9,,,\n");
    let of_accounts = [
        "7d9309c38da415dfe7c1a5a90c8b2e49765df0e89dc44604f9a37e015df1316c",
        "50c8f9a13a74fb6a8361ffccb2d6cdbe05daf5de440af94e3c93a1e81bc51ce0",
        "c191b6669febaf35be3fc502daf6ed9eaca1057bf1808a1b498c59031e1d454c",
    ];
    assert_eq!(told(&accounts), of_accounts);
    assert_eq!(told(&accounts.of_customer("c1").expect("its statements")), of_accounts[..2]);
    assert_eq!(told(&accounts.of_customer("c2").expect("its statement")), of_accounts[2..]);
    let both = table(
        "c1,a,1,2026-10-01,70,,70,\nc1,a,2,2026-10-03,,20,50,\nc1,b,1,2026-10-03,20,,20,\nc1,b,2,2026-10-05,,5,15,\n",
    );
    let merged = Statements::merge(&[both], &Merging::default()).expect("one statement");
    assert_eq!(told(&merged), ["4a839100e3ea7c41be696c4ae40b6ba78dc1704c26b3d9540979ac135ba64670"]);
}
