//! Runs that end early: interrupted, or with the disk full. The next run resumes, and the results are the same.
//! `campaigns/batch_kills` kills batches at any moment.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use super::*;

pub(crate) fn start(desk: &Desk, args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_lendwright"))
        .args(BATCH)
        .args(args)
        .current_dir(desk.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The results, and how the run reports its end.
pub(crate) fn finish(desk: &Desk, args: &[&str]) -> BTreeMap<String, Vec<u8>> {
    let said = batch(desk, args);
    assert_eq!((said.status, said.err.as_str()), (0, ""), "{}", said.out);
    results(&desk.path().join("out"))
}

/// The file that changes with each checkpoint.
pub(crate) fn checkpoint(desk: &Desk) -> Option<Vec<u8>> {
    fs::read(desk.path().join("out/work/checkpoint.json")).ok()
}

#[test]
fn a_finished_run_has_nothing_left_to_do() {
    let desk = Desk::new();
    let first = batch(&desk, &["in"]);
    let results_before = results(&desk.path().join("out"));
    let again = batch(&desk, &["in"]);
    assert_eq!((again.status, again.err.as_str()), (0, ""));
    assert_eq!(again.out, steady(&first.out) + "nothing left to do: the run had already finished\n");
    assert_eq!(results(&desk.path().join("out")), results_before);
    desk.write("out/decisions.ndjson", "cut");
    let changed = batch(&desk, &["in"]);
    assert_eq!(changed.status, 1);
    insta::assert_snapshot!("batch_changed", changed.err);
    assert_eq!(batch(&desk, &["--restart", "in"]).status, 0);
    assert_eq!(results(&desk.path().join("out")), results_before);
}

#[test]
fn another_run_in_the_same_folder_is_refused_and_told_what_differs() {
    let desk = Desk::new();
    desk.write("t.csv", &csv(&rows(3, 2)));
    desk.write("more/other.json", &desk.read("in/statement-000001.json"));
    assert_eq!(batch(&desk, &["in", "t.csv"]).status, 0);
    let kept = results(&desk.path().join("out"));
    let mut said = String::new();
    let cases: [&[&str]; 5] = [
        &["--param", "min_records=6", "in", "t.csv"],
        &["--as-of", "2026-10-31", "--write", "offers", "--as", "csv", "in", "t.csv"],
        &["in"],
        &["t.csv", "in"],
        &["in", "t.csv", "more/other.json"],
    ];
    for args in cases {
        let refused = batch(&desk, args);
        assert_eq!((refused.status, refused.out.as_str()), (1, ""), "{args:?}");
        said.push_str(&refused.err);
    }
    desk.write("t.csv", &csv(&rows(4, 2)));
    said.push_str(&batch(&desk, &["in", "t.csv"]).err);
    assert_eq!(results(&desk.path().join("out")), kept);
    insta::assert_snapshot!("batch_differs", digests_hidden(&said));
}

/// Digests change with every word of a policy.
fn digests_hidden(text: &str) -> String {
    let hexadecimal = |word: &str| word.len() == 64 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let shown = |word: &str| {
        let bare = word.trim_end_matches(',');
        if hexadecimal(bare) { word.replace(bare, "DIGEST") } else { word.to_owned() }
    };
    text.lines().map(|line| line.split(' ').map(shown).collect::<Vec<_>>().join(" ") + "\n").collect()
}

#[test]
fn what_no_checkpoint_speaks_of_is_not_written_over() {
    let desk = Desk::new();
    desk.write("out/decisions.ndjson", "mine");
    let refused = batch(&desk, &["in"]);
    assert_eq!((refused.status, desk.read("out/decisions.ndjson").as_str()), (1, "mine"));
    assert!(refused.err.contains("which no checkpoint mentions"), "{}", refused.err);
}

#[test]
fn two_runs_in_one_folder_do_not_meet() {
    let desk = Desk::new();
    // It waits for its input, and holds the folder meanwhile.
    let mut waiting = start(&desk, &["-"]);
    let second = || batch(&desk, &["in"]);
    let mut said = second();
    while said.status == 0 {
        fs::remove_dir_all(desk.path().join("out")).ok();
        waiting.kill().unwrap();
        waiting.wait().unwrap();
        waiting = start(&desk, &["-"]);
        sleep(Duration::from_millis(200));
        said = second();
    }
    assert!(said.err.contains("another batch is writing into this folder"), "{}", said.err);
    // A lock ends with its owner, however that ends.
    waiting.kill().unwrap();
    waiting.wait().unwrap();
    assert_eq!(second().status, 0);
}

#[cfg(unix)]
#[test]
fn an_interrupt_finishes_what_is_in_hand_and_says_how_to_go_on() {
    let desk = Desk::new();
    desk.write("t.csv", &csv(&shuffled(&rows(20_000, 3), 12)));
    let whole = finish(&desk, &["t.csv"]);
    fs::remove_dir_all(desk.path().join("out")).unwrap();
    let child = start(&desk, &["t.csv"]);
    while !Path::new(&desk.path().join("out/work/checkpoint.json")).exists() {
        sleep(Duration::from_millis(1));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(130) && said.contains("run the same command again to resume"), "{said}");
    assert!(finish(&desk, &["t.csv"]) == whole);
}

/// A limit on the size of files simulates a full disk: a write fails in the middle.
#[cfg(target_os = "linux")]
#[test]
fn a_disk_without_room_ends_the_run_and_the_next_goes_on() {
    let desk = Desk::new();
    desk.write("t.csv", &csv(&rows(3_000, 2)));
    let whole = finish(&desk, &["t.csv"]);
    let size = whole["decisions.ndjson"].len();
    fs::remove_dir_all(desk.path().join("out")).unwrap();
    for part in [8, 4, 2] {
        let limited = format!(
            "trap '' XFSZ; ulimit -f {} && exec \"$0\" batch --policy rules/small.toml --checkpoint 0 --memory 64MiB \
             --out out t.csv",
            size / part / 512
        );
        let output = Command::new("sh")
            .args(["-c", &limited, env!("CARGO_BIN_EXE_lendwright")])
            .current_dir(desk.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("decisions.ndjson") && said.contains("to resume"), "{said}");
    }
    assert!(finish(&desk, &["t.csv"]) == whole);
}
