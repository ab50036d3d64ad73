//! Checks that the word lists for narrations exist, and that their entries can be found.

use std::collections::BTreeSet;

use crate::base::diagnostic::{Diagnostic, Span};
use crate::base::narration::{LISTS, Normaliser, Standing};
use crate::base::text_search::word_matcher::{Lists, WordMatcher};
use crate::rules::check::symbols::mistakes::Mistakes;
use crate::rules::check::symbols::symbol_table::SymbolTable;
use crate::rules::check::symbols::word_list::WordLists;
use crate::rules::graph::{Graph, Node, Op, TransactionColumn};
use crate::rules::program::Metric;
use crate::rules::program::schedule::asks_names;
use crate::rules::syntax::file::{RuleFile, WordList};

/// Makes the normaliser of counterparties from its word lists.
pub(in crate::rules) fn make_normaliser(lists: &WordLists, graph: &Graph) -> Normaliser {
    let words_of = |wanted: &str| {
        let list = lists.lists().iter().find(|(name, _)| narration_list(name) == Some(wanted));
        list.map_or(&[][..], |(_, words)| words)
    };
    let sought = asked_of_names(graph).into_iter().flat_map(|list| lists.words(list));
    Normaliser::knowing(words_of, sought.map(String::as_str))
}

/// The matcher of all lists. In lists that are searched in names, an entry with signs is also found as names have it,
/// with blanks: `m-kopa` as `m kopa`.
pub(in crate::rules) fn make_matcher(lists: &WordLists, graph: &Graph) -> WordMatcher {
    let mut lists = lists.lists().to_vec();
    for list in asked_of_names(graph) {
        let as_named = |entry: &String| {
            let has_ends = [entry.chars().next(), entry.chars().next_back()];
            let words = entry.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
            let named = words.collect::<Vec<_>>().join(" ");
            (has_ends.iter().flatten().all(|c| c.is_alphanumeric()) && named != *entry).then_some(named)
        };
        let added: Vec<String> = lists[list].1.iter().filter_map(as_named).collect();
        lists[list].1.extend(added);
    }
    WordMatcher::new(&lists)
}

/// The normaliser's list of this name, whatever its namespace.
pub(in crate::rules) fn narration_list(name: &str) -> Option<&'static str> {
    let own = name.rsplit('.').next().unwrap_or(name);
    LISTS.iter().map(|(list, _)| *list).find(|list| *list == own)
}

/// The lists that are searched in names.
fn asked_of_names(graph: &Graph) -> BTreeSet<usize> {
    let list = |op: &Op| if let Op::Named(list) = op { Some(*list) } else { None };
    graph.nodes().iter().filter_map(|node| list(&node.op)).collect()
}

/// The lists that are searched in narrations.
fn asked_of_texts(graph: &Graph) -> BTreeSet<usize> {
    let list = |op: &Op| match op {
        Op::Mentions(list) | Op::Mentioned(list) => Some(*list),
        _ => None,
    };
    graph.nodes().iter().filter_map(|node| list(&node.op)).collect()
}

