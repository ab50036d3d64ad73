//! How amounts are written in a text: decimal commas, thousands marks, forms of a minus, marks and suffixes, as
//! `[amount]` of a columns file declares them. Must not know columns.

use serde::Deserialize;

use crate::base::money::{AmountError, AmountUnit, parse_amount};

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
    pub(crate) fn read(&self, text: &str, unit: AmountUnit, exponent: u32) -> Result<WrittenAmount, AmountError> {
        match self.read_common(text.as_bytes(), if unit == AmountUnit::Major { exponent } else { 0 }) {
            Some(minor) => Ok(WrittenAmount { minor, suffix: None }),
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

    fn read_any(&self, text: &str, unit: AmountUnit, exponent: u32) -> Result<WrittenAmount, AmountError> {
        let mut rest = text.trim_matches(is_space);
        if self.decimal_mark() == '.' {
            // A plain number may have an exponent. Programs write one with a plus where they drop the last digits.
            if has_lossy_exponent(rest) {
                return Err(AmountError::NotANumber);
            }
            match parse_amount(rest.as_bytes(), unit, exponent) {
                Err(AmountError::NotANumber) => {}
                plain => return plain.map(|minor| WrittenAmount { minor, suffix: None }),
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
        Ok(WrittenAmount { minor, suffix })
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
pub(crate) struct WrittenAmount {
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

/// Whether a number has an exponent with a plus, as in `1.23457e+06`: so write programs that keep six digits or three.
pub(crate) fn has_lossy_exponent(text: &str) -> bool {
    let split = text.split_once(['e', 'E']).and_then(|(digits, power)| Some((digits, power.strip_prefix('+')?)));
    split.is_some_and(|(digits, power)| {
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let digits = digits.trim_start_matches('-');
        !digits.is_empty() && !power.is_empty() && is_number(digits) && is_number(power)
    })
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
mod tests;
