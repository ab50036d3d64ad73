//! A worked example, and that every input has a finite index.

use super::*;

fn of(base: &[u64], recent: &[u64]) -> Psi {
    population_stability(base, recent, Smoothing::HALF).unwrap().unwrap()
}

#[test]
fn psi_by_hand() {
    // docs/reference/statistics/psi-csi.md: shares 0.4, 0.4, 0.2 become 0.2, 0.4, 0.4.
    let found = population_stability(&[39, 39, 19], &[19, 39, 39], Smoothing::new(1.0).unwrap()).unwrap().unwrap();
    let shares: Vec<_> = found.cells.iter().map(|cell| (cell.base_share, cell.recent_share)).collect();
    assert_eq!(shares, [(0.4, 0.2), (0.4, 0.4), (0.2, 0.4)]);
    assert!((found.value - 0.4 * natural_logarithm(2.0)).abs() < 1e-15);
    assert_eq!(format!("{:.4}", found.value), "0.2773");
    assert_eq!((found.stability, found.cells[1].contribution), (Stability::Unstable, 0.0));
    assert_eq!((found.base, found.recent, found.smoothing.rows()), (97, 97, 1.0));
    assert!((found.by_chance - 4.0 / 97.0).abs() < 1e-15);
}

#[test]
fn the_limits_belong_to_the_word_above() {
    let words = [0.0, 0.099_999, 0.1, 0.249_999, 0.25, 9.0].map(|value| Stability::from_psi(value).word());
    assert_eq!(words, ["stable", "stable", "shifted", "shifted", "unstable", "unstable"]);
}

#[test]
fn empty_cells_are_finite() {
    let found = of(&[100, 0], &[0, 100]);
    assert!(found.value.is_finite() && found.value > 5.0);
    for (base, recent) in [(vec![0, 0, 1], vec![1, 0, 0]), (vec![u64::MAX, 1], vec![1, u64::MAX])] {
        let found = of(&base, &recent);
        assert!(found.value.is_finite() && found.cells.iter().all(|cell| cell.contribution >= 0.0));
    }
    assert_eq!(of(&[3, 4], &[30, 40]).stability, Stability::Stable);
    assert_eq!(population_stability(&[0, 0], &[1, 2], Smoothing::HALF), Ok(None));
    assert_eq!(population_stability(&[], &[], Smoothing::HALF), Ok(None));
    assert!(population_stability(&[1], &[1, 2], Smoothing::HALF).is_err());
    assert!([0.0, -1.0, f64::NAN, f64::INFINITY].iter().all(|rows| Smoothing::new(*rows).is_err()));
}

#[test]
fn csi_starts_with_the_least_stable() {
    let characteristic = |name, base, recent| Characteristic { name, base, recent };
    let table = characteristic_stability(
        &[
            characteristic("calm", &[10, 10], &[10, 10]),
            characteristic("empty", &[0], &[0]),
            characteristic("moved", &[10, 10], &[2, 18]),
            characteristic("calm too", &[5, 5], &[5, 5]),
        ],
        Smoothing::HALF,
    );
    let names: Vec<_> = table.unwrap().into_iter().map(|row| row.name).collect();
    assert_eq!(names, ["moved", "calm", "calm too", "empty"]);
}

#[test]
fn bins_are_quantiles_of_the_base() {
    let base: Vec<_> = (1..=100).map(|value| Some(f64::from(value))).chain([None]).collect();
    let bins = QuantileBins::new(&base, 4).unwrap();
    assert_eq!(bins.edges(), [25.0, 50.0, 75.0]);
    assert_eq!(bins.count(&base).unwrap(), [25, 25, 25, 25, 1]);
    assert_eq!(bins.count(&[Some(-1e9), Some(25.0), Some(25.1), Some(1e9), None]).unwrap(), [2, 1, 0, 1, 1]);
    assert_eq!(bins.labels(), ["<= 25", "25 to 50", "50 to 75", "> 75", "unknown"]);
}

#[test]
fn ties_make_fewer_bins() {
    let base: Vec<_> = [1.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 3.0].map(Some).to_vec();
    let bins = QuantileBins::new(&base, 4).unwrap();
    assert_eq!((bins.edges(), bins.count(&base).unwrap()), (&[1.0, 2.0][..], vec![1, 6, 1, 0]));
    let nothing = QuantileBins::new(&[None], 10).unwrap();
    assert_eq!((nothing.count(&[None, Some(1.0)]).unwrap(), nothing.labels().len()), (vec![1, 1], 2));
    assert!(QuantileBins::new(&base, 0).is_err());
    assert!(QuantileBins::new(&[Some(f64::NAN)], 2).is_err());
    assert!(bins.count(&[Some(f64::NAN)]).is_err());
}

#[test]
fn categories_of_either_period_count() {
    let found = count_categories(&[Some("b"), None, Some("a"), Some("b")], &[Some("c"), Some("a")]);
    assert_eq!(found.categories, [Some("a".into()), Some("b".into()), Some("c".into()), None]);
    assert_eq!((found.base, found.recent), (vec![1, 2, 0, 1], vec![1, 0, 1, 0]));
}
