//! What to declare so that a text is read as an amount: the advice in an error.

use crate::base::money::{AmountError, AmountUnit, Currency};
use crate::base::toml_text::quote_toml_text;
use crate::statement::cells::amount_notation::{
    AmountNotation, Grouping, MinusForm, SPACE, has_lossy_exponent, is_minus, is_space,
};

/// What programs write where there is no amount.
const NOTHING: [&str; 8] = ["null", "none", "nil", "nan", "na", "n.a.", "#n/a", "\\n"];

/// What to declare, if something makes an amount of a text that is none in this notation.
pub(crate) fn advise_amount_notation(notation: &AmountNotation, text: &str, wrong: &AmountError) -> Option<String> {
    let text = text.trim_matches(is_space);
    match wrong {
        AmountError::NotANumber => {}
        AmountError::TooPrecise { .. } if has_float_digits(text) => return float_advice(text),
        // Three decimals may be a group of thousands.
        AmountError::TooPrecise { .. } if notation.decimal.is_none() && notation.thousands.is_empty() => {
            let european = with_separators(notation, Some(','), vec!["."]);
            let is_grouped = notation_reads_text(&european, text) && !between_outer_digits(text).starts_with('0');
            let keys = differing_notation_keys(notation, &european);
            return is_grouped.then(|| format!("if the point is between thousands, declare {keys} {PLACE}"));
        }
        AmountError::TooPrecise { .. } | AmountError::TooLarge => return None,
    }
    if has_lossy_exponent(text) {
        return Some(LOST_DIGITS.to_owned());
    }
    let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
    let is_sign = |letter: char| !letter.is_alphanumeric();
    if text.is_empty() {
        return None;
    }
    if !has_digit && (text.chars().all(is_sign) || NOTHING.contains(&text.to_lowercase().as_str())) {
        return (text.chars().count() <= 6).then(|| {
            format!(
                "if it means that there is no amount, declare empty = [{}] in a columns file",
                quote_toml_text(text)
            )
        });
    }
    let around = with_words_around(notation, text)?;
    let core = between_outer_digits(text);
    let all: Vec<AmountNotation> = possible_separators(core)
        .into_iter()
        .map(|(decimal, thousands, grouping)| AmountNotation {
            grouping,
            ..with_separators(&around, decimal, thousands)
        })
        .filter(|candidate| candidate.check().is_ok() && notation_reads_text(candidate, text))
        .collect();
    // Groups of three, unless only lakhs fit.
    let is_needed = |one: &&AmountNotation| {
        let same = |other: &AmountNotation| (other.decimal, &other.thousands) == (one.decimal, &one.thousands);
        one.grouping == notation.grouping || !all.iter().any(|other| other.grouping == notation.grouping && same(other))
    };
    let declared: Vec<String> =
        all.iter().filter(is_needed).map(|one| differing_notation_keys(notation, one)).collect();
    (!declared.is_empty()).then(|| format!("if it is an amount, declare {} {PLACE}", declared.join(", or ")))
}

/// What to do about a float that is no amount, if something can be done.
pub(crate) fn float_advice(text: &str) -> Option<String> {
    has_float_digits(text).then(|| FLOAT_DIGITS.to_owned())
}

/// What programs leave out that write a number with an exponent.
const LOST_DIGITS: &str =
    "a program wrote it with an exponent and dropped digits; export amounts as text or with two decimals";

const PLACE: &str = "under [amount] of a columns file";

/// What sums of floats leave behind.
const FLOAT_DIGITS: &str =
    "a sum of floating-point numbers leaves such digits; round amounts when they are written, or write DECIMAL";

fn has_float_digits(text: &str) -> bool {
    text.trim_start_matches(['-', '0', '.']).bytes().filter(u8::is_ascii_digit).count() >= 16
}

fn notation_reads_text(notation: &AmountNotation, text: &str) -> bool {
    notation.read(text, AmountUnit::Major, 6).is_ok()
}

/// From the first digit to the last.
fn between_outer_digits(text: &str) -> &str {
    text.trim_matches(|letter: char| !letter.is_ascii_digit())
}

