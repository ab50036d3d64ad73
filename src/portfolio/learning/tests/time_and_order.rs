//! Declared orders, tests on later rows, the score in force compared with a proposal, and what bounds a fit.

use super::super::*;
use super::{binning_case, column, mixed};

fn grades(rates: &[(&str, usize)]) -> (Sample, MetricColumn) {
    let rows =
        rates.iter().enumerate().flat_map(|(code, (_, bads))| (0..100).map(move |row| (code as u32, row < *bads)));
    let (codes, bad): (Vec<u32>, Vec<bool>) = rows.unzip();
    let words = rates.iter().map(|(word, _)| (*word).to_owned()).collect();
    let values = Values::Text { codes: codes.into_iter().map(Some).collect(), words };
    let sample = Sample { key: (0..bad.len() as u64).collect(), bad, ..Sample::default() };
    (sample, MetricColumn { name: "grade".into(), unit: "text".into(), needs: Needs::Credits, values })
}

fn in_order(texts: &[&str]) -> Settings {
    let mut settings = Settings::default();
    settings.bins.orders.insert("grade".into(), texts.iter().map(|text| (*text).to_owned()).collect());
    settings
}

#[test]
fn texts_of_a_declared_order_are_merged_with_neighbours_only() {
    // D is better than C by chance: sorted by rates it would stand before it.
    let (sample, column) = grades(&[("A", 2), ("B", 5), ("C", 14), ("D", 11), ("E", 25)]);
    let screen = |settings: &Settings| screen_metrics(&sample, std::slice::from_ref(&column), settings);
    let found = screen(&in_order(&["A", "B", "C", "D", "E"])).expect("it fits").remove(0);
    let words = |bin: &Bin| match &bin.holds {
        Holds::Words(words) => words.concat(),
        _ => String::new(),
    };
    let bins: Vec<String> = found.binning.bins.iter().map(words).filter(|words| !words.is_empty()).collect();
    assert_eq!(bins, ["AB", "CD", "E"]);
    assert_eq!(found.binning.trend, Trend::Ascending);
    for (texts, why) in [
        (&["A", "B", "C", "D"][..], "1 texts occur that it does not name, as `E`"),
        (&["A", "B", "C", "D", "E", "A"][..], "`A` is named twice"),
    ] {
        let error = screen(&in_order(texts)).expect_err("it does not fit").to_string();
        assert!(error.contains(why), "{error}");
    }
    let number = super::column("grade", vec![Some(1.0); 500]);
    assert!(matches!(screen_metrics(&sample, &[number], &in_order(&["A", "B"])), Err(LearnError::Order { .. })));
}

#[test]
fn later_rows_change_nothing_and_are_the_test() {
    let (whole, columns) = mixed();
    let later: Vec<bool> = (0..whole.bad.len()).map(|row| row >= 400).collect();
    let learned = learn_scorecard(&Sample { later, ..whole.clone() }, &columns, &Settings::default()).expect("items");
    // The same without these rows.
    let short = Sample {
        bad: whole.bad[..400].to_vec(),
        month: whole.month.as_ref().map(|months| months[..400].to_vec()),
        key: whole.key[..400].to_vec(),
        ..Sample::default()
    };
    let cut = |column: &MetricColumn| MetricColumn {
        values: match &column.values {
            Values::Number(values) => Values::Number(values[..400].to_vec()),
            Values::Boolean(values) => Values::Boolean(values[..400].to_vec()),
            Values::Text { codes, words } => Values::Text { codes: codes[..400].to_vec(), words: words.clone() },
        },
        ..column.clone()
    };
    let alone = learn_scorecard(&short, &columns.iter().map(cut).collect::<Vec<_>>(), &Settings::default());
    let alone = alone.expect("items");
    assert_eq!((&learned.items, learned.base), (&alone.items, alone.base));
    let tested = learned.later.as_ref().expect("a test");
    let rows: Vec<u32> = (400..600).collect();
    let scores: Vec<f64> = learned.score_rows(&columns, &rows).into_iter().map(|score| score as f64).collect();
    assert_eq!(tested.auc, auc_with_interval(&scores, &whole.bad[400..]));
    assert_eq!((tested.rows, tested.bads), (200, whole.bad[400..].iter().filter(|bad| **bad).count() as u64));
    assert!(learned.rule_text().contains("Tested on 200 later rows"), "{}", learned.rule_text());
    assert!(alone.later.is_none());
}

