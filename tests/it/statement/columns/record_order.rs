//! One order, whatever the order of the records in the input, and what determines it.

use std::fs;

use lendwright::statement::{Columns, Merging, RecordDay, read_csv, read_pages};

use crate::statement::*;

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

/// Decisions, offers and replays refer to these bytes. They were written before digests were computed on demand.
#[test]
fn the_digest_of_a_content_stays_what_it_was() {
    let told = |statements: &Statements| -> Vec<String> { digests(statements).iter().map(Digest::to_string).collect() };
    let two = r#"{"id":"a","customer":"c1","trans_date":"2024-03-04T23:00:00.000Z",
        "unformatted_trans_date":"05-03-2024","cleared_date":"2024-03-06","credit":10,"debit":null,"balance":10.5,
        "code":"TRF","branch":"759","env":"live","ref":"R 1",
        "notes":{"desc":"NIP/ACME é","topics":["loan","x"],"people":[]},"owner":["o"],"record":["r"],
        "bank":{"_id":"b"},"created_at":"2026-10-14T13:54:14.999Z",
        "last_updated":"2026-10-14T13:54:15Z"},
        {"id":"b","customer":"c1","trans_date":"2024-03-07T10:00:00Z","credit":null,"debit":"3.25","env":"live",
        "notes":{"desc":null},"owner":["o"]}"#;
    let many = |number: usize| {
        let side = if number.is_multiple_of(2) { "credit" } else { "debit" };
        format!(
            r#"{{"id":"r{number}","customer":"c1","trans_date":"2024-0{}-{:02}T10:00:00.000Z","{side}":{},
                "env":"live","notes":{{"desc":"NIP/{}/ACME"}}}}"#,
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
        (&many.join(","), "e656725294d840837f21815b16a65148d240c68549e5b85c78b368fa154a7b61"),
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

const LEDGER: &str = "[columns]\ncustomer = \"acct\"\nid = \"id\"\ntrans_date = \"date\"\ncredit = \"cr\"\n\
    debit = \"db\"\nbalance = \"bal\"\n";

fn of_table(columns: &str, rows: &str) -> Result<Statements, String> {
    let columns = Columns::parse(columns).map_err(|wrong| wrong.to_string())?;
    let text = format!("acct,id,date,cr,db,bal\n{rows}");
    read_csv(text.as_bytes(), "table", &lagos(), &columns).map_err(|wrong| wrong.to_string())
}

fn ids_of(read: &Statements) -> String {
    texts(read, "id").into_iter().map(|id| id.unwrap_or("-".into())).collect::<Vec<_>>().join(" ")
}

/// The day before closes with 0, a row (400.00 out) is missing on the fifth, and the next day begins with 50.00.
const GAP: [&str; 6] = [
    "K1,7,2026-03-04,20.00,,20.00",
    "K1,75,2026-03-04,,20.00,0.00",
    "K1,8,2026-03-05,100.00,,100.00",
    "K1,9,2026-03-05,400.00,,500.00",
    "K1,11,2026-03-05,,50.00,50.00",
    "K1,12,2026-03-09,1.00,,51.00",
];

#[test]
fn a_day_that_lacks_a_record_is_placed_by_the_days_around_it() {
    let newest_first: Vec<&str> = GAP.iter().rev().copied().collect();
    let shuffled = [4, 2, 0, 5, 3, 1].map(|at| GAP[at]);
    let without_ids = GAP.map(|row| {
        row.splitn(3, ',').enumerate().filter(|(at, _)| *at != 1).map(|(_, part)| part).collect::<Vec<_>>().join(",,")
    });
    for rows in [GAP.join("\n"), newest_first.join("\n"), shuffled.join("\n")] {
        assert_eq!(ids_of(&of_table(LEDGER, &rows).expect("a statement")), "7 75 8 9 11 12", "{rows}");
    }
    let mut reversed = without_ids.clone();
    reversed.reverse();
    for rows in [without_ids.join("\n"), reversed.join("\n")] {
        let read = of_table(LEDGER, &rows).expect("a statement");
        assert_eq!(
            numbers(&read, "balance").into_iter().flatten().collect::<Vec<_>>(),
            [2000, 0, 10000, 50000, 5000, 5100]
        );
        let warning = "the balance of 1 record does not follow from the one before, first on 2026-03-05";
        assert_eq!(read.heads()[0].quality.warnings, [warning]);
    }
}

