//! Names of customers and accounts: which texts are the same name, and which are no name.

use std::borrow::Cow;

use crate::base::clean_text::{clean_name, is_hidden};
use crate::statement::cells::cell::Cell;

/// What programs write for a missing value. As a name, it would join all customers without a name.
const NO_VALUE: [&str; 12] =
    ["null", "none", "nan", "nil", "na", "#n/a", "#na", "<na>", "nat", "undefined", "(null)", "\\n"];

const NO_NAME: &str = "the text stands for a missing value and names nobody; write the identifier, or omit the row";
const NO_IDENTIFIER: &str = "a number with a decimal point or an exponent is not an identifier: some program took it \
    for an amount, and digits may be lost; export the column as text";

const HIDDEN: &str = "the name contains an unusual blank or an invisible character, so that another spelling of it \
    would count as another name; write an ordinary blank, or none";
const ODD_LETTER: &str = "the name has digits, letters or hyphens that look like others (full-width, of another \
    script, a dash in place of `-`), so that another spelling of it would count as another name; write them as ASCII";
const QUOTED: &str = "a quotation mark at an end of the name is not part of it: some program wrote the quotes into the \
    text; export the column without them";
const SEPARATED: &str = "a number with commas is not an identifier: some program wrote it for people to read; export \
    the column as text";

/// Whether a text only stands for a missing value, as programs write it: `NULL`, `nan`, a dash, invisible characters.
#[inline]
pub(crate) fn is_missing(text: &str) -> bool {
    text.as_bytes().first().is_some_and(|first| may_be_missing(text.len(), *first)) && stands_for_none(text)
}

/// Whether [`is_missing`] may hold for a text of this length with this first byte. Nearly all texts are longer.
#[inline]
pub(crate) fn may_be_missing(length: usize, first: u8) -> bool {
    !first.is_ascii_graphic()
        || length <= 9 && matches!(first, b'N' | b'n' | b'#' | b'<' | b'u' | b'U' | b'(' | b'\\' | b'-')
}

#[cold]
fn stands_for_none(text: &str) -> bool {
    matches!(text, "-" | "--")
        || is_word_for_none(text)
        || text.chars().all(|letter| letter.is_whitespace() || is_hidden(letter))
}

fn is_word_for_none(text: &str) -> bool {
    text.len() <= 9 && NO_VALUE.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// The name as it is compared, or empty if there is none: without invisible characters around it, with single blanks,
/// composed letters and straight apostrophes. A text is refused if rows under it would be mixed or split by the way
/// programs write numbers, texts and missing values.
pub(crate) fn check_identity_name(text: &str) -> Result<Cow<'_, str>, &'static str> {
    let name = trim_invisible(text);
    match name {
        _ if name.is_empty() || Cell::Text(name).missing().is_some() => Ok(Cow::Borrowed("")),
        _ if is_word_for_none(name) => Err(NO_NAME),
        _ if is_decimal(name) => Err(NO_IDENTIFIER),
        _ => {
            let name = check_name_spelling(name)?;
            Ok(clean_name(name).map_or(Cow::Borrowed(name), Cow::Owned))
        }
    }
}

/// A name that is said outside a table, as names of tables are compared. One that tables would refuse stays as it is.
pub(crate) fn spell_name(text: &str) -> String {
    check_identity_name(text).map_or_else(|_| text.trim().to_owned(), Cow::into_owned)
}

/// The text without invisible characters around it.
#[inline]
pub(crate) fn trim_invisible(text: &str) -> &str {
    match text.as_bytes() {
        // Nearly all texts need no trimming.
        [first, .., last] if is_plain(*first) && is_plain(*last) => text,
        [only] if is_plain(*only) => text,
        _ => text.trim_matches(|letter: char| letter.is_whitespace() || is_hidden(letter)),
    }
}

/// Neither a blank nor the first byte of a multi-byte character, which may be a blank.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_graphic()
}

