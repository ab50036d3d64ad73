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

#[test]
fn members_of_blocks_near_misses_and_bounds_are_told() {
    let text = "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n\
        [request]\namount = \"money\"\nconfirmed = \"boolean\"\n\
        [metric]\nincome = \"SUM(credit)\"\nrecords = \"COUNT(*)\"\n\
        [[require]]\nid = \"R1\"\nat_least = 2\nof = [\"income > 100\", \"records > 5\", { any = [\"request.confirmed\", \"income > 50\"] }]\nreason = \"too few signs\"\n\
        [table.grade]\nhit = \"first\"\ninputs = [\"income\", \"records\"]\noutputs = { grade = \"text\" }\n\
        rows = [[\">= 9000\", \"-\", \"A\"], [\">= 100\", \">= 3\", \"B\"], [\">= 9000\", \">= 9\", \"X\"], [\"-\", \"-\", \"C\"]]\n\
        [ask]\namount = \"request.amount\"\n\
        [[offer]]\nid = \"o\"\ntenure = 30\namount = \"0.5 * income\"\ncap = [700, \"income\"]\nstep = 100\nfloor = 50\ninterest = 1\n";
    let policy = lendwright::compile("x.toml", text, &mut |_| Err("none".into()), &[]).unwrap();
    let record = r#"[{"id": "1", "customer": "ada", "trans_date": "2026-06-10", "credit": 4000}]"#;
    let statements = lendwright::read_json(record.as_bytes(), "one", &lendwright::reading(&policy)).unwrap();
    let request = Request::from_json(&policy, br#"{"amount": 90000}"#).unwrap();
    insta::assert_snapshot!("members_and_bounds", explain(&policy, &statements, &request).unwrap()[0]);
}
