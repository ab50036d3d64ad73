//! Reads a cell of a lender's table by the type that the policy declares. Says what is wrong, and never what it holds.

use serde_json::Value as Json;

use crate::base::date::Day;
use crate::base::money::{AmountError, AmountUnit, Currency, parse_amount};
use crate::base::rational::Rational;
use crate::rules::program::Value;
use crate::rules::{Repr, Type, Unit};

/// What exports write where nothing is known.
const UNKNOWN: [&str; 6] = ["NA", "N/A", "NaN", "nan", "null", "NULL"];

/// Whether nothing is known, in a cell that holds no text of its own.
pub(crate) fn is_unknown_cell(cell: &Json) -> bool {
    match cell {
        Json::Null => true,
        Json::String(text) => is_unknown_text(text.trim()),
        _ => false,
    }
}

fn is_unknown_text(text: &str) -> bool {
    text.is_empty() || UNKNOWN.contains(&text)
}

/// The value of a cell, `None` if it is unknown. Money is in major units, to the last decimal.
pub(super) fn read_cell(cell: &Json, ty: Type, currency: &Currency) -> Result<Option<Value>, String> {
    let text = match cell {
        Json::Null => return Ok(None),
        Json::Bool(truth) if ty.repr == Repr::Boolean => return Ok(Some(Value::Boolean(*truth))),
        Json::String(text) => text.trim().to_owned(),
        Json::Number(_) | Json::Bool(_) => cell.to_string(),
        Json::Array(_) | Json::Object(_) => return Err("holds a list or an object".to_owned()),
    };
    if text.is_empty() || (ty.repr != Repr::Text && is_unknown_text(&text)) {
        return Ok(None);
    }
    let has_time = ty.unit == Unit::Date && has_time_of_day(&text);
    let value = match ty.unit {
        Unit::Money => return read_money(&text, currency).map(Some),
        _ if ty.unit.is_iso() => ty.unit.read_iso(&text).map(|whole| Value::Int(whole).held_as(ty.repr)),
        _ => match ty.repr {
            Repr::Text => Some(Value::Text(text)),
            Repr::Boolean => read_truth(&text).map(Value::Boolean),
            // Programs that have no whole numbers in columns with empty cells write 12.0 for 12.
            Repr::Int => whole_number(&text).or_else(|| ty.unit.read_iso(&text)).map(Value::Int),
            Repr::Rational | Repr::Float => return read_number(&text).map(|number| Some(number.held_as(ty.repr))),
            Repr::List => None,
        },
    };
    if value.is_none() && has_time {
        return Err("holds a day with a time of day; write the day alone, such as 2026-06-30".to_owned());
    }
    let unless = if ty.repr == Repr::Text { "" } else { "; where nothing is known, leave the cell empty" };
    value.map(Some).ok_or_else(|| format!("holds no {}{unless}", describe_type(ty)))
}

/// Whether a text is a day with something behind it, as in `2026-06-30T22:30:00` or `2026-06-30 00:00:00`.
fn has_time_of_day(text: &str) -> bool {
    text.split_once(['T', ' ']).is_some_and(|(day, _)| Day::parse_iso(day).is_some())
}

fn describe_type(ty: Type) -> &'static str {
    match ty.unit {
        Unit::Boolean => "truth value (true or false, 1 or 0, yes or no)",
        Unit::Date => "day such as 2026-06-30",
        Unit::Time => "time of day such as 22:30",
        Unit::Timestamp => "timestamp such as 2026-06-30T22:30:00+01:00",
        Unit::Duration => "duration such as PT1H30M",
        Unit::Months => "whole number of months",
        Unit::Count | Unit::Days => "whole number",
        _ => "number",
    }
}

fn whole_number(text: &str) -> Option<i64> {
    Rational::parse(text)?.to_i64()
}

fn read_truth(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" | "1.0" | "yes" | "y" => Some(true),
        "false" | "0" | "0.0" | "no" | "n" => Some(false),
        _ => None,
    }
}

fn read_money(text: &str, currency: &Currency) -> Result<Value, String> {
    parse_amount(text.as_bytes(), AmountUnit::Major, currency.exponent()).map(Value::Int).map_err(|error| {
        let help = match error {
            AmountError::TooPrecise { .. } => "; round it, or declare it as a `number`",
            AmountError::NotANumber => "; write it as in 1250.50, and leave the cell empty where nothing is known",
            AmountError::TooLarge => "",
        };
        format!("{error}{help}")
    })
}

