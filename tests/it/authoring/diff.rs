//! What `diff` reports: pairs of rule files with the printed changes, and what holds for every pair.

use std::path::{Path, PathBuf};
use std::process::Command;

use lendwright::diff::{PolicyChange, compare_policies};
use lendwright::editor::format::format_rule_file;
use lendwright::{Policy, compile, load_policy};
use lendwright_fuzz::policy::{generate, text};
use lendwright_fuzz::random::Source;
use proptest::prelude::*;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn rules() -> PathBuf {
    root().join("rules")
}

fn pairs() -> PathBuf {
    root().join("testdata/rules/diff")
}

/// What `diff` prints, and its status.
fn diff(folder: &Path, arguments: &[&str]) -> (String, Option<i32>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lendwright"));
    let output = command.arg("diff").args(arguments).current_dir(folder).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    ((text(&output.stdout) + &text(&output.stderr)).trim_end().to_owned(), output.status.code())
}

/// The changes after replacing `from` by `to`, once, in a shipped policy.
fn edited(policy: &str, from: &str, to: &str) -> Vec<PolicyChange> {
    let path = rules().join(policy);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{policy} has no {from}");
    let mut read = |name: &str| std::fs::read_to_string(rules().join(name)).map_err(|error| error.to_string());
    let new =
        compile(policy, &text.replacen(from, to, 1), &mut read, &[]).unwrap_or_else(|refused| panic!("{refused}"));
    compare_policies(&load_policy(&path, &[]).unwrap(), &new)
}

/// One edit of `shipped.txt`: its title, the policy, the file, and the replacement.
struct Edit {
    title: String,
    policy: String,
    file: String,
    lines: Vec<(String, String)>,
}

fn shipped_edits() -> Vec<Edit> {
    let text = std::fs::read_to_string(pairs().join("shipped.txt")).unwrap();
    let mut edits: Vec<Edit> = Vec::new();
    for line in text.lines().skip(1) {
        let last = edits.last_mut();
        match (line.split_at_checked(2), last) {
            (Some(("# ", title)), _) => edits.push(Edit {
                title: title.to_owned(),
                policy: String::new(),
                file: String::new(),
                lines: Vec::new(),
            }),
            (Some(("- ", from)), Some(edit)) => match edit.lines.last_mut().filter(|(_, to)| to.is_empty()) {
                Some((before, _)) => *before += &format!("\n{from}"),
                None => edit.lines.push((from.to_owned(), String::new())),
            },
            (Some(("+ ", to)), Some(edit)) => {
                let (_, after) = edit.lines.last_mut().unwrap();
                *after += &format!("{}{to}", if after.is_empty() { "" } else { "\n" });
            }
            (Some(_), Some(edit)) => {
                let (policy, file) = line.split_once(" in ").unwrap_or((line, line));
                (edit.policy, edit.file) = (policy.to_owned(), file.to_owned());
            }
            _ => {}
        }
    }
    edits
}

#[test]
fn edits_of_the_policies_that_ship() {
    let mut said = String::new();
    let edits = shipped_edits();
    assert!(edits.len() >= 25);
    for edit in edits {
        let desk = tempfile::tempdir().unwrap();
        for side in ["before", "after"] {
            std::fs::create_dir(desk.path().join(side)).unwrap();
            for name in [edit.policy.as_str(), "metrics.toml", "words.toml"] {
                std::fs::copy(rules().join(name), desk.path().join(side).join(name)).unwrap();
            }
        }
        let changed = desk.path().join("after").join(&edit.file);
        let mut text = std::fs::read_to_string(&changed).unwrap();
        for (from, to) in &edit.lines {
            assert!(text.contains(from), "{}: {} has no {from}", edit.title, edit.file);
            text = text.replacen(from, to, 1);
        }
        std::fs::write(&changed, text).unwrap();
        let (before, after) = (format!("before/{}", edit.policy), format!("after/{}", edit.policy));
        let (out, status) = diff(desk.path(), &[&before, &after]);
        assert_eq!(status, Some(0), "{}: {out}", edit.title);
        said += &format!("# {}\n{out}\n\n", edit.title);
    }
    insta::assert_snapshot!("diff_shipped", said);
}

