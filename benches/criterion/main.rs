//! All Criterion benches. One program, because linking Polars takes a minute. `cargo bench` with a name runs a part.
//! Knows nothing of ratios to other tools: `cargo xtask bench` measures those in one run that takes turns.

mod judgement;
mod processes;
mod rules;
mod statement;
mod tables;

use criterion::{criterion_group, criterion_main};

criterion_group!(
    benches,
    statement::statement,
    statement::many,
    tables::peers,
    tables::threads,
    tables::growth,
    judgement::three,
    judgement::ready,
    judgement::table,
    rules::rules,
    processes::processes
);
criterion_main!(benches);
