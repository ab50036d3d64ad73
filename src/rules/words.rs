//! Word lists matched in narrations: all lists at once, without regard to case, on word boundaries.

use std::collections::HashMap;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};

/// More lists than this cannot be told apart in one mask.
pub(super) const LISTS_MAX: usize = 64;

/// Making the automaton costs more than its words: with so many still a fraction of a second.
pub(super) const WORDS_MAX: usize = 10_000;

/// Finds which lists a text mentions.
#[derive(Clone, Debug)]
pub(crate) struct WordMatcher {
    automaton: Option<AhoCorasick>,
    /// The lists that each pattern belongs to, as bits.
    lists: Vec<u64>,
}

impl WordMatcher {
    /// `lists[i]` becomes bit `i`.
    pub(super) fn new(lists: &[(String, Vec<String>)]) -> Result<Self, String> {
        let mut patterns: Vec<&str> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut bits: Vec<u64> = Vec::new();
        for (index, (_, words)) in lists.iter().enumerate() {
            for word in words.iter().filter(|word| !word.trim().is_empty()) {
                match places.get(word.as_str()) {
                    Some(known) => bits[*known] |= 1 << index,
                    None => {
                        places.insert(word, patterns.len());
                        patterns.push(word);
                        bits.push(1 << index);
                    }
                }
            }
        }
        let automaton = if patterns.is_empty() {
            None
        } else {
            let built = AhoCorasickBuilder::new()
                .ascii_case_insensitive(true)
                .match_kind(MatchKind::Standard)
                .build(&patterns)
                .map_err(|error| error.to_string())?;
            Some(built)
        };
        Ok(Self { automaton, lists: bits })
    }

    /// A bit for every list that the text mentions.
    pub(crate) fn mask(&self, text: &str) -> u64 {
        let Some(automaton) = &self.automaton else { return 0 };
        let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let mut mask = 0;
        for found in automaton.find_overlapping_iter(text) {
            let before = text.get(..found.start()).and_then(|text| text.chars().next_back());
            let after = text.get(found.end()..).and_then(|text| text.chars().next());
            if !is_letter(before) && !is_letter(after) {
                mask |= self.lists[found.pattern().as_usize()];
            }
        }
        mask
    }
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
        let matcher = WordMatcher::new(&lists).unwrap();
        assert_eq!(matcher.mask("NIP/ACME/SALARY MAY"), 1);
        assert_eq!(matcher.mask("SAL FOR MAY/Bet9ja payout"), 3);
        assert_eq!(matcher.mask("unsalaryed alphabet"), 0);
        assert_eq!(matcher.mask("éSALARY"), 0);
        assert_eq!(matcher.mask("TRF\u{2013}SALARY\u{2014}MAY"), 1);
    }
}
