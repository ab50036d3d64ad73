//! Masks the long numbers of a narration, so that narrations that differ only in references, accounts and dates compare
//! equal. Whatever is computed for one of them holds for the others. Knows no list and no counterparty key.

use crate::base::text_search::ascii_words::{CHUNK, Chunk, mask_equal_bytes, set_bits, text_byte_chunks};

/// The fewest digits of a number that is masked. Shorter ones may be codes in word lists, such as `*737*`.
const DIGITS: usize = 4;

/// Appends a text with zeros in place of its numbers. Two texts with the same masked form have the same counterparty
/// key, and match the same lists and patterns, unless those are number-sensitive.
///
/// Masking is conservative. The first byte stays, because it tells some banks' narrations apart. A number at the edge
/// of a 64-byte chunk stays, because it may continue in the next one. A text that is not ASCII, or has an apostrophe or
/// a backtick, stays unmasked.
pub(crate) fn write_masked(text: &str, into: &mut Vec<u8>) {
    let from = into.len();
    into.extend_from_slice(text.as_bytes());
    let mut before = 0;
    for (start, bytes) in text_byte_chunks(text.as_bytes()) {
        let mut others = 0;
        let chunk = Chunk::<0>::scan(bytes, |block| {
            others |= block.to_bitmask() | mask_equal_bytes(block, b'\'') | mask_equal_bytes(block, b'`');
            []
        });
        if others != 0 {
            // Undo the chunks masked so far.
            into.truncate(from);
            into.extend_from_slice(text.as_bytes());
            return;
        }
        let mut begins = chunk.begins(&mut before);
        (0..DIGITS).for_each(|more| begins &= chunk.digits >> more);
        for at in set_bits(begins) {
            let end = at + (chunk.digits >> at).trailing_ones() as usize;
            // A number that may continue in the next chunk stays.
            if end < CHUNK && chunk.letters >> end & 1 == 0 {
                into[from + start + at..from + start + end].fill(b'0');
            }
        }
    }
    into[from..].iter_mut().zip(text.bytes()).take(1).for_each(|(written, first)| *written = first);
}

/// Whether a word of a list may occur in only one of two texts with the same masked form.
pub(crate) fn word_is_number_sensitive(word: &str) -> bool {
    // A word is matched on word boundaries, so it never matches part of a number.
    let mut runs = word.split(|c: char| !c.is_ascii_alphanumeric());
    runs.any(|run| run.len() >= DIGITS && run.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether a `LIKE` pattern may match only one of two texts with the same masked form.
pub(crate) fn pattern_is_number_sensitive(pattern: &str) -> bool {
    pattern.bytes().skip(1).any(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::write_masked;

    fn written(text: &str) -> String {
        let mut bytes = b"before".to_vec();
        write_masked(text, &mut bytes);
        String::from_utf8(bytes.split_off(6)).expect("a text")
    }

    /// Replaces digits by those of `digits`, in turn, wherever that leaves the masked form unchanged.
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

    /// Two narrations with the same masked form.
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
    fn a_number_across_two_chunks_is_not_masked() {
        for (before, expected) in [(58, "00000/"), (59, "12345/"), (61, "12345/"), (63, "12345/"), (64, "00000/")] {
            let before = " ".repeat(before);
            assert_eq!(written(&format!("{before}12345/")), format!("{before}{expected}"));
        }
        let word = "A".repeat(64);
        assert_eq!(written(&format!("{word}12345 23456")), format!("{word}12345 00000"));
    }
}
