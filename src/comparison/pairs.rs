//! Pairs the parts of two policies: by name, or by content where the name changed. Judges no difference.

use std::collections::{HashMap, HashSet};

use crate::rules::canonical::PolicyPart;

/// A part in both policies, or in one of them.
#[derive(Clone, Copy)]
pub(super) struct Pair<'p> {
    pub old: Option<&'p PolicyPart>,
    pub new: Option<&'p PolicyPart>,
}

/// All parts of both, in the order of the new policy; what is gone comes last.
pub(super) fn pairs<'p>(old: &'p [PolicyPart], new: &'p [PolicyPart]) -> Vec<Pair<'p>> {
    let mut partner: Vec<Option<usize>> = vec![None; new.len()];
    // Of several parts of one name those that say the same, then those of one code; the others in their order.
    by(old, new, &mut partner, |part| Some(format!("{} {}", part.key, says(part))));
    by(old, new, &mut partner, |part| {
        let code = part.attributes.iter().find(|attribute| attribute.key == "code")?;
        Some(format!("{} {}", part.key, code.value.meaning()))
    });
    by(old, new, &mut partner, |part| Some(part.key.clone()));
    // A property is nothing but what it names.
    by(old, new, &mut partner, |part| (!part.key.is_empty() && part.section != "property").then(|| says(part)));
    let taken: HashSet<usize> = partner.iter().flatten().copied().collect();
    let there = new.iter().zip(&partner).map(|(part, from)| Pair { old: from.map(|from| &old[from]), new: Some(part) });
    let gone = old.iter().enumerate().filter(|(at, _)| !taken.contains(at));
    there.chain(gone.map(|(_, part)| Pair { old: Some(part), new: None })).collect()
}

/// Pairs the parts of a section that have no partner yet and are the same by `key`, in their order.
fn by(
    old: &[PolicyPart],
    new: &[PolicyPart],
    partner: &mut [Option<usize>],
    key: impl Fn(&PolicyPart) -> Option<String>,
) {
    let taken: HashSet<usize> = partner.iter().flatten().copied().collect();
    let mut waiting: HashMap<(&str, String), Vec<usize>> = HashMap::new();
    for (at, part) in old.iter().enumerate().rev().filter(|(at, _)| !taken.contains(at)) {
        if let Some(key) = key(part) {
            waiting.entry((part.section, key)).or_default().push(at);
        }
    }
    for (part, partner) in new.iter().zip(partner).filter(|(_, partner)| partner.is_none()) {
        *partner = key(part).and_then(|key| waiting.get_mut(&(part.section, key))).and_then(Vec::pop);
    }
}

/// All that a part says but its name.
fn says(part: &PolicyPart) -> String {
    let mut out = String::new();
    for attribute in &part.attributes {
        out += &format!("{}\u{1f}{}\u{1e}", attribute.key, attribute.value.meaning());
    }
    for line in part.lines.iter().flat_map(|lines| &lines.lines) {
        for cell in line.cells.iter().filter(|cell| !cell.is_open()) {
            out += &format!("{}\u{1f}{}\u{1e}", cell.column.meaning(), cell.value.meaning());
        }
        out.push('\n');
    }
    out
}
