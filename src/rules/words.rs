//! Word lists matched in narrations: all lists at once, without regard to case, on word boundaries.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::beginnings::Beginnings;
use super::check::Checker;
use super::expression::names::Sort;
use super::file::source::{Name, Text};
use super::file::{RuleFile, WordList};
use super::letters::Letters;
use super::lower::in_small_letters;
use crate::words::diagnostic::{Diagnostic, Span, nearest};

/// Where each word was removed from a list, by the list's place and the word in small letters.
type Removed = HashMap<(usize, String), Span>;

/// Takes the word lists of all files together: those that files define first, then what others change in them.
pub(super) fn declare(checker: &mut Checker, files: &[RuleFile]) {
    let (lists, changes): (Vec<&WordList>, Vec<&WordList>) =
        files.iter().flat_map(|file| &file.words).partition(|list| list.without.is_none());
    for list in lists {
        let name = &list.name;
        let words = within_bounds(checker, list).into_iter().map(|(word, _)| word).collect();
        if checker.words.iter().any(|(known, _)| *known == name.text) {
            let message = format!("the word list `{}` is defined already", name.text);
            let help =
                format!("change what a file brings in: {} = {{ add = [\"...\"], remove = [\"...\"] }}", name.text);
            let first = checker.first_places.get(&format!("mentions {}", name.text)).copied().unwrap_or_default();
            let diagnostic = Diagnostic::error("shadowing", name.span, message).help(help);
            checker.diagnostics.push(diagnostic.elsewhere(first));
        }
        checker.first_places.entry(format!("mentions {}", name.text)).or_insert(name.span);
        add_list(checker, name, words);
    }
    // What is changed under its own name first: of what comes of that a file with a space of its own makes a list of its own.
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

/// What a file with a space of its own changes may stand in a space around it, because others bring it in too. They see it as it is: the file has a
/// copy under its own name.
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
        checker.diagnostics.push(Diagnostic::error("too-long", name.span, message).help("put lists together"));
    }
    checker.words.push((name.text.clone(), words));
}

fn change(checker: &mut Checker, list: &WordList, removed: &mut Removed) {
    let name = &list.name;
    let words = within_bounds(checker, list);
    // A copy is defined where it is changed.
    if checker.first_places.get(&format!("mentions {}", name.text)) != Some(&name.span) {
        checker.names.used(Sort::Words, &name.text, name.span);
    }
    let Some(at) = checker.words.iter().position(|(known, _)| *known == name.text) else {
        let near = nearest(&name.text, checker.words.iter().map(|(name, _)| name.as_str()));
        let help =
            near.map_or(format!("define it: {} = [\"...\"]", name.text), |near| format!("did you mean `{near}`?"));
        let message = format!("there is no word list `{}` to change", name.text);
        checker.diagnostics.push(Diagnostic::error("unknown-words", name.span, message).help(help));
        return;
    };
    let mut known: HashSet<String> = checker.words[at].1.iter().map(|word| in_small_letters(word).into()).collect();
    let mut gone = HashSet::new();
    for word in list.without.iter().flatten() {
        let (lower, span) = (in_small_letters(&without_blanks(word)).into_owned(), word.span());
        if known.remove(&lower) {
            removed.entry((at, lower.clone())).or_insert(span);
        } else {
            let first = removed.get(&(at, lower.clone())).copied();
            checker.diagnostics.push(nothing_to_remove(checker, at, word, first));
        }
        gone.insert(lower);
    }
    checker.words[at].1.retain(|known| !gone.contains(&*in_small_letters(known)));
    for (word, span) in words {
        if known.insert(in_small_letters(&word).into_owned()) {
            checker.words[at].1.push(word);
        } else {
            let message = format!("the word \"{word}\" is in `{}` already", name.text);
            checker.diagnostics.push(Diagnostic::warning("word", span, message).help("delete it here"));
        }
    }
}

/// What is told of a word that is not in the list, or not any more.
fn nothing_to_remove(checker: &Checker, list: usize, word: &Text, first: Option<Span>) -> Diagnostic {
    let (name, words) = &checker.words[list];
    let told = |message| Diagnostic::error("unknown-words", word.span(), message);
    if let Some(first) = first {
        let message = format!("the word \"{}\" of `{name}` is removed already", word.value());
        return told(message).help("remove it in one place").elsewhere(first);
    }
    let near = checker.nearest(&in_small_letters(word.value()), words.iter());
    let help =
        near.map_or("look at the list where it is defined".to_owned(), |near| format!("did you mean \"{near}\"?"));
    told(format!("`{name}` has no word \"{}\" to remove", word.value())).help(help)
}

