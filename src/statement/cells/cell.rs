//! One cell of a table of any format, and what it can be read as.

use std::fmt::Write;

use crate::base::date::{Day, Zone};
use crate::base::money::{AmountError, AmountUnit, parse_amount};
use crate::statement::base::error::show_source_text;
use crate::statement::cells::date_pattern::Pattern;
use crate::statement::cells::date_resolution::WrittenDate;
use crate::statement::cells::identity::is_missing;

/// A cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cell<'c> {
    Null,
    Text(&'c str),
    Whole(i128),
    /// `digits` divided by 10 to the power of `scale`.
    Decimal {
        digits: i128,
        scale: u32,
    },
    Float(f64),
    /// A 32-bit float. Its shortest form differs from that of the same number in 64 bits.
    Single(f32),
    /// Days since 1970-01-01.
    Day(i32),
    /// Seconds since 1970-01-01, in UTC or in local time, and the milliseconds after them.
    Moment {
        seconds: i64,
        milliseconds: u32,
        utc: bool,
    },
}

impl<'c> Cell<'c> {
    /// A plain decimal number by its digits: `-13.37`. As text if it is no such number, or too long for one.
    pub(crate) fn from_digits(digits: &'c str) -> Cell<'c> {
        if let Ok(whole) = digits.parse() {
            return Cell::Whole(whole);
        }
        let split = digits.split_once('.').filter(|(_, decimals)| !decimals.is_empty());
        let decimal = split.and_then(|(whole, decimals)| {
            let is_plain = decimals.bytes().all(|byte| byte.is_ascii_digit());
            let digits = format!("{whole}{decimals}").parse().ok().filter(|_| is_plain)?;
            Some(Cell::Decimal { digits, scale: u32::try_from(decimals.len()).ok()? })
        });
        decimal.unwrap_or(Cell::Text(digits))
    }
}

impl Cell<'_> {
    /// Whether the cell is null, and whether it is a placeholder that the caller counts. Empty text is null; `N/A` and
    /// blanks are placeholders.
    pub(crate) fn missing(&self) -> Option<bool> {
        match self {
            Cell::Null => Some(false),
            Cell::Text("") => Some(false),
            Cell::Text(text) if text.bytes().all(|byte| byte == b' ') || text.eq_ignore_ascii_case("n/a") => Some(true),
            _ => None,
        }
    }

    /// Like [`Cell::missing`], for free text, where `NULL`, `nan` and the like are placeholders too.
    pub(crate) fn missing_text(&self) -> Option<bool> {
        match self {
            Cell::Text(text) if is_missing(text) => Some(true),
            cell => cell.missing(),
        }
    }

    /// The amount in minor units, from its digits. A float counts by the digits of its shortest form.
    pub(crate) fn amount(&self, unit: AmountUnit, exponent: u32) -> Result<i64, AmountError> {
        if let Cell::Text(plain) = self {
            return parse_amount(plain.as_bytes(), unit, exponent);
        }
        if let Some(minor) = self.exact_minor(if unit == AmountUnit::Major { exponent } else { 0 }) {
            return Ok(minor);
        }
        let mut text = String::new();
        let written = match self {
            Cell::Whole(number) => write!(text, "{number}"),
            Cell::Decimal { digits, scale } => write!(text, "{digits}e-{scale}"),
            Cell::Float(number) => write!(text, "{number}"),
            // The decimals of a 32-bit float are not those that were written.
            Cell::Text(_) | Cell::Single(_) | Cell::Null | Cell::Day(_) | Cell::Moment { .. } => {
                return Err(AmountError::NotANumber);
            }
        };
        written.map_err(|_| AmountError::NotANumber)?;
        parse_amount(text.as_bytes(), unit, exponent)
    }

