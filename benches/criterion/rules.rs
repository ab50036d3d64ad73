//! A policy of two thousand lines: the time to load it and to analyse it, compared with parsing its TOML alone.

#[path = "../../tests/it/authoring/analysis/large.rs"]
mod large;

use std::hint::black_box;

use criterion::Criterion;
use lendwright::analysis::{analyse, analyse_bounds};
use lendwright::compile;
use lendwright::files::load_policy;

/// Loading, looking through, and both after a save.
pub fn rules(criterion: &mut Criterion) {
    let text = large::policy();
    let load = |text: &str| compile("large", text, &mut |_| Err(String::new()), &[]).expect("a policy");
    let policy = load(&text);
    // Five of its parameters have bounds.
    let bounded = (0..5).fold(text.clone(), |text, n| {
        let value = 5 + n;
        let bounds = format!("limit_{n} = {{ value = {value}, min = 1, max = 50 }}\n");
        text.replacen(&format!("limit_{n} = {value}\n"), &bounds, 1)
    });
    let bounded = load(&bounded);
    let mut group = criterion.benchmark_group("2000 lines of rules");
    group.bench_function("toml", |bench| bench.iter(|| toml::from_str::<toml::Table>(black_box(&text)).expect("TOML")));
    group.bench_function("load", |bench| bench.iter(|| load(black_box(&text))));
    group.bench_function("analyse", |bench| bench.iter(|| analyse(black_box(&policy))));
    // What `--watch` does after a save, without the up to 20 ms before it notices the save.
    let file = std::env::temp_dir().join(format!("lendwright-bench-{}.toml", std::process::id()));
    group.bench_function("saved, loaded and analysed", |bench| {
        bench.iter(|| {
            std::fs::write(&file, &text).expect("a file");
            let policy = load_policy(&file, &[]).expect("a policy");
            (analyse(&policy), policy)
        })
    });
    let _ = std::fs::remove_file(&file);
    group.bench_function("analyse with bounds", |bench| bench.iter(|| analyse_bounds(black_box(&bounded))));
    group.finish();
}
