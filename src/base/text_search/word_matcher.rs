//! Finds the words of many lists in a text in one pass, case-insensitively and on word boundaries. Knows nothing of
//! rule files.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::base::block::{BLOCK, mask_byte_range};
use crate::base::text_search::ascii_words::{mask_equal_bytes, text_byte_blocks};
use crate::base::text_search::lower::lowercase_each_letter;
use crate::base::text_search::number_masking::word_is_number_sensitive;
use crate::base::text_search::prefix_index::{PrefixIndex, PrefixMatch};
use crate::base::text_search::trie::Trie;

/// Normalizes a text for the search: runs of whitespace become one blank, and text that is not ASCII is lowercased.
fn searched(text: &str) -> Cow<'_, str> {
    if is_plain(text.as_bytes()) {
        return text.into();
    }
    if text.is_ascii() {
        return with_one_blank(text).into();
    }
    let text = lowercase_each_letter(text);
    match text.contains(|c: char| c.is_whitespace() && c != ' ') || text.contains("  ") {
        true => with_one_blank(&text).into(),
        false => text,
    }
}

/// Whether a text is ASCII with single blanks and no other space.
fn is_plain(text: &[u8]) -> bool {
    let (mut odd, mut before) = (0, 0);
    for (_, block) in text_byte_blocks(text) {
        let blanks = mask_equal_bytes(block, b' ');
        odd |= block.to_bitmask() | mask_byte_range(block, b'\t', 5).to_bitmask() | blanks & (blanks << 1 | before);
        before = blanks >> (BLOCK - 1);
    }
    odd == 0
}

fn with_one_blank(text: &str) -> String {
    let mut before = 'x';
    let blanks = text.chars().map(|c| if c.is_whitespace() { ' ' } else { c });
    blanks.filter(|c| std::mem::replace(&mut before, *c) != ' ' || *c != ' ').collect()
}

/// A set of lists, one bit per list.
pub(crate) type Lists = u128;

/// The most lists that a [`Lists`] can hold.
pub(crate) const LISTS_MAX: usize = Lists::BITS as usize;

/// Finds which lists a text mentions.
#[derive(Clone, Debug)]
pub(crate) struct WordMatcher {
    trie: Trie,
    prefixes: PrefixIndex,
    patterns: Vec<Pattern>,
    /// Each word as spelled in the first list that has it.
    words: Vec<String>,
    /// Other spellings, by word and list.
    spelt: HashMap<(usize, usize), String>,
    number_sensitive: bool,
}

/// A word of the lists.
#[derive(Clone, Copy, Debug)]
struct Pattern {
    lists: Lists,
    /// Length in bytes.
    length: usize,
    /// Whether it begins, and ends, with a letter or digit. Only then must there be a word boundary on that side.
    edges: [bool; 2],
}

