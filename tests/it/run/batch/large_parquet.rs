//! Parquet larger than the memory: decided within it whatever its row groups are, or refused before memory is
//! allocated.

use std::fs::File;

use polars::prelude::{Column, DataFrame, ParquetWriter};

use super::bounds::limited;
use super::*;

use crate::fixtures::campaign;

/// Writes a table of `customers` customers with five rows each. All rows are one row group, in pages of `page_bytes`
/// bytes.
pub(crate) fn write_table(path: &Path, customers: u32, page_bytes: usize, order: impl Fn(&[String]) -> Vec<String>) {
    let all = order(&rows(customers, 5));
    let field = |at: usize| all.iter().map(move |row| row.split(',').nth(at).unwrap());
    let text = |at: usize| field(at).collect::<Vec<_>>();
    let number = |at: usize| field(at).map(|text| text.parse::<i64>().ok()).collect::<Vec<_>>();
    let long = |seed: usize, times: usize| -> Vec<String> {
        let word = |row: usize| {
            (0..times).map(|part| format!("{:016x}", mixed((row * 31 + part * 7 + seed) as u64))).collect::<String>()
        };
        (0..all.len()).map(word).collect()
    };
    let columns = vec![
        Column::new("customer".into(), text(0)),
        Column::new("id".into(), text(1)),
        Column::new("trans_date".into(), text(2)),
        Column::new("credit".into(), number(3)),
        Column::new("debit".into(), number(4)),
        Column::new("desc".into(), long(1, 6)),
        // Nothing is read from it.
        Column::new("remarks".into(), long(2, 16)),
    ];
    let mut frame = DataFrame::new(all.len(), columns).unwrap();
    let writer = ParquetWriter::new(File::create(path).unwrap());
    let writer = writer.with_row_group_size(Some(all.len())).with_data_page_size(Some(page_bytes));
    writer.finish(&mut frame).unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn one_row_group_larger_than_the_memory_is_decided_within_it() {
    if campaign::is_left_out("one_row_group_larger_than_the_memory_is_decided_within_it") {
        return;
    }
    let desk = Desk::new();
    write_table(&desk.path().join("sorted.parquet"), 40_000, 1 << 18, <[String]>::to_vec);
    write_table(&desk.path().join("shuffled.parquet"), 40_000, 1 << 18, |rows| shuffled(rows, 9));
    assert!(fs::metadata(desk.path().join("sorted.parquet")).unwrap().len() > 30 << 20);
    let mut decided = Vec::new();
    for input in ["sorted.parquet", "shuffled.parquet"] {
        let options = "--policy rules/small.toml --restart --threads 2 --memory 64MiB --out out";
        let output = limited(&desk, 64, &format!("batch {options} {input}"));
        assert!(output.status.success(), "{input}: {} {}", output.status, String::from_utf8_lossy(&output.stderr));
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.starts_with("decided 40,000 statements, 200,000 records"), "{input}: {said}");
        decided.push(lines(&desk.read("out/decisions.ndjson")));
    }
    // In the other table narrations belong to other rows, but no decision depends on them.
    let known = |lines: &[Value]| {
        lines.iter().map(|line| (line["customer"].clone(), line["outcome"].clone())).collect::<Vec<_>>()
    };
    assert_eq!(known(&decided[0]), known(&decided[1]));
}

#[cfg(target_os = "linux")]
#[test]
fn pages_that_do_not_fit_end_the_run_with_what_to_do() {
    if campaign::is_left_out("pages_that_do_not_fit_end_the_run_with_what_to_do") {
        return;
    }
    let desk = Desk::new();
    write_table(&desk.path().join("t.parquet"), 40_000, 1 << 30, <[String]>::to_vec);
    desk.write("in/a.json", &desk.read("in/statement-000001.json"));
    let options = "batch --policy rules/small.toml --threads 2 --out out in t.parquet";
    let output = limited(&desk, 64, &format!("{options} --memory 64MiB"));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(1), &b""[..]), "{said}");
    assert!(said.contains("t.parquet: row group 1: to decode its rows 1 to "), "{said}");
    // The recommended size is enough.
    let (_, advised) = said.split_once("give at least --memory ").expect(&said);
    let (advised, _) = advised.split_once("MiB").unwrap();
    let output = limited(&desk, advised.parse().unwrap(), &format!("{options} --memory {advised}MiB"));
    assert!(output.status.success(), "{advised}: {}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stdout.starts_with(b"decided 40,004 statements"), "{}", String::from_utf8_lossy(&output.stdout));
}
