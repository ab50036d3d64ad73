//! What an offer of a decision says besides the terms that are sent, and the units of money that people and programs
//! use.

use lendwright::{Day, Decision, Offer, Policy, Request, decide};
use serde_json::json;

use crate::engine::decision::{RECORDS, policy, statements};
use crate::fixtures::desk::Desk;

fn decided(policy: &Policy, request: &Request) -> Decision {
    decide(policy, &statements(policy, RECORDS), request).unwrap().remove(0)
}

fn day(text: &str) -> Day {
    Day::parse_iso(text).unwrap()
}

#[test]
fn an_offer_says_its_rule_payments_due_dates_and_rates() {
    let policy = policy(&[]);
    let decision = decided(&policy, &Request::on(day("2026-06-30")));
    let offer = serde_json::to_value(&decision.offers[0]).unwrap();
    let keys: Vec<&str> = offer.as_object().unwrap().keys().map(String::as_str).collect();
    let sent = ["offerId", "amountOffered", "interest", "amountPayable", "fee", "tenure", "terms", "expiryDate"];
    let more = ["rule", "instalment", "instalments", "dueDates", "ratePeriod", "apr", "effectiveRate"];
    // What is sent comes first, in the order of the interface.
    let line = decision.to_line();
    let places: Vec<_> = sent.iter().chain(&more).map(|key| line.find(&format!("\"{key}\":")).expect(key)).collect();
    assert!(places.is_sorted(), "{keys:?}");
    assert_eq!(offer["rule"], "short");
    assert_eq!((offer["instalment"].as_i64(), offer["instalments"].as_i64()), (Some(4_635_000), Some(1)));
    assert_eq!(offer["dueDates"], json!(["2026-07-30"]));
    assert_eq!(offer["ratePeriod"], "P30D");
    // 45,000 paid out, 46,800 back after 30 days.
    assert_eq!((offer["apr"].as_f64(), offer["effectiveRate"].as_f64()), (Some(48.68), Some(61.15)));
    assert_eq!(decision.offers[1].due_dates, Some(vec![day("2026-08-29")]));
    assert_eq!(decision.offers[1].rate_period.as_deref(), Some("P60D"));
    // A record reads back, and only the interface's fields are sent.
    let back: Decision = serde_json::from_str(&line).unwrap();
    assert_eq!(back, decision);
    let sent = serde_json::to_value(Offer::from(decision.offers[0].clone())).unwrap();
    assert_eq!(sent.as_object().unwrap().len(), 10);
}

#[test]
fn due_dates_are_not_guessed() {
    let policy = policy(&[]);
    let decision = decided(&policy, &Request::default());
    let offer = &decision.offers[0];
    assert_eq!(offer.due_dates, None);
    assert!(offer.apr.is_some(), "the rate depends on the tenure alone");
    assert!(decision.to_line().contains("\"dueDates\":null"));
}

#[test]
fn a_decision_recorded_before_offers_said_more_can_be_read() {
    let policy = policy(&[]);
    let mut old = serde_json::to_value(decided(&policy, &Request::default())).unwrap();
    for key in ["rule", "instalment", "instalments", "dueDates", "ratePeriod", "apr", "effectiveRate"] {
        old["offers"][0].as_object_mut().unwrap().remove(key).expect(key);
    }
    let read: Decision = serde_json::from_value(old).unwrap();
    assert_eq!((read.offers[0].rule.as_str(), read.offers[0].apr), ("", None));
}

#[test]
fn the_schema_of_decisions_has_every_key_and_says_the_unit_of_amounts() {
    let policy = policy(&[]);
    let mut request = Request::on(day("2026-06-30"));
    request.set(&policy, "amount", 100_000_000.into()).unwrap();
    let decision = serde_json::to_value(decided(&policy, &request)).unwrap();
    let schema = lendwright::decision::decision_schema();
    let keys = |value: &serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let known = keys(&schema["properties"]);
    assert!(keys(&decision).iter().all(|key| known.contains(key)), "{:?}", keys(&decision));
    let required = schema["required"].as_array().unwrap();
    assert!(required.iter().all(|key| decision.get(key.as_str().unwrap()).is_some()), "{required:?}");
    let offer = &schema["properties"]["offers"]["items"]["properties"];
    assert_eq!(keys(offer), keys(&decision["offers"][0]));
    for amount in ["amountOffered", "amountPayable", "fee", "instalment"] {
        assert!(offer[amount]["description"].as_str().unwrap().ends_with("in minor units"), "{amount}");
    }
    let desk = Desk::new();
    let printed: serde_json::Value = serde_json::from_str(&desk.run(&["schema", "--decision"]).out).unwrap();
    assert_eq!(printed, schema);
}

