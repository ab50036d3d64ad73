//! Reads JSON answers strictly and reports where reading stopped. Never repeats an answer's content, because answers
//! hold personal data. Knows nothing of any one endpoint.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor, value::MapAccessDeserializer};
use serde_json::error::Category;
use serde_json::value::RawValue;

use super::error::Unusable;
use crate::base::text::is_unseen;

/// Reads one JSON object.
pub(crate) fn parse_json_object<'de, T: Deserialize<'de>>(body: &'de [u8]) -> Result<T, Unusable> {
    match body.iter().position(|byte| !byte.is_ascii_whitespace()) {
        None => return Err(Unusable::malformed(0, "is empty")),
        Some(at) if body.get(at) == Some(&b'<') => {
            return Err(Unusable::malformed(at as u64, "is HTML or XML, not JSON"));
        }
        Some(_) => {}
    }
    match serde_json::from_slice::<Object<T>>(body) {
        Ok(Object(value)) => Ok(value),
        Err(error) => Err(malformed_json_error(body, &error)),
    }
}

fn malformed_json_error(body: &[u8], error: &serde_json::Error) -> Unusable {
    match error.classify() {
        Category::Eof => Unusable::malformed(body.len() as u64, "ends in the middle of its JSON"),
        Category::Syntax => Unusable::malformed(byte_offset_of_error(body, error), "is not JSON"),
        Category::Data | Category::Io => {
            Unusable::malformed(byte_offset_of_error(body, error), "is JSON of another shape than the interface shows")
        }
    }
}

/// Turns the line and column of `serde_json` into a byte offset, at which a person can cut the file.
fn byte_offset_of_error(body: &[u8], error: &serde_json::Error) -> u64 {
    let before = error.line().saturating_sub(1);
    let start: usize = body.split_inclusive(|byte| *byte == b'\n').take(before).map(<[u8]>::len).sum();
    (start + error.column().saturating_sub(1)).min(body.len()) as u64
}

/// How much of a provider's message is kept.
const WORDS_CHARS_MAX: usize = 300;

/// A provider's message, shortened and on one line.
pub(crate) fn tidy_provider_message(text: &str) -> String {
    text.chars().take(WORDS_CHARS_MAX).map(|letter| if is_unseen(letter) { ' ' } else { letter }).collect()
}

/// A JSON object and nothing else. Derived readers would also accept an array for a struct.
pub(crate) struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ObjectVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
            type Value = Object<T>;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Object)
            }
        }
        deserializer.deserialize_map(ObjectVisitor(PhantomData))
    }
}

/// Reads a text, a number or a boolean as its text, and null as `None`. For codes, messages and page marks, whose JSON
/// type differs between providers.
pub(crate) fn scalar<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    struct ScalarVisitor;
    impl Visitor<'_> for ScalarVisitor {
        type Value = Option<String>;
        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("a text, a number or a boolean")
        }
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(None)
        }
        fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
            Ok(Some(text.to_owned()))
        }
        fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
            Ok(Some(number.to_string()))
        }
        fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
            Ok(Some(number.to_string()))
        }
        fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
            Ok(Some(number.to_string()))
        }
        fn visit_bool<E>(self, yes: bool) -> Result<Self::Value, E> {
            Ok(Some(yes.to_string()))
        }
    }
    deserializer.deserialize_any(ScalarVisitor)
}

/// Reads a whole number, possibly written with a fraction of zero (`5000000.0`).
pub(crate) fn whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    let number = serde_json::Number::deserialize(deserializer)?;
    if let Some(whole) = number.as_i64() {
        return Ok(whole);
    }
    match number.as_f64() {
        // Below 2^53 a float with no fraction is exactly that whole number.
        Some(float) if float.fract() == 0.0 && float.abs() < 9_007_199_254_740_992.0 => Ok(float as i64),
        _ => Err(D::Error::custom("not a whole number")),
    }
}

/// The fields of an answer whose names are settings. An object with a duplicate field is refused, because the two may
/// differ.
pub(crate) struct Fields(BTreeMap<String, Box<RawValue>>);

impl Fields {
    /// A field's text, or its number by its digits; `None` if it is missing or null. Any other value is an error. Dots
    /// in a name lead into nested objects, as in `data.status`, unless a field has exactly that name.
    pub(crate) fn text(&self, name: &str) -> Result<Option<String>, Unusable> {
        let Some(raw) = self.0.get(name) else {
            let Some((outer, inner)) = name.split_once('.') else { return Ok(None) };
            return self.object(outer)?.map_or(Ok(None), |fields| fields.text(inner));
        };
        match scalar_text(raw) {
            Some(Ok(text)) => Ok(text),
            _ => Err(Unusable::malformed(
                None,
                format!("has no text and no number in `{}`", tidy_provider_message(name)),
            )),
        }
    }

    /// The fields of a nested object; `None` if it is missing or null.
    fn object(&self, name: &str) -> Result<Option<Fields>, Unusable> {
        match self.0.get(name).map(|raw| raw.get()) {
            None | Some("null") => Ok(None),
            Some(text) => match serde_json::from_str::<Object<Fields>>(text) {
                Ok(Object(fields)) => Ok(Some(fields)),
                Err(_) => Err(Unusable::malformed(
                    None,
                    format!("has no object in `{}`, or one with a duplicate field", tidy_provider_message(name)),
                )),
            },
        }
    }

