//! The public surface: what rustdoc shows of the crate, compared with the list in `tests/surface.txt`. Knows rustdoc's
//! pages, nothing of the crate's code.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const LIST: &str = "tests/surface.txt";

/// Compares the surface with its list, or writes the list.
pub fn surface(root: &Path, pages: &Path, arguments: &[String]) -> Result<(), String> {
    let is_update = match arguments {
        [] => false,
        [update] if update == "--update" => true,
        _ => return Err("cargo xtask surface [--update]".to_owned()),
    };
    let found = items(pages)?;
    let list = root.join(LIST);
    if is_update {
        return fs::write(&list, found.join("\n") + "\n").map_err(|error| format!("`{LIST}`: {error}"));
    }
    let listed = fs::read_to_string(&list).map_err(|error| format!("`{LIST}`: {error}"))?;
    let listed: Vec<String> = listed.lines().map(str::to_owned).collect();
    let changes = changes(&listed, &found);
    if changes.is_empty() {
        println!("{} public items, as in {LIST}", found.len());
        return Ok(());
    }
    Err(format!(
        "the public surface changed; `cargo xtask surface --update` writes {LIST}, and CHANGELOG.md tells users:\n{}",
        changes.join("\n")
    ))
}

/// What one list has and the other has not.
fn changes(before: &[String], after: &[String]) -> Vec<String> {
    let (old, new): (BTreeSet<_>, BTreeSet<_>) = (before.iter().collect(), after.iter().collect());
    let gone = old.difference(&new).map(|line| format!("- {line}"));
    gone.chain(new.difference(&old).map(|line| format!("+ {line}"))).collect()
}

/// A line per item: its kind, its path, and its members.
fn items(pages: &Path) -> Result<Vec<String>, String> {
    let read = |path: &Path| fs::read_to_string(path).map_err(|error| format!("`{}`: {error}", path.display()));
    let all = read(&pages.join("all.html"))?;
    let mut items = Vec::new();
    let pages_of_items = between(&all, "<li><a href=\"", "\"").into_iter().filter(|page| page.ends_with(".html"));
    for page in pages_of_items {
        let (kind, path) = named(page).ok_or_else(|| format!("`{page}` is not a page of an item"))?;
        let members = members(&read(&pages.join(page))?);
        let members = if members.is_empty() { String::new() } else { format!(": {}", members.join(", ")) };
        items.push(format!("{kind} {path}{members}"));
    }
    items.sort_by(|left, right| path_of(left).cmp(path_of(right)));
    Ok(items)
}

fn path_of(line: &str) -> &str {
    line.split_once(' ').map_or(line, |(_, path)| path)
}

/// `decision/struct.ReadyPlan.html` as `struct` and `decision::ReadyPlan`.
fn named(page: &str) -> Option<(&str, String)> {
    let (modules, file) = page.rsplit_once('/').unwrap_or(("", page));
    let (kind, name) = file.strip_suffix(".html")?.split_once('.')?;
    let path: Vec<&str> = modules.split('/').filter(|module| !module.is_empty()).chain([name]).collect();
    Some((kind, path.join("::")))
}

/// Fields, variants, methods and constants of an item's own; what traits bring is not listed.
fn members(page: &str) -> Vec<String> {
    // Traits begin here.
    let own = page.split("id=\"trait-implementations\"").next().unwrap_or(page);
    let mut members: Vec<String> = Vec::new();
    for kind in ["structfield", "variant", "method", "tymethod", "associatedconstant"] {
        let known = between(own, &format!("id=\"{kind}."), "\"").into_iter().filter(|name| !name.contains('.'));
        members.extend(known.map(str::to_owned));
    }
    members.sort();
    members.dedup();
    members
}

/// The texts between each `open` and the next `close`.
fn between<'t>(text: &'t str, open: &str, close: &str) -> Vec<&'t str> {
    text.split(open).skip(1).filter_map(|rest| rest.split_once(close)).map(|(found, _)| found).collect()
}

#[test]
fn an_item_is_named_by_its_page() {
    assert_eq!(named("decision/struct.ReadyPlan.html"), Some(("struct", "decision::ReadyPlan".to_owned())));
    assert_eq!(named("fn.decide.html"), Some(("fn", "decide".to_owned())));
    assert_eq!(named("index.html"), None);
}

#[test]
fn members_are_an_item_s_own() {
    let page = "<span id=\"structfield.rows\"></span><section id=\"method.new\"><h2 id=\"trait-implementations\">\
        <section id=\"method.clone\">";
    assert_eq!(members(page), ["new", "rows"]);
}

#[test]
fn a_change_is_a_line() {
    let (before, after) = (["fn a".to_owned(), "fn b".to_owned()], ["fn b".to_owned(), "fn c".to_owned()]);
    assert_eq!(changes(&before, &after), ["- fn a", "+ fn c"]);
    assert!(changes(&before, &before).is_empty());
}
