//! Weeks, days, months, counterparties and streams, and functions that look from one row at another: small hand-made
//! statements with the expected results.

use lendwright::base::date::Day;
use lendwright::compile;
use lendwright::decision::{Decision, ReadyPlan, Request, decide, reading};
use lendwright::rules::Policy;
use lendwright::statement::read_json;
use serde_json::{Value, json};

/// In yen, which have no minor units, so that amounts are the same in both units.
const HEADER: &str = "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"392\"\nstatement_unit = \"minor\"\n\
                      time_zone = \"UTC\"\n\
                      [words]\npay = [\"salary\", \"wages\"]\n";

fn policy(rules: &str) -> Policy {
    let text = format!("{HEADER}{rules}");
    compile("x.toml", &text, &mut |_| Err("no files".into()), &[]).unwrap_or_else(|refused| panic!("{refused}\n{text}"))
}

/// Records, one per line: the day, `+` money in or `-` money out, then optionally `=` the balance, the counterparty,
/// and `"` the narration.
fn records(customer: &str, lines: &str) -> Vec<Value> {
    let lines = lines.lines().map(str::trim).filter(|line| !line.is_empty());
    let record = |(number, line): (usize, &str)| {
        let (line, narration) = line.split_once('"').unwrap_or((line, ""));
        let mut parts = line.split_whitespace();
        let mut record = json!({"id": format!("{customer}{number}"), "customer": customer, "notes": {}});
        record["trans_date"] = json!(parts.next().unwrap());
        if !narration.is_empty() {
            record["notes"]["desc"] = json!(narration);
        }
        for part in parts {
            let amount = || json!(part[1..].parse::<i64>().unwrap());
            match part.as_bytes()[0] {
                b'+' => record["credit"] = amount(),
                b'-' => record["debit"] = amount(),
                b'=' => record["balance"] = amount(),
                _ => record["notes"]["people"] = json!([part]),
            }
        }
        record
    };
    lines.enumerate().map(record).collect()
}

fn decided(policy: &Policy, records: &[Value], as_of: Option<&str>) -> Vec<Decision> {
    let text: String = records.iter().map(|record| format!("{record}\n")).collect();
    let statements = read_json(text.as_bytes(), "inline", &reading(policy)).unwrap();
    let request = as_of.map_or_else(Request::default, |day| Request::on(Day::parse_iso(day).unwrap()));
    decide(policy, &statements, &request).unwrap()
}

/// Rules with a metric for each expression.
fn with_metrics(rules: &str, expected: &[(&str, Value)]) -> Policy {
    let metrics = expected.iter().enumerate().map(|(at, (is, _))| format!("k{at} = '''{is}'''\n"));
    policy(&format!("{rules}\n[metric]\n{}", metrics.collect::<String>()))
}

/// Differences from the expected values, one expression per line; an unknown is its reason after a `?`.
fn wrong(decision: &Decision, expected: &[(&str, Value)]) -> String {
    let mut wrong = String::new();
    for (at, (is, value)) in expected.iter().enumerate() {
        let name = format!("k{at}");
        let found = match decision.unknown.get(&name) {
            Some(why) => json!(format!("?{why}")),
            None => decision.metrics[&name].clone(),
        };
        let same = match (found.as_f64(), value.as_f64()) {
            (Some(found), Some(value)) => (found - value).abs() < 1e-9,
            _ => found == *value,
        };
        if !same {
            wrong += &format!("{is} is {found}, expected {value}\n");
        }
    }
    wrong
}

fn are(decision: &Decision, expected: &[(&str, Value)], statement: &str) {
    let wrong = wrong(decision, expected);
    assert!(wrong.is_empty(), "{wrong}{statement}");
}

fn hold(rules: &str, statement: &str, as_of: Option<&str>, expected: &[(&str, Value)]) {
    let policy = with_metrics(rules, expected);
    let decisions = decided(&policy, &records("a", statement), as_of);
    assert_eq!(decisions.len(), 1);
    are(&decisions[0], expected, statement);
}

