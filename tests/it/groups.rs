//! Weeks, days, months, counterparties and streams, and what looks from one row at another: small statements made by hand, and what comes out.

use lendwright::compile;
use lendwright::decision::{Decision, ReadyPlan, Request, decide, reading};
use lendwright::rules::Policy;
use lendwright::statement::read_json;
use lendwright::words::date::Day;
use serde_json::{Value, json};

/// In yen, which have no minor units: what is written is what comes out.
const HEADER: &str = "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"392\"\nstatement_unit = \"minor\"\ntime_zone = \"UTC\"\n\
                      [words]\npay = [\"salary\", \"wages\"]\n";

fn policy(rules: &str) -> Policy {
    let text = format!("{HEADER}{rules}");
    compile("x.toml", &text, &mut |_| Err("no files".into()), &[]).unwrap_or_else(|refused| panic!("{refused}\n{text}"))
}

/// Records, one a line: the day, `+` what came in or `-` what went out, perhaps `=` the balance, perhaps who, perhaps `"` the narration.
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

/// What each expression is; of an unknown one its reason after a `?`.
fn are(decision: &Decision, expected: &[(&str, Value)], statement: &str) {
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
        assert!(same, "{is} is {found}, expected {value}\n{statement}");
    }
}

fn hold(rules: &str, statement: &str, as_of: Option<&str>, expected: &[(&str, Value)]) {
    let policy = with_metrics(rules, expected);
    let decisions = decided(&policy, &records("a", statement), as_of);
    assert_eq!(decisions.len(), 1);
    are(&decisions[0], expected, statement);
}

