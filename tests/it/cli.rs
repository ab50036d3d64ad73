//! The program as people run it: arguments and files in; output, messages and exit status out.

mod accounts;
mod command_groups;
mod demo;
pub(crate) mod inputs;
mod messages;
mod rules;
mod slips;
mod statements;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A small policy: an offer for customers with five records, a referral for those with many winnings.
const POLICY: &str = r#"
[policy]
name = "small"
version = "1"
currency = "566"
statement_unit = "major"
time_zone = "Africa/Lagos"
tenure_unit = "days"
use = ["shared.toml"]

[parameters]
min_records = 5

[request]
amount = "money"

[[require]]
id = "R01"
when = "records >= $min_records"
else = "decline"
unknown = "refer"
reason = "Fewer than {$min_records} records ({records} seen)"

[[offer]]
id = "30d"
tenure = 30
amount = "round_down(LEAST(inflow * 0.1, 500000), 500)"
interest = 3.0
method = "flat"
fee = "0.01 * amount"
valid_for_days = 7
terms = "One repayment"
"#;

const SHARED: &str = "[metric]\nrecords = \"COUNT(*)\"\ninflow = \"SUM(credit)\"\nlargest_debit = \"MAX(debit)\"\n";

/// What the program printed, and its status.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) status: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// A folder with a policy and three statements of different people, in which the program runs.
pub(crate) struct Desk {
    folder: TempDir,
}

impl Desk {
    pub(crate) fn new() -> Desk {
        let desk = Desk { folder: tempfile::tempdir().unwrap() };
        desk.write("rules/small.toml", POLICY);
        desk.write("rules/shared.toml", SHARED);
        let made = desk.run(&["generate", "--statements", "3", "--records", "40", "--out", "in"]);
        assert_eq!((made.status, made.out.as_str(), made.err.as_str()), (0, "", ""));
        desk
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap()
    }

    pub(crate) fn run(&self, args: &[&str]) -> Said {
        self.run_with(args, "")
    }

    /// Runs the program on so many threads.
    pub(crate) fn run_on_threads(&self, args: &[&str], threads: &str) -> Said {
        self.run_in(Command::new(env!("CARGO_BIN_EXE_lendwright")).args(args).env("RAYON_NUM_THREADS", threads), "")
    }

    /// Runs the program with a text on standard input.
    pub(crate) fn run_with(&self, args: &[&str], input: &str) -> Said {
        self.run_in(Command::new(env!("CARGO_BIN_EXE_lendwright")).args(args), input)
    }

    fn run_in(&self, program: &mut Command, input: &str) -> Said {
        let mut child = program
            .current_dir(self.path())
            .env_remove("LENDWRIGHT_TOKEN")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A program that reads no input may have ended.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        Said {
            status: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: without_note(String::from_utf8(output.stderr).unwrap()),
        }
    }
}

pub(crate) const NO_DAY: &str = "note: no day of the decision was given: windows end on the last record of each \
    statement, and what depends on today is unknown (needs_as_of); give the day, such as --as-of 2026-10-31\n";

/// One test covers the note about a missing day; the others ignore it.
fn without_note(said: String) -> String {
    match said.strip_prefix(NO_DAY) {
        Some(rest) => rest.to_owned(),
        None => said,
    }
}

#[test]
fn wrong_usage_is_status_2_and_said_on_standard_error() {
    let desk = Desk::new();
    let wrong: [&[&str]; 6] = [
        &["--quiet"],
        &["decied"],
        &["decide", "in/statement-000001.json"],
        &["decide", "--policy", "rules/small.toml"],
        &["decide", "--policy", "rules/small.toml", "--as-of", "2026-13-01", "in/statement-000001.json"],
        &["decide", "--policy", "rules/small.toml", "--param", "min_records", "in/statement-000001.json"],
    ];
    for args in wrong {
        let said = desk.run(args);
        assert_eq!((said.status, said.out.as_str()), (2, ""), "{args:?}");
        assert!(!said.err.is_empty(), "{args:?}");
    }
}

#[test]
fn every_command_has_help_with_examples() {
    let desk = Desk::new();
    for command in [
        "demo",
        "decide",
        "batch",
        "columns",
        "metrics",
        "backtest",
        "sweep",
        "learn",
        "nearest",
        "explain",
        "check",
        "fmt",
        "schema",
        "lsp",
        "test",
        "replay",
        "provider pull",
        "provider send",
        "sandbox",
        "generate",
        "service loans",
        "service reconcile",
        "service audit",
        "service backup",
        "service export",
    ] {
        let said = desk.run(&command.split(' ').chain(["--help"]).collect::<Vec<_>>());
        assert_eq!((said.status, said.err.as_str()), (0, ""), "{command}");
        let examples = said.out.split_once("Examples:\n").map_or("", |(_, examples)| examples);
        assert!(examples.contains(&format!("  lendwright {command}")), "{command}: {}", said.out);
    }
}
