//! Our work and the yardstick's take turns in one process and one run. Prints its findings as one flat JSON object.
//! `cargo xtask bench` asks for the parts and makes the table.

mod formats;
mod load;
mod peer;
mod portfolio;
mod pulls;
mod service;

use std::hint::black_box;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Instant;

use lendwright::decision::ReadyPlan;
use lendwright_benches::rows::{self, METRICS, OUTPUTS, outputs, outputs_of};
use lendwright_benches::turns::{alternate, quantile};
use lendwright_benches::work::Judge;
use serde_json::{Map, Value as Json};

const HELP: &str = "ratios large|small|rules|formats|pulls|load|parse [--rounds N] [--zen PROGRAM] [--folder FOLDER], \
    ratios service --program PROGRAM [--postgres URL] [--loans N] [--rounds SECONDS], \
    ratios portfolio --book BOOK.parquet [--times COPIES] [--rounds N], \
    ratios peer TABLE AS_OF THREADS [COLUMNS]";

type Found = Map<String, Json>;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let of = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).map(String::as_str)
    };
    let rounds = of("--rounds").map(|rounds| rounds.parse().expect("a number of rounds"));
    if arguments.first().is_some_and(|part| part == "peer") {
        return peer::serve(&arguments[1..]);
    }
    let mut found = Found::new();
    match arguments.first().map(String::as_str) {
        Some("large") => large(rounds.unwrap_or(15), &mut found),
        Some("small") => small(rounds.unwrap_or(5_000), &mut found),
        Some("rules") => rules(rounds.unwrap_or(5), of("--zen"), &mut found),
        Some("formats") => formats::formats(rounds.unwrap_or(9), &mut found),
        Some("pulls") => pulls::pulls(rounds.unwrap_or(7), &mut found),
        Some("load") => load::load(rounds.unwrap_or(60), &mut found),
        Some("portfolio") => {
            let book = std::path::Path::new(of("--book").expect(HELP));
            let times = of("--times").map_or(1, |times| times.parse().expect("a number of copies"));
            portfolio::portfolio(book, times, rounds.unwrap_or(5), &mut found);
        }
        Some("service") => {
            let loans = of("--loans").map_or(5_000, |loans| loans.parse().expect("a number of loans"));
            let program = std::path::Path::new(of("--program").expect(HELP));
            service::service(program, of("--postgres"), loans, rounds.unwrap_or(10), &mut found);
        }
        Some("parse") => parse_folder(of("--folder").expect(HELP), &mut found),
        _ => panic!("{HELP}"),
    }
    println!("{}", serde_json::to_string_pretty(&found).expect("numbers"));
}

fn parse(bytes: &[u8]) {
    black_box(sonic_rs::from_slice::<sonic_rs::Value>(black_box(bytes)).expect("a document"));
}

fn put(found: &mut Found, name: &str, value: f64) {
    found.insert(name.to_owned(), value.into());
}

/// One statement of 100,000 records, from bytes to what is sent, compared with parsing the same bytes on one thread.
fn large(rounds: usize, found: &mut Found) {
    let judge = Judge::full();
    let bytes = judge.statement(100_000, 0.1);
    let mut ours = || drop(black_box(judge.payload(black_box(&bytes))));
    let mut theirs = || parse(&bytes);
    let took = alternate(rounds, &mut [&mut ours, &mut theirs]);
    put(found, "large_bytes", bytes.len() as f64);
    for (name, took) in ["large_ours", "large_parse"].into_iter().zip(&took) {
        put(found, &format!("{name}_s"), quantile(took, 0.5));
        put(found, &format!("{name}_best_s"), took[0]);
    }
    let statements = judge.decode(&bytes);
    let mut decode = || drop(black_box(judge.decode(black_box(&bytes))));
    let mut decide = || drop(black_box(judge.decide(black_box(&statements))));
    let took = alternate(rounds.div_ceil(2), &mut [&mut decode, &mut decide]);
    put(found, "large_decode_s", quantile(&took[0], 0.5));
    put(found, "large_decide_s", quantile(&took[1], 0.5));
}

/// The same for 1,000 records, as single calls, so that the slowest of a hundred shows.
fn small(rounds: usize, found: &mut Found) {
    let judge = Judge::full();
    let bytes = judge.statement(1_000, 0.1);
    let mut ours = || drop(black_box(judge.payload(black_box(&bytes))));
    let mut theirs = || parse(&bytes);
    let took = alternate(rounds, &mut [&mut ours, &mut theirs]);
    put(found, "small_bytes", bytes.len() as f64);
    for (name, took) in ["small_ours", "small_parse"].into_iter().zip(&took) {
        put(found, &format!("{name}_p50_s"), quantile(took, 0.5));
        put(found, &format!("{name}_p99_s"), quantile(took, 0.99));
    }
}

