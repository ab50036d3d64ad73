//! Declares word lists and the changes that files make to them. Knows no narration.

use std::collections::{HashMap, HashSet};

use crate::base::clean_text::clean_part;
use crate::base::diagnostic::{Diagnostic, Span, nearest_candidate};
use crate::base::text_search::lower::lowercase_each_letter;
use crate::base::text_search::word_matcher::LISTS_MAX;
use crate::rules::check::symbols::mistakes::Mistakes;
use crate::rules::check::symbols::namespaces::Namespaces;
use crate::rules::check::symbols::uses::Uses;
use crate::rules::check::symbols::word_list::WordLists;
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
pub(in crate::rules) fn declare_word_lists(
    lists: &mut WordLists,
    spaces: &mut Namespaces,
    uses: &mut Uses,
    mistakes: &mut Mistakes,
    files: &[RuleFile],
) {
    let (defined, changes): (Vec<&WordList>, Vec<&WordList>) =
        files.iter().flat_map(|file| &file.words).partition(|list| list.without.is_none());
    let mut declaration = Declaration { lists, spaces, uses, mistakes, removed: Removed::new() };
    defined.into_iter().for_each(|list| declaration.define(list));
    // Global changes apply first. Namespaced lists are derived from the result.
    let is_there = |list: &&WordList| declaration.lists.find(&list.name.text).is_some();
    let (there, mut of_spaces): (Vec<&WordList>, Vec<&WordList>) = changes.into_iter().partition(is_there);
    of_spaces.sort_by_key(|list| list.name.text.matches('.').count());
    there.into_iter().for_each(|list| declaration.change(list));
    for list in of_spaces {
        declaration.copy_from_outside(&list.name);
        declaration.change(list);
    }
}

/// The word lists being declared.
struct Declaration<'d, 'a> {
    lists: &'d mut WordLists,
    spaces: &'d mut Namespaces,
    uses: &'d mut Uses,
    mistakes: &'d mut Mistakes<'a>,
    removed: Removed,
}

impl Declaration<'_, '_> {
    fn define(&mut self, list: &WordList) {
        let name = &list.name;
        let words = self.words_within_bounds(list).into_iter().map(|(word, _)| word).collect();
        if self.lists.find(&name.text).is_some() {
            let message = format!("the word list `{}` is already defined", name.text);
            let help =
                format!("change the list of a used file: {} = {{ add = [\"...\"], remove = [\"...\"] }}", name.text);
            let first = self.lists.place_of(&name.text).unwrap_or_default();
            let diagnostic = Diagnostic::error("shadowing", name.span, message).help(help);
            self.mistakes.push(diagnostic.elsewhere(first));
        }
        self.lists.note_place(&name.text, name.span);
        self.add_list(name, words);
    }

    /// A namespaced file may change a list of an enclosing namespace, which other files use too. They still see the
    /// original: the file gets a copy under its own name.
    fn copy_from_outside(&mut self, name: &Name) {
        let own = name.text.rsplit('.').next().unwrap_or_default();
        let outer = self.spaces.enter(name.span);
        let found = self.lists.resolve(self.spaces, own);
        self.spaces.leave(outer);
        let Some((at, found)) = found.and_then(|found| Some((self.lists.find(&found)?, found))) else { return };
        if found != name.text && self.has_room(name, self.lists.words(at).len()) {
            self.lists.note_place(&name.text, name.span);
            let copy = self.lists.count_lists();
            let of_list = self.removed.iter().filter(|((list, _), _)| *list == at);
            let of_copy: Vec<_> = of_list.map(|((_, word), span)| ((copy, word.clone()), *span)).collect();
            self.removed.extend(of_copy);
            self.add_list(name, self.lists.words(at).to_vec());
        }
    }

    fn add_list(&mut self, name: &Name, words: Vec<String>) {
        if self.lists.count_lists() == LISTS_MAX {
            let message = format!("more than {LISTS_MAX} word lists");
            self.mistakes.push(Diagnostic::error("too-long", name.span, message).help("combine lists"));
        }
        self.lists.add(&name.text, words);
    }

    fn change(&mut self, list: &WordList) {
        let name = &list.name;
        let words = self.words_within_bounds(list);
        // The place of a copy is that of the change.
        if self.lists.place_of(&name.text) != Some(name.span) {
            self.uses.note_place(Sort::Words, &name.text, name.span);
        }
        let Some(at) = self.lists.find(&name.text) else {
            let near = nearest_candidate(&name.text, self.lists.names());
            let help =
                near.map_or(format!("define it: {} = [\"...\"]", name.text), |near| format!("did you mean `{near}`?"));
            let message = format!("there is no word list `{}` to change", name.text);
            let wrong = Diagnostic::error("unknown-words", name.span, message).help(help).meant(&name.text, near);
            self.mistakes.push(wrong);
            return;
        };
        let mut known: HashSet<String> =
            self.lists.words(at).iter().map(|word| lowercase_each_letter(word).into()).collect();
        let mut gone = HashSet::new();
        for word in list.without.iter().flatten() {
            let (lower, span) = (lowercase_each_letter(&without_blanks(word)).into_owned(), word.span());
            if known.remove(&lower) {
                self.removed.entry((at, lower.clone())).or_insert(span);
            } else {
                let first = self.removed.get(&(at, lower.clone())).copied();
                self.report_nothing_to_remove(at, word, first);
            }
            gone.insert(lower);
        }
        self.lists.remove_words(at, |known| gone.contains(&*lowercase_each_letter(known)));
        for (word, span) in words {
            if known.insert(lowercase_each_letter(&word).into_owned()) {
                self.lists.add_word(at, word);
            } else {
                let message = format!("the word \"{word}\" is already in `{}`", name.text);
                self.mistakes.push(Diagnostic::warning("word", span, message).help("delete it here"));
            }
        }
    }

