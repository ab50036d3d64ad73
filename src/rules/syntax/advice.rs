//! Advice for slips by people who know spreadsheets or other languages better. Knows characters, not the grammar.

use crate::base::diagnostic::{Diagnostic, Span};
use crate::base::money::Currency;
use crate::rules::syntax::source::Text;

/// Comparison signs of other languages.
const SIGNS: [(&str, &str); 7] =
    [("=>", ">="), ("=<", "<="), ("≥", ">="), ("≤", "<="), ("≠", "<>"), ("&&", "AND"), ("||", "OR")];

/// What is written here instead of a sign of another language.
pub(in crate::rules) fn sign_instead_of(sign: &str) -> Option<&'static str> {
    SIGNS.iter().find(|(other, _)| *other == sign).map(|(_, here)| *here)
}

/// Words of other languages and other programs for keys of a section and for effects.
const WORDS: [(&str, &[&str]); 10] = [
    ("else", &["otherwise", "effect", "outcome", "then", "on_fail"]),
    ("when", &["if", "condition", "where", "rule"]),
    ("reason", &["message", "because", "text"]),
    ("tenure", &["term", "tenor", "duration"]),
    ("interest", &["rate", "interest_rate"]),
    ("cap", &["maximum", "max", "max_amount"]),
    ("decline", &["reject", "deny", "denied", "refuse", "declined", "no", "fail", "block"]),
    ("refer", &["review", "manual", "manual_review", "referral", "escalate"]),
    ("pass", &["approve", "accept", "ignore", "skip", "ok", "allow", "approved"]),
    ("fails", &["fail", "false"]),
];

/// The word that is known here for a word of another program.
pub(in crate::rules) fn known_word_for<'k>(written: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let lower = written.to_lowercase();
    let means = |word: &str| WORDS.iter().any(|(here, others)| *here == word && others.contains(&lower.as_str()));
    known.into_iter().find(|word| means(word))
}

/// Adds advice based on the text around `span`, where the expression cannot be parsed.
pub(in crate::rules) fn add_syntax_advice(diagnostic: Diagnostic, text: &Text, span: Span) -> Diagnostic {
    let at = (span.start as usize).checked_sub(text.locate(0, 0).start as usize).unwrap_or(usize::MAX);
    let (Some(before), Some(after)) = (text.value().get(..at), text.value().get(at..)) else { return diagnostic };
    match advise_around_place(before, after).or_else(|| of_whole(text.value())) {
        Some(advice) => diagnostic.help(advice),
        None => diagnostic,
    }
}

fn advise_around_place(before: &str, after: &str) -> Option<String> {
    let follows =
        |digits: bool, rest: &str| rest.starts_with(|c: char| c.is_ascii_digit() == digits && c.is_alphanumeric());
    let after_digit = before.ends_with(|c: char| c.is_ascii_digit());
    let number_before = before.trim_end().rsplit(|c: char| !c.is_ascii_digit() && c != '.').next().unwrap_or_default();
    let word_before = before.trim_end().rsplit(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    let signs = |text: &str, ends: bool| {
        SIGNS.iter().find(|(sign, _)| if ends { text.ends_with(sign) } else { text.starts_with(sign) }).copied()
    };
    if let Some((sign, here)) = signs(after, false).or_else(|| signs(before.trim_end(), true)) {
        return Some(format!("`{sign}` is written {here} here"));
    }
    if after.starts_with(['\u{201c}', '\u{201d}', '\u{2018}', '\u{2019}']) {
        return Some("these are curly quotes; write text in straight single quotes: 'B'".into());
    }
    if after.starts_with('\'') && after.matches('\'').count() % 2 == 1 {
        let of_word = |c: char| c.is_alphanumeric();
        if before.ends_with(of_word) {
            return Some("a quote within a text is doubled: 'Mama''s Kitchen'".into());
        }
        let ends =
            [" AND ", " OR ", ")", " THEN "].iter().filter_map(|end| after.find(end)).min().unwrap_or(after.len());
        return Some(format!("a text ends with a quote: {}'", after[..ends].trim_end()));
    }
    let fraction: String = after.chars().skip(1).take_while(char::is_ascii_digit).collect();
    if after_digit && after.starts_with(',') && (1..=2).contains(&fraction.len()) {
        return Some(format!("use a decimal point: {number_before}.{fraction}"));
    }
    if after_digit && after.starts_with([',', '_']) && follows(true, &after[1..]) {
        return Some("write a number in an expression without , or _: 1000000".into());
    }
    if after_digit && follows(false, after) {
        return Some("write the number out: 5000, not 5k".into());
    }
    if after.trim_end() == "%" || after.starts_with("% ") || before.trim_end().ends_with('%') {
        return Some("write it without %: a share as 0.10; interest is already in percent: 3.5".into());
    }
    if !number_before.is_empty() && before.ends_with(' ') && follows(false, after) {
        return Some(format!("write a number without a unit: {number_before}; a share of 5 % is 0.05"));
    }
    if Currency::from_alphabetic(word_before).is_some() && follows(true, after) {
        return Some(format!("write an amount without {word_before}: it is in the policy's currency"));
    }
    None
}

/// The advice if the place gives no hint.
fn of_whole(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    if lower.contains("..") {
        return Some("`..` is only for cells of tables and bins; write x BETWEEN 3 AND 6".into());
    }
    if lower.trim_start().starts_with("select ") {
        return Some("an expression has no SELECT and no FROM: write the aggregate alone, such as AVG(credit)".into());
    }
    (lower.contains("case ") && !lower.contains(" end"))
        .then(|| "a CASE ends with END: CASE WHEN ... THEN ... ELSE ... END".into())
}
