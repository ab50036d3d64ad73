//! Inputs that are neither files nor folders: they are listed, never waited for, and the run continues.

#![cfg(unix)]

use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::*;

/// Far longer than the run takes; a reader of a pipe would wait for ever.
const PATIENCE: Duration = Duration::from_secs(120);

/// Runs the program, and kills it if it does not end.
fn ended(mut command: Command) -> Output {
    let mut running = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    while running.try_wait().unwrap().is_none() {
        if begun.elapsed() > PATIENCE {
            running.kill().unwrap();
            panic!("it waits for what never comes: {:?}", running.wait_with_output());
        }
        sleep(Duration::from_millis(20));
    }
    running.wait_with_output().unwrap()
}

fn program(desk: &Desk, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lendwright"));
    command.current_dir(desk.path()).args(BATCH).args(args);
    command
}

fn make_pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn a_pipe_among_files_is_listed_and_nobody_waits_for_it() {
    for (name, is_failure) in [
        ("p.json", true),
        ("p.csv", true),
        ("p.parquet", true),
        ("p.tar.gz", true),
        ("000000_0", false),
        ("p.txt", false),
    ] {
        let desk = Desk::new();
        make_pipe(&desk.path().join("in").join(name));
        let output = ended(program(&desk, &["in"]));
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(if is_failure { 3 } else { 0 }), "{name}: {said}");
        assert_eq!(lines(&desk.read("out/decisions.ndjson")).len(), 3, "{name}");
        let failures = lines(&desk.read("out/failures.ndjson"));
        assert_eq!(failures.len(), usize::from(is_failure), "{name}: {failures:?}");
        let manifest = desk.read("out/manifest.json");
        let listed = if is_failure { failures[0]["what"].as_str().unwrap() } else { manifest.as_str() };
        assert!(listed.contains(if is_failure { "a pipe, socket or device" } else { name }), "{name}: {listed}");
    }
}

/// Next to a table, a pipe might be a table too. So nobody is decided: records may be missing.
#[test]
fn a_pipe_beside_a_table_lets_nobody_of_it_be_decided() {
    let desk = Desk::new();
    desk.write("in/t.csv", "customer,trans_date,credit\nx,2026-01-01,5\n");
    make_pipe(&desk.path().join("in/p.csv"));
    let output = ended(program(&desk, &["in"]));
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(lines(&desk.read("out/decisions.ndjson")).len(), 3);
    assert_eq!(lines(&desk.read("out/failures.ndjson")).len(), 2);
}

/// A command without root's right to read everything; `None` if there is none.
fn without_rights(command: &Command) -> Option<Command> {
    let nobody = || {
        let mut bare = Command::new("setpriv");
        bare.args(["--reuid", "65534", "--regid", "65534", "--clear-groups", "--"]).arg(command.get_program());
        bare
    };
    let is_there = nobody().arg("--version").output().is_ok_and(|output| output.status.success());
    let mut bare = nobody();
    bare.args(command.get_args()).current_dir(command.get_current_dir()?);
    is_there.then_some(bare)
}

#[test]
fn a_folder_that_cannot_be_looked_into_is_one_failure_and_the_run_goes_on() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::new();
    desk.write("in/locked/a.json", &desk.read("in/statement-000001.json"));
    let locked = desk.path().join("in/locked");
    let mode = |path: &Path, mode: u32| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    mode(desk.path(), 0o777);
    mode(&locked, 0o000);
    let command = program(&desk, &["in"]);
    // As root, permissions do not apply, and locked files are read.
    let command = if fs::read_dir(&locked).is_err() { Some(command) } else { without_rights(&command) };
    let Some(command) = command else {
        eprintln!("SKIPPED: root reads every folder, and there is no setpriv to become nobody");
        mode(&locked, 0o755);
        return;
    };
    let output = ended(command);
    mode(&locked, 0o755);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert_eq!(lines(&desk.read("out/decisions.ndjson")).len(), 3);
    let failures = lines(&desk.read("out/failures.ndjson"));
    assert_eq!((failures.len(), failures[0]["source"].as_str()), (1, Some("in/locked")));
    assert!(failures[0]["what"].as_str().unwrap().starts_with("the folder cannot be looked into: "), "{failures:?}");
}

/// A folder whose path is too long for the system cannot be searched.
#[test]
fn a_path_that_is_too_long_is_a_failure_and_the_run_goes_on() {
    let desk = Desk::new();
    let nested = |folder: &str| {
        let all = desk.path().join(folder).join(vec!["n".repeat(200); 13].join("/"));
        fs::create_dir_all(&all).unwrap();
        all
    };
    let (upper, _) = (nested("in/deep"), nested("lower"));
    fs::rename(desk.path().join("lower"), upper.join("lower")).unwrap();
    let output = ended(program(&desk, &["in"]));
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert_eq!(lines(&desk.read("out/decisions.ndjson")).len(), 3);
    let failures = lines(&desk.read("out/failures.ndjson"));
    assert_eq!(failures.len(), 1);
    assert!(failures[0]["source"].as_str().unwrap().starts_with("in/deep/nnn"), "{failures:?}");
}