/// The name, unless it may be another spelling of a different one.
fn check_name_spelling(name: &str) -> Result<&str, &'static str> {
    let bytes = name.as_bytes();
    if bytes.iter().any(|byte| !(b' '..0x7f).contains(byte)) {
        if name.chars().any(|letter| letter != ' ' && letter.is_whitespace() || is_hidden(letter)) {
            return Err(HIDDEN);
        }
        if name.chars().any(looks_like_ascii) {
            return Err(ODD_LETTER);
        }
    }
    if name.starts_with(is_quote) || name.ends_with(is_quote) {
        return Err(QUOTED);
    }
    // Digits with commas, even if a point or an exponent follows.
    let is_separated = memchr::memchr(b',', bytes).is_some()
        && bytes.first().is_some_and(u8::is_ascii_digit)
        && bytes.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b',' | b'.' | b'e' | b'E' | b'+' | b'-'));
    if is_separated { Err(SEPARATED) } else { Ok(name) }
}

/// The letters that are cut from both ends of a name.
pub fn letters_cut_from_names() -> String {
    ('\0'..=char::MAX).filter(|letter| letter.is_whitespace() || is_hidden(*letter)).collect()
}

/// Digits of other scripts, full-width letters, dashes.
fn looks_like_ascii(letter: char) -> bool {
    !letter.is_ascii()
        && (letter.is_numeric()
            || matches!(letter,
                '\u{ff01}'..='\u{ff5e}' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}'))
}

fn is_quote(letter: char) -> bool {
    matches!(letter, '"' | '\'' | '`' | '\u{2018}'..='\u{201f}' | '«' | '»')
}

/// The id of a record without invisible characters around it, or why it is no id. Only numbers that a program has
/// rewritten are refused. Any other id is compared as it is.
#[inline]
pub(crate) fn record_id(text: &str) -> Result<&str, &'static str> {
    let id = trim_invisible(text);
    // In a number, the digits end at a point or an exponent. In nearly all ids they end at a letter or at the end.
    let rest = id.as_bytes().iter().find(|byte| !byte.is_ascii_digit() && !matches!(byte, b'+' | b'-'));
    let is_number = matches!(rest, Some(b'.' | b'e' | b'E')) && is_decimal(id);
    if is_number { Err(NO_IDENTIFIER) } else { Ok(id) }
}

/// Like [`record_id`], for a cell.
#[inline]
pub(crate) fn cell_id<'c>(cell: &Cell<'c>) -> Result<Cow<'c, str>, &'static str> {
    match cell {
        Cell::Text(text) => record_id(text).map(Cow::Borrowed),
        cell => cell_identity(cell),
    }
}

/// Like [`check_identity_name`], for a cell. Whole numbers are written without a point, however they are stored.
pub(crate) fn cell_identity<'c>(cell: &Cell<'c>) -> Result<Cow<'c, str>, &'static str> {
    match cell {
        Cell::Null => Ok(Cow::Borrowed("")),
        Cell::Text(text) => check_identity_name(text),
        Cell::Whole(number) => Ok(Cow::Owned(number.to_string())),
        Cell::Decimal { .. } | Cell::Float(_) | Cell::Single(_) => match cell.whole() {
            Some(number) => Ok(Cow::Owned(number.to_string())),
            None => Err(NO_IDENTIFIER),
        },
        Cell::Day(_) | Cell::Moment { .. } => {
            Err("a day or a moment is not an identifier; expected text or a whole number")
        }
    }
}

