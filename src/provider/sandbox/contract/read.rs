//! Reads a request strictly: every field is known, of its type, within its bounds, and given once. A refusal names the
//! field and never repeats its value. Knows nothing of HTTP.

use std::collections::{BTreeMap, BTreeSet};

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};

use super::field::{ContractField, FieldKind};
use super::route::{BodyShape, Route};

/// How much of an unknown name a refusal repeats.
const NAME_CHARS: usize = 40;

/// Why a request is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unread(pub String);

/// A request that fits its route.
#[derive(Debug, Clone, Default)]
pub(crate) struct Given {
    path: BTreeMap<String, String>,
    query: BTreeMap<String, String>,
    body: Map<String, Value>,
}

impl Given {
    /// A text of the path, the query or the body, the first that has it; empty if none does.
    pub(crate) fn text(&self, name: &str) -> &str {
        let body = || self.body.get(name).and_then(Value::as_str);
        self.path.get(name).or_else(|| self.query.get(name)).map(String::as_str).or_else(body).unwrap_or_default()
    }

    /// An optional text of the body.
    pub(crate) fn optional(&self, name: &str) -> Option<&str> {
        self.body.get(name).and_then(Value::as_str)
    }

    /// A text of the query.
    pub(crate) fn in_query(&self, name: &str) -> &str {
        self.query.get(name).map(String::as_str).unwrap_or_default()
    }

    /// A text of the body.
    pub(crate) fn in_body(&self, name: &str) -> &str {
        self.optional(name).unwrap_or_default()
    }

    /// A whole number; 0 if it is not given.
    pub(crate) fn whole(&self, name: &str) -> i64 {
        match self.query.get(name) {
            Some(text) => text.parse().unwrap_or_default(),
            None => self.body.get(name).and_then(as_whole).unwrap_or_default(),
        }
    }

    /// A number by its digits.
    pub(crate) fn digits(&self, name: &str) -> String {
        self.body.get(name).map(Value::to_string).unwrap_or_default()
    }

    /// A flag; false if it is not given.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.body.get(name).and_then(Value::as_bool).unwrap_or_default()
    }

    /// Whether the body has a field.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.body.contains_key(name)
    }

    /// Identifies the body: equal bodies have the same fingerprint.
    pub(crate) fn fingerprint(&self) -> String {
        let body = serde_json::to_string(&self.body).unwrap_or_default();
        blake3::hash(body.as_bytes()).to_hex().to_string()
    }
}

/// Reads a request.
pub(crate) fn read_route_request(
    route: &Route,
    path: Vec<(String, String)>,
    query: &[(String, String)],
    body: &[u8],
) -> Result<Given, Unread> {
    for (name, value) in &path {
        if let Some(field) = route.path.iter().find(|field| field.name == *name) {
            check_text(name, &field.kind, value)?;
        }
    }
    if let Some((name, _)) = query.iter().find(|(name, _)| route.parameter(name).is_none()) {
        return Err(Unread(format!("unknown parameter `{}`", shorten_field_name(name))));
    }
    let query = if route.query_is_open { BTreeMap::new() } else { read_query(&route.query, query)? };
    let body = match &route.body {
        BodyShape::None => Map::new(),
        shape => {
            let body = parse_body_object(body)?;
            let fields = form_fields(shape, |name| body.contains_key(name));
            if let Some((one, other)) = find_mixed_forms(shape, &body) {
                return Err(Unread(format!("`{one}` and `{other}` do not go together: one or the other")));
            }
            check_object("", fields, false, &body)?;
            body
        }
    };
    Ok(Given { path: path.into_iter().collect(), query, body })
}

/// The fields that a body may have.
pub(crate) fn form_fields(shape: &BodyShape, has: impl Fn(&str) -> bool) -> &[ContractField] {
    match shape {
        BodyShape::None => &[],
        BodyShape::Fields(fields) => fields,
        BodyShape::ByField { name, with, without } => {
            if has(name) {
                with
            } else {
                without
            }
        }
    }
}

/// If a body mixes two forms: the field that tells them apart, and a field that only the other form has.
fn find_mixed_forms<'a>(shape: &'a BodyShape, body: &Map<String, Value>) -> Option<(&'a str, &'a str)> {
    let BodyShape::ByField { name, with, without } = shape else { return None };
    let only = |field: &&ContractField| field.required && !with.iter().any(|other| other.name == field.name);
    let other = without.iter().filter(only).find(|field| body.contains_key(&field.name))?;
    body.contains_key(*name).then_some((*name, other.name.as_str()))
}

fn read_query(fields: &[ContractField], pairs: &[(String, String)]) -> Result<BTreeMap<String, String>, Unread> {
    let mut given = BTreeMap::new();
    for (name, value) in pairs {
        if let Some(field) = fields.iter().find(|field| field.name == *name) {
            check_text(name, &field.kind, value)?;
        }
        if given.insert(name.clone(), value.clone()).is_some() {
            return Err(Unread(format!("`{name}` is given twice")));
        }
    }
    match fields.iter().find(|field| field.required && !given.contains_key(&field.name)) {
        Some(field) => Err(Unread(format!("`{}` is missing", field.name))),
        None => Ok(given),
    }
}

fn parse_body_object(body: &[u8]) -> Result<Map<String, Value>, Unread> {
    let wrong = |problem: &str| Unread(format!("the body {problem}"));
    if body.iter().all(u8::is_ascii_whitespace) {
        return Err(wrong("is empty; a JSON object is expected"));
    }
    match serde_json::from_slice(body) {
        Ok(Value::Object(object)) => match serde_json::from_slice(body) {
            Ok(RepeatedName(Some(twice))) => Err(Unread(format!("`{}` is given twice", shorten_field_name(&twice)))),
            _ => Ok(object),
        },
        Ok(_) => Err(wrong("is JSON, but no object")),
        Err(error) => Err(wrong(&format!("is not JSON (line {}, column {})", error.line(), error.column()))),
    }
}

