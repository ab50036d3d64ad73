//! `nearest`: the nearest offer of a customer who was declined.

use serde_json::Value;

use super::{D, desk, done};

/// The example of the guide, with the shipped policy.
#[test]
fn the_example_of_the_guide_works() {
    let desk = desk();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let guide = std::fs::read_to_string(root.join("docs/guides/nearest.md")).expect("the guide");
    let (_, example) = guide.split_once("```toml\n").expect("an example");
    desk.write("actionable.toml", example.split("```").next().expect("an end"));
    let starter = root.join("rules/starter.toml");
    let starter = starter.to_str().expect("a path");
    done(&desk, &["metrics", "--policy", starter, "--as-of", "2026-10-31", D, "--out", "starter.parquet"]);
    let said = done(&desk, &["nearest", "--policy", starter, "--actionable", "actionable.toml", "starter.parquet"]);
    assert!(said.out.contains("without an offer: "), "{}", said.out);
}

#[test]
fn the_nearest_offer_is_one_that_the_engine_makes() {
    let desk = desk();
    desk.write(
        "actionable.toml",
        "[actionable]\nincome = { max = 2_000_000, step = 10_000, direction = \"up\" }\n\
         payments = { max = 80, direction = \"up\" }\n",
    );
    let ask = ["nearest", "--policy", "new.toml", "--actionable", "actionable.toml", "book.parquet"];
    let said = done(&desk, &[&ask[..], &["--format", "json"]].concat());
    let lines: Vec<Value> =
        said.out.lines().map(|line| serde_json::from_str(line).expect("an object per line")).collect();
    let (summary, people) = lines.split_last().expect("a sum");
    assert!(!people.is_empty() && summary["customers"].as_u64() == Some(people.len() as u64));
    for one in people.iter().filter(|one| one["answer"] == "found") {
        // Both in major units, as rule files write them.
        let offer = &one["offer"];
        assert!(
            offer["amount"].as_f64() > Some(0.0) && offer["currency"] == "NGN" && offer["tenure"].is_u64(),
            "{one}"
        );
        let changes = one["changes"].as_array().expect("changes");
        assert!(changes.iter().all(|change| ["income", "payments"].iter().any(|name| change["metric"] == *name)));
    }
    let customer = people[0]["customer"].as_str().expect("a customer");
    let text = done(&desk, &[&ask[..], &["--someone", customer]].concat()).out;
    assert!(text.contains("nearest offer: "), "{text}");
}
