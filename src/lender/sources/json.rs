//! JSON of others, read without guessing: no key comes twice, and no digit of a number is lost.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value as Json};

use crate::engine::decision::request::numbers_in_json;
use crate::engine::decision::toml_values::is_held;

/// Reads a document. A number with more digits than a JSON value keeps becomes a text with these digits.
///
/// # Errors
/// Where it is wrong, without a word of it.
pub(crate) fn read_exact_json(text: &str) -> Result<Json, String> {
    let text = quote_long_numbers(text);
    let read: Result<Exact, _> = serde_json::from_str(&text);
    read.map(|exact| exact.0).map_err(|wrong| format!("at line {}, column {}", wrong.line(), wrong.column()))
}

/// The same document, in which numbers that a JSON value cannot hold exactly are in quotes.
fn quote_long_numbers(text: &str) -> Cow<'_, str> {
    let (mut quoted, mut copied) = (String::new(), 0);
    for number in numbers_in_json(text).filter(|number| !is_held(number)) {
        // A part of the text: its place is the distance of the two.
        let at = number.as_ptr() as usize - text.as_ptr() as usize;
        quoted.push_str(&text[copied..at]);
        quoted.push_str(&format!("\"{number}\""));
        copied = at + number.len();
    }
    match copied {
        0 => Cow::Borrowed(text),
        _ => Cow::Owned(quoted + &text[copied..]),
    }
}

/// A value in which no object repeats a key.
struct Exact(Json);

impl<'de> Deserialize<'de> for Exact {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(ExactVisitor).map(Exact)
    }
}

struct ExactVisitor;

impl<'de> Visitor<'de> for ExactVisitor {
    type Value = Json;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Json, E> {
        Number::from_f64(value).map(Json::Number).ok_or_else(|| E::custom("not a number"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(Exact(item)) = list.next_element()? {
            items.push(item);
        }
        Ok(Json::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut fields = Map::new();
        while let Some((name, Exact(value))) = map.next_entry::<String, Exact>()? {
            if fields.insert(name, value).is_some() {
                return Err(A::Error::custom("a key comes twice"));
            }
        }
        Ok(Json::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_once_and_digits_stay() {
        for (text, wanted) in [
            (r#"{"a": [1, 2.5, -3e2, null, true, "x"]}"#, Some(r#"{"a":[1,2.5,-300.0,null,true,"x"]}"#)),
            (r#"{"a": 1, "a": 2}"#, None),
            (r#"{"b": {"a": 1, "a": 1}}"#, None),
            (
                r#"{"id": 123456789012345678901, "s": "1234567890123456789012"}"#,
                Some(r#"{"id":"123456789012345678901","s":"1234567890123456789012"}"#),
            ),
            (
                "[0.00999999999999999999999, 90071992547409.931]",
                Some(r#"["0.00999999999999999999999","90071992547409.931"]"#),
            ),
            ("[1e999]", Some(r#"["1e999"]"#)),
            ("[1,]", None),
            ("{\"a\": 1} {}", None),
        ] {
            let read = read_exact_json(text).ok().map(|value| value.to_string());
            assert_eq!(read.as_deref(), wanted, "{text}");
        }
        assert!(read_exact_json(&"[".repeat(100_000)).is_err());
    }
}
