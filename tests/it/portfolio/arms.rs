//! `arms`: a live split read back from what `decide` wrote.

use super::{A, B, C, D, desk, done, failed, json, outcomes};

#[test]
fn the_arms_of_decisions_are_compared() {
    let desk = desk();
    outcomes(&desk);
    let split = "[policy]\nchallenger = { file = \"new.toml\", share = 0.5, salt = \"spring\" }\n";
    desk.write("split.toml", &desk.read("old.toml").replacen("[policy]\n", split, 1));
    let decide = ["decide", "--policy", "split.toml", "--as-of", "2026-10-31", A, B, C, D];
    desk.write("decisions.ndjson", &done(&desk, &decide).out);
    let ask = ["arms", "decisions.ndjson", "--outcomes", "loans.csv", "--share", "0.5", "--detect", "0.1"];
    let found = json(&done(&desk, &[&ask[..], &["--format", "json"]].concat()));
    let count = |place: &[&str]| {
        let value = place.iter().fold(&found, |value, key| &value[*key]);
        (value[0].as_u64().expect("a count"), value[1].as_u64().expect("a count"))
    };
    let customers = count(&["customers"]);
    assert_eq!(customers.0 + customers.1, 40);
    let decided = desk.read("decisions.ndjson");
    let of_challenger = |text: &str| {
        decided.lines().filter(|line| line.contains("\"arm\":\"challenger\"") && line.contains(text)).count() as u64
    };
    assert_eq!(count(&["offers", "challenger"]), (of_challenger("\"outcome\":\"offer\""), customers.1));
    assert_eq!(customers.1, of_challenger(""));
    assert!(found["offers"]["p"].as_f64().is_some_and(|p| p > 0.0 && p <= 1.0));
    assert!(found["needed"][1].as_u64().is_some_and(|size| size > 10), "{found}");
    let text = done(&desk, &ask).out;
    assert!(text.contains("50.0% was meant"), "{text}");
    // Outcomes of the lender's own names say the same.
    let own = desk.read("loans.csv").replacen("customer", "client", 1).replacen("bad", "defaulted", 1);
    desk.write("own.csv", &own);
    let named = ["--outcomes", "own.csv", "--customer-column", "client", "--bad-column", "defaulted"];
    let ask = [&["arms", "decisions.ndjson"][..], &named, &["--share", "0.5", "--detect", "0.1"]].concat();
    assert_eq!(done(&desk, &ask).out, text);
    // A policy without a challenger has no arms.
    let alone = ["decide", "--policy", "old.toml", "--as-of", "2026-10-31", A];
    desk.write("alone.ndjson", &done(&desk, &alone).out);
    assert!(failed(&desk, &["arms", "alone.ndjson"]).contains("the column `arm` is missing"));
}
