//! A text as it is compared: without what a reader cannot see. Blanks around it and doubled ones, tabs,
//! unusual blanks, characters without width, the apostrophe that spreadsheets put before a text, and letters in parts
//! mean nothing. Two sources that print the same words give the same text.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};
use wide::u8x16;

use super::block::{BLOCK, mask_byte_range};
use super::text::is_invisible;

/// Separates the items of a list in one text.
pub const ITEM_SEPARATOR: char = '\u{1f}';

/// The text as it is compared, or `None` if it is so already, as nearly all texts are.
#[inline]
pub fn clean_text(text: &str) -> Option<String> {
    if is_plainly_clean(text.as_bytes()) { None } else { clean_unusual_text(text) }
}

/// Like [`clean_text`], for a part to look for in clean texts. Keeps one blank or an apostrophe at an end where the
/// text may go on. Keeps a part without visible letters.
pub fn clean_part(part: &str, is_start: bool, is_end: bool) -> Option<String> {
    // Marks where the text may go on. It composes with no letter.
    const NEIGHBOUR: &str = "%";
    let is_seen = |letter: char| !letter.is_whitespace() && !is_hidden(letter) && !matches!(letter, '\'' | '%' | '_');
    if !part.contains(is_seen) {
        return None;
    }
    let (before, after) = (if is_start { "" } else { NEIGHBOUR }, if is_end { "" } else { NEIGHBOUR });
    let clean = clean_text(&format!("{before}{part}{after}"))?;
    let clean = clean.strip_prefix(before)?.strip_suffix(after)?;
    (clean != part).then(|| clean.to_owned())
}

/// Like [`clean_text`], for the items of a list. Items without a letter are dropped.
#[inline]
pub fn clean_list(items: &str) -> Option<String> {
    let is_clean = |item: &[u8]| !item.is_empty() && is_plainly_clean(item);
    let is_item_separator = |byte: &u8| u32::from(*byte) == u32::from(ITEM_SEPARATOR);
    match items.is_empty() || items.as_bytes().split(is_item_separator).all(is_clean) {
        true => None,
        false => clean_unusual_list(items),
    }
}

/// Whether the text is printable ASCII with single blanks, and neither a blank nor an apostrophe at its start, nor a
/// blank at its end. A text that is clean otherwise may be called unclean.
#[inline]
fn is_plainly_clean(text: &[u8]) -> bool {
    let (Some(first), Some(last)) = (text.first(), text.last()) else { return true };
    if matches!(first, b' ' | b'\'') || *last == b' ' {
        return false;
    }
    match (text.last_chunk::<BLOCK>(), text.first_chunk::<8>(), text.last_chunk::<8>()) {
        // Blocks share a byte with the next one, so that all neighbours are looked at.
        (Some(last), ..) => {
            let (mut odd, mut rest) = (odd_in_block(*last), text);
            while let Some(block) = rest.first_chunk::<BLOCK>() {
                odd |= odd_in_block(*block);
                rest = rest.get(BLOCK - 1..).unwrap_or_default();
            }
            odd == 0
        }
        (None, Some(first), Some(last)) => odd_bytes(*first) | odd_bytes(*last) == 0,
        _ => {
            let mut padded = [b'!'; 8];
            padded.iter_mut().zip(text).for_each(|(into, byte)| *into = *byte);
            odd_bytes(padded) == 0
        }
    }
}

/// 0 if these bytes are printable ASCII without two blanks in a row.
#[inline]
fn odd_in_block(bytes: [u8; BLOCK]) -> u32 {
    let block = u8x16::new(bytes);
    let blanks = block.simd_eq(u8x16::splat(b' ')).to_bitmask();
    (!mask_byte_range(block, 0x20, 0x5f)).to_bitmask() | (blanks & (blanks >> 1))
}

/// 0 if these bytes are printable ASCII without two blanks in a row, all looked at together.
#[inline]
fn odd_bytes(bytes: [u8; 8]) -> u64 {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = LOW << 7;
    let word = u64::from_le_bytes(bytes);
    // The highest bit of each byte that is 0.
    let zeros = |word: u64| !(((word & !HIGH) + !HIGH) | word | !HIGH);
    let below_blank = word.wrapping_sub(LOW * 0x20) & !word & HIGH;
    let blanks = zeros(word ^ (LOW * 0x20));
    (word & HIGH) | below_blank | zeros(word ^ (LOW * 0x7f)) | (blanks & (blanks >> 8))
}

#[cold]
fn clean_unusual_text(text: &str) -> Option<String> {
    let clean = cleaned(text);
    (clean != text).then(|| clean.into_owned())
}

#[cold]
fn clean_unusual_list(items: &str) -> Option<String> {
    let mut list = String::with_capacity(items.len());
    for item in items.split(ITEM_SEPARATOR).map(cleaned).filter(|item| !item.is_empty()) {
        if !list.is_empty() {
            list.push(ITEM_SEPARATOR);
        }
        list.push_str(&item);
    }
    (list != items).then_some(list)
}

fn cleaned(text: &str) -> Cow<'_, str> {
    let text = text.trim_start_matches(|letter: char| letter == '\'' || letter.is_whitespace() || is_hidden(letter));
    let text = text.trim_end_matches(|letter: char| letter.is_whitespace() || is_hidden(letter));
    let mut after_blank = false;
    let is_odd = |letter: char| {
        let is_odd = letter != ' ' && letter.is_whitespace() || is_hidden(letter) || after_blank && letter == ' ';
        after_blank = letter == ' ';
        is_odd
    };
    let spaced = if text.contains(is_odd) { Cow::Owned(with_single_blanks(text)) } else { Cow::Borrowed(text) };
    match compose_letters(&spaced) {
        None => spaced,
        Some(composed) => Cow::Owned(composed),
    }
}

