//! Places, frontiers and ranges, by hand.

use super::*;

fn varied_at(name: &str, values: &[&str]) -> Varied {
    Varied { name: name.to_owned(), values: values.iter().map(|value| (*value).to_owned()).collect() }
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
    assert_eq!(unbeaten_places(&points), [1, 2, 4]);
}
