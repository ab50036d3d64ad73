//! How amounts are written in a text: decimal commas, thousands marks, forms of a minus, marks and suffixes, as
//! `[amount]` of a columns file declares them. Must not know columns.

use serde::Deserialize;

use crate::words::money::{AmountError, AmountUnit, parse_amount};

/// The declared notation. Digits are never guessed: what it does not allow is refused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AmountNotation {
    /// The mark before the decimals; a point by default.
    pub(crate) decimal: Option<char>,
    /// Marks between groups of digits: `.`, `,`, `'`, or `space` for every kind of space.
    pub(crate) thousands: Vec<String>,
    /// How digits are grouped.
    pub(crate) grouping: Grouping,
    /// Other ways to write a minus.
    pub(crate) minus: Vec<MinusForm>,
    /// Marks of the currency, before or after the digits.
    pub(crate) marks: Vec<String>,
    /// What stands after a credit, such as `CR`.
    pub(crate) credit_suffix: Vec<String>,
    /// What stands after a debit, such as `DR`.
    pub(crate) debit_suffix: Vec<String>,
    /// How a fee is written.
    pub(crate) fee: FeeSign,
}

/// How digits before the decimals are grouped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Grouping {
    /// `1,337,000`.
    #[default]
    Three,
    /// `13,37,000`.
    Lakh,
}

/// Another way to write a minus than before the digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MinusForm {
    /// `(13.37)`.
    Parentheses,
    /// `13.37-`.
    Trailing,
}

/// How a fee, which is always a debit, is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FeeSign {
    /// `5.00`.
    #[default]
    Positive,
    /// `-5.00`.
    Negative,
}

impl AmountNotation {
    /// Digits with a decimal point.
    pub(crate) const PLAIN: AmountNotation = AmountNotation {
        decimal: None,
        thousands: Vec::new(),
        grouping: Grouping::Three,
        minus: Vec::new(),
        marks: Vec::new(),
        credit_suffix: Vec::new(),
        debit_suffix: Vec::new(),
        fee: FeeSign::Positive,
    };

    /// What is wrong with the declaration itself.
    pub(crate) fn check(&self) -> Result<(), String> {
        let decimal = self.decimal.unwrap_or('.');
        if !matches!(decimal, '.' | ',' | '\'' | '\u{b7}' | '\u{66b}') {
            return Err(format!("[amount] decimal = \"{decimal}\" must be \".\" or \",\""));
        }
        for mark in &self.thousands {
            let mut letters = mark.chars();
            match (letters.next(), letters.next()) {
                _ if mark == SPACE => {}
                (Some(letter), None) if letter == decimal => {
                    return Err(format!("[amount] thousands and decimal are both `{letter}`; a mark has one meaning"));
                }
                (Some('.' | ',' | '\'' | '\u{2019}' | '_'), None) => {}
                (Some(letter), None) if is_space(letter) => {}
                _ => {
                    return Err(format!(
                        "[amount] thousands lists `{mark}`; it takes \".\", \",\", \"'\" and \"space\""
                    ));
                }
            }
        }
        let mut words = self.marks.iter().chain(&self.credit_suffix).chain(&self.debit_suffix);
        if let Some(word) = words.find(|word| word.trim().is_empty() || word.chars().any(is_part_of_number)) {
            return Err(format!("[amount] lists `{word}` as a mark or suffix; they have letters or signs, no digits"));
        }
        match self.credit_suffix.iter().find(|word| self.debit_suffix.contains(word)) {
            Some(word) => Err(format!("[amount] lists `{word}` as the suffix of credits and of debits")),
            None if self.credit_suffix.is_empty() != self.debit_suffix.is_empty() && self.credit_suffix.is_empty() => {
                Err("[amount] debit_suffix goes with credit_suffix; \"\" is the suffix of amounts without one"
                    .to_owned())
            }
            None => Ok(()),
        }
    }

    /// Whether suffixes say which side an amount is on.
    pub(crate) fn has_suffixes(&self) -> bool {
        !self.credit_suffix.is_empty() || !self.debit_suffix.is_empty()
    }

