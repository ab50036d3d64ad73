//! The fields of a request that belong to one policy, where several decide on it. Reads no value.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::answers::LookingPolicies;
use super::problem::{Problem, place_in_json};
use crate::engine::decision::NESTED_SOURCES;
use crate::rules::{InputSource, Policies, PolicySet};

/// The fields of an object in their order; a key that comes twice is there twice.
struct RawFields<'b>(Vec<(String, &'b RawValue)>);

impl<'de: 'b, 'b> Deserialize<'de> for RawFields<'b> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(fields)
            }
        }
        from.deserialize_map(Object).map(RawFields)
    }
}

/// The fields of an object in their order, each with its text.
pub(super) fn read_raw_fields(json: &str) -> serde_json::Result<Vec<(String, &RawValue)>> {
    serde_json::from_str::<RawFields<'_>>(json).map(|fields| fields.0)
}

/// The request without the fields that these policies do not declare, and that are for others or for questions to
/// sources. The texts of all values stay.
pub(super) fn own_fields(json: &str, looking: LookingPolicies<'_>) -> Result<String, Problem> {
    let LookingPolicies { own: policies, others, found } = looking;
    let declares = |policies: &Policies, source: InputSource, name: &str| {
        let all = policies.policies();
        all.iter().flat_map(|policy| policy.inputs()).any(|input| input.source == source && input.name == name)
    };
    let is_foreign = |source: InputSource, name: &str| {
        let is_queried_by = source == InputSource::Request && found.queried_by(name);
        !declares(policies, source, name) && (is_queried_by || others.iter().any(|other| declares(other, source, name)))
    };
    let write = |fields: Vec<(String, Cow<'_, str>)>| {
        let pairs = fields.iter().map(|(name, value)| format!("{}:{value}", Value::from(name.as_str())));
        format!("{{{}}}", pairs.collect::<Vec<_>>().join(","))
    };
    let read = |json| {
        read_raw_fields(json).map_err(|wrong| {
            Problem::new("invalid-request", "`request` is an object").at(place_in_json("request", &wrong))
        })
    };
    let mut own = Vec::new();
    for (name, value) in read(json)? {
        match NESTED_SOURCES.into_iter().find(|source| source.word() == name) {
            None if is_foreign(InputSource::Request, &name) => {}
            Some(source) if value.get().starts_with('{') => {
                let inner = read(value.get())?;
                let inner = inner.into_iter().filter(|(name, _)| !is_foreign(source, name));
                let inner = inner.map(|(name, value)| (name, Cow::Borrowed(value.get()))).collect::<Vec<_>>();
                if !inner.is_empty() {
                    own.push((name, Cow::Owned(write(inner))));
                }
            }
            _ => own.push((name, Cow::Borrowed(value.get()))),
        }
    }
    Ok(write(own))
}
