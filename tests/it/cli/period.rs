//! The days that a statement covers: who says so in each format, what depends on it, and what contradicts it.

use serde_json::{Value, json};

use super::values;
use crate::fixtures::desk::{Desk, POLICY};

/// A policy that counts months, ages and gaps.
const METRICS: &str = "[metric]\nrecords = \"COUNT(*)\"\ninflow = \"SUM(credit)\"\n\
    full_months = \"COUNT(*) FILTER (WHERE month_is_full)\"\nempty = \"COUNT(*) FILTER (WHERE month_records = 0)\"\n\
    age = \"as_of - period_end\"\nstart = \"period_start\"\n";

const DECIDE: [&str; 5] = ["decide", "--policy", "rules/small.toml", "--as-of", "2026-11-02"];

/// From 1 August to 31 October: on each working day but the first two and the last, so that nothing shows its edges.
fn days() -> Vec<String> {
    let mut days = Vec::new();
    for (month, last) in [(8, 31), (9, 30), (10, 29)] {
        let first = if month == 8 { 4 } else { 1 };
        days.extend((first..=last).map(|day| format!("2026-{month:02}-{day:02}")));
    }
    days
}

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("rules/small.toml", POLICY);
    desk.write("rules/shared.toml", METRICS);
    desk
}

fn csv(days: &[String], between: &str) -> String {
    let rows: String = days.iter().map(|day| format!("{},10.00\n", day_first(day))).collect();
    format!("FIRST BANK\n{between}\nDate,In\n{rows}")
}

fn day_first(day: &str) -> String {
    format!("{}/{}/{}", &day[8..], &day[5..7], &day[..4])
}

const COLUMNS: &str = "[columns]\ntrans_date = \"Date\"\ncredit = \"In\"\n[dates]\ntrans_date = \"DD/MM/YYYY\"\n\
    [file]\nheader = [\"Date\", \"In\"]\n";

fn decided(desk: &Desk, more: &[&str]) -> Value {
    let said = desk.run(&[&DECIDE[..], more].concat());
    assert_eq!((said.status, said.err.as_str()), (0, ""), "{more:?}");
    values(&said.out).remove(0)
}

/// The whole months and the period of a decision.
fn seen(decision: &Value) -> (Value, Value) {
    (decision["metrics"]["full_months"].clone(), decision["quality"]["period"].clone())
}

fn three(source: &str) -> (Value, Value) {
    (json!(3), json!({"from": "2026-08-01", "to": "2026-10-31", "source": source}))
}

fn camt(days: &[String], span: &str) -> String {
    let entries: String = days
        .iter()
        .map(|day| {
            format!(
                "<Ntry><Amt Ccy=\"NGN\">10.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>{day}</Dt>\
                 </BookgDt></Ntry>"
            )
        })
        .collect();
    format!(
        "<?xml version=\"1.0\"?><Document xmlns=\"urn:iso:std:iso:20022:tech:xsd:camt.053.001.02\"><BkToCstmrStmt>\
         <Stmt><Id>1</Id>{span}<Acct><Id><Othr><Id>K1</Id></Othr></Id><Ccy>NGN</Ccy></Acct>{entries}</Stmt>\
         </BkToCstmrStmt></Document>"
    )
}

fn ofx(days: &[String], start: &str, end: &str) -> String {
    let entries: String = days
        .iter()
        .enumerate()
        .map(|(at, day)| {
            let day = day.replace('-', "");
            format!("<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>{day}<TRNAMT>10.00<FITID>F{at}<NAME>X</STMTTRN>")
        })
        .collect();
    format!(
        "OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>NGN<BANKACCTFROM>\
         <BANKID>1<ACCTID>K1<ACCTTYPE>CHECKING</BANKACCTFROM><BANKTRANLIST><DTSTART>{start}<DTEND>{end}{entries}\
         </BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>"
    )
}

fn mt940(days: &[String], opening: &str, closing: &str) -> String {
    let entries: String = days.iter().map(|day| format!(":61:{}C10,00NTRFNONREF\n", short(day))).collect();
    let total = days.len() * 10;
    format!(
        ":20:A\n:25:K1\n:28C:1/1\n:60F:C{}NGN0,00\n{entries}:62F:C{}NGN{total},00\n-\n",
        short(opening),
        short(closing)
    )
}

