//! The targets without a fuzzer: for a time, on mutations of the corpus, from a seed. It sees no coverage; mutations
//! with words of the language keep the inputs meaningful.

use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use lendwright_fuzz::mutate::mutated;
use lendwright_fuzz::random::Source;
use lendwright_fuzz::targets::TARGETS;

/// A slower input is a finding, even on a busy machine.
const SLOW: Duration = Duration::from_secs(10);

/// Tries the targets in turn until the time is up.
pub fn run(seconds: u64, seed: u64, only: Option<&str>) -> Result<(), String> {
    let targets: Vec<_> = TARGETS.iter().filter(|(name, _)| only.is_none_or(|only| only == *name)).collect();
    if targets.is_empty() {
        let names: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
        return Err(format!("the targets are: {}", names.join(", ")));
    }
    let mut corpora = Vec::new();
    for (name, _) in &targets {
        corpora.push(corpus(name)?);
    }
    let ends = Instant::now() + Duration::from_secs(seconds);
    let mut source = Source::seeded(seed);
    let mut tried = vec![(0u64, Duration::ZERO); targets.len()];
    let mut findings = Vec::new();
    while Instant::now() < ends && findings.len() < 10 {
        for (((name, target), corpus), tried) in targets.iter().zip(&corpora).zip(&mut tried) {
            let input = mutated(&source.one(corpus), &source.one(corpus), &mut source);
            let from = Instant::now();
            let failed = catch_unwind(|| target(&input)).is_err();
            let took = from.elapsed();
            *tried = (tried.0 + 1, tried.1.max(took));
            if failed || took > SLOW {
                findings.push(keep(name, &input)?);
            }
        }
    }
    println!("| target | inputs | slowest |\n|---|---|---|");
    for ((name, _), (inputs, slowest)) in targets.iter().zip(&tried) {
        println!("| {name} | {inputs} | {} ms |", slowest.as_millis());
    }
    match findings.is_empty() {
        true => Ok(()),
        false => Err(format!("findings, by seed {seed}:\n{}", findings.join("\n"))),
    }
}

fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files of a target, sorted by name, so that the seed alone determines what is tried.
fn corpus(target: &str) -> Result<Vec<Vec<u8>>, String> {
    let folder = folder().join("corpus").join(target);
    let wrong = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(&folder).map_err(wrong)? {
        files.push(entry.map_err(wrong)?.path());
    }
    files.sort();
    let read: Result<Vec<_>, _> = files.iter().map(fs::read).collect();
    read.map_err(wrong)
}

/// Saves an input. Once it is moved into the corpus, the tests try it again.
fn keep(target: &str, input: &[u8]) -> Result<String, String> {
    let folder = folder().join("artifacts");
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let sum = input
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    let file = folder.join(format!("{target}-{sum:016x}"));
    fs::write(&file, input).map_err(|error| error.to_string())?;
    Ok(file.display().to_string())
}
