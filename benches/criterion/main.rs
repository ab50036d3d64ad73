//! All Criterion benches, one program because linking Polars takes a minute: `cargo bench` with a name runs a part. Knows nothing of ratios
//! to others; those are of one run that takes turns, `cargo xtask bench`.

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
