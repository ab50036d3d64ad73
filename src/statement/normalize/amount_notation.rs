//! How amounts are written in a text: decimal commas, thousands marks, forms of a minus, marks and suffixes, as
//! `[amount]` of a columns file declares them. Must not know columns.

use serde::Deserialize;

use crate::words::money::{AmountError, AmountUnit, parse_amount};

/// The declared notation. Digits are never guessed: what it does not allow is refused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AmountNotation {
    /// The mark before the decimals; a point by default.
    pub(crate) decimal: Option<char>,
    /// Marks between groups of digits: `.`, `,`, `'`, `_`, or `space` for every kind of space.
    pub(crate) thousands: Vec<String>,
    /// How digits are grouped.
    pub(crate) grouping: Grouping,
    /// Other ways to write a minus.
    pub(crate) minus: Vec<MinusForm>,
    /// Marks of the currency, before or after the digits.
    pub(crate) marks: Vec<String>,
    /// What stands after a credit, such as `CR`. An empty one means that credits have none.
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

    /// What is wrong with the declaration itself: each mark must have one meaning.
    pub(crate) fn check(&self) -> Result<(), String> {
        let decimal = self.decimal_mark();
        if !matches!(decimal, '.' | ',' | '\u{b7}' | '\u{66b}') {
            return Err(format!("[amount] decimal = \"{decimal}\" must be \".\" or \",\""));
        }
        for mark in &self.thousands {
            let mut letters = mark.chars();
            match (letters.next(), letters.next()) {
                _ if mark == SPACE => {}
                (Some(letter), None) if letter == decimal => {
                    let help = if self.decimal.is_none() { "; declare decimal = \",\" beside it" } else { "" };
                    return Err(format!("[amount] thousands and decimal are both `{letter}`{help}"));
                }
                (Some('.' | ',' | '\'' | '\u{2019}' | '_'), None) => {}
                (Some(letter), None) if is_space(letter) => {}
                _ => {
                    return Err(format!(
                        "[amount] thousands lists `{mark}`; it takes \".\", \",\", \"'\", \"_\" and \"space\""
                    ));
                }
            }
        }
        let lists =
            [("marks", &self.marks), ("credit_suffix", &self.credit_suffix), ("debit_suffix", &self.debit_suffix)];
        let words = || lists.into_iter().flat_map(|(list, words)| words.iter().map(move |word| (list, word)));
        for (at, (list, word)) in words().enumerate() {
            let is_nothing = word.is_empty() && list != "marks";
            if !is_nothing && !is_word(word) {
                return Err(format!(
                    "[amount] {list} lists `{word}`; a mark has letters or signs, and no part of a number"
                ));
            }
            if let Some((other, _)) = words().take(at).find(|(other, known)| known == &word && *other != list) {
                return Err(format!("[amount] lists `{word}` in {other} and in {list}; a mark has one meaning"));
            }
        }
        Ok(())
    }

    fn decimal_mark(&self) -> char {
        self.decimal.unwrap_or('.')
    }

    /// Whether suffixes say which side an amount is on.
    pub(crate) fn has_suffixes(&self) -> bool {
        !self.credit_suffix.is_empty() || !self.debit_suffix.is_empty()
    }

    /// The side of an amount without a suffix, if that is declared.
    pub(crate) fn side_without_suffix(&self) -> Option<Suffix> {
        let has_empty = |words: &[String]| words.iter().any(String::is_empty);
        match (has_empty(&self.credit_suffix), has_empty(&self.debit_suffix)) {
            (true, _) => Some(Suffix::Credit),
            (_, true) => Some(Suffix::Debit),
            _ => None,
        }
    }

    /// Reads an amount.
    #[inline]
    pub(crate) fn read(&self, text: &str, unit: AmountUnit, exponent: u32) -> Result<Written, AmountError> {
        match self.read_common(text.as_bytes(), if unit == AmountUnit::Major { exponent } else { 0 }) {
            Some(minor) => Ok(Written { minor, suffix: None }),
            None => self.read_any(text, unit, exponent),
        }
    }

    /// Nearly all amounts, in one pass: a minus, up to 17 digits in ASCII groups, no more decimals than allowed. Marks
    /// and suffixes have letters, so they cannot be overlooked here.
    fn read_common(&self, text: &[u8], decimals: u32) -> Option<i64> {
        let (is_negative, digits) = match text {
            [b'-', rest @ ..] => (true, rest),
            rest => (false, rest),
        };
        let decimal = u8::try_from(self.decimal_mark()).ok().filter(u8::is_ascii)?;
        let (mut value, mut count, mut group) = (0_i64, 0_u32, 0_usize);
        let (mut groups, mut decimals_from): (Option<Groups>, Option<u32>) = (None, None);
        for &byte in digits {
            let digit = byte.wrapping_sub(b'0');
            if digit <= 9 {
                value = value.wrapping_mul(10).wrapping_add(i64::from(digit));
                count += 1;
                group += 1;
                continue;
            }
            if decimals_from.is_some() || !byte.is_ascii() {
                return None;
            }
            if byte == decimal {
                decimals_from = Some(count);
                groups.as_ref().is_none_or(|groups| groups.end_with(group)).then_some(())?;
            } else {
                let groups = groups.get_or_insert(Groups::new(char::from(byte), self.grouping));
                (self.is_thousands(char::from(byte)) && groups.has_next(char::from(byte), group)).then_some(())?;
                group = 0;
            }
        }
        let has_end = decimals_from.is_some() || groups.is_none_or(|groups| groups.end_with(group));
        let written = decimals_from.map_or(0, |from| count - from);
        // A mark needs digits on both of its sides.
        if !has_end || count == 0 || count > 17 || decimals_from == Some(0) || decimals_from == Some(count) {
            return None;
        }
        let minor = value.checked_mul(10_i64.checked_pow(decimals.checked_sub(written)?)?)?;
        Some(if is_negative { -minor } else { minor })
    }

    fn read_any(&self, text: &str, unit: AmountUnit, exponent: u32) -> Result<Written, AmountError> {
        let mut rest = text.trim_matches(is_space);
        if self.decimal_mark() == '.' {
            // A plain number may have an exponent.
            match parse_amount(rest.as_bytes(), unit, exponent) {
                Err(AmountError::NotANumber) => {}
                plain => return plain.map(|minor| Written { minor, suffix: None }),
            }
        }
        let mut suffix = self.take_suffix(&mut rest);
        let mut ends = Ends::default();
        self.take_ends(&mut rest, &mut ends)?;
        if suffix.is_none() {
            suffix = self.take_suffix(&mut rest);
        }
        // `Rs.5` under the mark `Rs` may be 5 or 0.5.
        if ends.has_mark_before && rest.starts_with(self.decimal_mark()) {
            return Err(AmountError::NotANumber);
        }
        let mut digits = Digits::default();
        if ends.is_minus {
            digits.push(b'-')?;
        }
        self.write_digits(rest, &mut digits)?;
        let minor = parse_amount(digits.bytes(), unit, exponent)?;
        Ok(Written { minor, suffix })
    }

    /// Removes the longest suffix that the text has.
    fn take_suffix(&self, rest: &mut &str) -> Option<Suffix> {
        let credits = self.credit_suffix.iter().map(|word| (word, Suffix::Credit));
        let all = credits.chain(self.debit_suffix.iter().map(|word| (word, Suffix::Debit)));
        let found = all.filter(|(word, _)| !word.is_empty() && rest.ends_with(word.as_str()));
        let (word, suffix) = found.max_by_key(|(word, _)| word.len())?;
        *rest = rest.strip_suffix(word.as_str()).unwrap_or(rest).trim_matches(is_space);
        Some(suffix)
    }

    /// Removes a sign, parentheses and a mark from both ends, each at most once.
    fn take_ends(&self, rest: &mut &str, ends: &mut Ends) -> Result<(), AmountError> {
        loop {
            let text = *rest;
            let mut inner = text.chars();
            let (first, last) = (inner.next(), text.chars().next_back());
            let is_sign = |letter: &char| is_minus(*letter) || *letter == '+';
            if let Some(sign) = first.filter(is_sign) {
                ends.set_sign(sign != '+')?;
                *rest = inner.as_str();
            } else if let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'))
                && self.minus.contains(&MinusForm::Parentheses)
            {
                ends.set_sign(true)?;
                *rest = inner;
            } else if let Some(sign) = last.filter(is_sign)
                && self.minus.contains(&MinusForm::Trailing)
            {
                ends.set_sign(sign != '+')?;
                *rest = text.strip_suffix(sign).unwrap_or_default();
            } else if let Some((without, is_before)) = self.without_mark(text).filter(|_| !ends.has_mark) {
                *rest = without;
                (ends.has_mark, ends.has_mark_before) = (true, is_before);
            } else {
                return Ok(());
            }
            *rest = rest.trim_matches(is_space);
        }
    }

    /// The text without the longest mark that it begins or ends with, and whether that stood before.
    fn without_mark<'t>(&self, text: &'t str) -> Option<(&'t str, bool)> {
        let without = |mark: &String| {
            let before = text.strip_prefix(mark.as_str()).map(|rest| (rest, true));
            before.or_else(|| text.strip_suffix(mark.as_str()).map(|rest| (rest, false)))
        };
        // The longest mark leaves the shortest rest.
        self.marks.iter().filter_map(without).min_by_key(|(rest, _)| rest.len())
    }

    /// Writes the digits with a decimal point and without the marks between groups, which must stand in their places.
    fn write_digits(&self, text: &str, digits: &mut Digits) -> Result<(), AmountError> {
        let (whole, decimals) = match text.split_once(self.decimal_mark()) {
            Some((whole, decimals)) => (whole, Some(decimals)),
            None => (text, None),
        };
        let (mut group, mut groups): (usize, Option<Groups>) = (0, None);
        for letter in whole.chars() {
            if letter.is_ascii_digit() {
                digits.push(letter as u8)?;
                group += 1;
                continue;
            }
            let groups = groups.get_or_insert(Groups::new(letter, self.grouping));
            if !self.is_thousands(letter) || !groups.has_next(letter, group) {
                return Err(AmountError::NotANumber);
            }
            group = 0;
        }
        if groups.is_some_and(|groups| !groups.end_with(group)) {
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
}

/// The mark that stands for every kind of space.
pub(crate) const SPACE: &str = "space";

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

/// What stands around the digits.
#[derive(Default)]
struct Ends {
    has_sign: bool,
    is_minus: bool,
    has_mark: bool,
    has_mark_before: bool,
}

impl Ends {
    /// A sign is written once.
    fn set_sign(&mut self, is_minus: bool) -> Result<(), AmountError> {
        if std::mem::replace(&mut self.has_sign, true) {
            return Err(AmountError::NotANumber);
        }
        self.is_minus = is_minus;
        Ok(())
    }
}

/// The groups of an amount, which all have the same mark between them.
#[derive(Clone, Copy)]
struct Groups {
    mark: char,
    grouping: Grouping,
    is_first: bool,
}

impl Groups {
    fn new(mark: char, grouping: Grouping) -> Groups {
        Groups { mark, grouping, is_first: true }
    }

    /// Whether a mark may stand after a group of so many digits.
    fn has_next(&mut self, mark: char, size: usize) -> bool {
        let most = if self.grouping == Grouping::Lakh { 2 } else { 3 };
        let is_right = if self.is_first { (1..=most).contains(&size) } else { size == most };
        self.is_first = false;
        is_right && mark == self.mark
    }

    /// Whether the last group may have so many digits.
    fn end_with(self, size: usize) -> bool {
        size == 3
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

/// Every kind of space that stands in or around amounts.
pub(crate) fn is_space(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\u{a0}' | '\u{2007}' | '\u{2009}' | '\u{202f}')
}

/// A minus, however the program wrote it.
pub(crate) fn is_minus(letter: char) -> bool {
    matches!(letter, '-' | '\u{2010}'..='\u{2013}' | '\u{2212}' | '\u{fe63}' | '\u{ff0d}')
}

/// Whether a text can stand beside digits without being taken for a part of the number.
fn is_word(text: &str) -> bool {
    let is_part_of_number = |letter: char| {
        letter.is_numeric() || is_minus(letter) || matches!(letter, '+' | '(' | ')' | ',' | '\'' | '\u{2019}' | '_')
    };
    let is_point = |letter: char| matches!(letter, '.' | '\u{b7}' | '\u{66b}');
    text.trim() == text && !text.chars().all(is_point) && !text.chars().any(is_part_of_number)
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
            (&signs, "5.00- NGN", Some(-500)),
            (&signs, "5.00 NGN-", Some(-500)),
            (&signs, "5.00+", Some(500)),
            (&signs, "-5.00-", None),
            (&signs, "NGN.5", None),
            (&signs, "Rs5", None),
            (&signs, "5.NGN", None),
            (&AmountNotation::PLAIN, "1.5e3", Some(150_000)),
            (&AmountNotation::PLAIN, "12345678901234567.89", Some(1_234_567_890_123_456_789)),
            (&AmountNotation::PLAIN, "99999999999999999999", None),
            (&english, "1,337.000", Some(133_700)),
            (&english, "0,337", Some(33_700)),
            (&german, "1.337,00e2", None),
            (&german, "1.33", None),
        ] {
            assert_eq!(read(notation, text), minor, "{text:?}");
        }
    }

    #[test]
    fn a_suffix_says_the_side() {
        let notation = AmountNotation {
            thousands: list(&[","]),
            marks: list(&["NGN"]),
            credit_suffix: list(&["CR", ""]),
            debit_suffix: list(&["DR", "D"]),
            ..AmountNotation::PLAIN
        };
        for (text, minor, suffix) in [
            ("1,337.00 CR", 133_700, Some(Suffix::Credit)),
            ("13.37DR", 1_337, Some(Suffix::Debit)),
            ("13.37 D", 1_337, Some(Suffix::Debit)),
            ("13.37\u{a0}DR", 1_337, Some(Suffix::Debit)),
            ("NGN 13.37 DR", 1_337, Some(Suffix::Debit)),
            ("13.37 DR NGN", 1_337, Some(Suffix::Debit)),
            ("-13.37 DR", -1_337, Some(Suffix::Debit)),
            ("13.37", 1_337, None),
        ] {
            assert_eq!(notation.read(text, AmountUnit::Major, 2), Ok(Written { minor, suffix }), "{text}");
        }
        for text in ["13.37 dr", "13.37 CR DR", "DR 13.37", "CR", "13.37 SCR"] {
            assert_eq!(read(&notation, text), None, "{text}");
        }
        assert_eq!(notation.side_without_suffix(), Some(Suffix::Credit));
        assert_eq!(AmountNotation::PLAIN.side_without_suffix(), None);
    }

    #[test]
    fn a_declaration_without_sense_is_refused() {
        let with = |change: &dyn Fn(&mut AmountNotation)| {
            let mut notation = AmountNotation::PLAIN;
            change(&mut notation);
            notation.check().err().unwrap_or_default()
        };
        let thousands = |marks: &'static [&str]| move |notation: &mut AmountNotation| notation.thousands = list(marks);
        let marks = |marks: &'static [&str]| move |notation: &mut AmountNotation| notation.marks = list(marks);
        assert!(with(&|notation| notation.decimal = Some('x')).contains("decimal = \"x\" must be"));
        assert!(with(&thousands(&["."])).contains("both `.`; declare decimal = \",\" beside it"));
        assert!(with(&thousands(&["x"])).contains("thousands lists `x`"));
        assert!(with(&thousands(&["5"])).contains("thousands lists `5`"));
        for mark in ["5", "-", "(", "", ".", "N,", "x'", " NGN", "\u{2212}", "٣"] {
            let wrong = with(&|notation| notation.marks = list(&[mark]));
            assert!(wrong.contains("a mark has letters or signs"), "{mark}: {wrong}");
        }
        assert_eq!(with(&marks(&["NGN", "₦", "Rs.", "R$", "US $", "S/."])), "");
        let both = with(&|notation| {
            notation.credit_suffix = list(&["X"]);
            notation.debit_suffix = list(&["X"]);
        });
        assert!(both.contains("`X` in credit_suffix and in debit_suffix"), "{both}");
        let both = with(&|notation| {
            notation.credit_suffix = list(&[""]);
            notation.debit_suffix = list(&["DR", ""]);
        });
        assert!(both.contains("`` in credit_suffix and in debit_suffix"), "{both}");
        assert_eq!(with(&|notation| notation.debit_suffix = list(&["DR"])), "");
        assert_eq!(with(&thousands(&[",", "space", "'"])), "");
    }

    /// Numbers that are always the same.
    struct Draw(u64);

    impl Draw {
        fn below(&mut self, below: u64) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0 % below
        }

        fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
            all[self.below(all.len() as u64) as usize]
        }

        fn some(&mut self, all: &[&str]) -> Vec<String> {
            all.iter().filter(|_| self.below(2) == 0).map(|one| (*one).to_owned()).collect()
        }

        fn notation(&mut self) -> AmountNotation {
            let minus = [MinusForm::Parentheses, MinusForm::Trailing];
            loop {
                let notation = AmountNotation {
                    decimal: [None, Some('.'), Some(',')][self.below(3) as usize],
                    thousands: self.some(&[".", ",", "'", SPACE]),
                    grouping: [Grouping::Three, Grouping::Lakh][self.below(2) as usize],
                    minus: minus.into_iter().filter(|_| self.below(2) == 0).collect(),
                    marks: self.some(&["NGN", "₦", "Rs", "Rs.", "N"]),
                    credit_suffix: self.some(&["CR", "C", "Cr."]),
                    debit_suffix: self.some(&["DR", "D"]),
                    fee: FeeSign::Positive,
                };
                if notation.check().is_ok() {
                    return notation;
                }
            }
        }
    }

    fn grouped(digits: &str, mark: &str, grouping: Grouping) -> String {
        let mut text = String::new();
        for (at, digit) in digits.chars().enumerate() {
            let left = digits.len() - at;
            let is_after_mark = match grouping {
                Grouping::Three => left.is_multiple_of(3),
                Grouping::Lakh => left == 3 || left > 3 && (left - 3).is_multiple_of(2),
            };
            if at > 0 && is_after_mark {
                text.push_str(mark);
            }
            text.push(digit);
        }
        text
    }

    #[test]
    fn amounts_come_back_from_every_notation() {
        let mut draw = Draw(0x9E37_79B9_7F4A_7C15);
        for _ in 0..40_000 {
            let notation = draw.notation();
            let minor = (draw.below(1 << 50) >> draw.below(50)) as i64;
            let kind = draw.some(&["plain"]).is_empty().then(|| notation.thousands.first()).flatten();
            let spaces = [" ", "\u{a0}", "\u{202f}", "\u{2009}"];
            let mark = kind.map_or("", |mark| if mark == SPACE { draw.of(&spaces) } else { mark });
            let whole = grouped(&(minor / 100).to_string(), mark, notation.grouping);
            let digits = format!("{whole}{}{:02}", notation.decimal_mark(), minor % 100);
            let word = if draw.below(2) == 0 { notation.marks.first().map_or("", String::as_str) } else { "" };
            let gap = draw.of(&["", " ", "\u{a0}"]);
            let digits =
                if draw.below(2) == 0 { format!("{word}{gap}{digits}") } else { format!("{digits}{gap}{word}") };
            let (digits, is_minus) = match (draw.below(4), notation.minus.as_slice()) {
                (0, _) => (format!("-{digits}"), true),
                (1, _) => (format!("\u{2212}{digits}"), true),
                (2, [MinusForm::Parentheses, ..]) => (format!("({digits})"), true),
                (2, [MinusForm::Trailing, ..]) => (format!("{digits}-"), true),
                _ => (digits, false),
            };
            let suffix = if draw.below(2) == 0 { notation.debit_suffix.first().map_or("", String::as_str) } else { "" };
            let text = format!("{gap}{digits}{gap}{suffix}{gap}");
            let expected = Written {
                minor: if is_minus { -minor } else { minor },
                suffix: (!suffix.is_empty()).then_some(Suffix::Debit),
            };
            assert_eq!(notation.read(&text, AmountUnit::Major, 2), Ok(expected), "{text:?} {notation:?}");
        }
    }

    /// Every reading of a text, found by trying all of them: what is around the digits is removed in every order, and
    /// the rest must be what its digits look like when they are written.
    fn all_readings(
        notation: &AmountNotation,
        text: &str,
        (sign, mark, suffix): (Option<bool>, Option<bool>, Option<Suffix>),
        found: &mut std::collections::BTreeSet<(i64, u8)>,
    ) {
        let text = text.trim_matches(is_space);
        let mut go = |rest: &str, state| all_readings(notation, rest, state, found);
        for (letter, is_minus_sign) in [('-', true), ('\u{2212}', true), ('+', false)] {
            if sign.is_none()
                && let Some(rest) = text.strip_prefix(letter)
            {
                go(rest, (Some(is_minus_sign), mark, suffix));
            }
            if sign.is_none()
                && notation.minus.contains(&MinusForm::Trailing)
                && let Some(rest) = text.strip_suffix(letter)
            {
                go(rest, (Some(is_minus_sign), mark, suffix));
            }
        }
        let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
        if let Some(inner) = inner.filter(|_| sign.is_none() && notation.minus.contains(&MinusForm::Parentheses)) {
            go(inner, (Some(true), mark, suffix));
        }
        for word in notation.marks.iter().filter(|_| mark.is_none()) {
            for (rest, is_before) in
                [(text.strip_prefix(word.as_str()), true), (text.strip_suffix(word.as_str()), false)]
            {
                rest.iter().for_each(|rest| go(rest, (sign, Some(is_before), suffix)));
            }
        }
        let sides = [(&notation.credit_suffix, Suffix::Credit), (&notation.debit_suffix, Suffix::Debit)];
        for (words, side) in sides.into_iter().filter(|_| suffix.is_none()) {
            for rest in words.iter().filter_map(|word| text.strip_suffix(word.as_str())) {
                go(rest, (sign, mark, Some(side)));
            }
        }
        let (whole, decimals) = text.split_once(notation.decimal_mark()).map_or((text, None), |(a, b)| (a, Some(b)));
        let digits: String = whole.chars().filter(char::is_ascii_digit).collect();
        let spaces = [" ", "\u{a0}", "\u{202f}", "\u{2009}", "\t", "\u{2007}"];
        let marks = notation.thousands.iter().flat_map(|mark| match mark.as_str() {
            SPACE => spaces.to_vec(),
            "'" => vec!["'", "\u{2019}"],
            mark => vec![mark],
        });
        let is_written = marks.chain([""]).any(|mark| grouped(&digits, mark, notation.grouping) == whole);
        let is_half = digits.is_empty() && (decimals.is_none() || mark == Some(true));
        let decimals_are_right = decimals.is_none_or(|all| !all.is_empty() && all.bytes().all(|b| b.is_ascii_digit()));
        let Some(plain) = (is_written && !is_half && decimals_are_right).then(|| {
            format!(
                "{}{}.{}0",
                if sign == Some(true) { "-" } else { "" },
                "0".to_owned() + &digits,
                decimals.unwrap_or("0")
            )
        }) else {
            return;
        };
        if let Ok(minor) = parse_amount(plain.as_bytes(), AmountUnit::Major, 2) {
            found.insert((minor, suffix.map_or(0, |suffix| 1 + suffix as u8)));
        }
    }

    #[test]
    fn a_text_has_one_reading_or_none() {
        let mut draw = Draw(0x2545_F491_4F6C_DD1D);
        let pieces = [
            "0", "1", "7", "33", "337", "000", "1234", ".", ",", "'", " ", "\u{a0}", "\u{2019}", "-", "\u{2212}", "+",
            "(", ")", "NGN", "₦", "Rs", "Rs.", "N", "CR", "C", "DR", "D", "e", "x", "٣", "1,337.00", "1.337,00",
            "13.37",
        ];
        let mut read_at_all = 0;
        for _ in 0..200_000 {
            let notation = draw.notation();
            let count = 1 + draw.below(6);
            let text: String = (0..count).map(|_| draw.of(&pieces)).collect();
            let mut all = std::collections::BTreeSet::new();
            all_readings(&notation, &text, (None, None, None), &mut all);
            let read = notation.read(&text, AmountUnit::Major, 2);
            let read = read.ok().map(|read| (read.minor, read.suffix.map_or(0, |suffix| 1 + suffix as u8)));
            if let Some(read) = read {
                // An exponent is plain JSON.
                assert!(text.contains('e') || all.contains(&read), "{text:?} {read:?} {all:?} {notation:?}");
                assert!(all.len() <= 1, "{text:?} {all:?} {notation:?}");
                read_at_all += 1;
            }
            // Without a declaration, the number is the same or there is none.
            if let (Some(plain), Some((minor, _))) = (self::read(&AmountNotation::PLAIN, &text), read) {
                assert!(plain == minor || notation.decimal == Some(','), "{text:?}");
            }
        }
        assert!(read_at_all > 10_000, "{read_at_all}");
    }
}
