//! Declares word lists and the changes that files make to them. Knows no narration.

use std::collections::{HashMap, HashSet};

use crate::base::diagnostic::{Diagnostic, Span, nearest};
use crate::base::text_search::lower::lowercase;
use crate::base::text_search::word_matcher::LISTS_MAX;
use crate::rules::check::checker::Checker;
use crate::rules::names::Sort;
use crate::rules::syntax::file::{RuleFile, WordList};
use crate::rules::syntax::source::{Name, Text};

/// Most words. With this many ASCII words of the greatest length, the trie takes at most 23 million bytes: 21 per
/// shared letter, and 1 per other letter.
const WORDS_MAX: usize = 10_000;

/// Most letters of a word. Each letter may be a node of the trie.
const LETTERS_MAX: usize = 200;

/// Where each word was removed, by the list's index and the lowercase word.
type Removed = HashMap<(usize, String), Span>;

/// Merges the word lists of all files: definitions first, then changes by other files.
pub(in crate::rules) fn declare(checker: &mut Checker, files: &[RuleFile]) {
    let (lists, changes): (Vec<&WordList>, Vec<&WordList>) =
        files.iter().flat_map(|file| &file.words).partition(|list| list.without.is_none());
    for list in lists {
        let name = &list.name;
        let words = within_bounds(checker, list).into_iter().map(|(word, _)| word).collect();
        if checker.words.iter().any(|(known, _)| *known == name.text) {
            let message = format!("the word list `{}` is already defined", name.text);
            let help =
                format!("change the list of a used file: {} = {{ add = [\"...\"], remove = [\"...\"] }}", name.text);
            let first = checker.first_places.get(&format!("mentions {}", name.text)).copied().unwrap_or_default();
            let diagnostic = Diagnostic::error("shadowing", name.span, message).help(help);
            checker.diagnostics.push(diagnostic.elsewhere(first));
        }
        checker.first_places.entry(format!("mentions {}", name.text)).or_insert(name.span);
        add_list(checker, name, words);
    }
    // Global changes apply first. Namespaced lists are derived from the result.
    let is_there = |list: &&WordList| checker.words.iter().any(|(known, _)| *known == list.name.text);
    let (there, mut of_spaces): (Vec<&WordList>, Vec<&WordList>) = changes.into_iter().partition(is_there);
    of_spaces.sort_by_key(|list| list.name.text.matches('.').count());
    let mut removed = Removed::new();
    there.into_iter().for_each(|list| change(checker, list, &mut removed));
    for list in of_spaces {
        copy(checker, &list.name, &mut removed);
        change(checker, list, &mut removed);
    }
}

/// A namespaced file may change a list of an enclosing namespace, which other files use too. They still see the
/// original: the file gets a copy under its own name.
fn copy(checker: &mut Checker, name: &Name, removed: &mut Removed) {
    let is_known = |checker: &Checker, name: &str| checker.words.iter().position(|(known, _)| known == name);
    let own = name.text.rsplit('.').next().unwrap_or_default();
    let outer = checker.enter(name.span);
    let found = checker.whole_name(own, |whole| is_known(checker, whole).is_some());
    checker.leave(outer);
    let Some(at) = found.and_then(|found| is_known(checker, &found)) else { return };
    if checker.words[at].0 != name.text && has_room(checker, name, checker.words[at].1.len()) {
        checker.first_places.entry(format!("mentions {}", name.text)).or_insert(name.span);
        let of_list = removed.iter().filter(|((list, _), _)| *list == at);
        let of_copy: Vec<_> = of_list.map(|((_, word), span)| ((checker.words.len(), word.clone()), *span)).collect();
        removed.extend(of_copy);
        add_list(checker, name, checker.words[at].1.clone());
    }
}

fn add_list(checker: &mut Checker, name: &Name, words: Vec<String>) {
    if checker.words.len() == LISTS_MAX {
        let message = format!("more than {LISTS_MAX} word lists");
        checker.diagnostics.push(Diagnostic::error("too-long", name.span, message).help("combine lists"));
    }
    checker.words.push((name.text.clone(), words));
}

