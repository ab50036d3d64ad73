//! From bytes to a decision, through the library alone: outcome, unknowns, offers, determinism.

mod decision_tables;
mod exact_numbers;
pub(crate) mod extreme_statements;
mod invariance;
mod missing_day;
mod offer_limits;
mod offers;
mod readings;
mod ready_metrics;
mod requirement_blocks;
mod scores;
mod small_policies;

use lendwright::base::date::Day;
use lendwright::decision::{Decision, Outcome, Request, decide, reading};
use lendwright::rules::{Policy, compile};
use lendwright::statement::{Statements, read_json};

pub(crate) const POLICY: &str = r#"
[policy]
name = "test"
version = "1"
currency = "566"
time_zone = "Africa/Lagos"

[parameters]
min_credits = { value = 2, min = 1, max = 12 }
step = { value = 500, unit = "money" }

[words]
salary = ["salary"]

[request]
amount = "money"

[transaction]
is_salary = "credit > 0 AND mentions(salary)"

[month]
inflow = "SUM(credit)"

[metric]
credit_count = "COUNT(*) FILTER (WHERE credit > 0)"
credit_total = "SUM(credit)"
credit_mean = "AVG(credit) FILTER (WHERE credit > 0)"
credit_median = "MEDIAN(credit) FILTER (WHERE credit > 0)"
large = "COUNT(*) FILTER (WHERE credit > 3 * credit_median)"
inflow_30d = "SUM(credit) FILTER (WHERE within(30))"
salary_total = "SUM(credit) FILTER (WHERE is_salary)"
salary_share = "salary_total / credit_total"
weakest = "MIN(inflow)"
steady = "needs_months(3, AVG(inflow) FILTER (WHERE full_months_ago < 3))"
debit_total = "SUM(debit)"
span_days = "MAX(trans_date) - MIN(trans_date) + 1"

[[require]]
id = "R01"
when = "credit_count >= $min_credits"
else = "decline"
reason = "Fewer than {$min_credits} credits ({credit_count} seen, {credit_total} in all)"

[score]
base = 300
[[score.item]]
on = "salary_share"
points = [["< 0.5", 10], [">= 0.5", 50], ["unknown", 0]]

[table.grade]
hit = "first"
inputs = ["score", "inflow_30d"]
outputs = { grade = "text", rate = "number", cap = "money" }
rows = [
  [">= 350", ">= 1000", "A", 3.0, 50_000],
  ["-", "-", "B", 5, 10_000],
]

[[offer]]
id = "short"
when = "grade IN ('A', 'B')"
tenure = [30, 60]
amount = "round_down(LEAST(cap, credit_total, COALESCE(request.amount, cap)), $step)"
interest = "rate"
fee = "0.01 * amount"
valid_for_days = 7
terms = "One repayment"
"#;

pub(crate) fn policy(overrides: &[(&str, &str)]) -> Policy {
    let overrides: Vec<_> = overrides.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    compile("test.toml", POLICY, &mut |_| Err("no files here".into()), &overrides)
        .unwrap_or_else(|refused| panic!("{refused}"))
}

