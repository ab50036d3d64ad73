//! What an analyst chose: bins, special values, signs, forced items.

use super::super::*;
use super::{binning_case, expected, mixed, number, numbers};

fn choosing(choices: &[(&str, MetricChoice)]) -> Settings {
    let chosen = choices.iter().map(|(name, choice)| ((*name).to_owned(), choice.clone())).collect();
    Settings { chosen, ..Settings::default() }
}

fn cuts(cuts: &[f64]) -> MetricChoice {
    MetricChoice { bins: Some(ChosenBins::Cuts(cuts.to_vec())), ..MetricChoice::default() }
}

fn groups(groups: &[&[&str]]) -> MetricChoice {
    let group = |group: &&[&str]| group.iter().map(|text| (*text).to_owned()).collect();
    MetricChoice { bins: Some(ChosenBins::Groups(groups.iter().map(group).collect())), ..MetricChoice::default() }
}

fn forced() -> MetricChoice {
    MetricChoice { force: true, ..MetricChoice::default() }
}

/// The reference counted these bins by itself.
#[test]
fn evidence_of_chosen_bins_is_that_of_the_reference() {
    let (mut sample, columns) = binning_case(3000, 12);
    let choice = MetricChoice { special: vec![5.0], ..cuts(&[3.0, 6.0, 9.0]) };
    let mut settings = choosing(&[("m1", choice)]);
    settings.bins.smoothing = 0.0;
    let mut draw = super::Draw(12);
    for name in ["even", "weighted"] {
        let theirs = &expected()["chosen"][name];
        let found = screen_metrics(&sample, &columns, &settings).expect("it fits").remove(1);
        let woe: Vec<f64> = found.binning.bins[..5].iter().map(|bin| bin.woe).collect();
        let apart = woe.iter().zip(numbers(&theirs["woe"])).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        println!("{name}: {apart:.1e} apart");
        assert!(apart < 1e-9 && (found.binning.iv - number(&theirs["iv"])).abs() < 1e-9, "{woe:?}");
        assert_eq!(found.binning.bins[4].holds, Holds::Special(5.0));
        let weights = sample.bad.iter().map(|_| 0.25 + 3.0 * draw.next()).collect();
        sample.weigh_rows(weights).expect("weights");
    }
}

#[test]
fn special_values_take_no_part_in_edges_and_trends() {
    let (sample, mut columns) = binning_case(3000, 1);
    let plain = screen_metrics(&sample, &columns, &Settings::default()).expect("it fits").remove(0);
    // Every tenth row says "never" by a number beyond all others, on the side of the bad ones.
    let Values::Number(values) = &mut columns[0].values else { panic!("numbers") };
    let taken: Vec<usize> = (0..values.len()).filter(|row| row % 10 == 3).collect();
    taken.iter().for_each(|row| values[*row] = Some(999.0));
    let choice = MetricChoice { special: vec![999.0, -1.0], ..MetricChoice::default() };
    let found = screen_metrics(&sample, &columns, &choosing(&[("m0", choice)])).expect("it fits").remove(0);
    assert_eq!(found.binning.trend, plain.binning.trend);
    let special: Vec<&Bin> = found.binning.bins.iter().filter(|bin| matches!(bin.holds, Holds::Special(_))).collect();
    assert_eq!(special.iter().map(|bin| bin.count.rows()).collect::<Vec<_>>(), [taken.len() as u64, 0]);
    assert!(found.warning.as_deref().is_some_and(|warning| warning.contains("no row is in = -1")), "{found:?}");
    let highest = |found: &Screened| {
        let cuts = found.binning.bins.iter().filter_map(|bin| match bin.holds {
            Holds::Range { high, .. } => high,
            _ => None,
        });
        cuts.fold(0.0, f64::max)
    };
    assert!(highest(&found) <= 1.0 && highest(&plain) <= 1.0);
    // Their rows are nowhere else.
    let all: u64 = found.binning.bins.iter().map(|bin| bin.count.rows()).sum();
    assert_eq!(all, 3000);
}

