//! What is reported while a run continues: the progress of each pass, and that a resumed run starts where the last one
//! ended.

use std::cell::Cell;
use std::path::PathBuf;

use lendwright::batch::{self, Advance, Job, Progress};
use lendwright::load_policies;

use super::*;

/// Records the reports, and interrupts after a number of questions.
struct Told {
    all: Vec<Advance>,
    left: Cell<u32>,
}

impl Told {
    fn until(questions: u32) -> Told {
        Told { all: Vec::new(), left: Cell::new(questions) }
    }
}

impl Progress for Told {
    fn advance(&mut self, advance: &Advance) {
        self.all.push(advance.clone());
    }

    fn is_interrupted(&self) -> bool {
        self.left.set(self.left.get().saturating_sub(1));
        self.left.get() == 0
    }
}

fn job(desk: &Desk, inputs: &[&str]) -> Job {
    let policies = load_policies(desk.path().join("rules/small.toml"), &[]).unwrap();
    let inputs: Vec<PathBuf> = inputs.iter().map(|input| desk.path().join(input)).collect();
    let mut job = Job::new(policies, inputs, desk.path().join("told"));
    job.checkpoint_every = std::time::Duration::ZERO;
    // The least memory makes many units.
    job.memory = 1 << 20;
    job
}

#[test]
fn the_first_pass_is_told_in_bytes_of_all_tables() {
    let desk = Desk::new();
    let all = rows(400, 4);
    desk.write("sorted.csv", &csv(&all[..800]));
    fs::write(desk.path().join("packed.csv.gz"), super::tables::gzip(csv(&all[800..]).as_bytes())).unwrap();
    desk.write("shuffled.csv", &csv(&shuffled(&all, 7)));
    super::large_parquet::write_table(&desk.path().join("t.parquet"), 200, 1 << 16, <[String]>::to_vec);
    for inputs in [&["sorted.csv", "packed.csv.gz"][..], &["in", "shuffled.csv"], &["t.parquet"]] {
        let mut told = Told::until(u32::MAX);
        let mut job = job(&desk, inputs);
        job.memory = 64 << 20;
        job.restart = true;
        batch::run(&job, &mut told).unwrap();
        let tables = inputs.iter().map(|input| fs::metadata(desk.path().join(input)).unwrap());
        let bytes: u64 = tables.filter(|file| file.is_file()).map(|file| file.len()).sum();
        let (first, last) = (&told.all[0], told.all.last().unwrap());
        assert_eq!((first.bytes, first.statements), (0, 0), "{inputs:?}");
        assert_eq!((last.surveyed_bytes, last.surveyed_bytes_all), (bytes, bytes), "{inputs:?}");
        assert!(told.all.iter().all(|advance| advance.surveyed_bytes <= advance.surveyed_bytes_all));
    }
}

#[test]
fn a_run_that_goes_on_is_told_from_where_it_is() {
    let desk = Desk::new();
    let all = rows(3_000, 4);
    desk.write("sorted.csv", &csv(&all));
    desk.write("shuffled.csv", &csv(&shuffled(&all, 7)));
    for inputs in [["in", "sorted.csv"], ["in", "shuffled.csv"]] {
        let _ = fs::remove_dir_all(desk.path().join("told"));
        let work = desk.path().join("told/work");
        let known = || -> Option<Value> {
            let text = fs::read_to_string(work.join("checkpoint.json")).ok()?;
            Some(serde_json::from_str(&text).unwrap())
        };
        let (mut went_on, mut questions) = (0, 4);
        loop {
            let before = known().map_or(0, |checkpoint| checkpoint["source_bytes"].as_u64().unwrap());
            let is_surveyed = work.join("tables.json").exists();
            let mut told = Told::until(questions);
            let ended = batch::run(&job(&desk, &inputs), &mut told);
            assert_eq!(told.all[0].bytes, before, "{inputs:?}");
            went_on += u32::from(before > 0);
            if is_surveyed {
                // Nothing is scanned a second time.
                assert!(told.all.iter().all(|advance| advance.surveyed_bytes_all == 0), "{inputs:?}");
            }
            match ended {
                Err(batch::Error::Interrupted) => questions += 4,
                ended => {
                    ended.unwrap();
                    break;
                }
            }
        }
        assert!(went_on > 2, "{inputs:?}: {went_on}");
        // Work is counted once, however often the run was interrupted.
        let (done, all) = (known().unwrap()["source_bytes"].as_u64().unwrap(), desk.path().join(inputs[1]));
        let all = fs::metadata(all).unwrap().len() + folder_bytes(&desk.path().join("in"));
        assert!(done <= all && done * 100 >= all * 98, "{inputs:?}: {done} of {all}");
    }
}

fn folder_bytes(folder: &Path) -> u64 {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len()).sum()
}
