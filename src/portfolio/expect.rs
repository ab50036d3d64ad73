//! What a case expects of a decision, as it is written. Knows nothing of how a policy decides.

use std::collections::BTreeMap;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What must come out. Outcome, reasons and offers are always compared, the others where they are given.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// `offer`, `refer` or `decline`. A case without it is not finished: an update fills it in.
    pub outcome: Option<String>,
    /// Every reason's id, in order.
    #[serde(default)]
    pub reasons: Vec<String>,
    /// The score.
    pub score: Option<Value>,
    /// The codes of the points lost, in order.
    pub points_lost: Option<Vec<String>>,
    /// Outputs of tables.
    #[serde(default)]
    pub grade: Map<String, Value>,
    /// Metrics; money in minor units.
    #[serde(default)]
    pub metrics: Map<String, Value>,
    /// Why metrics are unknown.
    #[serde(default)]
    pub unknown: BTreeMap<String, String>,
    /// Every offer: tenure, amount, to pay back.
    #[serde(default)]
    pub offers: Vec<(u32, i64, i64)>,
    /// What is offered instead of what was asked for.
    pub counter_offer: Option<CounterExpected>,
    /// How far numbers may be off, relative to what is expected.
    #[serde(default = "tolerance")]
    pub tolerance: f64,
}

fn tolerance() -> f64 {
    1e-9
}

/// A counter-offer that is expected, or that none is: `false`.
#[derive(Clone, Debug)]
pub enum CounterExpected {
    /// There is none.
    No,
    /// There is one, of which these parts are told.
    Parts(CounterParts),
}

/// Parts of a counter-offer; those that are told are compared.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CounterParts {
    /// The most that is offered, in minor units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amount: Option<Value>,
    /// Over which tenure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenure: Option<u32>,
    /// What stands in the way, in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limited_by: Option<Vec<String>>,
}

impl<'de> Deserialize<'de> for CounterExpected {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = CounterExpected;

            fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str(
                    "`false` where there is none, or { amount = 100_000, tenure = 30, limited_by = [\"exposure\"] }",
                )
            }

            fn visit_bool<E: Error>(self, is: bool) -> Result<CounterExpected, E> {
                if is { Err(E::custom("`true` says no part of it; `{}` takes any")) } else { Ok(CounterExpected::No) }
            }

            fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<CounterExpected, M::Error> {
                CounterParts::deserialize(MapAccessDeserializer::new(map)).map(CounterExpected::Parts)
            }
        }
        from.deserialize_any(Either)
    }
}

impl Expect {
    /// Whether it says nothing at all.
    pub(super) fn is_empty(&self) -> bool {
        let told =
            [self.outcome.is_some(), self.score.is_some(), self.points_lost.is_some(), self.counter_offer.is_some()];
        let lists = [self.reasons.len(), self.grade.len(), self.metrics.len(), self.unknown.len(), self.offers.len()];
        !told.contains(&true) && lists.iter().all(|count| *count == 0)
    }

    /// What it says that cannot be meant: below which of its keys, and why.
    pub(super) fn makes_sense(&self) -> Result<(), (Vec<String>, String)> {
        if !(0.0..=1.0).contains(&self.tolerance) {
            let why = format!("a tolerance of {}: it is a share of what is expected, from 0 to 1", self.tolerance);
            return Err((vec!["tolerance".to_owned()], why));
        }
        let under = |key: &'static str, all: &Map<String, Value>| {
            let named = all.iter().map(move |(name, value)| (vec![key.to_owned(), name.clone()], value.clone()));
            named.collect::<Vec<_>>()
        };
        let mut numbers = under("grade", &self.grade);
        numbers.extend(under("metrics", &self.metrics));
        numbers.extend(self.score.iter().map(|score| (vec!["score".to_owned()], score.clone())));
        if let Some(CounterExpected::Parts(parts)) = &self.counter_offer {
            let keys = || vec!["counter_offer".to_owned(), "amount".to_owned()];
            numbers.extend(parts.amount.iter().map(|amount| (keys(), amount.clone())));
        }
        for (keys, value) in numbers {
            let Value::Object(near) = value else { continue };
            let number = |key: &str| near.get(key).and_then(Value::as_f64);
            let told = number("value").is_some() && number("within").is_some_and(|within| within >= 0.0);
            if !told || near.len() != 2 {
                let name = keys.last().map_or("", String::as_str);
                let why = format!("`{name}` is written as a number, or as {{ value = 0.31, within = 0.01 }}");
                return Err((keys, why));
            }
        }
        Ok(())
    }
}
