//! Narrations that differ in their numbers alone: what is read of one is read of the other. Knows no list and no key.

use super::ascii::{STRETCH, Stretch, equal, ones, stretches};

/// Digits that a number has at least. Fewer may be a code that word lists have: `*737*`.
const DIGITS: usize = 4;

/// Adds a text with zeros in place of its numbers, which are references, accounts and dates. Two texts that come out alike have one key, and are alike
/// to all lists and patterns that heed no numbers. The first letter stays as it is: by it some banks' narrations are told apart.
/// So does a number at the edge of a stretch of 64 bytes, which the next may go on with: what is not known to be alike is looked at by itself.
/// Nor are numbers of a text looked for that is not of ASCII, or has signs that are no part of the word they stand in.
pub(crate) fn write_without_numbers(text: &str, into: &mut Vec<u8>) {
    let from = into.len();
    into.extend_from_slice(text.as_bytes());
    let mut before = 0;
    for (start, bytes) in stretches(text.as_bytes()) {
        let mut others = 0;
        let stretch = Stretch::<0>::of(bytes, |block| {
            others |= block.to_bitmask() | equal(block, b'\'') | equal(block, b'`');
            []
        });
        if others != 0 {
            // It stays as it is from the first letter on.
            into.truncate(from);
            into.extend_from_slice(text.as_bytes());
            return;
        }
        let mut begins = stretch.begins(&mut before);
        (0..DIGITS).for_each(|more| begins &= stretch.digits >> more);
        for at in ones(begins) {
            let end = at + (stretch.digits >> at).trailing_ones() as usize;
            // What may go on in the next stretch stays as it is.
            if end < STRETCH && stretch.letters >> end & 1 == 0 {
                into[from + start + at..from + start + end].fill(b'0');
            }
        }
    }
    into[from..].iter_mut().zip(text.bytes()).take(1).for_each(|(written, first)| *written = first);
}

/// Whether a word of a list may be found in one of two texts that are alike, and not in the other.
pub(crate) fn word_heeds_numbers(word: &str) -> bool {
    // Its edges are edges in the text too, so that it finds no part of a number.
    let mut runs = word.split(|c: char| !c.is_ascii_alphanumeric());
    runs.any(|run| run.len() >= DIGITS && run.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether a pattern of LIKE may fit one of two texts that are alike, and not the other.
pub(crate) fn pattern_heeds_numbers(pattern: &str) -> bool {
    pattern.bytes().skip(1).any(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::write_without_numbers;
    use crate::narration::{LISTS, Normaliser};

    fn written(text: &str) -> String {
        let mut bytes = b"before".to_vec();
        write_without_numbers(text, &mut bytes);
        String::from_utf8(bytes.split_off(6)).expect("a text")
    }

    /// A text that is alike: wherever another digit makes no difference there stand these, over and over.
    fn with_other_numbers(text: &str, digits: &str) -> String {
        let mut other = text.to_owned();
        let places = text.char_indices().filter(|(_, letter)| letter.is_ascii_digit());
        for ((at, _), digit) in places.zip(digits.chars().cycle()) {
            let mut candidate = other.clone();
            candidate.replace_range(at..at + 1, &digit.to_string());
            if written(&candidate) == written(text) {
                other = candidate;
            }
        }
        other
    }

    /// Two narrations that are alike.
    pub(crate) fn pair() -> impl Strategy<Value = (String, String)> {
        let part = prop_oneof![
            4 => "[0-9]{1,18}",
            2 => "[-/|. *#+'\u{301}\u{c9}]{1,2}",
            2 => "NIP|TRF|FRM|TO|GTB|bet9ja|1xbet|SALARY|May|ADEBAYO JOHN",
            1 => "[a-zA-Z0-9]{1,5}",
        ];
        let text = proptest::collection::vec(part, 0..9).prop_map(|parts| parts.concat());
        (text, "[0-9]{1,7}").prop_map(|(text, digits)| (with_other_numbers(&text, &digits), text))
    }

    #[test]
    fn numbers_are_words_of_four_digits_or_more() {
        let cases = [
            ("NIP/GTB/ADEBAYO /12345", "NIP/GTB/ADEBAYO /00000"),
            ("Prch-728967629326--FAV", "Prch-000000000000--FAV"),
            ("123456 TRF/X", "100000 TRF/X"),
            (" 123456", " 000000"),
            ("*737*2*12345#", "*737*2*00000#"),
            ("REF12345 12345AB bet9ja", "REF12345 12345AB bet9ja"),
            ("O'12345'1234", "O'12345'1234"),
            ("ỌLÁ 12345", "ỌLÁ 12345"),
            ("1234", "1000"),
            ("12345678901234567890/123", "10000000000000000000/123"),
            ("", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(written(text), expected);
        }
        assert_eq!(with_other_numbers("12345/737*2345", "98"), "18989/737*9898");
    }

    #[test]
    fn a_number_that_two_stretches_share_stays_as_it_is() {
        for (before, expected) in [(58, "00000/"), (59, "12345/"), (61, "12345/"), (63, "12345/"), (64, "00000/")] {
            let before = " ".repeat(before);
            assert_eq!(written(&format!("{before}12345/")), format!("{before}{expected}"));
        }
        let word = "A".repeat(64);
        assert_eq!(written(&format!("{word}12345 23456")), format!("{word}12345 00000"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn alike_narrations_have_one_key((one, other) in pair(), is_credit: bool) {
            let words = |words: &[&str]| words.iter().map(|word| word.to_string()).collect::<Vec<String>>();
            let lists = LISTS.map(|(name, _)| match name {
                "banks" => words(&["GTB", "12345"]),
                "narration_channels" => words(&["NIP", "TRF 2024"]),
                _ => Vec::new(),
            });
            let place = |name: &str| LISTS.iter().position(|(list, _)| *list == name).expect("a list");
            let normaliser = Normaliser::new(|name| &lists[place(name)]);
            prop_assert_eq!(normaliser.key(Some(&one), None, is_credit), normaliser.key(Some(&other), None, is_credit));
        }
    }
}
