//! A decision on ready metrics, with its full explanation; and tables of thousands of rows.

use std::fmt::Write;
use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput};
use lendwright::decision::ReadyPlan;
use lendwright::generate::{Options, statement_json};
use lendwright::rules::Value;
use lendwright::{Policy, Request, compile, decide, load_policy, read_json, reading};
use lendwright_benches::rows::{self, METRICS};

/// As many rows as the longest decision tables that lenders have published.
const LONG: usize = 3_700;

fn shipped(name: &str) -> Policy {
    load_policy(format!("{}/../rules/{name}.toml", env!("CARGO_MANIFEST_DIR")), &[]).expect("it ships")
}

/// One row of ready metrics: their names, and the values of one generated statement.
fn row(policy: &Policy) -> (Vec<String>, serde_json::Map<String, serde_json::Value>, Request) {
    let options = Options { records: 400, debits: true, ..Options::default() };
    let statements =
        read_json(&statement_json(7, 3, &options).expect("one"), "one", &reading(policy)).expect("it reads");
    let whole = decide(policy, &statements, &Request::default()).expect("it decides").remove(0);
    let request = Request::on(whole.as_of.expect("it has records"));
    let names: Vec<String> = policy.judged_by().into_iter().map(str::to_owned).collect();
    let values = names.iter().map(|name| (name.clone(), whole.metrics[name].clone())).collect();
    (names, values, request)
}

/// Decisions on ready metrics, with their full output.
pub fn ready(criterion: &mut Criterion) {
    for (name, rows) in [("starter", 1), ("salary-advance", 1), ("small-business", 1), ("salary-advance", 1_000)] {
        let policy = shipped(name);
        let (names, values, request) = row(&policy);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let plan = ReadyPlan::new(&policy, &names).expect("it has them");
        let mut group = criterion.benchmark_group("ready");
        group.throughput(Throughput::Elements(rows as u64));
        group.bench_function(BenchmarkId::new(name, rows), |bencher| {
            bencher.iter(|| {
                let mut batch = plan.rows();
                for _ in 0..rows {
                    batch.push_json("row", Some("customer"), &values).expect("it fits");
                }
                black_box(plan.decide(batch, &request).expect("it decides"))
            });
        });
    }
}

/// Ranges over two inputs and a text; the last row is the only one that fits.
fn long_table(rows: usize) -> Policy {
    let mut text = String::from(
        "[policy]\nname = \"long\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n\
         [metric]\nincome = \"SUM(credit)\"\nmonths = \"COUNT(*)\"\nbank_name = \"LAST(bank)\"\n\
         [table.long]\nhit = \"first\"\ninputs = [\"income\", \"months\", \"bank_name\"]\n\
         outputs = { grade = \"text\", rate = \"number\" }\nrows = [\n",
    );
    for row in 0..rows {
        let (low, months) = (row * 100, row % 24);
        let _ = writeln!(
            text,
            "[\"{low}..{}\", \">= {months}\", \"{}\", \"G{row}\", {}.5],",
            low + 100,
            if row % 3 == 0 { "gtb, uba" } else { "-" },
            row % 9
        );
    }
    text += "]\n";
    compile("long.toml", &text, &mut |_| Err("none".into()), &[]).unwrap_or_else(|refused| panic!("{refused}"))
}

/// Rows of ready metrics through three tables, as zen-engine does it in `peers/zen`; on one thread.
pub fn three(criterion: &mut Criterion) {
    const ROWS: usize = 10_000;
    let (policy, rows) = (rows::policy(), rows::rows(ROWS));
    let plan = ReadyPlan::new(&policy, &METRICS).expect("it has them");
    let mut group = criterion.benchmark_group("rules only");
    group.sample_size(20).throughput(Throughput::Elements(ROWS as u64));
    group.bench_function(BenchmarkId::new("three tables", ROWS), |bencher| {
        bencher.iter(|| rows::decide(&plan, &rows, |decisions| drop(black_box(decisions))));
    });
    group.finish();
}

/// The last row of tables of more and more rows.
pub fn table(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("table");
    for rows in [37, 370, LONG] {
        let policy = long_table(rows);
        let plan = ReadyPlan::new(&policy, &["income", "months", "bank_name"]).expect("it has them");
        let last = (rows as i64 - 1) * 100 * 100 + 1;
        let values = || vec![Some(Value::Int(last)), Some(Value::Int(30)), Some(Value::Text("gtb".into()))];
        group.bench_function(BenchmarkId::new("last_row", rows), |bencher| {
            bencher.iter(|| {
                let mut batch = plan.rows();
                batch.push("row", Some("customer"), values()).expect("it fits");
                black_box(plan.decide(batch, &Request::default()).expect("it decides"))
            });
        });
    }
    group.finish();
}
