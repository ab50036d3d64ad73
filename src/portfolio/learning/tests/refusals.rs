//! What small bins, words, leaks and folds without a model lead to.

use super::super::*;

fn texts(name: &str, values: &[&str]) -> MetricColumn {
    let mut words: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
    words.sort();
    words.dedup();
    let code = |value: &&str| words.iter().position(|word| word == value).map(|code| code as u32);
    let codes = values.iter().map(code).collect();
    let values = Values::Text { codes, words };
    MetricColumn { name: name.into(), unit: "text".into(), needs: Needs::Credits, values }
}

fn numbers(name: &str, values: Vec<Option<f64>>) -> MetricColumn {
    MetricColumn { name: name.into(), unit: "count".into(), needs: Needs::Credits, values: Values::Number(values) }
}

fn sample(bad: Vec<bool>) -> Sample {
    Sample { key: (0..bad.len() as u64).collect(), bad, ..Sample::default() }
}

/// Rows of each word: the word, how many are bad, and how many there are.
fn rows_of_words(words: &[(&'static str, usize, usize)]) -> (Sample, Vec<&'static str>) {
    let rows = words.iter().flat_map(|(word, bads, rows)| (0..*rows).map(move |row| (*word, row < *bads)));
    let (values, bad): (Vec<&str>, Vec<bool>) = rows.unzip();
    (sample(bad), values)
}

fn screen(sample: &Sample, column: MetricColumn) -> Screened {
    let found = screen_metrics(sample, &[column], &Settings::default()).expect("it fits together");
    found.into_iter().next().expect("one column")
}

fn bin_of<'a>(found: &'a Screened, word: &str) -> &'a Bin {
    let holds = |bin: &&Bin| matches!(&bin.holds, Holds::Words(words) if words.iter().any(|one| one == word));
    found.binning.bins.iter().find(holds).expect("a bin with the word")
}

#[test]
fn many_rows_without_a_bad_one_are_the_best_bin() {
    let words = [("government", 0, 478), ("private", 118, 1000), ("none", 60, 300), ("club", 0, 4)];
    let (sample, values) = rows_of_words(&words);
    let found = screen(&sample, texts("employer", &values));
    let best = found.binning.bins.iter().map(|bin| bin.woe).fold(f64::MIN, f64::max);
    assert_eq!(bin_of(&found, "government").woe, best);
    assert!(best > 2.0, "{best}");
    // An employer never seen, and an unknown one, are neutral.
    for bin in found.binning.bins.iter().filter(|bin| [Holds::Other, Holds::Unknown].contains(&bin.holds)) {
        assert!(bin.count.rows() == 0 && bin.woe == 0.0, "{bin:?}");
    }
}

#[test]
fn few_rows_are_near_the_mean() {
    let bad = (0..1000).map(|row| row % 10 == 0).collect();
    // Three rows without a value, one of them bad.
    let values = (0..1000).map(|row| (!(8..11).contains(&row)).then_some(f64::from(row % 7))).collect();
    let found = screen(&sample(bad), numbers("visits", values));
    let unknown = found.binning.bins.last().expect("a bin of unknown values");
    assert_eq!(unknown.count.rows(), 3);
    // Without smoothing 1.50: (1 + 2) of 23 rows are bad, against 100 of 1000.
    assert!((-0.35..0.0).contains(&unknown.woe), "{}", unknown.woe);
}

