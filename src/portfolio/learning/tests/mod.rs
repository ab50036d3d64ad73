//! Against other programs: `tests/learning/reference.py` wrote what they find. And whole runs.

mod choices;
mod flags;
mod refusals;
mod time_and_order;
mod weights;

use serde_json::Value;

use super::*;
use crate::portfolio::statistics::special::natural_logarithm;

/// The generator that the reference has too.
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn expected() -> Value {
    serde_json::from_str(include_str!("../../../../testdata/learning/expected.json")).expect("the reference wrote it")
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(number).collect()
}

fn column(name: &str, values: Vec<Option<f64>>) -> MetricColumn {
    MetricColumn { name: name.into(), unit: "number".into(), needs: Needs::Credits, values: Values::Number(values) }
}

fn value(kind: usize, u: f64, noise: f64) -> Option<f64> {
    Some(match kind {
        0 => u,
        1 => (u * 12.0).floor(),
        2 => u * u * u * 50_000.0,
        3 if u < 0.45 => 0.0,
        3 => u - 0.3,
        4 if noise < 0.15 => return None,
        4 => -u,
        _ => u + noise,
    })
}

fn binning_case(rows: usize, columns: usize) -> (Sample, Vec<MetricColumn>) {
    let mut draw = Draw(41);
    let mut sample = Sample::default();
    let mut table = vec![Vec::new(); columns];
    for _ in 0..rows {
        let risk = draw.next();
        sample.bad.push(draw.next() < 0.02 + 0.35 * risk * risk);
        for (place, values) in table.iter_mut().enumerate() {
            let share = if place < 6 { 0.6 } else { 0.2 };
            let u = share * risk + (1.0 - share) * draw.next();
            values.push(value(place % 6, u, draw.next()));
        }
    }
    let columns = table.into_iter().enumerate().map(|(place, values)| column(&format!("m{place}"), values));
    (sample, columns.collect())
}

#[test]
fn information_is_that_of_optbinning() {
    let expected = &expected()["binning"];
    let (sample, columns) = binning_case(3000, 12);
    assert_eq!(sample.bad.iter().filter(|bad| **bad).count() as u64, expected["bads"]);
    // Theirs is without smoothing.
    let mut settings = Settings::default();
    settings.bins.smoothing = 0.0;
    let found = screen_metrics(&sample, &columns, &settings).expect("it fits together");
    let theirs = expected["columns"].as_array().expect("a list");
    let (mut ours_sum, mut theirs_sum) = (0.0, 0.0);
    for (ours, theirs) in found.iter().zip(theirs) {
        let ratio = ours.binning.iv / number(&theirs["free"]);
        println!("{}: {:.4} of optbinning's {:.4}", ours.name, ratio, number(&theirs["free"]));
        assert!(ratio > 0.97, "{}: {ratio}", ours.name);
        ours_sum += ours.binning.iv;
        theirs_sum += number(&theirs["free"]);
    }
    println!("total: {:.4}", ours_sum / theirs_sum);
    assert!(ours_sum >= 0.99 * theirs_sum, "{}", ours_sum / theirs_sum);
}

#[test]
fn merging_is_never_worse_than_optbinning() {
    let expected = &expected()["binning"];
    let trends = [
        ("ascending", Trend::Ascending),
        ("descending", Trend::Descending),
        ("peak", Trend::Peak),
        ("valley", Trend::Valley),
    ];
    for theirs in expected["columns"].as_array().expect("a list") {
        let of = |pair: &Value| Count::of(number(&pair[0]) as u64, number(&pair[1]) as u64);
        let prebins: Vec<Count> = theirs["prebins"].as_array().expect("a list").iter().map(of).collect();
        let bads = number(&expected["bads"]) as u64;
        let all = Count::of(bads, 3000 - bads);
        let known = prebins.iter().fold(Count::default(), |sum, bin| sum.and(*bin));
        let unknown = Count::of(all.bads - known.bads, all.goods - known.goods);
        let limits = Limits { rows: 150, bads: 1, goods: 1, bins: 7 };
        for (name, trend) in trends {
            let found = merge_prebins(&prebins, all, 0.0, &limits, trend).expect("one bin is allowed");
            let (ours, theirs) = (found.iv + information_of_bin(unknown, all, 0.0), number(&theirs["trends"][name]));
            assert!(ours >= theirs - 1e-6, "{name}: {ours} {theirs}");
            println!("{name}: {:.2e} above", ours - theirs);
        }
    }
}

