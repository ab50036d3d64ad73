//! What changed between two policies, in words. Must not know files, or how changes look.

mod lines;
mod pairs;
mod versions;

use std::collections::BTreeSet;

use serde::Serialize;

use crate::rules::canonical::{Attribute, PartCell, PartLine, PolicyPart, canonical_policy_parts};
use crate::rules::{Policy, rule_file_sections};
use pairs::{Pair, pair_policy_parts};
pub use versions::{compare_versions, find_counterpart};

/// One change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PolicyChange {
    /// The version it is in, if the policy has several.
    pub version: Option<String>,
    /// The version that a new version is compared with.
    pub against: Option<String>,
    /// Whether it is in the challenger.
    pub challenger: bool,
    /// The section of the rule file: `parameters`, `require`, `table`.
    pub section: &'static str,
    /// The name or id of what changed; empty for sections that occur once.
    pub name: String,
    /// The part that changed: a key, `row 4`, `order`, or empty for the whole.
    pub what: String,
    /// The old state; `None` if it is new.
    pub before: Option<String>,
    /// The new state; `None` if it was removed.
    pub after: Option<String>,
}

/// All changes from one policy to another by section, then those of their challengers if both have one. Comments,
/// layout, other text of the same meaning, and the order of unordered things do not count.
pub fn compare_policies(before: &Policy, after: &Policy) -> Vec<PolicyChange> {
    let mut changes = compare_own_parts(before, after);
    if let (Some(before), Some(after)) = (before.challenger(), after.challenger()) {
        let challengers = compare_own_parts(&before.policy, &after.policy);
        changes.extend(challengers.into_iter().map(|change| PolicyChange { challenger: true, ..change }));
    }
    changes
}

fn compare_own_parts(before: &Policy, after: &Policy) -> Vec<PolicyChange> {
    let (old, new) = (canonical_policy_parts(before), canonical_policy_parts(after));
    let pairs = pair_policy_parts(&old, &new);
    let mut changes = Vec::new();
    for pair in &pairs {
        match (pair.old, pair.new) {
            (Some(old), Some(new)) => compare_part(old, new, &mut changes),
            (Some(gone), None) => changes.push(describe_whole_part(gone, true)),
            (None, Some(come)) => changes.push(describe_whole_part(come, false)),
            (None, None) => {}
        }
    }
    // In these sections order matters: reasons, points lost and offers are reported in the order of the file.
    for section in ["require", "score", "offer"] {
        find_order_changes(section, &old, &pairs, &mut changes);
    }
    let sections: Vec<&str> = rule_file_sections().collect();
    changes.sort_by_key(|change| sections.iter().position(|section| *section == change.section));
    changes
}

/// A new or removed part: one line per attribute that is not at its default.
fn describe_whole_part(part: &PolicyPart, gone: bool) -> PolicyChange {
    let value = |attribute: &Attribute| match attribute.key.as_str() {
        "" => attribute.value.text.clone(),
        key => format!("{key} {}", attribute.value.text),
    };
    let mut text: Vec<String> = part.attributes.iter().filter(|attribute| !attribute.is_default).map(value).collect();
    if let Some(list) = &part.lines {
        const SHOWN_MAX: usize = 12;
        let all: Vec<String> = list.lines.iter().map(line_text).collect();
        match list.what {
            "word" => text.push(all.join(", ")),
            what if all.len() > SHOWN_MAX => text.push(format!("{} {what}s", all.len())),
            // After the attribute that says how many of them must hold.
            "condition" => drop(text.splice(1..1, all.iter().map(|line| format!("- {line}")))),
            _ => text.extend(all),
        }
    }
    let text = Some(text.join("\n"));
    let (before, after) = if gone { (text, None) } else { (None, text) };
    PolicyChange { section: part.section, name: part.name.clone(), before, after, ..PolicyChange::default() }
}

