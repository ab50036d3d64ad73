//! Which keys are one payer: a narration cut off or short of a word makes a key that is the beginning of another, or that lacks a word of it.
//! Keys join only where a single longer one can be meant. Knows keys as texts of words and nothing of payments.

use std::collections::HashMap;

/// A beginning shorter than this is too little to tell a payer by, and so is one word alone that is one of several.
const LEAST_BEGINNING: usize = 6;
/// Keys of more words than this are not looked at for a missing one.
const MOST_WORDS: usize = 12;

/// For each key its family, from 1, and its rank among the texts; an empty key is of family 0. Equal texts have equal ranks.
pub(super) fn families(keys: &[&str]) -> Vec<(u32, u32)> {
    let mut texts: Vec<&str> = keys.to_vec();
    texts.sort_unstable();
    texts.dedup();
    let mut meant: Vec<usize> = (0..texts.len()).collect();
    lacking(&texts, &mut meant);
    beginnings(&texts, &mut meant);
    let family: Vec<u32> = (0..texts.len())
        .map(|at| if texts[at].trim().is_empty() { 0 } else { last_meant(&meant, at) as u32 + 1 })
        .collect();
    keys.iter()
        .map(|key| {
            let rank = texts.binary_search(key).unwrap_or(0);
            (family.get(rank).copied().unwrap_or(0), rank as u32)
        })
        .collect()
}

/// Follows a key to the longest that it stands for. Each step leads to a longer text, so it ends.
fn last_meant(meant: &[usize], mut at: usize) -> usize {
    while meant[at] != at {
        at = meant[at];
    }
    at
}

/// A key that begins exactly one chain of longer keys, each the beginning of the next, stands for the next.
fn beginnings(texts: &[&str], meant: &mut [usize]) {
    // From the end: the keys that a text begins follow it directly. `ends[at]` is the last of them; `forked[at]` tells that they are not one chain.
    let mut ends: Vec<usize> = (0..texts.len()).collect();
    let mut forked = vec![false; texts.len()];
    for at in (0..texts.len()).rev() {
        let Some(next) = texts.get(at + 1) else { continue };
        if texts[at].is_empty() || !next.starts_with(texts[at]) {
            continue;
        }
        let end = ends[at + 1];
        let beyond = texts.get(end + 1).is_some_and(|text| text.starts_with(texts[at]));
        forked[at] = forked[at + 1] || beyond;
        ends[at] = if beyond { last_begun(texts, at, end + 1) } else { end };
        let is_telling = texts[at].chars().filter(|letter| letter.is_alphabetic()).count() >= LEAST_BEGINNING;
        if !forked[at] && is_telling && meant[at] == at {
            meant[at] = at + 1;
        }
    }
}

fn last_begun(texts: &[&str], at: usize, from: usize) -> usize {
    from + texts[from..].partition_point(|text| text.starts_with(texts[at])) - 1
}

/// A key of at least two words that is exactly one other key less one word stands for that.
fn lacking(texts: &[&str], meant: &mut [usize]) {
    let places: HashMap<&str, usize> = texts.iter().enumerate().map(|(at, text)| (*text, at)).collect();
    let mut longer: HashMap<usize, Option<usize>> = HashMap::new();
    let mut rest = String::new();
    for (at, text) in texts.iter().enumerate() {
        let words = text.split(' ').count();
        if !(3..=MOST_WORDS).contains(&words) {
            continue;
        }
        for dropped in 0..words {
            rest.clear();
            for (place, (_, word)) in text.split(' ').enumerate().filter(|(at, _)| *at != dropped).enumerate() {
                if place > 0 {
                    rest.push(' ');
                }
                rest.push_str(word);
            }
            if let Some(place) = places.get(rest.as_str()) {
                longer
                    .entry(*place)
                    .and_modify(|one| {
                        if *one != Some(at) {
                            *one = None
                        }
                    })
                    .or_insert(Some(at));
            }
        }
    }
    for (place, one) in longer {
        if let Some(one) = one {
            meant[place] = one;
        }
    }
}