/// Whether this is a number with a point or an exponent: `17.0`, `.5`, `2.34801E+12`, `1e-7`. Digits around an `e`
/// without a sign are not, because identifiers look like that.
fn is_decimal(text: &str) -> bool {
    let number = text.strip_prefix(['+', '-']).unwrap_or(text);
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (mantissa, exponent) = match number.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (number, None),
    };
    let (whole, decimals) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let has_point = mantissa.len() > whole.len();
    let is_number = digits(whole) && digits(decimals) && !(whole.is_empty() && decimals.is_empty());
    match exponent {
        None => is_number && has_point,
        Some(exponent) => {
            let power = exponent.strip_prefix(['+', '-']);
            let is_power = |power: &str| !power.is_empty() && digits(power);
            is_number && (power.is_some_and(is_power) || has_point && is_power(exponent))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_customer_has_one_name_and_ambiguous_names_are_refused() {
        for text in ["17", " 17", "17  ", "\t17\u{a0}", "\u{feff}17", "17\r"] {
            assert_eq!(check_identity_name(text).as_deref(), Ok("17"), "{text:?}");
        }
        for text in ["", "  ", "n/a", "\u{a0}"] {
            assert_eq!(check_identity_name(text).as_deref(), Ok(""), "{text:?}");
        }
        for text in ["17.0", "17.", ".5", "-17.00", "2.34801E+12", "2E+12", "1e-7", "2.5e7", "1001.0 "] {
            assert_eq!(check_identity_name(text), Err(NO_IDENTIFIER), "{text:?}");
        }
        for text in ["NULL", "nan", " None ", "#N/A", "<NA>", "NaT", "undefined"] {
            assert_eq!(check_identity_name(text), Err(NO_NAME), "{text:?}");
        }
        for text in ["\u{200b}17\u{2060}", "17\u{0}", "\u{202a}17\u{202c}", "\u{3000}17"] {
            assert_eq!(check_identity_name(text).as_deref(), Ok("17"), "{text:?}");
        }
        let refused = [
            (&["1\u{200b}7", "Ada\u{a0}Obi", "Ada\tObi", "1\u{202f}001", "1\u{ad}7"][..], HIDDEN),
            (&["１７", "۱۷", "K\u{2011}1", "Ｋ-1"], ODD_LETTER),
            (&["'17", "\"17\"", "=\"17\"", "“17”", "'K-1'"], QUOTED),
            (&["1,001", "1,001.00", "17,0", "2,3E+12"], SEPARATED),
        ];
        for (texts, what) in refused {
            texts.iter().for_each(|text| assert_eq!(check_identity_name(text), Err(what), "{text:?}"));
        }
        let spellings = [
            ("Ada  Obi", "Ada Obi"),
            ("O\u{323}la", "\u{1ecc}la"),
            ("Jose\u{301}", "Jos\u{e9}"),
            ("O\u{2019}Neil", "O'Neil"),
            ("O\u{2bc}Neil  Obi", "O'Neil Obi"),
        ];
        for (text, name) in spellings {
            assert_eq!(check_identity_name(text).as_deref(), Ok(name), "{text:?}");
        }
        for name in ["O'Brien", "Ada Obi", "José", "Obi, Ada", "李", "1.234.567", "0123 456"] {
            assert_eq!(check_identity_name(name).as_deref(), Ok(name));
        }
        for name in ["0017", "K-1", "12E5", "1e", "1.2.3", "a.5", "5.a", "É", "Ada E. Obi", "-", "e+5", "+234801"] {
            assert_eq!(check_identity_name(name).as_deref(), Ok(name));
        }
        let cells = [Cell::Whole(17), Cell::Decimal { digits: 1_700, scale: 2 }, Cell::Float(17.0), Cell::Single(17.0)];
        for cell in cells {
            assert_eq!(cell_identity(&cell).as_deref(), Ok("17"), "{cell:?}");
        }
        let cells =
            [Cell::Decimal { digits: 1_701, scale: 2 }, Cell::Float(17.5), Cell::Float(1e16), Cell::Single(3e7)];
        for cell in cells.into_iter().chain([Cell::Float(f64::NAN), Cell::Float(f64::INFINITY)]) {
            assert_eq!(cell_identity(&cell), Err(NO_IDENTIFIER), "{cell:?}");
        }
    }
}