fn short(day: &str) -> String {
    day[2..].replace('-', "")
}

#[test]
fn without_a_word_about_it_the_rhythm_does_not_reach_the_edges() {
    let desk = desk();
    desk.write("s.toml", COLUMNS);
    desk.write("s.csv", &csv(&days(), ""));
    let found = decided(&desk, &["--columns", "s.toml", "--customer", "K1", "s.csv"]);
    let period = json!({"from": "2026-08-04", "to": "2026-10-29", "source": "records"});
    assert_eq!(seen(&found), (json!(1), period));
    assert_eq!(found["metrics"]["age"], json!(4));
    // One that is silent at every weekend is not at the weekend of 1 and 2 August either.
    let working: Vec<String> = days().into_iter().filter(|day| !is_weekend(day)).collect();
    let working: Vec<String> = ["2026-08-03".to_owned()].into_iter().chain(working).collect();
    desk.write("s.csv", &csv(&working, ""));
    let found = decided(&desk, &["--columns", "s.toml", "--customer", "K1", "s.csv"]);
    assert_eq!(seen(&found), three("records"));
    assert_eq!(found["metrics"]["age"], json!(2));
}

fn is_weekend(day: &str) -> bool {
    let day = lendwright::Day::parse_iso(day).expect("a day");
    day.weekday() >= 6
}

#[test]
fn a_file_says_it_in_its_own_format() {
    let desk = desk();
    let days = days();
    let time = "<FrToDt><FrDtTm>2026-08-01T00:00:00</FrDtTm><ToDtTm>2026-11-01T00:00:00</ToDtTm></FrToDt>";
    for (name, text, source) in [
        ("date.xml", camt(&days, "<FrToDt><FrDt>2026-08-01</FrDt><ToDt>2026-10-31</ToDt></FrToDt>"), "file"),
        ("time.xml", camt(&days, time), "file"),
        ("s.ofx", ofx(&days, "20260801", "20261031235959[-5:EST]"), "file"),
        ("midnight.ofx", ofx(&days, "20260801000000", "20261101000000"), "file"),
        ("s.sta", mt940(&days, "2026-08-01", "2026-10-31"), "balances"),
    ] {
        desk.write(name, &text);
        assert_eq!(seen(&decided(&desk, &["--customer", "K1", name])), three(source), "{name}");
    }
    // A balance of the day before the month opens the month.
    desk.write("s.sta", &mt940(&days, "2026-07-31", "2026-10-31"));
    assert_eq!(seen(&decided(&desk, &["--customer", "K1", "s.sta"])).0, json!(3));
    // Balances of the first and of the last record's day say no more than the records do.
    let working: Vec<String> = days.iter().filter(|day| !is_weekend(day)).cloned().collect();
    desk.write("s.sta", &mt940(&working, "2026-08-04", "2026-10-29"));
    assert_eq!(seen(&decided(&desk, &["--customer", "K1", "s.sta"])).0, json!(2));
    // `From the beginning` is not a day.
    desk.write("old.ofx", &ofx(&days, "19700101", "20261031"));
    assert_eq!(seen(&decided(&desk, &["--customer", "K1", "old.ofx"])).1["source"], json!("records"));
}

