//! The targets, row by row, and the table of findings. Knows the names of the numbers, not their source.

use std::collections::BTreeMap;

type Found = BTreeMap<String, f64>;

/// How a ratio is compared with its target.
#[derive(Clone, Copy)]
enum Aim {
    AtMost(f64),
    AtLeast(f64),
    /// Reported only.
    None,
}

/// How a number is shown.
#[derive(Clone, Copy)]
enum Shown {
    Seconds,
    Nanoseconds,
    Bytes,
}

struct Row {
    work: &'static str,
    ours: &'static str,
    yardstick: &'static str,
    /// The yardstick, in words.
    of: &'static str,
    shown: Shown,
    ratio: fn(ours: f64, yardstick: f64, found: &Found) -> f64,
    aim: Aim,
}

const ROWS: [Row; 22] = [
    Row {
        work: "one E2 statement of 100,000 records, bytes to Send Offers payload",
        ours: "large_ours_s",
        yardstick: "large_parse_s",
        of: "`sonic-rs` to `Value`, one thread",
        shown: Shown::Seconds,
        ratio: times_theirs,
        aim: Aim::AtMost(0.5),
    },
    Row {
        work: "one E2 statement of 1,000 records, p50",
        ours: "small_ours_p50_s",
        yardstick: "small_parse_p50_s",
        of: "`sonic-rs` to `Value`, p50",
        shown: Shown::Seconds,
        ratio: times_theirs,
        aim: Aim::AtMost(1.5),
    },
    Row {
        work: "the same, p99",
        ours: "small_ours_p99_s",
        yardstick: "small_ours_p50_s",
        of: "its own p50",
        shown: Shown::Seconds,
        ratio: times_theirs,
        aim: Aim::AtMost(2.0),
    },
    Row {
        work: "2,000 E2 files of 1,000 records, throughput",
        ours: "files_s",
        yardstick: "files_parse_s",
        of: "cores x `sonic-rs` to `Value`",
        shown: Shown::Seconds,
        ratio: |ours, theirs, found| theirs / (ours * found.get("cores").copied().unwrap_or(1.0)),
        aim: Aim::AtLeast(1.0),
    },
    Row {
        work: "the same files, read into columns and no more, one thread",
        ours: "files_read_s",
        yardstick: "files_parse_s",
        of: "`sonic-rs` to `Value`, one thread",
        shown: Shown::Seconds,
        ratio: faster,
        aim: Aim::None,
    },
    Row {
        work: "CSV of 100,000 rows with quotes, semicolons and decimal commas",
        ours: "formats_csv_quoted_s",
        yardstick: "formats_csv_plain_s",
        of: "the same as plain CSV",
        shown: Shown::Seconds,
        ratio: faster,
        aim: Aim::AtLeast(0.7),
    },
    Row {
        work: "an entry of camt.053, its rows alone",
        ours: "formats_camt_entry_ns",
        yardstick: "",
        of: "2,000 ns",
        shown: Shown::Nanoseconds,
        ratio: |ours, _, _| ours / 2_000.0,
        aim: Aim::AtMost(1.0),
    },
    Row {
        work: "the same, as a statement",
        ours: "formats_camt_record_ns",
        yardstick: "formats_camt_entry_ns",
        of: "its rows alone",
        shown: Shown::Nanoseconds,
        ratio: times_theirs,
        aim: Aim::None,
    },
    Row {
        work: "an XLSX sheet of 100,000 rows",
        ours: "formats_sheet_s",
        yardstick: "formats_sheet_library_s",
        of: "`calamine` alone",
        shown: Shown::Seconds,
        ratio: times_theirs,
        aim: Aim::AtMost(1.5),
    },
    peer("duckdb_median_s", "DuckDB", Aim::AtLeast(5.0)),
    peer("polars_fastest_s", "Polars for Python, the faster of its engines", Aim::AtLeast(7.0)),
    peer("pandas_median_s", "pandas", Aim::None),
    Row {
        work: "rules only, a row through three tables, one core",
        ours: "rules_ours_ns",
        yardstick: "rules_zen_ns",
        of: "`zen-engine`, compiled once",
        shown: Shown::Nanoseconds,
        ratio: faster,
        aim: Aim::AtLeast(100.0),
    },
    Row {
        work: "the same in nanoseconds",
        ours: "rules_ours_ns",
        yardstick: "",
        of: "100 ns",
        shown: Shown::Nanoseconds,
        ratio: |ours, _, _| ours,
        aim: Aim::AtMost(100.0),
    },
    Row {
        work: "two threads, Parquet table of 2,000 x 1,000",
        ours: "threads_table_2_s",
        yardstick: "threads_table_1_s",
        of: "one thread, on one core",
        shown: Shown::Seconds,
        ratio: faster,
        aim: Aim::AtLeast(1.8),
    },
    Row {
        work: "two threads, 2,000 E2 files of 1,000 records",
        ours: "threads_files_2_s",
        yardstick: "threads_files_1_s",
        of: "one thread, on one core",
        shown: Shown::Seconds,
        ratio: faster,
        aim: Aim::AtLeast(1.8),
    },
    Row {
        work: "growth, time a record",
        ours: "growth_large_record_ns",
        yardstick: "growth_small_record_ns",
        of: "that of 10^5 records",
        shown: Shown::Nanoseconds,
        ratio: times_theirs,
        aim: Aim::AtMost(1.15),
    },
    Row {
        work: "5 x 10^7 records of Parquet, peak memory",
        ours: "memory_peak_bytes",
        yardstick: "",
        of: "1 GiB",
        shown: Shown::Bytes,
        ratio: |ours, _, _| ours / f64::from(1 << 30),
        aim: Aim::AtMost(1.0),
    },
    Row {
        work: "`decide` on a small statement, start to exit",
        ours: "start_s",
        yardstick: "",
        of: "30 ms",
        shown: Shown::Seconds,
        ratio: |ours, _, _| ours / 0.030,
        aim: Aim::AtMost(1.0),
    },
    Row {
        work: "2,000 pulls at once of 1,000 records each",
        ours: "pulls_ours_s",
        yardstick: "pulls_bare_s",
        of: "the same requests by `reqwest` alone",
        shown: Shown::Seconds,
        ratio: faster,
        aim: Aim::AtLeast(0.7),
    },
    Row {
        work: "the same",
        ours: "pulls_ours_s",
        yardstick: "pulls_bare_json_s",
        of: "the same, each body looked through for being JSON",
        shown: Shown::Seconds,
        ratio: faster,
        aim: Aim::None,
    },
    Row {
        work: "the same, peak memory of caller and sandbox",
        ours: "pulls_peak_bytes",
        yardstick: "pulls_bytes",
        of: "all that is pulled",
        shown: Shown::Bytes,
        ratio: times_theirs,
        aim: Aim::AtMost(0.5),
    },
];