    /// What an answer says it is about, if it does: the field `name`, at the top and in the objects that contain
    /// `beside`. A value that differs from `asked` is preferred to one that equals it.
    pub(crate) fn about(&self, name: &str, beside: &str, asked: &str) -> Result<Option<String>, Unusable> {
        if name.is_empty() {
            return Ok(None);
        }
        // A name with dots is a place of its own.
        let outer = beside.match_indices('.').filter(|_| !name.contains('.'));
        let places = outer.filter_map(|(at, _)| beside.get(..=at)).map(|outer| format!("{outer}{name}"));
        let mut about = None;
        for place in std::iter::once(name.to_owned()).chain(places) {
            about = match self.text(&place)? {
                Some(other) if other != asked => return Ok(Some(other)),
                given => given.or(about),
            };
        }
        Ok(about)
    }

    /// Refuses an answer that is about something other than `asked`, by [`Fields::about`].
    pub(crate) fn check_about(&self, name: &str, beside: &str, asked: &str) -> Result<(), Unusable> {
        match self.about(name, beside, asked)? {
            Some(other) if other != asked => {
                Err(Unusable::malformed(None, format!("is about another `{}`", tidy_provider_message(name))))
            }
            _ => Ok(()),
        }
    }

    /// All fields, unchanged.
    pub(crate) fn values(self) -> Result<serde_json::Map<String, serde_json::Value>, Unusable> {
        self.values_within(DEPTH_MAX)
    }

    fn values_within(self, depth: usize) -> Result<serde_json::Map<String, serde_json::Value>, Unusable> {
        self.0.into_iter().map(|(name, raw)| Ok((name, as_it_came(&raw, depth)?))).collect()
    }
}

/// How deep values may be nested.
const DEPTH_MAX: usize = 64;

/// A value, in which every object has each field once. A number that would lose digits becomes a text of its digits.
fn as_it_came(raw: &RawValue, depth: usize) -> Result<serde_json::Value, Unusable> {
    let depth = depth.checked_sub(1).ok_or_else(|| Unusable::malformed(None, "has values nested too deeply"))?;
    let unread = |_| Unusable::malformed(None, "has a value that cannot be read");
    let text = raw.get();
    Ok(match text.bytes().next() {
        Some(b'{') => serde_json::from_str::<Fields>(text).map_err(unread)?.values_within(depth)?.into(),
        Some(b'[') => {
            let values: Vec<Box<RawValue>> = serde_json::from_str(text).map_err(unread)?;
            values.iter().map(|value| as_it_came(value, depth)).collect::<Result<_, _>>()?
        }
        Some(b'-' | b'0'..=b'9') => match serde_json::from_str::<serde_json::Value>(text) {
            Ok(number) if number.is_i64() || number.is_u64() => number,
            Ok(number)
                if count_significant_digits(text) <= DIGITS_KEPT
                    && (number != 0.0 || count_significant_digits(text) == 0) =>
            {
                number
            }
            _ => text.into(),
        },
        _ => serde_json::from_str(text).map_err(unread)?,
    })
}

/// How many digits a double always keeps.
const DIGITS_KEPT: usize = 15;

/// Counts the digits of a number from the first that is not 0, without its exponent.
fn count_significant_digits(number: &str) -> usize {
    let mantissa = number.split(['e', 'E']).next().unwrap_or_default();
    mantissa.trim_start_matches(['-', '0', '.']).bytes().filter(u8::is_ascii_digit).count()
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FieldsVisitor;
        impl<'de> Visitor<'de> for FieldsVisitor {
            type Value = Fields;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = BTreeMap::new();
                while let Some((name, value)) = map.next_entry::<String, Box<RawValue>>()? {
                    if fields.insert(name, value).is_some() {
                        return Err(A::Error::custom("a field stands twice"));
                    }
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(FieldsVisitor)
    }
}

/// [`scalar`] for values whose names are settings; an object or a list is `None` here.
pub(crate) struct Scalar(pub Option<String>);

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Ok(Scalar(scalar_text(&raw).transpose().map_err(D::Error::custom)?.flatten()))
    }
}

/// The text of a value: a text itself, or a number by its digits, because an amount could change in a float. Null has
/// no text; an object or a list is not a scalar.
fn scalar_text(raw: &RawValue) -> Option<serde_json::Result<Option<String>>> {
    let text = raw.get();
    match text.as_bytes().first() {
        Some(b'{' | b'[') => None,
        Some(b'"') => Some(serde_json::from_str(text).map(Some)),
        Some(b'n') | None => Some(Ok(None)),
        Some(_) => Some(Ok(Some(text.to_owned()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_shows_all_that_it_holds() {
        for unseen in ['\u{7}', '\u{ad}', '\u{202e}', '\u{2028}', '\u{fff9}', '\u{3164}', '\u{e0041}'] {
            assert_eq!(tidy_provider_message(&format!("no{unseen}way")), "no way", "{unseen:?}");
        }
        assert_eq!(tidy_provider_message("Ọlá 中 ❤\u{fe0f}"), "Ọlá 中 ❤\u{fe0f}");
    }
}
