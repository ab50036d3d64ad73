//! Exact money: currencies, and whole numbers of minor units. Decimal text becomes money digit by digit, never through
//! a float.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::base::text::group_thousands;

/// A currency of ISO 4217.
///
/// ```
/// use lendwright::base::money::Currency;
/// let naira = Currency::from_numeric("566").unwrap();
/// assert_eq!((naira.numeric(), naira.alphabetic(), naira.exponent()), ("566", "NGN", 2));
/// assert_eq!(Currency::from_numeric("999999"), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Currency(usize);

impl Currency {
    /// The currency with this three-digit numeric code.
    pub fn from_numeric(code: &str) -> Option<Currency> {
        CURRENCIES.binary_search_by(|entry| entry.0.cmp(code)).ok().map(Currency)
    }

    /// The currency with this three-letter code, in any case.
    pub fn from_alphabetic(code: &str) -> Option<Currency> {
        CURRENCIES.iter().position(|entry| entry.1.eq_ignore_ascii_case(code)).map(Currency)
    }

    /// The numeric code, such as `566`.
    pub fn numeric(&self) -> &'static str {
        self.entry().0
    }

    /// The three-letter code, such as `NGN`.
    pub fn alphabetic(&self) -> &'static str {
        self.entry().1
    }

    /// The number of decimals: 2 for the naira, 0 for the yen.
    pub fn exponent(&self) -> u32 {
        self.entry().2
    }

    fn entry(&self) -> &'static (&'static str, &'static str, u32) {
        CURRENCIES.get(self.0).expect("INVARIANT: the index was found in this table, which never changes")
    }
}

impl fmt::Debug for Currency {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.numeric(), self.alphabetic())
    }
}

impl Serialize for Currency {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.numeric())
    }
}

impl<'de> Deserialize<'de> for Currency {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let code = String::deserialize(from)?;
        Currency::from_numeric(&code).ok_or_else(|| serde::de::Error::custom(format!("unknown currency code `{code}`")))
    }
}

/// An exact amount: a whole number of minor units (kobo, cents).
///
/// ```
/// use lendwright::base::money::{Currency, Money};
/// let naira = Currency::from_numeric("566").unwrap();
/// assert_eq!(Money::from_minor(1_234_567).display(&naira).to_string(), "12,345.67");
/// assert_eq!(Money::from_minor(-5).display(&naira).to_string(), "-0.05");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Money(i64);

impl Money {
    /// An amount of this many minor units.
    pub const fn from_minor(minor: i64) -> Money {
        Money(minor)
    }

    /// The amount in minor units.
    pub const fn minor(self) -> i64 {
        self.0
    }

    /// The amount in major units, with the currency's decimals and separated thousands: for people, not for files.
    pub fn display(self, currency: &Currency) -> DisplayMoney {
        DisplayMoney { minor: self.0, exponent: currency.exponent() }
    }
}

/// An amount for people, made by [`Money::display`].
#[derive(Clone, Copy, Debug)]
pub struct DisplayMoney {
    minor: i64,
    exponent: u32,
}

impl fmt::Display for DisplayMoney {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scale = 10_u64.pow(self.exponent);
        let magnitude = self.minor.unsigned_abs();
        let sign = if self.minor < 0 { "-" } else { "" };
        let mut text = group_thousands(&format!("{sign}{}", magnitude / scale), ',');
        if self.exponent > 0 {
            text.push_str(&format!(".{:0width$}", magnitude % scale, width = self.exponent as usize));
        }
        out.pad(&text)
    }
}

/// The unit of the amounts in a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AmountUnit {
    /// Major units with decimals: `1250.50` is 1,250 naira 50 kobo.
    #[default]
    Major,
    /// Minor units: `125050` is 1,250 naira 50 kobo.
    Minor,
}

/// Why a text is not an exact amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AmountError {
    /// It is not a plain decimal number.
    #[error("is not a plain decimal number")]
    NotANumber,
    /// It is beyond what a signed 64-bit count of minor units holds.
    #[error("is too large for an exact amount")]
    TooLarge,
    /// It has digits below the currency's minor unit.
    #[error("has more decimals than the {allowed} that the amount may have")]
    TooPrecise {
        /// How many decimals are allowed.
        allowed: u32,
    },
}