    /// Reports the removal of a word that is not in the list, or was already removed.
    fn report_nothing_to_remove(&mut self, list: usize, word: &Text, first: Option<Span>) {
        let (name, words) = &self.lists.lists()[list];
        let mistake = |message| Diagnostic::error("unknown-words", word.span(), message);
        if let Some(first) = first {
            let message = format!("the word \"{}\" is already removed from `{name}`", word.value());
            return self.mistakes.push(mistake(message).help("remove it in one place").elsewhere(first));
        }
        let near = self.mistakes.nearest_name(&lowercase_each_letter(word.value()), words.iter());
        let help =
            near.map_or("look at the list where it is defined".to_owned(), |near| format!("did you mean \"{near}\"?"));
        let wrong = mistake(format!("`{name}` has no word \"{}\" to remove", word.value())).help(help);
        self.mistakes.push(wrong.meant_at(word.content(), word.value(), near));
    }

    /// The words of a list, each with its place.
    fn words_within_bounds(&mut self, list: &WordList) -> Vec<(String, Span)> {
        if !self.has_room(&list.name, list.words.len()) {
            return Vec::new();
        }
        let mistakes = &mut *self.mistakes;
        let words = list.words.iter().filter(|word| is_short(mistakes, word) && is_word(mistakes, word));
        words.map(|word| (without_blanks(word), word.span())).collect()
    }

    /// Whether this many more words are allowed.
    fn has_room(&mut self, name: &Name, more: usize) -> bool {
        let has_room = self.lists.count_words() + more <= WORDS_MAX;
        if !has_room {
            let message = format!("more than {WORDS_MAX} words in all lists");
            let diagnostic = Diagnostic::error("too-long", name.span, message);
            self.mistakes.push(diagnostic.help("keep those that occur in narrations"));
        }
        has_room
    }
}

/// The word as narrations have it: single blanks inside, none around it, and visible letters only.
fn without_blanks(word: &Text) -> String {
    let clean = clean_part(word.value(), false, false);
    clean.as_deref().unwrap_or(word.value()).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The letters of a word, without blanks.
fn seen(word: &str) -> impl Iterator<Item = char> {
    word.chars().filter(|letter| !letter.is_whitespace())
}

/// Whether it can be found at all. Reports oddities.
fn is_word(mistakes: &mut Mistakes, word: &Text) -> bool {
    let plain = without_blanks(word);
    let odd = if plain.is_empty() {
        Some(("an empty word never matches", "delete it"))
    } else if !plain.contains(char::is_alphanumeric) {
        Some(("a word without letters or digits matches wherever its characters appear", "add the word next to them"))
    } else if !seen(&plain).eq(seen(word.value())) {
        Some(("letters without width and letters in parts are read as narrations have them", "type the word again"))
    } else if plain != word.value() {
        Some(("extra spaces around or within a word are ignored", "delete them"))
    } else if has_wildcard(&plain) {
        Some((
            "a word is found as it is written: `*` and `%` stand for nothing else",
            "delete the sign: `tesco` is found in TESCO STORES 3297; for a part of a word write desc ILIKE '%tesco%'",
        ))
    } else {
        None
    };
    if let Some((message, help)) = odd {
        mistakes.push(Diagnostic::warning("word", word.span(), message).help(help));
    }
    !plain.is_empty()
}

/// Whether a letter has a `*` or `%` at the beginning or the end of the word, as patterns of other programs have.
fn has_wildcard(word: &str) -> bool {
    let is_wild = |sign: Option<char>| matches!(sign, Some('*' | '%'));
    let is_letter = |sign: Option<char>| sign.is_some_and(char::is_alphabetic);
    let mut signs = word.chars();
    let mut reversed = word.chars().rev();
    (is_wild(signs.next()) && is_letter(signs.next())) || (is_wild(reversed.next()) && is_letter(reversed.next()))
}

fn is_short(mistakes: &mut Mistakes, word: &Text) -> bool {
    let letters = word.value().chars().count();
    if letters > LETTERS_MAX {
        let message = format!("this word has {letters} characters; at most {LETTERS_MAX} are allowed");
        let help = "narrations are shorter: keep the part that they have in common";
        mistakes.push(Diagnostic::error("too-long", word.span(), message).help(help));
    }
    letters <= LETTERS_MAX
}
