//! Searching long texts by patterns and words: one pass, whatever the pattern.

use std::time::Instant;

use lendwright::decision::{Request, decide, reading};
use lendwright::statement::read_json;

use crate::rules::limits::{BOUND, compiled, lines, listed};

/// A text and a pattern that would backtrack at every letter.
#[test]
fn a_pattern_costs_no_more_than_one_pass_over_the_text() {
    let conditions: Vec<String> = [
        format!("%{}b%", "a".repeat(500)),
        format!("%{}", "a%".repeat(400)),
        format!("%{}b%", "a_".repeat(400)),
        format!("{}%b", "_".repeat(900)),
        "%a%a%a%a%a%a%a%a%a%a%a%b".to_owned(),
    ]
    .map(|pattern| format!("desc LIKE '{pattern}' OR desc ILIKE '{}'", pattern.to_uppercase()))
    .to_vec();
    let metrics = lines(conditions.len(), |n| format!("m{n} = \"COUNT(*) FILTER (WHERE {})\"", conditions[n]));
    let policy = compiled(&format!("[metric]\n{metrics}")).unwrap_or_else(|refused| panic!("{refused}"));
    let record = format!(
        r#"{{"id": "1", "customer": "c", "trans_date": "2026-06-10", "credit": 4000, "notes": {{"desc": "{}"}}}}"#,
        "a".repeat(4 << 20)
    );
    let statements = read_json(format!("[{record}]").as_bytes(), "inline", &reading(&policy)).unwrap();
    let from = Instant::now();
    let decision = decide(&policy, &statements, &Request::default()).unwrap().remove(0);
    println!("{} ms", from.elapsed().as_millis());
    assert!(from.elapsed() < BOUND, "{:?}", from.elapsed());
    let found: Vec<&serde_json::Value> = decision.metrics.values().collect();
    assert_eq!(found, [0, 1, 0, 0, 0]);
}

/// A word costs the square of its length: long ones are refused, and the maximum number of the longest is accepted.
#[test]
fn the_words_of_lists_are_no_longer_than_narrations() {
    let words = |count: usize, letters: usize| {
        let word = |number: usize| format!("\"{}{number:05}\"", &"ab".repeat(letters)[..letters - 5]);
        let listed = listed(count, word);
        compiled(&format!("[words]\nw = [{listed}]\n[metric]\nm = \"COUNT(*) FILTER (WHERE mentions(w))\"\n"))
    };
    let start = Instant::now();
    for letters in [201, 100_000] {
        let refused = words(1, letters).unwrap_err();
        assert_eq!(refused.diagnostics[0].code, "too-long");
        let span = refused.diagnostics[0].span;
        assert!(span.end - span.start >= letters as u32, "{span:?}");
    }
    assert!(words(10_000, 200).is_ok());
    assert!(start.elapsed() < BOUND, "{:?}", start.elapsed());
}