    /// Reads an amount.
    pub(crate) fn read(&self, text: &str, unit: AmountUnit, exponent: u32) -> Result<Written, AmountError> {
        let mut rest = trimmed(text);
        let side = self.take_suffix(&mut rest);
        let mut sign = Sign::default();
        self.take_ends(&mut rest, &mut sign)?;
        let mut digits = Digits::default();
        if sign.is_minus {
            digits.push(b'-')?;
        }
        self.write_digits(rest, &mut digits)?;
        let minor = parse_amount(digits.bytes(), unit, exponent)?;
        Ok(Written { minor, suffix: side })
    }

    fn take_suffix(&self, rest: &mut &str) -> Option<Suffix> {
        let all = [(&self.credit_suffix, Suffix::Credit), (&self.debit_suffix, Suffix::Debit)];
        for (words, side) in all {
            for word in words {
                if let Some(before) = rest.strip_suffix(word.as_str()) {
                    *rest = trimmed(before);
                    return Some(side);
                }
            }
        }
        None
    }

    /// Removes signs, parentheses and marks from both ends, each at most once.
    fn take_ends(&self, rest: &mut &str, sign: &mut Sign) -> Result<(), AmountError> {
        let mut has_mark = false;
        loop {
            let text = *rest;
            let mut letters = text.chars();
            let (first, last) = (letters.next(), text.chars().next_back());
            if let Some(letter) = first.filter(|letter| is_minus(*letter) || *letter == '+') {
                sign.set(letter != '+')?;
                *rest = trimmed(letters.as_str());
                continue;
            }
            if first == Some('(') && last == Some(')') && self.minus.contains(&MinusForm::Parentheses) {
                sign.set(true)?;
                *rest = trimmed(text.get(1..text.len() - 1).unwrap_or_default());
                continue;
            }
            if let Some(letter) = last.filter(|letter| is_minus(*letter))
                && self.minus.contains(&MinusForm::Trailing)
            {
                sign.set(true)?;
                *rest = trimmed(text.strip_suffix(letter).unwrap_or_default());
                continue;
            }
            match self.without_mark(text).filter(|_| !has_mark) {
                Some(without) => (*rest, has_mark) = (trimmed(without), true),
                None => return Ok(()),
            }
        }
    }

