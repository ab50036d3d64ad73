//! The parts of `cargo xtask bench`: each measures our work and its yardstick in turn, in one run, and leaves its
//! numbers in a file. Knows where programs and data are; the targets are in `targets`.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::programs::Program;
use crate::{cargo, embedded, flat, root, run, served, target_folder, targets};

type Found = BTreeMap<String, f64>;

/// The parts that run by default; `memory` is long and must be named.
const USUAL: [&str; 12] = [
    "large", "small", "files", "formats", "parquet", "rules", "threads", "growth", "start", "pulls", "load", "service",
];

/// Few rounds; without building the programs; only the table.
const OPTIONS: [&str; 3] = ["--quick", "--built", "--show"];

/// What is asked for.
pub struct Asked {
    parts: Vec<String>,
    is_quick: bool,
    is_built: bool,
    is_shown_only: bool,
}

impl Asked {
    pub fn new(arguments: &[String]) -> Result<Self, String> {
        let (options, parts): (Vec<_>, Vec<_>) = arguments.iter().cloned().partition(|word| word.starts_with("--"));
        if let Some(wrong) = options.iter().find(|option| !OPTIONS.contains(&option.as_str())) {
            return Err(format!("`{wrong}`: there are {}", OPTIONS.join(", ")));
        }
        if let Some(wrong) = parts.iter().find(|part| !USUAL.contains(&part.as_str()) && *part != "memory") {
            return Err(format!("`{wrong}`: the parts are {}, memory", USUAL.join(", ")));
        }
        let has = |option: &str| options.iter().any(|word| word == option);
        let parts = if parts.is_empty() { USUAL.map(str::to_owned).to_vec() } else { parts };
        Ok(Self { parts, is_quick: has("--quick"), is_built: has("--built"), is_shown_only: has("--show") })
    }
}

/// Measures the parts, then prints the table of all parts as they were measured last.
pub fn bench(asked: &Asked) -> Result<(), String> {
    let work = target_folder()?.join("bench");
    let numbers = work.join("found");
    fs::create_dir_all(&numbers).map_err(|error| format!("`{}`: {error}", numbers.display()))?;
    if !asked.is_shown_only {
        let bench = Bench::new(work, asked)?;
        for part in &asked.parts {
            eprintln!("== {part}");
            let found = bench.part(part)?;
            fs::write(numbers.join(format!("{part}.json")), flat::object(&found)).map_err(|error| error.to_string())?;
        }
    }
    let mut found = Found::new();
    let entries = fs::read_dir(&numbers).map_err(|error| error.to_string())?;
    for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
        found.extend(flat::numbers(&fs::read_to_string(path).map_err(|error| error.to_string())?));
    }
    print!("{}", targets::table(&found));
    print!("{}", embedded::table(&found));
    print!("{}", served::table(&found));
    Ok(())
}

struct Bench {
    program: Program,
    /// The program of benches/ that measures in its own process.
    ratios: PathBuf,
    is_quick: bool,
}

impl Bench {
    fn new(work: PathBuf, asked: &Asked) -> Result<Self, String> {
        if !asked.is_built {
            run(cargo().args(["build", "--locked", "--release", "--package", "lendwright"]))?;
            run(cargo().args(["build", "--locked", "--release", "--manifest-path", "benches/Cargo.toml", "--bins"]))?;
        }
        let release = target_folder()?.join("release");
        let program = Program::new(release.join("lendwright"), root(), work)?;
        Ok(Self { program, ratios: release.join("ratios"), is_quick: asked.is_quick })
    }

    fn part(&self, part: &str) -> Result<Found, String> {
        match part {
            "large" => self.ratios(&["large", "--rounds", self.rounds("15", "5")]),
            "small" => self.ratios(&["small", "--rounds", self.rounds("5000", "1000")]),
            "formats" => self.ratios(&["formats", "--rounds", self.rounds("9", "2")]),
            "pulls" => self.ratios(&["pulls", "--rounds", self.rounds("7", "2")]),
            "load" => self.ratios(&["load", "--rounds", self.rounds("60", "5")]),
            "service" => self.service(),
            "rules" => self.rules(),
            "files" => self.files(),
            "parquet" => self.parquet(),
            "threads" => self.threads(),
            "growth" => self.growth(),
            "start" => self.start(),
            _ => self.memory(),
        }
    }