/// A million rows of ready metrics through three tables on one thread, by columns; some of them also with a full
/// decision each. With `zen`, compared with zen-engine, whose outputs must be equal.
fn rules(rounds: usize, zen: Option<&str>, found: &mut Found) {
    const ROWS: usize = 1_000_000;
    const ROWS_OF_ZEN: usize = 20_000;
    const ROWS_OF_RECORDS: usize = 100_000;
    let policy = rows::policy();
    let plan = ReadyPlan::new(&policy, &METRICS).expect("it has them");
    let all = rows::rows(ROWS);
    let mut zen = zen.map(|program| Zen::start(program, &all[..ROWS_OF_ZEN]));
    if let Some(zen) = &mut zen {
        zen.hold_to(&plan, &all[..ROWS_OF_ZEN]);
    }
    let frame = rows::frame(&all);
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
    let mut took = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..rounds {
        let began = Instant::now();
        drop(black_box(one.install(|| rows::judge(&plan, black_box(&frame)))));
        took[0].push(began.elapsed().as_secs_f64() / ROWS as f64);
        let began = Instant::now();
        rows::decide(&plan, &all[..ROWS_OF_RECORDS], |decisions| drop(black_box(decisions)));
        took[1].push(began.elapsed().as_secs_f64() / ROWS_OF_RECORDS as f64);
        if let Some(zen) = &mut zen {
            took[2].push(zen.ask("time").parse::<f64>().expect("seconds") / ROWS_OF_ZEN as f64);
        }
    }
    took.iter_mut().for_each(|took| took.sort_by(f64::total_cmp));
    put(found, "rules_ours_ns", quantile(&took[0], 0.5) * 1e9);
    put(found, "rules_records_ns", quantile(&took[1], 0.5) * 1e9);
    if zen.is_some() {
        put(found, "rules_zen_ns", quantile(&took[2], 0.5) * 1e9);
    }
}

/// zen-engine in its own process, `peers/zen`.
struct Zen {
    process: std::process::Child,
    answers: BufReader<std::process::ChildStdout>,
    folder: std::path::PathBuf,
}

impl Zen {
    fn start(program: &str, rows: &[rows::Row]) -> Self {
        let folder = std::env::temp_dir().join(format!("lendwright-zen-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let lines: String = rows.iter().map(|row| format!("{}\n", row.json())).collect();
        std::fs::write(folder.join("rows.ndjson"), lines).expect("a file");
        let mut process = Command::new(program)
            .arg(folder.join("rows.ndjson"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program of peers/zen");
        let answers = BufReader::new(process.stdout.take().expect("piped"));
        Self { process, answers, folder }
    }

    fn ask(&mut self, request: &str) -> String {
        let input = self.process.stdin.as_mut().expect("piped");
        writeln!(input, "{request}").and_then(|()| input.flush()).expect("a listener");
        let mut answer = String::new();
        self.answers.read_line(&mut answer).expect("an answer");
        answer.trim().to_owned()
    }

    /// Both must give the same outputs for every row, or nothing is timed.
    fn hold_to(&mut self, plan: &ReadyPlan<'_>, rows: &[rows::Row]) {
        let path = self.folder.join("values.ndjson");
        self.ask(&format!("values {}", path.display()));
        let theirs = std::fs::read_to_string(&path).expect("a file");
        let mut ours = Vec::with_capacity(rows.len());
        rows::decide(plan, rows, |decisions| ours.extend(decisions.iter().map(outputs)));
        assert_eq!(ours.len(), theirs.lines().count(), "as many rows on both sides");
        let judged = rows::judge(plan, &rows::frame(rows));
        for (at, ((row, ours), theirs)) in rows.iter().zip(&ours).zip(theirs.lines()).enumerate() {
            assert_eq!(outputs_of(&judged, at), *ours, "{row:?}: columns and records say the same");
            let theirs: Json = serde_json::from_str(theirs).expect("an object");
            for name in OUTPUTS {
                let same = match (ours[name].as_f64(), theirs[name].as_f64()) {
                    (Some(ours), Some(theirs)) => ours == theirs,
                    _ => ours[name] == theirs[name],
                };
                assert!(same, "{row:?}: `{name}` is {} here and {} there", ours[name], theirs[name]);
            }
        }
    }
}

impl Drop for Zen {
    fn drop(&mut self) {
        // The child ends with its input; leftovers disturb nobody.
        drop(self.process.stdin.take());
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Parses every file of a folder on one thread, with the files in memory. Then, separately so that it does not slow the
/// parsing, reads the same files into columns, which is only the beginning of a decision.
fn parse_folder(folder: &str, found: &mut Found) {
    let files: Vec<Vec<u8>> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .map(|path| std::fs::read(path).expect("a file"))
        .collect();
    assert!(!files.is_empty(), "`{folder}` has statements, `.json`");
    let judge = Judge::full();
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
    put(found, "parse_s", seconds_of(&files, parse));
    let read = |bytes: &[u8]| drop(black_box(judge.decode(black_box(bytes))));
    put(found, "read_s", one.install(|| seconds_of(&files, read)));
    put(found, "parse_bytes", files.iter().map(Vec::len).sum::<usize>() as f64);
}

/// The time of the work on all files, one after the other, after one warm-up on the first.
fn seconds_of(files: &[Vec<u8>], work: impl Fn(&[u8])) -> f64 {
    files.iter().take(1).for_each(|bytes| work(bytes));
    let began = Instant::now();
    files.iter().for_each(|bytes| work(bytes));
    began.elapsed().as_secs_f64()
}