    fn without_mark<'t>(&self, text: &'t str) -> Option<&'t str> {
        self.marks.iter().find_map(|mark| text.strip_prefix(mark.as_str()).or_else(|| text.strip_suffix(mark.as_str())))
    }

    /// Writes the digits with a decimal point and without the marks between groups, which must stand in their places.
    fn write_digits(&self, text: &str, digits: &mut Digits) -> Result<(), AmountError> {
        let decimal = self.decimal.unwrap_or('.');
        let (whole, decimals) = match text.split_once(decimal) {
            Some((whole, decimals)) => (whole, Some(decimals)),
            None => (text, None),
        };
        let mut group = 0;
        let mut groups: Option<char> = None;
        let mut sizes = Sizes { is_first: true, grouping: self.grouping };
        for letter in whole.chars() {
            if letter.is_ascii_digit() {
                digits.push(letter as u8)?;
                group += 1;
                continue;
            }
            // One kind of mark per amount.
            if !self.is_thousands(letter) || groups.is_some_and(|mark| mark != letter) {
                return Err(AmountError::NotANumber);
            }
            groups = Some(letter);
            sizes.inner(group)?;
            group = 0;
        }
        if groups.is_some() && group != 3 || group == 0 && whole.len() != 0 {
            return Err(AmountError::NotANumber);
        }
        let Some(decimals) = decimals else {
            return if whole.is_empty() { Err(AmountError::NotANumber) } else { Ok(()) };
        };
        if decimals.is_empty() || !decimals.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(AmountError::NotANumber);
        }
        if whole.is_empty() {
            digits.push(b'0')?;
        }
        digits.push(b'.')?;
        decimals.bytes().try_for_each(|byte| digits.push(byte))
    }

    fn is_thousands(&self, letter: char) -> bool {
        self.thousands.iter().any(|mark| match mark.as_str() {
            SPACE => is_space(letter),
            "'" => letter == '\'' || letter == '\u{2019}',
            mark => mark.starts_with(letter),
        })
    }

    /// What to declare so that this text is an amount, if something would make it one.
    pub(crate) fn advice(&self, text: &str) -> Option<String> {
        let text = trimmed(text);
        let core = text.trim_matches(|letter: char| !letter.is_ascii_digit());
        if core.is_empty() {
            return None;
        }
        let (before, after) = text.split_once(core).unwrap_or_default();
        let (before, after) = (trimmed(before), trimmed(after));
        let mut keys = Vec::new();
        let points = core.matches('.').count();
        let commas = core.matches(',').count();
        let tail = |mark: char| core.rsplit(mark).next().map_or(0, str::len);
        let has_space = core.chars().any(is_space);
        let is_european = commas == 1 && (points > 0 && core.rfind(',') > core.rfind('.') || tail(',') != 3);
        if is_european || has_space && commas == 1 {
            keys.push("decimal = \",\"".to_owned());
        }
        let thousands: Vec<&str> = [
            (points > 0 && is_european || points > 1, "\".\""),
            (commas > 0 && !is_european && !(has_space && commas == 1), "\",\""),
            (has_space, "\"space\""),
            (core.contains(['\'', '\u{2019}']), "\"'\""),
        ]
        .into_iter()
        .filter_map(|(is_there, mark)| is_there.then_some(mark))
        .collect();
        if !thousands.is_empty() {
            keys.push(format!("thousands = [{}]", thousands.join(", ")));
        }
        if before.ends_with('(') && after.starts_with(')') {
            keys.push("minus = [\"parentheses\"]".to_owned());
        } else if after.chars().next().is_some_and(is_minus) {
            keys.push("minus = [\"trailing\"]".to_owned());
        }
        let is_word = |word: &str| word.chars().all(char::is_alphabetic) && !word.is_empty() && word.len() <= 6;
        if matches!(after, "CR" | "DR" | "Cr" | "Dr" | "C" | "D" | "cr" | "dr") {
            keys.push("credit_suffix = [\"CR\"], debit_suffix = [\"DR\"]".to_owned());
        } else if let Some(mark) = [before, after].into_iter().find(|mark| {
            let mark = mark.trim_matches(|letter: char| is_minus(letter) || "()+".contains(letter));
            is_word(mark) || mark.chars().count() == 1
        }) {
            let mark = mark.trim_matches(|letter: char| is_minus(letter) || "()+".contains(letter));
            keys.push(format!("marks = [\"{mark}\"]"));
        }
        let declared = AmountNotation { thousands: self.thousands.clone(), ..self.clone() };
        (!keys.is_empty() && declared.read(text, AmountUnit::Major, 6).is_err())
            .then(|| format!("if it is an amount, declare {} under [amount] of a columns file", keys.join(" and ")))
    }
}

/// The mark that stands for every kind of space.
const SPACE: &str = "space";

/// An amount, and the side that its suffix says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) minor: i64,
    pub(crate) suffix: Option<Suffix>,
}

/// What a suffix says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Suffix {
    Credit,
    Debit,
}

/// The sign of an amount, which is written once.
#[derive(Default)]
struct Sign {
    is_set: bool,
    is_minus: bool,
}

impl Sign {
    fn set(&mut self, is_minus: bool) -> Result<(), AmountError> {
        if std::mem::replace(&mut self.is_set, true) {
            return Err(AmountError::NotANumber);
        }
        self.is_minus = is_minus;
        Ok(())
    }
}

/// The sizes of the groups before the last, which has three digits.
struct Sizes {
    is_first: bool,
    grouping: Grouping,
}

impl Sizes {
    fn inner(&mut self, group: usize) -> Result<(), AmountError> {
        let most = if self.grouping == Grouping::Lakh { 2 } else { 3 };
        let is_right = if self.is_first { (1..=most).contains(&group) } else { group == most };
        self.is_first = false;
        if is_right { Ok(()) } else { Err(AmountError::NotANumber) }
    }
}

/// A number in plain notation. Longer ones than any amount are none.
struct Digits {
    bytes: [u8; 48],
    length: usize,
}

