//! `check --watch` on a policy of two thousand lines: the time from a save to its findings, compared with a new
//! process. Prints figures and never fails for them.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{Running, large};

const ROUNDS: usize = 9;

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e3
}

fn checking(policy: &Path, watch: bool) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lendwright"));
    command.arg("check").args(watch.then_some("--watch")).arg(policy).stderr(Stdio::null()).stdout(Stdio::piped());
    command
}

#[test]
fn a_save_is_answered_without_a_new_process() {
    let folder = tempfile::tempdir().unwrap();
    let policy = folder.path().join("policy.toml");
    let right = large::policy();
    let wrong = right.replacen("SUM(credit)", "SUM(crdit)", 1);
    std::fs::write(&policy, &right).unwrap();
    let mut running = Running(checking(&policy, true).spawn().unwrap());
    let mut lines = BufReader::new(running.0.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().contains("policy.toml: ok"));
    let (mut saved, mut begun) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let (text, said) = if round % 2 == 0 { (&wrong, "error") } else { (&right, ": ok") };
        std::fs::write(&policy, text).unwrap();
        let from = Instant::now();
        // A file read while it is being written is reported too, and then the written one.
        while !lines.next().unwrap().unwrap().contains(said) {}
        saved.push(from.elapsed());
        let from = Instant::now();
        let output = checking(&policy, false).output().unwrap();
        begun.push(from.elapsed());
        assert!(String::from_utf8_lossy(&output.stdout).contains(said));
    }
    let (saved, begun) = (median(saved), median(begun));
    println!(
        "{} lines: from the save to its answer {saved:.1} ms, a new process {begun:.1} ms, {:.2} of it; \
         medians of {ROUNDS}",
        right.lines().count(),
        saved / begun
    );
}
