//! Allocations and instructions of named work, compared with a baseline: a loss of more than 5% is an error, a gain
//! asks for a new baseline. Runs `benches/guard`; knows nothing of the work itself.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::programs::succeed;
use crate::{cargo, root, run, target_folder};

const BASELINE: &str = "benches/guard/baseline.txt";
const LIMIT_PERCENT: u64 = 5;
/// The most runs of one work. Each run has a new hash seed, which moves data on the heap, and copies may then take a
/// few percent more instructions. The least of several runs is always the same.
const RUNS: usize = 5;
/// The program and the statements, relative to the build folder. An absolute path could move data on the heap, and the
/// cost of copying texts depends on their addresses.
const PROGRAM: &str = "debug/lendwright-guard";
const FOLDER: &str = "guard";
/// The counts, in the order of the baseline's columns.
const COUNTS: [&str; 3] = ["allocations", "bytes", "instructions"];

/// By work: allocations, their bytes, instructions; the last are missing without valgrind.
type Counts = BTreeMap<String, [Option<u64>; 3]>;

/// The environment in which the counts are valid.
#[derive(Debug, Default, PartialEq)]
struct Baseline {
    compiler: String,
    machine: String,
    counts: Counts,
}

/// Counts, and compares with the baseline or writes it.
pub fn guard(arguments: &[String]) -> Result<(), String> {
    let is_update = match arguments {
        [] => false,
        [word] if word == "--update" => true,
        _ => return Err("there is --update, and nothing else".to_owned()),
    };
    let (compiler, path) = (version("rustc", "--version")?, root().join(BASELINE));
    let known = parse(&fs::read_to_string(&path).unwrap_or_default())?;
    if !is_update && known.compiler != compiler {
        println!(
            "SKIPPED: the baseline is of `{}`, this is `{compiler}`; `cargo xtask guard --update`",
            known.compiler
        );
        return Ok(());
    }
    build()?;
    let target = target_folder()?;
    let machine = said(Command::new(target.join(PROGRAM)).arg("machine"))?;
    if !is_update && known.machine != machine {
        println!("SKIPPED: the baseline is of `{}`, this is `{machine}`", known.machine);
        return Ok(());
    }
    let valgrind = has_valgrind();
    if !valgrind && is_update {
        return Err("a baseline needs valgrind".to_owned());
    }
    if !valgrind {
        println!("SKIPPED: instructions are not counted, for there is no valgrind to be had");
    }
    let aimed_at = if is_update { Counts::new() } else { known.counts.clone() };
    let counts = count(&target, valgrind, &aimed_at)?;
    if is_update {
        let baseline = Baseline { compiler, machine, counts };
        return fs::write(&path, written(&baseline)).map_err(|error| format!("`{}`: {error}", path.display()));
    }
    let (lines, is_held) = compare(&known.counts, &counts);
    print!("{lines}");
    if is_held {
        return Ok(());
    }
    Err("counts are above the baseline by more than 5%: mend what lost, or, with a reason in the commit, \
        `cargo xtask guard --update`"
        .to_owned())
}

/// In the tests' profile, so that dependencies are shared; our own code is fully optimized.
fn build() -> Result<(), String> {
    let mut build = cargo();
    // Incremental builds cut the crate into other parts, which changes counts as much as a mistake.
    build.env("CARGO_PROFILE_DEV_OPT_LEVEL", "3").env("CARGO_INCREMENTAL", "0").env_remove("RUSTFLAGS");
    run(build.args(["build", "--locked", "--package", "lendwright-guard"]))
}

/// Debian's package, if it can be installed.
fn has_valgrind() -> bool {
    let has = || version("valgrind", "--version").is_ok();
    if has() {
        return true;
    }
    let install = "[ \"$(id -u)\" = 0 ] && command -v apt-get && apt-get update -qq && apt-get install -qq -y valgrind";
    let _ = Command::new("sh").args(["-c", install]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    has()
}

fn count(target: &Path, valgrind: bool, known: &Counts) -> Result<Counts, String> {
    let (program, folder) = (target.join(PROGRAM), target.join(FOLDER));
    fs::create_dir_all(&folder).map_err(|error| format!("`{}`: {error}", folder.display()))?;
    succeed(Command::new(&program).arg("prepare").arg(&folder))?;
    let mut counts = Counts::new();
    for name in said(Command::new(&program).arg("names"))?.split_whitespace() {
        let known = known.get(name).and_then(|known| known[2]);
        counts.insert(name.to_owned(), count_least(target, name, valgrind, known)?);
    }
    Ok(counts)
}

/// Runs work until its instructions are within the limit, or the runs are used up.
fn count_least(target: &Path, name: &str, valgrind: bool, known: Option<u64>) -> Result<[Option<u64>; 3], String> {
    let mut least = count_one(target, name, valgrind)?;
    let is_held = |counts: &[Option<u64>; 3]| match (known, counts[2]) {
        (Some(before), Some(now)) => is_within(now, before),
        (None, Some(_)) => false,
        (_, None) => true,
    };
    for _ in 1..RUNS {
        if is_held(&least) {
            break;
        }
        least[2] = least[2].min(count_one(target, name, valgrind)?[2]);
    }
    Ok(least)
}

/// One run gives both: valgrind does not change allocations.
fn count_one(target: &Path, name: &str, valgrind: bool) -> Result<[Option<u64>; 3], String> {
    let mut command = Command::new(if valgrind { "valgrind".into() } else { target.join(PROGRAM) });
    if valgrind {
        command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=guarded_work", PROGRAM]);
    }
    command.current_dir(target);
    // One thread, and nothing of the environment except the path to programs.
    command.env_clear().env("POLARS_MAX_THREADS", "1").args(["run", name, FOLDER]);
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    let output = command.output().map_err(|error| format!("`{name}` did not start: {error}"))?;
    let (out, other) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if !output.status.success() {
        return Err(format!("`{name}` failed: {}\n{other}", output.status));
    }
    let mut words = out.split_whitespace().map(|word| word.parse().ok());
    let instructions = other.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok());
    let allocated = [words.next().flatten(), words.next().flatten()];
    if allocated.contains(&None) || (valgrind && instructions.is_none_or(|count: u64| count == 0)) {
        return Err(format!("`{name}` told no counts\n{other}"));
    }
    Ok([allocated[0], allocated[1], instructions])
}