#[test]
fn a_request_in_toml_is_in_major_units() {
    let policy = policy(&[]);
    let read = |text: &str| Request::from_toml(&policy, text).map_err(|wrong| wrong.to_string());
    let json = br#"{"as_of": "2026-06-30", "customer": "C-1", "amount": 1230050}"#;
    let same = Request::from_json(&policy, json).unwrap();
    for text in [
        "as_of = 2026-06-30\ncustomer = \"C-1\"\namount = 12_300.50",
        "as_of = \"2026-06-30\"\ncustomer = \"C-1\"\namount = 12_300.5 # naira",
    ] {
        assert_eq!(read(text), Ok(same.clone()), "{text}");
    }
    for (text, why) in [
        (
            "amount = 0.005",
            "`amount`: money is in major units, with at most 2 decimals and no quotes: NGN 2,000.00 is 2000",
        ),
        ("amount = \"100\"", "`amount`: money is in major units"),
        ("amount = nan", "`amount`: `nan` is no number of at most 15 digits"),
        ("amount = 12345678901234567.89", "is no number of at most 15 digits"),
        ("amuont = 1", "did you mean `amount`?"),
        ("customer = \"C-1\"\namount = ", "the request cannot be read as TOML: line 2: "),
        ("{\"amount\": 1}", "the request cannot be read as TOML: line 1: "),
    ] {
        let said = read(text).expect_err(text);
        assert!(said.contains(why), "{text}: {said}");
    }
}

#[test]
fn the_name_of_a_request_file_says_its_units() {
    let desk = Desk::new();
    desk.write("statement.json", &format!(r#"{{"status": "success", "data": {{"transactions": [{RECORDS}]}}}}"#));
    desk.write("major.toml", "amount = 12_300.50\n");
    desk.write("minor.json", r#"{"amount": 1230050}"#);
    let ask = |file: &str| {
        let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/rules/starter.toml");
        let policy = ["--policy", shipped, "--as-of", "2026-06-30"];
        desk.run(&[&["decide"], &policy[..], &["--request", file, "statement.json"]].concat())
    };
    let (major, minor) = (ask("major.toml"), ask("minor.json"));
    assert_eq!((major.status, major.err.as_str()), (0, ""));
    assert!(major.out.contains("\"request\":{\"amount\":1230050}"), "{}", major.out);
    assert_eq!(major.out, minor.out);
}

#[test]
fn an_amount_off_by_a_hundred_is_a_warning_and_nothing_else() {
    let policy = policy(&[]);
    // 20,000.50, 20,000.00 and 5,000.00 come in in three months: 20,000.00 in a usual one.
    for (asked, warned) in [
        (2_000_000, None),
        (19_999_999, None),
        (20_000_000, Some("the requested NGN 200,000.00 is 10 times what comes in in a usual month (NGN 20,000.00)")),
        (600_000_000, Some("the requested NGN 6,000,000.00 is 300 times")),
        // In the other unit it would be too much as well.
        (700_000_000, None),
        (60_607, None),
        (60_000, Some("the requested NGN 600.00 is less than 1/33 of what comes in in a usual month")),
        (2_000, Some("the requested NGN 20.00 is less than")),
        (1_999, None),
        (0, None),
    ] {
        let mut request = Request::on(day("2026-06-30"));
        request.set(&policy, "amount", asked.into()).unwrap();
        let decision = decided(&policy, &request);
        let found = decision.quality.warnings.iter().find(|warning| warning.starts_with("the requested"));
        match warned {
            None => assert_eq!(found, None, "{asked}"),
            Some(text) => assert!(found.is_some_and(|found| found.starts_with(text)), "{asked}: {found:?}"),
        }
    }
    assert!(decided(&policy, &Request::on(day("2026-06-30"))).quality.warnings.is_empty());
}
