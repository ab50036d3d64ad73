//! `check` on files that nobody means to write: it reports the mistakes briefly, ends, and sends no control characters
//! to the terminal.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value as Json;

const HEADER: &str = "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n";

fn check_in(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lendwright"));
    command.arg("check").args(arguments).current_dir(folder).stdin(Stdio::null()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The outcome of checking a file of these bytes.
fn of(bytes: &[u8]) -> (Option<i32>, String, String) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("odd.toml"), bytes).unwrap();
    let output = check_in(folder.path(), &["odd.toml"]);
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn policy(more: &str) -> String {
    format!("{HEADER}{more}")
}

#[test]
fn a_function_that_is_none_is_suggested_whatever_is_called_with_it() {
    for call in ["CONT(*)", "SUMM(credit) FILTER (WHERE within(3))", "CONT(DISTINCT bank)"] {
        let (status, _, err) = of(policy(&format!("[metric]\nx = \"{call}\"\n")).as_bytes());
        assert_eq!(status, Some(1));
        assert!(err.contains("unknown-function") && err.contains("did you mean `"), "{call}: {err}");
    }
}

#[test]
fn long_lines_are_cut_and_keep_their_place() {
    let sum = "COUNT(*) + ".repeat(100);
    for (more, column) in [("", 1_106), (&*"+ 1 ".repeat(2_000), 1_106)] {
        let rules = policy(&format!("[metric]\nx = \"{sum}nobody {more}\"\n"));
        let (_, _, err) = of(rules.as_bytes());
        assert!(err.lines().all(|line| line.chars().count() < 320), "{err}");
        if more.is_empty() {
            assert!(err.contains(&format!("odd.toml:7:{column}")) && err.contains("│ …"), "{err}");
            let (line, mark) =
                (err.lines().find(|line| line.contains("nobody \"")), err.lines().find(|line| line.contains('┬')));
            let letters = |text: &str, sign: &str| text[..text.find(sign).unwrap()].chars().count();
            let (under, at) = (letters(mark.unwrap(), "─"), letters(line.unwrap(), "nobody"));
            assert_eq!(under, at, "{err}");
        }
    }
    let lists = format!("x = {}\n", "[".repeat(20_000));
    let (status, _, err) = of(policy(&lists).as_bytes());
    assert!(status == Some(1) && err.len() < 2_000, "{err}");
    let name = "n".repeat(50_000);
    let (_, _, err) = of(policy(&format!("[metric]\nx = \"{name}\"\n")).as_bytes());
    assert!(err.len() < 8_000, "{}", err.len());
}

#[test]
fn columns_count_letters_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let rules = policy("[metric]\nx = \"COUNT(*) FILTER (WHERE code = '💰日本') + nobody\"\n");
    std::fs::write(folder.path().join("odd.toml"), rules).unwrap();
    let json: Json =
        serde_json::from_slice(&check_in(folder.path(), &["--format", "json", "odd.toml"]).stdout).unwrap();
    let shown = text(&check_in(folder.path(), &["odd.toml"]).stderr);
    assert!(shown.contains(&format!("odd.toml:7:{}]", json["column"])), "{shown}\n{json}");
}

#[test]
fn a_terminal_gets_nothing_to_obey() {
    let signs = ["\u{1b}[31m", "\u{7}", "\u{9b}2J", "\u{202e}"];
    for sign in signs {
        for rules in [
            format!("[metric]\nx = \"COUNT(*) + {sign}\"\n"),
            format!("[metric]\nx = \"nobody\" # {sign}\n"),
            format!("[words]\n\"{sign}\" = []\n"),
        ] {
            let (_, out, err) = of(policy(&rules).as_bytes());
            assert!(!err.contains(sign) && !out.contains(sign) && !err.is_empty(), "{err:?}");
        }
        let escaped: String = sign.chars().map(|sign| format!("\\u{:04x}", u32::from(sign))).collect();
        let (_, _, err) =
            of(policy(&format!("[metric]\nx = \"{escaped}\"\n[request]\n\"{escaped}\" = \"money\"\n")).as_bytes());
        assert!(!err.contains(sign), "{err:?}");
        let explained = check_in(Path::new("."), &["--explain", sign]);
        assert!(!text(&explained.stderr).contains(sign));
    }
}

#[test]
fn bytes_that_are_no_rule_file_are_refused_in_a_few_words() {
    let mut giant = policy("").into_bytes();
    giant.resize(5 << 20, b'#');
    let tables: [(&[u8], &str); 7] = [
        (b"", "missing-policy"),
        (b"\n\n", "missing-policy"),
        (&giant, "larger than 4 MB"),
        (b"[policy]\nname = \"\xff\xfe\"\n", "line 2 is not valid UTF-8"),
        (b"\xff\xfe[\0p\0o\0", "not valid UTF-8"),
        (b"PK\x03\x04\0\0\0", "toml"),
        (b"\0\0\0", "toml"),
    ];
    for (bytes, said) in tables {
        let (status, _, err) = of(bytes);
        assert_eq!(status, Some(1), "{err}");
        assert!(err.contains(said) && err.len() < 2_000, "{said}: {err}");
    }
}

