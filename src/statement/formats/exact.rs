//! An amount as an exact decimal number, for sums that must hold to the last digit.

use std::fmt;

/// The most decimals that are kept, and the most digits before them. A sum of all entries of a file fits beside them.
const DECIMALS: usize = 10;
const WHOLE_DIGITS: usize = 15;

/// A decimal number, counted in units of the last decimal that is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Exact(i128);

impl Exact {
    /// Reads digits without a sign, with at most one `mark` before the decimals: `12,50`, `5,`, `,5`.
    pub(crate) fn read(text: &str, mark: char) -> Option<Exact> {
        let (whole, decimals) = text.split_once(mark).unwrap_or((text, ""));
        let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.len() + decimals.len() == 0 || !all_digits(whole) || !all_digits(decimals) {
            return None;
        }
        let (whole, decimals) = (whole.trim_start_matches('0'), decimals.trim_end_matches('0'));
        if whole.len() > WHOLE_DIGITS || decimals.len() > DECIMALS {
            return None;
        }
        format!("0{whole}{decimals:0<DECIMALS$}").parse().ok().map(Exact)
    }

    pub(crate) fn plus(self, other: Exact) -> Exact {
        Exact(self.0.saturating_add(other.0))
    }

    pub(crate) fn negated(self) -> Exact {
        Exact(self.0.saturating_neg())
    }

    pub(crate) fn is_negative(self) -> bool {
        self.0 < 0
    }

    pub(crate) fn absolute(self) -> Exact {
        Exact(self.0.saturating_abs())
    }
}

/// Plain digits with a point, and no more decimals than needed: `-12.5`.
impl fmt::Display for Exact {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one = 10_u128.pow(DECIMALS as u32);
        let (whole, rest) = (self.0.unsigned_abs() / one, self.0.unsigned_abs() % one);
        let sign = if self.is_negative() { "-" } else { "" };
        write!(out, "{sign}{whole}")?;
        if rest == 0 {
            return Ok(());
        }
        write!(out, ".{}", format!("{rest:0DECIMALS$}").trim_end_matches('0'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_read_to_the_last_one_and_nothing_else_is() {
        let read = |text: &str| Exact::read(text, ',').map(|exact| exact.to_string());
        for (text, digits) in [
            ("12,50", "12.5"),
            ("5,", "5"),
            (",5", "0.5"),
            ("000000000147,64", "147.64"),
            ("0000000000000000,00", "0"),
            ("999999999999999,0000000001", "999999999999999.0000000001"),
        ] {
            assert_eq!(read(text).as_deref(), Some(digits), "{text}");
        }
        for text in ["", ",", "1.5", "-1", "+1", "1,2,3", "1 000,00", "1000000000000000,", "0,12345678901", "٣"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn sums_are_exact() {
        let read = |text: &str| Exact::read(text, '.').expect("digits");
        let tenth = read("0.1");
        assert_eq!(tenth.plus(tenth).plus(tenth), read("0.3"));
        assert_eq!(read("1").plus(read("2.05").negated()).to_string(), "-1.05");
        assert_eq!(read("2").negated().absolute(), read("2"));
    }
}
