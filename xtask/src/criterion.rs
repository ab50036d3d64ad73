//! Criterion's results as a table of ratios to the yardsticks of the same group and size. Reads `benchmark.json` and
//! `estimates.json` below Criterion's folder; knows nothing of how they were measured.

use std::fs;
use std::path::Path;

use crate::flat::text_of;
use crate::targets::duration;

/// The functions that others in their group are compared with.
const YARDSTICKS: [&str; 2] = ["serde_json", "sonic_rs"];

/// One bench: `group/function/size`.
#[derive(Debug, PartialEq)]
pub struct Measured {
    group: String,
    function: String,
    size: String,
    median_ns: f64,
}

/// Everything measured last below `folder`.
pub fn read(folder: &Path) -> Result<Vec<Measured>, String> {
    let mut found = Vec::new();
    collect(folder, &mut found);
    if found.is_empty() {
        return Err(format!("no measurements below `{}`; run `cargo xtask criterion` first", folder.display()));
    }
    let size = |measured: &Measured| measured.size.parse::<u64>().unwrap_or(u64::MAX);
    found.sort_by(|a, b| (&a.group, size(a), &a.size, &a.function).cmp(&(&b.group, size(b), &b.size, &b.function)));
    Ok(found)
}

fn collect(folder: &Path, found: &mut Vec<Measured>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.filter_map(Result::ok).filter(|entry| entry.path().is_dir()) {
        let path = entry.path();
        if entry.file_name() != "new" {
            collect(&path, found);
            continue;
        }
        let text = |name: &str| fs::read_to_string(path.join(name)).ok();
        if let (Some(benchmark), Some(estimates)) = (text("benchmark.json"), text("estimates.json")) {
            found.extend(parse(&benchmark, &estimates));
        }
    }
}

fn parse(benchmark: &str, estimates: &str) -> Option<Measured> {
    let median = estimates.split_once("\"median\"")?.1.split_once("\"point_estimate\":")?.1;
    let digits = median.split([',', '}']).next()?.trim();
    Some(Measured {
        group: text_of(benchmark, "group_id")?,
        function: text_of(benchmark, "function_id").unwrap_or_default(),
        size: text_of(benchmark, "value_str").unwrap_or_default(),
        median_ns: digits.parse().ok()?,
    })
}

/// Markdown for docs/reference/performance.md.
pub fn table(measured: &[Measured]) -> String {
    let mut lines = String::from("| bench | records | median | x serde_json | x sonic-rs |\n|---|---|---|---|---|\n");
    for one in measured {
        let ratio = |yardstick: &str| {
            let other = measured.iter().find(|other| {
                other.group == one.group && other.size == one.size && other.function == yardstick && one != *other
            });
            other.map_or_else(String::new, |other| format!("{:.2}", one.median_ns / other.median_ns))
        };
        let name = if one.function.is_empty() { one.group.clone() } else { format!("{} {}", one.group, one.function) };
        let [first, second] = YARDSTICKS.map(ratio);
        lines += &format!("| {name} | {} | {} | {first} | {second} |\n", one.size, duration(one.median_ns));
    }
    lines
}

#[test]
fn estimates_become_ratios() {
    let one = |function: &str, median: f64| {
        let benchmark =
            format!(r#"{{"group_id":"decode","function_id":"{function}","value_str":"1000","throughput":null}}"#);
        let estimates = format!(
            r#"{{"mean":{{"point_estimate":1.0}},"median":{{"confidence_interval":{{"lower_bound":2.0}},
                "point_estimate":{median},"standard_error":0.1}}}}"#
        );
        parse(&benchmark, &estimates).expect("both are whole")
    };
    let table = table(&[one("lendwright", 500_000.0), one("serde_json", 1_000_000.0)]);
    assert!(table.contains("| decode lendwright | 1000 | 500.0 us | 0.50 |  |"), "{table}");
    assert!(table.contains("| decode serde_json | 1000 | 1.0 ms |  |  |"), "{table}");
}