fn change(checker: &mut Checker, list: &WordList, removed: &mut Removed) {
    let name = &list.name;
    let words = within_bounds(checker, list);
    // The place of a copy is that of the change.
    if checker.first_places.get(&format!("mentions {}", name.text)) != Some(&name.span) {
        checker.names.used(Sort::Words, &name.text, name.span);
    }
    let Some(at) = checker.words.iter().position(|(known, _)| *known == name.text) else {
        let near = nearest(&name.text, checker.words.iter().map(|(name, _)| name.as_str()));
        let help =
            near.map_or(format!("define it: {} = [\"...\"]", name.text), |near| format!("did you mean `{near}`?"));
        let message = format!("there is no word list `{}` to change", name.text);
        let wrong = Diagnostic::error("unknown-words", name.span, message).help(help).meant(&name.text, near);
        checker.diagnostics.push(wrong);
        return;
    };
    let mut known: HashSet<String> = checker.words[at].1.iter().map(|word| lowercase(word).into()).collect();
    let mut gone = HashSet::new();
    for word in list.without.iter().flatten() {
        let (lower, span) = (lowercase(&without_blanks(word)).into_owned(), word.span());
        if known.remove(&lower) {
            removed.entry((at, lower.clone())).or_insert(span);
        } else {
            let first = removed.get(&(at, lower.clone())).copied();
            checker.diagnostics.push(nothing_to_remove(checker, at, word, first));
        }
        gone.insert(lower);
    }
    checker.words[at].1.retain(|known| !gone.contains(&*lowercase(known)));
    for (word, span) in words {
        if known.insert(lowercase(&word).into_owned()) {
            checker.words[at].1.push(word);
        } else {
            let message = format!("the word \"{word}\" is already in `{}`", name.text);
            checker.diagnostics.push(Diagnostic::warning("word", span, message).help("delete it here"));
        }
    }
}

/// Reports the removal of a word that is not in the list, or was already removed.
fn nothing_to_remove(checker: &Checker, list: usize, word: &Text, first: Option<Span>) -> Diagnostic {
    let (name, words) = &checker.words[list];
    let mistake = |message| Diagnostic::error("unknown-words", word.span(), message);
    if let Some(first) = first {
        let message = format!("the word \"{}\" is already removed from `{name}`", word.value());
        return mistake(message).help("remove it in one place").elsewhere(first);
    }
    let near = checker.nearest(&lowercase(word.value()), words.iter());
    let help =
        near.map_or("look at the list where it is defined".to_owned(), |near| format!("did you mean \"{near}\"?"));
    let wrong = mistake(format!("`{name}` has no word \"{}\" to remove", word.value())).help(help);
    wrong.meant_at(word.content(), word.value(), near)
}

/// The words of a list, each with its place.
fn within_bounds(checker: &mut Checker, list: &WordList) -> Vec<(String, Span)> {
    if !has_room(checker, &list.name, list.words.len()) {
        return Vec::new();
    }
    let words = list.words.iter().filter(|word| is_short(checker, word) && is_word(checker, word));
    words.map(|word| (without_blanks(word), word.span())).collect()
}

/// The word with single blanks inside, and none around it.
fn without_blanks(word: &Text) -> String {
    word.value().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether it can be found at all. Reports oddities.
fn is_word(checker: &mut Checker, word: &Text) -> bool {
    let plain = without_blanks(word);
    let odd = if plain.is_empty() {
        Some(("an empty word never matches", "delete it"))
    } else if !plain.contains(char::is_alphanumeric) {
        Some(("a word without letters or digits matches wherever its characters appear", "add the word next to them"))
    } else if plain != word.value() {
        Some(("extra spaces around or within a word are ignored", "delete them"))
    } else {
        None
    };
    if let Some((message, help)) = odd {
        checker.diagnostics.push(Diagnostic::warning("word", word.span(), message).help(help));
    }
    !plain.is_empty()
}

/// Whether this many more words are allowed.
fn has_room(checker: &mut Checker, name: &Name, more: usize) -> bool {
    let known: usize = checker.words.iter().map(|(_, words)| words.len()).sum();
    let has_room = known + more <= WORDS_MAX;
    if !has_room {
        let message = format!("more than {WORDS_MAX} words in all lists");
        let diagnostic = Diagnostic::error("too-long", name.span, message);
        checker.diagnostics.push(diagnostic.help("keep those that occur in narrations"));
    }
    has_room
}

fn is_short(checker: &mut Checker, word: &Text) -> bool {
    let letters = word.value().chars().count();
    if letters > LETTERS_MAX {
        let message = format!("this word has {letters} characters; at most {LETTERS_MAX} are allowed");
        let help = "narrations are shorter: keep the part that they have in common";
        checker.diagnostics.push(Diagnostic::error("too-long", word.span(), message).help(help));
    }
    letters <= LETTERS_MAX
}
