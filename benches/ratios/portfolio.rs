//! A portfolio of many customers, and edits of a policy: what each costs after the first load.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Instant;

use lendwright::base::digest::Digest;
use lendwright::portfolio::{Portfolio, backtest_policy};
use lendwright::{Policy, Request, compile};
use lendwright_benches::turns::quantile;
use polars::prelude::{
    BooleanChunked, Column, DataFrame, DataType, IntoColumn, NamedFrom, NewChunkedArray, ParquetReader, ParquetWriter,
    SerReader, Series,
};

use super::{Found, put};

/// An edit of the policy: its name, what is replaced, and by what. `{round}` makes each round another edit.
const EDITS: [(&str, &str, &str); 7] = [
    ("threshold", "staleness_days <= $max_staleness", "staleness_days <= $max_staleness + {round}"),
    ("parameter", "max_commitment_share = { value = 0.33", "max_commitment_share = { value = 0.2{round}"),
    ("table_row", "[\">= 340\"", "[\">= 37{round}\""),
    ("table_output", "\"B\", 4.5, 250_000", "\"B\", 4.5, 25{round}_000"),
    ("score_bin", "[\">= 0.50\", 70]", "[\">= 0.50\", 6{round}]"),
    (
        "offer",
        "LEAST(cap, $income_multiple * lasting_income, principal_for(instalment_left / 1.01",
        "LEAST(cap, 0.{round} * lasting_income, principal_for(instalment_left / 1.01",
    ),
    (
        "requirement",
        "[[require]]\nid = \"R02\"",
        "[[require]]\nid = \"NEW\"\nwhen = \"record_count >= 4{round}\"\n\
     else = \"refer\"\nunknown = \"refer\"\nreason = \"too few records\"\n\n[[require]]\nid = \"R02\"",
    ),
];

/// Times the first load, the same policy again, and each edit.
pub fn portfolio(book: &Path, times: usize, rounds: usize, found: &mut Found) {
    let large = enlarged(book, times);
    let policy_path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../rules/starter.toml");
    let text = std::fs::read_to_string(&policy_path).expect("it ships");
    let champion = compiled(&policy_path, &text);
    let request = Request::default();
    let started = Instant::now();
    let mut portfolio = Portfolio::open(&large).expect("it opens").expect("it is a table of metrics");
    let summary = backtest_policy(&mut portfolio, &champion, None, &request).expect("it counts");
    put(found, "portfolio_first_s", started.elapsed().as_secs_f64());
    put(found, "portfolio_customers", summary.customers as f64);
    put(found, "portfolio_offers", summary.policies[0].amounts.count as f64);
    put(found, "portfolio_bytes", portfolio.bytes() as f64);
    put(found, "portfolio_peak_bytes", peak_bytes());
    for (name, from, to) in EDITS {
        let mut took = Vec::new();
        for round in 0..rounds {
            // Each round is another edit, so that nothing of it is known.
            let to = to.replace("{round}", &(round + 1).to_string());
            let edited = text.replacen(from, &to, 1);
            assert!(edited != text, "{name} changes nothing");
            let challenger = compiled(&policy_path, &edited);
            let started = Instant::now();
            let summary = backtest_policy(&mut portfolio, &challenger, Some(&champion), &request).expect("it counts");
            took.push(started.elapsed().as_secs_f64());
            put(found, &format!("portfolio_{name}_changed"), summary.swap_set.expect("two policies").changed as f64);
        }
        took.sort_by(f64::total_cmp);
        put(found, &format!("portfolio_{name}_s"), quantile(&took, 0.5));
        put(found, &format!("portfolio_{name}_best_s"), took[0]);
    }
    put(found, "portfolio_peak_after_bytes", peak_bytes());
}

fn compiled(path: &Path, text: &str) -> Policy {
    let folder = path.parent().expect("a folder").to_owned();
    let mut read = |name: &str| std::fs::read_to_string(folder.join(name)).map_err(|error| error.to_string());
    compile(&path.to_string_lossy(), text, &mut read, &[]).expect("it compiles")
}

