//! The built program as users start it: its time from start to exit, its peak memory, its output. Knows nothing of the
//! crate's code.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::memory;

/// The policy for all measurements.
const POLICY: &str = "benches/policies/full.toml";

/// The program, the repository, and a folder to write to.
pub struct Program {
    pub path: PathBuf,
    pub root: PathBuf,
    pub work: PathBuf,
    has_batch: bool,
}

impl Program {
    pub fn new(path: PathBuf, root: PathBuf, work: PathBuf) -> Result<Self, String> {
        fs::create_dir_all(&work).map_err(|error| format!("`{}`: {error}", work.display()))?;
        let mut help = Command::new(&path);
        help.args(["batch", "--help"]).stdout(Stdio::null()).stderr(Stdio::null());
        let has_batch = help.status().is_ok_and(|status| status.success());
        Ok(Self { path, root, work, has_batch })
    }

    /// The command that decides many statements.
    pub fn way(&self) -> &'static str {
        if self.has_batch { "batch" } else { "decide" }
    }

    /// Generated statements with seed 7 and debits, made once: a folder of JSON files, or a Parquet table.
    pub fn data(&self, statements: u64, records: u64, format: &str) -> Result<PathBuf, String> {
        let folder = self.work.join(format!("{format}-{statements}x{records}"));
        let made = folder.join(".made");
        if !made.exists() {
            let mut generate = Command::new(&self.path);
            generate.args(["generate", "--seed", "7", "--debits", "--format", format]);
            generate.args(["--statements", &statements.to_string(), "--records", &records.to_string(), "--out"]);
            succeed(generate.arg(&folder))?;
            fs::write(&made, "").map_err(|error| error.to_string())?;
        }
        Ok(if format == "json" { folder } else { folder.join("statements.parquet") })
    }

    /// The command that decides many statements, over a file or a folder, on the given number of threads; `out` is for
    /// the decisions.
    fn many(&self, input: &Path, threads: Option<usize>, out: &Path) -> Result<Command, String> {
        if !self.has_batch {
            return self.decide(input, threads, out);
        }
        let mut command = self.begun("batch", threads, out)?;
        if let Some(threads) = threads {
            command.args(["--threads", &threads.to_string()]);
        }
        command.arg("--out").arg(out).arg(input).stdout(Stdio::null());
        Ok(command)
    }

    /// `decide` over a file, or the files of a folder.
    fn decide(&self, input: &Path, threads: Option<usize>, out: &Path) -> Result<Command, String> {
        let mut command = self.begun("decide", threads, out)?;
        let decisions = fs::File::create(out.join("decisions.ndjson")).map_err(|error| error.to_string())?;
        command.args(inputs(input)?).stdout(decisions);
        Ok(command)
    }

    /// A command with its policy and day, and an empty folder for its results.
    fn begun(&self, way: &str, threads: Option<usize>, out: &Path) -> Result<Command, String> {
        let _ = fs::remove_dir_all(out);
        fs::create_dir_all(out).map_err(|error| format!("`{}`: {error}", out.display()))?;
        let mut command = match threads {
            Some(1) => on_one_core(&self.path),
            _ => Command::new(&self.path),
        };
        command.current_dir(&self.root).args([way, "--policy", POLICY, "--as-of", "2026-10-31"]);
        if let Some(threads) = threads {
            command.env("RAYON_NUM_THREADS", threads.to_string());
        }
        Ok(command)
    }

    /// Seconds from start to exit of the command that decides many statements.
    pub fn time(&self, input: &Path, threads: Option<usize>) -> Result<f64, String> {
        seconds(&mut self.many(input, threads, &self.out(threads))?)
    }

    /// Seconds from start to exit of `decide`.
    pub fn time_of_decide(&self, input: &Path) -> Result<f64, String> {
        seconds(&mut self.decide(input, None, &self.out(None))?)
    }

    /// Highest resident memory.
    pub fn peak_bytes(&self, input: &Path) -> Result<u64, String> {
        let mut command = self.many(input, None, &self.out(None))?;
        Ok(memory::measure(command.stderr(Stdio::null()))?.peak_bytes)
    }

    /// Whether the last runs on one thread and on two wrote the same bytes.
    pub fn same_bytes(&self) -> Result<bool, String> {
        let read = |threads| written(&self.out(Some(threads)));
        Ok(read(1)? == read(2)?)
    }

    fn out(&self, threads: Option<usize>) -> PathBuf {
        self.work.join(threads.map_or_else(|| "out".to_owned(), |threads| format!("out-{threads}")))
    }
}

/// The file, or the files of a folder sorted by name.
fn inputs(input: &Path) -> Result<Vec<PathBuf>, String> {
    if input.is_file() {
        return Ok(vec![input.to_owned()]);
    }
    let entries = fs::read_dir(input).map_err(|error| format!("`{}`: {error}", input.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    files.sort();
    Ok(files)
}

/// Paths and bytes of all results of a run, except its own report, which may contain times.
fn written(folder: &Path) -> Result<Vec<(PathBuf, Vec<u8>)>, String> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        let entries = fs::read_dir(&next).map_err(|error| format!("`{}`: {error}", next.display()))?;
        for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
            let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
            if path.is_dir() {
                folders.push(path);
            } else if ["ndjson", "csv", "parquet"].contains(&ending) {
                let bytes = fs::read(&path).map_err(|error| format!("`{}`: {error}", path.display()))?;
                files.push((path.strip_prefix(folder).unwrap_or(&path).to_owned(), bytes));
            }
        }
    }
    files.sort();
    if files.iter().all(|(_, bytes)| bytes.is_empty()) {
        return Err(format!("`{}` holds no results to compare", folder.display()));
    }
    Ok(files)
}

/// The duration of a command that must not fail; its output is hidden.
fn seconds(command: &mut Command) -> Result<f64, String> {
    command.stderr(Stdio::null());
    let began = Instant::now();
    succeed(command)?;
    Ok(began.elapsed().as_secs_f64())
}

/// Runs a command that must not fail.
pub fn succeed(command: &mut Command) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{program}` failed: {status}")),
        Err(error) => Err(format!("`{program}` did not start: {error}")),
    }
}

/// A program on one core, if the system supports that: reading and writing have their own threads, so that one deciding
/// thread is more than one core's work.
fn on_one_core(program: &Path) -> Command {
    let is_there = Command::new("taskset").args(["-c", "0", "true"]).stderr(Stdio::null()).status();
    if !is_there.is_ok_and(|status| status.success()) {
        return Command::new(program);
    }
    let mut command = Command::new("taskset");
    command.args(["-c", "0"]).arg(program);
    command
}
