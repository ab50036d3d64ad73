//! The policy is edited while the service runs.

use crate::fixtures::lender_service::{Bench, POLICY, until};

#[tokio::test(flavor = "multi_thread")]
async fn a_good_edit_counts_and_is_recorded_and_a_broken_one_changes_nothing() {
    let bench = Bench::new("[answers]\noffers = \"now\"\n").await;
    let service = bench.serve();
    bench.write("policy.toml", &POLICY.replace("COUNT(*)", "COUNT(nothing)"));
    until("the refusal", || bench.log().contains("the edited policy is refused")).await;
    assert!(bench.log().contains("policy.toml:"), "{}", bench.log());
    bench.offer().await;
    bench.write("policy.toml", &POLICY.replace("Africa/Lagos", "UTC"));
    until("the other refusal", || bench.log().contains("another currency or time zone")).await;
    // A request of the provider brings no metric that the lender has already.
    bench.write("policy.toml", &POLICY.replace("[metric]\n", "[metric]\nfico = { given = \"count\" }\n"));
    until("the third refusal", || bench.log().contains("the edited policy declares the given metric `fico`")).await;
    bench.write("policy.toml", &POLICY.replace("version = \"1\"", "version = \"2\""));
    until("the change", || bench.log().contains("another policy is in force")).await;
    // Each is logged once.
    assert_eq!(bench.log().matches("the edited policy is refused").count(), 1);
    assert_eq!(service.stop("TERM"), Some(0));
    let database = rusqlite::Connection::open(bench.path("lender.sqlite")).unwrap();
    let mut rows = database.prepare("SELECT actor, event, detail FROM audit WHERE loan IS NULL ORDER BY seq").unwrap();
    let rows: Vec<(String, String, String)> =
        rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap().map(Result::unwrap).collect();
    let events: Vec<(&str, &str)> = rows.iter().map(|(actor, event, _)| (actor.as_str(), event.as_str())).collect();
    assert_eq!(events, [("service", "started"), ("service", "policy_changed")]);
    let detail: serde_json::Value = serde_json::from_str(&rows[1].2).unwrap();
    assert_eq!((&detail["before"][0]["version"], &detail["now"][0]["version"]), (&"1".into(), &"2".into()));
    assert_ne!(detail["before"][0]["digest"], detail["now"][0]["digest"]);
}