/// The file explains the form of its cases.
#[test]
fn small_statements_come_out_as_the_cases_say() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/groups/cases.txt");
    let text = std::fs::read_to_string(path).unwrap();
    let (mut figures, mut all_wrong) = (0, String::new());
    for case in text.split("\n## ").skip(1) {
        let (name, case) = case.split_at(case.find('\n').unwrap());
        let mut statements = case.split("\n---");
        let rules = statements.next().unwrap();
        for statement in statements {
            let (as_of, statement) = statement.split_once('\n').unwrap();
            let (lines, expected) = statement.split_once("\n=>\n").unwrap();
            let said = |line: &&str| !line.is_empty() && !line.starts_with('#');
            let lines: Vec<&str> = lines.lines().filter(said).collect();
            let expected: Vec<(&str, Value)> = expected
                .lines()
                .filter(said)
                .map(|line| line.rsplit_once(" -> ").unwrap_or_else(|| panic!("{name}: {line}")))
                .map(|(is, value)| (is, serde_json::from_str(value).unwrap()))
                .collect();
            let policy = with_metrics(rules, &expected);
            let decisions = decided(&policy, &records("a", &lines.join("\n")), as_of.strip_prefix(" as of "));
            assert_eq!(decisions.len(), 1, "{name}");
            let wrong = wrong(&decisions[0], &expected);
            if !wrong.is_empty() {
                all_wrong += &format!("## {name}\n{wrong}");
            }
            figures += expected.len();
        }
    }
    assert!(all_wrong.is_empty(), "{all_wrong}");
    assert!(figures >= 147, "{figures} figures");
}

#[test]
fn days_are_counted_over_leap_days_and_to_the_ends_of_the_calendar() {
    for (first, last, days) in [
        ("2024-02-28", "2024-03-01", 3),
        ("2023-02-28", "2023-03-01", 2),
        ("2000-02-28", "2000-03-01", 3),
        ("2100-02-28", "2100-03-01", 2),
        ("2025-12-31", "2026-01-01", 2),
        ("2026-01-01", "2026-01-01", 1),
        // The first and the last possible day.
        ("1900-01-01", "1900-01-02", 2),
        ("2200-12-30", "2200-12-31", 2),
        ("1900-01-01", "2200-12-31", 109_938),
    ] {
        let rules = "[day]\ncame = \"SUM(credit)\"\n";
        let expected = [
            ("COUNT(day_number)", json!(days)),
            ("MAX(day_number)", json!(days - 1)),
            ("MIN(day_date)", json!(first)),
            ("LAST(day_date)", json!(last)),
            ("COUNT(*) FILTER (WHERE came = 0)", json!((days - 2).max(0))),
            ("MIN(week_start) <= MIN(trans_date)", json!(true)),
            ("MAX(trans_date) - MAX(week_start) BETWEEN 0 AND 6", json!(true)),
            ("LAST(month_start) = month_start_of(MAX(trans_date))", json!(true)),
        ];
        hold(rules, &format!("{first} +7\n{last} +9"), None, &expected);
    }
}

const ALL: &str = "[week]\nw = \"SUM(credit)\"\n[day]\nd = \"SUM(credit)\"\nlast = \"CARRIED(LAST(balance))\"\n\
                   [month]\nm = \"SUM(credit)\"\ngrown = \"m - PREVIOUS(m)\"\n\
                   [counterparty]\nc = \"SUM(credit)\"\nplace = \"RANK(c)\"\n[stream]\ns = \"SUM(credit)\"\n\
                   [transaction]\nafter = \"SUM_AFTER(credit, 30)\"\n";

#[test]
fn a_statement_without_records_has_no_groups() {
    let expected = [
        ("COUNT(w)", json!(0)),
        ("SUM(d)", json!(0)),
        ("COUNT(*) FILTER (WHERE month_is_full)", json!(0)),
        ("COUNT(DISTINCT counterparty)", json!(0)),
        ("SUM(s)", json!(0)),
        ("SUM(after)", json!(0)),
        ("MAX(w)", json!("?no_records")),
        ("MODE(credit)", json!("?no_records")),
        ("BENFORD(credit)", json!("?needs_100_values")),
        ("MIN(grown)", json!("?no_records")),
        ("MAX(place)", json!("?no_records")),
        ("MIN(last)", json!("?needs_balance")),
        ("COUNT(*) FILTER (WHERE mirrored(3))", json!("?needs_debit")),
    ];
    let policy = with_metrics(ALL, &expected);
    let text = br#"{"status": "success", "data": {"transactions": []}}"#;
    let statements = read_json(text, "inline", &reading(&policy)).unwrap();
    for decision in decide(&policy, &statements, &Request::on(Day::parse_iso("2026-01-01").unwrap())).unwrap() {
        are(&decision, &expected, "no records");
    }
    // All records are after the day: they exist, and count for nothing.
    are(
        &decided(&policy, &records("a", "2026-02-01 +5 =5 ada\n2026-02-09 -5 =0 ada"), Some("2026-01-31"))[0],
        &expected,
        "all later",
    );
}

#[test]
fn a_statement_of_one_record() {
    let expected = [
        ("COUNT(w)", json!(1)),
        ("SUM(d)", json!(5)),
        ("COUNT(*) FILTER (WHERE month_is_full OR week_is_full)", json!(0)),
        ("MAX(place)", json!(1)),
        ("FIRST(counterparty)", json!("ada")),
        ("COUNT(s)", json!(0)),
        ("SUM(after)", json!(0)),
        ("MODE(credit)", json!(5)),
        ("MIN(grown)", json!("?no_records")),
        ("MAX(PREVIOUS(credit))", json!("?no_records")),
        ("MAX(CARRIED(credit))", json!(5)),
        ("MIN(last)", json!("?needs_balance")),
        ("STDDEV(c)", json!("?needs_2_values")),
    ];
    hold(ALL, "2026-01-05 +5 Ada", None, &expected);
}