/// A day whose balances chain, but not with the days around it, keeps its order: a record is missing.
#[test]
fn a_day_that_chains_by_chance_is_not_turned_against_its_neighbours() {
    let rows = [
        "K1,1,2026-03-01,,10.00,0.00",
        "K1,2,2026-03-02,10.00,,10.00",
        "K1,4,2026-03-02,,20.00,0.00",
        "K1,5,2026-03-03,5.00,,5.00",
    ];
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]] {
        let read = of_table(LEDGER, &order.map(|at| rows[at]).join("\n")).expect("a statement");
        assert_eq!(ids_of(&read), "1 2 4 5", "{order:?}");
        let warning = "the balance of 1 record does not follow from the one before, first on 2026-03-02";
        assert_eq!(read.heads()[0].quality.warnings, [warning]);
    }
}

#[test]
fn numbers_in_ids_are_numbers_where_their_lengths_differ() {
    let rows =
        "K1,TX-10,2026-03-04,1.00,,\nK1,TX-9,2026-03-04,2.00,,\nK2,5f9a,2026-03-04,1.00,,\nK2,5f10,2026-03-04,1.00,,\n";
    assert_eq!(ids_of(&of_table(LEDGER, rows).expect("statements")), "TX-9 TX-10 5f10 5f9a");
}

#[test]
fn a_columns_file_may_declare_that_rows_stand_in_their_order() {
    let rows = "K1,3,2026-03-04,1.00,,\nK1,9,2026-03-05,2.00,,\nK1,1,2026-03-05,4.00,,\nK2,5,2026-03-01,1.00,,\n";
    let oldest = of_table(&format!("order = \"oldest_first\"\n{LEDGER}"), rows).expect("statements");
    assert_eq!(ids_of(&oldest), "3 9 1 5");
    assert_eq!(numbers(&oldest, "order"), [Some(0), Some(0), Some(1), Some(0)]);
    let reversed: String = rows.lines().rev().map(|row| format!("{row}\n")).collect();
    let newest = of_table(&format!("order = \"newest_first\"\n{LEDGER}"), &reversed).expect("statements");
    assert_eq!(ids_of(&newest), "3 9 1 5");
    assert_eq!(
        (oldest.digest(0).expect("a digest"), numbers(&oldest, "order")),
        (newest.digest(0).expect("a digest"), numbers(&newest, "order"))
    );
    let wrong = of_table(&format!("order = \"newest_first\"\n{LEDGER}"), rows).expect_err("they run the other way");
    assert!(
        wrong.contains("the days of the rows of customer `K1` run the other way; declare `order = \"oldest_first\"`"),
        "{wrong}"
    );
    // Within a day the balances decide.
    let day = "K3,1,2026-03-05,100.00,,100.00\nK3,2,2026-03-05,,30.00,70.00\nK3,3,2026-03-05,,20.00,50.00\n";
    let wrong = of_table(&format!("order = \"newest_first\"\n{LEDGER}"), day).expect_err("they run the other way");
    assert!(wrong.contains("the balances of the rows of customer `K3` run the other way"), "{wrong}");
    let right = of_table(&format!("order = \"oldest_first\"\n{LEDGER}"), day).expect("statements");
    assert_eq!(ids_of(&right), "1 2 3");
    let twice =
        of_table(&format!("order = \"newest_first\"\n{LEDGER}seq = \"n\"\n"), rows).expect_err("declared twice");
    assert!(twice.contains("`order` and `seq` both give the order within a day"), "{twice}");
    assert!(
        of_table(&format!("order = \"as_is\"\n{LEDGER}"), rows).expect_err("no such order").contains("oldest_first")
    );
}

#[test]
fn balances_that_run_by_another_date_are_said() {
    let columns = format!("{LEDGER}cleared_date = \"booked\"\n");
    let text = "acct,id,date,booked,cr,db,bal\n\
        K1,a,2026-03-01,2026-03-03,,10.00,140.00\nK1,b,2026-03-02,2026-03-02,50.00,,150.00\n\
        K1,c,2026-03-03,2026-03-06,,40.00,120.00\nK1,d,2026-03-04,2026-03-05,20.00,,160.00\n";
    let read = read_csv(text.as_bytes(), "table", &lagos(), &Columns::parse(&columns).expect("a columns file"));
    let warning = "the balance of 3 records does not follow from the one before, first on 2026-03-02; \
        by `cleared_date` 0 do not, \
        so the balances run by that date: the policy can say `record_day = \"cleared_date\"`";
    assert_eq!(read.expect("a statement").heads()[0].quality.warnings, [warning]);
}

