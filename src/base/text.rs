//! Text for people: made safe for a terminal, and digits in groups.

use std::borrow::Cow;

/// Replaces everything that could control a terminal or change the reading direction with `\u{..}`: control characters
/// (also NUL and line ends), bidirectional marks, and invisible characters.
///
/// ```
/// use lendwright::base::text::escape_terminal;
/// assert_eq!(escape_terminal("NIP/SALARY"), "NIP/SALARY");
/// assert_eq!(escape_terminal("a\0b\u{202e}c\u{1b}[31m"), "a\\u{0}b\\u{202e}c\\u{1b}[31m");
/// ```
pub fn escape_terminal(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unseen) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_unseen(character) {
            shown.push_str(&format!("\\u{{{:x}}}", u32::from(character)));
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

/// Separates the thousands of a number, for people. A sign stays in front, and decimals as they are.
///
/// ```
/// use lendwright::base::text::group_thousands;
/// assert_eq!(group_thousands("1234567", ','), "1,234,567");
/// assert_eq!(group_thousands("-1234", '_'), "-1_234");
/// assert_eq!(group_thousands("123", ','), "123");
/// assert_eq!(group_thousands("1234.5678", ','), "1,234.5678");
/// ```
pub fn group_thousands(number: &str, separator: char) -> String {
    let (whole, decimals) = number.split_at(number.find('.').unwrap_or(number.len()));
    let (sign, digits) = whole.split_at(usize::from(whole.starts_with('-')));
    let mut grouped = String::with_capacity(number.len() * 4 / 3 + 1);
    grouped.push_str(sign);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(separator);
        }
        grouped.push(digit);
    }
    grouped.push_str(decimals);
    grouped
}

/// Whether a terminal obeys a character, or does not show it: control characters (also NUL and line ends), writing
/// directions, and what else is invisible. Selectors of a look, as in emoji, are harmless.
pub(crate) fn is_unseen(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{2028}' | '\u{2029}')
        || is_invisible(character) && !matches!(character, '\u{fe00}'..='\u{fe0f}')
}

/// Characters without a width, or that only set the direction of writing or the look of others. Unicode calls them
/// `Default_Ignorable_Code_Point`; the marks of annotations are here too. Blanks and control characters are not.
pub(crate) fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_not_seen_is_shown_as_its_number() {
        for unseen in ['\u{0}', '\u{9b}', '\u{ad}', '\u{115f}', '\u{202e}', '\u{2029}', '\u{fff9}', '\u{e0041}'] {
            let shown = escape_terminal(&format!("a{unseen}b")).into_owned();
            assert_eq!(shown, format!("a\\u{{{:x}}}b", u32::from(unseen)));
        }
        // The selector of an emoji's look, letters in parts, an unusual blank.
        for seen in ["❤\u{fe0f}", "e\u{301}", "a\u{a0}b"] {
            assert_eq!(escape_terminal(seen), seen);
        }
    }
}