/// The text without hidden characters, and with one ordinary blank in place of any blanks.
fn with_single_blanks(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len());
    for letter in text.chars() {
        // A control character separates words as a blank does.
        match letter.is_whitespace() || letter.is_control() {
            true if spaced.ends_with(' ') => {}
            true => spaced.push(' '),
            false if is_hidden(letter) => {}
            false => spaced.push(letter),
        }
    }
    spaced
}

/// Control characters, and characters without width or that only set the direction of writing.
pub fn is_hidden(letter: char) -> bool {
    letter.is_control() || is_invisible(letter)
}

/// The text with its letters composed (`e` and an accent are one letter), or `None` if they are.
pub fn compose_letters(text: &str) -> Option<String> {
    let is_composed = text.is_ascii() || is_nfc_quick(text.chars()) == IsNormalized::Yes;
    if is_composed { None } else { Some(text.nfc().collect::<String>()).filter(|composed| composed != text) }
}

/// The name with single blanks, composed letters and straight apostrophes, or `None` if it is so already.
pub fn clean_name(name: &str) -> Option<String> {
    let is_curly = |letter: char| matches!(letter, '\u{2018}' | '\u{2019}' | '\u{2bc}');
    if name.is_ascii() {
        return name.contains("  ").then(|| with_single_blanks(name));
    }
    let composed: String = name.nfc().map(|letter| if is_curly(letter) { '\'' } else { letter }).collect();
    let name_of_one_blank = if composed.contains("  ") { with_single_blanks(&composed) } else { composed };
    (name_of_one_blank != name).then_some(name_of_one_blank)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every rule, letter by letter: slow, and told from the other.
    fn expected(text: &str) -> String {
        let blank = |letter: char| if letter.is_control() { ' ' } else { letter };
        let shown: String = text.chars().map(blank).filter(|letter| !is_hidden(*letter)).collect();
        let spaced = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        spaced.trim_start_matches([' ', '\'']).nfc().collect()
    }

    #[test]
    fn what_nobody_sees_is_not_compared() {
        let cases = [
            ("SALARY JUNE", None),
            ("", None),
            ("it's", None),
            ("Ọ̀jọ́", None),
            ("x", None),
            (" SALARY JUNE", Some("SALARY JUNE")),
            ("\tSALARY  JUNE \r\n", Some("SALARY JUNE")),
            ("'SALARY", Some("SALARY")),
            ("' 'SALARY", Some("SALARY")),
            ("SALARY\u{a0}JUNE", Some("SALARY JUNE")),
            ("SAL\u{200b}ARY", Some("SALARY")),
            ("\u{3164}SAL\u{e0041}A\u{fff9}RY\u{180b}", Some("SALARY")),
            ("NIP\0SALARY", Some("NIP SALARY")),
            ("\u{feff}SALARY", Some("SALARY")),
            ("CAFE\u{301}", Some("CAF\u{c9}")),
            ("  '", Some("")),
            ("SALARY FOR THE MONTH OF JUNE AND OF  JULY", Some("SALARY FOR THE MONTH OF JUNE AND OF JULY")),
        ];
        for (text, clean) in cases {
            assert_eq!(clean_text(text).as_deref(), clean, "{text:?}");
        }
        let lists = [
            ("ADA OBI", None),
            ("ADA OBI\u{1f}UCHE", None),
            (" ADA OBI\u{1f}UCHE ", Some("ADA OBI\u{1f}UCHE")),
            ("\u{1f} \u{1f}UCHE", Some("UCHE")),
        ];
        for (list, clean) in lists {
            assert_eq!(clean_list(list).as_deref(), clean, "{list:?}");
        }
    }

    #[test]
    fn parts_keep_a_blank_where_text_may_go_on() {
        let cases = [
            ("SAL  ARY ", (true, false), Some("SAL ARY ")),
            (" SAL", (true, false), Some("SAL")),
            (" SAL", (false, false), None),
            ("\u{a0}SAL\u{a0} ", (false, false), Some(" SAL ")),
            ("'s", (false, false), None),
            ("'s", (true, false), Some("s")),
            ("SAL\u{200b}ARY", (false, true), Some("SALARY")),
            ("CAFE\u{301}", (false, false), Some("CAF\u{c9}")),
            ("%SAL  ARY%", (true, true), Some("%SAL ARY%")),
            // No clean text has it.
            ("  ", (false, false), None),
            ("%  %", (true, true), None),
        ];
        for (part, (is_start, is_end), clean) in cases {
            assert_eq!(clean_part(part, is_start, is_end).as_deref(), clean, "{part:?}");
        }
    }

    /// An odd letter at every place of texts of every length: the blocks miss none.
    #[test]
    fn every_place_of_a_text_is_looked_at() {
        for length in 1..70 {
            for at in 0..length {
                for odd in ["\t", "\u{7f}", "é", "e\u{301}", "  ", " ", "'", "\u{200b}", "a"] {
                    let text: String =
                        (0..length).map(|place| if place == at { odd.to_owned() } else { "b".to_owned() }).collect();
                    let clean = clean_text(&text).unwrap_or_else(|| text.clone());
                    assert_eq!(clean, expected(&text), "{text:?}");
                    assert_eq!(clean_text(&clean), None, "{text:?}");
                }
            }
        }
    }
}
