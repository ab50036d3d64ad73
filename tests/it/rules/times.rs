//! Times of day, timestamps, durations and months: how rules write them, how they combine, and how they come in and
//! out.

use lendwright::base::date::Zone;
use lendwright::base::time::{Duration, TimeOfDay, Timestamp};
use lendwright::rules::Policy;
use lendwright::statement::read_json;
use lendwright::{Request, compile, decide, reading};
use proptest::prelude::*;
use serde_json::{Value, json};

const REQUEST: &str = "[request]\nat = \"time\"\nsent = \"timestamp\"\nopened = \"timestamp\"\nwait = \"duration\"\n\
    waits = \"list of duration\"\nstay = \"months\"\nborn = \"date\"\n";

fn text(rules: &str) -> String {
    format!(
        "[policy]\nname = \"times\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"Africa/Lagos\"\n\n{REQUEST}\n\
         {rules}"
    )
}

fn policy(rules: &str) -> Policy {
    compile("times.toml", &text(rules), &mut |_| Err("none".into()), &[]).unwrap_or_else(|refused| panic!("{refused}"))
}

fn refused(rules: &str) -> String {
    compile("times.toml", &text(rules), &mut |_| Err("none".into()), &[]).unwrap_err().to_string()
}

fn decided(rules: &str, request: Value) -> lendwright::Decision {
    let policy = policy(rules);
    let request = Request::from_json(&policy, request.to_string().as_bytes()).unwrap();
    let statements = read_json(b"[]", "none", &reading(&policy)).unwrap();
    decide(&policy, &statements, &request).unwrap().remove(0)
}

/// What an expression gives.
fn value(expression: &str, request: Value) -> Value {
    let decision = decided(&format!("[metric]\nx = \"{expression}\"\n"), request);
    decision.metrics["x"].clone()
}

#[test]
fn what_comes_in_comes_out() {
    let request = json!({
        "at": "22:30", "sent": "2026-06-30T22:30:00.5+01:00", "wait": "PT90M", "stay": "P1Y6M", "born": "1990-02-28",
        "waits": ["PT1M", "P1D"],
    });
    let of = |expression: &str| value(expression, request.clone());
    assert_eq!(of("request.at"), json!("22:30:00"));
    assert_eq!(of("request.sent"), json!("2026-06-30T21:30:00.500Z"));
    assert_eq!(of("request.wait"), json!("PT1H30M"));
    assert_eq!(of("request.stay"), json!(18));
    assert_eq!(of("request.waits"), json!(["PT1M", "P1D"]));
    assert_eq!(of("list_contains(request.waits, 'PT24H')"), json!(true));
    assert_eq!(of("CONCAT(text_of(request.at), ' ', text_of(request.wait))"), json!("22:30:00 PT1H30M"));
    assert_eq!(value("request.stay", json!({"stay": 7})), json!(7));
    assert_eq!(value("request.stay", json!({})), Value::Null);
}

#[test]
fn what_is_no_time_is_refused_at_the_door() {
    let policy = policy("");
    for (name, wrong, wanted) in [
        ("at", json!("22:30Z"), "a time of day such as"),
        ("at", json!("24:00"), "a time of day such as"),
        ("at", json!(2230), "a time of day such as"),
        ("sent", json!("2026-06-30T22:30:00"), "a timestamp with its offset"),
        ("sent", json!("2026-06-30"), "a timestamp with its offset"),
        ("wait", json!("P1M"), "a duration such as"),
        ("wait", json!(90), "a duration such as"),
        ("stay", json!("P30D"), "a whole number of months"),
        ("stay", json!(1.5), "a whole number of months"),
    ] {
        let told = Request::from_json(&policy, json!({ name: wrong }).to_string().as_bytes()).unwrap_err().to_string();
        assert!(told.contains(wanted), "{name} {wrong}: {told}");
    }
}

