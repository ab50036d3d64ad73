//! Money as written in rule files: exact, in major units, and never mistaken for another amount.

use crate::base::money::{AmountUnit, Currency, parse_amount};
use crate::base::rational::Rational;

/// The minor units of an amount, or why it is not one.
pub(in crate::rules) fn parse_minor_units(currency: Currency, text: &str) -> Result<i64, String> {
    // Extra zero decimals are harmless in statements. In a rule file, whoever writes them means a thousands separator.
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    let decimals = mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let most = currency.exponent() as usize;
    if decimals > most && Rational::parse(text).is_some() {
        let has = if decimals == 1 { "1 decimal".to_owned() } else { format!("{decimals} decimals") };
        let most = if most == 0 { "none".to_owned() } else { most.to_string() };
        let message = format!("not an amount: `{text}` has {has}, {} has {most}", currency.alphabetic());
        return Err(match join_thousands_group(mantissa) {
            Some(without) => format!("{message}; if the point separates thousands, write {without}"),
            None => message,
        });
    }
    parse_amount(text.as_bytes(), AmountUnit::Major, currency.exponent())
        .map_err(|error| format!("not an amount: `{text}` {error}"))
}

/// `60.000`, which some countries write for 60000, without the point.
fn join_thousands_group(text: &str) -> Option<String> {
    let (whole, group) = text.trim_start_matches('-').split_once('.')?;
    let is_parted = (1..=3).contains(&whole.len()) && !whole.starts_with('0') && group.len() == 3;
    is_parted.then(|| text.replace('.', ""))
}

/// The first number with commas in a text, such as `1,000`, which would be read as two. Ignores quoted text.
pub(in crate::rules) fn with_commas(text: &str) -> Option<std::ops::Range<usize>> {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|c| c.is_ascii_digit()).count();
    let (mut at, mut quoted) = (0, false);
    while at < bytes.len() {
        quoted ^= bytes[at] == b'\'';
        let length = digits(at);
        let mut end = at + length;
        while !quoted && (1..=3).contains(&length) && bytes.get(end) == Some(&b',') && digits(end + 1) == 3 {
            end += 4;
        }
        let before = at.checked_sub(1).map(|before| bytes[before]);
        let is_whole = !before.is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, b'.' | b'_' | b'$'));
        if end > at + length && is_whole {
            return Some(at..end);
        }
        at += length.max(1);
    }
    None
}

/// The first number with a decimal comma among the arguments of a call, such as `0,5` in `LEAST(0,5, share)`. Two
/// arguments without a blank between them are also written so; the other commas of the call tell the two apart.
pub(in crate::rules) fn with_decimal_comma_in_call(text: &str) -> Option<std::ops::Range<usize>> {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut calls: Vec<OpenCall> = Vec::new();
    let mut is_quoted = false;
    for (at, sign) in bytes.iter().enumerate() {
        is_quoted ^= *sign == b'\'';
        match sign {
            _ if is_quoted => {}
            b'(' => calls.push(OpenCall { is_call: is_function_before(&text[..at]), ..OpenCall::default() }),
            b')' => {
                if let Some(number) = calls.pop().and_then(|call| call.decimal_comma(text)) {
                    return Some(number);
                }
            }
            b',' => {
                let Some(call) = calls.last_mut() else { continue };
                let start = at - bytes[..at].iter().rev().take_while(|c| c.is_ascii_digit()).count();
                let end = at + 1 + bytes[at + 1..].iter().take_while(|c| c.is_ascii_digit()).count();
                let before = start.checked_sub(1).map(|before| bytes[before]);
                let is_whole = !before.is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, b'.' | b'_' | b'$'));
                let ends = !bytes.get(end).is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, b'.' | b'_'));
                if start < at && digit(at + 1) && is_whole && ends {
                    call.numbers.push(start..end);
                } else if bytes.get(at + 1).is_some_and(u8::is_ascii_whitespace) {
                    call.has_spaced = true;
                } else {
                    call.has_tight = true;
                }
            }
            _ => {}
        }
    }
    None
}