#[test]
fn small_levels_go_to_neighbours_of_their_rate() {
    // Each has less than 5% of all rows.
    let names = ["A1", "A2", "A3", "B1", "B2", "B3", "F1", "F2", "F3", "G1", "G2", "G3"];
    let levels: Vec<(&'static str, usize, usize)> = names
        .iter()
        .map(|name| match name.as_bytes()[0] {
            b'A' => (*name, 1, 90),
            b'B' => (*name, 4, 90),
            b'F' => (*name, 12, 90),
            _ => (*name, 20, 90),
        })
        .chain((0..1).map(|_| ("C1", 200, 2000)))
        .collect();
    let (sample, values) = rows_of_words(&levels);
    let found = screen(&sample, texts("grade", &values));
    let [best, middle, worst] = ["A2", "C1", "G2"].map(|word| bin_of(&found, word).woe);
    assert!(best > middle + 0.5 && middle > worst + 0.3, "{best} {middle} {worst}");
}

#[test]
fn an_outcome_in_a_text_or_in_what_is_unknown_leaks() {
    let bad: Vec<bool> = (0..400).map(|row| row % 8 == 0).collect();
    let status: Vec<&str> = bad.iter().map(|bad| if *bad { "charged off" } else { "paid" }).collect();
    assert_eq!(screen(&sample(bad.clone()), texts("status", &status)).verdict, ScreeningResult::Leaking);
    // A fee of collection is known for bad ones only, and for a few others.
    let fee = bad.iter().enumerate().map(|(row, bad)| (*bad || row % 20 == 1).then_some((row % 9) as f64)).collect();
    let found = screen(&sample(bad), numbers("collection_fee", fee));
    assert_eq!(found.verdict, ScreeningResult::Leaking, "{}", found.why);
    // All rows of one word are bad, though most bad rows have another.
    let (sample, values) = rows_of_words(&[("late", 70, 70), ("current", 130, 1500), ("early", 40, 700)]);
    let found = screen(&sample, texts("state", &values));
    assert_eq!(found.verdict, ScreeningResult::Leaking, "{}", found.why);
    assert!(found.why.contains("70 rows"), "{}", found.why);
}

#[test]
fn a_leak_of_few_rows_is_found_by_its_interval() {
    let sorted = |bads: usize, rows: usize| rows_of_words(&[("recovered", bads, rows), ("other", 150, 1800)]);
    for (bads, rows, is_leak) in [(25, 25, true), (38, 40, true), (12, 12, false), (20, 40, false)] {
        let (sample, values) = sorted(bads, rows);
        let found = screen(&sample, texts("status", &values));
        assert_eq!(found.verdict == ScreeningResult::Leaking, is_leak, "{bads} of {rows}: {}", found.why);
        assert!(!is_leak || found.why.contains("rows of one text are bad: their odds are surely"), "{}", found.why);
    }
    // A fee of collection is known for a third of the bad ones, and for few others.
    for (known_goods, is_leak) in [(2, true), (60, false)] {
        let bad: Vec<bool> = (0..1000).map(|row| row < 150).collect();
        let fee = |row: usize| (row < 50 || (150..150 + known_goods).contains(&row)).then_some((row % 9) as f64);
        let found = screen(&sample(bad.clone()), numbers("collection_fee", (0..1000).map(fee).collect()));
        assert_eq!(found.verdict == ScreeningResult::Leaking, is_leak, "{known_goods}: {}", found.why);
        // The other way round: a date of the last payment is unknown for them.
        let last = (0..1000).map(|row| fee(row).is_none().then_some((row % 9) as f64)).collect();
        let found = screen(&sample(bad), numbers("last_payment", last));
        assert_eq!(found.verdict == ScreeningResult::Leaking, is_leak, "{known_goods}: {}", found.why);
    }
}

/// A sample with a metric that has an AUC at the limit of leaking, and an honest one.
fn near_the_limit() -> (Sample, Vec<MetricColumn>) {
    let mut state = 5_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let bad: Vec<bool> = (0..1200).map(|row| row % 6 == 0).collect();
    // Few good ones are among the worst, so that no bin is all bad.
    let stray = |draw: f64| if draw < 0.05 { 1.0 } else { 0.0 };
    let strong = bad.iter().map(|bad| Some(f64::from(u8::from(*bad)) + 1.3 * next() + stray(next()))).collect();
    let honest = bad.iter().map(|bad| Some(f64::from(u8::from(*bad)) + 3.0 * next())).collect();
    (sample(bad), vec![numbers("strong", strong), numbers("honest", honest)])
}

#[test]
fn many_texts_that_say_nothing_have_no_trend() {
    let bad: Vec<bool> = (0..4000).map(|row| row % 16 == 0).collect();
    let states: Vec<String> = (0..50).map(|state| format!("state{state:02}")).collect();
    let mut state = 77_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let values: Vec<&str> = bad.iter().map(|_| states[next() % 50].as_str()).collect();
    let found = screen(&sample(bad), texts("state", &values));
    assert_eq!(found.verdict, ScreeningResult::NoTrend, "{}", found.why);
    assert!(found.binning.iv > 0.02 && found.why.contains("50 sorted texts"), "{}", found.why);
}

#[test]
fn what_leaks_is_decided_once() {
    let (sample, columns) = near_the_limit();
    let alone = screen(&sample, columns[0].clone()).auc;
    for (away, is_kept) in [(-0.0005, false), (0.0005, true)] {
        let aucs: Vec<f64> = (1..=8)
            .map(|seed| {
                let mut settings = Settings::default();
                settings.screen.leaking_auc = alone + away;
                settings.fit.seed = seed;
                let found = learn_scorecard(&sample, &columns, &settings).expect("one is kept");
                let validation = found.validation.expect("models");
                assert_eq!(validation.chosen[0] > 0, is_kept, "{}", found.screened[0].why);
                assert!(!is_kept || validation.chosen[0] == validation.models);
                validation.auc.auc
            })
            .collect();
        let spread = aucs.iter().fold(0.0, |most: f64, auc| most.max((auc - aucs[0]).abs()));
        assert!(spread < 0.05, "{aucs:?}");
    }
}

#[test]
fn a_refused_metric_is_kept_on_purpose() {
    let (sample, columns) = near_the_limit();
    let mut settings = Settings::default();
    settings.screen.leaking_auc = 0.8;
    settings.screen.keep = vec!["strong".into()];
    let found = learn_scorecard(&sample, &columns, &settings).expect("both are kept");
    assert!(found.items.iter().any(|item| item.name == "strong"));
    assert!(found.rule_text().contains("# kept on purpose, though leaking"), "{}", found.rule_text());
}

#[test]
fn a_refusal_says_why_of_each_metric() {
    let (sample, columns) = near_the_limit();
    let mut settings = Settings::default();
    settings.screen.leaking_auc = 0.6;
    let error = learn_scorecard(&sample, &columns, &settings).expect_err("both leak").to_string();
    assert!(error.starts_with("none of 2 metrics was kept; `strong`: leaking"), "{error}");
}

#[test]
fn a_fold_without_a_model_counts() {
    // So weak that a part of the folds keeps nothing.
    let mut state = 11_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let bad: Vec<bool> = (0..1000).map(|row| row % 4 == 0).collect();
    let weak = bad.iter().map(|bad| Some(next() + if *bad { 0.055 } else { 0.0 })).collect();
    let (sample, columns) = (sample(bad), [numbers("weak", weak)]);
    let found: Vec<Validation> = (1..=30)
        .filter_map(|seed| {
            // In even steps AUC alone decides.
            let mut settings = Settings::suited_to(50);
            settings.fit.seed = seed;
            learn_scorecard(&sample, &columns, &settings).ok()?.validation
        })
        .collect();
    let partly = found.iter().filter(|one| one.without_items > 0 && one.without_items < one.models);
    assert!(partly.clone().count() > 0, "{} runs", found.len());
    for one in partly {
        assert_eq!((one.models, one.by_fold[0].len()), (5, 5));
        assert!(one.by_fold[0].contains(&Some(0.5)), "{:?}", one.by_fold);
    }
}