/// Whether the loss is within the limit.
fn is_within(now: u64, before: u64) -> bool {
    now * 100 <= (100 + LIMIT_PERCENT) * before
}

/// One line per count, and whether all are within the limit.
fn compare(known: &Counts, found: &Counts) -> (String, bool) {
    let mut lines = String::from("| work | counted | baseline | now | change | |\n|---|---|---|---|---|---|\n");
    let mut is_held = known.keys().eq(found.keys());
    if !is_held {
        lines += "| the baseline names other work | | | | | **differs** |\n";
    }
    for (name, counts) in found {
        for (at, what) in COUNTS.iter().enumerate() {
            let before = known.get(name).and_then(|known| known[at]);
            let (Some(before), Some(now)) = (before, counts[at]) else { continue };
            let change = now as f64 / before.max(1) as f64 - 1.0;
            // In whole numbers, so that exactly 5% is within.
            let word = match 100 * now {
                _ if !is_within(now, before) => "**worse**",
                less if less < (100 - LIMIT_PERCENT) * before => "**better: a new baseline, please**",
                _ => "",
            };
            is_held &= is_within(now, before);
            lines += &format!("| {name} | {what} | {before} | {now} | {:+.1}% | {word} |\n", change * 100.0);
        }
    }
    (lines, is_held)
}

fn written(baseline: &Baseline) -> String {
    let mut text = format!(
        "# What named work takes on one thread; `cargo xtask guard` fails above it by 5%, \
         `cargo xtask guard --update` writes it.\n\
         compiler {}\nmachine {}\n# work {}\n",
        baseline.compiler,
        baseline.machine,
        COUNTS.join(" ")
    );
    for (name, counts) in &baseline.counts {
        let counts = counts.map(|count| count.map_or_else(|| "-".to_owned(), |count| count.to_string()));
        text += &format!("{name} {}\n", counts.join(" "));
    }
    text
}

fn parse(text: &str) -> Result<Baseline, String> {
    let mut baseline = Baseline::default();
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        let (name, rest) = line.split_once(' ').ok_or_else(|| format!("{BASELINE}: `{line}`"))?;
        match name {
            "compiler" => baseline.compiler = rest.to_owned(),
            "machine" => baseline.machine = rest.to_owned(),
            _ => {
                let counts: Vec<Option<u64>> = rest.split_whitespace().map(|word| word.parse().ok()).collect();
                let counts = counts.try_into().map_err(|_| format!("{BASELINE}: `{line}`"))?;
                baseline.counts.insert(name.to_owned(), counts);
            }
        }
    }
    Ok(baseline)
}

fn version(program: &str, option: &str) -> Result<String, String> {
    said(Command::new(program).arg(option))
}

fn said(command: &mut Command) -> Result<String, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("`{program}` did not start: {error}"))?;
    if !output.status.success() {
        return Err(format!("`{program}` failed: {}", output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::{Baseline, Counts, compare, parse, written};

    fn counts(of: [u64; 3]) -> Counts {
        Counts::from([("decode".to_owned(), of.map(Some))])
    }

    #[test]
    fn five_in_a_hundred_more_are_held() {
        let held = |now: [u64; 3]| compare(&counts([100, 1_000, 10_000]), &counts(now)).1;
        assert!(held([105, 950, 10_000]));
        assert!(!held([106, 1_000, 10_000]), "more allocations");
        assert!(!held([100, 1_000, 10_501]), "more instructions");
        assert!(held([100, 949, 10_000]), "a gain is reported and does not fail");
        assert!(compare(&counts([100, 1_000, 10_000]), &counts([100, 949, 10_000])).0.contains("a new baseline"));
        assert!(!compare(&Counts::new(), &counts([1, 1, 1])).1, "work without a baseline");
    }

    #[test]
    fn without_valgrind_the_rest_is_compared() {
        let found = Counts::from([("decode".to_owned(), [Some(200), Some(1_000), None])]);
        let (lines, is_held) = compare(&counts([100, 1_000, 10_000]), &found);
        assert!(!is_held && !lines.contains("instructions"), "{lines}");
    }

    #[test]
    fn a_baseline_is_read_as_written() {
        let baseline = Baseline {
            compiler: "rustc 1.95.0 (abc 2026-04-14)".into(),
            machine: "x86_64-linux avx2".into(),
            counts: counts([1, 2, 3]),
        };
        assert_eq!(parse(&written(&baseline)), Ok(baseline));
    }
}
