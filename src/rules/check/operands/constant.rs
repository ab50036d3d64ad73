//! A bare literal as a value of a parameter, a table's cell, a bin or an override.

use crate::base::money::Currency;
use crate::base::rational::Rational;
use crate::rules::check::operands::record_texts::RecordText;
use crate::rules::check::symbols::namespaces::Namespaces;
use crate::rules::check::symbols::parameter_list::Parameters;
use crate::rules::check::symbols::symbol::Known;
use crate::rules::syntax::amounts;
use crate::rules::types::{Repr, Type, Unit};
use crate::rules::value::Value;

/// The parts that read a constant: a literal, or a parameter with one value.
#[derive(Clone, Copy)]
pub(in crate::rules) struct Constants<'c> {
    pub parameters: &'c Parameters,
    pub spaces: &'c Namespaces,
    pub currency: Currency,
    /// How the tested value comes from a record's text. Texts in the cell are cleaned in the same way.
    pub beside: Option<RecordText>,
}

impl Constants<'_> {
    /// A literal as a value of `unit`.
    pub(in crate::rules) fn literal(&self, text: &str, unit: Unit) -> Result<(Value, Type), String> {
        parse_constant(self.currency, text, Some(unit))
    }

    /// The one value of a parameter.
    pub(in crate::rules) fn parameter(&self, name: &str) -> Result<(Value, Type), String> {
        self.parameters.find_constant(self.spaces, name)
    }

    /// Whether the text is a parameter that has no value as written: its values depend on the day, or on a bound.
    pub(in crate::rules) fn has_dates(&self, text: &str) -> bool {
        let whole = text.strip_prefix('$').and_then(|name| self.parameters.resolve(self.spaces, name));
        whole.is_some_and(|whole| !matches!(self.parameters.get(&whole), Some(Known::Constant(..)) | None))
    }
}

/// The literal as a value of `unit`, or of the unit it looks like.
pub(in crate::rules) fn parse_constant(
    currency: Currency,
    text: &str,
    unit: Option<Unit>,
) -> Result<(Value, Type), String> {
    let number = || Rational::parse(text);
    let whole = || text.parse::<i64>().ok();
    match unit {
        Some(Unit::Money) => amounts::parse_minor_units(currency, text).map(|minor| (Value::Int(minor), Type::MONEY)),
        Some(Unit::Count) => {
            whole().map(|n| (Value::Int(n), Type::COUNT)).ok_or(format!("`{text}` is not a whole number"))
        }
        Some(Unit::Days) => {
            whole().map(|n| (Value::Int(n), Type::DAYS)).ok_or(format!("`{text}` is not a whole number of days"))
        }
        Some(Unit::Ratio) => {
            number().map(|n| (Value::Rational(n), Type::RATIO)).ok_or(format!("`{text}` is not a number"))
        }
        Some(Unit::Number) => {
            number().map(|n| (Value::Rational(n), Type::NUMBER)).ok_or(format!("`{text}` is not a number"))
        }
        Some(Unit::Months) => match whole().or_else(|| Unit::Months.read_iso(text)) {
            Some(months) => Ok((Value::Int(months), Type::MONTHS)),
            None => Err(format!("`{text}` is not a whole number of months")),
        },
        Some(unit @ (Unit::Date | Unit::Time | Unit::Timestamp | Unit::Duration)) => match unit.read_iso(text) {
            Some(value) => Ok((Value::Int(value), Type::declared(unit))),
            None => {
                let what = crate::rules::types::describe_type(Type::declared(unit));
                Err(format!("`{text}` is not {what} such as {}", unit.example()))
            }
        },
        Some(Unit::Boolean) => match text {
            "true" | "TRUE" => Ok((Value::Boolean(true), Type::BOOLEAN)),
            "false" | "FALSE" => Ok((Value::Boolean(false), Type::BOOLEAN)),
            _ => Err(format!("`{text}` is not true or false")),
        },
        Some(Unit::Text) => Ok((Value::Text(text.to_string()), Type::TEXT)),
        None => Ok(match (whole(), number(), text) {
            (Some(n), _, _) => (Value::Int(n), Type::NUMBER.with(Repr::Int)),
            (_, Some(n), _) => (Value::Rational(n), Type::NUMBER),
            (_, _, "true") => (Value::Boolean(true), Type::BOOLEAN),
            (_, _, "false") => (Value::Boolean(false), Type::BOOLEAN),
            _ => (Value::Text(text.to_string()), Type::TEXT),
        }),
    }
}