fn compare_part(old: &PolicyPart, new: &PolicyPart, changes: &mut Vec<PolicyChange>) {
    let change = |what: &str, before: Option<String>, after: Option<String>| PolicyChange {
        section: new.section,
        name: new.name.clone(),
        what: what.to_owned(),
        before,
        after,
        ..PolicyChange::default()
    };
    if old.key != new.key {
        let what = if new.section == "score" { "on" } else { "name" };
        let renamed = change(what, Some(old.name.clone()), Some(new.name.clone()));
        changes.push(PolicyChange { name: old.name.clone(), ..renamed });
    }
    let becomes_block = new.section == "require" && old.lines.is_some() != new.lines.is_some();
    if becomes_block {
        changes.push(change("condition", Some(requirement_condition(old)), Some(requirement_condition(new))));
    }
    let get = |part: &PolicyPart, key: &str| part.attributes.iter().find(|attribute| attribute.key == key).cloned();
    let mut keys: Vec<&str> = new.attributes.iter().map(|attribute| attribute.key.as_str()).collect();
    keys.extend(old.attributes.iter().map(|attribute| attribute.key.as_str()).filter(|key| get(new, key).is_none()));
    for key in keys.into_iter().filter(|key| !(becomes_block && CONDITION.contains(key))) {
        let (before, after) = (get(old, key), get(new, key));
        let is_same = match (&before, &after) {
            (Some(before), Some(after)) => before.value.same(&after.value),
            // An attribute in only one of them counts unless it is at its default.
            (Some(alone), None) | (None, Some(alone)) => alone.is_default,
            (None, None) => true,
        };
        if !is_same {
            changes.push(change(
                key,
                before.map(|attribute| attribute.value.text),
                after.map(|attribute| attribute.value.text),
            ));
        }
    }
    let (Some(before), Some(after)) = (&old.lines, &new.lines) else { return };
    let what = after.what;
    if what == "word" {
        let words = |lines: &[PartLine]| lines.iter().map(line_text).collect::<BTreeSet<_>>();
        let (before, after) = (words(&before.lines), words(&after.lines));
        changes.extend(after.difference(&before).map(|word| change(what, None, Some(word.clone()))));
        changes.extend(before.difference(&after).map(|word| change(what, Some(word.clone()), None)));
        return;
    }
    for edit in lines::compare_lines(&before.lines, &after.lines) {
        let place = format!("{what} {}", edit.place);
        changes.push(match (edit.before, edit.after) {
            (Some(before), Some(after)) => {
                let (what, before, after) = describe_edited_line(&place, before, after);
                change(&what, before, after)
            }
            (before, after) => change(&place, before.map(line_text), after.map(line_text)),
        });
    }
}

/// The keys of a requirement's condition.
const CONDITION: [&str; 2] = ["when", "holds where"];

/// The condition of a requirement, single or a block.
fn requirement_condition(part: &PolicyPart) -> String {
    let asks = part.attributes.iter().find(|attribute| CONDITION.contains(&attribute.key.as_str()));
    let asks = asks.map_or("", |attribute| &attribute.value.text);
    match &part.lines {
        None => asks.to_owned(),
        Some(list) => format!("{asks}: {}", list.lines.iter().map(line_text).collect::<Vec<_>>().join("; ")),
    }
}

/// A line in words, tests before results.
fn line_text(line: &PartLine) -> String {
    let some = |cells: Vec<&PartCell>, between: &str| cells.into_iter().map(named).collect::<Vec<_>>().join(between);
    let asked: Vec<&PartCell> = line.cells.iter().filter(|cell| cell.is_test).collect();
    let given: Vec<&PartCell> = line.cells.iter().filter(|cell| !cell.is_test).collect();
    if asked.is_empty() {
        return some(given, ", ");
    }
    let given = match given.as_slice() {
        [points] => points.value.text.clone(),
        _ => some(given, ", "),
    };
    let asked = some(asked.into_iter().filter(|cell| !cell.is_open()).collect(), " and ");
    format!("{} gives {given}", if asked.is_empty() { "anything" } else { &asked })
}

