//! Bad input and odd statements, all the way to the decision: nothing lost, nothing guessed, never an approval out of what is
//! missing. What the reader alone answers for is in `statement::faults`, what a connection does in `client::reads`.

use std::path::Path;

use lendwright::decision::{Decision, Outcome, Request, decide, explain, reading};
use lendwright::files::load_policy;
use lendwright::rules::{Policy, compile};
use lendwright::statement::{Columns, Statements, read_csv, read_json};
use lendwright::words::date::Day;

fn starter() -> Policy {
    load_policy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("rules/starter.toml"), &[]).unwrap()
}

/// A policy of these sections, in minor units.
fn policy(sections: &str) -> Policy {
    let head = "[policy]\nname = \"p\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"Africa/Lagos\"\nstatement_unit = \"minor\"\n";
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

/// The metric `m` of these sections over these records: its value, or the reason why there is none.
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

fn ids(decision: &Decision) -> Vec<&str> {
    decision.reasons.iter().map(|reason| reason.id.as_str()).collect()
}

#[test]
fn an_empty_statement_is_declined_with_the_right_nulls() {
    let decision = one(&starter(), "", &Request::default());
    assert_eq!((decision.outcome, decision.as_of, decision.offers.len()), (Outcome::Decline, None, 0));
    assert_eq!(ids(&decision), ["R01", "R02", "R03", "R04", "R05"]);
    assert_eq!(decision.metrics["credit_total"], 0);
    assert_eq!(decision.metrics["full_months"], 0);
    for (name, reason) in [
        ("first_date", "no_records"),
        ("staleness_days", "no_records"),
        ("longest_gap_days", "no_records"),
        ("credit_mean", "no_records"),
        ("inflow_30d", "no_records"),
        ("activity_rate", "no_records"),
        ("missing_desc_rate", "zero_denominator"),
        ("debit_total", "needs_debit"),
        ("closing_balance", "needs_balance"),
        ("inflow_3m_mean", "needs_3_months"),
    ] {
        assert!(decision.metrics[name].is_null(), "{name}");
        assert_eq!(decision.unknown[name], reason, "{name}");
    }
    let dated = one(&starter(), "", &on("2026-10-31"));
    assert_eq!(dated.metrics["inflow_30d"], 0);
    assert_eq!(dated.outcome, Outcome::Decline);
}

#[test]
fn records_after_as_of_alone_are_an_empty_statement() {
    let records = format!("{},{}", credit(1, "2026-06-01", "500000"), credit(2, "2026-07-01", "500000"));
    let (mut empty, mut later) = (one(&starter(), "", &on("2026-05-31")), one(&starter(), &records, &on("2026-05-31")));
    assert_eq!(later.quality.records, 2);
    for decision in [&mut empty, &mut later] {
        decision.quality = Default::default();
        decision.digests.statement = decision.policy.digest;
    }
    assert_eq!(empty.to_line(), later.to_line());
}

#[test]
fn one_record_is_decided() {
    let decision = one(&starter(), &credit(1, "2026-10-15", "90000.50"), &Request::default());
    assert_eq!((decision.outcome, ids(&decision)), (Outcome::Decline, vec!["R01"]));
    let known =
        ["credit_total", "credit_max", "record_count", "months_covered", "full_months", "span_days", "staleness_days"];
    let values: Vec<i64> = known.iter().map(|name| decision.metrics[*name].as_i64().unwrap()).collect();
    assert_eq!(values, [9_000_050, 9_000_050, 1, 1, 0, 1, 0]);
    assert_eq!(decision.metrics["credit_median"], 9_000_050.0);
    for (name, reason) in [
        ("credit_std", "needs_2_values"),
        ("longest_gap_days", "needs_2_values"),
        ("credit_interval_mean", "needs_2_values"),
        ("inflow_month_cv", "needs_2_values"),
        ("inflow_trend", "needs_2_values"),
        ("inflow_12m_mean", "needs_12_months"),
        ("inflow_spike_30d", "zero_denominator"),
    ] {
        assert_eq!(decision.unknown[name], reason, "{name}");
    }
}

#[test]
fn ten_years_of_records_are_decided() {
    let mut records = vec![credit(0, "2016-11-01", "0")];
    for month in 0..120_u32 {
        let (year, month) = (2016 + (10 + month) / 12, (10 + month) % 12 + 1);
        // On the 28th, and on the last day of the last month.
        let day = if (year, month) == (2026, 10) { 31 } else { 28 };
        records.push(credit(year * 100 + month, &format!("{year}-{month:02}-{day}"), "100000"));
    }
    let decision = one(&starter(), &records.join(","), &Request::default());
    assert_eq!((decision.outcome, ids(&decision)), (Outcome::Offer, vec![]));
    let known = [
        "months_covered",
        "full_months",
        "missing_months",
        "span_days",
        "credit_total",
        "inflow_365d",
        "longest_gap_days",
    ];
    let values: Vec<i64> = known.iter().map(|name| decision.metrics[*name].as_i64().unwrap()).collect();
    assert_eq!(values, [120, 120, 0, 3_652, 1_200_000_000, 120_000_000, 33]);
    assert_eq!(decision.metrics["inflow_12m_mean"], 10_000_000.0);
    assert_eq!(decision.metrics["first_date"], "2016-11-01");
}

#[test]
fn a_million_records_in_one_statement_are_decided_exactly() {
    let mut table = String::from("customer,trans_date,credit\n");
    let first = Day::parse_iso("2024-11-01").unwrap().days();
    let days: Vec<String> = (0..730).map(|day| Day::from_days(first + day).to_string()).collect();
    for record in 0..1_000_000_usize {
        // Scattered, so that they must be put in order.
        let day = &days[record * 7_919 % 730];
        table.push_str(&format!("c,{day},{}.25\n", record % 1_000));
    }
    let policy = starter();
    let read = read_csv(table.as_bytes(), "large", &reading(&policy), &Columns::default()).unwrap();
    let decision = decide(&policy, &read, &Request::default()).unwrap().remove(0);
    assert_eq!((decision.outcome, decision.as_of), (Outcome::Offer, Day::parse_iso("2026-10-31")));
    assert_eq!(decision.metrics["record_count"], 1_000_000);
    assert_eq!(decision.metrics["credit_total"], 49_975_000_000_i64);
    assert_eq!(decision.metrics["credit_mean"], 49_975.0);
    assert_eq!(decision.metrics["credit_median"], 49_975.0);
    assert_eq!(decision.metrics["active_days"], 730);
    assert_eq!(decision.metrics["full_months"], 24);
    assert_eq!(decision.metrics["months_covered"], 24);
}

#[test]
fn amounts_at_the_edge_are_exact_and_beyond_it_unknown() {
    let edge = "92233720368547758.07";
    let records = |amounts: &[&str]| -> String {
        let each = amounts.iter().enumerate();
        each.map(|(index, amount)| credit(index as u32, &format!("2026-{:02}-28", index + 5), amount))
            .collect::<Vec<_>>()
            .join(",")
    };
    let single = one(&starter(), &records(&[edge]), &Request::default());
    assert_eq!((&single.metrics["credit_total"], &single.metrics["credit_max"]), (&i64::MAX.into(), &i64::MAX.into()));
    let both = one(&starter(), &records(&[edge, "0.01"]), &Request::default());
    assert_eq!(both.metrics["credit_max"], i64::MAX);
    assert_eq!(both.metrics["credit_mean"], 4_611_686_018_427_387_904.0);
    for name in ["credit_total", "salary_total", "income_total", "annualised_inflow", "betting_credit_share"] {
        assert!(both.metrics[name].is_null(), "{name}");
        assert_eq!(both.unknown[name], "overflow", "{name}");
    }
    // Enough months, so that only what cannot be known stands in the way of an offer.
    let mut long: Vec<String> = (1..=9).map(|month| credit(month, &format!("2026-{month:02}-01"), "200000")).collect();
    long.extend([credit(20, "2026-09-30", edge), credit(21, "2026-09-30", edge)]);
    let decision = one(&starter(), &long.join(","), &Request::default());
    assert_eq!(decision.outcome, Outcome::Decline);
    assert!(decision.offers.is_empty() && ids(&decision).contains(&"R04"), "{:?}", decision.reasons);
    let without = one(&starter(), &long[..10].join(",").replace(edge, "200000"), &Request::default());
    assert_eq!(without.outcome, Outcome::Offer, "{:?}", without.reasons);
}

#[test]
fn an_overflow_counts_where_its_record_counts() {
    let sections = |filter: &str| format!("[metric]\nm = \"SUM(credit * 1000000){filter}\"\n");
    let small = credit(1, "2026-05-01", "7");
    let large = credit(2, "2026-06-01", "9000000000000000000");
    let records = format!("{small},{large}");
    let none = Request::default();
    assert_eq!(metric(&sections(""), &records, &none), "overflow");
    // In a record that is left out, or comes later, it is nobody's business.
    assert_eq!(metric(&sections(" FILTER (WHERE credit < 100)"), &records, &none), "7000000");
    assert_eq!(metric(&sections(""), &records, &on("2026-05-31")), "7000000");
    // A test that cannot be computed leaves nothing out in silence.
    assert_eq!(metric("[metric]\nm = \"COUNT(*) FILTER (WHERE credit * 1000000 > 0)\"\n", &records, &none), "overflow");
    assert_eq!(metric("[metric]\nm = \"COUNT(*) FILTER (WHERE (credit * 1000000) IS NULL)\"\n", &records, &none), "1");
    let guarded = "[metric]\nm = \"SUM(CASE WHEN credit < 100 THEN credit * 1000000 ELSE 0 END)\"\n";
    assert_eq!(metric(guarded, &records, &none), "7000000");
    // A month that is left out likewise.
    let months =
        |filter: &str| format!("[month]\ninflow = \"SUM(credit * 1000000)\"\n[metric]\nm = \"MAX(inflow){filter}\"\n");
    assert_eq!(metric(&months(""), &records, &none), "overflow");
    assert_eq!(metric(&months(" FILTER (WHERE month_number = 0)"), &records, &none), "7000000");
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
    let sections = "[month]\ninflow = \"SUM(credit)\"\n[transaction]\nmain = \"credit * 2 > inflow AND debit IS NULL OR COALESCE(debit, inflow) > 5\"\n\
                    [metric]\nm = \"COUNT(*) FILTER (WHERE main)\"\n";
    let records = format!(r#"{},{{"id":"2","trans_date":"2026-06-01","debit":4}}"#, credit(1, "2026-05-01", "7"));
    assert_eq!(metric(sections, &records, &on("2026-04-30")), "needs_debit");
    assert_eq!(metric(sections, &records, &Request::default()), "1");
}

#[test]
fn a_date_beyond_all_days_is_unknown_with_a_reason() {
    let records = credit(1, "2026-05-01", "7");
    let of = |value: &str| metric(&format!("[metric]\nm = \"{value}\"\n"), &records, &Request::default());
    let last = Day::parse_iso("2200-12-31").unwrap().days() - Day::parse_iso("2026-05-01").unwrap().days();
    assert_eq!(of(&format!("as_of + {last}")), "\"2200-12-31\"");
    assert_eq!(of(&format!("as_of + {}", last + 1)), "overflow");
    assert_eq!(of("as_of + 100000"), "overflow");
    assert_eq!(of("as_of - 9223372036854775807"), "overflow");
    assert_eq!(of("MAX(trans_date + 100000)"), "overflow");
    // A window is no date: it may be as long as anyone likes.
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
        let record = format!(
            r#"{{"id":"1","trans_date":"2026-05-01","credit":1,"customer":"c\u202e\u001b[2J","notes":{{"desc":"{narration}"}}}}"#
        );
        let read = read(&policy, &record);
        let decision = decide(&policy, &read, &Request::default()).unwrap().remove(0);
        assert_eq!(decision.metrics["m"], 1, "{narration:.40}");
        let again: Decision = serde_json::from_str(&decision.to_line()).unwrap();
        assert_eq!(again, decision);
        let told = explain(&policy, &read, &Request::default()).unwrap().remove(0);
        let steers = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
        assert!(!told.contains(steers), "{:.200}", told.escape_debug().to_string());
        assert!(told.starts_with(r"c\u{202e}\u{1b}[2J: "), "{told:.80}");
    }
}