/// The first name that an object has twice. A map would silently keep the last value.
struct RepeatedName(Option<String>);

impl<'de> Deserialize<'de> for RepeatedName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NamesVisitor;
        impl<'de> Visitor<'de> for NamesVisitor {
            type Value = RepeatedName;
            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RepeatedName, A::Error> {
                let (mut seen, mut twice) = (BTreeSet::new(), None);
                while let Some((name, IgnoredAny)) = map.next_entry::<String, IgnoredAny>()? {
                    if !seen.insert(name.clone()) {
                        twice = twice.or(Some(name));
                    }
                }
                Ok(RepeatedName(twice))
            }
        }
        deserializer.deserialize_map(NamesVisitor)
    }
}

fn check_object(place: &str, fields: &[ContractField], open: bool, object: &Map<String, Value>) -> Result<(), Unread> {
    let at = |name: &str| if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") };
    for (name, value) in object {
        match fields.iter().find(|field| field.name == *name) {
            Some(field) => check_value(&at(name), &field.kind, value)?,
            None if open => {}
            None => {
                let near = fields.iter().find(|field| field.name.eq_ignore_ascii_case(name));
                let hint = near.map(|field| format!("; its name is `{}`", field.name)).unwrap_or_default();
                return Err(Unread(format!("unknown field `{}`{hint}", at(&shorten_field_name(name)))));
            }
        }
    }
    match fields.iter().find(|field| field.required && !object.contains_key(&field.name)) {
        Some(field) => Err(Unread(format!("`{}` is missing", at(&field.name)))),
        None => Ok(()),
    }
}

fn check_value(name: &str, kind: &FieldKind, value: &Value) -> Result<(), Unread> {
    let wrong = |what: &str| Err(Unread(format!("`{name}` is not {what}")));
    match (kind, value) {
        (FieldKind::Text { .. } | FieldKind::OneOf(_) | FieldKind::TextOrWhole, Value::String(text)) => {
            check_text(name, kind, text)
        }
        (FieldKind::Text { .. } | FieldKind::OneOf(_), _) => wrong("a text"),
        (FieldKind::Whole { .. } | FieldKind::TextOrWhole, value) => match (as_whole(value), kind) {
            (Some(number), FieldKind::Whole { least, most }) if number < *least || number > *most => {
                wrong(&format!("from {least} to {most}"))
            }
            (Some(_), _) => Ok(()),
            (None, _) => wrong("a whole number"),
        },
        (FieldKind::Amount, Value::Number(number)) => match number.as_f64() {
            Some(float) if float > 0.0 && float <= 1e15 => Ok(()),
            _ => wrong("above zero and up to 1000000000000000"),
        },
        (FieldKind::Number, Value::Number(_)) | (FieldKind::Flag, Value::Bool(_)) => Ok(()),
        (FieldKind::Amount | FieldKind::Number, _) => wrong("a number"),
        (FieldKind::Flag, _) => wrong("true or false"),
        (FieldKind::Object(fields), Value::Object(object)) => check_object(name, fields, false, object),
        (FieldKind::OpenObject(fields), Value::Object(object)) => check_object(name, fields, true, object),
        (FieldKind::Object(_) | FieldKind::OpenObject(_), _) => wrong("an object"),
        (FieldKind::List(kind), Value::Array(values)) => {
            values.iter().try_for_each(|value| check_value(name, kind, value))
        }
        (FieldKind::List(_), _) => wrong("a list"),
    }
}

/// Checks a value that came as text, from the path, the query, or a JSON text.
fn check_text(name: &str, kind: &FieldKind, text: &str) -> Result<(), Unread> {
    let wrong = |what: String| Err(Unread(format!("`{name}` is {what}")));
    match kind {
        FieldKind::Text { least, most, form } => match text.chars().count() {
            0 if *least > 0 => wrong("empty".to_owned()),
            count if count < *least => wrong(format!("shorter than {least} characters")),
            count if count > *most => wrong(format!("longer than {most} characters")),
            _ if !form.fits(text) => wrong(format!("not {}", form.words())),
            _ => Ok(()),
        },
        FieldKind::OneOf(known) => match known.iter().any(|one| one == text) {
            true => Ok(()),
            false => wrong(match known.as_slice() {
                [] | [_] => "not the one that the sandbox was started with".to_owned(),
                several => format!("not one of {}", several.join(", ")),
            }),
        },
        FieldKind::Whole { least, most } => {
            let digits = text.strip_prefix('-').unwrap_or(text);
            match text.parse::<i64>().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit())) {
                None => wrong("not a whole number".to_owned()),
                Some(number) if number < *least || number > *most => wrong(format!("not from {least} to {most}")),
                Some(_) => Ok(()),
            }
        }
        FieldKind::Flag if matches!(text, "true" | "false") => Ok(()),
        FieldKind::TextOrWhole => Ok(()),
        _ => wrong("not of its type".to_owned()),
    }
}

/// A whole number, possibly written with a fraction of zero.
fn as_whole(value: &Value) -> Option<i64> {
    let Value::Number(number) = value else { return None };
    let float = || number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < 9e15);
    number.as_i64().or_else(|| float().map(|float| float as i64))
}

fn shorten_field_name(name: &str) -> String {
    name.chars().take(NAME_CHARS).collect()
}
