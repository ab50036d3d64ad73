//! Worked examples, direct O(n²) references, and edges.

use super::*;
use crate::portfolio::statistics::intervals::Interval;

/// Knuth's MMIX generator: reproducible anywhere.
struct Lcg(u64);

impl Lcg {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// `n` rows with scores of `levels` values; low scores go bad more often.
fn rows(seed: u64, n: usize, levels: f64) -> (Vec<f64>, Vec<bool>) {
    let mut random = Lcg(seed);
    (0..n)
        .map(|_| {
            let score = (random.unit() * levels).floor();
            (score, random.unit() * 1.2 > score / levels)
        })
        .unzip()
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-12 * expected.abs().max(1e-3), "{found} is not {expected}");
}

/// The page's example: bad at 10, 20 and 40; good at 20, 30, 40, 50 and 60.
fn example() -> Scored {
    let scores = [10.0, 20.0, 40.0, 20.0, 30.0, 40.0, 50.0, 60.0];
    Scored::new(&scores, &[true, true, true, false, false, false, false, false]).unwrap()
}

#[test]
fn auc_gini_and_ks_by_hand() {
    // docs/reference/statistics/auc-gini-ks.md: 12 of 15 pairs.
    let found = example().discrimination(Level::NINETY_FIVE).unwrap();
    assert_eq!((found.n, found.bad), (8, 3));
    close(found.auc, 0.8);
    close(found.gini, 0.6);
    assert_eq!(found.ks, Ks { value: 7.0 / 15.0, score: 20.0 });
}

#[test]
fn delong_by_hand() {
    // docs/reference/statistics/delong.md
    let found = example().discrimination(Level::NINETY_FIVE).unwrap().delong.unwrap();
    close(found.variance, 0.07 / 3.0 + (17.0 / 360.0) / 5.0);
    assert_eq!(format!("{:.4}", found.standard_error), "0.1810");
    assert_eq!(format!("{:.4} {:.4}", found.interval.low, found.interval.high), "0.4452 1.0000");
}

#[test]
fn gain_table_by_hand() {
    // docs/reference/statistics/gain-lift.md
    let table = example().gain_table(4).unwrap();
    let shown: Vec<_> = table.iter().map(|band| (band.band, band.low, band.high, band.n, band.bad)).collect();
    assert_eq!(shown, [(1, 10.0, 10.0, 1, 1), (2, 20.0, 30.0, 3, 1), (3, 40.0, 40.0, 2, 1), (4, 50.0, 60.0, 2, 0)]);
    let second = table[1];
    close(second.bad_rate, 1.0 / 3.0);
    close(second.cumulative_bad_share.unwrap(), 2.0 / 3.0);
    close(second.lift.unwrap(), 8.0 / 9.0);
    close(second.cumulative_lift.unwrap(), 4.0 / 3.0);
    close(second.ks.unwrap(), 4.0 / 15.0);
    close(table[0].lift.unwrap(), 8.0 / 3.0);
    close(table[2].ks.unwrap(), 0.4);
    close(table[2].lift.unwrap(), 4.0 / 3.0);
    assert_eq!((table[3].lift, table[3].cumulative_lift), (Some(0.0), Some(1.0)));
    close(table[3].cumulative_bad_share.unwrap(), 1.0);
    close(table[3].ks.unwrap(), 0.0);
}

#[test]
fn roc_curve_by_hand() {
    let curve = example().roc_curve(100).unwrap().unwrap();
    let point = |score, good_declined, bad_declined| RocPoint { score, good_declined, bad_declined };
    assert_eq!(curve.len(), 7);
    assert_eq!(curve[0], point(None, 0.0, 0.0));
    assert_eq!(curve[2], point(Some(20.0), 0.2, 2.0 / 3.0));
    assert_eq!(curve[6], point(Some(60.0), 1.0, 1.0));
    let thin = example().roc_curve(3).unwrap().unwrap();
    assert_eq!(thin, [curve[0], curve[3], curve[6]]);
}

/// AUC, KS and DeLong's variance by their definitions.
fn direct(scores: &[f64], bad: &[bool]) -> (f64, f64, f64) {
    let class = |wanted| -> Vec<f64> {
        scores.iter().zip(bad).filter(|(_, bad)| **bad == wanted).map(|(score, _)| *score).collect()
    };
    let (bads, goods) = (class(true), class(false));
    let win = |bad: f64, good: f64| {
        if good > bad {
            1.0
        } else if good == bad {
            0.5
        } else {
            0.0
        }
    };
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let of_bads: Vec<f64> = bads.iter().map(|b| goods.iter().map(|g| win(*b, *g)).sum::<f64>()).collect();
    let of_bads: Vec<f64> = of_bads.iter().map(|sum| sum / goods.len() as f64).collect();
    let of_goods: Vec<f64> = goods.iter().map(|g| bads.iter().map(|b| win(*b, *g)).sum::<f64>()).collect();
    let of_goods: Vec<f64> = of_goods.iter().map(|sum| sum / bads.len() as f64).collect();
    let auc = mean(&of_bads);
    let part = |values: &[f64]| {
        let squares: f64 = values.iter().map(|value| (value - auc) * (value - auc)).sum();
        squares / (values.len() as f64 - 1.0) / values.len() as f64
    };
    let below = |values: &[f64], s: f64| values.iter().filter(|v| **v <= s).count() as f64 / values.len() as f64;
    let ks = scores.iter().map(|s| (below(&bads, *s) - below(&goods, *s)).abs()).fold(0.0, f64::max);
    (auc, ks, part(&of_bads) + part(&of_goods))
}

