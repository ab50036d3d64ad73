//! Running unattended: signals, logs, versions, completions, manuals.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn lendwright(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lendwright")).args(arguments).current_dir(folder).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

const POLICY: &str =
    "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n[metric]\nn = \"COUNT(*)\"\n";

/// A statement full of data that only its customer should see.
const STATEMENT: &str = concat!(
    r#"{"customer":"CANARY-CUSTOMER","id":"CANARY-1","trans_date":"2026-03-02","credit":7654321.09,"#,
    r#""desc":"CANARY NARRATION"}"#
);

fn desk() -> tempfile::TempDir {
    let desk = tempfile::tempdir().unwrap();
    std::fs::write(desk.path().join("policy.toml"), POLICY).unwrap();
    std::fs::write(desk.path().join("s.ndjson"), format!("{STATEMENT}\n")).unwrap();
    desk
}

#[test]
fn logs_are_lines_of_json_and_hold_nothing_personal() {
    let desk = desk();
    for arguments in [
        vec!["decide", "--policy", "policy.toml", "s.ndjson"],
        vec!["batch", "--policy", "policy.toml", "--out", "out", "s.ndjson"],
        vec!["metrics", "--policy", "policy.toml", "s.ndjson", "none.csv"],
    ] {
        let said = lendwright(&[arguments.as_slice(), &["-vvv", "--log-format", "json"]].concat(), desk.path());
        let log = text(&said.stderr);
        assert!(!log.is_empty(), "{arguments:?}");
        for line in log.lines() {
            let event: serde_json::Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
            for key in ["timestamp", "level", "target", "fields"] {
                assert!(!event[key].is_null(), "{line}");
            }
            assert!(event["target"].as_str().unwrap().starts_with("lendwright"), "{line}");
        }
        assert!(!log.contains("CANARY") && !log.contains("7654321"), "{log}");
        let plain = lendwright(&[arguments.as_slice(), &["-vvv"]].concat(), desk.path());
        assert!(!text(&plain.stderr).contains("CANARY"), "{}", text(&plain.stderr));
    }
}

#[test]
fn quiet_says_nothing_but_errors() {
    let desk = desk();
    let batch = ["batch", "--policy", "policy.toml", "--out", "out", "s.ndjson", "--quiet"];
    let said = lendwright(&batch, desk.path());
    assert_eq!((said.status.code(), text(&said.stderr).as_str()), (Some(0), ""));
    let said = lendwright(&["--quiet", "decide", "--policy", "none.toml", "s.ndjson"], desk.path());
    assert_eq!(said.status.code(), Some(1));
    assert!(text(&said.stderr).contains("none.toml"), "{}", text(&said.stderr));
    assert_eq!(lendwright(&["--quiet", "-v", "schema"], desk.path()).status.code(), Some(2));
}

#[test]
fn the_version_begins_with_the_number() {
    let said = text(&lendwright(&["--version"], Path::new(".")).stdout);
    assert!(said.starts_with(concat!("lendwright ", env!("CARGO_PKG_VERSION"))), "{said}");
}

#[test]
fn completions_are_scripts_that_their_shell_reads() {
    let desk = desk();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let said = lendwright(&["completions", shell], desk.path());
        let script = text(&said.stdout);
        assert!(said.status.success() && script.contains("requery"), "{shell}");
        std::fs::write(desk.path().join(shell), script).unwrap();
        if !matches!(shell, "bash" | "zsh" | "fish") {
            continue;
        }
        match Command::new(shell).arg("-n").arg(desk.path().join(shell)).output() {
            Ok(read) => assert!(read.status.success(), "{shell}: {}", text(&read.stderr)),
            Err(_) => println!("SKIPPED: there is no {shell} to read its script"),
        }
    }
}

#[test]
fn every_command_has_a_page_of_the_manual() {
    let desk = desk();
    assert!(lendwright(&["man", "--out", "pages"], desk.path()).status.success());
    let help = text(&lendwright(&["--help"], desk.path()).stdout);
    let commands = help.split_once("\nDecide:\n").unwrap().1.split_once("\nOptions:\n").unwrap().0;
    let named: Vec<&str> = commands.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next()).collect();
    assert!(named.len() > 20 && named.contains(&"decide") && named.contains(&"man"), "{named:?}");
    for name in named.into_iter().filter(|name| !name.is_empty() && *name != "help") {
        let page = desk.path().join(format!("pages/lendwright-{name}.1"));
        let page = std::fs::read_to_string(&page).unwrap_or_else(|_| panic!("no page of {name}"));
        assert!(page.contains(".SH") && page.contains("DESCRIPTION"), "{name}");
    }
    let first = text(&lendwright(&["man"], desk.path()).stdout);
    assert!(first.contains(".TH lendwright 1"), "{first}");
}

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