#[test]
fn pairs_of_rule_files() {
    let mut said = String::new();
    let mut names: Vec<_> = std::fs::read_dir(pairs()).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    for path in names {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let (title, before, after) = match name.strip_suffix(".before.toml") {
            Some(stem) => (stem.to_owned(), name.clone(), format!("{stem}.after.toml")),
            None if path.join("before/policy.toml").exists() => {
                (name.clone(), format!("{name}/before/policy.toml"), format!("{name}/after/policy.toml"))
            }
            None if path.is_dir() => (name.clone(), format!("{name}/before"), format!("{name}/after")),
            None => continue,
        };
        let (out, status) = diff(&pairs(), &[&before, &after]);
        assert_eq!(status, Some(0), "{title}: {out}");
        said += &format!("# {title}\n{out}\n\n");
        let differs = diff(&pairs(), &[&before, &after, "--exit-code"]).1;
        assert_eq!(differs, Some(i32::from(title != "same")), "{title}");
    }
    insta::assert_snapshot!("diff_pairs", said);
}

#[test]
fn a_file_is_held_against_its_version_in_a_folder_else_the_latest() {
    let folder = pairs().join("versions");
    let (said, _) = diff(&folder, &["before/2025.toml", "after"]);
    assert_eq!(said, "they say the same");
    let (said, _) = diff(&folder, &["before/2026.toml", "after"]);
    assert_eq!(said, "version 2026\n  [policy]\n    valid_to added: 2026-12-31");
    let (said, _) = diff(&folder, &["after", "before/2024.toml"]);
    assert!(said.starts_with("version 2027\n  [policy]\n    version: 2027 -> 2024"), "{said}");
    let (said, _) = diff(&folder, &["before", "before"]);
    assert_eq!(said, "they say the same");
}

#[test]
fn a_change_says_where_it_is() {
    let edits = [
        ("min_full_months = { value = 3,", "min_full_months = { value = 4,", "parameters", "min_full_months", ""),
        ("value = 3, min = 1, max = 12", "value = 3, min = 2, max = 12", "parameters", "min_full_months", "min"),
        ("else = \"decline\"", "else = \"refer\"", "require", "R01", "else"),
        ("[\"< 0.35\", 0]", "[\"< 0.35\", 1]", "score", "earned_share", "bin 1"),
        (
            "[\"-\",      \"-\",    \"-\",    \"-\",    \"-\",    \"-\",       \"D\", 8.0,       0],",
            "",
            "table",
            "grade",
            "row 4",
        ),
        (
            "\"B\", 4.5, 250_000",
            "\"B\", 4.5, 260_000",
            "table",
            "grade",
            "row 2 (score >= 400 and returned_days_90d <= 1 and COALESCE(earned_share, 0) >= 0.35), cap",
        ),
        ("tenure = 30", "tenure = 31", "offer", "30d", "tenure"),
    ];
    for (from, to, section, name, what) in edits {
        let changes = edited("starter.toml", from, to);
        let [change] = changes.as_slice() else { panic!("{from} -> {to}: {changes:#?}") };
        assert_eq!((change.section, change.name.as_str(), change.what.as_str()), (section, name, what), "{change:?}");
    }
}

#[test]
fn what_changes_no_meaning_is_no_change() {
    for policy in ["starter.toml", "salary-advance.toml", "small-business.toml"] {
        let path = rules().join(policy);
        let own = load_policy(&path, &[]).unwrap();
        assert_eq!(compare_policies(&own, &own), []);
        let text = std::fs::read_to_string(&path).unwrap();
        let spaced: String = text.lines().map(|line| format!("{line}\n\n")).collect();
        let commented = spaced.replace("\n[[require]]\n", "\n# About this\n[[require]]\n");
        let mut read = |name: &str| std::fs::read_to_string(rules().join(name)).map_err(|error| error.to_string());
        let new = compile(policy, &commented, &mut read, &[]).unwrap();
        assert_eq!(compare_policies(&own, &new), [], "{policy}");
    }
    let same = |from: &str, to: &str| assert_eq!(edited("starter.toml", from, to), [], "{to}");
    same("when = \"staleness_days <= $max_staleness\"", "when = \"staleness_days<=$max_staleness\"");
    same("grade IN ('A', 'B')", "grade in ('A','B')");
    same("tenure_unit = \"days\"", "tenure_unit = \"days\"\nfee_mode = \"added\"");
}

