//! Batches that are killed at any moment: the next run resumes, and no kill leaves a trace in the results.

use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::fixtures::campaign;
use crate::fixtures::desk::Desk;
use crate::run::batch::interruptions::{checkpoint, finish, start};
use crate::run::batch::{csv, mixed, results, rows, shuffled};

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
    desk.write("many/y.ndjson", &crate::run::batch::tables::ndjson(&table[10_000..]));
}

/// Kills at moments drawn from a seed. Most are blind, from the first instant on; some come once the run
/// has made progress, so that the campaign ends on a machine of any speed.
#[test]
fn kills_leave_no_trace() {
    let desk = Desk::new();
    many(&desk);
    let args = ["--threads", "8", "--memory", "64MiB", "--checkpoint", "0", "--write", "decisions,reasons", "many"];
    let begun = Instant::now();
    let whole = finish(&desk, &args);
    let usual = begun.elapsed();
    assert_eq!(whole["decisions.ndjson"].iter().filter(|byte| **byte == b'\n').count(), 20_000);
    fs::remove_dir_all(desk.path().join("out")).unwrap();
    let (mut kills, mut draw, mut completed) = (0, 0, 0);
    while kills < campaign::size(6, 200) {
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
