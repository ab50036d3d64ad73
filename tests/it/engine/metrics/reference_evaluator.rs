//! The evaluator of metrics against the reference in `fuzz/`, over random rules and random statements.

use lendwright::rules::{AGGREGATES, FUNCTIONS};
use lendwright_fuzz::metrics::ranges::hold;
use lendwright_fuzz::metrics::{compare, rules};
use proptest::prelude::*;
use proptest::strategy::ValueTree;

use crate::fixtures::campaign;

/// The generator must not miss what it is meant to test.
#[test]
fn the_random_rules_reach_everything() {
    let mut random = proptest::test_runner::TestRunner::deterministic();
    let strategy = prop::collection::vec(any::<u32>(), 40..400);
    let mut text = String::new();
    for _ in 0..2_000 {
        let numbers = strategy.new_tree(&mut random).expect("numbers").current();
        text.push_str(&rules(&numbers));
    }
    // Covered elsewhere: offers, table outputs and reasons with whole policies, timestamps in `times`.
    let elsewhere = [
        "principal_for",
        "list_contains",
        "list_length",
        "list_of",
        "concat",
        "text_of",
        "power",
        "date_of",
        "time_of",
        "why",
    ];
    for name in FUNCTIONS.iter().chain(AGGREGATES).filter(|name| !elsewhere.contains(name)) {
        assert!(text.contains(&format!("{name}(")), "{name}");
    }
    for section in ["[transaction]", "[month]", "[week]", "[day]", "[counterparty]", "[metric]"] {
        assert!(text.contains(section), "{section}");
    }
    for word in
        ["BETWEEN", "IN (", "LIKE", "ILIKE", "CASE", "ELSE", "IS NULL", "IS NOT NULL", "IS TRUE", "DISTINCT", "FILTER"]
    {
        assert!(text.contains(word), "{word}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        max_shrink_iters: 20_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_evaluator_says_what_the_reference_says(numbers in prop::collection::vec(any::<u32>(), 40..400)) {
        if let Err(different) = compare(&numbers) {
            prop_assert!(false, "{different}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        max_shrink_iters: 20_000,
        failure_persistence: None,
        cases: campaign::size(500, 2_000),
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_value_lies_in_its_range(numbers in prop::collection::vec(any::<u32>(), 40..400)) {
        if let Err(outside) = hold(&numbers) {
            prop_assert!(false, "{outside}");
        }
    }
}
