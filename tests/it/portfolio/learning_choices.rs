//! `learn` with what an analyst chose: a file of choices, and weights.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{done, failed, json as read_json};
use crate::fixtures::desk::Desk;

const POLICY: &str = r#"
[policy]
name = "loans"
version = "1"
currency = "566"
time_zone = "Africa/Lagos"
tenure_unit = "days"

[metric]
age = { given = "count" }
late = { given = "count" }
grade = { given = "text" }
home = { given = "text" }
leak = { given = "count" }
"#;

const CHOICES: &str = r#"
[metric.age]
bins = [25, 40, 60]
sign = "rising"
why = "the policy of 2024"

[metric.late]
special = [-1]

[metric.grade]
bins = ["A", ["B", "C"]]

[metric.home]
force = true
"#;

/// Six hundred loans; a tenth of them were never late, which is written as -1.
fn desk() -> Desk {
    let desk = Desk::new();
    let mut table = "customer,age,late,grade,home,leak,bad,weight\n".to_owned();
    for row in 0..600_u64 {
        let draw = |salt: u64| (row + 1).wrapping_mul(salt * 2 + 0x9e37_79b9_7f4a_7c15).rotate_left(31) % 100;
        let (age, late, kind) = (20 + draw(1) % 50, draw(2) % 30, draw(3) % 3);
        let never = draw(4) < 10;
        let risk = 70 - age + if never { 0 } else { late } + kind * 10;
        let bad = draw(5) * 2 < risk;
        let late = if never { "-1".to_owned() } else { late.to_string() };
        let (grade, home) = (["A", "B", "C"][kind as usize], ["rent", "own"][(draw(6) % 2) as usize]);
        let (leak, weight) = (u8::from(bad) * 5, if bad { "1" } else { "2.5" });
        table += &format!("P{row},{age},{late},{grade},{home},{leak},{},{weight}\n", u8::from(bad));
    }
    desk.write("own.csv", &table);
    desk.write("own.toml", POLICY);
    desk.write("choices.toml", CHOICES);
    desk
}

const LEARN: [&str; 7] = ["learn", "--policy", "own.toml", "--metrics", "own.csv", "--outcomes", "own.csv"];

#[test]
fn choices_show_wherever_the_proposal_does() {
    let desk = desk();
    let chosen = ["--choices", "choices.toml", "--document", "m.md", "--document", "m.json", "--document", "m.html"];
    let said = done(&desk, &[&LEARN[..], &chosen, &["--out", "score.toml"]].concat());
    let words = [
        ("age", "cut at 25, 40, 60; points rise"),
        ("grade", "bins A / B, C"),
        ("home", "forced"),
        ("late", "special values -1"),
    ];
    let (score, text, page) = (desk.read("score.toml"), desk.read("m.md"), desk.read("m.html"));
    for (metric, words) in words {
        assert!(said.out.contains(&format!("chosen for {metric}: {words}")), "{}", said.out);
        assert!(score.contains(&format!("# Chosen for {metric}: {words}")), "{score}");
        assert!(text.contains(&format!("| {metric} | {words} |")), "{text}");
        assert!(page.contains(words), "{page}");
    }
    assert!(text.contains("| points rise | the policy of 2024 |") || text.contains("points rise | the policy of 2024"));
    assert!(score.contains("on = \"home\""), "{score}");
    assert!(!said.out.contains("credits alone") && !score.contains("credits alone"), "{}", said.out);
    let document: Value = serde_json::from_str(&desk.read("m.json")).expect("JSON");
    let chosen = &document["proposal"]["settings"]["chosen"];
    assert_eq!(chosen["age"]["bins"], serde_json::json!([25.0, 40.0, 60.0]));
    assert_eq!(chosen["grade"]["bins"], serde_json::json!([["A"], ["B", "C"]]));
    let roles: Vec<_> = document["evidence"]["source"]["inputs"].as_array().expect("inputs").iter().collect();
    assert!(roles.iter().any(|input| input["role"] == "choices" && input["digest"] != ""), "{roles:?}");
    // Points of ages rise, and -1 is a row of its own before the ranges.
    let items = document["proposal"]["items"].as_array().expect("items");
    let age = items.iter().find(|item| item["name"] == "age").expect("an item");
    let points: Vec<i64> =
        age["rows"].as_array().expect("rows")[..4].iter().filter_map(|row| row["points"].as_i64()).collect();
    assert!(points.is_sorted() && points[3] > points[0], "{points:?}");
    // The rule file compiles, and gives the points of the proposal.
    desk.write("learned.toml", &format!("{POLICY}\n{score}"));
    done(&desk, &["check", "learned.toml"]);
    done(&desk, &["table", "export", "learned.toml", "score", "score.pmml"]);
}