#[test]
fn special_values_stand_before_the_ranges_that_they_lie_in() {
    let (sample, mut columns) = binning_case(3000, 1);
    let Values::Number(values) = &mut columns[0].values else { panic!("numbers") };
    (0..3000).filter(|row| row % 10 == 3).for_each(|row| values[row] = Some(-1.0));
    for bads in [40, 400] {
        let chosen = MetricChoice { special: vec![-1.0], sign: Some(Sign::Falling), ..cuts(&[0.25, 0.5, 0.75]) };
        let settings = Settings { chosen: [("m0".to_owned(), chosen)].into(), ..Settings::suited_to(bads) };
        let found = learn_scorecard(&sample, &columns, &settings).expect("it is kept");
        let text = found.rule_text();
        let (first, second) =
            (text.find("[\"= -1\", ").expect("special"), text.find("[\"< 0.25\", ").expect("a range"));
        assert!(first < second, "{text}");
        assert!(text.contains("# Chosen for m0: cut at 0.25, 0.5, 0.75; special values -1; points fall."), "{text}");
        let points = found.score_rows(&columns, &[3, 13]);
        let special = found.items[0].rows.iter().find(|row| row.bin.holds == Holds::Special(-1.0));
        assert_eq!(points, vec![found.base + special.expect("its row").points; 2]);
    }
}

#[test]
fn points_follow_a_sign() {
    let (sample, columns) = binning_case(3000, 2);
    let with = |sign: Sign, choice: MetricChoice| {
        let settings = choosing(&[("m0", MetricChoice { sign: Some(sign), ..choice })]);
        screen_metrics(&sample, &columns, &settings).expect("it fits").remove(0)
    };
    let chosen = || cuts(&[0.2, 0.21, 0.4, 0.41, 0.6, 0.61, 0.8]);
    // More is worse in these rows.
    for found in [with(Sign::Falling, MetricChoice::default()), with(Sign::Falling, chosen())] {
        assert_eq!((found.verdict, found.binning.trend), (ScreeningResult::Kept, Trend::Ascending), "{}", found.why);
        let known = &found.binning.bins[..found.binning.bins.len() - 1];
        assert!(known.windows(2).all(|pair| pair[0].value >= pair[1].value), "{known:?}");
    }
    // Thin bins go up and down, and count as one with neighbours; each shows its own evidence.
    let found = with(Sign::Falling, chosen());
    let pooled: Vec<&Bin> = found.binning.bins.iter().filter(|bin| bin.value != bin.woe).collect();
    assert!(pooled.len() > 1 && pooled[0].woe != pooled[1].woe, "{found:?}");
    assert!(found.warning.as_deref().is_some_and(|warning| warning.contains("go against the sign `falling`")));
    let free = with(Sign::Any, chosen());
    assert!(free.binning.bins.iter().all(|bin| bin.value == bin.woe) && free.verdict == ScreeningResult::Kept);
    for choice in [MetricChoice::default(), cuts(&[0.5])] {
        let found = with(Sign::Rising, choice);
        assert_eq!(found.verdict, ScreeningResult::WrongSign, "{}", found.why);
        assert!(found.why.contains("do not go as the sign `rising` says"), "{}", found.why);
    }
}

/// Without a direction, noise would have information by chance.
#[test]
fn a_metric_that_may_turn_must_tell_more_than_chance() {
    let (sample, columns) = mixed();
    for choice in [MetricChoice::default(), cuts(&[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])] {
        let settings = choosing(&[("noise", MetricChoice { sign: Some(Sign::Any), ..choice })]);
        let found = screen_metrics(&sample, &columns, &settings).expect("it fits");
        let noise = found.iter().find(|one| one.name == "noise").expect("noise");
        assert_eq!(noise.verdict, ScreeningResult::NoTrend, "{}", noise.why);
        assert!(noise.why.contains("bins in any order may give by chance"), "{}", noise.why);
    }
}

