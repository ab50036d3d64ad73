//! A decision is a function of the statement, the policy and the day, also where there are more statements and more records
//! than one batch takes. With fewer, `invariance` asks the same of any statement.

use std::path::Path;

use lendwright::decision::{Request, decide, reading};
use lendwright::generate::{Options, statement_json};
use lendwright::load_policy;
use lendwright::rules::Policy;
use lendwright::statement::{Statements, read_json};
use lendwright::words::date::Day;

fn starter() -> Policy {
    load_policy(Path::new(env!("CARGO_MANIFEST_DIR")).join("rules/starter.toml"), &[]).unwrap()
}

/// The records of a made-up person, one JSON object each.
fn records(index: u64, records: u64) -> Vec<String> {
    let options = Options { records, debits: index.is_multiple_of(2), noise: 0.3, ..Options::default() };
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
