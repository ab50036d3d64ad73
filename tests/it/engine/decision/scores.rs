//! Scores: weights, points lost, and scales.

use serde_json::json;

use super::small_policies::{compiled, decided};

const SCORE: &str = "[score]\nbase = 100\nreasons = 2\n\
    [[score.item]]\non = \"request.n\"\nweight = 2\ncode = \"S1\"\nreason = \"n is {request.n}\"\n\
    points = [[\"< 1\", 0], [\"1..2\", 15], [\">= 2\", 30], [\"unknown\", 5]]\n\
    [[score.item]]\non = \"request.income\"\ncode = \"S2\"\npoints = [[\"< 500\", -20], [\">= 500\", 40]]\n\
    [[score.item]]\non = \"request.owed\"\npoints = [[\"-\", 7]]\n\
    [[score.item]]\non = \"request.a\"\ncode = \"S4\"\npoints = [[\"true\", 60], [\"false\", 0]]\n";

#[test]
fn points_count_by_weight_and_those_lost_are_told_dearest_first() {
    let decision = decided(SCORE, json!({"n": 1.5, "income": 10_000, "a": true}));
    assert_eq!(decision.score, Some(100.0 + 30.0 - 20.0 + 7.0 + 60.0));
    let lost: Vec<_> =
        decision.points_lost.iter().map(|lost| (lost.id.as_str(), lost.text.as_str(), lost.lost)).collect();
    assert_eq!(lost, [("S2", "request.income", 60.0), ("S1", "n is 1.5", 30.0)]);
    // Three lose the same: the first in the file, and no more than two.
    let decision = decided(SCORE, json!({"n": 0.5, "income": 10_000, "a": false}));
    let ids: Vec<_> = decision.points_lost.iter().map(|lost| lost.id.as_str()).collect();
    assert_eq!(ids, ["S1", "S2"]);
    let best = decided(SCORE, json!({"n": 5, "income": 90_000, "a": true}));
    assert!(best.points_lost.is_empty());
    // An unknown item loses no points; the score is unknown then.
    let unknown = decided(SCORE, json!({"income": 10_000}));
    let ids: Vec<_> = unknown.points_lost.iter().map(|lost| lost.id.as_str()).collect();
    assert_eq!((unknown.score, ids), (None, vec!["S2", "S1"]));
}

#[test]
fn a_scale_doubles_the_odds_every_so_many_points() {
    let score = |n: f64| {
        let body = "[score]\nbase = 0\nscale = { points = 600, odds = 50, pdo = 20 }\n\
            [[score.item]]\non = \"request.n\"\npoints = [[\"< 1\", 3.912023005428146], [\"1..2\", 4.605170185988092], \
            [\">= 2\", 0]]\n";
        decided(body, json!({"n": n})).score.unwrap()
    };
    // ln 50 gives 600 points, ln 100 gives 620, even odds 600 - 20 * log2(50).
    assert!((score(0.0) - 600.0).abs() < 1e-9);
    assert!((score(1.0) - 620.0).abs() < 1e-9);
    assert!((score(2.0) - (600.0 - 20.0 * libm::log2(50.0))).abs() < 1e-9);
}

#[test]
fn a_score_that_makes_no_sense_is_told() {
    let told = |body: &str| compiled(body).unwrap_err();
    let item = "[[score.item]]\non = \"request.n\"\npoints = [[\"-\", 1]]\n";
    assert!(told(&format!("[score]\nbase = 0\nreasons = 2\n{item}")).contains("no item has a code"));
    assert!(
        told(&format!("[score]\nbase = 0\nscale = {{ points = 1, odds = 0, pdo = 20 }}\n{item}"))
            .contains("`odds` must be greater than 0")
    );
    assert!(
        told(&format!("[score]\nbase = 0\nscale = {{ points = 1, odds = 2 }}\n{item}")).contains("`pdo` is missing")
    );
    assert!(told(&format!("[score]\nbase = 0\n{item}reason = \"why\"\n")).contains("a reason without a code"));
    assert!(
        told(&format!("[score]\nbase = 0\n{item}code = \"S\"\n{item}code = \"S\"\n"))
            .contains("`S` is already defined")
    );
    assert!(told(&format!("[score]\nbase = 0\n{item}weight = \"heavy\"\n")).contains("is not a number"));
}
