//! Hard statements: each mode is strong without any noise, changes nothing else, and is the same for ever.

use std::collections::BTreeMap;

use lendwright::generate::{Hard, Options, statement_json};

use super::{Labelled, labelled};

const PLAIN: Hard = Hard { irregular: false, split: false, misleading: false };
const IRREGULAR: Hard = Hard { irregular: true, ..PLAIN };
const SPLIT: Hard = Hard { split: true, ..PLAIN };
const MISLEADING: Hard = Hard { misleading: true, ..PLAIN };

fn year(hard: Hard) -> Options {
    Options { records: 400, debits: true, noise: 0.0, months: Some(14), hard, ..Options::default() }
}

fn people(hard: Hard) -> impl Iterator<Item = Vec<Labelled>> {
    (0..60).map(move |index| labelled(131, index, &year(hard)))
}

/// The pays from every person's first employer, by day.
fn pays(hard: Hard) -> Vec<Vec<Labelled>> {
    let pay = |records: Vec<_>| -> Vec<_> {
        records.into_iter().filter(|(_, label): &Labelled| label["stream"] == "salary-1").collect()
    };
    people(hard).map(pay).filter(|pays| pays.len() >= 6).collect()
}

fn share(all: impl Iterator<Item = bool>) -> f64 {
    let (mut yes, mut count) = (0.0, 0.0);
    for one in all {
        yes += f64::from(u8::from(one));
        count += 1.0;
    }
    assert!(count > 0.0, "a share of nothing");
    yes / count
}

#[test]
fn the_same_bytes_for_ever() {
    let digest = |hard: Hard| {
        let mut hasher = blake3::Hasher::new();
        for index in 0..10 {
            hasher.update(&statement_json(3, index, &Options { noise: 0.1, ..year(hard) }).expect("options"));
        }
        hasher.finalize().to_hex()[..16].to_owned()
    };
    assert_eq!(
        [IRREGULAR, SPLIT, MISLEADING, Hard::ALL].map(digest),
        ["941a174069088204", "d89cb39a0cd7ae69", "c5b19f713307e67b", "01f4b4ba9aba4fdb"]
    );
}

#[test]
fn irregular_pay_comes_at_weekends_and_far_from_its_day() {
    let weekend = |hard| share(pays(hard).into_iter().flatten().map(|(row, _)| (row.day + 3).rem_euclid(7) >= 5));
    let far = |hard| {
        share(pays(hard).into_iter().flat_map(|pays| {
            let gaps: Vec<bool> =
                pays.windows(2).map(|pair| !(26..=35).contains(&(pair[1].0.day - pair[0].0.day))).collect();
            gaps
        }))
    };
    assert!(weekend(PLAIN) < 0.001 && weekend(IRREGULAR) > 0.2, "{} {}", weekend(PLAIN), weekend(IRREGULAR));
    assert!(far(PLAIN) < 0.1 && far(IRREGULAR) > 0.5, "{} {}", far(PLAIN), far(IRREGULAR));
}

#[test]
fn what_is_missed_is_caught_up() {
    // Over a year the same people are paid about the same, sometimes doubled.
    let sums = |hard| -> i64 { pays(hard).iter().flatten().map(|(row, _)| row.amount).sum() };
    let (plain, irregular) = (sums(PLAIN), sums(IRREGULAR));
    assert!((irregular * 100 / plain - 100).abs() <= 6, "{plain} {irregular}");
    let doubled = share(pays(IRREGULAR).into_iter().flat_map(|pays| {
        let mut amounts: Vec<i64> = pays.iter().map(|(row, _)| row.amount).collect();
        amounts.sort_unstable();
        let median = amounts[amounts.len() / 2];
        amounts.into_iter().map(move |amount| amount * 10 > median * 17).collect::<Vec<_>>()
    }));
    assert!((0.02..0.12).contains(&doubled), "{doubled}");
}

