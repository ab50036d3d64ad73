//! The program as a process: `decide` on a small statement from start to exit, and on many files. Runs only if the
//! release build exists.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use criterion::{BenchmarkId, Criterion, Throughput};
use lendwright::generate::{Options, statement_json};

const RECORDS: u64 = 1_000;

/// Beside the bench's own folder, or nothing.
fn program() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    let program = own.parent()?.parent()?.join(format!("lendwright{}", std::env::consts::EXE_SUFFIX));
    program.is_file().then_some(program)
}

fn files(folder: &Path, records: u64, count: u64) -> Vec<PathBuf> {
    let options = Options { records, debits: true, ..Options::default() };
    let file = |index| {
        let path = folder.join(format!("{records}-{index}.json"));
        std::fs::write(&path, statement_json(7, index, &options).expect("a statement")).expect("a file");
        path
    };
    (0..count).map(file).collect()
}

/// `decide` from start to exit.
pub fn processes(criterion: &mut Criterion) {
    let Some(program) = program() else {
        eprintln!("the program is not built: `cargo build --release` first");
        return;
    };
    let folder = std::env::temp_dir().join(format!("lendwright-processes-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut group = criterion.benchmark_group("process");
    group.sample_size(20);
    for (name, records, count) in [("start", 50, 1), ("files", RECORDS, 100)] {
        let files = files(&folder, records, count);
        group.throughput(Throughput::Elements(count));
        group.bench_function(BenchmarkId::new(name, count), |bench| {
            bench.iter(|| {
                let mut decide = Command::new(&program);
                decide.args(["decide", "--policy", concat!(env!("CARGO_MANIFEST_DIR"), "/policies/full.toml")]);
                let status = decide.args(&files).stdout(Stdio::null()).status().expect("it starts");
                assert!(status.success(), "it decides");
            });
        });
    }
    group.finish();
    std::fs::remove_dir_all(&folder).expect("the folder");
}