#[test]
fn a_forced_metric_is_an_item_and_a_leak_is_none() {
    let (sample, columns) = mixed();
    let learn = |settings: &Settings| learn_scorecard(&sample, &columns, settings);
    let is_item = |found: &Proposal, name: &str| found.items.iter().any(|item| item.name == name);
    let free = learn(&Settings::default()).expect("items");
    for name in ["noise", "turns", "copy", "m0"] {
        let choice = if name == "noise" { MetricChoice { force: true, ..cuts(&[0.5]) } } else { forced() };
        let mut settings = choosing(&[(name, choice)]);
        settings.fit.most_items = Some(2);
        let found = learn(&settings).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(is_item(&found, name) && found.items.len() <= 2, "{name}");
    }
    assert!(!is_item(&free, "noise") && !is_item(&free, "turns"));
    let error = learn(&choosing(&[("leak", forced())])).expect_err("a leak").to_string();
    assert!(error.starts_with("the choices for `leak`: it is forced, but leaking"), "{error}");
    let mut settings = choosing(&[("leak", forced())]);
    settings.screen.keep.push("leak".into());
    assert!(is_item(&learn(&settings).expect("it is kept on purpose"), "leak"));
    // Against a sign there are no bins to force.
    let sign = MetricChoice { sign: Some(Sign::Rising), ..forced() };
    let error = learn(&choosing(&[("m2", sign)])).expect_err("it goes the other way").to_string();
    assert!(error.contains("it is forced, but wrong sign"), "{error}");
}

#[test]
fn texts_are_in_the_bins_that_were_chosen() {
    let (sample, mut columns) = mixed();
    let kind = columns.iter().position(|column| column.name == "kind").expect("texts");
    columns.truncate(kind + 1);
    let settings = choosing(&[("kind", groups(&[&["it's", "rare"], &["a, b"], &["\"c\"", "new"]]))]);
    let found = screen_metrics(&sample, &columns, &settings).expect("it fits").remove(kind);
    let held: Vec<String> = found.binning.bins.iter().map(|bin| bin_as_rule_cell(&bin.holds)).collect();
    assert_eq!(held, ["'it''s', 'rare'", "'a, b'", "'\"c\"', 'new'", "-", "unknown"]);
    assert_eq!(found.binning.bins[3].count.rows(), 0);
}

#[test]
fn choices_that_do_not_fit_are_refused() {
    let (sample, columns) = mixed();
    let special = |values: &[f64]| MetricChoice { special: values.to_vec(), ..MetricChoice::default() };
    let sign = MetricChoice { sign: Some(Sign::Rising), ..MetricChoice::default() };
    let cases = [
        ("m9", cuts(&[1.0]), "no metric of this name is looked at"),
        ("m0", cuts(&[]), "bins need from 1 to 99 cuts"),
        ("m0", cuts(&[0.5, 0.2]), "the cuts must ascend, and 0.2 is not above 0.5"),
        ("m0", cuts(&[0.5, 0.5]), "the cuts must ascend"),
        ("m0", cuts(&[f64::NAN]), "a cut is not a number"),
        ("m0", groups(&[&["a"], &["b"]]), "its values are numbers: bins are the numbers where it is cut"),
        ("kind", cuts(&[1.0]), "its values are texts: bins are lists of texts"),
        ("kind", groups(&[&["it's"], &["a, b"]]), "2 texts occur that its bins do not name, as `\"c\"`; name all"),
        ("kind", groups(&[&["it's"], &["it's"]]), "`it's` is in two places"),
        ("kind", groups(&[&["it's"]]), "bins need from 2 to 100 lists"),
        ("kind", special(&[1.0]), "only numbers have special values"),
        ("kind", sign.clone(), "its texts have no order that a sign could follow"),
        ("flag", cuts(&[1.0]), "it is true or false, which are its bins already"),
        ("m0", special(&[1.0, 1.0]), "the special value 1 is named twice"),
        ("m0", special(&[f64::INFINITY]), "the special value inf is not a number"),
    ];
    for (metric, choice, why) in cases {
        let error = screen_metrics(&sample, &columns, &choosing(&[(metric, choice)])).expect_err(why).to_string();
        assert!(error.starts_with(&format!("the choices for `{metric}`: ")) && error.contains(why), "{error}");
    }
    let ordered = ["it's", "a, b", "\"c\"", "rare"].map(String::from).to_vec();
    let mut settings = choosing(&[("kind", groups(&[&["it's"], &["a, b", "\"c\"", "rare"]]))]);
    settings.bins.orders.insert("kind".into(), ordered);
    let error = screen_metrics(&sample, &columns, &settings).expect_err("both").to_string();
    assert!(error.contains("it has both bins and an order"), "{error}");
}
