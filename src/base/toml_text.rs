//! Texts as TOML writes them.

use std::fmt::Write;

use toml_writer::{ToTomlValue, TomlStringBuilder};

use super::text::is_unseen;

/// A text as a basic string of TOML, on one line. What cannot be seen is written as its number, which is the same text:
/// people read such files in a terminal.
pub(crate) fn quote_toml_text(text: &str) -> String {
    let quoted = TomlStringBuilder::new(text).as_basic().to_toml_value();
    if !quoted.contains(is_unseen) {
        return quoted;
    }
    quoted.chars().fold(String::with_capacity(quoted.len() + 8), |mut shown, letter| {
        let number = u32::from(letter);
        let _ = match is_unseen(letter) {
            true if number > 0xffff => write!(shown, "\\U{number:08X}"),
            true => write!(shown, "\\u{number:04X}"),
            false => shown.write_char(letter),
        };
        shown
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_back_as_it_was() {
        for (text, quoted) in [
            ("", r#""""#),
            ("Ada's \"a\\b\"", r#""Ada's \"a\\b\"""#),
            ("a\nb\r\n\tc", r#""a\nb\r\n\tc""#),
            ("\u{0}\u{8}\u{c}\u{1b}\u{7f}\u{9b}", r#""\u0000\b\f\u001B\u007F\u009B""#),
            ("a\u{202e}b\u{2028}\u{e0041}", r#""a\u202Eb\u2028\U000E0041""#),
            ("Ọlá 中 ❤\u{fe0f}", "\"Ọlá 中 ❤\u{fe0f}\""),
        ] {
            assert_eq!(quote_toml_text(text), quoted);
            let read: toml::Table = toml::from_str(&format!("text = {quoted}")).expect("TOML");
            assert_eq!(read.get("text").and_then(toml::Value::as_str), Some(text));
        }
    }
}
