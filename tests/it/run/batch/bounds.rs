//! Bounds of a run: memory, threads, shards. None of them affects the results.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use lendwright::batch::{self, Job, OutputTable};
use lendwright::load_policies;

use super::*;

use crate::fixtures::campaign;

#[test]
fn the_same_bytes_on_any_number_of_threads_and_in_any_memory() {
    let desk = Desk::new();
    let all = rows(3_000, 4);
    desk.write("sorted/t.csv", &csv(&all));
    desk.write("shuffled/t.csv", &csv(&shuffled(&all, 8)));
    let policies = load_policies(desk.path().join("rules/small.toml"), &[]).unwrap();
    for input in ["sorted", "shuffled"] {
        let mut first = None;
        // The least memory makes many units and many sort runs.
        for (threads, memory) in [(1, 1 << 30), (2, 1 << 20), (5, 4 << 20), (1, 1 << 20)] {
            let out = desk.path().join("bounds");
            let _ = fs::remove_dir_all(&out);
            let mut job = Job::new(policies.clone(), vec![desk.path().join("in"), desk.path().join(input)], &out);
            job.threads = Some(threads);
            job.memory = memory;
            job.write = OutputTable::ALL.to_vec();
            let summary = batch::run(&job, &mut ()).unwrap();
            assert_eq!(summary.tally.statements, 3_003);
            let results = results(&out);
            assert_eq!(first.get_or_insert(results.clone()), &results, "{input} {threads} threads {memory} bytes");
        }
    }
}

#[test]
fn shards_are_the_whole_and_share_nothing() {
    let desk = Desk::new();
    desk.write("t.csv", &csv(&shuffled(&rows(200, 3), 6)));
    desk.write("in/broken.json", "{");
    let member = |number: u32| {
        let text = format!("[{{\"id\": {number}, \"trans_date\": \"2026-01-01\", \"credit\": 5}}]");
        (format!("{number}.json"), text.into_bytes())
    };
    let archive = super::archives::tar(&(0..20).map(member).collect::<Vec<_>>());
    fs::write(desk.path().join("in/book.tar"), archive).unwrap();
    assert_eq!(batch(&desk, &["in", "t.csv"]).status, 3);
    let whole: BTreeSet<String> = desk.read("out/decisions.ndjson").lines().map(str::to_owned).collect();
    let failures = desk.read("out/failures.ndjson");
    fs::remove_dir_all(desk.path().join("out")).unwrap();
    let (mut parts, mut failed) = (Vec::new(), String::new());
    for shard in 1..=4 {
        let status = batch(&desk, &["--shard", &format!("{shard}/4"), "in", "t.csv"]).status;
        assert!(status == 0 || status == 3);
        let decided = desk.read(&format!("out/shard-{shard}-of-4/decisions.ndjson"));
        assert!((30..90).contains(&decided.lines().count()), "{}", decided.lines().count());
        parts.extend(decided.lines().map(str::to_owned));
        failed += &desk.read(&format!("out/shard-{shard}-of-4/failures.ndjson"));
    }
    assert_eq!(parts.len(), whole.len());
    assert_eq!(parts.into_iter().collect::<BTreeSet<_>>(), whole);
    assert_eq!(failed, failures);
}

/// The program with at most this many MiB of memory.
#[cfg(target_os = "linux")]
pub(crate) fn limited(desk: &Desk, mebibytes: u32, command: &str) -> std::process::Output {
    // Larger thread stacks, set by whoever runs the tests, would count.
    let command = format!("unset RUST_MIN_STACK; ulimit -d {} && exec \"$0\" {command}", mebibytes << 10);
    let program = env!("CARGO_BIN_EXE_lendwright");
    Command::new("sh").args(["-c", &command, program]).current_dir(desk.path()).output().unwrap()
}

/// Every day between two records is a group, so few rows need much memory if all are computed at once.
#[cfg(target_os = "linux")]
#[test]
fn few_records_over_a_century_are_decided_within_the_memory() {
    let desk = Desk::new();
    let metrics = "[day]\ncame = \"SUM(credit)\"\n[metric]\ndays = \"COUNT(day_number)\"\n\
        busy = \"COUNT(*) FILTER (WHERE came > 0)\"\n";
    let header = "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n\
        statement_unit = \"major\"\n";
    desk.write("rules/days.toml", &format!("{header}{metrics}"));
    let row = |customer: u32| format!("c{customer:04},1900-01-01,1\nc{customer:04},2026-01-05,1\n");
    desk.write("t.csv", &format!("customer,trans_date,credit\n{}", (0..256).map(row).collect::<String>()));
    let output = limited(&desk, 160, "batch --policy rules/days.toml --threads 2 --memory 64MiB --out out t.csv");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let decided = lines(&desk.read("out/decisions.ndjson"));
    assert_eq!(decided.len(), 256);
    for decision in decided {
        assert_eq!(decision["metrics"], serde_json::json!({"days": 46_026, "busy": 2}), "{}", decision["customer"]);
    }
}

/// The operating system gives the program no more memory than the setting. An allocation beyond that fails, and with it
/// the program.
#[cfg(target_os = "linux")]
#[test]
fn a_table_larger_than_the_memory_is_decided_within_it() {
    if campaign::is_left_out("a_table_larger_than_the_memory_is_decided_within_it") {
        return;
    }
    let desk = Desk::new();
    let all = rows(60_000, 5);
    desk.write("sorted.csv", &csv(&all));
    desk.write("shuffled.csv", &csv(&shuffled(&all, 9)));
    drop(all);
    let limited = |command: &str| limited(&desk, 64, command);
    // The table as a whole exceeds it.
    assert!(!limited("decide --policy rules/small.toml sorted.csv").status.success());
    let mut decided = Vec::new();
    for input in ["sorted.csv", "shuffled.csv"] {
        let options = "--policy rules/small.toml --restart --threads 2 --memory 64MiB --out out";
        let output = limited(&format!("batch {options} {input}"));
        assert!(output.status.success(), "{input}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(output.stdout.starts_with(b"decided 60,000 statements, 300,000 records"));
        decided.push(desk.read("out/decisions.ndjson").replace(input, ""));
    }
    assert!(decided[0] == decided[1]);
}