/// The notation with what stands before and after the digits. `None` if there is more than it can have.
fn with_words_around(notation: &AmountNotation, text: &str) -> Option<AmountNotation> {
    let mut declared = notation.clone();
    let core = between_outer_digits(text);
    let (before, after) = text.split_once(core).filter(|_| !core.is_empty())?;
    let mut add = |form: MinusForm| {
        if !declared.minus.contains(&form) {
            declared.minus.push(form);
        }
    };
    if before.contains('(') && after.contains(')') {
        add(MinusForm::Parentheses);
    } else if after.starts_with(is_minus) || after.ends_with(is_minus) {
        add(MinusForm::Trailing);
    }
    let is_around = |letter: char| is_space(letter) || is_minus(letter) || matches!(letter, '(' | ')' | '+');
    for word in [before, after].map(|word| word.trim_matches(is_around)).into_iter().filter(|word| !word.is_empty()) {
        let is_known = |words: &[String]| words.iter().any(|known| known == word);
        if [&declared.marks, &declared.credit_suffix, &declared.debit_suffix].into_iter().any(|words| is_known(words)) {
            continue;
        }
        let side = ["cr", "dr", "c", "d", "cr.", "dr."].iter().position(|side| word.eq_ignore_ascii_case(side));
        match side {
            Some(at) if after.contains(word) => {
                let other = ["DR", "CR", "D", "C", "DR.", "CR."].get(at).copied().unwrap_or_default();
                let other = if word.chars().all(char::is_uppercase) {
                    other.to_owned()
                } else {
                    match_letter_case(word, other)
                };
                let (credit, debit) = if at % 2 == 0 { (word, other.as_str()) } else { (other.as_str(), word) };
                for (list, word) in [(&mut declared.credit_suffix, credit), (&mut declared.debit_suffix, debit)] {
                    if !list.iter().any(|known| known == word) {
                        list.push(word.to_owned());
                    }
                }
            }
            _ if may_be_mark(word) => declared.marks.push(word.to_owned()),
            _ => return None,
        }
    }
    Some(declared)
}

/// The other suffix in the letters of this one: `Dr` beside `Cr`.
fn match_letter_case(word: &str, other: &str) -> String {
    let is_lower = word.chars().all(|letter| !letter.is_uppercase());
    let mut letters = other.chars();
    let first: String = letters.next().into_iter().collect();
    if is_lower { other.to_lowercase() } else { first + &letters.as_str().to_lowercase() }
}

/// Whether a text is a currency's code or sign, such as `NGN`, `₦` or `Rs.`.
fn may_be_mark(word: &str) -> bool {
    let is_short = word.chars().count() <= 4;
    let has_sign = word.chars().any(|letter| !letter.is_alphanumeric() && letter != '.');
    is_short && (Currency::from_alphabetic(word).is_some() || has_sign || word.ends_with('.') || word.len() <= 2)
}

fn with_separators(notation: &AmountNotation, decimal: Option<char>, thousands: Vec<&str>) -> AmountNotation {
    let mut notation = notation.clone();
    if let Some(decimal) = decimal {
        notation.decimal = Some(decimal).filter(|_| decimal != '.' || notation.decimal.is_some());
    }
    for mark in thousands {
        if !notation.thousands.iter().any(|known| known == mark) {
            notation.thousands.push(mark.to_owned());
        }
    }
    let decimal = notation.decimal.unwrap_or('.').to_string();
    notation.thousands.retain(|mark| *mark != decimal);
    notation
}

/// What the marks between the digits may be: the decimal mark, the marks of thousands, and how digits are grouped. A
/// single mark before three digits may be either.
fn possible_separators(core: &str) -> Vec<(Option<char>, Vec<&'static str>, Grouping)> {
    let is_mark = |letter: char| !letter.is_ascii_digit();
    let marks: Vec<char> = core.chars().filter(|letter| is_mark(*letter)).collect();
    let Some(&last) = marks.last() else { return vec![(None, Vec::new(), Grouping::Three)] };
    let name = |mark: char| match mark {
        '.' => Some("."),
        ',' => Some(","),
        '\'' | '\u{2019}' => Some("'"),
        mark if is_space(mark) => Some(SPACE),
        _ => None,
    };
    let tail = core.rsplit(is_mark).next().map_or(0, str::len);
    let is_once = marks.iter().filter(|mark| **mark == last).count() == 1;
    let mut found = Vec::new();
    for grouping in [Grouping::Three, Grouping::Lakh] {
        let all: Option<Vec<&'static str>> = marks.iter().map(|mark| name(*mark)).collect();
        // All marks are between thousands; a point there makes a comma the decimal mark.
        if let Some(mut all) = all.filter(|_| tail == 3) {
            all.dedup();
            found.push((Some(',').filter(|_| all.contains(&".")), all, grouping));
        }
        if is_once && matches!(last, '.' | ',') {
            let others = marks.iter().filter(|mark| **mark != last).map(|mark| name(*mark)).collect();
            if let Some(others) = others {
                let mut others: Vec<&'static str> = others;
                others.dedup();
                found.push((Some(last), others, grouping));
            }
        }
        if marks.len() == 1 {
            break;
        }
    }
    found
}

