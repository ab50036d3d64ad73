//! How well the flags of `records` agree with labels.

use crate::cli::records::{desk, run};

#[test]
fn labels_score_the_flags() {
    let desk = desk();
    insta::assert_snapshot!("records_scores", run(&desk, &["--labels", "labels.csv"]));
    let json: serde_json::Value =
        serde_json::from_str(&run(&desk, &["--labels", "labels.csv", "--format", "json"])).expect("JSON");
    let salary = json["flags"].as_array().expect("flags").iter().find(|flag| flag["flag"] == "is_salary");
    let salary = salary.expect("a score");
    assert_eq!((&json["records"], &json["labelled"]), (&12.into(), &11.into()));
    assert_eq!((&salary["truth"], &salary["right"], &salary["recall"]), (&5.into(), &4.into(), &0.8.into()));
    assert_eq!(salary["money"]["truth"], 4 * 25_000_050 + 70_000);
    assert_eq!(salary["missed"][0]["id"], "b03");
    let given = run(&desk, &["--labels", "labels.csv", "--truth", "is_small=salary,charge", "--format", "json"]);
    assert!(given.contains(r#""flag":"is_small","labels":"salary, charge""#), "{given}");
    run(&desk, &["--labels", "labels.csv", "--out", "labelled.csv"]);
    assert!(desk.read("labelled.csv").lines().nth(1).expect("a row").ends_with(",salary"));
}
