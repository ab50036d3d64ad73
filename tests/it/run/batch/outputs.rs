//! The tables of results: their columns and values, the same in each format, and the manifest.

use std::fs::{self, File};

use polars::prelude::{AnyValue, ParquetReader, SerReader};

use super::*;

const TABLES: &str = "decisions,offers,metrics,reasons";

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("t.csv", &csv(&shuffled(&rows(30, 6), 4)));
    desk.write("in/broken.json", "{");
    desk
}

#[test]
fn every_table_has_its_columns() {
    let desk = desk();
    assert_eq!(batch(&desk, &["--write", TABLES, "--as", "csv", "in", "t.csv"]).status, 3);
    let mut told = String::new();
    for (name, bytes) in results(&desk.path().join("out")) {
        if let Some(table) = name.strip_suffix(".csv") {
            let text = String::from_utf8(bytes).unwrap();
            let first: Vec<&str> = text.lines().take(3).collect();
            told.push_str(&format!("{table}: {} rows\n{}\n\n", text.lines().count() - 1, first.join("\n")));
        }
    }
    insta::assert_snapshot!("batch_columns", without_digests(&told));
}

#[test]
fn each_format_says_the_same() {
    let desk = desk();
    for format in ["ndjson", "csv", "parquet"] {
        let said = batch(&desk, &["--restart", "--write", TABLES, "--as", format, "in", "t.csv"]);
        assert_eq!((said.status, said.err.as_str()), (3, ""), "{format}");
        fs::rename(desk.path().join("out"), desk.path().join(format)).unwrap();
    }
    for table in ["offers", "metrics", "reasons", "failures", "decisions"] {
        let file = File::open(desk.path().join(format!("parquet/{table}.parquet"))).unwrap();
        let frame = ParquetReader::new(file).finish().unwrap();
        let written = desk.read(&format!("csv/{table}.csv"));
        let mut reader = csv::Reader::from_reader(written.as_bytes());
        let header: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
        // CSV is for people: its money is in major units, and the name of the column says so.
        let place = |name: &str| header.iter().position(|known| known.trim_end_matches("_ngn") == name);
        let objects = lines(&desk.read(&format!("ndjson/{table}.ndjson")));
        assert_eq!(objects.len(), frame.height(), "{table}");
        let records: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        for (row, record) in records.iter().enumerate() {
            for column in frame.columns() {
                let (name, cell) = (column.name().as_str(), shown(&column.get(row).unwrap()));
                if (table, name) == ("decisions", "grade") {
                    same_outputs(&cell, &header, record);
                    continue;
                }
                let at = place(name).unwrap_or_else(|| panic!("{table}: no {name} in {header:?}"));
                let field = if header[at].ends_with("_ngn") { in_minor(&record[at]) } else { record[at].to_owned() };
                assert_eq!(cell, field, "{table} {row} {name}");
                // The lines of decisions equal those of `decide`, in another shape.
                let value = &objects[row][name];
                if table != "decisions" {
                    let text = || if value.is_null() { String::new() } else { value.to_string() };
                    assert_eq!(value.as_str().map_or_else(text, str::to_owned), field, "{table} {row}");
                }
            }
        }
    }
}

/// An amount of CSV in kobo.
fn in_minor(field: &str) -> String {
    if field.is_empty() {
        return String::new();
    }
    let (naira, kobo) = field.split_once('.').expect("two decimals");
    assert_eq!(kobo.len(), 2, "{field}");
    format!("{naira}{kobo}").parse::<i64>().unwrap().to_string()
}

/// The outputs of tables as JSON, which are columns in CSV.
fn same_outputs(cell: &str, header: &[String], record: &csv::StringRecord) {
    assert!(!header.iter().any(|name| name == "grade_json"), "{header:?}");
    let outputs: serde_json::Map<String, serde_json::Value> = serde_json::from_str(cell).unwrap_or_default();
    for (name, value) in outputs {
        let is_it = |known: &&String| **known == name || **known == format!("{name}_ngn");
        let column = header.iter().find(is_it).unwrap_or_else(|| panic!("no {name} in {header:?}"));
        let at = header.iter().position(|known| known == column).unwrap();
        let field = if column.ends_with("_ngn") { in_minor(&record[at]) } else { record[at].to_owned() };
        let text = || if value.is_null() { String::new() } else { value.to_string() };
        assert_eq!(value.as_str().map_or_else(text, str::to_owned), field, "{name}");
    }
}

/// Digests change with every version, and with every word of a policy.
fn without_digests(text: &str) -> String {
    let is_digest = |word: &str| word.len() == 64 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let words = text.split_inclusive([',', '"', '\n']).map(|part| {
        let word = part.trim_end_matches([',', '"', '\n']);
        if is_digest(word) { part.replace(word, "DIGEST") } else { part.to_owned() }
    });
    words.collect()
}

fn shown(value: &AnyValue<'_>) -> String {
    match value {
        AnyValue::Null => String::new(),
        AnyValue::String(text) => (*text).to_owned(),
        AnyValue::StringOwned(text) => text.to_string(),
        AnyValue::Date(days) => lendwright::base::date::Day::from_days(*days).to_string(),
        AnyValue::Float64(number) => serde_json::Value::from(*number).to_string(),
        other => other.to_string(),
    }
}

#[test]
fn the_manifest_says_what_was_made_and_no_time() {
    let desk = desk();
    assert_eq!(batch(&desk, &["in", "t.csv"]).status, 3);
    let manifest = desk.read("out/manifest.json");
    let value: Value = serde_json::from_str(&manifest).unwrap();
    for output in value["outputs"].as_array().unwrap() {
        let bytes = fs::read(desk.path().join("out").join(output["file"].as_str().unwrap())).unwrap();
        assert_eq!(output["bytes"], bytes.len());
        assert_eq!(output["digest"], lendwright::base::digest::Digest::compute(&bytes).to_string());
    }
    let version = concat!("lendwright ", env!("CARGO_PKG_VERSION"));
    let steady = manifest.replace(version, "lendwright VERSION");
    let steady: String = without_digests(&steady)
        .lines()
        .filter(|line| !line.contains("\"bytes\""))
        .map(|line| format!("{line}\n"))
        .collect();
    insta::assert_snapshot!("batch_manifest", steady);
    fs::remove_dir_all(desk.path().join("out")).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(20));
    assert_eq!(batch(&desk, &["in", "t.csv"]).status, 3);
    assert_eq!(desk.read("out/manifest.json"), manifest);
}

#[test]
fn the_summary_has_a_form_for_programs() {
    let desk = desk();
    let said = batch(&desk, &["--format", "json", "in", "t.csv"]);
    let mut summary: Value = serde_json::from_str(&said.out).unwrap();
    for key in ["seconds", "records_per_second"] {
        assert!(summary[key].is_number());
        summary[key] = 0.into();
    }
    insta::assert_snapshot!("batch_summary_json", serde_json::to_string_pretty(&summary).unwrap());
}
