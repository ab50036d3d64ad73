//! Published examples of the intervals, and their edges.

use super::*;

fn of(hits: u64, n: u64) -> Proportion {
    Proportion::new(hits, n).unwrap()
}

fn rounded(interval: Interval) -> String {
    format!("{:.4} {:.4}", interval.low, interval.high)
}

#[test]
fn wilson_by_hand() {
    // docs/reference/statistics/intervals.md
    assert_eq!(rounded(of(4, 40).wilson(Level::NINETY_FIVE).unwrap()), "0.0396 0.2305");
    // Newcombe 1998, table I: 81 of 263.
    assert_eq!(rounded(of(81, 263).wilson(Level::NINETY_FIVE).unwrap()), "0.2553 0.3662");
}

#[test]
fn wilson_has_exact_ends() {
    let none = of(0, 20).wilson(Level::NINETY_FIVE).unwrap();
    let all = of(20, 20).wilson(Level::NINETY_FIVE).unwrap();
    assert_eq!((none.low, all.high), (0.0, 1.0));
    assert_eq!(rounded(none), "0.0000 0.1611");
    assert_eq!(rounded(all), "0.8389 1.0000");
    assert_eq!(of(0, 0).wilson(Level::NINETY_FIVE), None);
    assert_eq!(of(0, 0).rate(), None);
}

#[test]
fn newcombe_as_published() {
    // Newcombe 1998, table II, (a): 56/70 - 48/80 is 0.2000, 0.0524 to 0.3339.
    let found = difference_of_rates(of(56, 70), of(48, 80), Level::NINETY_FIVE).unwrap();
    assert!((found.difference - 0.2).abs() < 1e-15);
    assert_eq!(rounded(found.interval), "0.0524 0.3339");
    // (g): 10/10 - 0/20 is 1, 0.6791 to 1.
    let found = difference_of_rates(of(10, 10), of(0, 20), Level::NINETY_FIVE).unwrap();
    assert_eq!(rounded(found.interval), "0.6791 1.0000");
    assert_eq!(difference_of_rates(of(0, 0), of(1, 2), Level::NINETY_FIVE), None);
}

#[test]
fn intervals_hold_their_rate_and_grow_with_the_level() {
    for n in 1..40 {
        for hits in 0..=n {
            let (narrow, wide) = (of(hits, n).wilson(Level::new(0.8).unwrap()), of(hits, n).wilson(Level::NINETY_FIVE));
            let (narrow, wide, rate) = (narrow.unwrap(), wide.unwrap(), of(hits, n).rate().unwrap());
            assert!(wide.low <= narrow.low && narrow.low <= rate && rate <= narrow.high && narrow.high <= wide.high);
        }
    }
    let huge = of(u64::MAX / 2, u64::MAX).wilson(Level::NINETY_FIVE).unwrap();
    assert!(huge.high - huge.low < 1e-9);
}

#[test]
fn nonsense_is_refused() {
    assert_eq!(Proportion::new(3, 2), Err(StatisticsError::MoreHitsThanTrials { hits: 3, n: 2 }));
    for share in [0.0, 1.0, -1.0, 95.0, f64::NAN] {
        assert!(Level::new(share).is_err());
    }
}
