//! Text on its way to a terminal. Must not know what the text means.

use std::borrow::Cow;

/// The text with everything that could steer a terminal or turn the reading direction shown as `\u{..}`: control
/// characters (NUL and line ends too), bidirectional marks, and characters that show nothing.
///
/// ```
/// use lendwright::words::text::escape_terminal;
/// assert_eq!(escape_terminal("NIP/SALARY"), "NIP/SALARY");
/// assert_eq!(escape_terminal("a\0b\u{202e}c\u{1b}[31m"), "a\\u{0}b\\u{202e}c\\u{1b}[31m");
/// ```
pub fn escape_terminal(text: &str) -> Cow<'_, str> {
    if !text.chars().any(steers) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if steers(character) {
            shown.push_str(&format!("\\u{{{:x}}}", u32::from(character)));
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

fn steers(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}