impl Pattern {
    /// Whether a match that ends at `end` has the word boundaries it needs.
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
    pub(crate) fn new(lists: &[(String, Vec<String>)]) -> Self {
        let (mut texts, mut words): (Vec<Cow<str>>, Vec<String>) = (Vec::new(), Vec::new());
        let mut places: HashMap<Cow<str>, usize> = HashMap::new();
        let mut patterns: Vec<Pattern> = Vec::new();
        let mut spelt = HashMap::new();
        for (index, (_, list)) in lists.iter().take(LISTS_MAX).enumerate() {
            for word in list.iter().filter(|word| !word.trim().is_empty()) {
                let lower = lowercase_each_letter(word);
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
        let (trie, prefixes) = (Trie::new(&texts), PrefixIndex::new(&texts));
        let number_sensitive = words.iter().any(|word| word_is_number_sensitive(word));
        Self { trie, prefixes, patterns, words, spelt, number_sensitive }
    }

    /// Whether texts with the same masked form may be in different lists (see
    /// [`number_masking`](super::number_masking)).
    pub(crate) fn number_sensitive(&self) -> bool {
        self.number_sensitive
    }

    /// Calls `take` with the index and end of every match, on a word boundary or not.
    #[inline]
    fn found(&self, text: &str, mut take: impl FnMut(usize, usize)) {
        let text = text.as_bytes();
        self.prefixes.each(text, |found| match found {
            PrefixMatch::Word(word, end) | PrefixMatch::Longer(word, end) => take(word, end),
            PrefixMatch::Perhaps(at) => self.trie.walk(&text[at..], |word, length| take(word, at + length)),
        });
    }

    /// The lists that the text mentions.
    pub(crate) fn mask(&self, text: &str) -> Lists {
        if text.is_empty() {
            return 0;
        }
        let text = &*searched(text);
        let mut mask = 0;
        self.found(text, |word, end| {
            let pattern = self.patterns[word];
            // Check word boundaries only if the match would add a list.
            if mask & pattern.lists != pattern.lists && pattern.stands(text, end) {
                mask |= pattern.lists;
            }
        });
        mask
    }

    /// Calls `take` with the place of every word that the text has, in the order of the lists; again for each further
    /// place of a word in the text.
    pub(crate) fn each_word(&self, text: &str, mut take: impl FnMut(usize)) {
        let text = &*searched(text);
        self.found(text, |word, end| {
            if self.patterns[word].stands(text, end) {
                take(word);
            }
        });
    }

    /// The first word of a list in the text, as the list spells it; the longest of those that begin at the same
    /// position.
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
    use proptest::prelude::*;

    use super::*;
    use crate::base::text_search::number_masking::tests::pair;

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
    fn several_blanks_are_one() {
        let lists = vec![("l".to_string(), vec!["sal for".to_string(), "advance".to_string()])];
        let matcher = WordMatcher::new(&lists);
        let texts = [
            "SAL  FOR MAY",
            "sal\tfor",
            " SAL \r\n FOR ",
            "SAL\u{a0}FOR",
            "SAL \u{2009}FOR ỌLÁ",
            "SAL\x0bFOR",
            "Ọ SAL  FOR",
        ];
        for text in texts {
            assert_eq!((matcher.mask(text), matcher.first(0, text)), (1, Some("sal for")), "{text}");
        }
        assert_eq!(matcher.mask("SAL  - FOR"), 0);
        let lists = vec![("l".to_string(), vec!["salary advance".to_string()])];
        assert_eq!(WordMatcher::new(&lists).mask("A  SALARY \t ADVANCE "), 1);
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
    fn a_word_is_reported_as_its_list_spells_it() {
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

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn numbers_make_no_difference_where_no_list_heeds_them(
            (one, other) in pair(),
            words in proptest::collection::vec(
                "\\*[0-9]{2,3}\\*|[0-9]{1,3} ?month|[a-z0-9]{1,4}|[-/][0-9]{1,3}|[0-9]{4,5}",
                1..6,
            ),
        ) {
            let matcher = WordMatcher::new(&[("words".to_owned(), words)]);
            if !matcher.number_sensitive() {
                prop_assert_eq!(matcher.mask(&one), matcher.mask(&other));
            }
        }
    }

    #[test]
    fn a_list_heeds_numbers_where_it_has_one() {
        let heeds = |word: &str| WordMatcher::new(&[("words".to_owned(), vec![word.to_owned()])]).number_sensitive();
        for word in ["2348012345678", "acc 1234", "-1234"] {
            assert!(heeds(word), "{word}");
        }
        for word in ["*737*", "13 month", "bet9ja", "ref12345", "123"] {
            assert!(!heeds(word), "{word}");
        }
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
            // As rule files are read.
            let listed = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
            let lists: Vec<_> = (0..5).map(|list| (list.to_string(), vec![listed(text(2)), listed(text(3))])).collect();
            let text = text(14);
            let matcher = WordMatcher::new(&lists);
            let plain = |text: &str| {
                let mut text = lowercase_each_letter(text).into_owned();
                while text.contains("  ") {
                    text = text.replace("  ", " ");
                }
                text
            };
            let lower = plain(&text);
            let stands = |word: &str| {
                let word = lowercase_each_letter(word);
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
