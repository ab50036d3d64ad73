//! The documentation as a book: every link and anchor leads somewhere, every page is in the index, lines fit a screen.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Pages outside `docs/` that readers meet.
const OUTSIDE: [&str; 7] = [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
    "benches/README.md",
    "tests/berka/README.md",
    "tests/clients/README.md",
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every Markdown page with its text, by its path below the root.
fn pages() -> BTreeMap<String, String> {
    let mut paths: Vec<String> = OUTSIDE.map(str::to_owned).into();
    let mut folders = vec!["docs".to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root().join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let path = format!("{folder}/{}", entry.file_name().to_str().unwrap());
            if entry.path().is_dir() {
                folders.push(path);
            } else if path.ends_with(".md") {
                paths.push(path);
            }
        }
    }
    paths.into_iter().map(|path| (path.clone(), fs::read_to_string(root().join(&path)).unwrap())).collect()
}

/// The lines outside fenced blocks, with their numbers.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    text.lines().enumerate().filter_map(move |(number, line)| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        (!fenced && !fence).then_some((number + 1, line))
    })
}

/// A line without the text between backticks.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join("`")
}

/// The targets of the links of a line.
fn links(line: &str) -> Vec<String> {
    let line = without_code(line);
    let targets = line.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    targets.map(|(target, _)| target.to_owned()).collect()
}

/// The anchors of a page, derived from its headings as GitHub and mdBook do.
fn anchors(text: &str) -> Vec<String> {
    let mut anchors: Vec<String> = Vec::new();
    for (_, line) in prose(text).filter(|(_, line)| line.starts_with('#')) {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title.chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
        let anchor: String = kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect();
        let before = anchors.iter().filter(|other| **other == anchor).count();
        anchors.push(if before == 0 { anchor } else { format!("{anchor}-{before}") });
    }
    anchors
}

/// Where a relative link leads, as a path below the root.
fn resolve(page: &str, target: &str) -> String {
    let mut parts: Vec<String> = Vec::new();
    let folder = Path::new(page).parent().unwrap();
    for part in folder.join(target).components() {
        match part {
            Component::ParentDir => drop(parts.pop()),
            Component::Normal(name) => parts.push(name.to_str().unwrap().to_owned()),
            _ => {}
        }
    }
    parts.join("/")
}

fn none(wrong: Vec<String>, advice: &str) {
    assert!(wrong.is_empty(), "\n  {}\n{advice}\n", wrong.join("\n  "));
}

#[test]
fn every_link_and_anchor_leads_somewhere() {
    let pages = pages();
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (page, text) in &pages {
        for (number, line) in prose(text) {
            for target in links(line).into_iter().filter(|target| !target.contains("://")) {
                let (path, anchor) = target.split_once('#').unwrap_or((&target, ""));
                let path = if path.is_empty() { page.clone() } else { resolve(page, path) };
                let known = |text: &String| anchor.is_empty() || anchors(text).iter().any(|other| other == anchor);
                if !root().join(&path).exists() || !pages.get(&path).is_none_or(known) {
                    wrong.push(format!("{page}:{number}: `{target}`"));
                }
                seen += 1;
            }
        }
    }
    none(wrong, "mend the link, or the heading that it names");
    assert!(seen > 150, "{seen} links");
}

#[test]
fn every_page_is_in_the_index_and_in_the_contents() {
    let pages = pages();
    for list in ["docs/README.md", "docs/SUMMARY.md"] {
        let listed: Vec<String> =
            prose(&pages[list]).flat_map(|(_, line)| links(line)).map(|target| resolve(list, &target)).collect();
        let missing = pages.keys().filter(|page| page.starts_with("docs/") && !listed.contains(page));
        let missing = missing.filter(|page| !["docs/README.md", "docs/SUMMARY.md"].contains(&page.as_str()));
        none(missing.cloned().collect(), &format!("{list} lists every page of docs/"));
    }
}

/// Comments, messages and tests name pages by their path from the root.
#[test]
fn every_page_that_source_names_exists() {
    let mut wrong = Vec::new();
    let mut folders: Vec<PathBuf> =
        ["src", "tests", "xtask", "benches", "fuzz", "rules", "examples", ".ci"].map(PathBuf::from).into();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root().join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let path = folder.join(entry.file_name());
            if entry.path().is_dir() {
                if !["target", "out"].iter().any(|skipped| entry.file_name() == *skipped) {
                    folders.push(path);
                }
                continue;
            }
            let Ok(text) = fs::read_to_string(entry.path()) else { continue };
            for (at, _) in text.match_indices("docs/") {
                let is_outside = |letter: char| !letter.is_ascii_alphanumeric() && !"/-_.".contains(letter);
                let name = text[at..].split(is_outside).next().unwrap_or_default().trim_end_matches('.');
                let is_page = name.ends_with(".md") || name.ends_with(".json");
                if is_page && !root().join(name).exists() {
                    wrong.push(format!("{}: `{name}`", path.display()));
                }
            }
        }
    }
    none(wrong, "write the page's path as it is below the root");
}

/// Lines of prose fit a screen; tables, and blocks of input or output, may be wider.
#[test]
fn lines_of_prose_have_at_most_120_columns() {
    let mut wrong = Vec::new();
    for (page, text) in pages() {
        // Written by `lendwright metrics --describe`.
        if page == "docs/reference/metrics.md" {
            continue;
        }
        let long = prose(&text).filter(|(_, line)| line.chars().count() > 120 && !line.trim_start().starts_with('|'));
        wrong.extend(long.map(|(number, _)| format!("{page}:{number}")));
    }
    none(wrong, "break the line after at most 120 columns");
}

/// A screen and a half of text, with few links.
#[test]
fn the_readme_is_short() {
    let page = &pages()["README.md"];
    let lines = prose(page).filter(|(_, line)| !line.trim().is_empty()).count();
    let links: usize = prose(page).map(|(_, line)| links(line).len()).sum();
    assert!(lines <= 60 && page.lines().count() <= 170 && links <= 8, "{lines} lines of prose, {links} links");
}
