//! Statements large enough for several threads to share the work on one: the same result for any order of records and
//! any number of threads.

use lendwright::generate::{Options, statement_json};
use lendwright::statement::{Columns, read_csv};
use serde_json::Value;

use crate::statement::*;

/// More rows than the threshold for threads.
const RECORDS: u64 = 36_000;

/// Another order, the same every time.
fn shuffled<T: Clone>(all: &[T]) -> Vec<T> {
    let key = |at: usize| (at as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|at| key(*at));
    order.into_iter().map(|at| all[at].clone()).collect()
}

/// The result with one and with four threads, after asserting that all are equal.
fn held(cases: &[(&str, &str)], read: impl Fn(&str) -> Statements + Sync) -> Statements {
    let mut first: Option<Statements> = None;
    for threads in [1, 4] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        for (case, text) in cases {
            let read = pool.install(|| read(text));
            let Some(first) = &first else {
                first = Some(read);
                continue;
            };
            assert_eq!((read.heads(), digests(&read)), (first.heads(), digests(first)), "{case}, {threads} threads");
            assert!(read.frame().equals_missing(first.frame()), "{case}, {threads} threads");
        }
    }
    first.expect("a statement")
}

#[test]
fn a_large_list_is_one_statement_in_any_order_by_any_number_of_threads() {
    let options = Options { records: RECORDS, debits: true, noise: 0.2, ..Options::default() };
    let body: Value = serde_json::from_slice(&statement_json(3, 5, &options).expect("a statement")).expect("JSON");
    let mut records: Vec<String> =
        body["data"]["transactions"].as_array().expect("a list").iter().map(Value::to_string).collect();
    records.extend_from_within(100..200);
    assert!(records.len() as u64 > 1 << 15, "{}", records.len());
    let texts = [records.join(","), shuffled(&records).join(",")].map(|records| envelope(&records));
    let read = held(&[("as written", &texts[0]), ("shuffled", &texts[1])], |text| {
        read_body(&lagos(), text.as_bytes()).expect("a statement")
    });
    assert_eq!(read.heads()[0].quality.duplicates, 100, "some of them are said twice");
}

/// Days on which several records chain by their balances, so that their order is computed.
#[test]
fn a_large_table_has_the_same_order_in_any_order_by_any_number_of_threads() {
    let mut rows = Vec::new();
    for customer in 0..40 {
        let mut balance = 1_000;
        for row in 0..RECORDS / 40 {
            let amount = 1 + (row * 37 + customer) % 90;
            let (credit, debit) =
                if row % 3 == 0 { (String::new(), amount.to_string()) } else { (amount.to_string(), String::new()) };
            balance = if row % 3 == 0 { balance - amount } else { balance + amount };
            let (month, day) = (row / 4 / 28 % 12 + 1, row / 4 % 28 + 1);
            rows.push(format!(
                "c{customer},r{},2026-{month:02}-{day:02},{credit},{debit},{balance}",
                (row * 7919) % 1_000
            ));
        }
    }
    let table = |rows: &[String]| format!("customer,id,trans_date,credit,debit,balance\n{}\n", rows.join("\n"));
    let texts = [table(&rows), table(&shuffled(&rows))];
    let read = held(&[("as written", &texts[0]), ("shuffled", &texts[1])], |text| {
        read_csv(text.as_bytes(), "t", &lagos(), &Columns::default()).expect("statements")
    });
    // Each balance follows from the one before.
    let of = |column: &str| numbers(&read.of_customer("c7").expect("one"), column);
    let (credits, debits, balances) = (of("credit"), of("debit"), of("balance"));
    for at in 1..balances.len() {
        let moved = credits[at].unwrap_or(0) - debits[at].unwrap_or(0);
        assert_eq!(balances[at], balances[at - 1].map(|before| before + moved), "record {at}");
    }
}
