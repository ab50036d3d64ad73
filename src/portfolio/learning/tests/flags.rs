//! Metrics of two values: truth values, and numbers that say the same.

use super::super::*;

/// Rows with the flag, of which some are bad, then rows without it.
struct Flag {
    bads_with: usize,
    with: usize,
    bads_without: usize,
    without: usize,
}

impl Flag {
    fn sample(&self) -> Sample {
        let with = (0..self.with).map(|row| row < self.bads_with);
        let bad: Vec<bool> = with.chain((0..self.without).map(|row| row < self.bads_without)).collect();
        Sample { key: (0..bad.len() as u64).collect(), bad, ..Sample::default() }
    }

    fn is_set(&self) -> impl Iterator<Item = bool> {
        let with = self.with;
        (0..with + self.without).map(move |row| row < with)
    }

    /// The flag as a truth value, as the numbers of two ways to write it, and as texts in order.
    fn columns(&self) -> Vec<MetricColumn> {
        let column = |name: &str, values| MetricColumn {
            name: name.to_owned(),
            unit: "count".to_owned(),
            needs: Needs::Credits,
            values,
        };
        let numbers = |no: f64, yes: f64| self.is_set().map(|set| Some(if set { yes } else { no })).collect();
        vec![
            column("truth", Values::Boolean(self.is_set().map(Some).collect())),
            column("count", Values::Number(numbers(0.0, 1.0))),
            column("code", Values::Number(numbers(2.5, -7.25))),
            column("word", self.texts()),
        ]
    }

    fn texts(&self) -> Values {
        let codes = self.is_set().map(|set| Some(u32::from(set))).collect();
        Values::Text { codes, words: vec!["no".into(), "yes".into()] }
    }
}

fn in_order(mut settings: Settings) -> Settings {
    settings.bins.orders.insert("word".into(), vec!["no".into(), "yes".into()]);
    settings
}

/// Each column by itself: together all but one are redundant.
fn screen_each(flag: &Flag, settings: &Settings) -> Vec<Screened> {
    screen_rows(&flag.sample(), &flag.columns(), settings)
}

fn screen_rows(sample: &Sample, columns: &[MetricColumn], settings: &Settings) -> Vec<Screened> {
    let screen = |column: &MetricColumn| {
        let settings = if column.name == "word" { in_order(settings.clone()) } else { settings.clone() };
        screen_metrics(sample, std::slice::from_ref(column), &settings).expect("it fits together").remove(0)
    };
    columns.iter().map(screen).collect()
}

fn choosing(columns: &[MetricColumn], choice: &MetricChoice, of: &str) -> Settings {
    let chosen = columns.iter().filter(|column| column.name == of).map(|column| (column.name.clone(), choice.clone()));
    Settings { chosen: chosen.collect(), ..Settings::default() }
}

#[test]
fn a_rare_flag_counts_alike_as_truth_value_and_as_number() {
    // 85 of 1,989 rows are fewer than a bin of numbers needs.
    let flag = Flag { bads_with: 55, with: 85, bads_without: 189, without: 1904 };
    for bins in [BinSettings::default(), BinSettings { shape: BinShape::Even, ..BinSettings::default() }] {
        let settings = Settings { bins, ..Settings::default() };
        let found = screen_each(&flag, &settings);
        for one in &found {
            assert_eq!(one.verdict, ScreeningResult::Kept, "{}: {}", one.name, one.why);
            let mut counts: Vec<Count> = one.binning.bins.iter().map(|bin| bin.count).collect();
            counts[..2].sort_by_key(|count| count.rows());
            assert_eq!(counts[0], Count::of(55, 30), "{}", one.name);
            let apart = [one.binning.iv - found[0].binning.iv, one.auc - found[0].auc];
            assert!(apart.iter().all(|apart| apart.abs() < 1e-12), "{}: {apart:?}", one.name);
        }
        assert_eq!(
            found.iter().map(|one| one.binning.trend).collect::<Vec<_>>(),
            [Trend::Ascending, Trend::Ascending, Trend::Descending, Trend::Ascending]
        );
    }
}

#[test]
fn a_flag_against_the_asked_direction_is_one_bin() {
    let flag = Flag { bads_with: 55, with: 85, bads_without: 189, without: 1904 };
    let direction = Direction::Only(Trend::Descending);
    let settings = Settings { bins: BinSettings { direction, ..BinSettings::default() }, ..Settings::default() };
    let found = &screen_each(&flag, &settings)[1..3];
    assert_eq!(found[0].verdict, ScreeningResult::TooFewEvents);
    assert!(found[0].why.contains("follow the direction of the settings, more is better"), "{}", found[0].why);
    assert_eq!(found[1].verdict, ScreeningResult::Kept, "{}", found[1].why);
}

