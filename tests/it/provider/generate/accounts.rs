//! Several accounts of one customer: what leaves one arrives in another, and pay arrives in one of them only.

use std::collections::{BTreeSet, HashMap};

use lendwright::generate::{Customer, Options};

use super::{Labelled, Row, truth, with_labels};

fn options(accounts: u32) -> Options {
    Options { records: 300, debits: true, months: Some(9), accounts, ..Options::default() }
}

struct Account {
    number: String,
    records: Vec<Labelled>,
}

fn accounts(index: u64, options: &Options) -> Vec<Account> {
    let customer = Customer::new(211, index, options).expect("options");
    let truth = truth(&customer);
    let account = |plan: &lendwright::generate::Plan| {
        let records = with_labels(plan, &truth);
        Account { number: records[0].1["account"].clone(), records }
    };
    customer.statements().iter().map(account).collect()
}

#[test]
fn every_account_has_its_statement_and_number() {
    for count in 1..=9 {
        let customer = Customer::new(5, 3, &options(count)).expect("options");
        let suffixes: Vec<String> = customer.statements().iter().map(lendwright::generate::Plan::suffix).collect();
        let expected: Vec<String> =
            if count == 1 { vec![String::new()] } else { (1..=count).map(|number| format!("-a{number}")).collect() };
        assert_eq!(suffixes, expected);
        assert!(customer.statements().iter().all(|plan| plan.records() == 300));
        let numbers: BTreeSet<String> =
            accounts(3, &options(count)).into_iter().map(|account| account.number).collect();
        assert_eq!(numbers.len(), count as usize);
        assert!(numbers.iter().all(|number| number.len() == 10), "{numbers:?}");
    }
}

#[test]
fn what_leaves_one_account_comes_into_another_the_same_or_the_next_day() {
    let (mut between, mut next_day, mut alone) = (0, 0, 0);
    for index in 0..40 {
        let all = accounts(index, &options(3));
        let by_id: HashMap<&str, (&str, &Row, &HashMap<String, String>)> = all
            .iter()
            .flat_map(|account| account.records.iter().map(|(row, label)| (&*row.id, (&*account.number, row, label))))
            .collect();
        for (account, row, label) in
            by_id.values().filter(|(_, row, label)| label["label"] == "own_transfer" && row.amount < 0)
        {
            let Some((other_account, other, other_label)) = by_id.get(&*label["pair"]) else {
                alone += 1;
                continue;
            };
            assert_eq!((&other_label["pair"], &other_label["label"]), (&row.id, &label["label"]));
            if account != other_account {
                assert_eq!(other.amount, -row.amount);
                let days = other.day - row.day;
                assert!((0..=1).contains(&days), "{days} days");
                between += 1;
                next_day += days;
            }
        }
    }
    assert!(between > 500 && next_day * 20 > between && next_day * 4 < between, "{between} {next_day}");
    assert!(alone * 4 < between, "{alone} without a pair: to an account that is not listed");
}

#[test]
fn money_between_accounts_is_there() {
    let (mut promised, mut short) = (0, 0);
    for index in 0..40 {
        for (row, label) in accounts(index, &options(3)).into_iter().flat_map(|account| account.records) {
            if label["label"] == "own_transfer" && row.amount < 0 {
                promised += 1;
                short += u32::from(row.balance < Some(0));
            }
        }
    }
    assert!(short * 20 < promised, "{short} of {promised} leave less than nothing");
}

#[test]
fn pay_comes_into_one_account() {
    let mut places = BTreeSet::new();
    for index in 0..60 {
        let all = accounts(index, &options(4));
        let paid: Vec<usize> = (0..4)
            .filter(|place| {
                all[*place].records.iter().any(|(_, label)| matches!(label["label"].as_str(), "salary" | "pension"))
            })
            .collect();
        assert!(paid.len() <= 1, "{paid:?}");
        places.extend(paid);
    }
    assert_eq!(places.len(), 4, "any of them may be it");
}

#[test]
fn credits_alone_name_no_pair_in_another_account() {
    let options = Options { debits: false, ..options(3) };
    for index in 0..20 {
        for (row, label) in accounts(index, &options).into_iter().flat_map(|account| account.records) {
            assert!(row.amount > 0 && label["pair"].is_empty(), "{label:?}");
        }
    }
}

#[test]
fn the_same_bytes_for_ever() {
    let digest = |options: &Options| {
        let mut bytes = Vec::new();
        for index in 0..5 {
            let customer = Customer::new(17, index, options).expect("options");
            for plan in customer.statements() {
                plan.write_json(&mut bytes).expect("memory");
                plan.write_csv(&mut bytes).expect("memory");
            }
            customer.write_labels("s", &mut bytes).expect("memory");
        }
        blake3::hash(&bytes).to_hex()[..16].to_owned()
    };
    let overlap = |accounts| Options { overlap: true, ..options(accounts) };
    assert_eq!(
        [options(1), options(4), overlap(1), overlap(2)].map(|options| digest(&options)),
        ["fbf6f6c94653c56d", "79d669a03b605020", "73554753c694fffe", "b454f15aa795495b"]
    );
}

#[test]
fn accounts_out_of_range_are_refused() {
    for (accounts, said) in [(0, "`0` accounts: give 1 to 9"), (10, "`10` accounts: give 1 to 9")] {
        assert_eq!(Customer::new(1, 0, &options(accounts)).expect_err("refused").to_string(), said);
    }
}