/// A cell with the name of its column.
fn named(cell: &PartCell) -> String {
    let text = if cell.is_open() { "anything" } else { &cell.value.text };
    match cell.column.text.as_str() {
        "" => text.to_owned(),
        column => format!("{column} {text}"),
    }
}

/// The change of a line that is in both: the changed cells, or the whole line if most of it changed.
fn describe_edited_line(place: &str, before: &PartLine, after: &PartLine) -> (String, Option<String>, Option<String>) {
    let differing: Vec<_> = lines::differing_cells(before, after).collect();
    let cells = before.cells.len().max(after.cells.len());
    if cells <= 2 || differing.is_empty() || 2 * differing.len() > cells {
        return (place.to_owned(), Some(line_text(before)), Some(line_text(after)));
    }
    // Unchanged cells identify the row: its tests, or else its first result.
    let changed =
        |cell: &&PartCell| differing.iter().any(|(_, after)| after.is_some_and(|after| std::ptr::eq(after, *cell)));
    let asked: Vec<String> =
        after.cells.iter().filter(|cell| cell.is_test && !cell.is_open() && !changed(cell)).map(named).collect();
    let given = after.cells.iter().find(|cell| !cell.is_test && !changed(cell)).map(named);
    let known = if asked.is_empty() { given } else { Some(asked.join(" and ")) };
    let place = known.map_or(place.to_owned(), |known| format!("{place} ({known})"));
    if let [(before, after)] = differing.as_slice() {
        let Some(column) = after.or(*before) else { return (place, None, None) };
        // A missing column tests nothing and gives nothing.
        let text = |cell: &Option<&PartCell>| match cell {
            Some(cell) if !cell.is_open() => Some(cell.value.text.clone()),
            _ => column.is_test.then(|| "anything".to_owned()),
        };
        return (format!("{place}, {}", column.column.text), text(before), text(after));
    }
    let side =
        |cells: Vec<Option<&PartCell>>| Some(cells.into_iter().flatten().map(named).collect::<Vec<_>>().join(", "));
    let (before, after): (Vec<_>, Vec<_>) = differing.into_iter().unzip();
    (place, side(before), side(after))
}

/// Changes of order: parts that follow another part than before.
fn find_order_changes(section: &'static str, old: &[PolicyPart], pairs: &[Pair], changes: &mut Vec<PolicyChange>) {
    let both: Vec<(&PolicyPart, &PolicyPart)> =
        pairs.iter().filter_map(|pair| pair.old.zip(pair.new)).filter(|(old, _)| old.section == section).collect();
    // `both` is in the order of the new policy.
    let place = |part: &PolicyPart| {
        // `pairs` only has parts of `old` on this side.
        old.iter().position(|other| std::ptr::eq(part, other)).expect("INVARIANT: a paired part is in the old policy")
    };
    let places: Vec<usize> = both.iter().map(|(part, _)| place(part)).collect();
    let mut sorted: Vec<usize> = places.clone();
    sorted.sort_unstable();
    for (at, _) in
        lines::keep_in_order(&places, &vec![1; places.len()]).into_iter().enumerate().filter(|(_, stays)| !stays)
    {
        let after = |part: Option<&PolicyPart>| match part {
            Some(part) if !part.name.is_empty() => format!("after {}", part.name),
            _ => "first".to_owned(),
        };
        let before = sorted.iter().position(|place| *place == places[at]).and_then(|rank| rank.checked_sub(1));
        let was = after(before.map(|rank| &old[sorted[rank]]));
        let is = after(at.checked_sub(1).map(|before| both[before].1));
        if was != is {
            let (name, what) = (both[at].1.name.clone(), "order".to_owned());
            changes.push(PolicyChange {
                section,
                name,
                what,
                before: Some(was),
                after: Some(is),
                ..PolicyChange::default()
            });
        }
    }
}