#[test]
fn what_lies_between_two_is_worked_out() {
    let request = json!({
        "at": "22:30", "sent": "2026-06-30T23:30:00Z", "opened": "2026-06-30T23:25:00Z",
        "wait": "PT90M", "stay": 13, "born": "2024-01-31",
    });
    for (expression, wanted) in [
        ("request.sent - request.opened", json!("PT5M")),
        ("request.opened - request.sent", json!("-PT5M")),
        ("request.sent - request.opened < 'PT10M'", json!(true)),
        ("request.sent - request.opened < INTERVAL 'PT10M'", json!(true)),
        ("request.sent + request.wait", json!("2026-07-01T01:00:00Z")),
        ("request.sent - INTERVAL 'P1D'", json!("2026-06-29T23:30:00Z")),
        ("request.at - TIME '21:00'", json!("PT1H30M")),
        ("request.at >= TIME '22:00' OR request.at < '06:00'", json!(true)),
        ("request.at BETWEEN '08:00' AND '18:00'", json!(false)),
        ("request.sent > TIMESTAMP '2026-07-01T00:00:00+01:00'", json!(true)),
        ("request.wait * 2", json!("PT3H")),
        ("request.wait / 2", json!("PT45M")),
        ("request.wait / INTERVAL 'PT45M'", json!(2.0)),
        ("ROUND_UP(request.wait, INTERVAL 'PT1H')", json!("PT2H")),
        ("GREATEST(request.wait, INTERVAL 'PT2H')", json!("PT2H")),
        ("ABS(request.opened - request.sent)", json!("PT5M")),
        ("-request.wait", json!("-PT1H30M")),
        // In Lagos it is the next day.
        ("date_of(request.sent)", json!("2026-07-01")),
        ("time_of(request.sent)", json!("00:30:00")),
        ("date_of(request.sent) - request.born", json!(882)),
        ("request.stay > 12 AND request.stay <= INTERVAL 'P2Y'", json!(true)),
        ("request.stay - INTERVAL 'P1Y'", json!(1)),
        ("request.stay / 2", json!(6.5)),
        ("request.born + INTERVAL 'P1M'", json!("2024-02-29")),
        ("request.born - INTERVAL 'P2M'", json!("2023-11-30")),
        ("add_months(request.born, request.stay)", json!("2025-02-28")),
        ("CASE WHEN request.at IN ('22:30', '23:00') THEN request.at ELSE TIME '00:00' END", json!("22:30:00")),
    ] {
        assert_eq!(value(expression, request.clone()), wanted, "{expression}");
    }
    let last = json!({"sent": "2200-12-31T23:30:00Z", "wait": "P1D"});
    assert_eq!(value("request.sent + request.wait", last.clone()), Value::Null);
    assert_eq!(value("date_of(request.sent)", last), Value::Null, "in Lagos it is a day that there is not");
}

#[test]
fn lengths_of_different_kinds_do_not_mix() {
    for (expression, wanted) in [
        ("request.stay < request.wait", "months differ in length"),
        ("request.stay < as_of - request.born", "months differ in length"),
        ("request.wait < as_of - request.born", "days count calendar days"),
        ("request.wait < 90", "a duration is written INTERVAL 'PT1H30M'"),
        ("request.at < 22", "a time of day is written TIME '22:30'"),
        ("request.at + request.wait", "these units do not go together"),
        ("request.sent < as_of", "date_of(timestamp)"),
        ("request.sent - request.at", "time_of(timestamp)"),
        ("request.wait * request.wait", "duration * duration has no meaning"),
        ("1 / request.wait", "number / duration has no meaning"),
        ("SUM(credit) * request.wait", "money * duration has no meaning"),
        ("SUM(credit) / request.wait", "money / duration has no meaning"),
        ("COUNT(*) FILTER (WHERE within(request.stay))", "`within` takes a whole number of days"),
        ("SUM(request.at)", "expected a number or money, found a time of day"),
        ("time_of(request.born)", "expected a timestamp, found a date"),
        ("TIME '25:00'", "`25:00` is not a time of day"),
        ("TIMESTAMP '2026-06-30T22:00:00'", "with its offset from UTC"),
        ("INTERVAL 'P1M2D'", "`P1M2D` is not a duration"),
        ("INTERVAL '5' MINUTE", "write INTERVAL 'PT1H30M'"),
        ("request.at > 'late'", "`late` is not a time of day"),
    ] {
        let told = refused(&format!("[metric]\nx = \"{expression}\"\n"));
        assert!(told.contains(wanted), "{expression}: {told}");
    }
}

#[test]
fn cells_parameters_and_reasons_say_them() {
    let rules = r#"
[parameters]
night = { value = 22:00:00, unit = "time", min = "20:00" }
quick = { value = "PT2M", unit = "duration" }
stay = { value = 6, unit = "months", max = "P2Y" }

[table.shift]
hit = "first"
inputs = ["request.at", "request.wait"]
outputs = { shift = "text", back = "time" }
rows = [
  ["06:00..18:00", "-", "day", "18:00"],
  ["unknown", "-", "none", "= request.at"],
  [">= $night, < 02:00", "<= PT1H", "night", "06:00"],
  ["not(02:00)", "(PT1H..P1D]", "late", "12:00"],
]

[[require]]
id = "R01"
when = "request.sent - request.opened > $quick AND request.stay >= $stay"
reason = "Filled in within {waited}, at {request.opened}; {request.stay} months; from {$night}"

[metric]
waited = "request.sent - request.opened"
"#;
    let (sent, opened) = ("2026-06-30T23:01:30Z", "2026-06-30T23:00:00Z");
    let request = |at: &str, wait: &str| json!({"at": at, "wait": wait, "sent": sent, "opened": opened, "stay": 3});
    let of = |at: &str, wait: &str| decided(rules, request(at, wait)).grade;
    let (day, night) = (of("06:00", "PT1S"), of("01:59:59.999", "PT1H"));
    assert_eq!((&day["shift"], &day["back"]), (&json!("day"), &json!("18:00:00")));
    assert_eq!((&night["shift"], &night["back"]), (&json!("night"), &json!("06:00:00")));
    assert_eq!(of("18:00", "PT61M")["shift"], json!("late"));
    assert_eq!(of("18:00", "PT1M")["shift"], Value::Null);
    let decision = decided(rules, request("06:00", "PT1S"));
    let said = &decision.reasons[0].text;
    assert_eq!(said, "Filled in within 1 min 30 s, at 2026-06-30T23:00:00Z; 3 months; from 22:00:00");

    let wrong = |cell: &str| {
        refused(&format!(
            "[table.t]\nhit = \"first\"\ninputs = [\"request.wait\"]\noutputs = {{ y = \"text\" }}\n\
             rows = [[\"{cell}\", \"a\"]]\n"
        ))
    };
    assert!(wrong("> 90").contains("`90` is not a duration such as PT1H30M"), "{}", wrong("> 90"));
    assert!(wrong("PT2H..PT1H").contains("the range `PT2H..PT1H` is empty"));
    let late = refused("[parameters]\nnight = { value = \"19:00\", unit = \"time\", min = \"20:00\" }\n");
    assert!(late.contains("19:00 is below its min 20:00"), "{late}");
}

