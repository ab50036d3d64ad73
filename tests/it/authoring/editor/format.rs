//! Formatted rule files: the result, that it means the same, and that formatting again changes nothing.

use std::fs;
use std::process::Command;

use lendwright::editor::format::{FormatError, format_rule_file};
use proptest::prelude::*;
use toml_parser::Source;
use toml_parser::parser::{Event, EventKind, parse_document};

use super::{root, toml_files};
use crate::fixtures::desk::Desk;

/// Everything that a TOML reader sees; not the formatter's reader.
fn meaning(text: &str) -> serde_json::Value {
    toml::from_str(text).unwrap()
}

/// How often a text has inside `{ }` what only TOML 1.1 allows: a new line, or a comma at the end.
fn newer_tables(text: &str) -> usize {
    let tokens = Source::new(text).lex().into_vec();
    let (mut events, mut mistakes): (Vec<Event>, Vec<_>) = (Vec::new(), Vec::new());
    parse_document(&tokens, &mut events, &mut mistakes);
    let (mut within, mut found, mut after_comma) = (Vec::new(), 0, false);
    for kind in events.iter().map(Event::kind).filter(|kind| *kind != EventKind::Whitespace) {
        match kind {
            EventKind::ArrayOpen | EventKind::InlineTableOpen => within.push(kind),
            EventKind::ArrayClose | EventKind::InlineTableClose => {
                within.pop();
                found += usize::from(after_comma && kind == EventKind::InlineTableClose);
            }
            EventKind::Newline => found += usize::from(within.last() == Some(&EventKind::InlineTableOpen)),
            _ => {}
        }
        after_comma = kind == EventKind::ValueSep;
    }
    found
}

/// All rule files and cases files of the project, and those of its tests that are TOML.
fn well_formed() -> Vec<(String, String)> {
    let files = toml_files("rules").into_iter().chain(toml_files("testdata"));
    let texts = files.map(|path| (path.display().to_string(), fs::read_to_string(&path).unwrap()));
    texts.filter(|(_, text)| toml::from_str::<serde_json::Value>(text).is_ok()).collect()
}

#[test]
fn what_ships_is_laid_out() {
    for path in toml_files("rules") {
        let text = fs::read_to_string(&path).unwrap();
        assert!(format_rule_file(&text).unwrap() == text, "{}: run `lendwright fmt rules/*.toml`", path.display());
    }
}

#[test]
fn a_file_laid_out_says_the_same_and_stays_as_it_is() {
    let files = well_formed();
    assert!(files.len() > 40, "{}", files.len());
    for (name, text) in files {
        let once = format_rule_file(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(meaning(&once), meaning(&text), "{name}");
        assert_eq!(once.matches('#').count(), text.matches('#').count(), "{name}");
        assert_eq!(format_rule_file(&once).unwrap(), once, "{name}");
        assert!(newer_tables(&text) > 0 || newer_tables(&once) == 0, "{name}");
    }
}

/// Readers of TOML 1.0, such as Python's, accept what they accepted before.
#[test]
fn a_table_on_one_line_stays_on_one() {
    let text = "any = [{ all = [\"a > 1\", # c1\n  \"b > 2\"], unknown = \"fails\" }, \"c\"]\n";
    assert_eq!(newer_tables(text), 0);
    let laid_out = format_rule_file(text).unwrap();
    assert_eq!(
        laid_out,
        "any = [\n  { all = [\n    \"a > 1\",  # c1\n    \"b > 2\",\n  ], unknown = \"fails\" }, \"c\",\n]\n"
    );
    assert_eq!(format_rule_file(&laid_out).unwrap(), laid_out);
    assert_eq!(format_rule_file("a={b=[1,\n2]} # x\n").unwrap(), "a = { b = [\n  1,\n  2,\n] }  # x\n");
    // A table written over several lines stays so.
    assert_eq!(format_rule_file("a={\nb=[1],}\n").unwrap(), "a = {\n  b = [1],\n}\n");
}

/// Arrays and tables within each other, with new lines and comments where TOML 1.0 allows them.
fn nested() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![Just("1".to_owned()), Just("\"a # b\"".to_owned()), Just("'''x\ny\n'''".to_owned())];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let gap = prop_oneof![3 => Just(""), 2 => Just("\n"), 1 => Just(" # c\n"), 1 => Just("\n\n# d\n")];
        let item = (inner.clone(), gap.clone(), gap);
        let array = (prop::collection::vec(item, 0..4), any::<bool>()).prop_map(|(all, last)| {
            let parts: Vec<String> =
                all.iter().map(|(value, before, after)| format!("{before}{value}{after}")).collect();
            format!("[{}{}]", parts.join(","), if last && !parts.is_empty() { "," } else { "" })
        });
        let table = prop::collection::vec(inner, 0..4).prop_map(|all| {
            let parts: Vec<String> = all.iter().enumerate().map(|(at, value)| format!("k{at}={value}")).collect();
            format!("{{{}}}", parts.join(","))
        });
        prop_oneof![array, table]
    })
}

