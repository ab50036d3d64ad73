//! Names of months: English ones, and those that a columns file declares beside them.

/// The English names, short and whole.
const ENGLISH: [[&str; 3]; 12] = [
    ["jan", "january", ""],
    ["feb", "february", ""],
    ["mar", "march", ""],
    ["apr", "april", ""],
    ["may", "may", ""],
    ["jun", "june", ""],
    ["jul", "july", ""],
    ["aug", "august", ""],
    ["sep", "september", "sept"],
    ["oct", "october", ""],
    ["nov", "november", ""],
    ["dec", "december", ""],
];

/// The names by which months are read, in any case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MonthNames {
    /// Declared names in lower case, and their months.
    declared: Vec<(String, u32)>,
}

impl MonthNames {
    /// With the names of the twelve months in another language, each in one form or several. The error says what is
    /// wrong with them.
    pub(crate) fn declared(months: &[Vec<String>]) -> Result<MonthNames, String> {
        if months.len() != 12 {
            return Err(format!("months lists {} months; list all twelve, from January", months.len()));
        }
        let mut names = MonthNames::default();
        for (number, name) in (1..).zip(months).flat_map(|(number, names)| names.iter().map(move |name| (number, name)))
        {
            let lower = name.trim().trim_end_matches('.').to_lowercase();
            if lower.is_empty() || !lower.chars().all(char::is_alphabetic) {
                return Err(format!("months lists `{name}`; a name of a month has letters and nothing else"));
            }
            match names.month(&lower) {
                Some(known) if known != number => {
                    return Err(format!("months lists `{name}` as month {number}, but it also names month {known}"));
                }
                Some(_) => {}
                None => names.declared.push((lower, number)),
            }
        }
        Ok(names)
    }

    /// The month with exactly this name, in lower case.
    fn month(&self, lower: &str) -> Option<u32> {
        let english = ENGLISH.iter().position(|names| names.contains(&lower)).map(|at| at as u32 + 1);
        english.or_else(|| self.declared.iter().find(|(name, _)| name == lower).map(|(_, month)| *month))
    }

    /// The month that a text begins with, and the rest of the text. A point that shortens the name belongs to it.
    pub(crate) fn take<'t>(&self, text: &'t str) -> Option<(u32, &'t str)> {
        let end = text.find(|letter: char| !letter.is_alphabetic()).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        let month = match word.is_ascii() {
            true if self.declared.is_empty() => {
                let is_it = |names: &[&str; 3]| names.iter().any(|name| word.eq_ignore_ascii_case(name));
                ENGLISH.iter().position(|names| !word.is_empty() && is_it(names)).map(|at| at as u32 + 1)
            }
            _ if word.is_empty() => None,
            _ => self.month(&word.to_lowercase()),
        };
        Some((month?, rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(names: [&str; 12]) -> Vec<Vec<String>> {
        names.map(|names| names.split('|').map(str::to_owned).collect()).to_vec()
    }

    #[test]
    fn months_are_read_by_english_and_declared_names() {
        let spanish =
            list(["ene|enero", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep|set.", "oct", "nov", "dic"]);
        let spanish = MonthNames::declared(&spanish).expect("Spanish months");
        for (text, month) in [
            ("Jan-2026", Some((1, "-2026"))),
            ("MARCH 2026", Some((3, " 2026"))),
            ("sept. 2026", Some((9, ". 2026"))),
            ("Mai", None),
            ("2026", None),
            ("", None),
        ] {
            assert_eq!(MonthNames::default().take(text), month, "{text}");
            assert_eq!(spanish.take(text), month, "{text}");
        }
        assert_eq!(spanish.take("ENERO 5"), Some((1, " 5")));
        assert_eq!(spanish.take("Set 5"), Some((9, " 5")));
        let french = list(["janv", "févr", "mars", "avr", "mai", "juin", "juil", "août", "sept", "oct", "nov", "déc"]);
        assert_eq!(MonthNames::declared(&french).expect("French months").take("FÉVR."), Some((2, ".")));
    }

    #[test]
    fn months_that_are_not_twelve_names_are_refused() {
        let wrong = |months: &[Vec<String>]| MonthNames::declared(months).expect_err("wrong months");
        assert!(wrong(&list(["a"; 12])[..3]).contains("list all twelve"));
        assert!(wrong(&list(["a"; 12])).contains("`a` as month 2, but it also names month 1"));
        let mixed = ["jan", "feb", "mar", "apr", "jun", "may", "jul", "aug", "sep", "oct", "nov", "dec"];
        assert!(wrong(&list(mixed)).contains("`jun` as month 5, but it also names month 6"));
        let digits = ["1", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
        assert!(wrong(&list(digits)).contains("`1`; a name of a month has letters"));
    }
}