fn regression_case() -> (Vec<Vec<f64>>, Vec<bool>) {
    let mut draw = Draw(7);
    let (mut table, mut good) = (vec![Vec::new(); 6], Vec::new());
    for _ in 0..800 {
        let common = draw.next();
        for (place, values) in table.iter_mut().enumerate() {
            let share = 0.1 * place as f64;
            values.push(4.0 * (share * common + (1.0 - share) * draw.next()) - 2.0);
        }
        let of = |place: usize| table[place][good.len()];
        let chance = 0.8 + 0.12 * of(0) - 0.06 * of(2) + 0.04 * of(4);
        good.push(draw.next() < chance);
    }
    (table, good)
}

/// The largest difference.
fn apart(ours: &[f64], theirs: &Value) -> f64 {
    let theirs = numbers(theirs);
    assert_eq!(ours.len(), theirs.len());
    ours.iter().zip(theirs).map(|(ours, theirs)| (ours - theirs).abs()).fold(0.0, f64::max)
}

#[test]
fn weights_are_those_of_scikit_learn_and_statsmodels() {
    let expected = &expected()["regression"];
    let (columns, good) = regression_case();
    assert_eq!(good.iter().filter(|good| **good).count() as u64, expected["goods"]);
    let penalties = [
        ("plain", Penalty::None),
        ("l2 0.5", Penalty::L2(0.5)),
        ("l2 10.0", Penalty::L2(10.0)),
        ("l1 2.0", Penalty::L1(2.0)),
        ("l1 15.0", Penalty::L1(15.0)),
    ];
    for (name, penalty) in penalties {
        let theirs = &expected[name];
        let found = fit_regression(&columns, &good, penalty).expect("an answer");
        let weights: Vec<f64> = found.weights.iter().copied().chain([found.intercept]).collect();
        println!("{name}: weights {:.1e} apart in {} steps", apart(&weights, &theirs["weights"]), found.steps);
        assert!(apart(&weights, &theirs["weights"]) < 1e-6);
        if theirs["errors"].is_null() {
            continue;
        }
        let sure = certainty_of_weights(&columns, &good, &found, penalty).expect("an answer");
        let errors: Vec<f64> = sure.iter().map(|sure| sure.standard_error).collect();
        println!("{name}: errors {:.1e} apart", apart(&errors, &theirs["errors"]));
        assert!(apart(&errors, &theirs["errors"]) < 1e-6);
        if !theirs["p"].is_null() {
            assert!(apart(&sure.iter().map(|sure| sure.p).collect::<Vec<f64>>(), &theirs["p"]) < 1e-9);
            assert!((found.log_likelihood - number(&theirs["log_likelihood"])).abs() < 1e-9);
        }
    }
    assert!(apart(&variance_inflation(&columns, &[]), &expected["inflation"]) < 1e-9);
    let bad: Vec<bool> = good.iter().map(|good| !good).collect();
    let found = auc_with_interval(&columns[0], &bad).expect("both outcomes").auc;
    assert!((found - number(&expected["auc"])).abs() < 1e-12);
}

/// The worked example of docs/reference/statistics/logistic-regression.md.
#[test]
fn one_column_by_hand() {
    // Of 40 rows at 0, 20 are good; of 40 at 1, 30: odds 1 and 3.
    let column: Vec<f64> = (0..80).map(|row| f64::from(u8::from(row >= 40))).collect();
    let good: Vec<bool> = (0..80).map(|row| row < 20 || (40..70).contains(&row)).collect();
    let columns = [column];
    let found = fit_regression(&columns, &good, Penalty::None).expect("an answer");
    assert!(found.intercept.abs() < 1e-9 && (found.weights[0] - natural_logarithm(3.0)).abs() < 1e-9);
    // 1/20 + 1/20 + 1/30 + 1/10
    let sure = certainty_of_weights(&columns, &good, &found, Penalty::None).expect("an answer");
    assert!((sure[0].standard_error - (7.0_f64 / 30.0).sqrt()).abs() < 1e-9);
    assert!((sure[0].z - 2.274).abs() < 1e-3 && (sure[0].p - 0.0229).abs() < 1e-4);
    assert_eq!(
        fit_regression(&[good.iter().map(|good| f64::from(u8::from(*good))).collect()], &good, Penalty::None),
        Err(LearnError::NoAnswer)
    );
}

