//! Static analysis: what it says of random policies, against thousands of decisions by them; its pages of codes; what `check` prints.

mod codes;
mod policies;

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value as Json;

fn check(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lendwright"));
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = command.arg("check").args(arguments).current_dir(here).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap().replace('\\', "/");
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn what_is_odd_is_told_with_an_example() {
    let (status, out, err) = check(&["testdata/rules/odd/policy.toml"]);
    assert_eq!(status, Some(0), "{err}");
    insta::assert_snapshot!(format!("{err}{out}"));
    let (status, ..) = check(&["testdata/rules/odd/policy.toml", "--deny", "warnings"]);
    assert_eq!(status, Some(1));
}

#[test]
fn properties_that_break_show_two_inputs() {
    let (status, out, err) = check(&["testdata/rules/odd/properties.toml"]);
    assert_eq!(status, Some(1), "{err}");
    insta::assert_snapshot!(format!("{err}{out}"));
}

#[test]
fn all_files_are_counted_in_one_line() {
    let (status, out, _) = check(&["rules/starter.toml", "testdata/rules/errors/several.toml", "rules/metrics.toml"]);
    assert_eq!(status, Some(1));
    let last = out.lines().last().unwrap();
    assert!(last.starts_with("3 files: ") && last.contains("error"), "{out}");
}

#[test]
fn ranges_are_shown() {
    let (status, out, _) = check(&["--ranges", "rules/starter.toml"]);
    assert_eq!(status, Some(0));
    for line in ["score 300 to 520", "grade 'A', 'B', 'C', 'D'", "staleness_days 0 to 109937, or unknown"] {
        let words: Vec<&str> = line.split_whitespace().collect();
        assert!(out.lines().any(|shown| shown.split_whitespace().collect::<Vec<_>>() == words), "{line}\n{out}");
    }
}

#[test]
fn sarif_has_what_code_scanning_asks_for() {
    let (status, out, err) = check(&["--format", "sarif", "testdata/rules/errors/several.toml", "rules/starter.toml"]);
    assert_eq!((status, err.as_str()), (Some(1), ""));
    let document: Json = serde_json::from_str(&out).unwrap();
    assert_eq!(document["version"], "2.1.0");
    assert!(document["$schema"].as_str().unwrap().contains("sarif-2.1.0"));
    let run = &document["runs"][0];
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "lendwright");
    let rules = driver["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    assert!(results.len() >= 3);
    for result in results {
        let index = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(["error", "warning"].contains(&result["level"].as_str().unwrap()));
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "testdata/rules/errors/several.toml");
        let number = |name: &str| place["region"][name].as_u64().unwrap();
        assert!(number("startLine") >= 1 && number("startColumn") >= 1);
        assert!((number("endLine"), number("endColumn")) >= (number("startLine"), number("startColumn")));
    }
}

/// Ends the program also where the test fails.
struct Running(std::process::Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn watching_checks_again_when_a_used_file_changes() {
    use std::io::{BufRead, BufReader};
    let folder = tempfile::tempdir().unwrap();
    let header =
        "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\nuse = [\"used.toml\"]\n";
    let policy = folder.path().join("policy.toml");
    std::fs::write(&policy, header).unwrap();
    let used = folder.path().join("used.toml");
    std::fs::write(&used, "[metric]\nx = \"COUNT(*)\"\n").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_lendwright"));
    let command = command.args(["check", "--watch"]).arg(&policy).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut running = Running(command.spawn().unwrap());
    let mut lines = BufReader::new(running.0.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().ends_with("policy.toml: ok"));
    std::fs::write(&used, "[metric]\nx = \"CONT(*) + 1\"\n").unwrap();
    assert!(lines.next().unwrap().unwrap().ends_with("policy.toml: 1 error"));
    std::fs::write(&used, "[metric]\nx = \"COUNT(*) + 100\"\n").unwrap();
    assert!(lines.next().unwrap().unwrap().ends_with("policy.toml: ok"));
}
