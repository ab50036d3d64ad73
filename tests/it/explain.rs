//! Where numbers come from, as `explain` says it.

use lendwright::decision::{Request, evidence, explain};

use crate::decide::{RECORDS, policy, statements};

fn told(metric: &str) -> String {
    let policy = policy(&[]);
    evidence(&policy, &statements(&policy, RECORDS), &Request::default(), metric).unwrap().unwrap().remove(0)
}

#[test]
fn a_ratio_leads_to_its_parts_and_their_records() {
    insta::assert_snapshot!(told("salary_share"));
}

#[test]
fn a_filter_that_uses_a_metric_leads_to_it() {
    insta::assert_snapshot!(told("large"));
}

#[test]
fn months_and_unknowns_are_told() {
    insta::assert_snapshot!(told("steady"));
    insta::assert_snapshot!(told("debit_total"));
}

#[test]
fn no_such_metric_is_nothing() {
    let policy = policy(&[]);
    assert_eq!(evidence(&policy, &statements(&policy, RECORDS), &Request::default(), "nope").unwrap(), None);
}

#[test]
fn the_decision_is_told_rule_by_rule() {
    let policy = policy(&[("min_credits", "5")]);
    let told = explain(&policy, &statements(&policy, RECORDS), &Request::default()).unwrap();
    insta::assert_snapshot!(told[0]);
}

#[test]
fn a_narration_does_not_steer_the_terminal() {
    let policy = policy(&[]);
    let nasty = r#"{"id": "\u001b[2J", "customer": "c\u0007", "trans_date": "2026-04-30", "credit": 1, "notes": {"desc": "A\u001b[31mB\nC"}}"#;
    let told = evidence(&policy, &statements(&policy, nasty), &Request::default(), "credit_total").unwrap().unwrap();
    assert!(told[0].chars().all(|letter| letter == '\n' || !letter.is_control()), "{}", told[0].escape_debug());
    assert_eq!(told[0].lines().count(), 5, "{}", told[0]);
}