pub(crate) fn statements(policy: &Policy, records: &str) -> Statements {
    let json = format!(r#"{{"status": "success", "data": {{"transactions": [{records}]}}}}"#);
    read_json(json.as_bytes(), "inline", &reading(policy)).unwrap()
}

pub(crate) const RECORDS: &str = r#"
{"id": "1", "customer": "c1", "trans_date": "2026-04-30", "credit": 20000.50, "notes": {"desc": "NIP/ACME/SALARY APR"}},
{"id": "2", "customer": "c1", "trans_date": "2026-05-29", "credit": 20000, "notes": {"desc": "NIP/ACME/SALARY MAY"}},
{"id": "3", "customer": "c1", "trans_date": "2026-06-10", "credit": "5000.00", "notes": {"desc": "TRF FROM ADA"}}"#;

fn one(records: &str, overrides: &[(&str, &str)], request: &Request) -> Decision {
    let policy = policy(overrides);
    decide(&policy, &statements(&policy, records), request).unwrap().remove(0)
}

#[test]
fn an_offer_is_priced_to_the_kobo() {
    let decision = one(RECORDS, &[], &Request::default());
    assert_eq!(decision.outcome, Outcome::Offer, "{:?}", decision.reasons);
    assert_eq!(decision.customer.as_deref(), Some("c1"));
    assert_eq!(decision.as_of, Day::parse_iso("2026-06-10"));
    assert_eq!(decision.score, Some(350.0));
    assert_eq!(decision.grade["grade"], "A");
    assert_eq!(decision.metrics["credit_total"], 4_500_050);
    assert_eq!(decision.metrics["inflow_30d"], 2_500_000);
    assert_eq!(decision.metrics["weakest"], 500_000);
    assert_eq!(decision.metrics["credit_median"], 2_000_000.0);
    assert_eq!(decision.metrics["span_days"], 42);
    assert_eq!(decision.metrics["debit_total"], serde_json::Value::Null);
    assert_eq!(decision.unknown["debit_total"], "needs_debit");
    assert_eq!(decision.unknown["steady"], "needs_3_months");
    let tenures: Vec<u32> = decision.offers.iter().map(|offer| offer.tenure).collect();
    assert_eq!(tenures, [30, 60]);
    let offer = &decision.offers[0];
    assert_eq!((offer.amount_offered, offer.fee, offer.amount_payable), (4_500_000, 45_000, 4_680_000));
    assert_eq!(offer.expiry_date, "2026-06-17T00:00:00Z");
    assert_ne!(offer.offer_id, decision.offers[1].offer_id);
}

#[test]
fn a_request_and_a_parameter_change_the_offer() {
    let policy = policy(&[]);
    let request =
        Request::from_json(&policy, br#"{"amount": 1230000, "as_of": "2026-06-30", "customer": "08030000000"}"#)
            .unwrap();
    let decision = decide(&policy, &statements(&policy, RECORDS), &request).unwrap().remove(0);
    assert_eq!(decision.offers[0].amount_offered, 1_200_000);
    assert_eq!(decision.customer.as_deref(), Some("08030000000"));
    let coarse = one(RECORDS, &[("step", "1000")], &Request::default());
    assert_eq!(coarse.parameters["step"], "1000");
    let twice = Request::from_json(&policy, br#"{"amount": 1, "amount": 2}"#).unwrap_err().to_string();
    assert!(twice.contains("`amount` appears twice"), "{twice}");
    let wrong = Request::from_json(&policy, br#"{"amuont": 1}"#).unwrap_err().to_string();
    assert_eq!(wrong, "request field `amuont`: did you mean `amount`? the policy declares under [request]: amount");
}

#[test]
fn a_request_of_one_customer_takes_over_no_others() {
    let policy = policy(&[]);
    let lines = "{\"id\":\"a\",\"customer\":\"K1\",\"trans_date\":\"2026-06-01\",\"credit\":5}\n\
                 {\"id\":\"b\",\"customer\":\"K3\",\"trans_date\":\"2026-06-01\",\"credit\":5}\n";
    let two = read_json(lines.as_bytes(), "two", &reading(&policy)).unwrap();
    let refused = decide(&policy, &two, &Request::default().with_customer("K2")).unwrap_err().to_string();
    assert!(refused.contains("the request is about the customer `K2`"), "{refused}");
    assert_eq!(decide(&policy, &two, &Request::default()).unwrap().len(), 2);
}

#[test]
fn what_is_missing_is_named() {
    let decision = one(RECORDS, &[("min_credits", "5")], &Request::default());
    assert_eq!(decision.outcome, Outcome::Decline);
    assert_eq!(decision.reasons[0].text, "Fewer than 5 credits (3 seen, NGN 45,000.50 in all)");
    assert!(decision.offers.is_empty());
}

#[test]
fn an_empty_statement_is_decided() {
    let decision = one("", &[], &Request::default());
    assert_eq!(decision.outcome, Outcome::Decline);
    assert_eq!(decision.metrics["credit_total"], 0);
    assert_eq!(decision.unknown["credit_mean"], "no_records");
    assert_eq!(decision.unknown["salary_share"], "zero_denominator");
    assert_eq!(decision.as_of, None);
}

#[test]
fn records_after_as_of_do_not_count() {
    let request = Request::on(Day::parse_iso("2026-05-01").unwrap());
    let decision = one(RECORDS, &[], &request);
    assert_eq!(decision.metrics["credit_total"], 2_000_050);
    let before = Request::on(Day::parse_iso("2020-01-01").unwrap());
    assert_eq!(one(RECORDS, &[], &before).metrics["credit_count"], 0);
}

#[test]
fn the_order_of_records_changes_nothing() {
    let forward = one(RECORDS, &[], &Request::default()).to_line();
    let mut records: Vec<&str> = RECORDS.trim().split(",\n").collect();
    records.reverse();
    assert_eq!(one(&records.join(","), &[], &Request::default()).to_line(), forward);
}