/// The edits on the page, and the changes it shows.
#[test]
fn the_page_about_changes_prints_what_it_says() {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guides/diff.md")).unwrap();
    let block = |after: &str| page.split_once(after).unwrap().1.split_once("\n```").unwrap().0.to_owned();
    let mut text = std::fs::read_to_string(rules().join("starter.toml")).unwrap();
    for edit in block("```edits\n").lines() {
        let (from, to) = edit.split_once(" ==> ").unwrap();
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to.split(" #").next().unwrap(), 1);
    }
    let desk = tempfile::tempdir().unwrap();
    for name in ["metrics.toml", "words.toml", "starter.toml"] {
        std::fs::copy(rules().join(name), desk.path().join(name)).unwrap();
    }
    std::fs::write(desk.path().join("mine.toml"), &text).unwrap();
    let run = |arguments: &[&str]| diff(desk.path(), arguments);
    let (said, code) = run(&["starter.toml", "mine.toml"]);
    assert_eq!((said, code), (block("`diff` prints:\n\n```\n"), Some(0)));
    assert_eq!(run(&["starter.toml", "mine.toml", "--exit-code"]).1, Some(1));
    assert_eq!(run(&["starter.toml", "starter.toml", "--exit-code"]), ("they say the same".to_owned(), Some(0)));
    let (said, _) = diff(&pairs().join("versions"), &["before", "after"]);
    assert_eq!(said, block("removed one is only named:\n\n```\n"));
    let (json, _) = run(&["starter.toml", "mine.toml", "--format", "json"]);
    let changes: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(changes[0]["after"], "6");
    assert_eq!(run(&["starter.toml", "none.toml"]).1, Some(1));
}

#[test]
fn a_sentence_counts_to_the_letter_and_a_challenger_is_another_policy() {
    let changes = edited("starter.toml", "reason = \"Only", "reason = \"only");
    assert_eq!(changes.len(), 1, "{changes:#?}");
    let head = |extra: &str| {
        format!("[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n{extra}")
    };
    let table = "[metric]\nn = \"COUNT(*)\"\n[table.t]\nhit = \"first\"\ninputs = [\"n\"]\noutputs = { g = \"text\" }\n\
        rows = \"g.csv\"\n[score]\nbase = 0\n[[score.item]]\non = \"n\"\npoints = [[\"-\", 1]]\n[[score.item]]\n\
        on = \"n\"\npoints = [[\"-\", 2]]\n";
    let policy = |cell: &str| {
        let rows = format!("n,g\n-,{cell}\n");
        let mut read = |name: &str| match name {
            "two.toml" => Ok(head("[metric]\nother = \"1\"\n")),
            "big.csv" => Ok("n,g\n-,no\n".to_owned()),
            "g.csv" => Ok(rows.clone()),
            _ => Err("none".to_owned()),
        };
        let challenger = "challenger = { file = \"two.toml\", share = 0.1, salt = \"s\" }\n";
        compile("one.toml", &(head(challenger) + table), &mut read, &[]).unwrap_or_else(|refused| panic!("{refused}"))
    };
    assert_eq!(compare_policies(&policy("A"), &policy("A")), []);
    let changes = compare_policies(&policy("A"), &policy("a"));
    assert_eq!(changes.len(), 1, "{changes:#?}");
}