#[test]
fn rows_over_times_are_seen_to_overlap() {
    let table = |cells: [&str; 2]| {
        format!(
            "[table.t]\nhit = \"unique\"\ninputs = [\"request.at\"]\noutputs = {{ y = \"text\" }}\n\
             rows = [[\"{}\", \"a\"], [\"{}\", \"b\"]]\n",
            cells[0], cells[1]
        )
    };
    policy(&table(["< 06:00", ">= 06:00"]));
    let told = refused(&table(["< 06:00:01", ">= 06:00"]));
    assert!(told.contains("06:00:00"), "{told}");
}

#[test]
fn analysis_speaks_of_times() {
    let rules = r#"
[table.shift]
hit = "first"
inputs = ["request.at", "request.wait"]
outputs = { shift = "text" }
rows = [
  [">= 06:00", "-", "day"],
  ["< 05:00", "< PT1H", "night"],
  ["< 04:00", "< PT30M", "never"],
]

[metric]
rate = "CASE WHEN request.wait > 'PT1H' THEN 2 ELSE 1 END"
away = "request.sent - TIMESTAMP '2026-01-01T00:00:00Z'"

[[property]]
increasing = "request.wait"
of = "rate"

[[property]]
decreasing = "request.sent"
of = "away"
"#;
    let told: Vec<String> =
        lendwright::analysis::analyse(&policy(rules)).iter().map(|finding| finding.message.clone()).collect();
    assert!(
        told.contains(&"no row of `shift` matches request.at = 03:59:59.999, request.wait = PT1H".to_owned()),
        "{told:?}"
    );
    assert!(told.iter().any(|one| one.starts_with("row 3 of `shift` is never reached")), "{told:?}");
    let broken: Vec<&String> = told.iter().filter(|one| one.contains(" when `request.sent` rises")).collect();
    assert!(matches!(broken.as_slice(), [one] if one.starts_with("`away` can rise ")), "{broken:?}");
}

proptest! {
    #[test]
    fn times_are_read_as_they_are_written(
        milliseconds in 0..86_400_000i64,
        moment in -2_000_000_000_000..7_000_000_000_000i64,
        length in any::<i64>(),
    ) {
        let time = TimeOfDay::from_milliseconds(milliseconds).unwrap();
        prop_assert_eq!(TimeOfDay::parse_iso(&time.to_string()), Some(time));
        let moment = Timestamp::from_milliseconds(moment).unwrap();
        prop_assert_eq!(Timestamp::parse_iso(&moment.to_string()), Some(moment));
        let known = chrono::DateTime::from_timestamp_millis(moment.milliseconds()).unwrap();
        prop_assert_eq!(moment.to_string().parse::<chrono::DateTime<chrono::Utc>>().unwrap(), known);
        let length = Duration::from_milliseconds(length.max(-i64::MAX));
        prop_assert_eq!(Duration::parse_iso(&length.to_string()), Some(length));
    }

    #[test]
    fn the_day_and_the_time_are_those_of_the_zone(seconds in -2_000_000_000..7_000_000_000i64) {
        let moment = Timestamp::from_milliseconds(seconds * 1_000).unwrap();
        let (day, second) = Zone::parse("Africa/Lagos").unwrap().local_day_and_second(seconds);
        let time = TimeOfDay::from_milliseconds(second * 1_000).unwrap();
        let request = json!({"sent": moment.to_string()});
        prop_assert_eq!(value("date_of(request.sent)", request.clone()), json!(day.to_string()));
        prop_assert_eq!(value("time_of(request.sent)", request), json!(time.to_string()));
    }
}