    fn rounds(&self, usual: &'static str, quick: &'static str) -> &'static str {
        if self.is_quick { quick } else { usual }
    }

    /// How many rounds a part of whole programs takes.
    fn turns(&self, usual: usize) -> usize {
        if self.is_quick { 2 } else { usual }
    }

    fn ratios(&self, arguments: &[&str]) -> Result<Found, String> {
        numbers_of(Command::new(&self.ratios).args(arguments))
    }

    fn rules(&self) -> Result<Found, String> {
        let target = target_folder()?.join("zen");
        let mut build = cargo();
        build.args([
            "build",
            "--locked",
            "--release",
            "--manifest-path",
            "benches/peers/zen/Cargo.toml",
            "--target-dir",
        ]);
        run(build.arg(&target))?;
        let zen = target.join("release/zen-peer");
        self.ratios(&["rules", "--rounds", self.rounds("5", "2"), "--zen", &zen.to_string_lossy()])
    }

    /// On SQLite, and on a throwaway PostgreSQL where there is one.
    fn service(&self) -> Result<Found, String> {
        let program = self.program.path.to_string_lossy();
        let (loans, seconds) = (self.rounds("5000", "200"), self.rounds("10", "1"));
        let mut arguments = vec!["service", "--program", &program, "--loans", loans, "--rounds", seconds];
        let mut cluster = Command::new("python3");
        cluster.arg(root().join("tests/deaths/cluster.py")).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut cluster = cluster.spawn().map_err(|error| format!("`python3` did not start: {error}"))?;
        let mut url = String::new();
        let printed = cluster.stdout.take().map(|output| BufReader::new(output).read_line(&mut url));
        if matches!(printed, Some(Ok(1..))) {
            arguments.extend(["--postgres", url.trim()]);
        }
        let found = self.ratios(&arguments);
        // Its input ends, and so does it.
        drop(cluster.stdin.take());
        cluster.wait().map_err(|error| error.to_string())?;
        found
    }

    /// The program over 2,000 files; and on the same files in memory, on one thread, parsing and then reading into
    /// columns.
    fn files(&self) -> Result<Found, String> {
        let folder = self.program.data(2_000, 1_000, "json")?;
        let mut took = [Vec::new(), Vec::new(), Vec::new()];
        for _ in 0..self.turns(7) {
            took[0].push(self.program.time(&folder, None)?);
            let parsed = self.ratios(&["parse", "--folder", &folder.to_string_lossy()])?;
            took[1].push(parsed.get("parse_s").copied().ok_or("no time of parsing")?);
            took[2].push(parsed.get("read_s").copied().ok_or("no time of reading")?);
        }
        eprintln!("by `{}`", self.program.way());
        let cores = std::thread::available_parallelism().map_or(1.0, |cores| cores.get() as f64);
        let [ours, theirs, read] = took.map(median);
        Ok(found([("files_s", ours), ("files_parse_s", theirs), ("files_read_s", read), ("cores", cores)]))
    }

    fn parquet(&self) -> Result<Found, String> {
        let table = self.program.data(2_000, 1_000, "parquet")?;
        let mut peers = Command::new(root().join("benches/peers/run"));
        peers.arg("--binary").arg(&self.ratios).arg("--table").arg(&table);
        let mut found = numbers_of(peers.args(["--rounds", self.rounds("9", "3")]))?;
        let engines = ["polars_median_s", "polars_streaming_median_s"].map(|name| found.get(name).copied());
        if let Some(fastest) = engines.into_iter().flatten().reduce(f64::min) {
            found.insert("polars_fastest_s".to_owned(), fastest);
        }
        Ok(found)
    }

    /// One thread and two in turn; the results must be the same bytes.
    fn threads(&self) -> Result<Found, String> {
        let mut all = Found::new();
        for (name, format) in [("table", "parquet"), ("files", "json")] {
            let input = self.program.data(2_000, 1_000, format)?;
            let mut took = [Vec::new(), Vec::new()];
            for _ in 0..self.turns(5) {
                took[0].push(self.program.time(&input, Some(1))?);
                took[1].push(self.program.time(&input, Some(2))?);
            }
            if !self.program.same_bytes()? {
                return Err(format!("`{}`: other bytes on two threads than on one", input.display()));
            }
            let [one, two] = took.map(median);
            all.insert(format!("threads_{name}_1_s"), one);
            all.insert(format!("threads_{name}_2_s"), two);
        }
        Ok(all)
    }

    /// Time per record of tables, without the startup time.
    fn growth(&self) -> Result<Found, String> {
        let large = if self.is_quick { 1_000 } else { 10_000 };
        let tables = [self.table(1)?, self.table(100)?, self.table(large)?];
        let mut took = [Vec::new(), Vec::new(), Vec::new()];
        for turn in 0..self.turns(5) {
            for (at, table) in tables.iter().enumerate() {
                // The large one is timed less often: it is long enough to be steady.
                if at < 2 || turn % 2 == 0 {
                    took[at].push(self.program.time(table, None)?);
                }
            }
        }
        let [start, few, many] = took.map(median);
        let a_record = |seconds: f64, statements: u64| (seconds - start).max(0.0) * 1e9 / (statements * 1_000) as f64;
        let (few, many) = (a_record(few, 100), a_record(many, large));
        // A quick run makes no row of the table: its target is for 10^7 records.
        if self.is_quick {
            eprintln!("{few:.0} ns a record of 10^5, {many:.0} of 10^6: {:.2}", many / few);
            return Ok(Found::new());
        }
        Ok(found([("growth_small_record_ns", few), ("growth_large_record_ns", many)]))
    }

    fn table(&self, statements: u64) -> Result<PathBuf, String> {
        self.program.data(statements, 1_000, "parquet")
    }

    fn start(&self) -> Result<Found, String> {
        let folder = self.program.data(1, 50, "json")?;
        let took: Result<Vec<f64>, String> =
            (0..self.turns(41)).map(|_| self.program.time_of_decide(&folder)).collect();
        Ok(found([("start_s", median(took?))]))
    }

    fn memory(&self) -> Result<Found, String> {
        let table = self.table(if self.is_quick { 1_000 } else { 50_000 })?;
        let peak_bytes = self.program.peak_bytes(&table)?;
        if self.is_quick {
            eprintln!("{} MiB for 10^6 records", peak_bytes >> 20);
            return Ok(Found::new());
        }
        Ok(found([("memory_peak_bytes", peak_bytes as f64)]))
    }
}

fn found<const N: usize>(numbers: [(&str, f64); N]) -> Found {
    numbers.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn median(mut took: Vec<f64>) -> f64 {
    took.sort_by(f64::total_cmp);
    took.get(took.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The flat JSON that a program prints; its other output passes through.
fn numbers_of(command: &mut Command) -> Result<Found, String> {
    let program = Path::new(command.get_program()).display().to_string();
    let output =
        command.stderr(Stdio::inherit()).output().map_err(|error| format!("`{program}` did not start: {error}"))?;
    if !output.status.success() {
        return Err(format!("`{program}` failed: {}", output.status));
    }
    Ok(flat::numbers(&String::from_utf8_lossy(&output.stdout)))
}