/// The words that a list brings, each with its place.
fn within_bounds(checker: &mut Checker, list: &WordList) -> Vec<(String, Span)> {
    if !has_room(checker, &list.name, list.words.len()) {
        return Vec::new();
    }
    let words = list.words.iter().filter(|word| is_short(checker, word) && is_word(checker, word));
    words.map(|word| (without_blanks(word), word.span())).collect()
}

/// The word with one blank between its parts, and none around them.
fn without_blanks(word: &Text) -> String {
    word.value().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether it can be found at all; what is odd about it is told.
fn is_word(checker: &mut Checker, word: &Text) -> bool {
    let plain = without_blanks(word);
    let odd = if plain.is_empty() {
        Some(("an empty word is found nowhere", "delete it"))
    } else if !plain.contains(char::is_alphanumeric) {
        Some(("a word without a letter or a digit is found wherever its signs stand", "write the word beside them"))
    } else if plain != word.value() {
        Some(("blanks around a word, and more than one within it, are left out", "delete them"))
    } else {
        None
    };
    if let Some((message, help)) = odd {
        checker.diagnostics.push(Diagnostic::warning("word", word.span(), message).help(help));
    }
    !plain.is_empty()
}

/// Whether there may be so many words more.
fn has_room(checker: &mut Checker, name: &Name, more: usize) -> bool {
    let known: usize = checker.words.iter().map(|(_, words)| words.len()).sum();
    let has_room = known + more <= WORDS_MAX;
    if !has_room {
        let message = format!("more than {WORDS_MAX} words in all lists");
        let diagnostic = Diagnostic::error("too-long", name.span, message);
        checker.diagnostics.push(diagnostic.help("keep those that are met"));
    }
    has_room
}

fn is_short(checker: &mut Checker, word: &Text) -> bool {
    let letters = word.value().chars().count();
    if letters > LETTERS_MAX {
        let message = format!("a word of {letters} letters; at most {LETTERS_MAX}");
        let help = "narrations are shorter: keep the part that they share";
        checker.diagnostics.push(Diagnostic::error("too-long", word.span(), message).help(help));
    }
    letters <= LETTERS_MAX
}

/// A text as the search wants it, which takes all cases of ASCII for one.
fn searched(text: &str) -> Cow<'_, str> {
    if text.is_ascii() { Cow::Borrowed(text) } else { in_small_letters(text) }
}

/// A bit for every list.
pub(crate) type Lists = u128;

/// More lists than this cannot be told apart in one mask.
pub(super) const LISTS_MAX: usize = Lists::BITS as usize;

/// With so many of them, each as long as it may be and in ASCII, the tree of their letters takes 23 million bytes at most: 21 a letter that two
/// words begin with, and 1 a letter beside.
pub(super) const WORDS_MAX: usize = 10_000;

/// Every letter of a word may be a node of its own.
const LETTERS_MAX: usize = 200;

/// Finds which lists a text mentions.
#[derive(Clone, Debug)]
pub(crate) struct WordMatcher {
    letters: Letters,
    beginnings: Beginnings,
    patterns: Vec<Pattern>,
    /// Each as the first list that has it spells it.
    words: Vec<String>,
    /// How other lists spell a word, where that differs.
    spelt: HashMap<(usize, usize), String>,
}

/// A word of the lists.
#[derive(Clone, Copy, Debug)]
struct Pattern {
    lists: Lists,
    /// Bytes that it has.
    length: usize,
    /// Whether it begins, and ends, with a letter or a digit: only there another one beside it makes another word of it.
    edges: [bool; 2],
}