#[test]
fn split_pay_comes_in_parts_and_is_the_same_in_all() {
    let count = |hard| pays(hard).iter().map(Vec::len).sum::<usize>();
    let (plain, split) = (count(PLAIN), count(SPLIT));
    assert!(split * 10 > plain * 17, "{plain} {split}");
    let sums = |hard| -> i64 { pays(hard).iter().flatten().map(|(row, _)| row.amount).sum() };
    assert!((sums(SPLIT) * 100 / sums(PLAIN) - 100).abs() <= 4);
}

/// The share of a label's records whose narration has one of the words.
fn saying(records: &[Labelled], label: &str, words: &[&str]) -> f64 {
    share(records.iter().filter(|(_, truth)| truth["label"] == label).map(|(row, _)| {
        let desc = row.desc.to_uppercase();
        words.iter().any(|word| desc.contains(word))
    }))
}

#[test]
fn misleading_words_stand_where_they_do_not_belong() {
    let pay = ["SAL", "PAYROLL", "PAY ", "WAGE"];
    let loan = ["LOAN", "CREDIT FACILITY", "DISBURSEMENT"];
    let bets = ["BET9JA", "SPORTYBET", "BETKING", "1XBET", "NAIRABET"];
    let back = ["REVERSAL", "RVSL", "**REV"];
    let lenders = ["FAIRMONEY", "CARBON", "RENMONEY", "PALMCREDIT", "BRANCH INTL", "QUICKCHECK", "AELLA", "OKASH"];
    let [plain, misled] = [PLAIN, MISLEADING].map(|hard| people(hard).flatten().collect::<Vec<_>>());
    // At most these shares without the mode, at least these with it.
    let cases: [(&str, &[&str], f64, f64); 6] = [
        ("gift", &pay, 0.05, 0.15),
        ("own_transfer", &pay, 0.05, 0.10),
        ("business", &loan, 0.01, 0.10),
        ("business", &back, 0.01, 0.05),
        ("transfer_out", &bets, 0.01, 0.05),
        ("supplies", &back, 0.01, 0.02),
    ];
    for (label, words, most, least) in cases {
        let (before, after) = (saying(&plain, label, words), saying(&misled, label, words));
        assert!(before <= most && after >= least, "{label} {words:?}: {before} {after}");
    }
    // Narrations that fall silent: at least a quarter of those that spoke.
    for (label, words) in
        [("salary", &pay[..]), ("loan_proceeds", &lenders), ("betting_win", &bets), ("reversal", &back)]
    {
        let (before, after) = (saying(&plain, label, words), saying(&misled, label, words));
        assert!(after < before * 0.75, "{label} {words:?}: {before} {after}");
    }
}

#[test]
fn misleading_changes_words_alone() {
    for (plain, misled) in people(PLAIN).zip(people(MISLEADING)) {
        assert_eq!(plain.len(), misled.len());
        for ((one, truth), (other, other_truth)) in plain.iter().zip(&misled) {
            assert_eq!((one.day, one.amount, one.balance), (other.day, other.amount, other.balance));
            assert_eq!((&truth["label"], &truth["stream"]), (&other_truth["label"], &other_truth["stream"]));
        }
    }
}

#[test]
fn any_hard_statement_has_its_number_of_records_and_chains() {
    let mut labels: BTreeMap<String, u32> = BTreeMap::new();
    for index in 0..60 {
        let options = Options { noise: 0.5, records: 10 + index * 7, ..year(Hard::ALL) };
        let records = labelled(137, index, &options);
        for pair in records.windows(2) {
            assert_eq!(pair[1].0.balance, pair[0].0.balance.map(|before| before + pair[1].0.amount));
            assert!(pair[0].0.day <= pair[1].0.day);
        }
        for (row, label) in records {
            assert!(row.amount != 0);
            *labels.entry(label["label"].clone()).or_default() += 1;
        }
    }
    assert!(labels.len() > 20, "{labels:?}");
}
