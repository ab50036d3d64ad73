//! Batches as people run them: what goes in, what comes out, and that interruptions leave no trace in the results.

pub(crate) mod archives;
mod bounds;
mod damage;
mod folders;
mod guide;
pub(crate) mod interruptions;
mod large_parquet;
mod mixed_folders;
mod odd_inputs;
mod outputs;
mod progress;
mod safety;
mod shards;
pub(crate) mod tables;
mod temporary_disk;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::fixtures::desk::{Desk, Said};

/// A desk with a policy, and what a batch is run with.
pub(crate) const BATCH: [&str; 5] = ["batch", "--policy", "rules/small.toml", "--out", "out"];

pub(crate) fn batch(desk: &Desk, args: &[&str]) -> Said {
    desk.run(&[&BATCH[..], args].concat())
}

/// All result files by name, without the internal ones.
pub(crate) fn results(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "work" {
            files.extend(results(&path).into_iter().map(|(below, bytes)| (format!("{name}/{below}"), bytes)));
        } else if path.is_file() {
            files.insert(name, fs::read(&path).unwrap());
        }
    }
    files
}

pub(crate) fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The summary without the parts that differ from run to run.
pub(crate) fn steady(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with("took ")).map(|line| format!("{line}\n")).collect()
}

/// A table of `customers` customers with `each` rows each, in the order of the customers.
pub(crate) fn rows(customers: u32, each: u32) -> Vec<String> {
    let mut rows = Vec::new();
    for customer in 0..customers {
        for row in 0..each {
            let number = customer * each + row;
            let (day, amount) = (number * 7 % 28 + 1, number * 37 % 9_000 + 100);
            let (credit, debit) = if number.is_multiple_of(3) {
                (String::new(), amount.to_string())
            } else {
                (amount.to_string(), String::new())
            };
            rows.push(format!(
                "c{customer:06},r{number},2026-0{}-{day:02},{credit},{debit},TRANSFER {}",
                row % 6 + 1,
                number % 11
            ));
        }
    }
    rows
}

pub(crate) const HEADER: &str = "customer,id,trans_date,credit,debit,desc";

pub(crate) fn csv(rows: &[String]) -> String {
    let mut text = format!("{HEADER}\n");
    for row in rows {
        text.push_str(row);
        text.push('\n');
    }
    text
}

/// Another order, the same every time.
pub(crate) fn shuffled(rows: &[String], seed: u64) -> Vec<String> {
    let mut keyed: Vec<(u64, &String)> =
        rows.iter().enumerate().map(|(at, row)| (mixed(at as u64 ^ (seed << 32)), row)).collect();
    keyed.sort();
    keyed.into_iter().map(|(_, row)| row.clone()).collect()
}

/// Numbers that look random.
pub(crate) fn mixed(number: u64) -> u64 {
    let mut number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[test]
fn decisions_are_what_decide_prints() {
    let desk = Desk::new();
    let said = batch(&desk, &["in"]);
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    let files = ["in/statement-000001.json", "in/statement-000002.json", "in/statement-000003.json"];
    let decided = desk.run(&[&["decide", "--policy", "rules/small.toml"][..], &files].concat());
    assert_eq!(desk.read("out/decisions.ndjson"), decided.out);
    assert_eq!(desk.read("out/failures.ndjson"), "");
    insta::assert_snapshot!("batch_summary", steady(&said.out));
    let inputs: Vec<Value> = lines(&desk.read("out/inputs.ndjson"));
    assert_eq!(inputs.iter().map(|input| input["source"].clone()).collect::<Vec<_>>(), files);
    assert!(inputs.iter().all(|input| input["digest"].as_str().is_some_and(|digest| digest.len() == 64)));
}

#[test]
fn files_folders_and_patterns_are_one_list_in_one_order() {
    let desk = Desk::new();
    desk.write("in/deep/b.json", &desk.read("in/statement-000001.json"));
    desk.write("in/deep/.hidden.json", "no statement");
    desk.write("in/_SUCCESS", "");
    desk.write("in/notes.txt", "no statement");
    let said = batch(&desk, &["in/statement-000002.json", "in", "in/*3.json", "./in/deep/b.json"]);
    assert_eq!(said.status, 0, "{}", said.err);
    let order: Vec<Value> =
        lines(&desk.read("out/decisions.ndjson")).iter().map(|line| line["statement"].clone()).collect();
    assert_eq!(
        order,
        ["in/statement-000002.json", "in/deep/b.json", "in/statement-000001.json", "in/statement-000003.json"]
    );
    assert!(said.out.contains("passed over 6 files"), "{}", said.out);
}

#[test]
fn what_cannot_be_found_or_told_is_refused_before_anything_is_done() {
    let desk = Desk::new();
    desk.write("in/notes.txt", "");
    let mut said = String::new();
    for input in ["missing.json", "in/*.csv", "in/notes.txt"] {
        let refused = batch(&desk, &[input]);
        assert_eq!((refused.status, refused.out.as_str()), (1, ""), "{input}");
        assert!(results(&desk.path().join("out")).is_empty(), "{input}");
        said.push_str(&refused.err);
    }
    let usage =
        [["--shard", "5/4"], ["--memory", "1"], ["--memory", "much"], ["--checkpoint", "-1"], ["--write", "all"]];
    for option in usage {
        assert_eq!(batch(&desk, &[&option[..], &["in"]].concat()).status, 2, "{option:?}");
    }
    insta::assert_snapshot!("batch_inputs_refused", said);
}
