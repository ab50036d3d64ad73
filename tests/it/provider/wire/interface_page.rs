//! `docs/reference/interface.md`: each call of the interface, each field, its test; nothing missing, nothing invented.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const CALLS: [&str; 18] =
    ["E1", "E2", "E3", "E4", "E5", "E6", "E7", "E8", "E9", "E10", "E11", "I1", "I2", "I3", "I4", "I5", "P1", "P2"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The rows of the page by call: field, where, in code, test.
fn rows() -> BTreeMap<String, Vec<[String; 4]>> {
    let page = fs::read_to_string(root().join("docs/reference/interface.md")).unwrap();
    let mut rows: BTreeMap<String, Vec<[String; 4]>> = BTreeMap::new();
    let mut call = None;
    for line in page.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            call = title.split(' ').next().map(str::to_owned);
        }
        let Some(cells) = line.strip_prefix("| ").and_then(|line| line.strip_suffix(" |")) else { continue };
        let cells: Vec<String> = cells.split(" | ").map(|cell| cell.trim().to_owned()).collect();
        let cells: [String; 4] = cells.try_into().unwrap_or_else(|_| panic!("four cells: {line}"));
        if cells[0] != "field" {
            rows.entry(call.clone().unwrap()).or_default().push(cells);
        }
    }
    rows
}

#[test]
fn every_call_has_its_fields_and_nothing_is_blank() {
    let rows = rows();
    let named: BTreeSet<&str> = rows.keys().map(String::as_str).collect();
    assert_eq!(named, CALLS.into_iter().collect());
    for (call, rows) in &rows {
        for row in rows {
            assert!(row.iter().all(|cell| !cell.is_empty() && cell != "-"), "{call}: {row:?}");
        }
    }
}

/// The names of query parameters and body fields in the snapshot of all requests, by call.
fn sent() -> BTreeMap<String, BTreeSet<String>> {
    let path = root().join("tests/it/provider/client/snapshots/it__provider__client__golden__requests_sent.snap");
    let text = fs::read_to_string(path).unwrap();
    let mut names: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut call = String::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("== ") {
            call = name.to_owned();
        } else if let Some((_, query)) = line.split_once('?').filter(|_| line.starts_with(['G', 'P'])) {
            let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            names.entry(call.clone()).or_default().extend(pairs.map(|(name, _)| name.to_owned()));
        } else if line.starts_with('{') {
            collect(&serde_json::from_str(line).unwrap(), names.entry(call.clone()).or_default());
        }
    }
    names
}

fn collect(value: &serde_json::Value, names: &mut BTreeSet<String>) {
    let Some(fields) = value.as_object() else { return };
    for (name, value) in fields {
        names.insert(name.clone());
        // Keys below `operator` belong to the caller.
        if name != "operator" {
            collect(value, names);
        }
    }
}

#[test]
fn every_field_that_is_sent_is_on_the_page_and_no_other() {
    let sent = sent();
    assert_eq!(sent.len(), 16, "E1 to E9, I1 to I5, P1, P2");
    for (call, rows) in rows() {
        let Some(sent) = sent.get(&call) else { continue };
        let listed: BTreeSet<String> = rows
            .iter()
            .filter(|[_, place, ..]| place == "query" || place == "body")
            .map(|[field, ..]| field.trim_matches('`').to_owned())
            .collect();
        assert_eq!(&listed, sent, "{call}");
    }
}

/// The headers of each call, checked on the wire by the tests that the page names. Its table lists these, and no other.
#[test]
fn every_header_is_on_the_page() {
    for (call, rows) in rows() {
        let in_place = |wanted: &str| -> BTreeSet<String> {
            let rows = rows.iter().filter(|[_, place, ..]| place == wanted);
            rows.map(|[field, ..]| field.trim_matches('`').to_ascii_lowercase()).collect()
        };
        let mut headers = BTreeSet::from(["accept"]);
        match call.as_str() {
            "E10" | "E11" => headers.extend(["username", "password"]),
            "P2" => _ = headers.insert("content-type"),
            _ => _ = headers.insert("authorization"),
        }
        if !in_place("body").is_empty() {
            headers.insert("content-type");
        }
        assert_eq!(in_place("header"), headers.into_iter().map(str::to_owned).collect(), "{call}");
    }
}

/// The line below a call's title shows its path; each placeholder in braces has a row.
#[test]
fn every_part_of_a_path_is_on_the_page() {
    let page = fs::read_to_string(root().join("docs/reference/interface.md")).unwrap();
    let rows = rows();
    for call in CALLS {
        let section = page.split("\n## ").find(|section| section.starts_with(&format!("{call} "))).unwrap();
        let shown = section.lines().nth(1).unwrap();
        let listed: BTreeSet<&str> = rows[call]
            .iter()
            .filter(|[_, place, ..]| place == "path")
            .map(|[field, ..]| field.trim_start_matches("setting ").trim_matches('`'))
            .collect();
        let expected: BTreeSet<&str> = match shown.starts_with("Not shown: path") {
            true => BTreeSet::from(["path"]),
            // For calls that the lender serves, its own address comes before the placeholder.
            false => shown
                .split('{')
                .skip(1)
                .filter_map(|rest| rest.split_once('}'))
                .map(|(name, _)| name)
                .filter(|name| !["lender_url", "endpoint"].contains(name))
                .collect(),
        };
        assert_eq!(listed, expected, "{call}");
    }
}

