//! Wrong rule files, and what an analyst reads: one file per kind of mistake in `testdata/rules/errors`, and a snapshot
//! of what `check` prints: unknown names with "did you mean", rows that overlap, wrong types and units, missing keys.

use std::path::{Path, PathBuf};
use std::process::Command;

use lendwright::compile;

use crate::fixtures::campaign;

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files() -> Vec<PathBuf> {
    let folder = std::fs::read_dir(here().join("testdata/rules/errors")).unwrap();
    let mut files: Vec<_> = folder.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// Exit status, standard output, standard error.
fn check(arguments: &[&str], file: &Path) -> (Option<i32>, String, String) {
    let relative = file.strip_prefix(here()).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_lendwright"));
    let output = command.arg("check").args(arguments).arg(relative).current_dir(here()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap().replace('\\', "/");
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn every_mistake_is_told_at_its_place() {
    for file in files() {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let (status, out, err) = check(&[], &file);
        assert_eq!(status, Some(1), "{name}: {out}{err}");
        insta::assert_snapshot!(name, format!("{err}{out}"));
    }
}

#[test]
fn mistakes_as_json_have_the_same_places() {
    let file = here().join("testdata/rules/errors/several.toml");
    let (status, out, err) = check(&["--format", "json"], &file);
    assert_eq!((status, err.as_str()), (Some(1), ""));
    insta::assert_snapshot!(out);
}

const HEADER: &str = "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n";

/// The codes of what is wrong with a policy of one metric.
fn codes(expression: &str) -> Vec<String> {
    let text = format!("{HEADER}[metric]\nx = '''{expression}'''\n");
    match compile("x.toml", &text, &mut |_| Err("no files".to_owned()), &[]) {
        Ok(_) => Vec::new(),
        Err(refused) => refused.diagnostics.iter().map(|diagnostic| diagnostic.code.to_string()).collect(),
    }
}

#[test]
fn what_is_nested_or_long_beyond_reason_is_refused_and_not_overflowed() {
    let nested = format!("{}1{}", "(".repeat(10_000), ")".repeat(10_000));
    let terms = vec!["COUNT(*)"; 10_000].join(" + ");
    let not = format!("{} TRUE", "NOT ".repeat(10_000));
    let minus = format!("{} 1", "- ".repeat(1_500));
    let cases = format!("{} 1 {}", "CASE WHEN TRUE THEN ".repeat(400), "END ".repeat(400));
    let calls = format!("{}1{}", "ABS(".repeat(150), ")".repeat(150));
    for expression in [nested, terms, not, minus, cases, calls] {
        let found = codes(&expression);
        assert!(found.len() == 1 && ["too-long", "syntax"].contains(&found[0].as_str()), "{found:?}");
    }
    // What a person may write is accepted.
    assert_eq!(codes(&vec!["COUNT(*)"; 200].join(" + ")), [""; 0]);
    assert_eq!(codes(&format!("{}1{}", "(".repeat(40), ")".repeat(40))), [""; 0]);
}

#[test]
fn a_file_that_is_no_text_or_far_too_long_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = folder.path().join("bytes.toml");
    std::fs::write(&bytes, [0xff, 0xfe, 0x00]).unwrap();
    let wrong = lendwright::load_policy(&bytes, &[]).unwrap_err().to_string();
    assert!(wrong.contains("not valid UTF-8") || wrong.contains("UTF-8"), "{wrong}");
    let long = folder.path().join("long.toml");
    std::fs::write(&long, format!("{HEADER}\n# {}\n", "x".repeat(100 << 20))).unwrap();
    let wrong = lendwright::load_policy(&long, &[]).unwrap_err().to_string();
    assert!(wrong.contains("larger than"), "{wrong}");
}

#[test]
fn every_rule_file_that_ships_is_without_a_word_of_warning() {
    let folders = ["rules", "rules/words", "rules/markets"];
    let folders = folders.map(|folder| std::fs::read_dir(here().join(folder)).unwrap());
    let mut files: Vec<_> = folders
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some())
        .collect();
    files.sort();
    assert!(files.len() > 3);
    for file in files.iter().filter(|file| !file.to_string_lossy().ends_with(".cases.toml")) {
        let (status, out, err) = check(&[], file);
        assert_eq!((status, err.as_str()), (Some(0), ""), "{out}");
        assert!(out.ends_with(": ok\n") || out.ends_with(": ok, for policies to use\n"), "{out}");
    }
}

/// Typing slips at random places of the shipped policies: each is reported or changes nothing in the program, and none
/// panics.
#[test]
fn a_slip_anywhere_is_told_in_time_and_never_a_panic() {
    let shared = std::fs::read_to_string(here().join("rules/metrics.toml")).unwrap();
    let mut seed = 7u64;
    let mut chance = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    let (mut told, slips) = (0, campaign::size(25, 100));
    for name in ["starter", "salary-advance", "small-business"] {
        let text = std::fs::read_to_string(here().join(format!("rules/{name}.toml"))).unwrap();
        for _ in 0..slips {
            let letters: Vec<char> = text.chars().collect();
            let at = chance(letters.len());
            let signs = ['(', ')', '"', '$', '{', ',', '.', '9', '-', '\'', '\n', '₦', '[', '='];
            let (before, after) = letters.split_at(at);
            let middle: Vec<char> = match chance(4) {
                0 => after[1.min(after.len())..].to_vec(),
                1 => [&[signs[chance(signs.len())]], after].concat(),
                2 => [&[signs[chance(signs.len())]], &after[1.min(after.len())..]].concat(),
                _ => Vec::new(),
            };
            let slipped: String = before.iter().chain(&middle).collect();
            if let Err(refused) = compile("slip.toml", &slipped, &mut |_| Ok(shared.clone()), &[]) {
                told += 1;
                for found in &refused.diagnostics {
                    let source = refused.sources.get(found.span).expect("a place in one of the files");
                    let (start, end) = (found.span.start as usize, found.span.end as usize);
                    assert!(source.text.get(start..end).is_some(), "{found:?} points between letters");
                    assert!(!found.message.is_empty() && !found.message.contains("DeValue"), "{found:?}");
                }
            }
        }
    }
    assert!(told > slips, "{told} of {} slips were told", 3 * slips);
}

/// An offer valid for no day has expired when it is sent.
#[test]
fn an_offer_is_valid_for_a_day_at_least() {
    for (days, is_good) in [("0", false), ("1", true), ("3650", true), ("3651", false), ("-1", false), ("1.5", false)] {
        let text = format!(
            "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n[[offer]]\nid = \"o\"\n\
             tenure = 30\namount = 5\ninterest = 3\nvalid_for_days = {days}\n"
        );
        let compiled = lendwright::compile("policy.toml", &text, &mut |_| Err("none".into()), &[]);
        assert_eq!(compiled.is_ok(), is_good, "{days}");
        let said = compiled.err().map(|refused| refused.to_string()).unwrap_or_default();
        assert!(is_good || said.contains("from 1 to 3,650"), "{said}");
    }
}

#[test]
fn an_allowed_warning_is_gone_also_where_warnings_are_denied() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("allowed.toml");
    let offer = "[[offer]]\nid = \"line\"\ntenure = 30\namount = \"0.1 * SUM(credit)\"\n";
    let run = |interest: &str| {
        std::fs::write(&file, format!("{HEADER}tenure_unit = \"days\"\n{offer}{interest}\n")).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_lendwright"));
        let output = command.args(["check", "--deny", "warnings"]).arg(&file).output().unwrap();
        (output.status.success(), String::from_utf8(output.stderr).unwrap())
    };
    assert!(!run("interest = 36").0);
    assert_eq!(run("interest = 36 # check allow large-interest: a bridge loan"), (true, String::new()));
    let (passes, told) = run("# check allow small-interest: a bridge loan\ninterest = 36");
    assert!(!passes && told.contains("large-interest") && told.contains("`small-interest` is allowed, but"), "{told}");
}

#[test]
fn some_warnings_are_denied() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dear.toml");
    let offer = "[[offer]]\nid = \"line\"\ntenure = 30\namount = \"0.1 * SUM(credit)\"\ninterest = 36\n";
    std::fs::write(&file, format!("{HEADER}tenure_unit = \"days\"\n{offer}")).unwrap();
    let run = |denied: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lendwright"));
        let output = command.args(["check", "--deny", denied]).arg(&file).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(run("gap,large-interest").0, Some(1));
    assert_eq!(run("gap,small-interest").0, Some(0));
    let (status, told) = run("gap,large-intrest");
    assert!(status == Some(2) && told.contains("did you mean `large-interest`?"), "{told}");
}