#[test]
fn weeks_go_from_monday_to_sunday_over_the_end_of_a_year() {
    let rules = "[week]\nspent = \"SUM(debit)\"\nspans = \"MAX(trans_date) - MIN(trans_date)\"\n";
    // A Sunday; the whole week of New Year; nothing for a week; a Monday.
    let statement = "2025-12-28 -5\n2025-12-29 -10\n2026-01-01 +3\n2026-01-04 -20\n2026-01-12 -40";
    hold(
        rules,
        statement,
        None,
        &[
            ("COUNT(week_number)", json!(4)),
            ("MIN(week_start)", json!("2025-12-22")),
            ("LAST(week_start)", json!("2026-01-12")),
            ("SUM(spent)", json!(75)),
            ("SUM(spent) FILTER (WHERE week_is_full)", json!(30)),
            ("COUNT(*) FILTER (WHERE week_is_full)", json!(2)),
            ("MIN(spent)", json!(0)),
            ("SUM(week_records) FILTER (WHERE week_number = 1)", json!(3)),
            ("MAX(spans)", json!(6)),
            // Of a week without records.
            ("COUNT(*) FILTER (WHERE is_unknown(spans))", json!(1)),
            ("ARG_MAX(week_start, spent)", json!("2026-01-12")),
        ],
    );
    // One that begins and ends within its statement is full, by a day less it is not.
    hold("", "2025-12-29 +1\n2026-01-04 +1", None, &[("COUNT(*) FILTER (WHERE week_is_full)", json!(1))]);
    hold("", "2025-12-29 +1\n2026-01-03 +1", None, &[("COUNT(*) FILTER (WHERE week_is_full)", json!(0))]);
    hold("", "2025-12-30 +1\n2026-01-04 +1", None, &[("COUNT(*) FILTER (WHERE week_is_full)", json!(0))]);
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
        // The first and the last day that there are.
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

const ALL: &str = "[week]\nw = \"SUM(credit)\"\n[day]\nd = \"SUM(credit)\"\nlast = \"CARRIED(LAST(balance))\"\n[month]\nm = \"SUM(credit)\"\ngrown = \"m - PREVIOUS(m)\"\n\
                   [counterparty]\nc = \"SUM(credit)\"\nplace = \"RANK(c)\"\n[stream]\ns = \"SUM(credit)\"\n[transaction]\nafter = \"SUM_AFTER(credit, 30)\"\n";

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
    // All records are after the day: they are there, and count for nothing.
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
        // The mirror has not come yet.
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
fn what_a_statement_lacks_its_groups_and_neighbours_lack() {
    let rules = "[week]\nspent = \"SUM(debit)\"\nrecords = \"COUNT(*)\"\n[counterparty]\nnet = \"COALESCE(SUM(credit), 0) - COALESCE(SUM(debit), 0)\"\nplace = \"RANK(net)\"\n\
                 [day]\nclosing = \"CARRIED(LAST(balance))\"\n[transaction]\nswept = \"SUM_AFTER(debit, 1) > 0\"\nwhose = \"net > 0\"\n";
    let expected = [
        ("SUM(spent)", json!("?needs_debit")),
        ("SUM(records) FILTER (WHERE spent > 0)", json!("?needs_debit")),
        ("SUM(records)", json!(2)),
        ("MAX(PREVIOUS(spent))", json!("?needs_debit")),
        ("SUM(net) FILTER (WHERE place <= 3)", json!("?needs_debit")),
        ("COUNT(*) FILTER (WHERE swept)", json!("?needs_debit")),
        ("COUNT(*) FILTER (WHERE whose)", json!("?needs_debit")),
        ("COUNT(*) FILTER (WHERE mirrored(3))", json!("?needs_debit")),
        ("SUM(SUM_BEFORE(debit, 3))", json!("?needs_debit")),
        ("BENFORD(debit)", json!("?needs_debit")),
        ("MODE(debit)", json!("?needs_debit")),
        ("MIN(closing)", json!("?needs_balance")),
        ("MIN(CARRIED(balance))", json!("?needs_balance")),
        ("COUNT(*) FILTER (WHERE CARRIED(balance) < 5)", json!("?needs_balance")),
        ("SUM(change)", json!(12)),
    ];
    hold(rules, "2026-01-05 +5 ada\n2026-01-06 +7 ada", None, &expected);
}

#[test]
fn ranks_of_equals_are_in_their_order_and_unknowns_have_none() {
    let rules =
        "[transaction]\nplace = \"RANK(credit)\"\n[counterparty]\npaid = \"SUM(credit)\"\ntop = \"RANK(paid)\"\n";
    let statement = "2026-01-05 +5 ada\n2026-01-06 +9 bola\n2026-01-07 -3 chi\n2026-01-08 +9 dayo\n2026-01-09 +5 ada\n2026-01-09 +1 efe";
    let who = |place: i64| format!("FIRST(counterparty) FILTER (WHERE top = {place})");
    let whos: Vec<String> = (1..=5).map(who).collect();
    let mut expected = vec![
        ("MIN(trans_date) FILTER (WHERE place = 1)", json!("2026-01-06")),
        ("MIN(trans_date) FILTER (WHERE place = 2)", json!("2026-01-08")),
        ("MIN(trans_date) FILTER (WHERE place = 3)", json!("2026-01-05")),
        ("MIN(trans_date) FILTER (WHERE place = 4)", json!("2026-01-09")),
        ("COUNT(place)", json!(5)),
        ("MIN(RANK(trans_date)) FILTER (WHERE credit = 1)", json!(2)),
        ("SUM(paid) FILTER (WHERE top <= 3)", json!(28)),
    ];
    // Ada's 10, then two of 9 in the order in which they are met, then 1 and 0.
    expected.extend(whos.iter().map(String::as_str).zip(["ada", "bola", "dayo", "efe", "chi"].map(Value::from)));
    hold(rules, statement, None, &expected);
}

#[test]
fn neighbours_pass_over_nothing_and_what_is_carried_passes_over_the_unknown() {
    let rules = "[day]\nclosing = \"LAST(balance)\"\nkept = \"CARRIED(closing)\"\nbefore = \"PREVIOUS(kept)\"\n\
                 [transaction]\ngap = \"trans_date - PREVIOUS(trans_date)\"\nwas = \"PREVIOUS(balance)\"\n";
    let statement = "2026-01-01 +1\n2026-01-02 +5 =5\n2026-01-02 +5 =10\n2026-01-05 -9\n2026-01-06 -8 =2";
    let expected = [
        ("COUNT(kept)", json!(5)),
        ("SUM(kept)", json!(42)),
        ("AVG(kept)", json!(8.4)),
        ("COUNT(closing)", json!(2)),
        ("COUNT(before)", json!(4)),
        ("LAST(kept - before)", json!(-8)),
        ("COUNT(*) FILTER (WHERE kept < 10)", json!(1)),
        ("MAX(gap)", json!(3)),
        ("COUNT(gap)", json!(4)),
        ("COUNT(was)", json!(2)),
        ("SUM(NEXT(balance))", json!(17)),
        ("SUM(CARRIED(balance))", json!(27)),
        ("COUNT(CARRIED(PREVIOUS(balance)))", json!(3)),
        ("COUNT(PREVIOUS(PREVIOUS(trans_date)))", json!(3)),
    ];
    hold(rules, statement, None, &expected);
}

#[test]
fn months_are_compared_with_the_month_before() {
    let rules = "[month]\ninflow = \"SUM(credit)\"\ngrowth = \"inflow / PREVIOUS(inflow) - 1\"\nnew_payers = \"COUNT(DISTINCT counterparty)\"\n";
    let statement = "2025-10-31 +100 ada\n2025-11-10 +200 ada\n2025-11-11 +100 bola\n2026-01-10 +50 chi";
    let expected = [
        ("COUNT(inflow)", json!(4)),
        ("FIRST(growth)", json!(2.0)),
        ("MIN(growth)", json!(-1.0)),
        // October has none before it, and January one of nothing.
        ("COUNT(growth)", json!(2)),
        ("MAX(new_payers)", json!(2)),
        ("SUM(PREVIOUS(inflow)) FILTER (WHERE inflow = 0)", json!(300)),
        ("COUNT(*) FILTER (WHERE credit > PREVIOUS(inflow))", json!(2)),
    ];
    hold(rules, statement, None, &expected);
}

#[test]
fn everybody_is_a_group_and_nobody_is_none() {
    let rules = "[counterparty]\npaid = \"SUM(credit)\"\nfirst_paid = \"MIN(trans_date)\"\nmonths = \"COUNT(DISTINCT month_number)\"\nweeks = \"COUNT(DISTINCT week_start)\"\n\
                 [transaction]\nis_regular = \"months >= 2\"\n";
    let nobody = "2026-01-05 +5\n2026-02-06 +7 \"2026/02";
    let expected = [
        ("COUNT(paid)", json!(0)),
        ("COUNT(counterparty)", json!(0)),
        ("COUNT(*) FILTER (WHERE counterparty IS NULL)", json!(2)),
        ("COUNT(*) FILTER (WHERE is_unknown(paid) AND credit > 0)", json!(2)),
        ("COUNT(*) FILTER (WHERE is_regular)", json!(0)),
        ("MAX(paid)", json!("?no_records")),
    ];
    hold(rules, nobody, None, &expected);
    let one = "2026-01-05 +5 Ada\n2026-01-06 +5 ADA\n2026-02-06 -7 ada";
    let expected = [
        ("COUNT(paid)", json!(1)),
        ("SUM(counterparty_records)", json!(3)),
        ("MAX(months)", json!(2)),
        ("MAX(weeks)", json!(2)),
        ("COUNT(*) FILTER (WHERE is_regular)", json!(3)),
        ("MAX(paid) / SUM(credit)", json!(1.0)),
        ("MODE(counterparty)", json!("ada")),
    ];
    hold(rules, one, None, &expected);
    let some = "2026-01-05 +5 ada\n2026-01-06 +100\n2026-02-06 +7 bola\n2026-02-07 +1 ada";
    let expected = [
        ("COUNT(paid)", json!(2)),
        ("SUM(paid)", json!(13)),
        ("SUM(credit) FILTER (WHERE is_regular)", json!(6)),
        ("SUM(credit) FILTER (WHERE counterparty_records = 1 AND credit > 0)", json!(7)),
        ("COUNT(*) FILTER (WHERE counterparty_records = 1)", json!(1)),
        ("MAX(first_paid)", json!("2026-02-06")),
        // A month and a counterparty meet at the records.
        ("COUNT(*) FILTER (WHERE month_number = 1 AND months = 2)", json!(1)),
        ("COUNT(DISTINCT month_number) FILTER (WHERE paid > 6)", json!(1)),
    ];
    hold(rules, some, None, &expected);
}

/// What is asked of a counterparty is asked of records that have none, too; but ranks are those of counterparties wherever they are asked for.
#[test]
fn records_without_a_group_are_asked_as_well() {
    let rules = "[counterparty]\npaid = \"SUM(credit)\"\n[month]\nothers = \"COUNT(*) FILTER (WHERE COALESCE(paid > 9, TRUE))\"\n\
                 [transaction]\nother = \"COALESCE(paid > 9, TRUE)\"\nplace = \"RANK(paid)\"\nnone = \"COALESCE(RANK(paid), 0)\"\nbefore = \"PREVIOUS(COALESCE(paid, 0) + credit)\"\n";
    let statement = "2026-01-05 +5 ada\n2026-01-06 +100\n2026-01-07 +10 bola\n2026-01-08 +3 ada";
    let expected = [
        ("COUNT(*) FILTER (WHERE other)", json!(2)),
        ("SUM(others)", json!(2)),
        ("SUM(credit) FILTER (WHERE COALESCE(paid > 9, TRUE))", json!(110)),
        ("COUNT(*) FILTER (WHERE COALESCE(paid > 9, TRUE))", json!(1)),
        ("MAX(place)", json!(2)),
        ("COUNT(place)", json!(3)),
        ("MIN(none)", json!(0)),
        ("SUM(credit) FILTER (WHERE RANK(paid) = 1)", json!(10)),
        ("SUM(credit) FILTER (WHERE COALESCE(RANK(paid), 0) = 0)", json!(100)),
        ("SUM(before)", json!(13 + 100 + 20)),
        ("SUM(SUM_BEFORE(COALESCE(paid, 0), 0))", json!(0)),
    ];
    hold(rules, statement, None, &expected);
}

#[test]
fn sums_nearby_and_mirrors_look_so_many_days_and_no_further() {
    let rules = "[parameters]\nspan = { value = 3, unit = \"days\" }\n[transaction]\nafter = \"SUM_AFTER(debit, $span)\"\nbefore = \"SUM_BEFORE(credit, $span)\"\n";
    let statement = "2026-01-05 +100 ada\n2026-01-05 -10 ada\n2026-01-08 -20 bola\n2026-01-09 -40 chi\n2026-01-12 +10 ada\n2026-01-12 +20 chi";
    let expected = [
        ("FIRST(after)", json!(30)),
        ("SUM(after)", json!(30 + 20 + 40)),
        ("SUM(before)", json!(100 + 100 + 10)),
        ("MAX(SUM_AFTER(debit, 0))", json!(10)),
        ("MAX(SUM_AFTER(debit, -1))", json!(0)),
        ("FIRST(SUM_AFTER(debit, 99999))", json!(70)),
        ("COUNT(*) FILTER (WHERE mirrored(7))", json!(2)),
        ("COUNT(*) FILTER (WHERE mirrored(6))", json!(0)),
        ("SUM(credit) FILTER (WHERE NOT mirrored(7))", json!(120)),
        ("COUNT(*) FILTER (WHERE mirrored(-1))", json!(0)),
        ("SUM(SUM_AFTER(week_number, 0))", json!(1)),
    ];
    hold(rules, statement, None, &expected);
}

#[test]
fn the_most_frequent_value_is_the_least_of_equals() {
    let statement = "2026-01-05 +7 b\n2026-01-06 +5 a\n2026-01-07 +7 a\n2026-01-08 +5 b\n2026-01-09 -9";
    let expected = [
        ("MODE(credit)", json!(5)),
        ("MODE(counterparty)", json!("a")),
        ("MODE(credit) FILTER (WHERE counterparty = 'b' OR credit = 7)", json!(7)),
        ("MODE(credit / 2)", json!(2.5)),
        ("MODE(trans_date)", json!("2026-01-05")),
        ("MODE(debit IS NULL)", json!(true)),
        ("MODE(weekday(trans_date))", json!(1)),
        ("MODE(credit) FILTER (WHERE credit > 9)", json!("?no_records")),
    ];
    hold("", statement, None, &expected);
}

#[test]
fn first_digits_are_held_against_benford() {
    let expected = [("BENFORD(credit)", json!(1.0 - std::f64::consts::LOG10_2))];
    // All begin with a one: nine of ten are where the law has them, and all is off by what the others should have.
    let ones: String = (0..100).map(|at| format!("2026-01-05 +1{at}\n")).collect();
    hold("", &ones, None, &expected);
    let few: String = ones.lines().take(99).map(|line| format!("{line}\n")).collect();
    hold("", &few, None, &[("BENFORD(credit)", json!("?needs_100_values"))]);
    // By days of one record each the law has nothing to say.
    let law: String = (1..=9u32)
        .flat_map(|digit| {
            let count = ((1.0 + 1.0 / f64::from(digit)).log10() * 1000.0).round() as usize;
            std::iter::repeat_n(format!("2026-01-05 +{digit}00\n"), count)
        })
        .collect();
    hold("", &law, None, &[("BENFORD(credit) < 0.001", json!(true))]);
}

#[test]
fn what_a_narration_mentions_first_is_told_as_the_list_has_it() {
    let statement =
        "2026-01-05 +1 \"WAGES AND SALARY\n2026-01-06 +1 \"Salary\n2026-01-07 +1 \"unsalaried\n2026-01-08 +1";
    let expected = [
        ("FIRST(mentioned(pay))", json!("wages")),
        ("LAST(mentioned(pay))", json!("salary")),
        ("COUNT(mentioned(pay))", json!(2)),
        ("COUNT(*) FILTER (WHERE mentioned(pay) = 'salary')", json!(1)),
    ];
    hold("", statement, None, &expected);
}

#[test]
fn a_stream_is_a_group_of_its_records() {
    let rules = "[stream]\ncame = \"SUM(credit)\"\nshare = \"came / stream_records\"\n[transaction]\nin_stream = \"stream_is_credit\"\n";
    let statement = "2026-01-26 +1000 acme\n2026-02-10 +70 bola\n2026-02-25 +1000 acme\n2026-03-25 +1000 acme\n2026-04-27 +1000 acme\n2026-05-25 +1000 acme\n2026-05-30 -3 chi";
    let expected = [
        ("COUNT(stream_records)", json!(1)),
        ("FIRST(stream_period)", json!("monthly")),
        ("SUM(came)", json!(5000)),
        ("MAX(share)", json!(1000.0)),
        ("MAX(stream_amount)", json!(1000)),
        ("MAX(stream_month_amount)", json!(1000)),
        ("MIN(stream_first_date)", json!("2026-01-26")),
        ("MAX(stream_last_date)", json!("2026-05-25")),
        ("MAX(stream_next_date) > as_of", json!(true)),
        ("SUM(stream_missed)", json!(0)),
        ("COUNT(*) FILTER (WHERE stream_is_live AND stream_regularity > 0.8)", json!(1)),
        ("SUM(credit) FILTER (WHERE in_stream)", json!(5000)),
        ("COUNT(*) FILTER (WHERE is_unknown(in_stream))", json!(2)),
        ("FIRST(counterparty) FILTER (WHERE stream_is_live)", json!("acme")),
        ("MAX(RANK(came))", json!(1)),
    ];
    hold(rules, statement, None, &expected);
    // As of a day before it is one.
    hold(rules, statement, Some("2026-02-20"), &[("COUNT(came)", json!(0)), ("SUM(came)", json!(0))]);
}

#[test]
fn why_gives_the_reason_and_nothing_where_there_is_none() {
    let rules = "[request]\nowed = \"money\"\n";
    let expected = [
        ("why(SUM(credit))", json!("")),
        ("why(SUM(debit))", json!("needs_debit")),
        ("why(MIN(balance))", json!("needs_balance")),
        ("why(SUM(credit) / SUM(debit))", json!("needs_debit")),
        ("why(COUNT(*) / (COUNT(*) - COUNT(*)))", json!("zero_denominator")),
        ("why(needs_months(3, SUM(credit)))", json!("needs_3_months")),
        ("why(AVG(credit) FILTER (WHERE credit > 99))", json!("no_records")),
        ("why(STDDEV(credit))", json!("needs_2_values")),
        ("why(request.owed)", json!("missing_request_owed")),
        ("why(CASE WHEN FALSE THEN 1 END)", json!("no_value")),
        ("why(why(SUM(debit)))", json!("")),
        ("CASE why(SUM(debit)) WHEN 'needs_debit' THEN 1 ELSE 2 END", json!(1)),
        ("why(as_of)", json!("")),
    ];
    hold(rules, "2026-01-05 +5", None, &expected);
}

#[test]
fn of_ready_metrics_the_given_reason_is_told() {
    let policy = policy(
        "[metric]\nspent = \"SUM(debit)\"\ncame = \"SUM(credit)\"\nbalance_low = \"MIN(CARRIED(balance))\"\nwhy_spent = \"why(spent)\"\nwhy_came = \"why(came)\"\n\
         why_low = \"why(balance_low)\"\nwhy_share = \"why(spent / came)\"\n[[require]]\nid = \"R\"\nwhen = \"why_spent = '' AND why_came = '' AND why_low = '' AND why_share = ''\"\nreason = \"{why_spent} {why_came} {why_low} {why_share}\"\n",
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