/// Warns about missing lists if the policy uses names.
pub(in crate::rules) fn warn_of_missing_lists(
    mistakes: &mut Mistakes,
    lists: &WordLists,
    symbols: &SymbolTable,
    graph: &Graph,
    metrics: &[Metric],
) {
    let is_there = |list: &&str| lists.names().any(|name| narration_list(name) == Some(*list));
    let nodes = graph.nodes();
    // Legal forms are no part of names: whoever does not ask for them needs none.
    let asks_form = nodes.iter().any(|node| node.op == Op::Column(TransactionColumn::Standing(Standing::LEGAL_FORM)));
    let needed = || LISTS.iter().map(|(list, _)| *list).filter(|list| asks_form || *list != "legal_forms");
    let missing: Vec<&str> = needed().filter(|list| !is_there(list)).collect();
    // A correction may be of an identifier alone, whatever the names are.
    let asks_names = |node: &Node| asks_names(node) && !matches!(node.op, Op::Corrected(_));
    if mistakes.has_errors() || missing.is_empty() || !nodes.iter().any(asks_names) {
        return;
    }
    let mut asks = vec![false; nodes.len()];
    for (index, node) in nodes.iter().enumerate() {
        asks[index] = asks_names(node) || node.inputs.iter().chain(&node.spreads).any(|input| asks[input.index()]);
    }
    let asking = metrics.iter().filter(|metric| asks[metric.node.index()]);
    let places = asking
        .map(|metric| symbols.place_of(&metric.name).unwrap_or_default())
        .filter(|place| *place != Span::default());
    let place = places.min_by_key(|place| (std::cmp::Reverse(place.source), place.start)).unwrap_or_default();
    let names: Vec<String> = missing.iter().map(|list| format!("`{list}`")).collect();
    let what = match missing.len() == needed().count() {
        true => "this uses counterparties, but the policy has no word lists to find them".into(),
        false => {
            format!("this uses counterparties, but the policy lacks word lists to find them: {}", names.join(", "))
        }
    };
    let help = "add them: use = [\"words.toml\"]; a list that you do not need may be empty";
    mistakes.push(Diagnostic::warning("missing-words", place, what).help(help));
}

/// Warns about entries that can never be found, by reading each one as a narration.
pub(in crate::rules) fn warn_of_unfindable_words(
    mistakes: &mut Mistakes,
    lists: &WordLists,
    graph: &Graph,
    files: &[RuleFile],
    normaliser: &Normaliser,
    words: &WordMatcher,
) {
    let (of_names, of_texts) = (asked_of_names(graph), asked_of_texts(graph));
    for list in files.iter().flat_map(|file| &file.words) {
        let Some(at) = lists.find(&list.name.text) else { continue };
        let in_names_alone = of_names.contains(&at) && !of_texts.contains(&at);
        let makes_names = narration_list(&list.name.text).is_some();
        let why_not = |entry: &str| match in_names_alone {
            true => no_name_has(normaliser, words, (list, at), entry),
            false => makes_names.then(|| no_word_in(normaliser, entry)).flatten(),
        };
        for word in &list.words {
            let Some((message, help)) = why_not(word.value()) else { continue };
            // Another file may have removed it. Blanks around it are reported elsewhere.
            if lists.words(at).iter().any(|known| known == word.value()) {
                mistakes.push(Diagnostic::warning("never-found", word.span(), message).help(help));
            }
        }
    }
}

/// The warning for an entry that is not found in the name made from itself.
fn no_name_has(
    normaliser: &Normaliser,
    words: &WordMatcher,
    (list, at): (&WordList, usize),
    entry: &str,
) -> Option<(String, String)> {
    // Too many lists are reported elsewhere.
    let bit = Lists::from(true).checked_shl(at as u32).unwrap_or(0);
    let names = [true, false].map(|is_credit| normaliser.key(Some(entry), None, is_credit));
    if names.iter().flatten().any(|name| words.mask(name) & bit != 0) {
        return None;
    }
    let message = format!("no counterparty's name contains \"{entry}\", so named({}) never finds it", list.name.text);
    let left = names.into_iter().flatten().next();
    let left = left.map(|name| {
        format!("; of this one, \"{name}\" remains: write that if it is specific enough, otherwise delete it")
    });
    let left = left.as_deref().unwrap_or(": delete it");
    Some((message, format!("names contain no numbers or legal forms{left}")))
}

/// The warning for an entry without any word that counts in names.
fn no_word_in(normaliser: &Normaliser, entry: &str) -> Option<(String, String)> {
    let has_word = !entry.contains(char::is_numeric) || normaliser.reads_word(entry);
    let message = || format!("\"{entry}\" has no word that can be part of a name: numbers are ignored");
    (!has_word).then(|| (message(), "delete it, or write the word next to the number".to_owned()))
}