#[test]
fn a_table_says_it_above_its_header_or_in_columns() {
    let desk = desk();
    let run = |columns: &str, text: &str| {
        desk.write("s.toml", columns);
        desk.write("s.csv", text);
        seen(&decided(&desk, &["--columns", "s.toml", "--customer", "K1", "s.csv"]))
    };
    for line in ["Statement Period:,01/08/2026 to 31/10/2026", "From Date:,01/08/2026\nTo Date:,31/10/2026"] {
        assert_eq!(run(COLUMNS, &csv(&days(), line)), three("file"), "{line}");
    }
    let labelled = format!("{COLUMNS}[period]\nafter = \"Auszug\"\n");
    assert_eq!(run(&labelled, &csv(&days(), "Auszug,01/08/2026,31/10/2026")), three("file"));
    let fixed = format!("{COLUMNS}[period]\nfrom = 2026-08-01\nto = \"2026-10-31\"\n");
    assert_eq!(run(&fixed, &csv(&days(), "")), three("file"));
    let with = |header: &str, cells: &str| {
        let rows: String = days().iter().map(|day| format!("{},10.00,{cells}\n", day_first(day))).collect();
        format!("Date,In,{header}\n{rows}")
    };
    let one = COLUMNS.replace("credit", "period = \"Period\"\ncredit");
    assert_eq!(run(&one, &with("Period", "01/08/2026 - 31/10/2026")), three("file"));
    let two = COLUMNS.replace("credit", "period = [\"Start\", \"End\"]\ncredit");
    assert_eq!(run(&two, &with("Start,End", "01/08/2026,31/10/2026")), three("file"));
    // Without a columns file, the product's own names.
    let rows: String = days().iter().map(|day| format!("K1,{day},10.00,2026-08-01,2026-10-31\n")).collect();
    desk.write("own.csv", &format!("customer,trans_date,credit,period_from,period_to\n{rows}"));
    assert_eq!(seen(&decided(&desk, &["own.csv"])), three("file"));
    desk.run(&["batch", "--policy", "rules/small.toml", "--as-of", "2026-11-02", "--out", "out", "own.csv"]);
    let batch = values(&desk.read("out/decisions.ndjson")).remove(0);
    assert_eq!(seen(&batch), three("file"), "by the rows of a batch");
}

#[test]
fn the_columns_file_says_what_is_wrong_with_a_period() {
    let desk = desk();
    desk.write("s.csv", &csv(&days(), "Period,01/08/2026"));
    for (more, says) in [
        ("[period]\nfrom = 2026-08-01\n", "[period] needs `from` and `to`, or `after` alone"),
        ("[period]\nfrom = 2026-08-01\nto = 2026-07-01\n", "ends before it begins"),
        ("[period]\nfrom = 3\nto = 2026-07-01\n", "[period] from: `` is not a day"),
        ("[period]\nafter = \"Period\"\n", "no two days follow this label"),
        ("[period]\nafter = \" \"\n", "[period] after is empty"),
    ] {
        desk.write("s.toml", &format!("{COLUMNS}{more}"));
        let said = desk.run(&[&DECIDE[..], &["--columns", "s.toml", "--customer", "K1", "s.csv"]].concat());
        assert!(said.status == 1 && said.err.contains(says), "{more}: {}", said.err);
    }
}

#[test]
fn the_caller_says_it_and_a_replay_says_it_again() {
    let desk = desk();
    desk.write("s.toml", COLUMNS);
    desk.write("s.csv", &csv(&days(), "Period,01/08/2026 to 30/11/2026"));
    let table = ["--columns", "s.toml", "--customer", "K1", "s.csv"];
    let stated = [&["--from", "2026-08-01", "--to", "2026-10-31"], &table[..]].concat();
    let said = desk.run(&[&DECIDE[..], &stated].concat());
    let decision = values(&said.out).remove(0);
    assert_eq!(seen(&decision), three("stated"));
    let warned = "the file states the period 2026-08-01 to 2026-11-30, and the caller 2026-08-01 to 2026-10-31";
    assert_eq!(decision["quality"]["warnings"], json!([warned]));
    assert_ne!(decision["digests"]["statement"], decided(&desk, &table)["digests"]["statement"]);
    desk.write("decision.json", &said.out);
    let again = desk.run(&[&["replay", "decision.json"], &table[4..], &table[..4]].concat());
    assert_eq!((again.status, again.out.as_str()), (0, "decision.json: the same, byte for byte\n"), "{}", again.err);
    for command in ["metrics", "records", "explain"] {
        let more =
            [&[command, "--policy", "rules/small.toml", "--from", "2026-08-01", "--to", "2026-10-31"], &table[..]];
        let said = desk.run(&more.concat());
        assert_eq!(said.status, 0, "{command}: {}", said.err);
        if command == "metrics" {
            assert_eq!(values(&said.out)[0]["full_months"], json!(3));
        }
    }
    // A table of metrics of another period is made anew.
    let book = |period: &[&str]| {
        let more = [&["metrics", "--policy", "rules/small.toml", "--out", "book.parquet"], period, &table[..]].concat();
        desk.run(&more).err
    };
    let (three, longer) =
        (["--from", "2026-08-01", "--to", "2026-10-31"], ["--from", "2026-08-01", "--to", "2026-11-30"]);
    assert!(!book(&three).contains("up to date") && book(&three).contains("up to date"));
    assert!(!book(&longer).contains("up to date"));
    // Half a period is none.
    let half = desk.run(&[&DECIDE[..], &["--from", "2026-08-01"], &table[..]].concat());
    assert_eq!(half.status, 2);
}

