//! Parquet tables of many statements: the 24 metrics that peers compute, decisions on one thread and on two, and
//! growth.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput};
use lendwright::generate::{Options, ParquetTable, Plan};
use lendwright::statement::{Columns, read_parquet};
use lendwright::{Day, Decision, Policy, decide, metrics, reading};
use lendwright_benches::work::{Judge, policy};

const RECORDS: u64 = 1_000;

/// A table in memory of `statements` statements of 1,000 records, with debits and balances.
fn table(statements: u64) -> Vec<u8> {
    let options = Options { records: RECORDS, debits: true, ..Options::default() };
    let mut bytes = Vec::new();
    let mut rows = ParquetTable::new(&mut bytes, &options).expect("a table");
    for index in 0..statements {
        rows.add(&Plan::new(7, index, &options).expect("a statement")).expect("rows");
    }
    rows.finish().expect("a table");
    bytes
}

/// 2,000 statements. `cargo xtask bench --peers` compares the other tools.
pub fn peers(criterion: &mut Criterion) {
    let policy = policy("metrics.toml", include_str!("../peers/metrics.toml"));
    let columns = Columns::parse(include_str!("../peers/columns.toml")).expect("columns");
    let bytes = table(2_000);
    let mut group = criterion.benchmark_group("parquet");
    group.sample_size(10).throughput(Throughput::Elements(2_000 * RECORDS));
    group.bench_function(BenchmarkId::new("24 metrics", 2_000), |bench| {
        bench.iter(|| {
            let statements =
                read_parquet(bytes.clone(), "table", &reading(&policy), &columns).expect("a table of statements");
            metrics::table(&policy, black_box(&statements), Day::parse_iso("2026-10-31")).expect("metrics")
        });
    });
    group.finish();
}

fn decided(judge: &Judge, bytes: &[u8]) -> Vec<Decision> {
    let policy: &Policy = judge.policy();
    let statements = read_parquet(bytes, "table", &reading(policy), &Columns::default()).expect("a table");
    decide(policy, &statements, judge.request()).expect("decisions")
}

/// From the table's bytes to decisions, all metrics; the decisions are the same on any number of threads.
pub fn threads(criterion: &mut Criterion) {
    let judge = Judge::full();
    let bytes = table(200);
    let mut group = criterion.benchmark_group("threads");
    group.sample_size(10).throughput(Throughput::Elements(200 * RECORDS));
    let mut lines = Vec::new();
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        lines.push(pool.install(|| decided(&judge, &bytes)).iter().map(Decision::to_line).collect::<Vec<_>>());
        group.bench_function(BenchmarkId::new("decisions", threads), |bench| {
            bench.iter(|| pool.install(|| decided(&judge, black_box(&bytes))));
        });
    }
    group.finish();
    assert!(lines[0] == lines[1], "the same bytes on one thread and on two");
}

/// Time per record as tables grow. `cargo xtask bench --growth` measures 10^7 records.
pub fn growth(criterion: &mut Criterion) {
    let judge = Judge::full();
    let mut group = criterion.benchmark_group("growth");
    group.sample_size(10);
    for statements in [100, 1_000] {
        let bytes = table(statements);
        group.throughput(Throughput::Elements(statements * RECORDS));
        group.bench_function(BenchmarkId::new("decisions", statements * RECORDS), |bench| {
            bench.iter(|| decided(&judge, black_box(&bytes)));
        });
    }
    group.finish();
}