impl Pattern {
    /// Whether what was found is a word of its own.
    fn stands(self, text: &str, end: usize) -> bool {
        let ([begins, ends], start) = (self.edges, end - self.length);
        let before = || match start.checked_sub(1).map(|at| text.as_bytes()[at]) {
            Some(byte) if byte.is_ascii() => byte.is_ascii_alphanumeric(),
            _ => is_letter(text.get(..start).and_then(|text| text.chars().next_back())),
        };
        let after = || match text.as_bytes().get(end) {
            Some(byte) if byte.is_ascii() => byte.is_ascii_alphanumeric(),
            _ => is_letter(text.get(end..).and_then(|text| text.chars().next())),
        };
        !(begins && before() || ends && after())
    }
}

impl WordMatcher {
    /// `lists[i]` becomes bit `i`.
    pub(super) fn new(lists: &[(String, Vec<String>)]) -> Self {
        let (mut texts, mut words): (Vec<Cow<str>>, Vec<String>) = (Vec::new(), Vec::new());
        let mut places: HashMap<Cow<str>, usize> = HashMap::new();
        let mut patterns: Vec<Pattern> = Vec::new();
        let mut spelt = HashMap::new();
        for (index, (_, list)) in lists.iter().take(LISTS_MAX).enumerate() {
            for word in list.iter().filter(|word| !word.trim().is_empty()) {
                let lower = in_small_letters(word);
                let place = *places.entry(lower.clone()).or_insert_with(|| {
                    let edges = [lower.chars().next(), lower.chars().next_back()].map(is_letter);
                    let length = lower.len();
                    texts.push(lower);
                    words.push(word.clone());
                    patterns.push(Pattern { lists: 0, length, edges });
                    patterns.len() - 1
                });
                let is_new = patterns[place].lists >> index & 1 == 0;
                patterns[place].lists |= 1 << index;
                if is_new && words[place] != *word {
                    spelt.insert((place, index), word.clone());
                }
            }
        }
        let texts: Vec<&[u8]> = texts.iter().map(|text| text.as_bytes()).collect();
        let (letters, beginnings) = (Letters::new(&texts), Beginnings::new(&texts));
        Self { letters, beginnings, patterns, words, spelt }
    }

    /// Every place where letters of a word stand: the word's number, and where they end.
    #[inline]
    fn found(&self, text: &str, mut take: impl FnMut(usize, usize)) {
        let text = text.as_bytes();
        self.beginnings.each(text, |at| self.letters.walk(&text[at..], |word, length| take(word, at + length)));
    }

    /// A bit for every list that the text mentions.
    pub(crate) fn mask(&self, text: &str) -> Lists {
        let text = &*searched(text);
        let mut mask = 0;
        self.found(text, |word, end| {
            let pattern = self.patterns[word];
            // What is known already needs no look at its neighbours.
            if mask & pattern.lists != pattern.lists && pattern.stands(text, end) {
                mask |= pattern.lists;
            }
        });
        mask
    }

    /// The word of a list that the text mentions first, as the list has it; of those that begin at one place the longest.
    pub(crate) fn first(&self, list: usize, text: &str) -> Option<&str> {
        let text = &*searched(text);
        let mut first: Option<(usize, usize, usize)> = None;
        self.found(text, |word, end| {
            let pattern = self.patterns[word];
            if pattern.lists >> list & 1 == 1 && pattern.stands(text, end) {
                let place = (end - pattern.length, usize::MAX - end, word);
                first = Some(first.map_or(place, |first| first.min(place)));
            }
        });
        let (.., place) = first?;
        self.spelt.get(&(place, list)).or_else(|| self.words.get(place)).map(String::as_str)
    }
}