/// The worked example of docs/reference/statistics/binning.md.
#[test]
fn merging_by_hand() {
    let prebins = [(10, 10), (8, 32), (9, 31), (3, 37)].map(|(bads, goods)| Count::of(bads, goods));
    let all = Count::of(30, 110);
    let limits = Limits { rows: 7, bads: 1, goods: 1, bins: 7 };
    let found = merge_prebins(&prebins, all, 0.0, &limits, Trend::Descending).expect("one bin is allowed");
    // The second has the lower bad rate than the third: they are merged.
    assert_eq!(found.starts, [0, 1, 3]);
    assert!((found.iv - 0.601_757).abs() < 1e-6, "{}", found.iv);
    let two = merge_prebins(&prebins, all, 0.0, &Limits { bins: 2, ..limits }, Trend::Descending).expect("as above");
    assert_eq!(two.starts, [0, 1]);
}

/// A sample with columns for each verdict.
fn mixed() -> (Sample, Vec<MetricColumn>) {
    let (mut sample, mut columns) = binning_case(600, 6);
    let rows = sample.bad.len();
    sample.month = Some((0..rows).map(|row| Some(24_000 + (row / 50) as i32)).collect());
    sample.key = (0..rows as u64).map(|row| row.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    let mut draw = Draw(3);
    let Values::Number(first) = columns[0].values.clone() else { return (sample, columns) };
    columns.push(column("copy", first.iter().map(|value| value.map(|value| 2.0 * value)).collect()));
    columns.push(column(
        "leak",
        sample.bad.iter().map(|bad| Some(f64::from(u8::from(*bad)) + draw.next() * 0.1)).collect(),
    ));
    columns.push(column("noise", (0..rows).map(|_| Some(draw.next())).collect()));
    columns.push(column("rare", (0..rows).map(|row| (row % 50 == 0).then_some(1.0)).collect()));
    let turned = |(row, value): (usize, &Option<f64>)| value.map(|value| if row < 300 { value } else { 1.0 - value });
    columns.push(column("turns", first.iter().enumerate().map(turned).collect()));
    let yes = |risk: &Option<f64>| risk.map(|risk| risk + 0.6 * (risk * 97.0).fract() > 0.8);
    let booleans = Values::Boolean(first.iter().map(yes).collect());
    columns.push(MetricColumn { name: "flag".into(), unit: "boolean".into(), needs: Needs::Debits, values: booleans });
    let code = |risk: &Option<f64>| {
        risk.map(|risk| if (risk * 89.0).fract() < 0.01 { 3 } else { ((risk * 53.0).fract() * 3.0) as u32 })
    };
    let words = ["it's", "a, b", "\"c\"", "rare"].map(String::from).to_vec();
    let texts = Values::Text { codes: first.iter().map(code).collect(), words };
    columns.push(MetricColumn { name: "kind".into(), unit: "text".into(), needs: Needs::Credits, values: texts });
    (sample, columns)
}

#[test]
fn every_metric_has_a_verdict() {
    let (sample, columns) = mixed();
    let found = screen_metrics(&sample, &columns, &Settings::default()).expect("it fits together");
    let verdict = |name: &str| found.iter().find(|one| one.name == name).map(|one| one.verdict);
    assert!(found.iter().any(|one| one.verdict == ScreeningResult::Kept));
    assert!(verdict("copy") == Some(ScreeningResult::Redundant) || verdict("m0") == Some(ScreeningResult::Redundant));
    assert_eq!(verdict("leak"), Some(ScreeningResult::Leaking));
    assert_eq!(verdict("noise"), Some(ScreeningResult::NoTrend));
    assert_eq!(verdict("rare"), Some(ScreeningResult::TooFewKnown));
    assert!([ScreeningResult::Unstable, ScreeningResult::NoTrend].contains(&verdict("turns").expect("it is there")));
    assert!(found.iter().all(|one| !one.why.is_empty()));
}

#[test]
fn proposals_do_not_depend_on_threads_or_on_the_order_of_rows() {
    let (sample, columns) = mixed();
    let mut settings = Settings::default();
    settings.fit.folds = 3;
    let whole = learn_scorecard(&sample, &columns, &settings).expect("metrics are kept");
    let text = whole.rule_text();
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let again = pool.install(|| learn_scorecard(&sample, &columns, &settings)).expect("as above");
        assert_eq!(again, whole);
    }
    let order: Vec<usize> = (0..sample.bad.len()).map(|row| row * 7 % sample.bad.len()).collect();
    let month = sample.month.as_ref().map(|month| order.iter().map(|row| month[*row]).collect());
    let turned = Sample {
        bad: order.iter().map(|row| sample.bad[*row]).collect(),
        month,
        key: order.iter().map(|row| sample.key[*row]).collect(),
        ..Sample::default()
    };
    let turn = |column: &MetricColumn| MetricColumn {
        values: match &column.values {
            Values::Number(values) => Values::Number(order.iter().map(|row| values[*row]).collect()),
            Values::Boolean(values) => Values::Boolean(order.iter().map(|row| values[*row]).collect()),
            Values::Text { codes, words } => {
                Values::Text { codes: order.iter().map(|row| codes[*row]).collect(), words: words.clone() }
            }
        },
        ..column.clone()
    };
    let columns: Vec<MetricColumn> = columns.iter().map(turn).collect();
    assert_eq!(learn_scorecard(&turned, &columns, &settings).expect("as above").rule_text(), text);
}

