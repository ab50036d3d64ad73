//! What a customer asks for, given beside the statement and used by rules as `request.NAME`.

use std::collections::BTreeMap;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

use crate::rules::program::Value;
use crate::rules::{Policy, Repr, Type, Unit};
use crate::words::date::Day;
use crate::words::diagnostic::nearest;

/// A request: the day, whom it is about, and the fields that the policy declares under `[request]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// The day to decide for; without it, the day of the statement's last record.
    pub as_of: Option<Day>,
    /// The customer's identifier in the lender's world.
    pub customer: Option<String>,
    pub(crate) fields: BTreeMap<String, Value>,
    pub(crate) given: BTreeMap<String, serde_json::Value>,
}

/// Why a request cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    /// Not a JSON object.
    #[error("the request cannot be read as one JSON object: {0}")]
    Json(#[from] serde_json::Error),
    /// Declared otherwise, or not at all.
    #[error("request field `{field}`: {problem}")]
    Field {
        /// Which.
        field: String,
        /// What is wrong, and what to do.
        problem: String,
    },
}

impl Request {
    /// A request for a day, with nothing else in it.
    pub fn on(day: Day) -> Self {
        Self { as_of: Some(day), ..Self::default() }
    }

    /// The same request, about a customer of the lender's.
    #[must_use]
    pub fn with_customer(self, customer: impl Into<String>) -> Self {
        Self { customer: Some(customer.into()), ..self }
    }

    /// Reads `{"as_of": "2026-06-30", "customer": "...", "amount": 5000000, ...}`: money in minor units, dates as text.
    ///
    /// # Errors
    /// Where it is no JSON object, or a field is not declared by the policy or of another type.
    pub fn from_json(policy: &Policy, json: &[u8]) -> Result<Self, RequestError> {
        let Fields(fields) = serde_json::from_slice(json)?;
        let mut request = Request::default();
        for (name, value) in fields {
            match name.as_str() {
                "as_of" => {
                    let day = value.as_str().and_then(Day::parse_iso);
                    request.as_of = Some(day.ok_or_else(|| problem(&name, "a date such as \"2026-06-30\" is wanted"))?);
                }
                "customer" => {
                    let text = value.as_str().ok_or_else(|| problem(&name, "text is wanted"))?;
                    request.customer = Some(text.to_string());
                }
                _ => request.set(policy, &name, value)?,
            }
        }
        Ok(request)
    }

    /// Sets one field from JSON; null leaves it unknown.
    ///
    /// # Errors
    /// Where the policy does not declare the field, or declares another type.
    pub fn set(&mut self, policy: &Policy, name: &str, value: serde_json::Value) -> Result<(), RequestError> {
        let fields = policy.request_fields();
        let Some(field) = fields.iter().find(|field| field.name == name) else {
            let near = nearest(name, fields.iter().map(|field| field.name.as_str()));
            let help = near.map_or("the policy does not declare it under [request]".to_string(), |near| {
                format!("did you mean `{near}`?")
            });
            return Err(problem(name, &help));
        };
        if !value.is_null() {
            let typed = typed(field.ty, &value);
            let wanted = match field.ty.unit {
                Unit::Money => "a whole number of minor units is wanted",
                Unit::Count | Unit::Days => "a whole number is wanted",
                Unit::Date => "a date such as \"2026-06-30\" is wanted",
                Unit::Text => "text is wanted",
                Unit::Boolean => "true or false is wanted",
                _ => "a number is wanted",
            };
            self.fields.insert(name.to_string(), typed.ok_or_else(|| problem(name, wanted))?);
        }
        self.given.insert(name.to_string(), value);
        Ok(())
    }
}

/// A value of the type declared, if it is one.
pub(super) fn typed(ty: Type, value: &serde_json::Value) -> Option<Value> {
    match ty.repr {
        Repr::List => {
            let items = value.as_array()?.iter();
            items.map(|item| typed(Type::declared(ty.unit), item)).collect::<Option<_>>().map(Value::List)
        }
        Repr::Int if ty.unit == Unit::Date => {
            value.as_str().and_then(Day::parse_iso).map(|day| Value::Int(i64::from(day.days())))
        }
        Repr::Int => value.as_i64().map(Value::Int),
        Repr::Float => value.as_f64().map(Value::Float),
        Repr::Boolean => value.as_bool().map(Value::Boolean),
        Repr::Text => value.as_str().map(|text| Value::Text(text.to_string())),
    }
}

/// The keys of an object and their values; no key twice.
struct Fields(BTreeMap<String, serde_json::Value>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Fields;

            fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = BTreeMap::new();
                while let Some((name, value)) = map.next_entry::<String, serde_json::Value>()? {
                    if fields.insert(name.clone(), value).is_some() {
                        return Err(serde::de::Error::custom(format!("`{name}` stands there twice")));
                    }
                }
                Ok(Fields(fields))
            }
        }
        from.deserialize_map(Object)
    }
}

fn problem(field: &str, problem: &str) -> RequestError {
    RequestError::Field { field: field.to_string(), problem: problem.to_string() }
}
