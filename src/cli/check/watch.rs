//! `check --watch`: looks again whenever a file, or one that it uses, changes. Looking at the time of a few files some times a
//! second costs nothing that shows, and works on every file system.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime};

use super::{CheckArgs, Checked, check_all};
use crate::cli::output::{self, Failure};

/// How long it looks away: short beside the time in which a person notices a change.
const PAUSE: Duration = Duration::from_millis(20);

/// Checks at once and at every change, until interrupted.
pub(super) fn watch(args: &CheckArgs) -> Result<ExitCode, Failure> {
    loop {
        // Before the files are read, so that a change while they are is seen too.
        let named = stamps(&args.policies);
        let from = Instant::now();
        let checked = check_all(args)?;
        let took = from.elapsed();
        output::remark(format!("checked in {:.1} ms, waiting for a change\n", took.as_secs_f64() * 1e3));
        let files = files(args, &checked);
        let mut before = stamps(&files);
        before[..named.len()].clone_from_slice(&named);
        while stamps(&files) == before {
            std::thread::sleep(PAUSE);
        }
    }
}

/// The files named, then those that they use.
fn files(args: &CheckArgs, checked: &[Checked]) -> Vec<PathBuf> {
    let mut files = args.policies.clone();
    for source in checked.iter().flat_map(|file| file.sources.iter()) {
        let path = PathBuf::from(&source.name);
        if !files.contains(&path) {
            files.push(path);
        }
    }
    files
}

/// When each was changed last and how long it is; `None` for one that is not there.
fn stamps(files: &[PathBuf]) -> Vec<Option<(Option<SystemTime>, u64)>> {
    let stamp = |path: &PathBuf| std::fs::metadata(path).ok().map(|about| (about.modified().ok(), about.len()));
    files.iter().map(stamp).collect()
}