#[test]
fn records_after_the_day_are_in_no_group_and_beside_nobody() {
    let statement = "2026-01-05 +5 ada\n2026-01-20 +7 bola\n2026-02-03 +900 chi\n2026-02-03 -7 bola";
    let expected = [
        ("COUNT(m)", json!(1)),
        ("COUNT(w)", json!(3)),
        ("LAST(day_date)", json!("2026-01-20")),
        ("COUNT(c)", json!(2)),
        ("MAX(c)", json!(7)),
        ("FIRST(counterparty) FILTER (WHERE place = 1)", json!("bola")),
        ("SUM(after)", json!(7)),
        ("COUNT(NEXT(credit))", json!(1)),
        ("MAX(RANK(credit))", json!(2)),
        // The mirror is not there yet.
        ("has_debit", json!(false)),
        ("COUNT(*) FILTER (WHERE mirrored(30))", json!("?needs_debit")),
    ];
    hold(ALL, statement, Some("2026-01-31"), &expected);
    hold(ALL, statement, None, &[("COUNT(*) FILTER (WHERE mirrored(30))", json!(2)), ("COUNT(c)", json!(3))]);
}

#[test]
fn statements_of_one_file_know_nothing_of_each_other() {
    let one = "2026-01-05 +5 ada\n2026-01-06 +9 bola\n2026-01-07 -9 chi";
    let other = "2026-01-05 +7 =7 ada\n2026-01-06 +9 chi\n2026-01-08 -9 bola";
    let expected = |first: i64, debits: i64, balance: Value| {
        [
            ("COUNT(c)", json!(3)),
            ("FIRST(c)", json!(first)),
            ("FIRST(PREVIOUS(credit))", json!(first)),
            ("LAST(NEXT(credit))", json!(9)),
            ("COUNT(PREVIOUS(trans_date))", json!(2)),
            ("MIN(RANK(credit))", json!(1)),
            ("MAX(RANK(credit))", json!(2)),
            ("SUM(SUM_BEFORE(credit, 400))", json!(first + first + 9)),
            ("SUM(SUM_AFTER(debit, 400))", json!(debits)),
            ("COUNT(*) FILTER (WHERE mirrored(9))", json!(0)),
            ("COUNT(last)", balance),
        ]
    };
    let policy = with_metrics(ALL, &expected(5, 18, json!("?needs_balance")));
    let both: Vec<Value> = [records("a", one), records("b", other)].concat();
    let decisions = decided(&policy, &both, None);
    assert_eq!(decisions.len(), 2);
    are(&decisions[0], &expected(5, 18, json!("?needs_balance")), one);
    are(&decisions[1], &expected(7, 18, json!(4)), other);
}

#[test]
fn first_digits_are_held_against_benford() {
    let expected = [("BENFORD(credit)", json!(1.0 - std::f64::consts::LOG10_2))];
    // All begin with a one: nine of ten are where the law has them, and the total is off by what the others should
    // have.
    let ones: String = (0..100).map(|at| format!("2026-01-05 +1{at}\n")).collect();
    hold("", &ones, None, &expected);
    let few: String = ones.lines().take(99).map(|line| format!("{line}\n")).collect();
    hold("", &few, None, &[("BENFORD(credit)", json!("?needs_100_values"))]);
    // For days with one record each the law says nothing.
    let law: String = (1..=9u32)
        .flat_map(|digit| {
            let count = (libm::log10(1.0 + 1.0 / f64::from(digit)) * 1000.0).round() as usize;
            std::iter::repeat_n(format!("2026-01-05 +{digit}00\n"), count)
        })
        .collect();
    hold("", &law, None, &[("BENFORD(credit) < 0.001", json!(true))]);
}

#[test]
fn of_ready_metrics_the_given_reason_is_told() {
    let policy = policy(
        "[metric]\nspent = \"SUM(debit)\"\ncame = \"SUM(credit)\"\nbalance_low = \"MIN(CARRIED(balance))\"\n\
         why_spent = \"why(spent)\"\nwhy_came = \"why(came)\"\n\
         why_low = \"why(balance_low)\"\nwhy_share = \"why(spent / came)\"\n[[require]]\nid = \"R\"\n\
         when = \"why_spent = '' AND why_came = '' AND why_low = '' AND why_share = ''\"\n\
         reason = \"{why_spent} {why_came} {why_low} {why_share}\"\n",
    );
    let plan = ReadyPlan::new(&policy, &["spent", "came"]).unwrap();
    let mut rows = plan.rows();
    let given = json!({"spent": null, "came": 0});
    rows.push_json("one", None, given.as_object().unwrap()).unwrap();
    let decision = plan.decide(rows, &Request::default()).unwrap().remove(0);
    let told: Vec<&Value> =
        ["why_spent", "why_came", "why_low", "why_share"].map(|name| &decision.metrics[name]).to_vec();
    assert_eq!(told, ["not_given", "", "not_given", "not_given"], "{:?}", decision.reasons);
}