/// Endless input is read only up to the size limit of rule files.
#[test]
#[cfg(target_os = "linux")]
fn what_never_ends_is_refused() {
    let output = check_in(Path::new("."), &["/dev/zero"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("larger than 4 MB"));
}

#[test]
fn files_that_use_each_other_oddly_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, rules: &str| std::fs::write(folder.path().join(name), rules).unwrap();
    std::fs::create_dir(folder.path().join("folder.toml")).unwrap();
    let using = |used: &str| format!("{HEADER}use = [{used}]\n");
    write("a.toml", &using("\"b.toml\""));
    write("b.toml", "use = [\"c.toml\"]\n");
    write("c.toml", "use = [\"b.toml\"]\n");
    write("self.toml", &using("\"self.toml\""));
    write("folders.toml", &using("\"folder.toml\", \"nowhere.toml\", \"/dev/zero\", \"\""));
    write(
        "rows.toml",
        &policy(
            "[table.t]\nhit = \"first\"\ninputs = [\"COUNT(*)\"]\noutputs = { g = \"text\" }\nrows = \"rows.csv\"\n",
        ),
    );
    std::fs::write(folder.path().join("rows.csv"), b"COUNT(*),g\n< 3,A\n\"< 4,\xff\n").unwrap();
    for (name, said) in [
        ("a.toml", "in a cycle"),
        ("self.toml", "cannot use itself"),
        ("folders.toml", "`nowhere.toml` cannot be read"),
        ("rows.toml", "line 3 is not valid UTF-8"),
    ] {
        let output = check_in(folder.path(), &[name]);
        assert_eq!(output.status.code(), Some(1), "{name}");
        assert!(text(&output.stderr).contains(said), "{name}: {}", text(&output.stderr));
    }
    let rows = "COUNT(*),g\n\"< 3,A\n>= 3,B,C\n";
    std::fs::write(folder.path().join("rows.csv"), rows).unwrap();
    let output = check_in(folder.path(), &["rows.toml"]);
    assert!(output.status.code() == Some(1) && text(&output.stderr).contains("rows.csv:2"), "{}", text(&output.stderr));
}

#[test]
fn what_cannot_be_read_stands_in_sarif_too() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("odd file.toml"), policy("[metric]\nx = \"nobody\"\ny = \"nobody\"\n")).unwrap();
    let whole = folder.path().join("odd file.toml");
    let output =
        check_in(folder.path(), &["--format", "sarif", "nowhere.toml", "odd file.toml", whole.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    let run = &serde_json::from_slice::<Json>(&output.stdout).unwrap()["runs"][0];
    let invocation = &run["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let told = invocation["toolExecutionNotifications"][0]["message"]["text"].as_str().unwrap();
    assert!(told.contains("nowhere.toml"), "{told}");
    let results = run["results"].as_array().unwrap();
    let of = |pointer: &str| {
        results.iter().map(|result| result.pointer(pointer).unwrap().as_str().unwrap()).collect::<Vec<_>>()
    };
    let uris = of("/locations/0/physicalLocation/artifactLocation/uri");
    assert!(uris.contains(&"odd%20file.toml") && uris.iter().any(|uri| uri.starts_with("file:///")), "{uris:?}");
    let mut fingerprints = of("/partialFingerprints/primaryLocationLineHash");
    let count = fingerprints.len();
    fingerprints.sort_unstable();
    fingerprints.dedup();
    assert_eq!(fingerprints.len(), count, "{fingerprints:?}");
    let valid = check_in(&PathBuf::from(env!("CARGO_MANIFEST_DIR")), &["--format", "sarif", "rules/starter.toml"]);
    let run = &serde_json::from_slice::<Json>(&valid.stdout).unwrap()["runs"][0];
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
}

/// A finding keeps its fingerprint when lines are added above it.
#[test]
fn fingerprints_outlive_lines_above() {
    let print = |above: &str| {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("odd.toml"), policy(&format!("{above}[metric]\nx = \"nobody\"\n"))).unwrap();
        let output = check_in(folder.path(), &["--format", "sarif", "odd.toml"]);
        let document: Json = serde_json::from_slice(&output.stdout).unwrap();
        document["runs"][0]["results"][0]["partialFingerprints"].clone()
    };
    assert_eq!(print(""), print("# one\n\n# two\n"));
    assert!(print("").is_object());
}

#[test]
fn what_does_not_go_together_is_said() {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let status = |arguments: &[&str]| check_in(&here, arguments).status.code();
    assert_eq!(status(&["--deny", "everything", "rules/starter.toml"]), Some(2));
    assert_eq!(status(&["--explain"]), Some(2));
    assert_eq!(status(&[]), Some(2));
    assert_eq!(status(&["--explain", "gap", "--watch"]), Some(2));
    let output = check_in(&here, &["--format", "sarif", "--ranges", "rules/starter.toml"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty() && text(&output.stderr).contains("SARIF holds only findings"));
    let long = check_in(&here, &["--explain", &"a".repeat(10_000)]);
    assert!(long.status.code() == Some(1) && long.stderr.len() < 300);
}