const fn peer(yardstick: &'static str, of: &'static str, aim: Aim) -> Row {
    Row {
        work: "Parquet, 2,000 statements of 1,000 records, 24 metrics",
        ours: "lendwright_median_s",
        yardstick,
        of,
        shown: Shown::Seconds,
        ratio: faster,
        aim,
    }
}

fn times_theirs(ours: f64, theirs: f64, _: &Found) -> f64 {
    ours / theirs
}

fn faster(ours: f64, theirs: f64, _: &Found) -> f64 {
    theirs / ours
}

/// Markdown for docs/reference/performance.md; it marks what was not measured.
pub fn table(found: &Found) -> String {
    let mut lines =
        String::from("| work | ours | yardstick | | ratio | target | met |\n|---|---|---|---|---|---|---|\n");
    for row in &ROWS {
        let theirs = found.get(row.yardstick).copied();
        let ours = found.get(row.ours).copied().filter(|_| row.yardstick.is_empty() || theirs.is_some());
        let target = match row.aim {
            Aim::AtMost(most) => format!("at most {most}"),
            Aim::AtLeast(least) => format!("at least {least}"),
            Aim::None => String::new(),
        };
        let Some(ours) = ours else {
            lines += &format!("| {} | not measured | {} | | | {target} | |\n", row.work, row.of);
            continue;
        };
        let ratio = (row.ratio)(ours, theirs.unwrap_or_default(), found);
        let met = match row.aim {
            Aim::AtMost(most) => yes(ratio <= most),
            Aim::AtLeast(least) => yes(ratio >= least),
            Aim::None => "",
        };
        let theirs = theirs.map_or_else(String::new, |theirs| shown(row.shown, theirs));
        let ours = shown(row.shown, ours);
        lines += &format!("| {} | {ours} | {} | {theirs} | {} | {target} | {met} |\n", row.work, row.of, digits(ratio));
    }
    lines
}

fn yes(met: bool) -> &'static str {
    if met { "yes" } else { "**no**" }
}

fn digits(ratio: f64) -> String {
    if ratio < 10.0 { format!("{ratio:.2}") } else { format!("{ratio:.0}") }
}

fn shown(how: Shown, value: f64) -> String {
    match how {
        Shown::Seconds => duration(value * 1e9),
        Shown::Nanoseconds => duration(value),
        Shown::Bytes => format!("{:.0} MiB", value / f64::from(1 << 20)),
    }
}

/// A time in the most readable unit.
pub fn duration(nanoseconds: f64) -> String {
    match nanoseconds {
        ns if ns < 1e3 => format!("{ns:.0} ns"),
        ns if ns < 1e6 => format!("{:.1} us", ns / 1e3),
        ns if ns < 1e9 => format!("{:.1} ms", ns / 1e6),
        ns => format!("{:.2} s", ns / 1e9),
    }
}

#[test]
fn rows_say_whether_they_are_met() {
    let of = |pairs: &[(&str, f64)]| pairs.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect::<Found>();
    let found = of(&[
        ("large_ours_s", 0.1),
        ("large_parse_s", 0.05),
        ("lendwright_median_s", 0.1),
        ("duckdb_median_s", 0.6),
        ("files_s", 2.0),
        ("files_parse_s", 6.0),
        ("cores", 2.0),
        ("start_s", 0.015),
    ]);
    let table = table(&found);
    assert!(
        table.contains("| 100.0 ms | `sonic-rs` to `Value`, one thread | 50.0 ms | 2.00 | at most 0.5 | **no** |"),
        "{table}"
    );
    assert!(table.contains("| 100.0 ms | DuckDB | 600.0 ms | 6.00 | at least 5 | yes |"), "{table}");
    assert!(table.contains("| 6.00 s | 1.50 | at least 1 | yes |"), "{table}");
    assert!(table.contains("| 15.0 ms | 30 ms |  | 0.50 | at most 1 | yes |"), "{table}");
    assert!(table.contains("rules only, a row through three tables, one core | not measured |"), "{table}");
}
