//! Decisions on ready metrics: a statement's own metrics give the same decision without the statement.

mod columns;

use lendwright::base::date::Day;
use lendwright::decision::{Decision, ReadyPlan, Request, decide, reading};
use lendwright::generate::{Options, statement_json};
use lendwright::rules::{Policy, Value};
use lendwright::statement::read_json;
use lendwright::{compile, load_policy};
use serde_json::json;

const POLICIES: [&str; 3] = ["rules/starter.toml", "rules/salary-advance.toml", "rules/small-business.toml"];

/// The decision without what identifies the statement.
fn judged(decision: &Decision) -> serde_json::Value {
    let reasons: Vec<_> = decision.reasons.iter().map(|reason| (&reason.id, reason.effect)).collect();
    let offers: Vec<_> = decision
        .offers
        .iter()
        .map(|offer| (offer.tenure, offer.amount_offered, offer.amount_payable, offer.fee))
        .collect();
    json!([decision.outcome, reasons, decision.score, decision.grade, offers, decision.points_lost])
}

#[test]
fn the_metrics_of_a_statement_decide_as_the_statement_does() {
    let mut offers = 0;
    for file in POLICIES {
        let policy = load_policy(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(file), &[]).unwrap();
        let seen = policy.judged_by();
        assert!(seen.len() > 8, "{seen:?}");
        let plan = ReadyPlan::new(&policy, &seen).unwrap();
        for index in 0..60 {
            let options = Options { records: 20 + index * 7, debits: index % 2 == 1, noise: 0.3, ..Options::default() };
            let statements =
                read_json(&statement_json(11, index, &options).unwrap(), "one", &reading(&policy)).unwrap();
            let day = Day::parse_iso("2026-10-31").unwrap();
            let whole = decide(&policy, &statements, &Request::on(day)).unwrap().remove(0);
            let mut rows = plan.rows();
            let given = whole.metrics.iter().filter(|(name, _)| seen.contains(&name.as_str()));
            let given = given.map(|(name, value)| (name.clone(), value.clone())).collect();
            rows.push_json("one", whole.customer.as_deref(), &given).unwrap();
            let ready = plan.decide(rows, &Request::on(whole.as_of.unwrap())).unwrap().remove(0);
            assert_eq!(judged(&ready), judged(&whole), "{file} {index}");
            offers += usize::from(!ready.offers.is_empty());
        }
    }
    assert!(offers > 10, "{offers}");
}

fn small() -> Policy {
    let text = "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n\
        [metric]\nincome = \"SUM(credit)\"\nrecords = \"COUNT(*)\"\nagain = \"COUNT(*)\"\npayer = \"LAST(bank)\"\n\
        last = \"MAX(trans_date)\"\nmean = \"income / NULLIF(records, 0)\"\n\
        [[require]]\nid = \"R1\"\nwhen = \"mean > 100 AND payer <> 'x'\"\nunknown = \"refer\"\n\
        reason = \"{mean} of {payer}, {duplicates_dropped}, last {last}\"\n\
        [[offer]]\nid = \"o\"\ntenure = 30\namount = \"income\"\ninterest = 1\n";
    compile("x.toml", text, &mut |_| Err("none".into()), &[]).unwrap()
}

#[test]
fn what_is_not_given_is_unknown_and_what_follows_is_worked_out() {
    let policy = small();
    let plan = ReadyPlan::new(&policy, &["income", "records", "payer", "last"]).unwrap();
    let mut rows = plan.rows();
    rows.push_json(
        "a",
        Some("ada"),
        json!({"income": 60_000, "records": 3, "payer": "gtb", "last": "2026-06-30"}).as_object().unwrap(),
    )
    .unwrap();
    rows.push_json("b", None, json!({"income": 60_000, "payer": "gtb"}).as_object().unwrap()).unwrap();
    rows.push(
        "c",
        None,
        vec![Some(Value::Int(15_000)), Some(Value::Int(3)), Some(Value::Text("x".into())), Some(Value::Int(20_000))],
    )
    .unwrap();
    let mut decisions = plan.decide(rows, &Request::on("2026-06-30".parse().unwrap())).unwrap();
    let (third, second, first) = (decisions.pop().unwrap(), decisions.pop().unwrap(), decisions.pop().unwrap());
    assert_eq!((first.customer.as_deref(), first.offers[0].amount_offered), (Some("ada"), 60_000));
    assert_eq!(first.metrics["mean"], json!(20_000.0));
    assert_eq!(second.reasons[0].id, "R1");
    assert_eq!(second.unknown["mean"], "not_given");
    assert_eq!(third.reasons[0].text, "NGN 50.00 of x, ?, last 2024-10-04");
}

