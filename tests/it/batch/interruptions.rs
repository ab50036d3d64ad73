//! Runs that end early: killed, interrupted, or with the disk full. The next run resumes, and the results are the same.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::*;

fn start(desk: &Desk, args: &[&str]) -> Child {
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
fn finish(desk: &Desk, args: &[&str]) -> BTreeMap<String, Vec<u8>> {
    let said = batch(desk, args);
    assert_eq!((said.status, said.err.as_str()), (0, ""), "{}", said.out);
    results(&desk.path().join("out"))
}

/// Twenty thousand small statements: files, an archive, and two unordered tables that share customers.
fn many(desk: &Desk) {
    let statement = |number: u32| {
        format!("[{{\"id\": \"{number}\", \"trans_date\": \"2026-03-0{}\", \"credit\": {number}}}]", number % 9 + 1)
    };
    let mut archive = tar::Builder::new(Vec::new());
    for number in 1..=4_000 {
        let (text, name) = (statement(number), format!("{}/{number:05}.json", number % 7));
        if number <= 3_000 {
            desk.write(&format!("many/{name}"), &text);
        } else {
            let mut header = tar::Header::new_gnu();
            header.set_size(text.len() as u64);
            header.set_mode(0o644);
            archive.append_data(&mut header, name, text.as_bytes()).unwrap();
        }
    }
    fs::write(desk.path().join("many/more.tar"), archive.into_inner().unwrap()).unwrap();
    let table = shuffled(&[&rows(2_000, 2)[..], &rows(16_000, 1)[2_000..]].concat(), 10);
    desk.write("many/x.csv", &csv(&table[..10_000]));
    desk.write("many/y.ndjson", &super::tables::ndjson(&table[10_000..]));
}

/// The file that changes with each checkpoint.
fn checkpoint(desk: &Desk) -> Option<Vec<u8>> {
    fs::read(desk.path().join("out/work/checkpoint.json")).ok()
}

/// Two hundred kills at moments drawn from a seed. Most are blind, from the first instant on; some come once the run
/// has made progress, so that the campaign ends on a machine of any speed.
#[test]
fn two_hundred_kills_leave_no_trace() {
    let desk = Desk::new();
    many(&desk);
    let args = ["--threads", "8", "--memory", "64MiB", "--checkpoint", "0", "--write", "decisions,reasons", "many"];
    let begun = Instant::now();
    let whole = finish(&desk, &args);
    let usual = begun.elapsed();
    assert_eq!(whole["decisions.ndjson"].iter().filter(|byte| **byte == b'\n').count(), 20_000);
    fs::remove_dir_all(desk.path().join("out")).unwrap();
    let (mut kills, mut draw, mut completed) = (0, 0, 0);
    while kills < 200 {
        draw += 1;
        let mut child = start(&desk, &args);
        let before = checkpoint(&desk);
        if mixed(draw).is_multiple_of(4) {
            while checkpoint(&desk) == before && child.try_wait().unwrap().is_none() {
                sleep(Duration::from_micros(200));
            }
            sleep(Duration::from_micros(mixed(draw + 1_000) % 3_000));
        } else {
            sleep(usual.mul_f64((mixed(draw) % 1_000) as f64 / 2_500.0));
        }
        let ended = child.try_wait().unwrap().is_some();
        child.kill().unwrap();
        child.wait().unwrap();
        kills += usize::from(!ended);
        if ended {
            assert!(results(&desk.path().join("out")) == whole, "after {kills} kills");
            completed += 1;
            fs::remove_dir_all(desk.path().join("out")).unwrap();
        }
    }
    assert!(finish(&desk, &args) == whole, "after {kills} kills, {completed} times from the beginning");
}

#[test]
fn parquet_that_was_killed_is_the_same_parquet() {
    let desk = Desk::new();
    desk.write("t.csv", &csv(&shuffled(&rows(4_000, 2), 11)));
    let args = [
        "--checkpoint",
        "0",
        "--memory",
        "64MiB",
        "--write",
        "decisions,metrics,offers",
        "--as",
        "parquet",
        "in",
        "t.csv",
    ];
    let begun = Instant::now();
    let whole = finish(&desk, &args);
    let usual = begun.elapsed();
    fs::remove_dir_all(desk.path().join("out")).unwrap();
    for draw in 0..12 {
        let mut child = start(&desk, &args);
        sleep(usual.mul_f64((mixed(draw) % 1_000) as f64 / 1_000.0));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(finish(&desk, &args) == whole);
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