/// Without a unit `3` is whole and `3.0` is not, and so is what is computed with them.
#[test]
fn a_parameter_that_becomes_a_fraction_is_a_change() {
    let policy = |parameter: &str| {
        let text = format!(
            "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\n\
             time_zone = \"UTC\"\n             [parameters]\np = {parameter}\n[metric]\nx = \"$p\"\n"
        );
        compile("one.toml", &text, &mut |_| Err("none".into()), &[]).unwrap_or_else(|refused| panic!("{refused}"))
    };
    let told = |one: &str, other: &str| -> Vec<(Option<String>, Option<String>)> {
        let changes = compare_policies(&policy(one), &policy(other)).into_iter();
        changes.map(|change| (change.before, change.after)).collect()
    };
    assert_eq!(told("3", "3.0"), [(Some("3".to_owned()), Some("3.0".to_owned()))]);
    assert_eq!(told("{ value = 3.0, doc = \"d\" }", "3").len(), 1);
    for (one, other) in [
        ("3.50", "3.5"),
        ("1_000", "1000"),
        ("{ value = 3, unit = \"money\" }", "{ value = 3.00, unit = \"money\" }"),
        ("{ value = 3, min = 1 }", "{ value = 3, min = 1.0 }"),
    ] {
        assert_eq!(told(one, other), [], "{one} {other}");
    }
}

#[test]
fn what_only_says_a_default_is_no_change() {
    let policy = |score: &str, code: &str, exposure: &str| {
        let text = format!(
            "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n             [metric]\n\
             n = \"COUNT(*)\"\n[exposure]\nlimit = 500\n{exposure}\n[score]\nbase = 0\n\
             {score}\n             [[score.item]]\non = \"n\"\n{code}\npoints = [[\"-\", 1]]\n"
        );
        compile("one.toml", &text, &mut |_| Err("none".into()), &[]).unwrap_or_else(|refused| panic!("{refused}"))
    };
    let code = "code = \"S1\"\nreason = \"few\"";
    let plain = policy("", code, "");
    assert_eq!(compare_policies(&plain, &policy("reasons = 4", code, "existing = 0")), []);
    assert_eq!(compare_policies(&policy("reasons = 4", code, "existing = 0.00"), &plain), []);
    assert_eq!(compare_policies(&policy("", "", ""), &policy("reasons = 0", "", "")), []);
    let what = |old: &Policy, new: &Policy| -> Vec<String> {
        compare_policies(old, new).into_iter().map(|change| change.what).collect()
    };
    assert_eq!(what(&plain, &policy("reasons = 3", code, "existing = 5")), ["reasons", "existing"]);
    assert_eq!(what(&policy("", "", ""), &plain), ["code", "reason"]);
}

/// In a table of thousands of rows, a row inserted at the top and one changed at the end are two changes.
#[test]
fn long_tables_are_compared_row_by_row() {
    let policy = |rows: &[String]| {
        let text = "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n[metric]\n\
            n = \"COUNT(*)\"\n[table.t]\nhit = \"first\"\ninputs = [\"n\"]\n\
            outputs = { g = \"text\", h = \"number\" }\nrows = \"g.csv\"\n";
        let rows = format!("n,g,h\n{}\n", rows.join("\n"));
        compile("one.toml", text, &mut |_| Ok(rows.clone()), &[]).unwrap_or_else(|refused| panic!("{refused}"))
    };
    let old: Vec<String> = (0..6_000).map(|at| format!(">= {},g{},{at}", 6_000 - at, at % 5)).collect();
    let mut new = old.clone();
    new[5_990] = new[5_990].replace("g0", "g9");
    new.insert(3, "8000,x,1".to_owned());
    let changes = compare_policies(&policy(&old), &policy(&new));
    let told: Vec<&str> = changes.iter().map(|change| change.what.as_str()).collect();
    assert_eq!(told, ["row 4", "row 5992 (n >= 10), g"]);
    let dearer: Vec<String> = old.iter().map(|row| format!("{row}.5")).collect();
    assert_eq!(compare_policies(&policy(&old), &policy(&dearer)).len(), 6_000);
}

/// The longest expression that is read is compared as well.
#[test]
fn long_expressions_are_compared() {
    let policy = |last: &str| {
        let sum = "n+".repeat(980) + last;
        let deep = format!("{}n{}", "(1 + ".repeat(30), ")".repeat(30));
        let text = format!(
            "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n[metric]\n\
             n = \"COUNT(*)\"\nsum = \"{sum}\"\ndeep = \"{deep}\"\n"
        );
        compile("one.toml", &text, &mut |_| Err("none".into()), &[]).unwrap_or_else(|refused| panic!("{refused}"))
    };
    assert_eq!(compare_policies(&policy("n"), &policy("N")), []);
    assert_eq!(compare_policies(&policy("n"), &policy("2")).len(), 1);
}

