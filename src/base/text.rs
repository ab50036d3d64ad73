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
    if !text.chars().any(steers_a_terminal) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if steers_a_terminal(character) {
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

fn steers_a_terminal(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}
