//! `check --watch`: looks again whenever a file, or one that it uses, changes. Looking at the time of a few files some times a
//! second costs nothing that shows, and works on every file system.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime};

use super::{CheckArgs, Checked, check_all};
use crate::cli::output::{self, Failure};

/// How long it looks away: short beside the time in which a person notices a change.
const PAUSE: Duration = Duration::from_millis(20);

/// Checks at once and at every change, until interrupted.
pub(super) fn watch(args: &CheckArgs) -> Result<ExitCode, Failure> {
    loop {
        let named = stamps(&args.policies);
        let (from, started) = (Instant::now(), SystemTime::now());
        let checked = check_all(args)?;
        let took = from.elapsed();
        output::remark(format!("checked in {:.1} ms, waiting for a change\n", took.as_secs_f64() * 1e3));
        let files = files(args, &checked);
        let before = stamps(&files);
        // What was changed between being read and being looked at here is not what was checked.
        let is_current =
            before[..named.len()] == named && texts(&checked).all(|(file, text)| is_now(file, text, started));
        while is_current && stamps(&files) == before {
            std::thread::sleep(PAUSE);
        }
        wait_until_saved(&files);
    }
}

/// Many editors empty a file before they write it: a save counts once its files have stood still for a moment.
fn wait_until_saved(files: &[PathBuf]) {
    let mut before = stamps(files);
    loop {
        std::thread::sleep(PAUSE);
        let now = stamps(files);
        if now == before {
            return;
        }
        before = now;
    }
}

/// The files named, then those that they use.
fn files(args: &CheckArgs, checked: &[Checked]) -> Vec<PathBuf> {
    let mut files = args.policies.clone();
    for (file, _) in texts(checked) {
        if !files.iter().any(|known| known == Path::new(file)) {
            files.push(PathBuf::from(file));
        }
    }
    files
}

/// What was read, by file name.
fn texts(checked: &[Checked]) -> impl Iterator<Item = (&str, &str)> {
    let sources = checked.iter().flat_map(|file| file.sources.iter());
    sources.map(|source| (source.name.as_str(), source.text.as_str()))
}

/// Whether a file still says what was read of it; only one that was changed since can say something else.
fn is_now(file: &str, text: &str, started: SystemTime) -> bool {
    let changed = std::fs::metadata(file).and_then(|about| about.modified()).is_ok_and(|at| at + PAUSE >= started);
    !changed || std::fs::read_to_string(file).is_ok_and(|now| now == text)
}

/// When each was changed last and how long it is; `None` for one that is not there.
fn stamps(files: &[PathBuf]) -> Vec<Option<(Option<SystemTime>, u64)>> {
    let stamp = |path: &PathBuf| std::fs::metadata(path).ok().map(|about| (about.modified().ok(), about.len()));
    files.iter().map(stamp).collect()
}