/// Points with a gap, unknown values in every operation that chooses, and numbers of every kind.
const CHOICES: &str = r#"
[policy]
name = "x"
version = "1"
currency = "566"
time_zone = "UTC"

[metric]
records = "COUNT(*)"
mean = "SUM(debit) / NULLIF(SUM(credit), 0)"
left = "AVG(credit)"
wait = "text_of(CASE WHEN records > 2 THEN INTERVAL 'PT1H' ELSE INTERVAL 'PT3H' / 2 END)"
share = "CASE WHEN records > 2 THEN 0.25 WHEN records > 1 THEN mean / 300 END"
known = "COALESCE(share, mean / NULLIF(records, 1), 0.5)"
least = "LEAST(share, mean / 700, 1.5)"
most = "GREATEST(records, 2)"

[score]
base = 0.5

[[score.item]]
on = "share"
points = [["< 0.3", 12.5], ["unknown", -3]]

[[score.item]]
on = "records"
points = [[">= 0.5", 1], ["-", 0]]

[[require]]
id = "R"
when = "wait = 'PT1H30M' OR least > 0 OR known > 0 OR most > 2 OR score > 1"
unknown = "refer"
reason = "{wait} {known}"

[[offer]]
id = "o"
tenure = 30
interest = "most"
method = "reducing"
amount = "LEAST(principal_for(left / 3, known, most), 10 * left, 500000)"
"#;

#[test]
fn a_row_alone_says_what_it_says_among_others() {
    let policy = compile("x.toml", CHOICES, &mut |_| Err("none".into()), &[]).unwrap();
    let plan = ReadyPlan::new(&policy, &["records", "mean", "left"]).unwrap();
    let given = [(Some(1), Some(5.5)), (Some(2), Some(99.0)), (Some(3), None), (None, Some(2_000.0)), (Some(0), None)];
    let request = Request::on("2026-06-30".parse().unwrap());
    let decided = |given: &[(Option<i64>, Option<f64>)]| {
        let mut rows = plan.rows();
        for (records, mean) in given {
            let values =
                vec![records.map(Value::Int), mean.map(Value::Float), mean.map(|mean| Value::Float(mean * 1e4 / 7.0))];
            rows.push("one", None, values).unwrap();
        }
        let decisions = plan.decide(rows, &request).unwrap();
        decisions.iter().map(|decision| json!(decision)).collect::<Vec<_>>()
    };
    let together = decided(&given.repeat(3));
    for (row, given) in given.iter().enumerate() {
        assert_eq!(decided(&[*given]), [together[row].clone()], "row {row}");
    }
    assert_eq!(together[0]["metrics"]["wait"], json!("PT1H30M"));
    assert!(together.iter().any(|decision| decision["offers"] != json!([])), "{together:?}");
}

#[test]
fn rows_that_do_not_fit_are_refused() {
    let policy = small();
    let said = |names: &[&str]| ReadyPlan::new(&policy, names).unwrap_err().to_string();
    assert_eq!(said(&["incom"]), "metric `incom`: did you mean `income`?");
    assert_eq!(said(&["records", "again"]), "metric `again`: it is the same expression as `records`; give one of them");
    let plan = ReadyPlan::new(&policy, &["income"]).unwrap();
    let mut rows = plan.rows();
    let mut push =
        |row: serde_json::Value| rows.push_json("a", None, row.as_object().unwrap()).unwrap_err().to_string();
    assert_eq!(push(json!({"income": 1.5})), "metric `income`: not a value of money");
    assert_eq!(push(json!({"records": 1})), "metric `records`: the plan does not name it");
    assert!(rows.push("a", None, vec![]).is_err() && rows.is_empty());
    let other = ReadyPlan::new(&policy, &["records"]).unwrap();
    assert!(plan.decide(other.rows(), &Request::default()).is_err());
}