#[test]
fn the_present_score_is_compared_on_the_same_rows() {
    let (sample, columns) = mixed();
    // A score that says nothing, and is unknown of every tenth row.
    let present = (0..sample.bad.len()).map(|row| (row % 10 > 0).then_some((row % 7) as f64)).collect();
    let found = learn_scorecard(&Sample { present, ..sample }, &columns, &Settings::default()).expect("items");
    let both = found.validation.as_ref().and_then(|found| found.beside_present).expect("both are known");
    assert_eq!(both.rows, 540);
    assert!((0.4..0.6).contains(&both.present) && both.low > 0.0, "{both:?}");
    assert!(found.rule_text().contains("The present score on the 540 of these rows"), "{}", found.rule_text());
}

#[test]
fn few_bads_leave_unknown_values_their_evidence() {
    let (sample, _) = binning_case(900, 1);
    // Unknown more often where rows are bad.
    let values: Vec<Option<f64>> = (0..900)
        .map(|row| (row % if sample.bad[row] { 2 } else { 9 } > 0).then_some((row * 37 % 101) as f64))
        .collect();
    let settings = Settings::suited_to(50);
    let found = screen_metrics(&sample, &[column("hidden", values)], &settings).expect("it fits").remove(0);
    let bins = &found.binning.bins;
    let unknown = bins.last().expect("a bin of the unknown");
    assert!(unknown.woe < -0.5, "{}", unknown.woe);
    // Known ones say little, so it has the worst rank.
    assert!(unknown.value <= -0.4, "{}", unknown.value);
}

#[test]
fn leaks_are_decided_by_auc_whatever_the_smoothing() {
    // AUC 0.945, information 6.0 and, smoothed, 5.2.
    let rows = [(0.0, false, 900), (0.0, true, 5), (1.0, false, 100), (1.0, true, 495)];
    let (values, bad): (Vec<_>, Vec<bool>) =
        rows.into_iter().flat_map(|(value, bad, count)| (0..count).map(move |_| (Some(value), bad))).unzip();
    for smoothing in [0.0, 20.0, 40.0] {
        let mut settings = Settings::default();
        settings.bins.smoothing = smoothing;
        let sample = Sample { bad: bad.clone(), ..Sample::default() };
        let found = screen_metrics(&sample, &[column("strong", values.clone())], &settings).expect("it fits");
        assert_eq!(found[0].verdict, ScreeningResult::Kept, "{}", found[0].why);
        assert!(found[0].warning.is_some());
    }
}

#[test]
fn a_fit_takes_the_best_columns_and_leaves_out_what_earns_nothing() {
    let (sample, columns) = binning_case(900, 12);
    let mut settings = Settings::default();
    settings.screen.redundant = 2.0;
    settings.fit.most_candidates = 4;
    let found = learn_scorecard(&sample, &columns, &settings).expect("items");
    let best = |one: &&Screened| one.why.contains("4 metrics say more alone");
    assert!(found.items.len() <= 4 && found.screened.iter().any(|one| best(&one)));
    settings.fit = FitSettings { most_candidates: 100, most_items: Some(1), ..settings.fit };
    let found = learn_scorecard(&sample, &columns, &settings).expect("items");
    assert!(found.items.len() == 1 && found.screened.iter().any(|one| best(&one)));
    // Points this coarse leave small items nothing.
    settings.fit.most_items = None;
    let fine = learn_scorecard(&sample, &columns, &settings).expect("items").items.len();
    settings.points.to_double = 1.0;
    let coarse = learn_scorecard(&sample, &columns, &settings).expect("items");
    assert!(coarse.items.len() < fine, "{} {fine}", coarse.items.len());
    assert!(coarse.items.iter().all(|item| item.rows.iter().any(|row| row.points > 0)));
}