    /// The amount without writing its digits, where the result is certain to be the same.
    ///
    /// Two different decimals of up to 15 digits are never the same float, so such a decimal is the float's shortest
    /// form.
    fn exact_minor(&self, decimals: u32) -> Option<i64> {
        const SURE: u128 = 1_000_000_000_000_000;
        let scale = 10_i64.pow(decimals.min(6));
        let is_sure = |number: i128| decimals <= 6 && number.unsigned_abs() < SURE;
        match self {
            Cell::Whole(number) if is_sure(*number) => i64::try_from(number * i128::from(scale)).ok(),
            Cell::Decimal { digits, scale } if is_sure(*digits) => {
                i64::try_from(digits * 10_i128.pow(decimals.checked_sub(*scale)?)).ok()
            }
            Cell::Float(number) if decimals <= 6 => {
                let scale = scale as f64;
                // Rounded by hand, because not every processor has an instruction for it.
                let minor = (number * scale + 0.5_f64.copysign(*number)) as i64;
                let rounded = minor as f64;
                let is_it = rounded.abs() < SURE as f64 && rounded / scale == *number;
                is_it.then_some(minor)
            }
            _ => None,
        }
    }

    /// The cell as a whole number, however it is stored. A float beyond 2^53 (2^24 for 32 bits) is none, because not
    /// every whole number there has its own float.
    pub(crate) fn whole(&self) -> Option<i128> {
        const DOUBLES: f64 = 9_007_199_254_740_992.0;
        const SINGLES: f32 = 16_777_216.0;
        match self {
            Cell::Whole(number) => Some(*number),
            Cell::Decimal { digits, scale } => {
                let one = 10_i128.checked_pow(*scale)?;
                (digits % one == 0).then_some(digits / one)
            }
            Cell::Float(number) => (number.fract() == 0.0 && number.abs() < DOUBLES).then_some(*number as i128),
            Cell::Single(number) => (number.fract() == 0.0 && number.abs() < SINGLES).then_some(*number as i128),
            Cell::Null | Cell::Text(_) | Cell::Day(_) | Cell::Moment { .. } => None,
        }
    }

    /// Writes the cell as text. False if that could lose digits.
    pub(crate) fn write_text(&self, into: &mut String) -> bool {
        match self {
            Cell::Null => true,
            Cell::Text(text) => {
                into.push_str(text);
                true
            }
            Cell::Decimal { digits, scale } if self.whole().is_none() => {
                into.push_str(&format_scaled_decimal(*digits, *scale));
                true
            }
            number => number.whole().is_some_and(|number| write!(into, "{number}").is_ok()),
        }
    }

    /// The cell as an error message shows it.
    pub(crate) fn display(&self) -> String {
        match self {
            Cell::Null => "null".to_owned(),
            Cell::Text(text) => show_source_text(text),
            Cell::Whole(number) => number.to_string(),
            Cell::Decimal { digits, scale } => format_scaled_decimal(*digits, *scale),
            Cell::Float(number) => number.to_string(),
            Cell::Single(number) => number.to_string(),
            Cell::Day(days) => format_day_number(i64::from(*days)),
            Cell::Moment { seconds, utc, .. } => {
                let second = seconds.rem_euclid(86_400);
                let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
                let zone = if *utc { "Z" } else { "" };
                format!("{}T{hour:02}:{minute:02}:{second:02}{zone}", format_day_number(seconds.div_euclid(86_400)))
            }
        }
    }

    /// The cell as a date, by the declared pattern or as ISO 8601.
    pub(crate) fn date(&self, pattern: Option<&Pattern>, zone: &Zone) -> Option<WrittenDate> {
        let written = |(day, second)| WrittenDate::plain(day, second);
        match (self, pattern) {
            // Blanks around a day do not count, as in a pattern.
            (Cell::Text(text), None) => WrittenDate::iso(text.trim(), zone),
            (Cell::Text(text), Some(pattern)) => pattern.read(text).map(written),
            (Cell::Day(days), _) => Day::checked_from_days(*days).map(|day| WrittenDate::plain(day, 0)),
            (Cell::Moment { seconds, utc, .. }, pattern) => {
                let days = i32::try_from(seconds.div_euclid(86_400)).ok()?;
                let plain = WrittenDate::plain(Day::checked_from_days(days)?, seconds.rem_euclid(86_400));
                if !utc || pattern.is_some_and(Pattern::is_day_as_written) {
                    return Some(plain);
                }
                let (local, local_second) = zone.local_day_and_second(*seconds);
                Some(WrittenDate { local, local_second, ..plain })
            }
            (Cell::Whole(_) | Cell::Decimal { .. } | Cell::Float(_) | Cell::Single(_), Some(pattern)) => {
                match self.whole() {
                    Some(number) => pattern.read_number(number).map(written),
                    // The time of a serial day. 32 bits have too few digits for it.
                    None if matches!(self, Cell::Single(_)) || !pattern.reads_fractions() => None,
                    None => pattern.read(&self.display()).map(written),
                }
            }
            (Cell::Whole(_) | Cell::Decimal { .. } | Cell::Float(_) | Cell::Single(_), None) | (Cell::Null, _) => None,
        }
    }

