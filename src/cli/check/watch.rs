//! `check --watch`: checks again whenever a file, or a file that it uses, changes. Polling a few files many times a
//! second is cheap, and works on every file system.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime};

use super::{CheckArgs, Checked, check_all};
use crate::cli::output::{self, Failure};

/// The time between two polls: shorter than a person notices.
const PAUSE: Duration = Duration::from_millis(20);

/// Checks now and after every change, until interrupted.
pub(super) fn recheck_on_change(args: &CheckArgs) -> Result<ExitCode, Failure> {
    loop {
        let named = modification_stamps(&args.policies);
        let (from, started) = (Instant::now(), SystemTime::now());
        let checked = check_all(args)?;
        let took = from.elapsed();
        output::print_stderr_remark(format!("checked in {:.1} ms, waiting for a change\n", took.as_secs_f64() * 1e3));
        let files = files_to_watch(args, &checked);
        let before = modification_stamps(&files);
        // A file that changed after it was read must be checked again.
        let is_current = before[..named.len()] == named
            && texts_of_checked_files(&checked).all(|(file, text)| is_unchanged(file, text, started));
        while is_current && modification_stamps(&files) == before {
            std::thread::sleep(PAUSE);
        }
        wait_until_saved(&files);
    }
}

/// Waits until the files stop changing. Many editors empty a file before they write it.
fn wait_until_saved(files: &[PathBuf]) {
    let mut before = modification_stamps(files);
    loop {
        std::thread::sleep(PAUSE);
        let now = modification_stamps(files);
        if now == before {
            return;
        }
        before = now;
    }
}

/// The files named on the command line, then the files that they use.
fn files_to_watch(args: &CheckArgs, checked: &[Checked]) -> Vec<PathBuf> {
    let mut files = args.policies.clone();
    for (file, _) in texts_of_checked_files(checked) {
        if !files.iter().any(|known| known == Path::new(file)) {
            files.push(PathBuf::from(file));
        }
    }
    files
}

/// The names and texts of all files that were read.
fn texts_of_checked_files(checked: &[Checked]) -> impl Iterator<Item = (&str, &str)> {
    let sources = checked.iter().flat_map(|file| file.sources.iter());
    sources.map(|source| (source.name.as_str(), source.text.as_str()))
}

/// Whether a file still has the text that was read. Reads it again only if it was modified since.
fn is_unchanged(file: &str, text: &str, started: SystemTime) -> bool {
    let changed = std::fs::metadata(file).and_then(|about| about.modified()).is_ok_and(|at| at + PAUSE >= started);
    !changed || std::fs::read_to_string(file).is_ok_and(|now| now == text)
}

/// When each file was last modified, and its length. `None` if the file does not exist.
fn modification_stamps(files: &[PathBuf]) -> Vec<Option<(Option<SystemTime>, u64)>> {
    let stamp = |path: &PathBuf| std::fs::metadata(path).ok().map(|about| (about.modified().ok(), about.len()));
    files.iter().map(stamp).collect()
}