/// A call that is still open: its commas so far.
#[derive(Default)]
struct OpenCall {
    is_call: bool,
    /// `0,5`
    numbers: Vec<std::ops::Range<usize>>,
    /// A comma with a blank after it, and one without.
    has_spaced: bool,
    has_tight: bool,
}

impl OpenCall {
    fn decimal_comma(&self, text: &str) -> Option<std::ops::Range<usize>> {
        let number = self.numbers.first().filter(|_| self.is_call && !self.has_tight)?;
        let is_fraction = text[number.clone()].starts_with("0,") && self.numbers.len() == 1;
        (self.has_spaced || is_fraction).then(|| number.clone())
    }
}

/// Words before a bracket whose numbers are counts, or that open no call.
const NO_FRACTIONS: [&str; 11] =
    ["in", "and", "or", "not", "where", "when", "then", "else", "substring", "principal_for", "needs_months"];

/// Whether the bracket behind this text opens the arguments of a function that takes fractions.
fn is_function_before(text: &str) -> bool {
    let word = text.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
    !word.is_empty() && !NO_FRACTIONS.contains(&word.to_lowercase().as_str())
}

/// The digits on both sides of a comma that may be a decimal comma: `0,30`. It may also separate items of a list.
pub(in crate::rules) fn with_decimal_comma(text: &str) -> Option<(&str, &str)> {
    let outside = |at: usize| text[..at].matches('\'').count().is_multiple_of(2);
    text.match_indices(',').filter(|(at, _)| outside(*at)).find_map(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + 1..]);
        let before = &before[before.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_').len()..];
        let after = &after[..after.bytes().take_while(u8::is_ascii_digit).count()];
        (!before.is_empty() && !after.is_empty()).then_some((before, after))
    })
}

#[cfg(test)]
mod tests {
    use super::{join_thousands_group, with_commas, with_decimal_comma};

    #[test]
    fn a_comma_between_digits_may_be_a_decimal_sign() {
        for (text, found) in [
            ("<= 0,30", Some(("0", "30"))),
            ("1,2", Some(("1", "2"))),
            ("0,10..0,30", Some(("0", "10"))),
            ("not(5, 0,5)", Some(("0", "5"))),
            ("1, 2", None),
            ("1 ,2", None),
            ("'1,2'", None),
            ("A,B", None),
            ("$a,2", None),
        ] {
            assert_eq!(with_decimal_comma(text), found, "{text}");
        }
    }

    #[test]
    fn a_decimal_comma_among_arguments_is_told_from_two_arguments() {
        let found = |text: &'static str| super::with_decimal_comma_in_call(text).map(|range| &text[range]);
        for (text, number) in [
            ("LEAST(0,5, x)", "0,5"),
            ("GREATEST(x, 1,25)", "1,25"),
            ("ROUND(0,5)", "0,5"),
            ("LEAST(x, GREATEST(0,5, y))", "0,5"),
        ] {
            assert_eq!(found(text), Some(number), "{text}");
        }
        for text in [
            "x IN (0,5)",
            "principal_for(x,0,3)",
            "substring(code,1,3)",
            "substring(code, 1,3)",
            "LEAST(0, 5)",
            "list_of(0,1,2)",
            "concat('0,5', x)",
            "COALESCE(x1,5)",
            "ROUND(x, 0.5)",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_with_commas_are_found_and_lists_are_not() {
        let found = |text: &'static str| with_commas(text).map(|range| &text[range]);
        for (text, number) in
            [(">= 1,000", "1,000"), ("not(1,000)", "1,000"), ("x IN (1,000)", "1,000"), ("1,000,000.5", "1,000,000")]
        {
            assert_eq!(found(text), Some(number), "{text}");
        }
        for text in ["1, 000", "1000", "1,20", "A,B", "'1,000'", "a1,000", "12,3456", "1234,567", "0.1,200", "$x1,000"]
        {
            assert_eq!(found(text), None, "{text}");
        }
    }

    #[test]
    fn a_point_parts_thousands_in_groups_of_three_alone() {
        assert_eq!(join_thousands_group("60.000").as_deref(), Some("60000"));
        for text in ["0.005", "10.5", "5000.000", "10.1234"] {
            assert_eq!(join_thousands_group(text), None, "{text}");
        }
    }
}