/// The table with every row many times: other customers, other numbers. Its values beside it, likewise.
fn enlarged(book: &Path, times: usize) -> PathBuf {
    let path = book.with_extension(format!("{times}.parquet"));
    if path.exists() {
        return path;
    }
    let beside = path.with_extension("values.parquet");
    tile(&book.with_extension("values.parquet"), times, &beside, None);
    let digest = Digest::compute(&std::fs::read(&beside).expect("values"));
    tile(book, times, &path, Some(digest));
    path
}

/// Writes every row of `book` many times, with its note; `values` is the digest of its file of values.
fn tile(book: &Path, times: usize, path: &Path, values: Option<Digest>) {
    let mut reader = ParquetReader::new(File::open(book).expect("a table of metrics"));
    let note = reader.get_metadata().expect("Parquet").key_value_metadata().iter().flatten();
    let note = note.clone().find(|pair| pair.key == "lendwright.metrics").and_then(|pair| pair.value.clone());
    let mut note: serde_json::Value = serde_json::from_str(&note.expect("a note")).expect("JSON");
    note["values"] = values.map(|digest| digest.to_string()).into();
    let frame = reader.finish().expect("a table");
    let metadata = polars::io::parquet::write::KeyValueMetadata::from_static(vec![(
        "lendwright.metrics".to_owned(),
        note.to_string(),
    )]);
    let out = File::create(path).expect("a file");
    let mut writer =
        ParquetWriter::new(out).with_key_value_metadata(Some(metadata)).batched(frame.schema()).expect("it writes");
    let copies = 262_144_usize.div_ceil(frame.height());
    let mut start = 0;
    while start < times {
        let until = times.min(start + copies);
        let parts: Vec<DataFrame> = (start..until).map(|copy| varied(&frame, copy)).collect();
        let mut parts = parts.into_iter();
        let mut whole = parts.next().expect("a copy");
        for part in parts {
            whole.vstack_mut(&part).expect("the same columns");
        }
        whole.rechunk_mut();
        writer.write_batch(&whole).expect("it writes");
        start = until;
    }
    writer.finish().expect("it writes");
}

/// The rows once more: numbers up to a fifth larger, names of their own.
fn varied(frame: &DataFrame, copy: usize) -> DataFrame {
    let rows = frame.height();
    let factor = |row: usize| {
        let mixed = ((copy * rows + row) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        1.0 + (mixed % 1_000) as f64 / 5_000.0
    };
    let columns = frame.columns().iter().map(|column| {
        let name = column.name().clone();
        match (column.name().as_str(), column.dtype()) {
            ("customer", _) => {
                Series::new(name, (0..rows).map(|row| format!("c{copy}-{row}")).collect::<Vec<_>>()).into_column()
            }
            (_, DataType::Int64) if copy > 0 => {
                let values = column.i64().expect("numbers");
                let large = |value: i64| if value.abs() < 10_000 { 1.0 } else { 0.0 };
                let scaled = values.iter().enumerate().map(|(row, value)| {
                    value.map(|value| if large(value) == 1.0 { value } else { (value as f64 * factor(row)) as i64 })
                });
                Column::new(name, scaled.collect::<Vec<_>>())
            }
            (_, DataType::Float64) if copy > 0 => {
                let values = column.f64().expect("numbers");
                let scaled = values.iter().enumerate().map(|(row, value)| value.map(|value| value * factor(row)));
                Column::new(name, scaled.collect::<Vec<_>>())
            }
            (_, DataType::Boolean) => {
                let values: Vec<Option<bool>> = column.bool().expect("truths").iter().collect();
                BooleanChunked::from_iter_options(name, values.into_iter()).into_column()
            }
            _ => column.clone(),
        }
    });
    DataFrame::new(rows, columns.collect()).expect("columns of one length")
}

/// The most memory that the process had.
fn peak_bytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) * 1024.0
}
