//! Translates times, date-times and durations of FEEL. Keeps only the moment of a date-time, so it refuses functions
//! that need its local clock time.

use super::translate::Translated;
use super::value::{Scalar, Ty};
use crate::base::date::Day;
use crate::base::time::{Duration, TimeOfDay, Timestamp, months};

/// A value from a literal text: `time("22:30:00")`, `@"PT2H"`.
pub(super) fn translate_time_literal(function: &str, text: &str) -> Translated<Scalar> {
    let date = || Day::parse_iso(text).map(|_| ("DATE", Ty::Date));
    let time = || TimeOfDay::parse_iso(text).map(|_| ("TIME", Ty::Time));
    let moment = || Timestamp::parse_iso(text).map(|_| ("TIMESTAMP", Ty::Timestamp));
    let months = || months(text).map(|_| ("INTERVAL", Ty::Months));
    let duration = || Duration::parse_iso(text).map(|_| ("INTERVAL", Ty::Duration));
    let found = match function {
        "time" => time(),
        "date and time" => moment(),
        "duration" => months().or_else(duration),
        _ => date().or_else(time).or_else(moment).or_else(months).or_else(duration),
    };
    let Some((word, ty)) = found else {
        let wanted = match function {
            "time" => "not a time of day without a zone, as a rule file has it",
            "date and time" => "not a date and time with its offset from UTC, which a rule file needs",
            "duration" => "not a duration, either of years and months or of days and time",
            _ => "not a date, a time of day, a date and time with its offset from UTC, or a duration",
        };
        return Err(format!("`{text}` is {wanted}"));
    };
    Ok(Scalar { text: format!("{word} '{text}'"), ty, constant: Some(text.to_owned()) })
}

/// A sum, difference or quotient that involves times; `None` for anything else.
pub(super) fn translate_time_arithmetic(op: &str, left: &Scalar, right: &Scalar) -> Option<Scalar> {
    use Ty::{Date, Duration, Months, Number, Time, Timestamp};
    let (ty, swapped) = match (op, left.ty, right.ty) {
        (_, Number, Number) => return None,
        ("-", Time, Time) | ("-", Timestamp, Timestamp) => (Duration, false),
        ("+" | "-", Timestamp, Duration) => (Timestamp, false),
        ("+", Duration, Timestamp) => (Timestamp, true),
        ("+" | "-", Date, Months) => (Date, false),
        ("+", Months, Date) => (Date, true),
        ("+" | "-", Duration, Duration) => (Duration, false),
        ("+" | "-", Months, Months) => (Months, false),
        ("/", Duration, Duration) | ("/", Months, Months) => (Number, false),
        _ => return None,
    };
    let (left, right) = if swapped { (right, left) } else { (left, right) };
    Some(Scalar::made(format!("{} {op} {}", left.text, right.text), ty))
}

/// A difference of zero as a cell writes it; `None` for types without differences.
pub(super) fn zero_difference(ty: Ty) -> Option<&'static str> {
    match ty {
        Ty::Number | Ty::Date | Ty::Months => Some("0"),
        Ty::Time | Ty::Timestamp | Ty::Duration => Some("PT0S"),
        Ty::Text | Ty::Boolean => None,
    }
}

/// Refuses types whose literals differ from those of FEEL.
pub(super) fn has_same_literals(ty: Ty) -> Translated<()> {
    match ty {
        Ty::Timestamp => Err("the text of a date and time holds an offset, which is not kept".to_owned()),
        Ty::Months => Err("the text of years and months is a number here".to_owned()),
        Ty::Number | Ty::Text | Ty::Boolean | Ty::Date | Ty::Time | Ty::Duration => Ok(()),
    }
}