/// Reads an amount exactly, digit by digit, in minor units. Accepts numbers of JSON and plain decimal text. An exponent
/// is allowed if the result is exact. No thousands separators, no plus sign, no spaces. Zeros after the currency's last
/// decimal are accepted.
///
/// ```
/// use lendwright::base::money::{AmountError, AmountUnit, parse_amount};
/// assert_eq!(parse_amount(b"100000000000000.01", AmountUnit::Major, 2), Ok(10_000_000_000_000_001));
/// assert_eq!(parse_amount(b"10.500", AmountUnit::Major, 2), Ok(1_050));
/// assert_eq!(parse_amount(b"1.5e3", AmountUnit::Major, 2), Ok(150_000));
/// assert_eq!(parse_amount(b"125050", AmountUnit::Minor, 2), Ok(125_050));
/// assert_eq!(parse_amount(b"0.001", AmountUnit::Major, 2), Err(AmountError::TooPrecise { allowed: 2 }));
/// assert_eq!(parse_amount(b"1e400", AmountUnit::Major, 2), Err(AmountError::TooLarge));
/// assert_eq!(parse_amount(b"1,000.00", AmountUnit::Major, 2), Err(AmountError::NotANumber));
/// ```
#[doc(hidden)]
pub fn parse_amount(text: &[u8], unit: AmountUnit, exponent: u32) -> Result<i64, AmountError> {
    let decimals = match unit {
        AmountUnit::Major => exponent,
        AmountUnit::Minor => 0,
    };
    match short_amount(text, decimals) {
        Some(minor) => Ok(minor),
        None => any_amount(text, decimals),
    }
}

/// An amount as text that [`parse_amount`] reads back: minor units as they are, major units with all decimals of the
/// currency.
///
/// ```
/// use lendwright::base::money::{AmountUnit, amount_digits};
/// assert_eq!(amount_digits(125_050, AmountUnit::Major, 2), "1250.50");
/// assert_eq!(amount_digits(125_050, AmountUnit::Minor, 2), "125050");
/// assert_eq!(amount_digits(-5, AmountUnit::Major, 2), "-0.05");
/// assert_eq!(amount_digits(1_000, AmountUnit::Major, 0), "1000");
/// ```
#[doc(hidden)]
pub fn amount_digits(minor: i64, unit: AmountUnit, exponent: u32) -> String {
    if unit == AmountUnit::Minor || exponent == 0 {
        return minor.to_string();
    }
    let (sign, magnitude) = (if minor < 0 { "-" } else { "" }, minor.unsigned_abs());
    let scale = 10_u64.pow(exponent);
    format!("{sign}{}.{:0width$}", magnitude / scale, magnitude % scale, width = exponent as usize)
}

/// The common case, in one pass: at most 17 digits, or 16 and a point, no exponent, no more decimals than allowed.
fn short_amount(text: &[u8], decimals: u32) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    if digits.len() > 17 || !digits.first()?.is_ascii_digit() {
        return None;
    }
    let mut value = 0_i64;
    let mut point = None;
    for (at, &byte) in digits.iter().enumerate() {
        if byte == b'.' && point.is_none() {
            point = Some(at);
            continue;
        }
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + i64::from(digit);
    }
    let fraction = match point {
        Some(at) => digits.len() - at - 1,
        None => 0,
    };
    if point.is_some() && fraction == 0 {
        return None;
    }
    let missing = decimals.checked_sub(fraction as u32)?;
    let scaled = value.checked_mul(10_i64.checked_pow(missing)?)?;
    Some(if negative { -scaled } else { scaled })
}

