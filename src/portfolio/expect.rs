//! What a case expects of a decision, as written.

use std::collections::BTreeMap;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

/// The expected decision. Outcome, reasons and offers are always compared, other fields only if given.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// `offer`, `refer` or `decline`. A case without it is unfinished: `lendwright test --update` fills it in.
    pub outcome: Option<String>,
    /// The ids of all reasons, in order.
    #[serde(default)]
    pub reasons: Vec<String>,
    /// The score.
    pub score: Option<Value>,
    /// The codes of the points lost, in order.
    pub points_lost: Option<Vec<String>>,
    /// Outputs of tables; money in major units.
    #[serde(default)]
    pub grade: Map<String, Value>,
    /// Metrics; money in major units.
    #[serde(default)]
    pub metrics: Map<String, Value>,
    /// Why metrics are unknown.
    #[serde(default)]
    pub unknown: BTreeMap<String, String>,
    /// Every offer: tenure, amount, amount payable; money in major units.
    #[serde(default)]
    pub offers: Vec<(u32, Number, Number)>,
    /// The fee of every offer, in major units.
    pub fees: Option<Vec<Number>>,
    /// What every offer pays out, in major units: the amount, without the fee if the policy deducts it.
    pub paid_out: Option<Vec<Number>>,
    /// The APR of every offer, in percent.
    pub aprs: Option<Vec<Number>>,
    /// The counter-offer.
    pub counter_offer: Option<CounterExpected>,
    /// How far numbers may be off, relative to the expected number.
    #[serde(default = "tolerance")]
    pub tolerance: f64,
}

fn tolerance() -> f64 {
    1e-9
}

/// An expected counter-offer; `false` in a cases file expects none.
#[derive(Clone, Debug)]
pub enum CounterExpected {
    /// There is none.
    No,
    /// There is one with these parts.
    Parts(CounterParts),
}

/// Parts of a counter-offer. Only those given are compared.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CounterParts {
    /// The amount offered, in major units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amount: Option<Value>,
    /// The tenure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenure: Option<u32>,
    /// What limits the amount, in order.
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
                match is {
                    true => Err(E::custom("`true` does not say which counter-offer; write `{}` to accept any")),
                    false => Ok(CounterExpected::No),
                }
            }

            fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<CounterExpected, M::Error> {
                CounterParts::deserialize(MapAccessDeserializer::new(map)).map(CounterExpected::Parts)
            }
        }
        from.deserialize_any(Either)
    }
}

impl Expect {
    /// Whether it expects nothing at all.
    pub(super) fn is_empty(&self) -> bool {
        let given = [
            self.outcome.is_some(),
            self.score.is_some(),
            self.points_lost.is_some(),
            self.counter_offer.is_some(),
            self.fees.is_some(),
            self.paid_out.is_some(),
            self.aprs.is_some(),
        ];
        let lists = [self.reasons.len(), self.grade.len(), self.metrics.len(), self.unknown.len(), self.offers.len()];
        !given.contains(&true) && lists.iter().all(|count| *count == 0)
    }

    /// Rejects values that make no sense, with the keys that lead to the value and the reason.
    pub(super) fn makes_sense(&self) -> Result<(), (Vec<String>, String)> {
        if !(0.0..=1.0).contains(&self.tolerance) {
            let why = format!(
                "the tolerance is {}, but it must be a share of the expected value, from 0 to 1",
                self.tolerance
            );
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
            let has_both = number("value").is_some() && number("within").is_some_and(|within| within >= 0.0);
            if !has_both || near.len() != 2 {
                let name = keys.last().map_or("", String::as_str);
                let why = format!("`{name}` is written as a number, or as {{ value = 0.31, within = 0.01 }}");
                return Err((keys, why));
            }
        }
        Ok(())
    }
}