fn is_letter(c: Option<char>) -> bool {
    c.is_some_and(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_whole_and_case_does_not_matter() {
        let lists = vec![
            ("salary".to_string(), vec!["salary".to_string(), "sal for".to_string()]),
            ("bet".to_string(), vec!["bet".to_string(), "bet9ja".to_string()]),
        ];
        let matcher = WordMatcher::new(&lists);
        assert_eq!(matcher.mask("NIP/ACME/SALARY MAY"), 1);
        assert_eq!(matcher.mask("SAL FOR MAY/Bet9ja payout"), 3);
        assert_eq!(matcher.mask("unsalaryed alphabet"), 0);
        assert_eq!(matcher.mask("éSALARY"), 0);
        assert_eq!(matcher.mask("TRF\u{2013}SALARY\u{2014}MAY"), 1);
    }

    #[test]
    fn case_does_not_matter_in_any_alphabet() {
        let list = |words: &[&str]| ("l".to_string(), words.iter().map(|word| word.to_string()).collect::<Vec<_>>());
        let matcher = WordMatcher::new(&[list(&["ọlá", "É", "Οδος", "straße"])]);
        for text in ["TRF ỌLÁ STORES", "trf ọlá stores", "É", "ΟΔΟΣ", "ΟΔΟΣ.A", "STRAßE 1", "\u{130}\u{130}\u{130} ỌLÁ"]
        {
            assert_eq!((matcher.mask(text), matcher.first(0, text).is_some()), (1, true), "{text}");
        }
        for text in ["ỌLÁṢ", "ÉÉ", "E"] {
            assert_eq!(matcher.mask(text), 0, "{text}");
        }
    }

    #[test]
    fn a_word_is_told_as_its_list_spells_it() {
        let list = |name: &str, words: &[&str]| (name.to_string(), words.iter().map(|word| word.to_string()).collect());
        let lists = [list("a", &["FairMoney", "fairmoney", "page"]), list("b", &["fairmoney", "PAGE"])];
        let matcher = WordMatcher::new(&lists);
        let found = [0, 1].map(|list| ["LOAN FAIRMONEY", "page 1"].map(|text| matcher.first(list, text)));
        assert_eq!(found, [[Some("FairMoney"), Some("page")], [Some("fairmoney"), Some("PAGE")]]);
    }

    #[test]
    fn a_sign_at_the_edge_of_a_word_needs_no_boundary() {
        let lists = vec![("reversal".to_string(), ["rev-", "**rev", "/sal/"].map(str::to_string).to_vec())];
        let matcher = WordMatcher::new(&lists);
        for text in ["REV-ETZ-12", "X **Rev MC", "TRF/SAL/FRM"] {
            assert_eq!(matcher.mask(text), 1, "{text}");
        }
        for text in ["REV JOHN", "TREV-1", "**REVEREND", "/SALE/"] {
            assert_eq!(matcher.mask(text), 0, "{text}");
        }
    }

    #[test]
    fn every_list_has_a_bit_of_its_own() {
        let lists: Vec<_> =
            (0..LISTS_MAX).map(|list| (list.to_string(), vec![format!("word{list}"), "all".into()])).collect();
        let matcher = WordMatcher::new(&lists);
        for list in 0..LISTS_MAX {
            assert_eq!(matcher.mask(&format!("NIP word{list}")), 1 << list);
        }
        assert_eq!(matcher.mask("all"), Lists::MAX);
    }

    #[test]
    fn words_are_found_wherever_they_stand() {
        let mut state = 0x2545_F491_4F6C_DD1D_u64;
        let mut draw = |below: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as usize % below
        };
        let parts =
            ["sal", "salary", "a", "pos", "posting", "z9", "-x", "ọlá", "transfer", " ", "/", "A", "9", "POS", "É"];
        let mut found = 0;
        for _ in 0..3_000 {
            let mut text = |most: usize| (0..1 + draw(most)).map(|_| parts[draw(parts.len())]).collect::<String>();
            let lists: Vec<_> = (0..5).map(|list| (list.to_string(), vec![text(2), text(3)])).collect();
            let text = text(14);
            let matcher = WordMatcher::new(&lists);
            let lower = in_small_letters(&text);
            let stands = |word: &str| {
                let word = in_small_letters(word);
                let beside = |inner: Option<char>, outer: Option<char>| is_letter(inner) && is_letter(outer);
                !word.trim().is_empty()
                    && (0..lower.len()).filter(|at| lower.is_char_boundary(*at)).any(|at| {
                        let (before, rest) = lower.split_at(at);
                        rest.strip_prefix(&*word).is_some_and(|after| {
                            !beside(word.chars().next(), before.chars().next_back())
                                && !beside(word.chars().next_back(), after.chars().next())
                        })
                    })
            };
            let expected = lists.iter().map(|(_, words)| words.iter().any(|word| stands(word)));
            let expected = expected.enumerate().fold(0, |mask, (list, stands)| mask | Lists::from(stands) << list);
            assert_eq!(matcher.mask(&text), expected, "{lists:?} {text:?}");
            found += expected.count_ones();
        }
        assert!(found > 500, "{found}");
    }
}
