//! The statistics against SciPy and scikit-learn: `testdata/statistics/expected.json`, made by
//! `tests/statistics/reference.py`.

use std::path::Path;

use lendwright::portfolio::statistics::adverse_impact::{
    GroupCounts, ImpactSettings, Judgement, Reference, adverse_impact,
};
use lendwright::portfolio::statistics::calibration::{CalibrationSettings, LogisticFit, Sample, measure_calibration};
use lendwright::portfolio::statistics::discrimination::{Scored, delong_test};
use lendwright::portfolio::statistics::stability::{Smoothing, population_stability};
use lendwright::portfolio::statistics::{Level, Proportion};
use serde_json::Value;

/// Statistics by the names that the reference gives them.
type Found = Vec<(&'static str, f64)>;

#[test]
fn statistics_equal_those_of_scipy_and_scikit_learn() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/statistics/expected.json");
    let cases: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    assert!(cases.len() >= 30);
    for case in &cases {
        let input = &case["input"];
        let found = match case["kind"].as_str().unwrap() {
            "discrimination" => discrimination(input),
            "delong" => delong(input),
            "calibration" => calibrated(input),
            "wilson" => wilson(input),
            "psi" => stability(input),
            "impact" => impact(input),
            other => panic!("unknown kind `{other}`"),
        };
        assert_eq!(found.len(), case["expected"].as_object().unwrap().len(), "every expected number is compared");
        for (name, value) in found {
            let expected = number(&case["expected"], name);
            let near = (value - expected).abs() <= 1e-9 * expected.abs().max(1e-6);
            assert!(near, "{name} is {value}, the reference has {expected}, for {} {input}", case["kind"]);
        }
    }
}

fn number(of: &Value, name: &str) -> f64 {
    of[name].as_f64().unwrap_or_else(|| panic!("no number `{name}` in {of}"))
}

fn whole(of: &Value) -> u64 {
    of.as_u64().unwrap_or_else(|| panic!("no whole number: {of}"))
}

fn wholes(of: &Value) -> Vec<u64> {
    of.as_array().unwrap().iter().map(whole).collect()
}

#[derive(Default)]
struct Rows {
    scores: Vec<f64>,
    second: Vec<f64>,
    predicted: Vec<f64>,
    bad: Vec<bool>,
}

/// The rows of a case: listed, or generated as `reference.py` does.
fn rows(input: &Value) -> Rows {
    let mut rows = Rows::default();
    let Some(seed) = input.get("seed") else {
        rows.scores = input["scores"].as_array().unwrap().iter().map(|score| score.as_f64().unwrap()).collect();
        rows.bad = input["bad"].as_array().unwrap().iter().map(|bad| bad.as_bool().unwrap()).collect();
        return rows;
    };
    let mut state = whole(seed);
    let mut unit = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let (levels, base) = (number(input, "levels"), number(input, "base"));
    for _ in 0..whole(&input["n"]) {
        let (first, noise, chance) = (unit(), unit(), unit());
        let predicted = base + 0.3 * (1.0 - first) * (1.0 - first);
        rows.scores.push((first * levels).floor());
        rows.second.push(((first + noise) * levels).floor());
        rows.predicted.push(predicted);
        rows.bad.push(chance < predicted);
    }
    rows
}

fn discrimination(input: &Value) -> Found {
    let rows = rows(input);
    let found = Scored::new(&rows.scores, &rows.bad).unwrap().discrimination(Level::NINETY_FIVE).unwrap();
    let delong = found.delong.unwrap();
    vec![
        ("auc", found.auc),
        ("gini", found.gini),
        ("ks", found.ks.value),
        ("variance", delong.variance),
        ("low", delong.interval.low),
        ("high", delong.interval.high),
    ]
}

fn delong(input: &Value) -> Found {
    let rows = rows(input);
    let found = delong_test(&rows.scores, &rows.second, &rows.bad, Level::NINETY_FIVE).unwrap().unwrap();
    vec![
        ("difference", found.difference),
        ("standard_error", found.standard_error),
        ("z", found.z.unwrap()),
        ("p", found.p.unwrap()),
    ]
}

fn calibrated(input: &Value) -> Found {
    let rows = rows(input);
    let bins = whole(&input["bins"]) as usize;
    let settings = CalibrationSettings { bins, level: Level::NINETY_FIVE, sample: Sample::Development };
    let found = measure_calibration(&rows.predicted, &rows.bad, &settings).unwrap().unwrap();
    let test = found.hosmer_lemeshow.unwrap();
    let LogisticFit::Fitted(line) = found.logistic else { panic!("{:?}", found.logistic) };
    vec![
        ("brier", found.brier),
        ("expected_calibration_error", found.expected_calibration_error),
        ("hosmer_lemeshow", test.statistic),
        ("p", test.p),
        ("intercept", line.intercept),
        ("slope", line.slope),
        ("intercept_error", line.intercept_error),
        ("slope_error", line.slope_error),
        ("in_the_large", line.in_the_large),
    ]
}

fn wilson(input: &Value) -> Found {
    let proportion = Proportion::new(whole(&input["hits"]), whole(&input["n"])).unwrap();
    let interval = proportion.wilson(Level::new(number(input, "level")).unwrap()).unwrap();
    vec![("low", interval.low), ("high", interval.high)]
}

fn stability(input: &Value) -> Found {
    let smoothing = Smoothing::new(number(input, "smoothing")).unwrap();
    let found = population_stability(&wholes(&input["base"]), &wholes(&input["recent"]), smoothing).unwrap().unwrap();
    vec![("psi", found.value)]
}

fn impact(input: &Value) -> Found {
    let group = |name| {
        let counts = wholes(&input[name]);
        GroupCounts { name, approved: Proportion::new(counts[0], counts[1]).unwrap() }
    };
    let settings = ImpactSettings { reference: Reference::Named("reference"), least: 1, level: Level::NINETY_FIVE };
    let found = adverse_impact(&[group("group"), group("reference")], &settings).unwrap();
    let Judgement::Compared(impact) = found.groups[0].judgement else { panic!("{found:?}") };
    let interval = impact.interval.unwrap();
    vec![("ratio", impact.ratio), ("low", interval.low), ("high", interval.high), ("p", impact.p)]
}