#[test]
fn the_day_on_which_it_cleared_can_be_a_records_day() {
    let rows = [
        ("a", "2026-03-01T11:00:00", "2026-03-03", r#""debit":10,"balance":140"#),
        ("b", "2026-03-02T10:00:00", "2026-03-02", r#""credit":50,"balance":150"#),
        ("c", "2026-03-03T09:00:00", "2026-03-06", r#""debit":40,"balance":120"#),
        ("d", "2026-03-04T08:00:00", "2026-03-05", r#""credit":20,"balance":160"#),
        ("e", "2026-03-07T07:00:00", "", r#""debit":20,"balance":100"#),
    ];
    let record = |(id, day, cleared, fields): (&str, &str, &str, &str)| match cleared {
        "" => at(id, day, fields),
        _ => at(id, day, &format!(r#""cleared_date":"{cleared}",{fields}"#)),
    };
    let reading = Reading { record_day: RecordDay::ClearedDate, ..lagos() };
    let mut records = rows.map(record).to_vec();
    for _ in 0..records.len() {
        records.rotate_left(1);
        let json = read_pages([envelope(&records.join(",")).as_bytes()], "pages", &reading).expect("a statement");
        assert_eq!(ids_of(&json), "b a d c e");
        // The day of `b` alone is that of its time.
        assert_eq!(numbers(&json, "order"), [Some(36_000), Some(0), Some(0), Some(0), Some(25_200)]);
        assert_eq!(json.heads()[0].quality.warnings, ["1 records have no `cleared_date`, and count by `trans_date`"]);
        let days: Vec<String> = days(&json, "trans_date").into_iter().flatten().collect();
        assert_eq!(days, ["2026-03-02", "2026-03-03", "2026-03-05", "2026-03-06", "2026-03-07"]);
    }
}

/// The rows of a day that two tables share, each table from its first row on.
const SHARED: [&str; 2] = [
    "K1,2026-03-01,100.00,,100.00,1\nK1,2026-03-02,,10.00,90.00,2\nK1,2026-03-02,,20.00,70.00,3\n\
     K1,2026-03-02,,1.00,69.00,4\n",
    "K1,2026-03-02,,9.00,60.00,1\nK1,2026-03-02,5.00,,65.00,2\nK1,2026-03-02,,2.00,63.00,3\n\
     K1,2026-03-03,,1.00,62.00,4\n",
];

#[test]
fn a_day_that_two_files_share_is_ordered_by_balances() {
    let header = "customer,trans_date,credit,debit,balance,n\n";
    let columns = "[columns]\ncustomer = \"customer\"\ntrans_date = \"trans_date\"\ncredit = \"credit\"\n\
        debit = \"debit\"\nbalance = \"balance\"\n";
    let desk = crate::fixtures::desk::Desk::new();
    desk.write(
        "policy.toml",
        "[policy]\nname = \"p\"\nversion = \"1\"\ncurrency = \"566\"\nstatement_unit = \"major\"\n\
         time_zone = \"Africa/Lagos\"\n[metric]\nlast = \"LAST(balance)\"\nbalances = \"balance_verdict\"\n\
         [[offer]]\nid = \"o\"\ntenure = 30\namount = \"1000\"\ninterest = 1\n",
    );
    let reversed = |rows: &str| rows.lines().rev().map(|line| format!("{line}\n")).collect::<String>();
    for (order, above, below, is_newest_first) in [
        ("oldest", "order = \"oldest_first\"\n", "", false),
        ("newest", "order = \"newest_first\"\n", "", true),
        ("seq", "", "seq = \"n\"\n", false),
        ("none", "", "", false),
    ] {
        desk.write("c.toml", &format!("{above}{columns}{below}"));
        let rows = |part: usize| if is_newest_first { reversed(SHARED[part]) } else { SHARED[part].to_owned() };
        // The names of the files say nothing about which is the older one.
        for names in [["in/a.csv", "in/b.csv"], ["in/b.csv", "in/a.csv"]] {
            for (part, name) in names.into_iter().enumerate() {
                desk.write(name, &format!("{header}{}", rows(part)));
            }
            let wanted = "\"last\":6200,\"balances\":\"verified\"";
            let metrics = ["metrics", "--policy", "policy.toml", "--columns", "c.toml", "--merge"];
            let said = desk.run(&[&metrics[..], &names].concat());
            assert!(said.out.contains(wanted), "{order} {names:?}: {said:?}");
            let batch =
                ["batch", "--policy", "policy.toml", "--columns", "c.toml", "--write", "metrics", "--out", "out"];
            let said = desk.run(&[&batch[..], &["in"]].concat());
            let metrics = desk.read("out/metrics.ndjson");
            assert!(metrics.contains(wanted), "{order} {names:?}: {metrics}{said:?}");
            fs::remove_dir_all(desk.path().join("out")).unwrap();
        }
    }
}
