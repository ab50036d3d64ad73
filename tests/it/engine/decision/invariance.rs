//! What must not change a decision: the order of records and of definitions, batching, the number of threads, and what
//! happened after the day.

use lendwright::base::date::Day;
use lendwright::decision::{Request, decide, reading};
use lendwright::generate::{Options, statement_json};
use lendwright::rules::Policy;
use lendwright::statement::{Statements, read_json};
use lendwright::{compile, load_policy};
use proptest::prelude::*;
use serde_json::Value;

use crate::fixtures::campaign;

const POLICIES: [&str; 3] = ["rules/starter.toml", "rules/salary-advance.toml", "rules/small-business.toml"];

fn policy(which: usize) -> Policy {
    load_policy(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(POLICIES[which]), &[]).unwrap()
}

/// The records of a generated statement, as written.
fn records(seed: u64, index: u64, count: u64) -> Vec<Value> {
    let options = Options { records: count, debits: index % 2 == 1, noise: 0.3, ..Options::default() };
    let mut body: Value = serde_json::from_slice(&statement_json(seed, index, &options).unwrap()).unwrap();
    match body["data"]["transactions"].take() {
        Value::Array(records) => records,
        other => panic!("no list: {other}"),
    }
}

fn envelope(records: &[Value]) -> String {
    serde_json::json!({"status": "success", "data": {"transactions": records}}).to_string()
}

fn lines(policy: &Policy, statements: &Statements, as_of: Option<Day>) -> Vec<String> {
    let request = as_of.map_or_else(Request::default, Request::on);
    decide(policy, statements, &request).unwrap().iter().map(|decision| decision.to_line()).collect()
}

fn one(policy: &Policy, records: &[Value], as_of: Option<Day>) -> String {
    let statements = read_json(envelope(records).as_bytes(), "one", &reading(policy)).unwrap();
    lines(policy, &statements, as_of).remove(0)
}

/// Many statements in one frame, by lines of records.
fn together(policy: &Policy, statements: &[Vec<Value>]) -> Statements {
    let lines: String = statements.iter().flatten().map(|record| format!("{record}\n")).collect();
    read_json(lines.as_bytes(), "one", &reading(policy)).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: campaign::size(3, 24),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_order_of_records_changes_no_byte(
        seed in 0_u64..1_000, which in 0_usize..3, keys in prop::collection::vec(any::<u32>(), 120),
    ) {
        let policy = policy(which);
        let written = records(seed, seed % 7, 120);
        let mut order: Vec<usize> = (0..written.len()).collect();
        order.sort_by_key(|at| (keys.get(*at).copied(), *at));
        let shuffled: Vec<Value> = order.iter().map(|at| written[*at].clone()).collect();
        prop_assert_eq!(one(&policy, &written, None), one(&policy, &shuffled, None));
    }

    #[test]
    fn how_statements_are_batched_changes_no_byte(seed in 0_u64..1_000, which in 0_usize..3, cut in 1_usize..11) {
        let policy = policy(which);
        let statements: Vec<Vec<Value>> = (0..12).map(|index| records(seed, index, 10 + index * 9)).collect();
        let whole = lines(&policy, &together(&policy, &statements), None);
        let (left, right) = statements.split_at(cut);
        let mut parts = lines(&policy, &together(&policy, left), None);
        parts.extend(lines(&policy, &together(&policy, right), None));
        let mut single: Vec<String> = statements.iter().map(|records| one(&policy, records, None)).collect();
        // A frame has its statements in the order of customers.
        parts.sort_unstable();
        single.sort_unstable();
        let mut whole_sorted = whole;
        whole_sorted.sort_unstable();
        prop_assert_eq!(&whole_sorted, &parts);
        prop_assert_eq!(&whole_sorted, &single);
    }

    #[test]
    fn what_happens_after_the_day_changes_no_metric(seed in 0_u64..1_000, which in 0_usize..3, back in 1_i32..200) {
        let policy = policy(which);
        let all = records(seed, seed % 5, 150);
        let day = Day::from_days(Day::parse_iso("2026-10-31").unwrap().days() - back);
        let date = |record: &Value| {
            let body = envelope(std::slice::from_ref(record));
            let statements = read_json(body.as_bytes(), "one", &reading(&policy)).unwrap();
            statements.frame().column("trans_date").unwrap().date().unwrap().phys.get(0).unwrap()
        };
        let before: Vec<Value> = all.iter().filter(|record| date(record) <= day.days()).cloned().collect();
        let decided = |records: &[Value]| -> Value {
            let mut line: Value = serde_json::from_str(&one(&policy, records, Some(day))).unwrap();
            // Both record what they were made of, and so an offer's id differs.
            for key in ["quality", "digests"] {
                line.as_object_mut().unwrap().remove(key);
            }
            for offer in line["offers"].as_array_mut().unwrap() {
                offer.as_object_mut().unwrap().remove("offerId");
            }
            line
        };
        let (with, without) = (decided(&all), decided(&before));
        if !before.is_empty() && all.len() != before.len() {
            let quality = ["duplicate_count", "date_conflict_count", "date_repaired_count"];
            for (name, value) in with["metrics"].as_object().unwrap() {
                if !quality.contains(&name.as_str()) {
                    prop_assert_eq!(value, &without["metrics"][name], "{}", name);
                }
            }
            prop_assert_eq!(&with["outcome"], &without["outcome"]);
            prop_assert_eq!(&with["offers"], &without["offers"]);
        }
    }
}