    /// What was expected of a date.
    pub(crate) fn wanted_date(pattern: Option<&Pattern>) -> String {
        match pattern {
            Some(pattern) => {
                let pattern = show_source_text(pattern.text());
                format!("is not a day from 1900 to 2200 in the pattern `{pattern}`, which [dates] declares")
            }
            None => "is not an ISO 8601 date from 1900 to 2200, such as 2026-06-30 or 2026-06-30T00:00:00.000Z; \
                a table in another pattern declares it under [dates] of a columns file"
                .to_owned(),
        }
    }
}

/// A decimal with a decimal point.
pub(crate) fn format_scaled_decimal(digits: i128, scale: u32) -> String {
    let (sign, digits) = (if digits < 0 { "-" } else { "" }, digits.unsigned_abs().to_string());
    let scale = scale as usize;
    let digits = format!("{digits:0>width$}", width = scale + 1);
    let (whole, decimals) = digits.split_at(digits.len() - scale);
    if decimals.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{decimals}") }
}

/// A day as an ISO date, or by its number if it is out of the calendar's range.
fn format_day_number(days: i64) -> String {
    let day = i32::try_from(days).ok().and_then(Day::checked_from_days);
    day.map_or_else(|| format!("day {days}"), |day| day.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The amount from the written digits.
    fn written(cell: &Cell<'_>, unit: AmountUnit, exponent: u32) -> Result<i64, AmountError> {
        let text = match cell {
            Cell::Float(number) => number.to_string(),
            Cell::Decimal { digits, scale } => format!("{digits}e-{scale}"),
            cell => cell.display(),
        };
        parse_amount(text.as_bytes(), unit, exponent)
    }

    #[test]
    fn an_amount_is_that_of_its_digits() {
        let mut state = 0x2545_F491_4F6C_DD1D_u64;
        let mut draw = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        for digits in [i128::MIN, i128::MIN + 1, i128::MAX, -1_000_000_000_000_000, 1_000_000_000_000_000] {
            for cell in [Cell::Whole(digits), Cell::Decimal { digits, scale: 0 }, Cell::Decimal { digits, scale: 2 }] {
                assert_eq!(cell.amount(AmountUnit::Major, 2), written(&cell, AmountUnit::Major, 2), "{cell:?}");
            }
        }
        let mut sure = 0;
        for round in 0..200_000 {
            let whole = (draw() as i64) >> (draw() % 64);
            let float = match round % 5 {
                0 => whole as f64 / 100.0,
                1 => (whole as f64 / 100.0).next_up(),
                2 => f64::from_bits(draw()),
                3 => whole as f64 / 1000.0,
                _ => (draw() % 2_000_000) as f64 / 100.0 - 10_000.0,
            };
            let digits = i128::from(whole) * [1, 1_000][round % 2];
            let cells = [Cell::Float(float), Cell::Whole(digits), Cell::Decimal { digits, scale: (round % 7) as u32 }];
            for cell in cells {
                for (unit, exponent) in [(AmountUnit::Major, 2), (AmountUnit::Minor, 2), (AmountUnit::Major, 0)] {
                    assert_eq!(cell.amount(unit, exponent), written(&cell, unit, exponent), "{cell:?} {unit:?}");
                    sure += usize::from(cell.exact_minor(exponent).is_some());
                }
            }
        }
        assert!(sure > 300_000, "{sure}");
    }
}