#[test]
fn ties_do_not_hide_what_a_flag_tells() {
    // `hschool` of HMDA: p of chi-squared is 0.0016, and AUC is 0.513.
    let told = Flag { bads_with: 274, with: 2341, bads_without: 11, without: 39 };
    // As many rows, where it is 0.5.
    let nothing = Flag { bads_with: 279, with: 2341, bads_without: 6, without: 39 };
    let settings =
        Settings { screen: ScreenSettings { least_iv: 0.0, ..ScreenSettings::default() }, ..Settings::default() };
    let screen = |flag: &Flag| screen_each(flag, &settings);
    for one in screen(&told) {
        assert_eq!(one.verdict, ScreeningResult::Kept, "{}: {}", one.name, one.why);
        assert!(one.auc < 0.52, "{}", one.auc);
    }
    for one in screen(&nothing) {
        assert_eq!(one.verdict, ScreeningResult::NoTrend, "{}: {}", one.name, one.why);
    }
}

/// Bins, special values and signs of an analyst count before the two values.
#[test]
fn choices_for_a_flag_win() {
    let flag = Flag { bads_with: 55, with: 85, bads_without: 189, without: 1904 };
    let (sample, columns) = (flag.sample(), flag.columns());
    for (name, right) in
        [("truth", Sign::Falling), ("count", Sign::Falling), ("code", Sign::Rising), ("word", Sign::Falling)]
    {
        let place = columns.iter().position(|column| column.name == name).expect("a column");
        let with = |sign: Sign| {
            let choice = MetricChoice { sign: Some(sign), ..MetricChoice::default() };
            let settings = choosing(&columns, &choice, name);
            screen_rows(&sample, &columns[place..=place], &settings).remove(0)
        };
        let wrong = if right == Sign::Falling { Sign::Rising } else { Sign::Falling };
        assert_eq!(with(right).verdict, ScreeningResult::Kept, "{name}: {}", with(right).why);
        assert_eq!(with(Sign::Any).verdict, ScreeningResult::Kept, "{name}: {}", with(Sign::Any).why);
        assert_eq!(with(wrong).verdict, ScreeningResult::WrongSign, "{name}: {}", with(wrong).why);
    }
    let cut = |cut: f64| {
        let choice = MetricChoice { bins: Some(ChosenBins::Cuts(vec![cut])), ..MetricChoice::default() };
        screen_rows(&sample, &columns[1..2], &choosing(&columns, &choice, "count")).remove(0)
    };
    assert_eq!(cut(0.25).binning.bins[0].holds, Holds::Range { low: None, high: Some(0.25) });
    assert_eq!(cut(0.25).verdict, ScreeningResult::Kept, "{}", cut(0.25).why);
    assert_eq!(cut(5.0).why, "all known values are in one of its chosen bins");
}

/// -1 for "does not apply" among 0 and 1: what is left is a flag.
#[test]
fn a_flag_may_have_special_values() {
    let flag = Flag { bads_with: 55, with: 85, bads_without: 189, without: 1904 };
    let (mut sample, mut columns) = (flag.sample(), flag.columns());
    let plain = screen_rows(&sample, &columns[1..2], &Settings::default()).remove(0);
    let Values::Number(values) = &mut columns[1].values else { panic!("numbers") };
    values.extend([Some(-1.0); 100]);
    sample.bad.extend((0..100).map(|row| row < 11));
    sample.key = (0..sample.bad.len() as u64).collect();
    let choice = MetricChoice { special: vec![-1.0], ..MetricChoice::default() };
    let found = screen_rows(&sample, &columns[1..2], &choosing(&columns, &choice, "count")).remove(0);
    assert_eq!((found.verdict, found.auc), (ScreeningResult::Kept, plain.auc), "{}", found.why);
    let rows: Vec<u64> = found.binning.bins.iter().map(|bin| bin.count.rows()).collect();
    assert_eq!(rows, [1904, 85, 100, 0]);
}

#[test]
fn weights_of_a_flag_count_in_all_its_forms() {
    let flag = Flag { bads_with: 55, with: 85, bads_without: 189, without: 1904 };
    let mut sample = flag.sample();
    let heavy = flag.is_set().zip(&sample.bad).map(|(set, bad)| if set && *bad { 3.0 } else { 1.0 });
    let weights = heavy.collect();
    sample.weigh_rows(weights).expect("weights");
    let found = screen_rows(&sample, &flag.columns(), &Settings::default());
    let plain = screen_each(&flag, &Settings::default());
    for (one, plain) in found.iter().zip(&plain) {
        assert_eq!(one.verdict, ScreeningResult::Kept, "{}: {}", one.name, one.why);
        assert!((one.binning.iv - found[0].binning.iv).abs() < 1e-12, "{}", one.name);
        assert!((one.binning.iv - plain.binning.iv).abs() > 1e-3, "{}", one.name);
    }
}

#[test]
fn a_column_of_one_value_says_so() {
    let flag = Flag { bads_with: 40, with: 400, bads_without: 0, without: 0 };
    let columns = flag.columns();
    for one in screen_rows(&flag.sample(), &columns, &Settings::default()) {
        assert_eq!((one.verdict, one.why.as_str()), (ScreeningResult::TooFewEvents, "all known values are the same"));
    }
}