/// A number that a table of metrics keeps exactly.
fn read_number(text: &str) -> Result<Value, String> {
    let Some(number) = Rational::parse(text) else {
        return Err("holds no number; where nothing is known, leave the cell empty".to_owned());
    };
    let kept = number.as_written_double().and_then(Rational::from_f64).map(Value::Rational);
    kept.ok_or_else(|| "has a number with more digits than are kept; round it to 15 digits".to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::read_cell;
    use crate::base::money::Currency;
    use crate::base::rational::Rational;
    use crate::rules::program::Value;
    use crate::rules::{Type, Unit};

    fn read(cell: serde_json::Value, unit: Unit) -> Result<Option<Value>, String> {
        read_cell(&cell, Type::declared(unit), &Currency::from_numeric("566").expect("the naira"))
    }

    #[test]
    fn money_is_read_in_major_units_to_the_last_decimal() {
        for cell in [json!("1250.50"), json!(1250.5), json!("1250.500"), json!("1.2505e3")] {
            assert_eq!(read(cell, Unit::Money), Ok(Some(Value::Int(125_050))));
        }
        assert_eq!(read(json!(1_250), Unit::Money), Ok(Some(Value::Int(125_000))));
        let wrong = read(json!("833.3333"), Unit::Money).expect_err("too precise");
        assert!(wrong.contains("more decimals") && !wrong.contains("833"), "{wrong}");
        assert!(read(json!("1,250.50"), Unit::Money).expect_err("separators").contains("1250.50"));
    }

    #[test]
    fn an_empty_cell_is_unknown_and_a_wrong_one_is_refused() {
        for unit in [Unit::Money, Unit::Count, Unit::Number, Unit::Boolean, Unit::Date] {
            for cell in [json!(null), json!(""), json!("  "), json!("NA"), json!("NaN")] {
                assert_eq!(read(cell, unit), Ok(None));
            }
            assert!(read(json!("many"), unit).is_err(), "{unit:?}");
        }
        // A text may be any, also the code of Namibia.
        assert_eq!(read(json!("NA"), Unit::Text), Ok(Some(Value::Text("NA".to_owned()))));
        assert_eq!(read(json!(" "), Unit::Text), Ok(None));
    }

    #[test]
    fn numbers_keep_their_digits_or_are_refused() {
        assert_eq!(
            read(json!("0.1"), Unit::Ratio),
            Ok(Some(Value::Rational(Rational::parse("0.1").expect("a number"))))
        );
        // Halfway between two decimals of 16 digits, as single precision often is. The even one counts.
        let kept = Ok(Some(Value::Rational(Rational::parse("793.7000122070312").expect("a number"))));
        for cell in [json!("793.7000122070312"), json!("793.7000122070313"), json!(793.700_012_207_031_2)] {
            assert_eq!(read(cell, Unit::Number), kept);
        }
        for text in ["793.70001220703125", "0.10000000000000001", "9007199254740993.0"] {
            assert!(read(json!(text), Unit::Number).is_err(), "{text}");
        }
        assert!(read(json!("0.12345678901234567890123"), Unit::Number).expect_err("digits").contains("15 digits"));
        assert_eq!(read(json!("12.0"), Unit::Count), Ok(Some(Value::Int(12))));
        assert!(read(json!("12.5"), Unit::Count).is_err());
        assert_eq!(read(json!("Yes"), Unit::Boolean), Ok(Some(Value::Boolean(true))));
        assert!(read(json!("2"), Unit::Boolean).is_err());
    }

    #[test]
    fn a_time_of_day_is_refused_in_words() {
        assert!(read(json!("2026-06-30"), Unit::Date).is_ok());
        for cell in ["2026-06-30T22:30:00", "2026-06-30 00:00:00"] {
            let wrong = read(json!(cell), Unit::Date).expect_err("a time of day");
            assert!(wrong.contains("a day with a time of day; write the day alone"), "{wrong}");
        }
        assert!(read(json!("30 June"), Unit::Date).expect_err("no day").contains("no day such as"));
    }
}
