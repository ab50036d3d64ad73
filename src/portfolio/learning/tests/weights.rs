//! Rows that have weights, and customers with several rows.

use super::super::logistic::{Outcomes, fit_weighted_regression, robust_certainty_of_weights};
use super::super::*;
use super::{Draw, apart, expected, mixed, number, regression_case};

/// scikit-learn and statsmodels, and a sandwich by numpy.
#[test]
fn weighted_regressions_are_those_of_the_reference() {
    let expected = &expected()["weighted"];
    let (columns, good) = regression_case();
    let mut draw = Draw(11);
    let weights: Vec<f64> = good.iter().map(|_| 0.25 + 3.0 * draw.next()).collect();
    let mut sample = Sample { bad: good.iter().map(|good| !good).collect(), ..Sample::default() };
    sample.weigh_rows(weights).expect("weights");
    assert!((sample.weights.iter().map(|weight| weight * weight).sum::<f64>() - number(&expected["sum"])).abs() < 1e-9);
    let outcomes = Outcomes { is_true: &good, weights: &sample.weights };
    let all = |fit: &Fit| fit.weights.iter().copied().chain([fit.intercept]).collect::<Vec<f64>>();
    let errors = |sure: &[Certainty]| sure.iter().map(|sure| sure.standard_error).collect::<Vec<f64>>();
    let plain = fit_weighted_regression(&columns, outcomes, Penalty::None).expect("an answer");
    assert!(apart(&all(&plain), &expected["plain"]) < 1e-8);
    let sure = robust_certainty_of_weights(&columns, outcomes, &[], &plain, Penalty::None).expect("an answer");
    assert!(apart(&errors(&sure), &expected["errors"]) < 1e-8);
    let ridge = fit_weighted_regression(&columns, outcomes, Penalty::L2(10.0)).expect("an answer");
    assert!(apart(&all(&ridge), &expected["l2"]) < 1e-7);
    // Two rows of each customer, without weights.
    let unweighted = Outcomes { is_true: &good, weights: &[] };
    let customers: Vec<u64> = (0..good.len() as u64).map(|row| row / 2).collect();
    let fit = fit_regression(&columns, &good, Penalty::None).expect("an answer");
    let sure = robust_certainty_of_weights(&columns, unweighted, &customers, &fit, Penalty::None).expect("an answer");
    assert!(apart(&errors(&sure), &expected["cluster_errors"]) < 1e-8);
    let rows: Vec<u32> = (0..good.len() as u32).collect();
    let auc = MeasuredRows::of_sample(&sample, &rows).auc(&columns[0]).expect("both outcomes").auc;
    assert!((auc - number(&expected["auc"])).abs() < 1e-12, "{auc}");
}

/// Points and measures without their certainty, which is that of the sandwich where rows have weights.
fn essence(found: &Proposal) -> (Vec<(String, Vec<i64>)>, i64, f64, f64) {
    let items = found.items.iter();
    let points = items.map(|item| (item.name.clone(), item.rows.iter().map(|row| row.points).collect())).collect();
    let validation = found.validation.as_ref().expect("models");
    (points, found.base, validation.auc.auc, validation.ks)
}

#[test]
fn equal_weights_change_nothing_and_only_proportions_count() {
    let (sample, columns) = mixed();
    let learn = |weight: &dyn Fn(usize) -> f64| {
        let mut sample = sample.clone();
        let weights = (0..sample.bad.len()).map(weight).collect();
        sample.weigh_rows(weights).expect("weights");
        learn_scorecard(&sample, &columns, &Settings::default()).expect("items")
    };
    let plain = learn_scorecard(&sample, &columns, &Settings::default()).expect("items");
    let even = learn(&|_| 3.0);
    let ((points, base, auc, ks), (even_points, even_base, even_auc, even_ks)) = (essence(&plain), essence(&even));
    assert_eq!((points, base), (even_points, even_base));
    assert!((auc - even_auc).abs() < 1e-12 && (ks - even_ks).abs() < 1e-12);
    assert!(even.is_weighted && even.rule_text().contains("# Rows count by their weights"));
    let some = |row: usize| 0.5 + (row % 7) as f64;
    let once = learn(&some);
    assert_eq!(essence(&once), essence(&learn(&|row| 4.0 * some(row))));
    assert_ne!(essence(&once), essence(&plain));
}

