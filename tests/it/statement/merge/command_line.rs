//! `--merge`: several accounts and exports of a customer as one statement, on the command line.

use std::fs;

use serde_json::{Value, json};

use crate::fixtures::desk::Desk;

const DECIDE: [&str; 4] = ["decide", "--policy", "rules/small.toml", "--merge"];
const TABLES: [&str; 2] = ["october.csv", "november.csv"];

fn desk() -> Desk {
    let desk = Desk::new();
    for month in ["october", "november"] {
        let path = format!("{}/testdata/statement/accounts-{month}.csv", env!("CARGO_MANIFEST_DIR"));
        desk.write(&format!("{month}.csv"), &fs::read_to_string(path).unwrap());
    }
    desk
}

fn one(line: &str) -> Value {
    serde_json::from_str(line).unwrap()
}

#[test]
fn a_customer_has_one_decision_and_it_is_replayed() {
    let desk = desk();
    let apart = desk.run(&["decide", "--policy", "rules/small.toml", TABLES[0], TABLES[1]]);
    assert_eq!((apart.status, apart.out.lines().count()), (0, 3));
    assert_eq!(one(apart.out.lines().next().unwrap())["statement"], "october.csv#current");
    let decided = desk.run(&[&DECIDE[..], &TABLES].concat());
    assert_eq!((decided.status, decided.err.as_str()), (0, ""));
    let decision = one(&decided.out);
    assert_eq!(decision["metrics"], json!({"records": 4, "inflow": 26_200_000, "largest_debit": 500_000}));
    assert_eq!(
        decision["quality"]["merged"],
        json!({
            "inputs": 3, "accounts": 2, "overlapping": 2, "id_conflicts": 0,
            "transfers_netted": 2, "netted_amount": 7_000_000, "transfers_unclear": 0,
            "rule": {"transfer_days": 2, "quiet_days": 31}
        })
    );
    let swapped = desk.run(&[&DECIDE[..], &[TABLES[1], TABLES[0]]].concat());
    assert_eq!(swapped.out, decided.out);
    desk.write("decision.json", &decided.out);
    let again = desk.run(&["replay", "decision.json", TABLES[1], TABLES[0]]);
    assert_eq!((again.status, again.out.as_str()), (0, "decision.json: the same, byte for byte\n"));
    let half = desk.run(&["replay", "decision.json", TABLES[0]]);
    assert_eq!(half.status, 1);
    assert!(half.err.contains("not the same"), "{}", half.err);
    let alone = desk.run(&["decide", "--policy", "rules/small.toml", "in/statement-000001.json"]);
    desk.write("alone.json", &alone.out);
    let several = desk.run(&["replay", "alone.json", "in/statement-000001.json", "in/statement-000002.json"]);
    assert_eq!(
        several.err,
        "error: 2 statements, but the decision is on one statement that was not merged; give only that one\n"
    );
}

#[test]
fn a_transfer_is_told_of_and_its_days_are_an_option() {
    let desk = desk();
    let explain = ["explain", "--policy", "rules/small.toml", "--merge", "--metric", "inflow"];
    let said = desk.run(&[&explain[..], &TABLES].concat());
    assert!(
        said.out.contains("excluded: 2 transfers between the customer's own accounts, NGN 70,000.00 in total\n"),
        "{}",
        said.out
    );
    let told = one(&desk.run(&[&explain[..], &["--format", "json"], &TABLES].concat()).out);
    assert_eq!(
        told["own_transfers"][1],
        json!({
            "day": "2026-10-30", "arrived": "2026-11-02", "amount": 3_000_000, "from": "savings", "to": "current",
            "debit_id": "s2", "credit_id": "n3"
        })
    );
    let decided = desk.run(&[&DECIDE[..], &["--transfer-days", "0"], &TABLES].concat());
    assert_eq!(one(&decided.out)["quality"]["merged"]["transfers_netted"], 1);
    let html = desk.run(&[&explain[..4], &["--html", "why.html"], &TABLES].concat());
    assert_eq!((html.status, html.err.as_str()), (0, ""));
    assert!(desk.read("why.html").contains("excluded: 2 transfers"));
    assert_eq!(desk.run(&["metrics", "--policy", "rules/small.toml", "--transfer-days", "1", TABLES[0]]).status, 2);
}

#[test]
fn debits_that_one_account_does_not_list_are_unknown() {
    let desk = desk();
    let record = |id: &str, sides: &str| {
        format!(
            r#"{{"id":"{id}","customer":"c","trans_date":"2026-10-0{id}","trans":1,
            "unformatted_trans_date":"0{id}-10-2026",{sides}}}"#
        )
    };
    desk.write("a.json", &format!("[{},{}]", record("1", r#""credit":5"#), record("2", r#""debit":3"#)));
    desk.write("b.json", &format!("[{}]", record("3", r#""credit":7"#)));
    let metrics = |inputs: &[&str]| {
        one(&desk.run(&[&["metrics", "--policy", "rules/small.toml", "--merge"], inputs].concat()).out)
    };
    assert_eq!(metrics(&["a.json"])["largest_debit"], 300);
    let both = metrics(&["a.json", "b.json"]);
    assert_eq!((&both["inflow"], &both["largest_debit"], &both["records"]), (&json!(1200), &Value::Null, &json!(3)));
    let decided = one(&desk.run(&[&DECIDE[..], &["a.json", "b.json"]].concat()).out);
    assert_eq!(decided["unknown"]["largest_debit"], "needs_debit");
}

#[test]
fn a_file_that_cannot_be_read_ends_a_merge() {
    let desk = desk();
    let said = desk.run(&[&DECIDE[..], &[TABLES[0], "none.csv"]].concat());
    assert_eq!((said.status, said.out.as_str()), (1, ""));
    assert!(
        said.err.ends_with(
            "error: nothing was merged: 1 of 2 files cannot be read, so accounts of any customer may be missing\n"
        ),
        "{}",
        said.err
    );
}
