//! One cell of a table, whatever the format, and what it can be read as. Must not know columns.

use std::fmt::Write;

use crate::statement::error::show;
use crate::statement::pattern::Pattern;
use crate::statement::when::Said;
use crate::words::date::{Day, Zone};
use crate::words::money::{AmountError, AmountUnit, parse_amount};

/// A cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cell<'c> {
    Null,
    Text(&'c str),
    Whole(i128),
    /// A count of units of a tenth to the power of `scale`.
    Decimal {
        digits: i128,
        scale: u32,
    },
    Float(f64),
    /// A float of 32 bits: its shortest form is not that of the same number in 64 bits.
    Single(f32),
    /// Days since 1970-01-01.
    Day(i32),
    /// Seconds since 1970-01-01, by UTC or by the clock on the wall, and the milliseconds after.
    Moment {
        seconds: i64,
        milliseconds: u32,
        utc: bool,
    },
}

impl Cell<'_> {
    /// Empty text is null; `N/A` and blanks are too, which the caller counts.
    pub(crate) fn says_nothing(&self) -> Option<bool> {
        match self {
            Cell::Null => Some(false),
            Cell::Text("") => Some(false),
            Cell::Text(text) if text.bytes().all(|byte| byte == b' ') || text.eq_ignore_ascii_case("n/a") => Some(true),
            _ => None,
        }
    }

    /// The amount in minor units, by its digits: a float by the digits of its shortest form.
    pub(crate) fn amount(&self, unit: AmountUnit, exponent: u32) -> Result<i64, AmountError> {
        let mut text = String::new();
        let written = match self {
            Cell::Text(plain) => return parse_amount(plain.as_bytes(), unit, exponent),
            Cell::Whole(number) => write!(text, "{number}"),
            Cell::Decimal { digits, scale } => write!(text, "{digits}e-{scale}"),
            Cell::Float(number) => write!(text, "{number}"),
            Cell::Single(number) => write!(text, "{number}"),
            Cell::Null | Cell::Day(_) | Cell::Moment { .. } => return Err(AmountError::NotANumber),
        };
        written.map_err(|_| AmountError::NotANumber)?;
        parse_amount(text.as_bytes(), unit, exponent)
    }

    /// Writes the cell as text; nothing that loses digits is text.
    pub(crate) fn write_text(&self, into: &mut String) -> bool {
        match self {
            Cell::Null => true,
            Cell::Text(text) => {
                into.push_str(text);
                true
            }
            Cell::Whole(number) => write!(into, "{number}").is_ok(),
            _ => false,
        }
    }

    /// The cell as an error message shows it.
    pub(crate) fn shown(&self) -> String {
        match self {
            Cell::Null => "null".to_owned(),
            Cell::Text(text) => show(text),
            Cell::Whole(number) => number.to_string(),
            Cell::Decimal { digits, scale } => format!("{digits}e-{scale}"),
            Cell::Float(number) => number.to_string(),
            Cell::Single(number) => number.to_string(),
            Cell::Day(days) => format!("day {days}"),
            Cell::Moment { seconds, .. } => format!("moment {seconds}"),
        }
    }

    /// What the cell says of a moment, by the declared pattern or as ISO 8601.
    pub(crate) fn said(&self, pattern: Option<&Pattern>, zone: &Zone) -> Option<Said> {
        match (self, pattern) {
            (Cell::Text(text), None) => Said::iso(text, zone),
            (Cell::Text(text), Some(pattern)) => pattern.read(text).map(|day| Said::plain(day, 0)),
            (Cell::Whole(number), Some(pattern)) => pattern.read_number(*number).map(|day| Said::plain(day, 0)),
            (Cell::Day(days), _) => Day::checked_from_days(*days).map(|day| Said::plain(day, 0)),
            (Cell::Moment { seconds, utc, .. }, _) => {
                let days = i32::try_from(seconds.div_euclid(86_400)).ok()?;
                let plain = Said::plain(Day::checked_from_days(days)?, seconds.rem_euclid(86_400));
                if !utc {
                    return Some(plain);
                }
                let (local, local_second) = zone.local_day_and_second(*seconds);
                Some(Said { local, local_second, ..plain })
            }
            _ => None,
        }
    }

    /// What a date should have been.
    pub(crate) fn wanted_date(pattern: bool) -> &'static str {
        if pattern {
            "is not a day of 1900 to 2200 in the declared pattern"
        } else {
            "is not an ISO 8601 date from 1900 to 2200, such as 2026-06-30; declare another pattern under [dates] of a columns file"
        }
    }
}