fn any_amount(text: &[u8], decimals: u32) -> Result<i64, AmountError> {
    let (negative, rest) = match text {
        [b'-', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let (whole, rest) = leading_digits(rest);
    let (fraction, rest) = match rest {
        [b'.', after @ ..] => {
            let (fraction, rest) = leading_digits(after);
            if fraction.is_empty() {
                return Err(AmountError::NotANumber);
            }
            (fraction, rest)
        }
        rest => (&[][..], rest),
    };
    if whole.is_empty() {
        return Err(AmountError::NotANumber);
    }
    let power = read_power(rest)?;
    let mut digits: Vec<u8> = whole.iter().chain(fraction).map(|byte| byte - b'0').collect();
    let mut shift = power.saturating_sub(fraction.len() as i64).saturating_add(i64::from(decimals));
    while digits.last() == Some(&0) {
        digits.pop();
        shift = shift.saturating_add(1);
    }
    if digits.is_empty() {
        return Ok(0);
    }
    if shift < 0 {
        return Err(AmountError::TooPrecise { allowed: decimals });
    }
    let significant = digits.iter().skip_while(|digit| **digit == 0);
    let mut value = 0_i64;
    for digit in significant {
        value = value.checked_mul(10).and_then(|v| v.checked_add(i64::from(*digit))).ok_or(AmountError::TooLarge)?;
    }
    let scale = u32::try_from(shift).ok().and_then(|shift| 10_i64.checked_pow(shift)).ok_or(AmountError::TooLarge)?;
    let value = value.checked_mul(scale).ok_or(AmountError::TooLarge)?;
    Ok(if negative { -value } else { value })
}

fn leading_digits(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    text.split_at(end)
}

/// The power of ten after `e` or `E`. One that overflows is clamped, which counts as infinite.
fn read_power(text: &[u8]) -> Result<i64, AmountError> {
    let rest = match text {
        [] => return Ok(0),
        [b'e' | b'E', rest @ ..] => rest,
        _ => return Err(AmountError::NotANumber),
    };
    let (negative, digits) = match rest {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(AmountError::NotANumber);
    }
    let power = digits
        .iter()
        .fold(0_i64, |power, byte| power.saturating_mul(10).saturating_add(i64::from(byte - b'0')))
        .min(i64::MAX / 4);
    Ok(if negative { -power } else { power })
}

/// ISO 4217: numeric code, letters, decimals; sorted by numeric code. Codes without decimals (metals, test codes) are
/// omitted.
#[rustfmt::skip]
const CURRENCIES: &[(&str, &str, u32)] = &[
    ("008", "ALL", 2), ("012", "DZD", 2), ("032", "ARS", 2), ("036", "AUD", 2), ("044", "BSD", 2), ("048", "BHD", 3),
    ("050", "BDT", 2), ("051", "AMD", 2), ("052", "BBD", 2), ("060", "BMD", 2), ("064", "BTN", 2), ("068", "BOB", 2),
    ("072", "BWP", 2), ("084", "BZD", 2), ("090", "SBD", 2), ("096", "BND", 2), ("104", "MMK", 2), ("108", "BIF", 0),
    ("116", "KHR", 2), ("124", "CAD", 2), ("132", "CVE", 2), ("136", "KYD", 2), ("144", "LKR", 2), ("152", "CLP", 0),
    ("156", "CNY", 2), ("170", "COP", 2), ("174", "KMF", 0), ("188", "CRC", 2), ("191", "HRK", 2), ("192", "CUP", 2),
    ("203", "CZK", 2), ("208", "DKK", 2), ("214", "DOP", 2), ("222", "SVC", 2), ("230", "ETB", 2), ("232", "ERN", 2),
    ("238", "FKP", 2), ("242", "FJD", 2), ("262", "DJF", 0), ("270", "GMD", 2), ("292", "GIP", 2), ("320", "GTQ", 2),
    ("324", "GNF", 0), ("328", "GYD", 2), ("332", "HTG", 2), ("340", "HNL", 2), ("344", "HKD", 2), ("348", "HUF", 2),
    ("352", "ISK", 0), ("356", "INR", 2), ("360", "IDR", 2), ("364", "IRR", 2), ("368", "IQD", 3), ("376", "ILS", 2),
    ("388", "JMD", 2), ("392", "JPY", 0), ("396", "XAD", 2), ("398", "KZT", 2), ("400", "JOD", 3), ("404", "KES", 2),
    ("408", "KPW", 2), ("410", "KRW", 0), ("414", "KWD", 3), ("417", "KGS", 2), ("418", "LAK", 2), ("422", "LBP", 2),
    ("426", "LSL", 2), ("430", "LRD", 2), ("434", "LYD", 3), ("446", "MOP", 2), ("454", "MWK", 2), ("458", "MYR", 2),
    ("462", "MVR", 2), ("480", "MUR", 2), ("484", "MXN", 2), ("496", "MNT", 2), ("498", "MDL", 2), ("504", "MAD", 2),
    ("512", "OMR", 3), ("516", "NAD", 2), ("524", "NPR", 2), ("532", "XCG", 2), ("533", "AWG", 2), ("548", "VUV", 0),
    ("554", "NZD", 2), ("558", "NIO", 2), ("566", "NGN", 2), ("578", "NOK", 2), ("586", "PKR", 2), ("590", "PAB", 2),
    ("598", "PGK", 2), ("600", "PYG", 0), ("604", "PEN", 2), ("608", "PHP", 2), ("634", "QAR", 2), ("643", "RUB", 2),
    ("646", "RWF", 0), ("654", "SHP", 2), ("682", "SAR", 2), ("690", "SCR", 2), ("694", "SLL", 2), ("702", "SGD", 2),
    ("704", "VND", 0), ("706", "SOS", 2), ("710", "ZAR", 2), ("728", "SSP", 2), ("748", "SZL", 2), ("752", "SEK", 2),
    ("756", "CHF", 2), ("760", "SYP", 2), ("764", "THB", 2), ("776", "TOP", 2), ("780", "TTD", 2), ("784", "AED", 2),
    ("788", "TND", 3), ("800", "UGX", 0), ("807", "MKD", 2), ("818", "EGP", 2), ("826", "GBP", 2), ("834", "TZS", 2),
    ("840", "USD", 2), ("858", "UYU", 2), ("860", "UZS", 2), ("882", "WST", 2), ("886", "YER", 2), ("901", "TWD", 2),
    ("924", "ZWG", 2), ("925", "SLE", 2), ("926", "VED", 2), ("927", "UYW", 4), ("928", "VES", 2), ("929", "MRU", 2),
    ("930", "STN", 2), ("931", "CUC", 2), ("932", "ZWL", 2), ("933", "BYN", 2), ("934", "TMT", 2), ("936", "GHS", 2),
    ("938", "SDG", 2), ("940", "UYI", 0), ("941", "RSD", 2), ("943", "MZN", 2), ("944", "AZN", 2), ("946", "RON", 2),
    ("947", "CHE", 2), ("948", "CHW", 2), ("949", "TRY", 2), ("950", "XAF", 0), ("951", "XCD", 2), ("952", "XOF", 0),
    ("953", "XPF", 0), ("967", "ZMW", 2), ("968", "SRD", 2), ("969", "MGA", 2), ("970", "COU", 2), ("971", "AFN", 2),
    ("972", "TJS", 2), ("973", "AOA", 2), ("975", "BGN", 2), ("976", "CDF", 2), ("977", "BAM", 2), ("978", "EUR", 2),
    ("979", "MXV", 2), ("980", "UAH", 2), ("981", "GEL", 2), ("984", "BOV", 2), ("985", "PLN", 2), ("986", "BRL", 2),
    ("990", "CLF", 4), ("997", "USN", 2),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_has_no_code_twice() {
        assert!(CURRENCIES.windows(2).all(|pair| pair[0].0 < pair[1].0));
        let mut letters: Vec<_> = CURRENCIES.iter().map(|entry| entry.1).collect();
        letters.sort_unstable();
        letters.dedup();
        assert_eq!(letters.len(), CURRENCIES.len());
    }

    #[test]
    fn the_short_path_agrees_with_the_general_one() {
        for text in [
            "0",
            "-0",
            "0.00",
            "7",
            "-7.5",
            "007.50",
            "12345678901234567",
            "1.",
            ".5",
            "",
            "-",
            "1.2.3",
            "1.234",
            "99999999999999.99",
        ] {
            if let Some(short) = short_amount(text.as_bytes(), 2) {
                assert_eq!(any_amount(text.as_bytes(), 2), Ok(short), "{text}");
            }
        }
    }
}