#[test]
fn choices_that_cannot_be_meant_are_refused() {
    let desk = desk();
    for (choices, why) in [
        ("[metric.agee]\nforce = true\n", "--choices: the policy has no metric `agee`; did you mean `age`?"),
        ("[metric.age]\nbins = [40, 25]\n", "the choices for `age`: the cuts must ascend"),
        ("[metric.age]\nbins = [40, \"A\"]\n", "choices.toml: [metric.age]: `bins` has numbers and texts"),
        ("[metric.leak]\nforce = true\n", "the choices for `leak`: it is forced, but leaking"),
        ("[metric.grade]\nsign = \"rising\"\n", "its texts have no order that a sign could follow"),
        ("[metric.age]\nsigns = 1\n", "unknown field `signs`"),
    ] {
        desk.write("choices.toml", choices);
        let said = failed(&desk, &[&LEARN[..], &["--choices", "choices.toml"]].concat());
        assert!(said.contains(why), "{said}");
    }
    let said = failed(&desk, &[&LEARN[..], &["--choices", "none.toml"]].concat());
    assert!(said.contains("none.toml: "), "{said}");
}

/// What the document says with weights is computed again from its held-out scores.
#[test]
fn weights_count_in_every_figure() {
    let desk = desk();
    let weighed = [&LEARN[..], &["--weight-column", "weight", "--out", "score.toml"]].concat();
    let said = done(&desk, &[&weighed[..], &["--document", "m.json", "--document", "m.md"]].concat());
    assert!(said.out.contains("rows count by their weights: "), "{}", said.out);
    assert!(desk.read("score.toml").contains("# Rows count by their weights, in bins, fit, AUC, KS, PSI and rates: "));
    assert!(
        desk.read("m.md")
            .contains("divided by its mean: in bins, weights, AUC, KS, PSI, correlations, gains, calibration")
    );
    let document: Value = serde_json::from_str(&desk.read("m.json")).expect("JSON");
    assert_eq!(document["evidence"]["source"]["weight_column"], "weight");
    let scores = document["evidence"]["held_out"]["scores"].as_array().expect("scores");
    let number = |value: &Value| value.as_f64().expect("a number");
    let rows: Vec<(f64, bool, f64)> =
        scores.iter().map(|one| (number(&one["place"]), one["bad"] == true, number(&one["weight"]))).collect();
    let (mut wins, mut pairs, mut bads, mut all) = (0.0, 0.0, 0.0, 0.0);
    for (score, bad, weight) in &rows {
        (bads, all) = (bads + if *bad { *weight } else { 0.0 }, all + weight);
        for (other, is_bad, times) in rows.iter().filter(|_| *bad) {
            if !is_bad {
                pairs += weight * times;
                wins += weight * times * if other > score { 1.0 } else { f64::from(u8::from(other == score)) / 2.0 };
            }
        }
    }
    let proposal = &document["proposal"];
    assert!((wins / pairs - number(&proposal["validation"]["auc"]["auc"])).abs() < 1e-12);
    assert!((bads / all - number(&proposal["bad_rate"])).abs() < 1e-12);
    let gains = document["evidence"]["held_out"]["gains"].as_array().expect("gains");
    assert_eq!(gains.iter().map(|band| band["n"].as_u64().expect("rows")).sum::<u64>(), 600);
    let calibration = &document["evidence"]["held_out"]["calibration"];
    assert!((number(&calibration["bad_rate"]) - bads / all).abs() < 1e-12);
    // A wrong weight is named by its row.
    let table = desk.read("own.csv");
    let spoilt: Vec<String> = table
        .lines()
        .enumerate()
        .map(|(at, line)| match at {
            3 | 9 => line.rsplit_once(',').map_or(String::new(), |(rest, _)| format!("{rest},0")),
            _ => line.to_owned(),
        })
        .collect();
    desk.write("own.csv", &spoilt.join("\n"));
    let said = failed(&desk, &weighed);
    assert!(
        said.contains("own.csv: --weight-column: a weight must be a finite number above 0, and is not in rows 3, 9"),
        "{said}"
    );
    let said = failed(&desk, &[&LEARN[..], &["--weight-column", "weights"]].concat());
    assert!(said.contains("own.csv: --weight-column: it lacks the column `weights`; did you mean `weight`?"), "{said}");
    let plain: BTreeMap<String, Value> =
        serde_json::from_value(read_json(&done(&desk, &[&LEARN[..], &["--format", "json"]].concat())))
            .expect("an object");
    assert_eq!(plain["is_weighted"], false);
}
