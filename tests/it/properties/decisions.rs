//! A decision is a function of the statement, the policy and the day: not of the order of records, of what else was decided
//! with it, or of how many threads there were.

use std::path::Path;

use lendwright::decision::{Request, decide, reading};
use lendwright::files::load_policy;
use lendwright::generate::{Options, statement_json};
use lendwright::rules::Policy;
use lendwright::statement::{Statements, read_json};
use lendwright::words::date::Day;
use proptest::prelude::*;

fn starter() -> Policy {
    load_policy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("rules/starter.toml"), &[]).unwrap()
}

/// The records of a made-up person, one JSON object each.
fn records(index: u64, records: u64) -> Vec<String> {
    let options = Options { records, debits: index % 2 == 0, noise: 0.3, ..Options::default() };
    let json = String::from_utf8(statement_json(7, index, &options).unwrap()).unwrap();
    let lines = json.lines().filter(|line| line.starts_with("{\"id\""));
    lines.map(|line| line.trim_end_matches(',').to_string()).collect()
}

/// One statement of these records.
fn alone(policy: &Policy, records: &[String]) -> Statements {
    read_json(format!("[{}]", records.join(",")).as_bytes(), "any", &reading(policy)).unwrap()
}

/// One statement a customer.
fn together(policy: &Policy, records: &[String]) -> Statements {
    read_json(records.join("\n").as_bytes(), "any", &reading(policy)).unwrap()
}

fn lines(policy: &Policy, statements: &Statements, request: &Request) -> Vec<String> {
    decide(policy, statements, request).unwrap().iter().map(|decision| decision.to_line()).collect()
}

fn requests() -> impl Strategy<Value = Request> {
    // The statements end in October 2026.
    proptest::option::of(20_000_i32..20_760)
        .prop_map(|day| day.map_or_else(Request::default, |day| Request::on(Day::from_days(day))))
}

proptest! {
    #![proptest_config(super::cases(25))]

    #[test]
    fn the_order_of_records_changes_no_byte(
        (first, shuffled) in (0_u64..40, 1_u64..120)
            .prop_map(|(index, count)| records(index, count))
            .prop_flat_map(|records| (Just(records.clone()), Just(records).prop_shuffle())),
        request in requests(),
    ) {
        let policy = starter();
        let once = lines(&policy, &alone(&policy, &first), &request);
        prop_assert_eq!(once, lines(&policy, &alone(&policy, &shuffled), &request));
    }

    #[test]
    fn what_is_decided_beside_it_changes_no_byte(
        people in proptest::collection::btree_map(0_u64..1_000, 1_u64..40, 1..12),
        request in requests(),
    ) {
        let policy = starter();
        let each: Vec<Vec<String>> = people.into_iter().map(|(index, count)| records(index, count)).collect();
        let mut one_by_one: Vec<String> = Vec::new();
        for records in &each {
            one_by_one.extend(lines(&policy, &alone(&policy, records), &request));
        }
        // Their records in turns, so that no statement lies in one piece.
        let longest = each.iter().map(Vec::len).max().unwrap_or(0);
        let mixed: Vec<String> = (0..longest).flat_map(|at| each.iter().filter_map(move |records| records.get(at).cloned())).collect();
        let mut at_once = lines(&policy, &together(&policy, &mixed), &request);
        one_by_one.sort();
        at_once.sort();
        prop_assert_eq!(one_by_one, at_once);
    }

    #[test]
    fn records_after_the_day_change_nothing_but_what_stands_for_the_statement(
        index in 0_u64..40, count in 1_u64..150, day in 20_600_i32..20_760,
    ) {
        let policy = starter();
        let request = Request::on(Day::from_days(day));
        let all = records(index, count);
        let until: Vec<String> = all.iter().filter(|record| days(&policy, record) <= day).cloned().collect();
        let plain = |records: &[String]| {
            let mut decision = decide(&policy, &alone(&policy, records), &request).unwrap().remove(0);
            // Quality and digest speak of all that was read, and an offer's id is made of the digest. Duplicates are counted
            // where they are dropped: as the statement is read.
            decision.quality = Default::default();
            decision.digests.statement = decision.policy.digest;
            decision.offers.iter_mut().for_each(|offer| offer.offer_id.clear());
            decision.metrics.remove("duplicate_count");
            // A statement without a record names no customer.
            decision.customer = None;
            decision.to_line()
        };
        prop_assert_eq!(plain(&all), plain(&until));
    }
}

fn days(policy: &Policy, record: &str) -> i32 {
    let read = alone(policy, &[record.to_string()]);
    let column = read.frame().column("trans_date").unwrap().date().unwrap().physical().clone();
    column.get(0).unwrap()
}

#[test]
fn neither_batches_nor_threads_change_a_byte() {
    let policy = starter();
    let request = Request::on(Day::parse_iso("2026-10-15").unwrap());
    // More than one batch holds by number of statements, then one statement that is longer than a batch.
    let mut people: Vec<Vec<String>> = (0..600).map(|index| records(index, 1 + index % 9)).collect();
    people.push(records(1_000, 17_000));
    let all: Vec<String> = people.concat();
    let wanted = lines(&policy, &together(&policy, &all), &request);
    assert_eq!(wanted.len(), 601);
    let mut cut = Vec::new();
    for chunk in people.chunks(257) {
        cut.extend(lines(&policy, &together(&policy, &chunk.concat()), &request));
    }
    cut.extend(people.iter().take(3).flat_map(|records| lines(&policy, &alone(&policy, records), &request)));
    let known: std::collections::BTreeSet<&String> = wanted.iter().collect();
    assert!(cut.iter().all(|line| known.contains(line)), "a decision depends on what was decided beside it");
    assert_eq!(cut.len(), 601 + 3);
    for threads in [1, 2, 3, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let found = pool.install(|| lines(&policy, &together(&policy, &all), &request));
        assert_eq!(found, wanted, "{threads} threads");
    }
}