#[test]
fn a_file_that_nobody_tidied() {
    let text = fs::read_to_string(root().join("testdata/editor/untidy.toml")).unwrap();
    insta::assert_snapshot!(format_rule_file(&text).unwrap());
}

/// The text with other whitespace where whitespace has no meaning.
fn mess(text: &str, choices: &[u8]) -> String {
    let mut choices = choices.iter().copied().cycle();
    let mut choose = |below: u8| choices.next().unwrap_or(0) % below;
    let mut out = String::new();
    for line in text.lines() {
        let starts_value = line.starts_with(|c: char| c.is_ascii_lowercase());
        match line.split_once(" = ").filter(|_| starts_value) {
            Some((key, value)) => {
                let (before, after) = (" ".repeat(choose(4).into()), "\t".repeat(choose(3).into()));
                out += &format!("{key}{before}={after}{value}");
            }
            None => out += line,
        }
        out += &" ".repeat(choose(3).into());
        out += "\n";
        // A blank line more where there is one already.
        if line.is_empty() {
            out += &"\n".repeat(choose(3).into());
        }
    }
    out + &"\n".repeat(choose(3).into())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn blanks_make_no_difference(file in 0usize..64, choices in proptest::collection::vec(any::<u8>(), 1..200)) {
        let files = toml_files("rules");
        let text = fs::read_to_string(&files[file % files.len()]).unwrap();
        let messed = mess(&text, &choices);
        prop_assert_eq!(format_rule_file(&messed).unwrap(), text);
    }

    #[test]
    fn old_toml_stays_old(values in prop::collection::vec(nested(), 1..4)) {
        let text: String =
            values.iter().enumerate().map(|(at, value)| format!("v{at} = {value} # e\n")).collect();
        let once = format_rule_file(&text).unwrap();
        prop_assert_eq!(newer_tables(&text), 0);
        prop_assert_eq!(newer_tables(&once), 0, "{}", once);
        prop_assert_eq!(meaning(&once), meaning(&text));
        prop_assert_eq!(format_rule_file(&once).unwrap(), once);
    }

    #[test]
    fn no_text_is_too_strange(text in "[\\[\\]{}#a-c=,.\"'\n 0-2-]{0,60}") {
        match format_rule_file(&text) {
            Ok(once) => {
                prop_assert_eq!(meaning(&once), meaning(&text));
                prop_assert!(newer_tables(&once) == 0 || newer_tables(&text) > 0, "{}", once);
                prop_assert_eq!(format_rule_file(&once).unwrap(), once);
            }
            Err(FormatError::Toml(mistakes)) => prop_assert!(!mistakes.is_empty()),
            Err(error) => prop_assert!(false, "{}: {}", error, text),
        }
    }
}

#[test]
fn the_command_lays_out_in_place_checks_and_filters() {
    let desk = Desk::new();
    desk.write("untidy.toml", "a=1 # one\n\n\n[b]\nc  =  [1,2]\n");
    desk.write("tidy.toml", "a = 1\n");
    let said = desk.run(&["fmt", "--check", "tidy.toml", "untidy.toml"]);
    assert_eq!((said.status, said.out.as_str(), said.err.as_str()), (1, "untidy.toml\n", ""));
    assert_eq!(desk.run(&["fmt", "tidy.toml", "untidy.toml"]).status, 0);
    let tidied = "a = 1  # one\n\n[b]\nc = [1, 2]\n";
    assert_eq!(desk.read("untidy.toml"), tidied);
    let said = desk.run(&["fmt", "--check", "tidy.toml", "untidy.toml"]);
    assert_eq!((said.status, said.out.as_str(), said.err.as_str()), (0, "", ""));
    let said = desk.run_with(&["fmt", "-"], "a=1 # one\n[b]\nc=[1,2]");
    assert_eq!((said.status, said.out.as_str(), said.err.as_str()), (0, tidied, ""));
}

#[test]
fn a_file_that_is_no_toml_is_told_and_left_alone() {
    let desk = Desk::new();
    desk.write("broken.toml", "a=1\nb = \"SUM(credit)\nc=2\n");
    let said = desk.run(&["fmt", "broken.toml"]);
    assert_eq!((said.status, said.out.as_str()), (1, ""));
    assert!(said.err.contains("[broken.toml:2:"), "{}", said.err);
    assert_eq!(desk.read("broken.toml"), "a=1\nb = \"SUM(credit)\nc=2\n");
    let said = desk.run(&["fmt", "gone.toml"]);
    assert!(said.status == 1 && said.err.starts_with("error: cannot read `gone.toml`"), "{}", said.err);
}

#[cfg(unix)]
#[test]
fn a_file_keeps_its_rights() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::new();
    desk.write("own.toml", "a=1\n");
    let path = desk.path().join("own.toml");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_lendwright")).arg("fmt").arg(&path).status().unwrap();
    assert!(status.success());
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
}