/// A large statement: all rows count, all threads compute its nodes, and its names are found meanwhile.
#[test]
fn a_large_statement_is_decided_alike_by_any_number_of_threads() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/policies/full.toml");
    let policy = load_policy(path, &[]).unwrap();
    let options = Options { records: 33_000, debits: true, noise: 0.3, ..Options::default() };
    let body = statement_json(3, 1, &options).unwrap();
    let decided = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| lines(&policy, &read_json(&body, "one", &reading(&policy)).unwrap(), None))
    };
    let alone = decided(1);
    assert_eq!(alone.len(), 1);
    for threads in [2, 5] {
        assert!(decided(threads) == alone, "by {threads} threads");
    }
    // Called from a thread outside the pool.
    let statements = read_json(&body, "one", &reading(&policy)).unwrap();
    assert!(lines(&policy, &statements, None) == alone);
}

/// From 512 rows on, words and streams are found at the same time; from 32,768 on, all nodes run in parallel. The
/// results are the same. Rows after the day do not count, so they make a small statement large.
#[test]
fn a_large_statement_has_the_metrics_of_a_small_one() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/policies/full.toml");
    let policy = load_policy(path, &[]).unwrap();
    let day = Day::parse_iso("2026-12-31").unwrap();
    let written = records(11, 1, 400);
    let quality = ["duplicate_count", "date_conflict_count", "date_repaired_count"];
    let mut small = None;
    for more in [0, 200, 33_000] {
        let later = (0..more).map(|number| {
            let mut record = written[number % written.len()].clone();
            let fields = record.as_object_mut().unwrap();
            for field in ["_id", "unformatted_trans_date", "cleared_date", "unformatted_cleared_date"] {
                fields.remove(field);
            }
            fields.insert("id".to_owned(), format!("later-{number}").into());
            fields
                .insert("trans_date".to_owned(), format!("2027-{:02}-{:02}", number % 12 + 1, number % 28 + 1).into());
            record
        });
        let all: Vec<Value> = written.iter().cloned().chain(later).collect();
        let statements = read_json(envelope(&all).as_bytes(), "one", &reading(&policy)).unwrap();
        assert!(statements.frame().height() > more);
        let decision = decide(&policy, &statements, &Request::on(day)).unwrap().remove(0);
        let (mut metrics, mut unknown) = (decision.metrics, decision.unknown);
        let mut table = lendwright::metrics::table(&policy, &statements, Some(day)).unwrap();
        for name in quality {
            metrics.remove(name);
            unknown.remove(name);
            let _ = table.drop_in_place(name);
        }
        assert!(metrics.len() > 200, "{}", metrics.len());
        assert!(metrics["credit_count"].as_i64() > Some(20), "{}", metrics["credit_count"]);
        let (small_metrics, small_unknown, small_table) =
            small.get_or_insert_with(|| (metrics.clone(), unknown.clone(), table.clone()));
        for (name, value) in &metrics {
            assert_eq!(value, &small_metrics[name], "{name} with {more} rows more");
        }
        assert_eq!(unknown, *small_unknown, "{more} rows more");
        assert!(table.equals_missing(small_table), "{more} rows more");
    }
}

