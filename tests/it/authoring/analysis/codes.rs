//! The page of codes against the program: every code has a section and every section a code. Its wrong example gives
//! the code, and its right one does not.

use std::collections::BTreeSet;
use std::path::Path;

use lendwright::analysis::{analyse, without_offers};
use lendwright::compile;

const HEADER: &str = "[policy]\nname = \"docs\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"Africa/Lagos\"\n";
/// Too large for an example.
const WITHOUT_EXAMPLE: [&str; 5] = ["allow", "not-searched", "too-deep", "too-long", "too-many"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn page() -> String {
    std::fs::read_to_string(root().join("docs/reference/check.md")).unwrap()
}

/// Code and text of each section.
fn sections(page: &str) -> Vec<(&str, &str)> {
    page.split("\n### `").skip(1).map(|section| section.split_once("`\n").unwrap()).collect()
}

fn block<'s>(section: &'s str, kind: &str) -> Option<&'s str> {
    let (_, rest) = section.split_once(&format!("\n```toml {kind}\n"))?;
    rest.split_once("\n```").map(|(block, _)| block)
}

/// The codes of all findings about a policy.
fn codes(code: &str, block: &str) -> BTreeSet<String> {
    let whole = block.contains("[policy]") || code == "missing-policy";
    let text = if whole { block.to_owned() } else { format!("{HEADER}{block}") };
    let mut read = |name: &str| match name {
        "empty.csv" => Ok(String::new()),
        "blocked.csv" => Ok("phone\n08031234567\n".to_owned()),
        _ => Err("no such file".to_owned()),
    };
    let found = match compile("page.toml", &text, &mut read, &[]) {
        Ok(policy) => {
            let offerless = if whole { without_offers(&policy) } else { Vec::new() };
            [analyse(&policy), policy.warnings().to_vec(), offerless].concat()
        }
        Err(refused) => refused.diagnostics,
    };
    found.into_iter().map(|diagnostic| diagnostic.code.to_owned()).collect()
}

/// The codes in the source: the first text after `Diagnostic::error(`, `Diagnostic::warning(` or the reader's
/// `.error(`.
fn in_source(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            in_source(&path, found);
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        for start in ["Diagnostic::error(", "Diagnostic::warning(", "Diagnostic::note(", ".error("] {
            for after in text.split(start).skip(1) {
                let Some((code, _)) = after.trim_start().strip_prefix('"').and_then(|rest| rest.split_once('"')) else {
                    continue;
                };
                found.insert(code.to_owned());
            }
        }
    }
}

#[test]
fn every_code_has_a_page_and_every_page_a_code() {
    let mut said = BTreeSet::new();
    for room in ["rules", "authoring/analysis", "run/files"] {
        in_source(&root().join("src").join(room), &mut said);
    }
    assert!(said.len() > 30 && said.contains("unknown-name"), "{said:?}");
    let page = page();
    let described: BTreeSet<String> = sections(&page).into_iter().map(|(code, _)| code.to_owned()).collect();
    assert_eq!(said, described, "left: src/, right: docs/reference/check.md");
}

#[test]
fn every_wrong_example_is_wrong_and_every_right_one_right() {
    let page = page();
    for (code, section) in sections(&page) {
        if WITHOUT_EXAMPLE.contains(&code) {
            continue;
        }
        let wrong = codes(code, block(section, "wrong").unwrap_or_else(|| panic!("{code}: no wrong example")));
        assert!(wrong.contains(code), "{code}: its wrong example gives {wrong:?}");
        let right = block(section, "right").unwrap_or_else(|| panic!("{code}: no right example"));
        let found = codes("", right);
        let harmless = ["unused", "gap", "always-met", "no-offer", "unknown-bin"];
        assert!(!found.contains(code), "{code}: its right example gives it too");
        assert!(found.iter().all(|found| harmless.contains(&found.as_str())), "{code}: right gives {found:?}");
    }
}

#[test]
fn a_page_is_shown_by_its_code() {
    let (status, out, _) = super::check(&["--explain", "gap"]);
    assert_eq!(status, Some(0));
    assert!(
        out.starts_with("gap\n") && out.contains("Wrong:") && out.contains("Right:") && !out.contains("```"),
        "{out}"
    );
    let (status, _, err) = super::check(&["--explain", "gpa"]);
    assert_eq!(status, Some(1));
    assert!(err.contains("did you mean `gap`?"), "{err}");
    let (_, all, _) = super::check(&["--explain", "all"]);
    assert_eq!(all.lines().count(), sections(&page()).len());
}
