//! A policy of two thousand lines: how long it takes to load it and to look for what is odd, beside the mere parsing of its TOML.

#[path = "../tests/it/analysis/large.rs"]
mod large;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use lendwright::analysis::analyse;
use lendwright::compile;

fn rules(criterion: &mut Criterion) {
    let text = large::policy();
    let load = |text: &str| compile("large", text, &mut |_| Err(String::new()), &[]).expect("a policy");
    let policy = load(&text);
    let mut group = criterion.benchmark_group("2000 lines of rules");
    group.bench_function("toml", |bench| bench.iter(|| toml::from_str::<toml::Table>(black_box(&text)).expect("TOML")));
    group.bench_function("load", |bench| bench.iter(|| load(black_box(&text))));
    group.bench_function("analyse", |bench| bench.iter(|| analyse(black_box(&policy))));
    group.finish();
}

criterion_group!(benches, rules);
criterion_main!(benches);
