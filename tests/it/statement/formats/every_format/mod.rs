//! One statement, written in every format and dialect: each gives the same decision.

mod bank_files;
mod tables;
mod truth;
pub(crate) mod workbooks;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use truth::{CUSTOMER, records};

/// A way to write the statement.
pub(crate) struct Way {
    pub(crate) name: &'static str,
    /// The file, below a folder of its own.
    pub(crate) file: &'static str,
    pub(crate) bytes: Vec<u8>,
    /// The columns file, if one is needed.
    pub(crate) columns: Option<String>,
    /// Whether the command line names the customer.
    pub(crate) asks_customer: bool,
    /// Whether the format has balances after each record, or both ends of the statement.
    pub(crate) has_balances: bool,
    /// Whether identifiers or balances order the records of a day; else their content does.
    pub(crate) has_order: bool,
}

impl Way {
    fn new(name: &'static str, file: &'static str, bytes: impl Into<Vec<u8>>) -> Way {
        Way {
            name,
            file,
            bytes: bytes.into(),
            columns: None,
            asks_customer: false,
            has_balances: true,
            has_order: true,
        }
    }

    fn columns(self, columns: impl Into<String>) -> Way {
        Way { columns: Some(columns.into()), ..self }
    }

    fn for_customer(self) -> Way {
        Way { asks_customer: true, ..self }
    }

    fn without_balances(self) -> Way {
        Way { has_balances: false, ..self }
    }

    fn without_order(self) -> Way {
        Way { has_order: false, ..self.without_balances() }
    }
}

const POLICY: &str = r#"
[policy]
name = "every-format"
version = "1"
currency = "566"
statement_unit = "major"
time_zone = "Africa/Lagos"

[words]
salary = ["salary", "payroll"]

[transaction]
is_salary = "credit > 0 AND mentions(salary)"

[month]
inflow = "SUM(credit)"
spent = "SUM(debit)"

[metric]
records = "COUNT(*)"
money_in = "SUM(credit)"
money_out = "SUM(debit)"
first_day = "MIN(trans_date)"
last_day = "MAX(trans_date)"
salary = "SUM(credit) FILTER (WHERE is_salary)"
cafe = "SUM(debit) FILTER (WHERE desc LIKE '%CAFÉ%')"
weakest_month = "MIN(inflow)"
dearest_month = "MAX(spent)"
last_balance = "LAST(balance)"
least_balance = "MIN(balance)"
recent = "SUM(credit) FILTER (WHERE within(30))"

[[require]]
id = "R01"
when = "records >= 12"
reason = "{records} records"

[[require]]
id = "R02"
when = "salary >= 500000"
reason = "{salary} of salary"

[[offer]]
id = "month"
tenure = 30
amount = "round_down(money_in / 10, 500)"
interest = 3
"#;

/// Every way to write the statement.
fn ways() -> Vec<Way> {
    let mut ways = tables::ways();
    ways.extend(workbooks::ways());
    ways.extend(bank_files::ways());
    ways
}

/// What must be alike: everything but the file's name, and what a format says beside the records.
fn judged(decision: &Value, has_balances: bool) -> Value {
    let mut kept = serde_json::Map::new();
    for key in ["as_of", "outcome", "reasons", "score", "grade", "metrics", "unknown", "offers"] {
        kept.insert(key.to_owned(), decision.get(key).cloned().unwrap_or_default());
    }
    for offer in kept["offers"].as_array_mut().into_iter().flatten() {
        offer.as_object_mut().expect("an offer").remove("offerId");
    }
    if !has_balances {
        for part in ["metrics", "unknown"] {
            let part = kept[part].as_object_mut().expect("an object");
            part.retain(|name, _| !name.ends_with("_balance"));
        }
    }
    Value::Object(kept)
}

/// The decision on a file.
fn decide(folder: &Path, way: &Way) -> Value {
    let lines = run(folder, way, &["decide"]);
    assert_eq!(lines.lines().count(), 1, "{}: {lines}", way.name);
    serde_json::from_str(&lines).expect("a decision")
}

/// What `records` finds in a file, without what a format says beside the records.
fn found(folder: &Path, way: &Way) -> Vec<Value> {
    let lines = run(folder, way, &["records", "--format", "json"]);
    let row = |line: &str| {
        let row: Value = serde_json::from_str(line).expect("a record");
        let kept = ["customer", "trans_date", "credit", "debit", "counterparty", "kind", "why", "is_salary"];
        kept.iter().map(|name| row[name].clone()).collect()
    };
    lines.lines().map(row).collect()
}

/// The records of each day in the order of their content.
fn by_content(mut records: Vec<Value>) -> Vec<Value> {
    records.sort_by_key(|record| (record[1].to_string(), record.to_string()));
    records
}

/// What the program prints for a file.
fn run(folder: &Path, way: &Way, args: &[&str]) -> String {
    let file: PathBuf = folder.join(way.name.replace(' ', "_")).join(way.file);
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    fs::write(&file, &way.bytes).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lendwright"));
    command.args(args).args(["--as-of", "2026-07-01", "--policy"]).arg(folder.join("policy.toml"));
    if let Some(columns) = &way.columns {
        let path = file.with_file_name("columns.toml");
        fs::write(&path, columns).expect("written");
        command.arg("--columns").arg(path);
    }
    if way.asks_customer {
        command.args(["--customer", CUSTOMER]);
    }
    let output = command.arg(&file).output().expect("it runs");
    assert!(output.status.success(), "{}: {}", way.name, String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn every_format_gives_the_same_decision() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("policy.toml"), POLICY).expect("written");
    let ways = ways();
    assert!(ways.len() >= 36, "{}", ways.len());
    let first = decide(folder.path(), &ways[0]);
    // The yardstick is added up by hand.
    assert_eq!(first["quality"]["records"], records().len());
    assert_eq!(first["metrics"]["money_in"], truth::money_in());
    assert_eq!(first["metrics"]["last_balance"], records().last().expect("records").balance);
    assert_eq!(first["outcome"], "offer");
    let mut different = Vec::new();
    for way in &ways {
        let decision = decide(folder.path(), way);
        assert_eq!(decision["quality"]["records"], records().len(), "{}", way.name);
        assert_eq!(decision["customer"], CUSTOMER, "{}", way.name);
        if judged(&decision, way.has_balances) != judged(&first, way.has_balances) {
            different.push(format!("{}: {decision}", way.name));
        }
    }
    assert!(different.is_empty(), "not as {first}:\n{}", different.join("\n"));
}

#[test]
fn every_format_gives_the_same_records() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("policy.toml"), POLICY).expect("written");
    let ways = ways();
    let first = found(folder.path(), &ways[0]);
    assert_eq!(first.len(), records().len());
    let same = |way: &Way| match way.has_order {
        true => found(folder.path(), way) == first,
        false => by_content(found(folder.path(), way)) == by_content(first.clone()),
    };
    let different: Vec<&str> = ways.iter().filter(|way| !same(way)).map(|way| way.name).collect();
    assert!(different.is_empty(), "{different:?}\n{first:?}");
}
