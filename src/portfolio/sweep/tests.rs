//! Places, frontiers and ranges, by hand.

use super::*;

fn varied_at(name: &str, values: &[&str]) -> Varied {
    Varied {
        name: name.to_owned(),
        values: values.iter().map(|value| (*value).to_owned()).collect(),
        is_rounded: false,
    }
}

fn known(point: &SweepPoint) -> Option<f64> {
    Cost::BadRate.of_known(point)
}

fn worst(point: &SweepPoint) -> Option<f64> {
    Cost::BadRate.at_worst(point)
}

#[test]
fn a_rate_is_never_compared_with_an_amount() {
    let earning = |rate: Option<f64>, profit: f64| SweepPoint { profit: Some(profit), ..point(0.5, rate) };
    let both = [earning(Some(0.1), 5.0), earning(None, 9.0)];
    assert_eq!(Cost::for_points(&both), Cost::BadRate);
    assert_eq!(unbeaten_points(&both, None, &|point| Cost::for_points(&both).of_known(point)), [0]);
    assert_eq!(Cost::for_points(&both[1..]), Cost::Profit);
}

fn point(approval_rate: f64, bad_rate: Option<f64>) -> SweepPoint {
    SweepPoint { approval_rate, bad_rate, ..SweepPoint::default() }
}

#[test]
fn a_grid_has_every_combination_once() {
    let places = grid_of_parameters(&[varied_at("a", &["1", "2"]), varied_at("b", &["x", "y", "z"])]);
    let shown: Vec<String> = places.iter().map(|place| place.join("")).collect();
    assert_eq!(shown, ["1x", "1y", "1z", "2x", "2y", "2z"]);
}

#[test]
fn chance_is_the_same_for_a_seed_and_tries_nothing_twice() {
    let parameters = [varied_at("a", &["1", "2", "3", "4", "5"]), varied_at("b", &["1", "2", "3", "4", "5"])];
    let (one, again, other) = (
        draw_random_places(&parameters, 10, 7),
        draw_random_places(&parameters, 10, 7),
        draw_random_places(&parameters, 10, 8),
    );
    assert_eq!(one, again);
    assert_ne!(one, other);
    let distinct: std::collections::BTreeSet<_> = one.iter().collect();
    assert_eq!(distinct.len(), 10);
    assert_eq!(draw_random_places(&parameters, 25, 1).len(), 25);
    assert_eq!(draw_random_places(&parameters, 99, 1), grid_of_parameters(&parameters));
}

#[test]
fn the_frontier_has_what_nothing_beats() {
    let points = [
        point(0.5, Some(0.10)),
        point(0.6, Some(0.10)),
        point(0.4, Some(0.05)),
        point(0.4, Some(0.06)),
        point(0.7, Some(0.20)),
        point(0.1, None),
    ];
    assert_eq!(unbeaten_points(&points, None, &known), [1, 2, 4]);
}

#[test]
fn of_equal_places_the_present_one_stays() {
    let points = [point(0.5, Some(0.1)), point(0.5, Some(0.1)), point(0.5, Some(0.1))];
    assert_eq!(unbeaten_points(&points, None, &known), [0]);
    assert_eq!(unbeaten_points(&points, Some(2), &known), [2]);
    let place = |profit: i128| MeasuredPlace {
        point: SweepPoint { profit: Some(profit as f64), ..SweepPoint::default() },
        profit_of_parts: [profit, 0, 0, 0, 0],
        worst_excess: None,
    };
    let best = find_best_point(&place(7), &[place(7), place(5), place(7)], Some(2)).expect("a profit");
    assert_eq!((best.point, best.gain), (2, 0.0));
}

#[test]
fn the_frontier_of_the_worst_case_counts_customers_without_an_outcome_as_bad() {
    let bounded = |approval_rate, rate, worst| SweepPoint {
        bad_rate_bounds: Some((0.0, worst)),
        ..point(approval_rate, Some(rate))
    };
    // Loosening from 0.5 to 0.6 adds customers without a loan: no worse by known outcomes, and perhaps far worse.
    let points = [bounded(0.4, 0.09, 0.09), bounded(0.5, 0.10, 0.10), bounded(0.6, 0.10, 0.25)];
    assert_eq!(unbeaten_points(&points, None, &known), [0, 2]);
    assert_eq!(unbeaten_points(&points, None, &worst), [0, 1, 2]);
}

#[test]
fn a_gain_by_chance_is_not_held_out() {
    let place = |parts: [i128; 5]| MeasuredPlace {
        point: SweepPoint { profit: Some(parts.iter().sum::<i128>() as f64), ..SweepPoint::default() },
        profit_of_parts: parts,
        worst_excess: None,
    };
    let own = place([10; 5]);
    // Each place gains in one part alone.
    let lucky: Vec<MeasuredPlace> =
        (0..5).map(|lucky| place([0, 1, 2, 3, 4].map(|part| if part == lucky { 25 } else { 9 }))).collect();
    let best = find_best_point(&own, &lucky, None).expect("a profit");
    assert_eq!((best.gain, best.held_out_gain, best.parts), (11.0, -5.0, (5, 0)));
    // One is better everywhere.
    let best = find_best_point(&own, &[own.clone(), place([12; 5])], Some(0)).expect("a profit");
    assert_eq!((best.point, best.gain, best.held_out_gain, best.parts), (1, 10.0, 10.0, (5, 5)));
}

#[test]
fn the_worst_excess_is_that_of_the_worst_outcomes() {
    // Every outcome that those without one may have, tried.
    let bits = |rows: [bool; 8]| Bits::from_fn(8, |row| rows[row]);
    let mut state = 7_u64;
    let mut draw = || {
        let mut rows = [false; 8];
        for row in &mut rows {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            *row = (state >> 40).is_multiple_of(2);
        }
        rows
    };
    for _ in 0..200 {
        let (before, now, known, bad) = (draw(), draw(), draw(), draw());
        let bad = [0, 1, 2, 3, 4, 5, 6, 7].map(|row| bad[row] && known[row]);
        let rate = |offers: &[bool; 8], bad: &dyn Fn(usize) -> bool| {
            let all = offers.iter().filter(|offer| **offer).count();
            let bad = (0..8).filter(|row| offers[*row] && bad(*row)).count();
            if all > 0 { bad as f64 / all as f64 } else { 0.0 }
        };
        let worst = (0..256_usize).map(|others| {
            let is_bad = |row: usize| bad[row] || (!known[row] && others >> row & 1 == 1);
            rate(&now, &is_bad) - rate(&before, &is_bad)
        });
        let wanted = now.contains(&true).then(|| worst.fold(f64::NEG_INFINITY, f64::max));
        let outcomes = KnownRows { known: bits(known), bad: bits(bad) };
        let found = worst_excess_of_bad_rate(&bits(before), &bits(now), &outcomes);
        match (found, wanted) {
            (Some(found), Some(wanted)) => assert!((found - wanted).abs() < 1e-12, "{found} {wanted}"),
            (found, wanted) => assert_eq!(found, wanted),
        }
    }
}
