//! Every slip that a columns file may have, one at a time: a letter, a line, a value, two exchanged values. Must not
//! know what a table holds.

/// One edit of a columns file.
pub(crate) struct Edit {
    pub(super) kind: &'static str,
    pub(super) text: String,
    /// The line that was edited, from 1.
    pub(super) line: usize,
    /// What the message may name: keys and values, before and after.
    pub(super) names: Vec<String>,
    /// What was edited, in short.
    pub(super) what: String,
}

/// A line `key = value` of a file.
struct Entry<'t> {
    at: usize,
    section: &'t str,
    key: &'t str,
    value: &'t str,
}

/// All edits of a file.
pub(crate) fn edits(file: &str) -> Vec<Edit> {
    let lines: Vec<&str> = file.lines().collect();
    let entries = entries(&lines);
    let mut edits = Vec::new();
    for entry in &entries {
        of_entry(&lines, entry, &mut edits);
    }
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.starts_with('[')) {
        let section = line.trim_matches(['[', ']']);
        let keys = entries.iter().filter(|entry| entry.section == section).map(|entry| entry.key.to_owned());
        let names: Vec<String> = keys.chain([section.to_owned()]).collect();
        let edit = |kind, new: &str| replaced(&lines, at, kind, new, names.clone(), line);
        edits.extend(misspelt(section).into_iter().map(|new| edit("a section misspelt", &format!("[{new}]"))));
        edits.push(edit("a section dropped", ""));
        edits.push(edit("a section doubled", &format!("{line}\n{line}")));
    }
    for (first, one) in entries.iter().enumerate().filter(|(_, entry)| entry.section == "columns") {
        for other in entries.iter().skip(first + 1).filter(|entry| entry.section == "columns") {
            edits.push(exchanged(&lines, one, other));
        }
        for other in entries.iter().filter(|other| other.section == "columns" && other.key != one.key) {
            let new = format!("{} = {}", one.key, other.value);
            let names = names_of(&[one, other]);
            let what = format!("{} = {} as {}", one.key, other.value, other.key);
            edits.push(Edit { what, ..replaced(&lines, one.at, "a column taken twice", &new, names, "") });
        }
    }
    edits
}

fn entries<'t>(lines: &[&'t str]) -> Vec<Entry<'t>> {
    let mut section = "";
    let mut entries = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']');
        } else if let Some((key, value)) = line.split_once(" = ") {
            entries.push(Entry { at, section, key, value });
        }
    }
    entries
}

fn of_entry(lines: &[&str], entry: &Entry<'_>, edits: &mut Vec<Edit>) {
    let Entry { at, section, key, value } = *entry;
    let mut add = |kind, new: String, more: &[String]| {
        let names = [&[key.to_owned(), value.to_owned()][..], more].concat();
        edits.push(replaced(lines, at, kind, &new, names, &format!("[{section}] {key} = {value}")));
    };
    for new in misspelt(key) {
        add("a key misspelt", format!("{new} = {value}"), std::slice::from_ref(&new));
    }
    add("a line dropped", String::new(), &texts(value));
    add("a line doubled", format!("{key} = {value}\n{key} = {value}"), &[]);
    for other in ["5", "true", "[]", "\"\"", "{}", "2026-03-01"].into_iter().filter(|other| *other != value) {
        add("a value of another kind", format!("{key} = {other}"), &[]);
    }
    for text in texts(value) {
        for new in misspelt(&text) {
            let line = format!("{key} = {}", value.replace(&format!("\"{text}\""), &format!("\"{new}\"")));
            add("a name misspelt", line, &[new, text.clone()]);
        }
        for new in [format!(" {text}"), format!("{text} ")] {
            let line = format!("{key} = {}", value.replace(&format!("\"{text}\""), &format!("\"{new}\"")));
            add("a blank beside a name", line, std::slice::from_ref(&text));
        }
    }
    if let Ok(number) = value.parse::<i64>() {
        for new in [number + 1, number - 100, -number, number * 10] {
            add("another number", format!("{key} = {new}"), &[new.to_string()]);
        }
    }
    for declared in DECLARED.iter().filter(|(name, _)| *name == key) {
        for new in declared.1.iter().filter(|new| !value.contains(&format!("\"{new}\""))) {
            add("another word of the language", format!("{key} = \"{new}\""), &[]);
        }
    }
}

/// The accepted words of a declaration.
const DECLARED: [(&str, &[&str]); 6] = [
    ("unit", &["major", "minor"]),
    ("negative", &["error", "swap_sides", "same_side"]),
    ("positive", &["credit", "debit"]),
    ("order", &["oldest_first", "newest_first"]),
    ("separator", &["|", ";", ","]),
    ("trans_date", &["MM/DD/YYYY", "YYYY.DD.MM"]),
];

fn replaced(lines: &[&str], at: usize, kind: &'static str, new: &str, names: Vec<String>, what: &str) -> Edit {
    let mut lines = lines.to_vec();
    lines[at] = new;
    let text = lines.join("\n") + "\n";
    Edit { kind, text, line: at + 1, names, what: format!("{what} -> {new}") }
}

fn exchanged(lines: &[&str], one: &Entry<'_>, other: &Entry<'_>) -> Edit {
    let mut lines = lines.to_vec();
    let (first, second) = (format!("{} = {}", one.key, other.value), format!("{} = {}", other.key, one.value));
    (lines[one.at], lines[other.at]) = (&first, &second);
    Edit {
        kind: "two columns exchanged",
        text: lines.join("\n") + "\n",
        line: one.at + 1,
        names: names_of(&[one, other]),
        what: format!("{} and {}", one.key, other.key),
    }
}

fn names_of(entries: &[&Entry<'_>]) -> Vec<String> {
    entries.iter().flat_map(|entry| [vec![entry.key.to_owned()], texts(entry.value)].concat()).collect()
}

/// The texts in quotes.
fn texts(value: &str) -> Vec<String> {
    value.split('"').skip(1).step_by(2).filter(|text| !text.is_empty()).map(str::to_owned).collect()
}

/// A letter dropped, doubled, exchanged with the next, in the other case; the whole in capitals.
fn misspelt(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let mut all = vec![text.to_uppercase(), text.to_lowercase()];
    for at in 0..letters.len() {
        let mut dropped = letters.clone();
        let letter = dropped.remove(at);
        all.push(dropped.into_iter().collect());
        let mut doubled = letters.clone();
        doubled.insert(at, letter);
        all.push(doubled.into_iter().collect());
        let mut cased = letters.clone();
        cased[at] = if letter.is_lowercase() { letter.to_ascii_uppercase() } else { letter.to_ascii_lowercase() };
        all.push(cased.into_iter().collect());
        if at + 1 < letters.len() {
            let mut exchanged = letters.clone();
            exchanged.swap(at, at + 1);
            all.push(exchanged.into_iter().collect());
        }
    }
    all.retain(|new| new != text && !new.is_empty());
    all.sort();
    all.dedup();
    all
}