/// Records with similar narrations: each has the same counterparty as alone, from its own people and its own side. In a
/// large statement too.
#[test]
fn records_that_read_alike_have_the_names_of_their_own_people() {
    let head = "[policy]\nname = \"p\"\nversion = \"1\"\ncurrency = \"566\"\nstatement_unit = \"major\"\n\
        time_zone = \"Africa/Lagos\"\n[metric]\n";
    let asking = |metrics: &str| {
        let text = format!("{head}name = \"MAX(counterparty)\"\n{metrics}");
        compile("p.toml", &text, &mut |name: &str| Err(format!("no {name}")), &[]).unwrap()
    };
    let told = |policy: &Policy, records: &[Value]| -> Value {
        serde_json::from_str::<Value>(&one(policy, records, None)).unwrap()["metrics"].clone()
    };
    let people = [serde_json::json!([]), serde_json::json!(["ADA OBI"]), Value::Null, serde_json::json!(["UCHE EZE"])];
    let record = |number: usize| {
        let amount = |is_there: bool| if is_there { Value::from(5) } else { Value::Null };
        serde_json::json!({
            "id": format!("{number:06}"), "trans_date": "2026-03-02", "people": people[number % 4],
            "credit": amount(number.is_multiple_of(3)), "debit": amount(!number.is_multiple_of(3)),
            "desc": format!("NIP TRANSFER {:08}", number * 7),
        })
    };
    let kinds: Vec<Value> = (0..12).map(|number| told(&asking(""), &[record(number)])["name"].clone()).collect();
    let names: std::collections::BTreeSet<&str> = kinds.iter().filter_map(Value::as_str).collect();
    assert!(names.len() >= 2, "{kinds:?}");
    let counted: String = names
        .iter()
        .enumerate()
        .map(|(at, name)| format!("n{at} = \"COUNT(*) FILTER (WHERE counterparty = '{name}')\"\n"))
        .collect();
    let policy = asking(&counted);
    for count in [48, 33_600] {
        let metrics = told(&policy, &(0..count).map(record).collect::<Vec<Value>>());
        for (at, name) in names.iter().enumerate() {
            let of_name = kinds.iter().filter(|kind| kind.as_str() == Some(name)).count();
            assert_eq!(metrics[&format!("n{at}")], of_name * count / kinds.len(), "{name}: {count} records");
        }
    }
}

/// A source that fills in 0 on every credit shows no debit.
#[test]
fn a_debit_of_0_is_none() {
    for seed in 0..6 {
        let (policy, without) = (policy(1), records(seed, 0, 160));
        let mut with = without.clone();
        with.iter_mut().for_each(|record| record["debit"] = 0.into());
        let decided = |records: &[Value]| -> Value {
            let mut line: Value = serde_json::from_str(&one(&policy, records, None)).unwrap();
            // A debit of 0 differs in content from a missing one.
            line.as_object_mut().unwrap().remove("digests");
            for offer in line["offers"].as_array_mut().unwrap() {
                offer.as_object_mut().unwrap().remove("offerId");
            }
            line
        };
        let (with, without) = (decided(&with), decided(&without));
        assert_eq!(with["unknown"]["debit_total"], "needs_debit");
        assert_eq!(with, without);
    }
}

/// The file with the lines of each section of definitions in another order.
fn shuffled(text: &str, keys: &[u32]) -> String {
    let mut blocks: Vec<Vec<&str>> = vec![Vec::new()];
    for line in text.lines() {
        if line.starts_with('[') {
            blocks.push(Vec::new());
        }
        blocks.last_mut().unwrap().push(line);
    }
    let sections = ["[transaction]", "[month]", "[week]", "[day]", "[counterparty]", "[stream]", "[metric]"];
    for block in blocks.iter_mut().filter(|block| block.first().is_some_and(|head| sections.contains(head))) {
        let mut lines: Vec<(u32, &str)> = block
            .drain(1..)
            .enumerate()
            .map(|(at, line)| (keys[at % keys.len()].rotate_left(at as u32), line))
            .collect();
        lines.sort_unstable();
        block.extend(lines.into_iter().map(|(_, line)| line));
    }
    blocks.concat().join("\n")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_definitions_changes_no_value(
        numbers in prop::collection::vec(any::<u32>(), 40..400),
        keys in prop::collection::vec(any::<u32>(), 1..30),
        seed in 0_u64..1_000,
    ) {
        // The zone of the generated statements.
        let text = lendwright_fuzz::metrics::rules(&numbers).replace("\"UTC\"", "\"Africa/Lagos\"");
        let other = shuffled(&text, &keys);
        let decided = |text: &str| {
            let policy = compile("x.toml", text, &mut lendwright_fuzz::metrics::read_list, &[])
                .unwrap_or_else(|refused| panic!("{refused}\n{text}"));
            let statements = together(&policy, &[records(seed, seed % 7, 20), records(seed + 1_000, 2, 2)]);
            let decisions = decide(&policy, &statements, &Request::default()).unwrap();
            decisions.into_iter().map(|decision| (decision.metrics, decision.unknown)).collect::<Vec<_>>()
        };
        prop_assert_eq!(decided(&text), decided(&other), "{}", other);
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    // More statements than one batch: fewer would never meet a second thread.
    let statements: Vec<Vec<Value>> = (0..600).map(|index| records(11, index, 5 + (index * 37) % 60)).collect();
    for which in 0..campaign::size(1, POLICIES.len()) {
        let policy = policy(which);
        let decided = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| lines(&policy, &together(&policy, &statements), None))
        };
        let alone = decided(1);
        assert_eq!(alone.len(), 600);
        for threads in [2, 3, 8] {
            assert!(decided(threads) == alone, "{threads} threads");
        }
        for records in statements.iter().step_by(41) {
            assert!(alone.contains(&one(&policy, records, None)), "a batch of many is not as one of one");
        }
    }
}
