//! What cannot be computed: unknown with its reason, at every grain, and nothing ignored silently.
//! `statement::provider::faults` covers the reader, `provider::client::reads` the connection, `extreme_statements`
//! statements of odd sizes.

use lendwright::base::date::Day;
use lendwright::decision::{Decision, Request, decide, reading};
use lendwright::rules::{Policy, compile};
use lendwright::statement::{Statements, read_json};

/// A policy of these sections, in minor units.
fn policy(sections: &str) -> Policy {
    let head = "[policy]\nname = \"p\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"Africa/Lagos\"\n\
        statement_unit = \"minor\"\n";
    let words = "[words]\nsalary = [\"salary\"]\n";
    compile("p.toml", &format!("{head}{words}{sections}"), &mut |_| Err("no files".into()), &[])
        .unwrap_or_else(|refused| panic!("{refused}"))
}

fn read(policy: &Policy, records: &str) -> Statements {
    read_json(format!(r#"{{"data":{{"trans":[{records}]}}}}"#).as_bytes(), "s", &reading(policy)).unwrap()
}

fn on(day: &str) -> Request {
    Request::on(Day::parse_iso(day).unwrap())
}

fn one(policy: &Policy, records: &str, request: &Request) -> Decision {
    decide(policy, &read(policy, records), request).unwrap().remove(0)
}

/// The metric `m` of these sections over these records: its value, or the reason why it is unknown.
fn metric(sections: &str, records: &str, request: &Request) -> String {
    let decision = one(&policy(sections), records, request);
    match decision.unknown.get("m") {
        Some(reason) => {
            assert!(decision.metrics["m"].is_null());
            reason.clone()
        }
        None => decision.metrics["m"].to_string(),
    }
}

fn credit(id: u32, day: &str, amount: &str) -> String {
    format!(r#"{{"id":"{id}","trans_date":"{day}","credit":{amount},"notes":{{"desc":"SALARY"}}}}"#)
}

#[test]
fn an_overflow_makes_its_statement_unknown_and_no_other() {
    let sections = |filter: &str| format!("[metric]\nm = \"SUM(credit * 1000000){filter}\"\n");
    let records = format!("{},{}", credit(1, "2026-05-01", "7"), credit(2, "2026-06-01", "9000000000000000000"));
    let none = Request::default();
    assert_eq!(metric(&sections(""), &records, &none), "overflow");
    assert_eq!(metric(&sections(" FILTER (WHERE credit < 100)"), &records, &none), "overflow");
    assert_eq!(metric("[metric]\nm = \"COUNT(*) FILTER (WHERE credit * 1000000 > 0)\"\n", &records, &none), "overflow");
    let months = "[month]\ninflow = \"SUM(credit * 1000000)\"\n[metric]\nm = \"MAX(inflow)\"\n";
    assert_eq!(metric(months, &records, &none), "overflow");
    // A later record does not matter.
    assert_eq!(metric(&sections(""), &records, &on("2026-05-31")), "7000000");
    assert_eq!(metric(months, &records, &on("2026-05-31")), "7000000");
}

#[test]
fn rounding_beyond_the_edge_is_an_overflow_too() {
    let sections = "[metric]\nm = \"SUM(round_up(credit, 5))\"\n";
    let edge = credit(1, "2026-05-01", "9223372036854775807");
    assert_eq!(metric(sections, &edge, &Request::default()), "overflow");
    let whole = "[metric]\nm = \"round_up(SUM(credit), 5)\"\n";
    assert_eq!(metric(whole, &edge, &Request::default()), "overflow");
    assert_eq!(metric("[metric]\nm = \"round_up(SUM(credit), 0)\"\n", &edge, &Request::default()), "zero_denominator");
}

#[test]
fn the_remainder_of_the_least_integer_is_nothing() {
    let least = r#"{"id":"1","trans_date":"2026-05-01","debit":9223372036854775807}"#;
    let sections = "[metric]\nm = \"(-SUM(debit) - 0.01) % (COUNT(*) * (MIN(debit) - MIN(debit) - 0.01))\"\n";
    assert_eq!(metric(sections, least, &Request::default()), "0");
}

#[test]
fn a_constant_serves_every_record_and_an_unknown_one_none() {
    let records = format!("{},{}", credit(1, "2026-05-01", "7"), credit(2, "2026-06-01", "8"));
    let count = |test: &str| {
        metric(&format!("[metric]\nm = \"COUNT(*) FILTER (WHERE {test})\"\n"), &records, &Request::default())
    };
    assert_eq!((count("TRUE").as_str(), count("FALSE").as_str()), ("2", "0"));
    let sections =
        |value: &str| format!("[parameters]\nzero = 0\nhuge = 9000000000000000000\n[metric]\nm = \"{value}\"\n");
    let of = |value: &str| metric(&sections(value), &records, &Request::default());
    assert_eq!(of("SUM(credit * (1 / $zero))"), "zero_denominator");
    assert_eq!(of("SUM(credit * ($huge * $huge))"), "overflow");
    assert_eq!(of("COUNT(*) FILTER (WHERE credit > 0 AND 1 / $zero > 1)"), "zero_denominator");
    assert_eq!(of("SUM(1 / $zero)"), "zero_denominator");
}

#[test]
fn a_months_value_is_unknown_to_a_record_after_as_of() {
    let sections = "[month]\ninflow = \"SUM(credit)\"\n[transaction]\n\
                    main = \"credit * 2 > inflow AND debit IS NULL OR COALESCE(debit, inflow) > 5\"\n\
                    [metric]\nm = \"COUNT(*) FILTER (WHERE main)\"\n";
    let records = format!(r#"{},{{"id":"2","trans_date":"2026-06-01","debit":4}}"#, credit(1, "2026-05-01", "7"));
    assert_eq!(metric(sections, &records, &on("2026-04-30")), "needs_debit");
    assert_eq!(metric(sections, &records, &Request::default()), "1");
}

#[test]
fn a_date_beyond_all_days_is_unknown_with_a_reason() {
    let records = credit(1, "2026-05-01", "7");
    let of = |value: &str| metric(&format!("[metric]\nm = \"{value}\"\n"), &records, &on("2026-05-01"));
    let last = Day::parse_iso("2200-12-31").unwrap().days() - Day::parse_iso("2026-05-01").unwrap().days();
    assert_eq!(of(&format!("as_of + {last}")), "\"2200-12-31\"");
    assert_eq!(of(&format!("as_of + {}", last + 1)), "overflow");
    assert_eq!(of("as_of + 100000"), "overflow");
    assert_eq!(of("as_of - 9223372036854775807"), "overflow");
    assert_eq!(of("MAX(trans_date + 100000)"), "overflow");
    // A window is not a date: it may have any length.
    assert_eq!(of("COUNT(*) FILTER (WHERE within(9223372036854775807))"), "1");
    assert_eq!(of("COUNT(*) FILTER (WHERE within(0))"), "0");
}

#[test]
fn money_is_ordered_exactly() {
    let records =
        format!("{},{}", credit(1, "2026-05-01", "9007199254740992"), credit(2, "2026-06-01", "9007199254740993"));
    let of = |value: &str| metric(&format!("[metric]\nm = \"{value}\"\n"), &records, &Request::default());
    assert_eq!(of("ARG_MAX(id, credit)"), "\"2\"");
    assert_eq!(of("ARG_MIN(id, credit)"), "\"1\"");
    assert_eq!(of("MAX(credit)"), "9007199254740993");
}

#[test]
fn a_line_through_one_place_has_no_slope() {
    let records: Vec<String> = (1..4).map(|id| credit(id, "2026-05-01", &(id * 7).to_string())).collect();
    let sections = "[metric]\nm = \"REGR_SLOPE(credit, 0.1 * length(id))\"\n";
    assert_eq!(metric(sections, &records.join(","), &Request::default()), "zero_denominator");
}

#[test]
fn nothing_adds_up_to_zero_and_not_to_less() {
    let sections = "[metric]\nm = \"SUM(credit * 0.5)\"\n";
    assert_eq!(metric(sections, "", &Request::default()), "0.0");
}

#[test]
fn odd_text_is_matched_the_same_and_cannot_steer_a_terminal() {
    let sections = "[metric]\nm = \"COUNT(*) FILTER (WHERE mentions(salary))\"\nfirst = \"FIRST(desc)\"\n";
    let long = format!("{}SALARY{}", "x ".repeat(500_000), " y".repeat(20));
    let narrations = [
        r"a\u0000SALARY\u0000b",
        r"\u202eSALARY",
        r"\ud83d SALARY",
        r"SALARY \ude00",
        r"\u001b[31m SALARY\u001b[0m",
        "TRF\u{2013}SALARY\u{2014}MAY",
        long.as_str(),
    ];
    let policy = policy(sections);
    for narration in narrations {
        let notes = format!(r#"{{"desc":"{narration}"}}"#);
        let record = format!(
            r#"{{"id":"1\u202e\u001b[2J","trans_date":"2026-05-01","credit":1,"customer":"c","notes":{notes}}}"#
        );
        let read = read(&policy, &record);
        let decision = decide(&policy, &read, &Request::default()).unwrap().remove(0);
        assert_eq!(decision.metrics["m"], 1, "{narration:.40}");
        let again: Decision = serde_json::from_str(&decision.to_line()).unwrap();
        assert_eq!(again, decision);
        let told = crate::report::explain::text(&policy, &read, &Request::default());
        let steers = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
        assert!(!told.contains(steers), "{:.200}", told.escape_debug().to_string());
        assert!(told.starts_with("c: "), "{told:.80}");
    }
}

#[test]
fn a_customer_whose_name_could_steer_a_terminal_is_refused_without_it() {
    let policy = policy("[metric]\nm = \"COUNT(*)\"\n");
    for name in [r"c\u202e\u001b[2Jd", r"c\u0007d", r"c\u009bd"] {
        let record = format!(
            r#"{{"data":{{"trans":[{{"id":"1","trans_date":"2026-05-01","credit":1,"customer":"{name}"}}]}}}}"#
        );
        let refused = read_json(record.as_bytes(), "s", &reading(&policy)).unwrap_err().to_string();
        assert!(refused.contains("an invisible character"), "{refused}");
        assert!(!refused.contains(|letter: char| letter.is_control() || letter == '\u{202e}'), "{refused:?}");
    }
}

#[test]
fn a_record_stands_beside_the_value_of_its_own_month() {
    let sections =
        "[month]\ninflow = \"SUM(credit)\"\n[metric]\nm = \"SUM(credit) FILTER (WHERE credit * 2 > inflow)\"\n";
    // June has none; the first of two statements ends before the second begins.
    let records = [
        credit(1, "2026-05-01", "100"),
        credit(2, "2026-05-02", "1"),
        credit(3, "2026-07-01", "3"),
        credit(4, "2026-07-02", "2"),
    ];
    assert_eq!(metric(sections, &records.join(","), &Request::default()), "103");
    let policy = policy(sections);
    let of = |customer: &str| records.join("\n").replace(r#"{"id":"#, &format!(r#"{{"customer":"{customer}","id":"#));
    let both = format!("{}\n{}", of("a"), of("b").replace("2026-0", "2025-0"));
    let read = read_json(both.as_bytes(), "s", &reading(&policy)).unwrap();
    let decisions = decide(&policy, &read, &Request::default()).unwrap();
    assert_eq!(decisions.iter().map(|decision| decision.metrics["m"].as_i64()).collect::<Vec<_>>(), [Some(103); 2]);
}

#[test]
fn down_is_toward_less_and_up_toward_more_below_zero_too() {
    let record = credit(1, "2026-05-01", "7");
    let of = |value: &str| metric(&format!("[metric]\nm = \"{value}\"\n"), &record, &Request::default());
    // -3.5 kobo, and -7 kobo to steps of 5.
    for (name, half, five) in
        [("round_down", "-4", "-10"), ("round_up", "-3", "-5"), ("round", "-4", "-5"), ("round_half_even", "-4", "-5")]
    {
        assert_eq!(of(&format!("{name}(SUM(credit) * -0.5)")), half, "{name}");
        assert_eq!(of(&format!("{name}(-SUM(credit), 0.05)")), five, "{name}");
    }
}

#[test]
fn a_word_is_whole_on_both_sides() {
    let sections = "[metric]\nm = \"COUNT(*) FILTER (WHERE mentions(salary))\"\n";
    for (text, wanted) in
        [("SALARY", "1"), ("SALARYX", "0"), ("XSALARY", "0"), ("SALARY2", "0"), ("(salary)", "1"), ("SALARYÉ", "0")]
    {
        let record = credit(1, "2026-05-01", "7").replace("SALARY", text);
        assert_eq!(metric(sections, &record, &Request::default()), wanted, "{text}");
    }
}
