//! Labels of records that belong together: streams, pairs, the counterparty, lenders, twins.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use lendwright::generate::Options;

use super::{Row, labelled};

type Labels = HashMap<String, String>;

fn year(noise: f64) -> Options {
    Options { records: 500, debits: true, noise, months: Some(14), ..Options::default() }
}

#[test]
fn streams_without_noise_hold_the_definition() {
    let mut seen = BTreeSet::new();
    for index in 0..80 {
        let mut streams: BTreeMap<String, Vec<(Row, Labels)>> = BTreeMap::new();
        for (row, label) in labelled(101, index, &year(0.0)) {
            assert_eq!(label["stream"].is_empty(), label["period"].is_empty(), "{label:?}");
            if !label["stream"].is_empty() {
                streams.entry(label["stream"].clone()).or_default().push((row, label));
            }
        }
        for (name, records) in streams {
            let period = records[0].1["period"].clone();
            let of = |column: &str| records.iter().map(|(_, label)| &label[column]).collect::<BTreeSet<_>>().len();
            assert_eq!((of("period"), of("counterparty"), of("label")), (1, 1, 1), "{name}");
            let (least, most) = match period.as_str() {
                "weekly" => (7, 7),
                "monthly" => (20, 45),
                "quarterly" => (80, 100),
                "termly" => (105, 140),
                "half_yearly" => (170, 195),
                "yearly" => (355, 375),
                other => panic!("{other} is no period"),
            };
            for pair in records.windows(2) {
                let gap = pair[1].0.day - pair[0].0.day;
                // A missed payment leaves a gap of several periods.
                let missed = (1..9).any(|count| (count * least..=count * most).contains(&gap));
                assert!(missed, "{name}, {period}: {gap} days");
            }
            let mut amounts: Vec<i64> = records.iter().map(|(row, _)| row.amount).collect();
            amounts.sort_unstable();
            let median = amounts[amounts.len() / 2];
            // Debits shrink where the account is empty; pay rises and may carry overtime.
            if median > 0 {
                assert!(
                    amounts.iter().all(|amount| (amount - median).abs() * 100 <= median * 31),
                    "{name}: {amounts:?}"
                );
            }
            seen.insert((records[0].1["label"].clone(), period));
        }
    }
    let kinds: BTreeSet<&str> = seen.iter().map(|(label, _)| label.as_str()).collect();
    let expected = [
        "charge",
        "gift",
        "gig",
        "loan_repayment",
        "pension",
        "rent",
        "rent_paid",
        "salary",
        "school_fees",
        "subscription",
    ];
    assert_eq!(kinds, expected.into());
}

#[test]
fn what_comes_monthly_at_one_amount_has_a_stream() {
    for index in 0..80 {
        let mut groups: BTreeMap<(String, String, i64), Vec<i32>> = BTreeMap::new();
        for (row, label) in labelled(103, index, &year(0.1)) {
            if label["stream"].is_empty() && !label["counterparty"].is_empty() {
                let key = (label["label"].clone(), label["counterparty"].clone(), row.amount);
                groups.entry(key).or_default().push(row.day);
            }
        }
        for (group, days) in groups {
            let monthly = days.len() >= 4 && days.windows(2).all(|pair| (26..=35).contains(&(pair[1] - pair[0])));
            assert!(!monthly, "{group:?} on {days:?}");
        }
    }
}

#[test]
fn pairs_name_each_other_and_agree() {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for index in 0..80 {
        let records = labelled(107, index, &year(0.1));
        let by_id: HashMap<&str, &(Row, Labels)> = records.iter().map(|record| (&*record.0.id, record)).collect();
        for (row, label) in records.iter().filter(|(_, label)| !label["pair"].is_empty()) {
            let (other, other_label) = by_id[&*label["pair"]];
            assert_eq!(other_label["pair"], row.id);
            assert_eq!(other_label["counterparty"], label["counterparty"]);
            assert!((row.amount > 0) != (other.amount > 0), "one comes in, one goes out");
            assert!((row.day - other.day).abs() <= 6);
            *seen.entry(label["label"].clone()).or_default() += 1;
            if matches!(label["label"].as_str(), "reversal" | "airtime") {
                assert_eq!(row.amount, -other.amount);
            }
        }
    }
    let kinds: Vec<&str> = seen.keys().map(String::as_str).collect();
    assert_eq!(kinds, ["airtime", "own_transfer", "pos", "refund", "reversal"]);
    assert!(seen.values().all(|count| *count > 20), "{seen:?}");
}

#[test]
fn loans_name_their_lender_and_nothing_else_has_one() {
    let mut lenders = BTreeSet::new();
    for index in 0..80 {
        for (_, label) in labelled(109, index, &year(0.5)) {
            let is_loan = label["label"].starts_with("loan_");
            assert_eq!(is_loan, !label["lender"].is_empty(), "{label:?}");
            assert!(!is_loan || label["lender"] == label["counterparty"]);
            lenders.insert(label["lender"].clone());
        }
    }
    assert!(lenders.len() > 8, "{lenders:?}");
}

#[test]
fn who_pays_is_known_but_for_cash_and_cards() {
    for index in 0..80 {
        for (_, label) in labelled(113, index, &year(0.3)) {
            let nobody = matches!(label["label"].as_str(), "atm" | "business");
            assert!(nobody || !label["counterparty"].is_empty(), "{label:?}");
        }
    }
}

#[test]
fn twins_read_the_same_and_are_two() {
    let mut twins = 0;
    for index in 0..80 {
        let records = labelled(127, index, &year(0.1));
        let mut first: HashMap<(i32, i64, &str), &str> = HashMap::new();
        for (row, label) in &records {
            let known = *first.entry((row.day, row.amount, &row.desc)).or_insert(&row.id);
            let expected = if known == row.id { "" } else { known };
            assert_eq!(label["twin"], expected, "{row:?}");
            twins += u32::from(!label["twin"].is_empty());
        }
    }
    assert!(twins > 0);
}
