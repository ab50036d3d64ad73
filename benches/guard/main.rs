//! Named work on the hot path, run once on one thread, with its allocations counted. Under callgrind only the
//! instructions of `guarded_work` are counted. `cargo xtask guard` runs it and compares the numbers with the baseline
//! beside this file.

mod counting;
// The guard uses only a part of what the benches share.
#[allow(dead_code)]
#[path = "../rows.rs"]
mod rows;
#[allow(dead_code)]
#[path = "../work.rs"]
mod work;

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};

use lendwright::Statements;
use lendwright::decision::ReadyPlan;
use lendwright::generate::{Options, statement_json};
use work::Judge;

const NAMES: [&str; 7] =
    ["decode_1000", "decide_1000", "payload_1000", "payload_10000", "ready_1000", "ready_columns_100000", "batch_100"];

/// Files of `batch_100`, and the records in each.
const FILES: u64 = 100;
const FILE_RECORDS: u64 = 50;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["names"] => println!("{}", NAMES.join(" ")),
        ["machine"] => println!("{}", machine()),
        ["prepare", folder] => prepare(Path::new(folder)),
        ["run", name, folder] => run(name, Path::new(folder)),
        _ => panic!("lendwright-guard names | machine | prepare FOLDER | run NAME FOLDER"),
    }
}

/// The processor features that select code paths. Instructions are compared only between equal machines.
fn machine() -> String {
    #[cfg(target_arch = "x86_64")]
    let wide = if std::arch::is_x86_feature_detected!("avx2") { " avx2" } else { "" };
    #[cfg(not(target_arch = "x86_64"))]
    let wide = "";
    format!("{}-{}{wide}", std::env::consts::ARCH, std::env::consts::OS)
}

/// Writes the statements ahead, so that callgrind does not slow down their generation.
fn prepare(folder: &Path) {
    let judge = Judge::full();
    let write = |name: String, bytes: Vec<u8>| fs::write(folder.join(name), bytes).expect("a file");
    for records in [1_000, 10_000] {
        write(format!("{records}.json"), judge.statement(records, 0.1));
    }
    let options = Options { records: FILE_RECORDS, debits: true, ..Options::default() };
    for index in 0..FILES {
        write(format!("small-{index}.json"), statement_json(42, index, &options).expect("a statement"));
    }
}

fn read(path: PathBuf) -> Vec<u8> {
    fs::read(path).expect("`prepare` wrote it")
}

fn run(name: &str, folder: &Path) {
    // This thread is the only one of the pool, so that everything is counted where it runs.
    rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global().expect("the first pool");
    let judge = Judge::full();
    let bytes = |records: u32| read(folder.join(format!("{records}.json")));
    match name {
        "decode_1000" => {
            let bytes = bytes(1_000);
            count(|| judge.decode(&bytes));
        }
        "decide_1000" => {
            let statements: Statements = judge.decode(&bytes(1_000));
            count(|| judge.decide(&statements));
        }
        "payload_1000" | "payload_10000" => {
            let bytes = bytes(if name == "payload_1000" { 1_000 } else { 10_000 });
            count(|| judge.payload(&bytes));
        }
        "ready_1000" => {
            let (policy, rows) = (rows::policy(), rows::rows(1_000));
            let plan = ReadyPlan::new(&policy, &rows::METRICS).expect("it has them");
            count(|| rows::decide(&plan, &rows, |decisions| drop(black_box(decisions))));
        }
        "ready_columns_100000" => {
            let (policy, frame) = (rows::policy(), rows::frame(&rows::rows(100_000)));
            let plan = ReadyPlan::new(&policy, &rows::METRICS).expect("it has them");
            count(|| rows::judge(&plan, &frame));
        }
        "batch_100" => {
            let files: Vec<Vec<u8>> =
                (0..FILES).map(|index| read(folder.join(format!("small-{index}.json")))).collect();
            count(|| {
                let lines = files.iter().flat_map(|bytes| judge.decide(&judge.decode(bytes)));
                lines.map(|decision| decision.to_line().len()).sum::<usize>()
            });
        }
        _ => panic!("none of {NAMES:?}"),
    }
}

/// Runs once to fill caches, then once for the counts.
fn count<T>(work: impl Fn() -> T) {
    drop(black_box(work()));
    let mut found = None;
    let before = counting::now();
    guarded_work(&mut || found = Some(black_box(work())));
    let after = counting::now();
    drop(found);
    println!("{} {}", after.0 - before.0, after.1 - before.1);
}

/// callgrind collects inside this function: `--toggle-collect` finds it by its name.
#[unsafe(no_mangle)]
#[inline(never)]
fn guarded_work(work: &mut dyn FnMut()) {
    work();
}
