//! Overlapping exports of one account: the same records twice, with the same identifiers or new ones, next to real
//! repeats.

use std::collections::HashMap;

use lendwright::generate::{Customer, Options};

use super::{Row, listed, rows, truth};

fn options(records: u64) -> Options {
    Options { records, debits: true, overlap: true, ..Options::default() }
}

#[test]
fn the_second_export_repeats_the_days_of_the_overlap() {
    let (mut same, mut fresh, mut overlapping) = (0, 0, 0);
    for index in 0..60 {
        let customer = Customer::new(223, index, &options(200)).expect("options");
        let truth = truth(&customer);
        let [first, second] = customer.statements() else { panic!("two exports") };
        assert_eq!((first.suffix(), second.suffix()), ("-e1".into(), "-e2".into()));
        let (one, other) = (listed(first), listed(second));
        let by_id: HashMap<&str, &Row> = one.iter().map(|row| (&*row.id, row)).collect();
        let mut repeated = 0;
        for row in &other {
            let earlier = &truth[&("s-e2".into(), row.id.clone())]["same_as"];
            if earlier.is_empty() {
                assert!(!by_id.contains_key(&*row.id), "a record listed again names its original");
                continue;
            }
            let known = by_id[&**earlier];
            assert_eq!(Row { id: known.id.clone(), ..row.clone() }, *known, "day, amount, balance, narration");
            repeated += 1;
            same += u32::from(known.id == row.id);
            fresh += u32::from(known.id != row.id);
        }
        // The overlap is days: all of them, and no others.
        let from = other.iter().map(|row| row.day).min().unwrap_or_default();
        assert_eq!(one.iter().filter(|row| row.day >= from).count(), repeated);
        assert!(one.iter().all(|row| truth[&("s-e1".into(), row.id.clone())]["same_as"].is_empty()));
        assert_eq!(one.len() + other.len() - repeated, account(index).len());
        overlapping += u32::from(repeated > 0);
    }
    assert!(same > 300 && fresh > 300 && overlapping > 55, "{same} {fresh} {overlapping}");
}

/// The same account's records, from both exports, each once.
fn account(index: u64) -> std::collections::BTreeSet<String> {
    let customer = Customer::new(223, index, &options(200)).expect("options");
    let record = |row: HashMap<String, String>| {
        if row["same_as"].is_empty() { row["id"].clone() } else { row["same_as"].clone() }
    };
    truth(&customer).into_values().map(record).collect()
}

#[test]
fn real_repeats_stand_in_the_overlap_too() {
    let (mut twins, mut in_overlap) = (0, 0);
    for index in 0..60 {
        let customer = Customer::new(227, index, &options(300)).expect("options");
        for ((statement, id), label) in truth(&customer) {
            let is_twin = !label["twin"].is_empty();
            assert!(!is_twin || label["twin"] != id);
            twins += u32::from(is_twin);
            in_overlap += u32::from(is_twin && statement == "s-e2" && !label["same_as"].is_empty());
        }
    }
    assert!(twins > 200 && in_overlap > 20, "{twins} {in_overlap}");
}

#[test]
fn pairs_are_named_as_the_export_lists_them() {
    for index in 0..60 {
        let customer = Customer::new(229, index, &Options { accounts: 2, ..options(300) }).expect("options");
        let truth = truth(&customer);
        let known: std::collections::HashSet<&str> = truth.keys().map(|(_, id)| &**id).collect();
        for ((statement, id), label) in &truth {
            let pair = &label["pair"];
            assert!(pair.is_empty() || known.contains(&**pair), "{label:?}");
            if truth.contains_key(&(statement.clone(), pair.clone())) {
                assert_eq!(truth[&(statement.clone(), pair.clone())]["pair"], *id);
            }
        }
    }
}

#[test]
fn any_length_has_two_exports() {
    for records in [0, 1, 2, 5, 31] {
        for index in 0..30 {
            let days = Options { months: Some(1), ..options(records) };
            let customer = Customer::new(index, 0, &days).expect("options");
            let listed: u64 = customer.statements().iter().map(lendwright::generate::Plan::records).sum();
            assert!((records..=2 * records).contains(&listed));
            for plan in customer.statements() {
                assert_eq!(rows(plan).len() as u64, plan.records());
            }
        }
    }
}
