//! Pairs the parts of two policies: by name, or by content where the name changed. Judges no difference.

use std::collections::{HashMap, HashSet};

use crate::rules::canonical::PolicyPart;

/// A part in both policies, or in one of them.
#[derive(Clone, Copy)]
pub(super) struct Pair<'p> {
    pub old: Option<&'p PolicyPart>,
    pub new: Option<&'p PolicyPart>,
}

/// All parts of both, in the order of the new policy. Removed parts come last.
pub(super) fn pair_policy_parts<'p>(old: &'p [PolicyPart], new: &'p [PolicyPart]) -> Vec<Pair<'p>> {
    let mut partner: Vec<Option<usize>> = vec![None; new.len()];
    // Among several parts of one name, pairs equal ones, then ones with the same code, then the others in order.
    pair_by(old, new, &mut partner, |part| Some(format!("{} {}", part.key, content(part))));
    pair_by(old, new, &mut partner, |part| {
        let code = part.attributes.iter().find(|attribute| attribute.key == "code")?;
        Some(format!("{} {}", part.key, code.value.meaning()))
    });
    pair_by(old, new, &mut partner, |part| Some(part.key.clone()));
    // A property has no content besides its names, so it cannot be recognized by content.
    pair_by(old, new, &mut partner, |part| (!part.key.is_empty() && part.section != "property").then(|| content(part)));
    let taken: HashSet<usize> = partner.iter().flatten().copied().collect();
    let there = new.iter().zip(&partner).map(|(part, from)| Pair { old: from.map(|from| &old[from]), new: Some(part) });
    let gone = old.iter().enumerate().filter(|(at, _)| !taken.contains(at));
    there.chain(gone.map(|(_, part)| Pair { old: Some(part), new: None })).collect()
}

/// Pairs, in order, the parts of a section that have no partner yet and have the same key.
fn pair_by(
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

/// The content of a part without its name.
fn content(part: &PolicyPart) -> String {
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