/// Weights undo what was done to a sample: of goods that were thinned out to a quarter, four times the weight.
#[test]
fn weights_of_thinned_goods_give_the_bad_rate_of_all() {
    let (sample, columns) = super::binning_case(6000, 3);
    let settings = Settings::default();
    let whole = learn_scorecard(&sample, &columns, &settings).expect("items");
    let keep: Vec<usize> = (0..sample.bad.len()).filter(|row| sample.bad[*row] || row % 4 == 0).collect();
    let mut thin = Sample { bad: keep.iter().map(|row| sample.bad[*row]).collect(), ..Sample::default() };
    let thin_column = |column: &MetricColumn| match &column.values {
        Values::Number(values) => {
            MetricColumn { values: Values::Number(keep.iter().map(|row| values[*row]).collect()), ..column.clone() }
        }
        _ => column.clone(),
    };
    let columns: Vec<MetricColumn> = columns.iter().map(thin_column).collect();
    let unweighted = learn_scorecard(&thin, &columns, &settings).expect("items");
    let weights = thin.bad.iter().map(|bad| if *bad { 1.0 } else { 4.0 }).collect();
    thin.weigh_rows(weights).expect("weights");
    let weighted = learn_scorecard(&thin, &columns, &settings).expect("items");
    assert!((weighted.bad_rate - whole.bad_rate).abs() < 0.005, "{} {}", weighted.bad_rate, whole.bad_rate);
    assert!((weighted.intercept - whole.intercept).abs() < 0.15, "{} {}", weighted.intercept, whole.intercept);
    assert!((unweighted.intercept - whole.intercept).abs() > 1.0, "{} {}", unweighted.intercept, whole.intercept);
}

/// A weight counts as so many rows, also where columns are compared.
#[test]
fn inflation_and_correlation_count_by_weight() {
    let mut draw = super::Draw(7);
    let columns: Vec<Vec<f64>> = (0..3).map(|_| (0..200).map(|_| draw.next()).collect()).collect();
    let mixed: Vec<f64> = columns[0].iter().zip(&columns[1]).map(|(a, b)| a + 0.3 * b).collect();
    let columns = [columns, vec![mixed]].concat();
    let times: Vec<usize> = (0..200).map(|row| 1 + row % 4).collect();
    let repeat = |column: &Vec<f64>| -> Vec<f64> {
        column.iter().zip(&times).flat_map(|(value, times)| std::iter::repeat_n(*value, *times)).collect()
    };
    let repeated: Vec<Vec<f64>> = columns.iter().map(repeat).collect();
    let weights: Vec<f64> = times.iter().map(|times| *times as f64).collect();
    for (some, again) in [(&columns[..3], &repeated[..3]), (&columns[1..], &repeated[1..])] {
        let (by_weight, by_rows) = (variance_inflation(some, &weights), variance_inflation(again, &[]));
        let plain = variance_inflation(some, &[]);
        assert!(by_weight.iter().zip(&by_rows).all(|(a, b)| (a - b).abs() < 1e-9), "{by_weight:?} {by_rows:?}");
        assert!(by_weight.iter().zip(&plain).any(|(a, b)| (a - b).abs() > 1e-4), "{by_weight:?} {plain:?}");
    }
    assert!(variance_inflation(&columns, &weights)[0] > 1e6, "the last column repeats two others");
}

/// Goods that were thinned out in the later half of time seem to have moved; with their weights they have not.
#[test]
fn the_index_over_time_counts_by_weight() {
    let (sample, columns) = super::binning_case(6000, 1);
    let Values::Number(values) = &columns[0].values else { panic!("numbers") };
    let bad_of = |row: usize| sample.bad[row];
    let screen = |keep: &[usize], weigh: bool| {
        let bad: Vec<bool> = keep.iter().map(|row| sample.bad[*row]).collect();
        let month = Some(keep.iter().map(|row| Some((row / 500) as i32)).collect());
        let mut sample = Sample { bad, month, ..Sample::default() };
        if weigh {
            let weight = |row: &usize| if *row >= 3000 && !bad_of(*row) { 8.0 } else { 1.0 };
            let weights = keep.iter().map(weight).collect();
            sample.weigh_rows(weights).expect("weights");
        }
        let values = Values::Number(keep.iter().map(|row| values[*row]).collect());
        let columns = [MetricColumn { values, ..columns[0].clone() }];
        let found = screen_metrics(&sample, &columns, &Settings::default()).expect("it fits").remove(0);
        found.stability.expect("months").psi
    };
    let all: Vec<usize> = (0..6000).collect();
    let thin: Vec<usize> = (0..6000).filter(|row| *row < 3000 || sample.bad[*row] || row % 8 == 0).collect();
    let (whole, plain, weighted) = (screen(&all, false), screen(&thin, false), screen(&thin, true));
    assert!(plain > 0.015 && weighted < plain / 3.0 && (weighted - whole).abs() < 0.005, "{whole} {plain} {weighted}");
}

#[test]
fn a_weight_that_is_none_is_refused_by_its_row() {
    let mut sample = Sample { bad: vec![true, false, false], ..Sample::default() };
    for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = sample.weigh_rows(vec![1.0, wrong, 1.0]).expect_err("no weight").to_string();
        assert_eq!(error, "row 2: a weight must be a finite number above 0");
    }
    assert!(sample.weigh_rows(vec![1.0]).is_err() && !sample.is_weighted());
}
