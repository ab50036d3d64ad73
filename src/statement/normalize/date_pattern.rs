//! Declared date patterns, such as `YYMMDD`. One pattern reads all dates of a column; nothing is guessed row by row.
//! Must not know where the pattern was declared.

use crate::words::date::{Day, two};

/// A pattern of `YYYY` or `YY`, `MM` and `DD`, with other characters standing for themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    /// The pattern as declared.
    text: String,
    parts: Vec<Part>,
    digits: Option<usize>,
    century: Century,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Year4,
    Year2,
    Month,
    Day,
    Same(u8),
}

/// The century of years that are written with two digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Century {
    /// No century was declared, so two digits are not enough.
    #[default]
    Undeclared,
    /// Every year is of this century, such as 1900.
    Fixed(i32),
    /// Years from this one on are 19xx, the others 20xx.
    Pivot(i32),
}

impl Pattern {
    /// Parses a pattern. The error says what is wrong with it.
    pub(crate) fn parse(text: &str, century: Century) -> Result<Pattern, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let known = [("YYYY", Part::Year4), ("YY", Part::Year2), ("MM", Part::Month), ("DD", Part::Day)];
            let (part, length) = match known.iter().find(|(name, _)| rest.starts_with(name)) {
                Some((name, part)) => (*part, name.len()),
                None if first.is_ascii_alphanumeric() || !first.is_ascii() => {
                    return Err(format!(
                        "date pattern `{text}` has `{first}`; it is made of YYYY or YY, MM, DD and separators"
                    ));
                }
                None => (Part::Same(first as u8), 1),
            };
            parts.push(part);
            rest = rest.get(length..).unwrap_or_default();
        }
        let count = |wanted: &[Part]| parts.iter().filter(|part| wanted.contains(part)).count();
        if count(&[Part::Year4, Part::Year2]) != 1 || count(&[Part::Month]) != 1 || count(&[Part::Day]) != 1 {
            return Err(format!(
                "date pattern `{text}` needs a year (YYYY or YY), a month (MM) and a day (DD), each once"
            ));
        }
        if count(&[Part::Year2]) == 1 && century == Century::Undeclared {
            return Err(format!(
                "date pattern `{text}` has years of two digits; declare `century = 1900` or `pivot = 70` beside it"
            ));
        }
        let only_digits = !parts.iter().any(|part| matches!(part, Part::Same(_)));
        let digits = only_digits.then_some(if count(&[Part::Year4]) == 1 { 8 } else { 6 });
        Ok(Pattern { text: text.to_owned(), parts, digits, century })
    }

    /// The pattern as declared.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The day that a text names.
    pub(crate) fn read(&self, text: &str) -> Option<Day> {
        let mut rest = text.as_bytes();
        let (mut year, mut month, mut day) = (0, 0, 0);
        for part in &self.parts {
            rest = match (part, rest) {
                (Part::Year4, [a, b, c, d, rest @ ..]) => {
                    year = two(*a, *b)? as i32 * 100 + two(*c, *d)? as i32;
                    rest
                }
                (Part::Year2, [a, b, rest @ ..]) => {
                    year = self.century.year(two(*a, *b)? as i32)?;
                    rest
                }
                (Part::Month, [a, b, rest @ ..]) => {
                    month = two(*a, *b)?;
                    rest
                }
                (Part::Day, [a, b, rest @ ..]) => {
                    day = two(*a, *b)?;
                    rest
                }
                (Part::Same(same), [first, rest @ ..]) if first == same => rest,
                _ => return None,
            };
        }
        if rest.is_empty() { Day::from_ymd(year, month, day) } else { None }
    }

    /// The day of a whole number after restoring leading zeros: 102 is 000102 under `YYMMDD`.
    pub(crate) fn read_number(&self, number: i128) -> Option<Day> {
        let width = self.digits?;
        if number < 0 { None } else { self.read(&format!("{number:0width$}")) }
    }
}

impl Century {
    fn year(self, two_digits: i32) -> Option<i32> {
        match self {
            Century::Undeclared => None,
            Century::Fixed(century) => Some(century + two_digits),
            Century::Pivot(pivot) => Some(if two_digits >= pivot { 1900 + two_digits } else { 2000 + two_digits }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_reads_what_it_says_and_nothing_else() {
        let day = |pattern: &str, text: &str| {
            Pattern::parse(pattern, Century::Pivot(70)).ok()?.read(text).map(|day| day.to_string())
        };
        assert_eq!(day("YYMMDD", "930105").as_deref(), Some("1993-01-05"));
        assert_eq!(day("YYMMDD", "000105").as_deref(), Some("2000-01-05"));
        assert_eq!(day("DD/MM/YYYY", "05/03/2024").as_deref(), Some("2024-03-05"));
        assert_eq!(day("DD/MM/YYYY", "05-03-2024"), None);
        assert_eq!(day("YYYYMMDD", "20240230"), None);
        assert_eq!(day("YYYYMMDD", "202402281"), None);
        let berka = Pattern::parse("YYMMDD", Century::Fixed(1900)).expect("a pattern");
        assert_eq!(berka.read_number(102), Day::from_ymd(1900, 1, 2));
        assert_eq!(berka.read_number(-930_101), None);
    }

    #[test]
    fn a_wrong_pattern_is_explained() {
        let wrong = |pattern: &str| Pattern::parse(pattern, Century::Undeclared).expect_err("no pattern");
        assert_eq!(
            wrong("YYMMDD"),
            "date pattern `YYMMDD` has years of two digits; declare `century = 1900` or `pivot = 70` beside it"
        );
        assert_eq!(
            wrong("MM-DD"),
            "date pattern `MM-DD` needs a year (YYYY or YY), a month (MM) and a day (DD), each once"
        );
        assert_eq!(
            wrong("D-M-YYYY"),
            "date pattern `D-M-YYYY` has `D`; it is made of YYYY or YY, MM, DD and separators"
        );
    }
}
