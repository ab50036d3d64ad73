//! From the bytes of one statement to what is sent. The yardsticks only parse the same bytes: `serde_json` into
//! borrowing typed structs, and `sonic-rs` into a document.

use std::borrow::Cow;
use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput};
use lendwright::generate::{Options, statement_json};
use lendwright::metrics;
use lendwright_benches::work::Judge;
use serde::Deserialize;

/// The most iterations of a bench of this size, so that all of them together take minutes.
const SIZES: [(u64, usize); 4] = [(1_000, 50), (10_000, 30), (100_000, 15), (1_000_000, 10)];

/// What a developer would write who wants every field of the interface.
#[derive(Deserialize)]
#[allow(dead_code)]
struct Envelope<'b> {
    #[serde(borrow)]
    status: Cow<'b, str>,
    data: Data<'b>,
}

#[derive(Deserialize)]
#[allow(dead_code)]
struct Data<'b> {
    #[serde(borrow)]
    transactions: Vec<Record<'b>>,
}

#[derive(Deserialize)]
#[allow(dead_code)]
struct Record<'b> {
    #[serde(borrow)]
    id: Cow<'b, str>,
    notes: Notes<'b>,
    fetched: Vec<Cow<'b, str>>,
    owner: Vec<Cow<'b, str>>,
    record: Vec<Cow<'b, str>>,
    branch: Option<Cow<'b, str>>,
    code: Option<Cow<'b, str>>,
    credit: Option<f64>,
    customer: Cow<'b, str>,
    env: Cow<'b, str>,
    bank: Cow<'b, str>,
    cleared_date: Option<Cow<'b, str>>,
    unformatted_cleared_date: Option<Cow<'b, str>>,
    trans_date: Cow<'b, str>,
    unformatted_trans_date: Option<Cow<'b, str>>,
    created_at: Option<Cow<'b, str>>,
    last_updated: Option<Cow<'b, str>>,
}

#[derive(Deserialize)]
#[allow(dead_code)]
struct Notes<'b> {
    #[serde(borrow)]
    topics: Vec<Cow<'b, str>>,
    places: Vec<Cow<'b, str>>,
    people: Vec<Cow<'b, str>>,
    actions: Vec<Cow<'b, str>>,
    subjects: Vec<Cow<'b, str>>,
    preopositions: Vec<Cow<'b, str>>,
    desc: Option<Cow<'b, str>>,
}

/// One statement, step by step; no noise, so that the typed parser accepts every record.
pub fn statement(criterion: &mut Criterion) {
    let judge = Judge::full();
    for (records, samples) in SIZES {
        let bytes = judge.statement(records, 0.0);
        let statements = judge.decode(&bytes);
        let mut group = criterion.benchmark_group("statement");
        group.sample_size(samples).throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_function(BenchmarkId::new("serde_json", records), |bench| {
            bench.iter(|| {
                serde_json::from_slice::<Envelope<'_>>(black_box(&bytes)).expect("an envelope").data.transactions.len()
            });
        });
        group.bench_function(BenchmarkId::new("sonic_rs", records), |bench| {
            bench.iter(|| sonic_rs::from_slice::<sonic_rs::Value>(black_box(&bytes)).expect("a document"));
        });
        group.bench_function(BenchmarkId::new("decode", records), |bench| {
            bench.iter(|| judge.decode(black_box(&bytes)));
        });
        group.bench_function(BenchmarkId::new("metrics", records), |bench| {
            let day = judge.request().as_of;
            bench.iter(|| metrics::table(judge.policy(), black_box(&statements), day).expect("metrics"));
        });
        group.bench_function(BenchmarkId::new("decide", records), |bench| {
            bench.iter(|| judge.decide(black_box(&statements)));
        });
        group.bench_function(BenchmarkId::new("bytes_to_payload", records), |bench| {
            bench.iter(|| judge.payload(black_box(&bytes)));
        });
        group.finish();
    }
}

/// Many small statements in one frame, as a batch has them.
pub fn many(criterion: &mut Criterion) {
    let judge = Judge::full();
    let statements = 5_000_u64;
    let mut lines = Vec::new();
    for index in 0..statements {
        let body = statement_json(42, index, &Options { records: 200, noise: 0.0, ..Options::default() })
            .expect("a statement");
        // The generator writes one record per line.
        let records = body.split(|byte| *byte == b'\n').filter(|line| line.starts_with(b"{\"id\""));
        records.for_each(|line| {
            let end = line.iter().rposition(|byte| *byte == b'}').map_or(0, |end| end + 1);
            let record = &line[..end];
            let record = record.strip_suffix(b"]}}").unwrap_or(record);
            lines.extend_from_slice(record);
            lines.push(b'\n');
        });
    }
    let statements = judge.decode(&lines);
    let mut group = criterion.benchmark_group("5000 statements");
    group.sample_size(10).throughput(Throughput::Elements(statements.len() as u64));
    let records = statements.frame().height();
    group.bench_function(BenchmarkId::new("decode", records), |bench| {
        bench.iter(|| judge.decode(black_box(&lines)));
    });
    group.bench_function(BenchmarkId::new("decide", records), |bench| {
        bench.iter(|| judge.decide(black_box(&statements)));
    });
    group.finish();
}
