//! Static analysis: its pages of codes, and what `check` prints. `campaigns/analysis_claims` tries its claims about
//! random policies.

mod codes;
mod contradictory_conditions;
mod dead_rows;
mod dictionary;
mod large;
mod mistakes;
mod odd_input;
mod offers;
mod parameters;
mod prices;
mod watch;

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
    for line in [
        "score 300 to 560",
        "grade 'A', 'B', 'C', 'D', or unknown",
        "staleness_days 0 to 109937, or unknown",
        "span_days 1 to 109938, or unknown",
    ] {
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

/// Ends the program even if the test fails.
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
    let header = "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n\
         use = [\"used.toml\"]\n\
         [[offer]]\nid = \"o\"\ntenure = 30\namount = 500\ninterest = 4.5\n";
    let policy = folder.path().join("policy.toml");
    std::fs::write(&policy, header).unwrap();
    let used = folder.path().join("used.toml");
    std::fs::write(&used, "[metric]\nx = \"COUNT(*)\"\n").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_lendwright"));
    let command = command.args(["check", "--watch"]).arg(&policy).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut running = Running(command.spawn().unwrap());
    let mut lines = BufReader::new(running.0.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().ends_with("policy.toml: ok"));
    // On a loaded machine one save can look like two changes: in between the file is empty.
    let mut until = |end: &str| assert!(lines.by_ref().any(|line| line.unwrap().ends_with(end)), "never {end}");
    std::fs::write(&used, "[metric]\nx = \"CONT(*) + 1\"\n").unwrap();
    until("policy.toml: 1 error");
    std::fs::write(&used, "[metric]\nx = \"COUNT(*) + 100\"\n").unwrap();
    until("policy.toml: ok");
}

/// Seconds, so generous that only an unbounded search fails here; benches/criterion/rules.rs measures the time.
const IN_TIME: std::time::Duration = std::time::Duration::from_secs(20);

fn analysed(text: &str) -> (Vec<lendwright::base::diagnostic::Diagnostic>, std::time::Duration) {
    let from = std::time::Instant::now();
    let policy = lendwright::compile("large", text, &mut |_| Err("no files".into()), &[])
        .unwrap_or_else(|wrong| panic!("{wrong}"));
    let loaded = from.elapsed();
    let found = lendwright::analysis::analyse(&policy);
    println!("{} lines: loaded in {loaded:?}, all in {:?}", text.lines().count(), from.elapsed());
    (found, from.elapsed())
}

#[test]
fn two_thousand_lines_are_checked_in_time() {
    let text = large::policy();
    assert!(text.lines().count() > 1_900, "{}", text.lines().count());
    let (found, took) = analysed(&text);
    assert!(found.is_empty(), "{found:?}");
    assert!(took < IN_TIME, "{took:?}");
}

#[test]
fn tables_of_thousands_of_rows_are_searched_or_said_not_to_be() {
    const HEADER: &str = "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n";
    let table = |hit: &str, inputs: &str, rows: &[String]| {
        let use_it = "[[require]]\nid = \"R\"\nwhen = \"g > 3\"\nreason = \"{g}\"\n";
        format!(
            "{HEADER}[table.t]\nhit = \"{hit}\"\ninputs = [{inputs}]\noutputs = {{ g = \"number\" }}\nrows = [\n{}\n]\n\
             {use_it}",
            rows.join(",\n")
        )
    };
    // A bank's branches: 5,000 different codes, one of them missing and one there twice.
    let mut rows: Vec<String> =
        (0..5_000).filter(|n| *n != 777).map(|n| format!("[\"{n}\", \"-\", {}]", n % 9)).collect();
    rows.push("[\">= 5000\", \"-\", 1]".into());
    rows.push("[\"4321\", \"> 3\", 2]".into());
    let (found, took) = analysed(&table("first", "\"COUNT(*)\", \"COUNT(DISTINCT trans_date)\"", &rows));
    let messages: Vec<&str> = found.iter().map(|finding| finding.message.as_str()).collect();
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert!(messages.iter().any(|said| said.contains("COUNT(*) = 777")), "{messages:?}");
    assert!(
        messages.iter().any(|said| said.contains("row 5001") && said.contains("row 4321 already matches everything")),
        "{messages:?}"
    );
    assert!(took < IN_TIME, "{took:?}");
    // Many columns of ranges that cross each other: more combinations than can be examined.
    let mut state = 5_u64;
    let mut below = |count: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % count
    };
    let inputs: Vec<String> = (1..=8).map(|n| format!("\"COUNT(*) FILTER (WHERE within({n}))\"")).collect();
    let rows: Vec<String> = (0..2_000)
        .map(|n| {
            let cells: Vec<String> =
                (0..8).map(|_| below(500)).map(|low| format!("\"{low}..{}\"", low + 900)).collect();
            format!("[{}, {}]", cells.join(", "), n % 7)
        })
        .collect();
    let (found, took) = analysed(&table("first", &inputs.join(", "), &rows));
    assert!(found.iter().any(|finding| finding.code == "not-searched" || finding.code == "gap"), "{found:?}");
    assert!(took < IN_TIME, "{took:?}");
}