/// A random policy: its own file, the files that it uses, and what they compile to.
fn random(seed: u64) -> Option<(String, Files, Policy)> {
    let (book, _) = generate::book(&mut Source::seeded(seed));
    let mut files = text::files(&book.versions[0].policy, None);
    let (_, own) = files.pop()?;
    let policy = compiled(&own, &files)?;
    Some((own, files, policy))
}

type Files = Vec<(String, String)>;

fn compiled(text: &str, files: &Files) -> Option<Policy> {
    let mut read = |path: &str| {
        let found = files.iter().find(|(known, _)| known == path);
        found.map(|(_, text)| text.clone()).ok_or_else(|| "no such file".to_owned())
    };
    compile("random.toml", text, &mut read, &[]).ok()
}

/// The changes in a form that is the same in both directions; for compared lines, only their number.
fn mirrored(changes: &[PolicyChange], backwards: bool) -> Vec<String> {
    let of = |change: &PolicyChange| {
        let what = change.what.split(' ').next().unwrap_or_default();
        if ["row", "bin", "condition", "order"].contains(&what) {
            return format!("{} {what}", change.section);
        }
        let (one, other) = (&change.before, &change.after);
        let (one, other) = if backwards { (other, one) } else { (one, other) };
        let name = if ["name", "on"].contains(&what) { "" } else { &change.name };
        // Which of several parts with one name it is, counted in the newer policy.
        let name = name.split(" (").next().unwrap_or_default();
        format!("{} {name} {} {one:?} {other:?}", change.section, change.what)
    };
    let mut all: Vec<String> = changes.iter().map(of).collect();
    all.sort();
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Formatting a file changes nothing, and nothing differs from itself.
    #[test]
    fn layout_is_no_difference(seed in any::<u64>()) {
        let Some((text, files, policy)) = random(seed) else { return Ok(()) };
        prop_assert_eq!(compare_policies(&policy, &policy), vec![]);
        let laid_out = compiled(&format_rule_file(&text).unwrap(), &files).unwrap();
        prop_assert_eq!(compare_policies(&policy, &laid_out), vec![]);
    }

    /// One digit more or less: the changes from here to there are those from there to here.
    #[test]
    fn a_change_and_its_undoing_are_told_alike(
        seed in any::<u64>(), places in prop::collection::vec(any::<usize>(), 1..6),
    ) {
        let Some((mut text, files, old)) = random(seed) else { return Ok(()) };
        for place in places {
            let digits: Vec<usize> = text.match_indices(|c: char| c.is_ascii_digit()).map(|(at, _)| at).collect();
            let at = digits[place % digits.len()];
            let other = (text.as_bytes()[at] - b'0' + 1 + (place / 7 % 9) as u8) % 10;
            let mut edited = text.clone();
            edited.replace_range(at..=at, &other.to_string());
            if compiled(&edited, &files).is_some() {
                text = edited;
            }
        }
        let new = compiled(&text, &files).unwrap();
        let (there, back) = (compare_policies(&old, &new), compare_policies(&new, &old));
        prop_assert_eq!(mirrored(&there, false), mirrored(&back, true));
    }
}

#[test]
fn laying_out_the_policies_that_ship_is_no_difference() {
    for policy in ["starter.toml", "salary-advance.toml", "small-business.toml"] {
        let path = rules().join(policy);
        let own = load_policy(&path, &[]).unwrap();
        assert_eq!(compare_policies(&own, &own), []);
        // Unformatted first: shipped files are already formatted.
        let squeezed = std::fs::read_to_string(&path).unwrap().replace(" = ", "=").replace(", ", ",");
        let mut read = |name: &str| std::fs::read_to_string(rules().join(name)).map_err(|error| error.to_string());
        let new = compile(policy, &format_rule_file(&squeezed).unwrap(), &mut read, &[]).unwrap();
        let sentences = |change: &PolicyChange| change.what == "reason" || change.what == "terms";
        let changes: Vec<PolicyChange> =
            compare_policies(&own, &new).into_iter().filter(|change| !sentences(change)).collect();
        assert_eq!(changes, [], "{policy}");
    }
}
