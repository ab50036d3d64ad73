//! Signals: a batch that is interrupted continues later.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::private_statement::{desk, lendwright};

/// Each signal ends a run, keeps what was written, and has its own exit status.
#[cfg(unix)]
#[test]
fn signals_end_a_batch_that_goes_on_later() {
    let desk = desk();
    let lines: String = (0..60_000)
        .map(|at| {
            format!("{{\"customer\":\"C{:05}\",\"id\":\"{at}\",\"trans_date\":\"2026-03-02\",\"credit\":5}}\n", at / 3)
        })
        .collect();
    std::fs::write(desk.path().join("many.ndjson"), lines).unwrap();
    let whole = lendwright(&["batch", "--policy", "policy.toml", "--out", "whole", "many.ndjson"], desk.path());
    assert_eq!(whole.status.code(), Some(0));
    for (signal, status) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let out = format!("out-{signal}");
        let arguments = ["batch", "--policy", "policy.toml", "--out", &out, "--checkpoint", "0", "many.ndjson"];
        let mut command = Command::new(env!("CARGO_BIN_EXE_lendwright"));
        command.args(arguments).current_dir(desk.path()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // From the first line of results on there is something to keep, and the signal is handled.
        let begun = Instant::now();
        while std::fs::metadata(desk.path().join(&out).join("work")).is_err() && child.try_wait().unwrap().is_none() {
            assert!(begun.elapsed() < Duration::from_secs(60), "it never began");
            std::thread::sleep(Duration::from_millis(1));
        }
        let sent = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap();
        let ended = child.wait().unwrap().code();
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        // On a fast machine it may have finished before.
        assert!(ended == Some(status) || ended == Some(0), "{signal} ({sent}): {ended:?} {said}");
        assert!(ended == Some(0) || said.contains("run the same command again to resume"), "{said}");
        assert_eq!(lendwright(&arguments, desk.path()).status.code(), Some(0), "{signal}");
        let results = |out: &str| std::fs::read(desk.path().join(out).join("decisions.ndjson")).unwrap();
        assert!(results(&out) == results("whole"), "{signal}");
    }
}
