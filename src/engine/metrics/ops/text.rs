//! Operations on texts, row by row. Knows neither grains nor statements. A row that cannot be computed is added to
//! `failures` with its reason.

use std::borrow::Cow;

use super::arithmetic::Failures;
use crate::base::rational::Rational;
use crate::engine::metrics::column::{Bits, Data, Reason, Texts, ValueColumn, collect_few};
use crate::rules::Unit;
use crate::rules::graph::{Letters, TextPlace};
use crate::rules::program::Value;

/// Most bytes of a text that is put together, so that no rule makes ever longer ones.
const BYTES_MAX: usize = 100_000;

/// Most digits of a number in a text. None that a person means has more.
const DIGITS_MAX: usize = 40;

fn text_at<'c>(column: &'c ValueColumn, row: usize) -> &'c str {
    column.texts().map_or("", |texts| texts.get(column.at(row)))
}

pub(crate) fn change_letter_case<'a>(letters: Letters, texts: &Texts<'a>) -> Texts<'a> {
    Texts::Owned(texts.iter().map(|text| Cow::Owned(letters.of(text))).collect())
}

pub(crate) fn has_text(place: TextPlace, text: &ValueColumn, part: &ValueColumn, rows: usize) -> Bits {
    let has = |text: &str, part: &str| match place {
        TextPlace::Start => text.starts_with(part),
        TextPlace::End => text.ends_with(part),
        TextPlace::Anywhere => text.contains(part),
    };
    match (text.texts(), part.texts()) {
        (Some(texts), Some(part)) if part.len() == 1 => texts.bits(|text| has(text, part.get(0))),
        _ => Bits::from_fn(rows, |row| has(text_at(text, row), text_at(part, row))),
    }
}

/// From a character on, counted from 1; unknown if there is no such place.
pub(crate) fn take_substrings<'a>(inputs: &[&ValueColumn<'a>], rows: usize, failures: &mut Failures) -> Texts<'a> {
    let number = |input: usize, row: usize| inputs.get(input).map(|input| input.ints()[input.at(row)]);
    let mut part = |row: usize| {
        let (start, length) = (number(1, row).unwrap_or(1), number(2, row).unwrap_or(i64::MAX));
        if start < 1 || length < 0 {
            failures.push((row, Reason::NoValue));
            return Cow::Borrowed("");
        }
        let before = usize::try_from(start - 1).unwrap_or(usize::MAX);
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        Cow::Owned(text_at(inputs[0], row).chars().skip(before).take(length).collect())
    };
    Texts::Owned((0..rows).map(&mut part).collect())
}

/// The number that a text writes: digits, perhaps with a decimal point and a minus before them. Nothing else is a
/// number here, because a comma or a sign of a currency would be a guess.
pub(crate) fn to_number<'a>(texts: &Texts, failures: &mut Failures) -> Data<'a> {
    let mut number = |(row, text): (usize, &str)| {
        written_number(text).unwrap_or_else(|| {
            failures.push((row, Reason::NoValue));
            Rational::ZERO
        })
    };
    Data::Rational(collect_few(texts.iter().enumerate().map(&mut number)))
}

fn written_number(text: &str) -> Option<Rational> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let fits = is_digits(whole) && is_digits(decimals) && digits.len() <= DIGITS_MAX;
    Rational::parse(text).filter(|_| fits)
}

/// One after the other; too long a text overflows.
pub(crate) fn concatenate_texts<'a>(inputs: &[&ValueColumn<'a>], rows: usize, failures: &mut Failures) -> Texts<'a> {
    joined(rows, failures, |row| {
        let texts = || inputs.iter().filter_map(|input| Some(input.texts()?.get(input.at(row))));
        (texts().map(str::len).sum::<usize>() <= BYTES_MAX).then(|| texts().collect())
    })
}

/// Every part of a text that equals the second replaced by the third, from left to right.
pub(crate) fn replace_in_texts<'a>(inputs: &[&ValueColumn<'a>], rows: usize, failures: &mut Failures) -> Texts<'a> {
    joined(rows, failures, |row| {
        let [text, from, to] = [0, 1, 2].map(|input| text_at(inputs[input], row));
        let parts = if from.is_empty() { 0 } else { text.matches(from).count() };
        // Known before it is made, because it may be far longer than the text.
        let length = text.len() - parts * from.len() + parts.saturating_mul(to.len());
        let replaced = || if parts == 0 { text.to_owned() } else { text.replace(from, to) };
        (length <= BYTES_MAX).then(replaced)
    })
}

/// The text of each row; `None` is too long a text.
fn joined<'a>(rows: usize, failures: &mut Failures, join: impl Fn(usize) -> Option<String>) -> Texts<'a> {
    let mut row = |row: usize| {
        Cow::Owned(join(row).unwrap_or_else(|| {
            failures.push((row, Reason::Overflow));
            String::new()
        }))
    };
    Texts::Owned((0..rows).map(&mut row).collect())
}

/// Dates, times and durations as ISO 8601. A number by its digits; one with endless decimals by those of the nearest
/// double.
pub(crate) fn to_text<'a>(input: &ValueColumn<'a>, unit: Unit) -> Texts<'a> {
    let iso = |value: Value| unit.iso(&value).map_or(Cow::Borrowed(""), Cow::Owned);
    Texts::Owned(match &input.data {
        Data::Int(values) if unit.is_iso() => values.iter().map(|value| iso(Value::Int(*value))).collect(),
        Data::Rational(_) | Data::Decimals(_) if unit.is_iso() => {
            input.rationals().iter().map(|value| iso(Value::Rational(value.clone()))).collect()
        }
        Data::Float(values) if unit.is_iso() => values.iter().map(|value| iso(Value::Float(*value))).collect(),
        Data::Int(values) => values.iter().map(|value| Cow::Owned(value.to_string())).collect(),
        Data::Rational(_) | Data::Decimals(_) => {
            input.rationals().iter().map(|value| Cow::Owned(value.to_string())).collect()
        }
        // Never prints -0.
        Data::Float(values) => values.iter().map(|value| Cow::Owned((value + 0.0).to_string())).collect(),
        Data::Boolean(values) => {
            (0..values.len()).map(|row| Cow::Borrowed(if values.get(row) { "true" } else { "false" })).collect()
        }
        Data::Text(texts) => return texts.clone(),
        Data::List(_) => Vec::new(),
    })
}