#[test]
fn a_record_outside_of_a_period_is_not_passed_over() {
    let desk = desk();
    desk.write("s.toml", COLUMNS);
    desk.write("s.csv", &csv(&days(), "Statement Period:,01/08/2026 to 30/09/2026"));
    let table = ["--columns", "s.toml", "--customer", "K1", "s.csv"];
    let found = decided(&desk, &table);
    assert_eq!(found["quality"]["period"]["source"], json!("records"));
    assert_eq!(found["metrics"]["records"], json!(days().len()));
    let warned =
        "29 records lie outside of the period 2026-08-01 to 2026-09-30 that the file states, so it was not used";
    assert_eq!(found["quality"]["warnings"], json!([warned]));
    let said = desk.run(&[&DECIDE[..], &["--from", "2026-08-01", "--to", "2026-09-30"], &table[..]].concat());
    assert_eq!((said.status, said.out.as_str()), (1, ""));
    let refused = "error: s.csv: period: records lie from 2026-10-01 to 2026-10-29, outside of the stated period \
        2026-08-01 to 2026-09-30; state the days that the export covers, or leave the period out\n";
    assert_eq!(said.err, refused);
}

/// Where the export goes on after the last record, its months are there, and empty.
#[test]
fn months_after_the_last_record_count_if_the_export_covers_them() {
    let desk = desk();
    let summer: Vec<String> = days().into_iter().filter(|day| day.as_str() < "2026-09").collect();
    desk.write("s.xml", &camt(&summer, "<FrToDt><FrDt>2026-08-01</FrDt><ToDt>2026-10-31</ToDt></FrToDt>"));
    let found = decided(&desk, &["s.xml"]);
    let counted = ["full_months", "empty", "age"].map(|name| found["metrics"][name].clone());
    assert_eq!(counted, [json!(3), json!(2), json!(2)]);
    // Without a day, the months after the last record may not have come.
    let said = desk.run(&["decide", "--policy", "rules/small.toml", "s.xml"]);
    let found = values(&said.out).remove(0);
    assert_eq!((&found["metrics"]["full_months"], &found["metrics"]["empty"]), (&json!(1), &json!(0)));
    let early = desk.run(&["decide", "--policy", "rules/small.toml", "--as-of", "2026-10-30", "s.xml"]);
    assert_eq!(values(&early.out)[0]["metrics"]["full_months"], json!(2));
}

#[test]
fn exports_that_are_merged_cover_what_they_cover_together() {
    let desk = desk();
    let (first, rest): (Vec<String>, Vec<String>) = days().into_iter().partition(|day| day.as_str() < "2026-09");
    let span = |from: &str, to: &str| format!("<FrToDt><FrDt>{from}</FrDt><ToDt>{to}</ToDt></FrToDt>");
    desk.write("one.xml", &camt(&first, &span("2026-08-01", "2026-08-31")));
    desk.write("two.xml", &camt(&rest, &span("2026-09-01", "2026-10-31")));
    let found = decided(&desk, &["--merge", "one.xml", "two.xml"]);
    assert_eq!(seen(&found), three("file"));
    desk.write("two.xml", &camt(&rest, ""));
    assert_eq!(seen(&decided(&desk, &["--merge", "one.xml", "two.xml"])).1["source"], json!("records"));
}