impl Default for Digits {
    fn default() -> Digits {
        Digits { bytes: [0; 48], length: 0 }
    }
}

impl Digits {
    fn push(&mut self, byte: u8) -> Result<(), AmountError> {
        let slot = self.bytes.get_mut(self.length).ok_or(AmountError::NotANumber)?;
        *slot = byte;
        self.length += 1;
        Ok(())
    }

    fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

fn trimmed(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// Every kind of space that stands in or around amounts.
fn is_space(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\u{a0}' | '\u{2007}' | '\u{2009}' | '\u{202f}')
}

/// A minus, however the program wrote it.
fn is_minus(letter: char) -> bool {
    matches!(letter, '-' | '\u{2012}' | '\u{2013}' | '\u{2212}' | '\u{fe63}' | '\u{ff0d}')
}

fn is_part_of_number(letter: char) -> bool {
    letter.is_ascii_digit() || is_minus(letter) || matches!(letter, '+' | '(' | ')' | ',')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    fn read(notation: &AmountNotation, text: &str) -> Option<i64> {
        notation.read(text, AmountUnit::Major, 2).ok().map(|written| written.minor)
    }

    #[test]
    fn an_amount_is_read_as_declared_and_not_otherwise() {
        let english = AmountNotation { thousands: list(&[","]), ..AmountNotation::PLAIN };
        let german = AmountNotation { decimal: Some(','), thousands: list(&[".", "space"]), ..AmountNotation::PLAIN };
        let lakh = AmountNotation { grouping: Grouping::Lakh, ..english.clone() };
        let swiss = AmountNotation { thousands: list(&["'"]), ..AmountNotation::PLAIN };
        let minus = vec![MinusForm::Parentheses, MinusForm::Trailing];
        let signs = AmountNotation { minus, marks: list(&["NGN", "₦", "Rs."]), ..english.clone() };
        for (notation, text, minor) in [
            (&AmountNotation::PLAIN, " +337.00\u{a0}", Some(33_700)),
            (&AmountNotation::PLAIN, "\u{2212}13.37", Some(-1_337)),
            (&AmountNotation::PLAIN, "1,337.00", None),
            (&AmountNotation::PLAIN, "(13.37)", None),
            (&AmountNotation::PLAIN, "13.37-", None),
            (&AmountNotation::PLAIN, "--13.37", None),
            (&AmountNotation::PLAIN, "", None),
            (&AmountNotation::PLAIN, ".5", Some(50)),
            (&AmountNotation::PLAIN, "5.", None),
            (&english, "1,337.00", Some(133_700)),
            (&english, "1,234,567.89", Some(123_456_789)),
            (&english, "1337.00", Some(133_700)),
            (&english, "1,33,700.00", None),
            (&english, "13,37", None),
            (&english, ",337.00", None),
            (&english, "1,337,.00", None),
            (&english, "1.337,00", None),
            (&english, "1,337.0,0", None),
            (&german, "1.337,00", Some(133_700)),
            (&german, "-1.234.567,89", Some(-123_456_789)),
            (&german, "1 337,5", Some(133_750)),
            (&german, "1\u{202f}337\u{202f}000,00", Some(133_700_000)),
            (&german, "1.337 000,00", None),
            (&german, "13.37", None),
            (&german, "337", Some(33_700)),
            (&lakh, "1,33,700.00", Some(13_370_000)),
            (&lakh, "12,34,56,789.01", Some(12_345_678_901)),
            (&lakh, "133,700.00", None),
            (&lakh, "337.00", Some(33_700)),
            (&swiss, "1'337.05", Some(133_705)),
            (&swiss, "1\u{2019}337.05", Some(133_705)),
            (&signs, "(1,337.00)", Some(-133_700)),
            (&signs, "13.37-", Some(-1_337)),
            (&signs, "₦5", Some(500)),
            (&signs, "-₦5.00", Some(-500)),
            (&signs, "₦-5.00", Some(-500)),
            (&signs, "(₦ 5.00)", Some(-500)),
            (&signs, "5.00 NGN", Some(500)),
            (&signs, "Rs.1,337.00", Some(133_700)),
            (&signs, "(-5.00)", None),
            (&signs, "NGN NGN 5", None),
            (&signs, "5 USD", None),
        ] {
            assert_eq!(read(notation, text), minor, "{text:?}");
        }
    }

    #[test]
    fn a_suffix_says_the_side() {
        let notation = AmountNotation {
            thousands: list(&[","]),
            credit_suffix: list(&["CR"]),
            debit_suffix: list(&["DR", "D"]),
            ..AmountNotation::PLAIN
        };
        for (text, minor, suffix) in [
            ("1,337.00 CR", 133_700, Some(Suffix::Credit)),
            ("13.37DR", 1_337, Some(Suffix::Debit)),
            ("13.37 D", 1_337, Some(Suffix::Debit)),
            ("13.37", 1_337, None),
        ] {
            assert_eq!(notation.read(text, AmountUnit::Major, 2), Ok(Written { minor, suffix }), "{text}");
        }
    }

    #[test]
    fn a_refusal_teaches_what_to_declare() {
        let plain = AmountNotation::PLAIN;
        for (text, key) in [
            ("1,337.00", "declare thousands = [\",\"] under"),
            ("1.337,00", "declare decimal = \",\" and thousands = [\".\"] under"),
            ("13,37", "declare decimal = \",\" under"),
            ("1 337,00", "declare decimal = \",\" and thousands = [\"space\"] under"),
            ("1'337.00", "thousands = [\"'\"]"),
            ("(13.37)", "minus = [\"parentheses\"]"),
            ("13.37-", "minus = [\"trailing\"]"),
            ("13.37 DR", "credit_suffix = [\"CR\"], debit_suffix = [\"DR\"]"),
            ("₦5", "marks = [\"₦\"]"),
            ("NGN 5", "marks = [\"NGN\"]"),
        ] {
            let advice = plain.advice(text).unwrap_or_default();
            assert!(advice.contains(key), "{text}: {advice}");
        }
        assert_eq!(plain.advice("none"), None);
    }

    #[test]
    fn a_declaration_without_sense_is_refused() {
        let with = |change: &dyn Fn(&mut AmountNotation)| {
            let mut notation = AmountNotation::PLAIN;
            change(&mut notation);
            notation.check().is_err()
        };
        assert!(with(&|notation| notation.decimal = Some('x')));
        assert!(with(&|notation| notation.thousands = list(&["."])));
        assert!(with(&|notation| notation.thousands = list(&["x"])));
        assert!(with(&|notation| notation.marks = list(&["5"])));
        assert!(with(&|notation| {
            notation.credit_suffix = list(&["X"]);
            notation.debit_suffix = list(&["X"]);
        }));
        assert!(with(&|notation| notation.debit_suffix = list(&["DR"])));
        assert!(!with(&|notation| notation.thousands = list(&[",", "space", "'"])));
    }

    /// What is written in a notation is read in it, and nothing else is read as another number by accident.
    #[test]
    fn amounts_come_back_from_every_notation() {
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let mut draw = |below: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % below
        };
        for _ in 0..20_000 {
            let minor = (draw(1 << 50) >> draw(50)) as i64;
            let (decimal, mark) = [('.', ","), (',', "."), (',', " "), ('.', "'"), (',', "\u{a0}")][draw(5) as usize];
            let mut notation = AmountNotation { decimal: Some(decimal), ..AmountNotation::PLAIN };
            notation.thousands = list(&[if mark.trim().is_empty() { SPACE } else { mark }]);
            let whole = (minor / 100).to_string();
            let mut text = String::new();
            for (at, digit) in whole.chars().enumerate() {
                if at > 0 && (whole.len() - at).is_multiple_of(3) {
                    text.push_str(mark);
                }
                text.push(digit);
            }
            text.push(decimal);
            text += &format!("{:02}", minor % 100);
            assert_eq!(read(&notation, &text), Some(minor), "{text}");
            // Without the declaration, marks are refused, never dropped.
            let bare = AmountNotation { decimal: Some(decimal), ..AmountNotation::PLAIN };
            assert_eq!(read(&bare, &text), (whole.len() <= 3).then_some(minor), "{text}");
        }
    }
}