/// KS is counted again from the places of held-out rows, in each repeat by itself.
#[test]
fn separation_is_the_mean_over_repeats() {
    let (sample, columns) = mixed();
    let mut settings = Settings::default();
    (settings.fit.folds, settings.fit.repeats) = (3, 3);
    let found = learn_scorecard(&sample, &columns, &settings).expect("metrics are kept").validation.expect("models");
    let of_repeat = |repeat: usize| {
        let rows: Vec<&HeldOutRow> = found.held_out.iter().filter(|row| row.repeat == repeat).collect();
        let share = |bad: bool, up_to: f64| {
            let all = rows.iter().filter(|row| row.bad == bad).count() as f64;
            rows.iter().filter(|row| row.bad == bad && row.place <= up_to).count() as f64 / all
        };
        rows.iter().map(|row| share(true, row.place) - share(false, row.place)).fold(0.0, f64::max)
    };
    let repeats = [1, 2, 3].map(of_repeat);
    assert!((found.ks - repeats.iter().sum::<f64>() / 3.0).abs() < 1e-12, "{} {repeats:?}", found.ks);
    assert!(repeats[0] != repeats[1], "{repeats:?}");
}

#[test]
fn the_text_is_that_of_a_rule_file() {
    let (sample, columns) = mixed();
    for (method, most_items) in [(Method::Plain, Some(4)), (Method::Ridge, None), (Method::Lasso, None)] {
        let bads = if method == Method::Plain { 40 } else { 400 };
        let mut settings = Settings::suited_to(bads);
        settings.fit = FitSettings { method, most_items, rule: Rule::OneStandardError, ..settings.fit };
        let found = learn_scorecard(&sample, &columns, &settings).expect("metrics are kept");
        let text = found.rule_text();
        assert!(text.contains("# - leak: leaking: check that it is known before the loan"), "{text}");
        assert_eq!(text.matches("[[score.item]]").count(), found.items.len());
        assert!(found.items.iter().all(|item| item.weight > 0.0));
        for item in &found.items {
            assert_eq!(item.rows.iter().filter(|row| row.bin.holds == Holds::Unknown).count(), 1);
            assert_eq!(item.rows.iter().map(|row| row.points).min(), Some(0));
        }
        assert!(found.validation.is_some_and(|found| found.auc.auc > 0.65));
        assert!(most_items.is_none_or(|most| found.items.len() <= most));
    }
}

#[test]
fn odd_input_is_refused_or_survived() {
    let (sample, columns) = binning_case(60, 3);
    let mut settings = Settings::default();
    settings.bins.prebins = 1;
    assert!(matches!(learn_scorecard(&sample, &columns, &settings), Err(LearnError::Setting { name: "prebins", .. })));
    let settings = Settings::default();
    assert_eq!(learn_scorecard(&Sample::default(), &columns, &settings), Err(LearnError::Rows(0)));
    let good = Sample { bad: vec![false; 60], ..Sample::default() };
    assert_eq!(learn_scorecard(&good, &columns, &settings), Err(LearnError::OneOutcome { rows: 60, bads: 0 }));
    assert_eq!(learn_scorecard(&sample, &[], &settings), Err(LearnError::NothingKept(Vec::new())));
    let odd = [f64::NAN, f64::INFINITY, f64::MIN, f64::MAX, -0.0, 5e-324];
    let values = (0..60).map(|row| Some(odd[row % odd.len()])).collect();
    let texts = Values::Text { codes: vec![Some(9); 60], words: vec![] };
    let odd = [
        column("odd", values),
        column("none", vec![None; 60]),
        MetricColumn { values: texts, ..column("text", vec![]) },
    ];
    assert!(screen_metrics(&sample, &odd, &settings).is_ok());
    let short = [column("short", vec![None])];
    assert!(matches!(learn_scorecard(&sample, &short, &settings), Err(LearnError::Length { found: 1, rows: 60, .. })));
    for rows in 2..40 {
        let (sample, columns) = binning_case(rows, 6);
        let _ = learn_scorecard(&sample, &columns, &settings);
    }
}