/// The keys of `declared` that differ from those of the notation, as a columns file has them.
fn differing_notation_keys(notation: &AmountNotation, declared: &AmountNotation) -> String {
    let list = |words: &[String]| {
        let words: Vec<String> = words.iter().map(|word| quote_toml_text(word)).collect();
        format!("[{}]", words.join(", "))
    };
    let mut keys = Vec::new();
    if declared.decimal != notation.decimal {
        keys.push(format!("decimal = \"{}\"", declared.decimal.unwrap_or('.')));
    }
    if declared.thousands != notation.thousands {
        keys.push(format!("thousands = {}", list(&declared.thousands)));
    }
    if declared.grouping != notation.grouping {
        let grouping = if declared.grouping == Grouping::Lakh { "lakh" } else { "three" };
        keys.push(format!("grouping = \"{grouping}\""));
    }
    if declared.minus != notation.minus {
        let word = |form: &MinusForm| match form {
            MinusForm::Parentheses => "parentheses".to_owned(),
            MinusForm::Trailing => "trailing".to_owned(),
        };
        keys.push(format!("minus = {}", list(&declared.minus.iter().map(word).collect::<Vec<_>>())));
    }
    let lists = [
        ("marks", &notation.marks, &declared.marks),
        ("credit_suffix", &notation.credit_suffix, &declared.credit_suffix),
        ("debit_suffix", &notation.debit_suffix, &declared.debit_suffix),
    ];
    let changed = lists.iter().filter(|(_, before, after)| before != after);
    keys.extend(changed.map(|(key, _, words)| format!("{key} = {}", list(words))));
    keys.join(" and ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_teaches_what_to_declare() {
        let plain = AmountNotation::PLAIN;
        for (text, keys) in [
            ("1,337.00", "declare thousands = [\",\"] under"),
            ("1.337,00", "declare decimal = \",\" and thousands = [\".\"] under"),
            ("13,37", "declare decimal = \",\" under"),
            ("1,337", "declare thousands = [\",\"], or decimal = \",\" under"),
            ("1.337.000", "declare decimal = \",\" and thousands = [\".\"] under"),
            ("1 337,00", "declare decimal = \",\" and thousands = [\"space\"] under"),
            ("1\u{a0}337.00", "declare thousands = [\"space\"] under"),
            ("1'337.00", "declare thousands = [\"'\"] under"),
            ("1,33,700.00", "declare thousands = [\",\"] and grouping = \"lakh\" under"),
            ("(13.37)", "declare minus = [\"parentheses\"] under"),
            ("13.37-", "declare minus = [\"trailing\"] under"),
            ("13.37 DR", "declare credit_suffix = [\"CR\"] and debit_suffix = [\"DR\"] under"),
            ("13.37Cr", "declare credit_suffix = [\"Cr\"] and debit_suffix = [\"Dr\"] under"),
            ("₦5", "declare marks = [\"₦\"] under"),
            ("NGN 1,337.00", "declare thousands = [\",\"] and marks = [\"NGN\"] under"),
            ("Rs.5", "declare marks = [\"Rs.\"] under"),
            ("-", "declare empty = [\"-\"] in"),
            ("NULL", "declare empty = [\"NULL\"] in"),
        ] {
            let given = advise_amount_notation(&plain, text, &AmountError::NotANumber).unwrap_or_default();
            assert!(given.contains(keys), "{text}: {given}");
        }
        for text in ["ten", "0x10", "12.5.0", "1,33.700", "5 apples", "2026-03-02", "--5", "٣", ""] {
            assert_eq!(advise_amount_notation(&plain, text, &AmountError::NotANumber), None, "{text}");
        }
    }

    #[test]
    fn advice_adds_to_what_is_declared() {
        let german = AmountNotation { decimal: Some(','), ..AmountNotation::PLAIN };
        let given = advise_amount_notation(&german, "1.337,00", &AmountError::NotANumber).unwrap_or_default();
        assert!(given.contains("declare thousands = [\".\"] under"), "{given}");
        let english = AmountNotation { thousands: vec![",".to_owned()], ..AmountNotation::PLAIN };
        let given = advise_amount_notation(&english, "1.337,00", &AmountError::NotANumber).unwrap_or_default();
        assert!(given.contains("declare decimal = \",\" and thousands = [\".\"] under"), "{given}");
        let precise = AmountError::TooPrecise { allowed: 2 };
        let given = advise_amount_notation(&AmountNotation::PLAIN, "1.337", &precise).unwrap_or_default();
        assert!(given.contains("if the point is between thousands, declare decimal = \",\""), "{given}");
        for text in ["0.0012", "0.001", "12.5001"] {
            assert_eq!(advise_amount_notation(&AmountNotation::PLAIN, text, &precise), None, "{text}");
        }
        assert_eq!(
            advise_amount_notation(&AmountNotation::PLAIN, "0.30000000000000004", &precise).as_deref(),
            Some(FLOAT_DIGITS)
        );
    }
}
