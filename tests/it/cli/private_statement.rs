//! A statement full of data that only its customer should see, and the program run on it.

use std::path::Path;
use std::process::{Command, Output};

pub(crate) fn lendwright(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lendwright")).args(arguments).current_dir(folder).output().unwrap()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

const POLICY: &str =
    "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n[metric]\nn = \"COUNT(*)\"\n";

/// A statement full of data that only its customer should see.
const STATEMENT: &str = concat!(
    r#"{"customer":"CANARY-CUSTOMER","id":"CANARY-1","trans_date":"2026-03-02","credit":7654321.09,"#,
    r#""desc":"CANARY NARRATION"}"#
);

pub(crate) fn desk() -> tempfile::TempDir {
    let desk = tempfile::tempdir().unwrap();
    std::fs::write(desk.path().join("policy.toml"), POLICY).unwrap();
    std::fs::write(desk.path().join("s.ndjson"), format!("{STATEMENT}\n")).unwrap();
    desk
}