#[test]
fn the_tests_it_names_are_there() {
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    for (call, rows) in rows() {
        for [field, .., test] in rows {
            let name = test.trim_matches('`');
            let (module, function) = name.rsplit_once("::").unwrap_or_else(|| panic!("{call} {field}: `{name}`"));
            let place = root().join("tests/it").join(module.replace("::", "/"));
            let file = place.with_extension("rs");
            let file = if file.is_file() { file } else { place.join("mod.rs") };
            let source = known.entry(module.to_owned()).or_insert_with(|| read(&file));
            assert!(source.contains(&format!("fn {function}(")), "{call} {field}: there is no test `{name}`");
        }
    }
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("`{}`: {error}", file.display()))
}

/// The keys of a table of the settings, including its inner tables, from the reader's message about an unknown key.
fn settings_keys(table: &str, found: &mut BTreeSet<String>) {
    let head = if table.is_empty() { String::new() } else { format!("[{table}]\n") };
    let said =
        toml::from_str::<lendwright::wire::Settings>(&format!("{head}no_such_key = 1\n")).unwrap_err().to_string();
    let Some((_, listed)) = said.split_once("unknown field `no_such_key`, expected") else {
        found.insert(table.to_owned());
        return;
    };
    for key in listed.split('`').skip(1).step_by(2) {
        let path = if table.is_empty() { key.to_owned() } else { format!("{table}.{key}") };
        settings_keys(&path, found);
    }
}

/// Settings that are not assumptions about the provider, with their purpose.
const NO_ASSUMPTION: [(&str, &str); 6] = [
    ("iqr.base_url", "an address"),
    ("bill.base_url", "an address"),
    ("iqr.aggregator_id", "who the lender is"),
    ("allow_plain_http", "this machine's network"),
    ("proxy", "this machine's network"),
    ("root_certificates", "a file of this machine"),
];

/// The words in backticks that each entry of the register names as its setting. A table is named once per entry, with
/// the first of its keys.
fn register() -> Vec<Vec<String>> {
    let page = fs::read_to_string(root().join("docs/reference/assumptions.md")).unwrap();
    let entries = page.split("\n- **").skip(1).map(|entry| entry.split("\n\n").next().unwrap_or_default());
    let settings = entries.filter_map(|entry| {
        let entry = entry.split_whitespace().collect::<Vec<_>>().join(" ");
        let (_, rest) = entry.split_once(" Setting: ").or_else(|| entry.split_once(" Changed by: "))?;
        Some(rest.split(" If wrong: ").next().unwrap_or(rest).to_owned())
    });
    settings.map(|said| said.split('`').skip(1).step_by(2).map(str::to_owned).collect()).collect()
}

#[test]
fn each_setting_has_an_entry_in_the_register_of_assumptions() {
    let mut keys = BTreeSet::new();
    settings_keys("", &mut keys);
    assert!(keys.len() > 60, "{keys:?}");
    let rows = register();
    let is_named = |path: &str| {
        let (table, key) = path.rsplit_once('.').unwrap_or(("", path));
        let of_table = format!("{table}.");
        rows.iter().any(|row| {
            let whole = row.iter().any(|word| word == path || (!table.is_empty() && *word == format!("{table}.*")));
            let in_turn = row.iter().any(|word| word.starts_with(&of_table)) && row.iter().any(|word| word == key);
            whole || (!table.is_empty() && in_turn)
        })
    };
    let is_excused = |path: &str| NO_ASSUMPTION.iter().any(|(key, _)| *key == path);
    let missing: Vec<&String> = keys.iter().filter(|path| !is_named(path) && !is_excused(path)).collect();
    assert!(missing.is_empty(), "docs/reference/assumptions.md has no entry for {missing:?}");
    let gone: Vec<_> = NO_ASSUMPTION.iter().filter(|(key, _)| !keys.contains(*key) || is_named(key)).collect();
    assert!(gone.is_empty(), "no exception is needed for {gone:?}");
    // Every key that the register names for a table exists.
    let tables: BTreeSet<&str> = keys.iter().filter_map(|path| path.split_once('.')).map(|(table, _)| table).collect();
    for word in rows.iter().flatten() {
        let Some((table, key)) = word.split_once('.').filter(|(table, _)| tables.contains(table)) else { continue };
        let is_known = key == "*"
            || keys.iter().any(|path| path == word || path.starts_with(&format!("{word}.")))
            || keys.iter().any(|path| path.starts_with(word.trim_end_matches('*')) && word.ends_with('*'));
        assert!(is_known, "docs/reference/assumptions.md names `{word}`, which is no setting of `{table}`");
    }
}
