//! Floor 2: what changed between two policies, in words. Must not know files, or how changes look.

mod lines;

use serde::Serialize;

use crate::rules::Policy;
use crate::rules::written::{Part, parts};

/// One change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The section of the rule file: `parameters`, `require`, `table`.
    pub section: &'static str,
    /// The name or id of what changed; empty where there is one alone.
    pub name: String,
    /// What of it: a key, `row 4`, or empty for the thing itself.
    pub what: String,
    /// How it was; nothing where it is new.
    pub before: Option<String>,
    /// How it is; nothing where it is gone.
    pub after: Option<String>,
}

/// Everything that changed from one policy to another, in the order of the sections. Comments, layout and where a thing stands
/// among others are no change; the order of requirements and of the rows of tables is.
pub fn compare(before: &Policy, after: &Policy) -> Vec<Change> {
    let (mut old, mut new) = (parts(before), parts(after));
    let mut changes = Vec::new();
    renamed(&mut old, &mut new, &mut changes);
    for part in &old {
        match new.iter().find(|other| same_place(part, other)) {
            Some(other) => of_part(part, other, &mut changes),
            None => changes.push(whole(part, true)),
        }
    }
    let added = new.iter().filter(|part| !old.iter().any(|other| same_place(part, other)));
    changes.extend(added.map(|part| whole(part, false)));
    order("require", &old, &new, &mut changes);
    order("offer", &old, &new, &mut changes);
    const SECTIONS: [&str; 13] = [
        "policy",
        "parameters",
        "words",
        "request",
        "bureau",
        "transaction",
        "month",
        "metric",
        "require",
        "score",
        "table",
        "exposure",
        "ask",
    ];
    changes
        .sort_by_key(|change| SECTIONS.iter().position(|section| *section == change.section).unwrap_or(SECTIONS.len()));
    changes
}

fn same_place(left: &Part, right: &Part) -> bool {
    (left.section, &left.name) == (right.section, &right.name)
}

/// What is gone under one name and there under another, and says the same, got another name. The new name is given to the old
/// part, so that nothing else is told of it.
fn renamed(old: &mut [Part], new: &mut [Part], changes: &mut Vec<Change>) {
    for at in 0..old.len() {
        if old[at].name.is_empty() || new.iter().any(|other| same_place(&old[at], other)) {
            continue;
        }
        let same = |other: &&Part| other.section == old[at].section && says(other) == says(&old[at]);
        let Some(found) = new.iter().find(same).filter(|other| !old.iter().any(|part| same_place(part, other))) else {
            continue;
        };
        let (before, after) = (old[at].name.clone(), found.name.clone());
        changes.push(Change {
            section: old[at].section,
            name: before.clone(),
            what: "name".to_owned(),
            before: Some(before),
            after: Some(after.clone()),
        });
        old[at].name = after;
    }
}

type Says<'p> = (Vec<(&'p str, String)>, Option<&'p Vec<String>>);

fn says(part: &Part) -> Says<'_> {
    let facets = part.facets.iter().map(|(key, value)| (key.as_str(), meant(part.section, key, value))).collect();
    (facets, part.lines.as_ref().map(|(_, lines)| lines))
}

/// A part that is new, or gone.
fn whole(part: &Part, gone: bool) -> Change {
    let mut text: Vec<String> = Vec::new();
    for (key, value) in &part.facets {
        text.push(if key.is_empty() { value.clone() } else { format!("{key} {value}") });
    }
    if let Some((what, lines)) = &part.lines {
        text.push(format!("{} {what}{}", lines.len(), if lines.len() == 1 { "" } else { "s" }));
    }
    let text = Some(text.join("; "));
    let (before, after) = if gone { (text, None) } else { (None, text) };
    Change { section: part.section, name: part.name.clone(), what: String::new(), before, after }
}

fn of_part(old: &Part, new: &Part, changes: &mut Vec<Change>) {
    let change = |what: &str, before: Option<String>, after: Option<String>| Change {
        section: new.section,
        name: new.name.clone(),
        what: what.to_owned(),
        before,
        after,
    };
    let value =
        |part: &Part, key: &str| part.facets.iter().find(|(known, _)| known == key).map(|(_, value)| value.clone());
    let mut keys: Vec<&str> = old.facets.iter().map(|(key, _)| key.as_str()).collect();
    keys.extend(new.facets.iter().map(|(key, _)| key.as_str()).filter(|key| value(old, key).is_none()));
    for key in keys {
        let (before, after) = (value(old, key), value(new, key));
        let meant = |text: &Option<String>| text.as_deref().map(|text| meant(new.section, key, text));
        if meant(&before) != meant(&after) {
            changes.push(change(key, before, after));
        }
    }
    if let (Some((what, before)), Some((_, after))) = (&old.lines, &new.lines) {
        for line in lines::compare(before, after) {
            let place = if *what == "word" { what.to_string() } else { format!("{what} {}", line.place()) };
            changes.push(change(&place, line.before, line.after));
        }
    }
}

/// Whether what both have stands in another order.
fn order(section: &'static str, old: &[Part], new: &[Part], changes: &mut Vec<Change>) {
    let names = |parts: &[Part], others: &[Part]| -> Vec<String> {
        let both = parts.iter().filter(|part| part.section == section);
        both.filter(|part| others.iter().any(|other| same_place(part, other))).map(|part| part.name.clone()).collect()
    };
    let (before, after) = (names(old, new), names(new, old));
    if before != after {
        changes.push(Change {
            section,
            name: String::new(),
            what: "order".to_owned(),
            before: Some(before.join(", ")),
            after: Some(after.join(", ")),
        });
    }
}

/// What a key says: of an expression what it means, of anything else every letter.
fn meant(section: &str, key: &str, text: &str) -> String {
    let is_expression = match section {
        "transaction" | "month" | "metric" => key.is_empty(),
        "require" => key == "asks",
        "exposure" | "ask" => true,
        "offer" => ["when", "instalments", "amount", "cap", "floor", "step", "interest", "fee"].contains(&key),
        _ => false,
    };
    if is_expression { plain(text) } else { text.to_owned() }
}

/// An expression without what makes no difference: white space, and letter case outside of quotes.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut quoted = false;
    let mut gap = false;
    for c in text.chars() {
        quoted ^= c == '\'';
        if c.is_whitespace() && !quoted {
            gap = true;
            continue;
        }
        let word = |c: char| c.is_alphanumeric() || c == '_' || c == '$' || c == '\'';
        if gap && out.chars().next_back().is_some_and(word) && word(c) {
            out.push(' ');
        }
        gap = false;
        if quoted { out.push(c) } else { out.extend(c.to_lowercase()) }
    }
    out
}