/// All streams of a policy are found by one parameter, whichever file declares it.
#[test]
fn streams_are_found_by_the_tolerance_that_is_declared() {
    let wide = "[parameters]\nstream_tolerance = 0.2\n";
    let narrow = "[parameters]\nstream_tolerance = 0.02\n";
    let streams = "[stream]\nlive = \"stream_is_live\"\n[metric]\nfound = \"COUNT(*) FILTER (WHERE live)\"\n";
    let pay = ["1000", "1080", "940", "1010", "1090", "930"];
    let lines: String = (1..).zip(pay).map(|(month, pay)| format!("2025-{month:02}-25 +{pay} acme\n")).collect();
    let records = records("c", &lines);
    let in_a_file = |text: &str, given: &[(&str, &str)]| {
        let (inner, outer) = (format!("{text}{streams}"), "use = [{ file = \"f.toml\", as = \"q\" }]\n");
        let words = HEADER.find("[words]").unwrap();
        let outer = format!("{}{outer}[metric]\nfound = \"q.found\"\n", &HEADER[..words]);
        let given: Vec<_> = given.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        compile("x.toml", &outer, &mut |_| Ok(inner.clone()), &given).unwrap_or_else(|refused| panic!("{refused}"))
    };
    let found = |policy: &Policy| {
        let is_of_it = |message: &str| message.contains("stream_tolerance");
        assert!(!policy.warnings().iter().any(|told| is_of_it(&told.message)), "{:?}", policy.warnings());
        decided(policy, &records, None)[0].metrics["found"].clone()
    };
    assert_eq!(found(&policy(&format!("{wide}{streams}"))), 1);
    assert_eq!(found(&policy(&format!("{narrow}{streams}"))), 0);
    assert_eq!(found(&in_a_file(wide, &[])), 1);
    assert_eq!(found(&in_a_file(narrow, &[])), 0);
    assert_eq!(found(&in_a_file(wide, &[("q.stream_tolerance", "0.02")])), 0);
}

/// A value that is no tolerance is refused, not ignored.
#[test]
fn a_tolerance_that_is_no_share_is_refused() {
    let told = |value: &str| {
        let text = format!(
            "{HEADER}[parameters]\nstream_tolerance = {value}\n[metric]\nx = \"MAX(stream_records)\"\n\
             y = \"COUNT(*) FILTER (WHERE mentions(pay))\"\n"
        );
        let found = compile("x.toml", &text, &mut |_| Err("no files".into()), &[]);
        found.err().map(|refused| refused.diagnostics.iter().map(|told| told.code.to_string()).collect::<Vec<_>>())
    };
    let wrong = [
        "\"wide\"",
        "true",
        "{ value = 0.5, unit = \"money\" }",
        "{ value = 1, unit = \"days\" }",
        "nan",
        "-1",
        "0",
        "1e300",
    ];
    for value in wrong.into_iter().chain(["1.01", "{ values = { 2020-01-01 = 0.05 } }"]) {
        assert_eq!(told(value).as_deref(), Some(&["parameter".to_owned()][..]), "{value}");
    }
    for value in ["0.15", "1", "{ value = 0.2, unit = \"ratio\" }"] {
        assert_eq!(told(value), None, "{value}");
    }
}

/// A month's share of a weekly stream may be too large: it is unknown, and so is everything computed from it.
#[test]
fn a_month_of_a_stream_that_is_too_large_is_unknown() {
    let expected = [
        ("MAX(stream_amount)", json!(3_000_000_000_000_000_000i64)),
        ("MAX(stream_month_amount)", json!("?overflow")),
        ("SUM(stream_month_amount) FILTER (WHERE stream_is_live)", json!("?overflow")),
        ("COUNT(*) FILTER (WHERE stream_records > 0)", json!(1)),
    ];
    let policy = with_metrics("", &expected);
    let week = |week: i32| Day::from_days(Day::parse_iso("2024-01-05").unwrap().days() + 7 * week);
    let lines: String = (0..9).map(|at| format!("{} +3000000000000000000 acme\n", week(at))).collect();
    are(&decided(&policy, &records("c", &lines), None)[0], &expected, &lines);
}
