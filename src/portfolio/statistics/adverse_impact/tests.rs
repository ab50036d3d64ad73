//! A worked example, the exact limit of four fifths, and groups that cannot be judged.

use super::*;

const SETTINGS: ImpactSettings<'_> =
    ImpactSettings { reference: Reference::HighestRate, least: 30, level: Level::NINETY_FIVE };

fn group(name: &str, approved: u64, n: u64) -> GroupCounts<'_> {
    GroupCounts { name, approved: Proportion::new(approved, n).unwrap() }
}

fn compared(found: &AdverseImpact, place: usize) -> Impact {
    match found.groups[place].judgement {
        Judgement::Compared(impact) => impact,
        other => panic!("{other:?}"),
    }
}

#[test]
fn by_hand() {
    // docs/reference/statistics/adverse-impact.md
    let found = adverse_impact(&[group("a", 60, 100), group("b", 36, 80), group("c", 5, 10)], &SETTINGS).unwrap();
    assert_eq!(found.reference.as_deref(), Some("a"));
    assert_eq!((found.groups[0].judgement, found.groups[2].judgement), (Judgement::Reference, Judgement::TooSmall));
    let impact = compared(&found, 1);
    assert_eq!((impact.ratio, impact.below_four_fifths), (0.75, true));
    let interval = impact.interval.unwrap();
    assert_eq!(format!("{:.4} {:.4}", interval.low, interval.high), "0.5610 1.0027");
    assert_eq!(format!("{:.4}", impact.p), "0.0515");
}

#[test]
fn exactly_four_fifths_is_not_below() {
    let flag =
        |approved, n| compared(&adverse_impact(&[group("a", 50, 100), group("b", approved, n)], &SETTINGS).unwrap(), 1);
    assert!(!flag(40, 100).below_four_fifths);
    assert!(flag(39, 100).below_four_fifths);
    for (a, n, b, m) in (1..12).flat_map(|a| (1..9).flat_map(move |b| [(a, 11, b, 8), (a, 12, b, 9), (a, 12, b, 10)])) {
        let exact = 5 * a * m < 4 * b * n;
        let of = |hits: u64, n: u64| Proportion::new(hits, n).unwrap();
        assert_eq!(below_four_fifths(of(a, n), of(b, m)), exact, "{a}/{n} {b}/{m}");
    }
    let most = Proportion::new(u64::MAX, u64::MAX).unwrap();
    assert!(!below_four_fifths(most, most));
}

#[test]
fn the_reference_is_the_highest_rate_or_the_named_group() {
    let groups = [group("a", 30, 60), group("b", 50, 100), group("c", 40, 100)];
    assert_eq!(adverse_impact(&groups, &SETTINGS).unwrap().reference.as_deref(), Some("b"));
    let named = adverse_impact(&groups, &ImpactSettings { reference: Reference::Named("c"), ..SETTINGS }).unwrap();
    assert_eq!((named.reference.as_deref(), compared(&named, 1).ratio), (Some("c"), 1.25));
    let strict = adverse_impact(&groups, &ImpactSettings { reference: Reference::Named("a"), least: 61, ..SETTINGS });
    let strict = strict.unwrap();
    assert_eq!((strict.reference.as_ref(), strict.groups[0].judgement), (None, Judgement::TooSmall));
    assert_eq!(strict.groups[1].judgement, Judgement::NoReference);
}

#[test]
fn groups_without_approvals() {
    let found = adverse_impact(&[group("a", 40, 40), group("b", 0, 50), group("none", 0, 0)], &SETTINGS).unwrap();
    let impact = compared(&found, 1);
    assert_eq!((impact.ratio, impact.interval, impact.below_four_fifths), (0.0, None, true));
    assert!(impact.p < 1e-20);
    assert_eq!((found.groups[2].rate, found.groups[2].judgement), (None, Judgement::TooSmall));
    let nobody = adverse_impact(&[group("a", 0, 40), group("b", 0, 50)], &SETTINGS).unwrap();
    assert!(nobody.groups.iter().all(|group| group.judgement == Judgement::NoReference));
    let everybody = adverse_impact(&[group("a", 40, 40), group("b", 50, 50)], &SETTINGS).unwrap();
    let impact = compared(&everybody, 0);
    assert_eq!((impact.ratio, impact.interval, impact.p), (1.0, Some(Interval { low: 1.0, high: 1.0 }), 1.0));
    assert_eq!(adverse_impact(&[], &SETTINGS).unwrap().groups, []);
}

#[test]
fn huge_groups_do_not_overflow() {
    let found = adverse_impact(&[group("a", u64::MAX, u64::MAX), group("b", u64::MAX / 2, u64::MAX)], &SETTINGS);
    let impact = compared(&found.unwrap(), 1);
    assert!((impact.ratio - 0.5).abs() < 1e-12 && impact.below_four_fifths && impact.p == 0.0);
}

#[test]
fn nonsense_is_refused() {
    let twice = adverse_impact(&[group("a", 1, 2), group("a", 1, 2)], &SETTINGS);
    assert_eq!(twice, Err(StatisticsError::DuplicateGroup("a".into())));
    let unknown = adverse_impact(&[group("a", 1, 2)], &ImpactSettings { reference: Reference::Named("z"), ..SETTINGS });
    assert_eq!(unknown, Err(StatisticsError::UnknownReference("z".into())));
}