#[test]
fn agrees_with_the_definitions() {
    for seed in 0..60 {
        let (scores, bad) = rows(seed, 8 + 3 * seed as usize, [4.0, 20.0, 1e9][seed as usize % 3]);
        let found = Scored::new(&scores, &bad).unwrap().discrimination(Level::NINETY_FIVE);
        let Some(Discrimination { auc, ks, delong: Some(delong), .. }) = found else { continue };
        let expected = direct(&scores, &bad);
        close(auc, expected.0);
        close(ks.value, expected.1);
        close(delong.variance, expected.2);
    }
}

#[test]
fn the_test_of_two_scores_agrees_with_the_variance_of_their_difference() {
    for seed in 0..40 {
        let (first, bad) = rows(seed, 60, 10.0);
        let (second, _) = rows(seed + 1_000, 60, 1e6);
        let second: Vec<f64> = first.iter().zip(&second).map(|(one, noise)| one + noise / 2e5).collect();
        let found = delong_test(&first, &second, &bad, Level::NINETY_FIVE).unwrap().unwrap();
        let one = Scored::new(&first, &bad).unwrap().discrimination(Level::NINETY_FIVE).unwrap();
        assert_eq!(found.first_auc, one.auc);
        close(found.difference, one.auc - direct(&second, &bad).0);
        close(found.z.unwrap(), found.difference / found.standard_error);
        // A constant score has no variance: what is left is the variance of the first.
        let alone = delong_test(&first, &[1.0; 60], &bad, Level::NINETY_FIVE).unwrap().unwrap();
        close(alone.standard_error, one.delong.unwrap().standard_error);
        close(alone.second_auc, 0.5);
    }
}

#[test]
fn scores_that_rank_alike_cannot_be_tested() {
    let (first, bad) = rows(7, 50, 20.0);
    let second: Vec<f64> = first.iter().map(|score| score * 3.0 - 1.0).collect();
    let found = delong_test(&first, &second, &bad, Level::NINETY_FIVE).unwrap().unwrap();
    assert_eq!((found.difference, found.standard_error, found.z, found.p), (0.0, 0.0, None, None));
}

#[test]
fn order_of_rows_and_monotone_changes_do_not_matter() {
    let (scores, bad) = rows(3, 500, 40.0);
    let found = Scored::new(&scores, &bad).unwrap().discrimination(Level::NINETY_FIVE).unwrap();
    let (reversed, bad_reversed): (Vec<_>, Vec<_>) = scores.iter().copied().zip(bad.iter().copied()).rev().unzip();
    assert_eq!(Scored::new(&reversed, &bad_reversed).unwrap().discrimination(Level::NINETY_FIVE).unwrap(), found);
    let negated: Vec<_> = scores.iter().map(|score| -score).collect();
    let turned = Scored::new(&negated, &bad).unwrap().discrimination(Level::NINETY_FIVE).unwrap();
    close(turned.auc, 1.0 - found.auc);
    close(turned.gini, -found.gini);
}

#[test]
fn all_ties_say_nothing() {
    let scored = Scored::new(&[5.0; 6], &[true, false, true, false, false, false]).unwrap();
    let found = scored.discrimination(Level::NINETY_FIVE).unwrap();
    assert_eq!((found.auc, found.gini, found.ks), (0.5, 0.0, Ks { value: 0.0, score: 5.0 }));
    assert_eq!(found.delong.unwrap().interval, Interval { low: 0.5, high: 0.5 });
    let table = scored.gain_table(10).unwrap();
    assert_eq!((table.len(), table[0].band, table[0].n, table[0].lift), (1, 6, 6, Some(1.0)));
}

#[test]
fn one_class_or_no_rows_give_none() {
    for bad in [true, false] {
        let scored = Scored::new(&[1.0, 2.0], &[bad; 2]).unwrap();
        assert_eq!(scored.discrimination(Level::NINETY_FIVE), None);
        assert_eq!(scored.roc_curve(10).unwrap(), None);
        assert!(scored.gain_table(2).unwrap().iter().all(|band| band.ks.is_none() && band.lift.is_some() == bad));
        assert_eq!(delong_test(&[1.0], &[1.0], &[bad], Level::NINETY_FIVE), Ok(None));
    }
    let empty = Scored::new(&[], &[]).unwrap();
    assert_eq!((empty.n(), empty.discrimination(Level::NINETY_FIVE), empty.gain_table(10)), (0, None, Ok(vec![])));
    let pair = Scored::new(&[1.0, 2.0], &[true, false]).unwrap().discrimination(Level::NINETY_FIVE).unwrap();
    assert_eq!((pair.auc, pair.delong), (1.0, None));
}

#[test]
fn nonsense_is_refused() {
    let nan = Scored::new(&[1.0, f64::NAN], &[true, false]).unwrap_err();
    assert_eq!(nan, StatisticsError::NotANumber { what: "scores", row: 1 });
    assert!(Scored::new(&[1.0], &[]).is_err());
    assert!(example().gain_table(0).is_err());
    assert!(example().roc_curve(1).is_err());
    assert!(delong_test(&[1.0], &[f64::NAN], &[true], Level::NINETY_FIVE).is_err());
    assert!(Scored::new(&[f64::INFINITY, f64::NEG_INFINITY, -0.0], &[false, true, true]).is_ok());
}

#[test]
fn bands_of_distinct_scores_are_equal() {
    let scores: Vec<f64> = (0..1_000).map(f64::from).collect();
    let bad: Vec<bool> = (0..1_000).map(|row| row % 7 == 0).collect();
    let table = Scored::new(&scores, &bad).unwrap().gain_table(10).unwrap();
    assert!(table.len() == 10 && table.iter().all(|band| band.n == 100));
}
