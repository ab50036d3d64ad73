//! Inputs besides the statement: what the customer requests, which rules call `request.NAME`, what a credit bureau
//! reports, `bureau.NAME`, what the lender's own book says of the customer, `own.NAME`, and metrics that the lender has
//! already, under `given`.

use std::collections::BTreeMap;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::request_lists;
use super::request_values::in_minor;
use super::toml_values::{is_held, toml_fields};
use crate::base::date::Day;
use crate::base::diagnostic::nearest_candidate;
use crate::base::money::AmountUnit;
use crate::engine::metrics::{GivenInputs, InputGap};
use crate::rules::{EntryField, InputSource, Policy, PolicySet};

/// A request: the day, the customer, and the inputs that the policy declares under `[request]`, `[bureau]` and `[own]`,
/// or as given metrics.
///
/// ```
/// use lendwright::{Day, Request, load_policies};
///
/// let policies = load_policies("rules/starter.toml", &[])?;
/// let mut request = Request::on(Day::from_ymd(2026, 6, 30).unwrap()).with_customer("C-17");
/// request.set(&policies, "amount", 5_000_000.into())?;
///
/// let same = Request::from_json(&policies, br#"{"as_of": "2026-06-30", "customer": "C-17", "amount": 5000000}"#)?;
/// assert_eq!(request, same);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// The day to decide for; by default the day of the statement's last record.
    pub as_of: Option<Day>,
    /// The customer's identifier in the lender's world.
    pub customer: Option<String>,
    /// Fields as given; those of the bureau are under `bureau`, those of the lender's book under `own`, given metrics
    /// under `given`.
    pub(crate) given: BTreeMap<String, serde_json::Value>,
}

/// The inputs of a request that a policy declares.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inputs {
    /// By path, such as `request.amount`.
    pub values: GivenInputs,
    /// As given, for the record.
    pub given: BTreeMap<String, serde_json::Value>,
}

/// Why a request cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    /// Not a JSON object.
    #[error("the request cannot be read as one JSON object: {0}")]
    Json(#[from] serde_json::Error),
    /// Not TOML.
    #[error("the request cannot be read as TOML: {0}")]
    Toml(String),
    /// The field is not declared, or has another type.
    #[error("request field `{field}`: {problem}")]
    Field {
        /// Which.
        field: String,
        /// What is wrong, and what to do.
        problem: String,
    },
}

impl Request {
    /// A request with only a day.
    pub fn on(day: Day) -> Self {
        Self { as_of: Some(day), ..Self::default() }
    }

    /// The same request, for a customer of the lender.
    #[must_use]
    pub fn with_customer(self, customer: impl Into<String>) -> Self {
        Self { customer: Some(customer.into()), ..self }
    }

    /// Reads `{"as_of": "2026-06-30", "customer": "...", "amount": 5000000, "bureau": {"score": 612}, ...}`.
    /// Money is in minor units, for programs; people write [TOML](Request::from_toml). Dates, times and durations are
    /// text.
    ///
    /// # Errors
    /// If it is not a JSON object, or a field is not declared by the policy or has another type.
    pub fn from_json(policies: &dyn PolicySet, json: &[u8]) -> Result<Self, RequestError> {
        let Fields(fields) = serde_json::from_slice(json)?;
        Request::from_fields(policies, fields, AmountUnit::Minor)
    }

    /// Reads the same as a TOML file that people write, in which **money is in major units**: `amount = 50_000` is
    /// 50,000 naira.
    ///
    /// ```
    /// use lendwright::{Request, load_policies};
    ///
    /// let policies = load_policies("rules/starter.toml", &[])?;
    /// let written = Request::from_toml(&policies, "as_of = 2026-06-30\namount = 50_000.00")?;
    /// let sent = Request::from_json(&policies, br#"{"as_of": "2026-06-30", "amount": 5000000}"#)?;
    /// assert_eq!(written, sent);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If it is not TOML, or a field is not declared by the policy or has another type.
    pub fn from_toml(policies: &dyn PolicySet, text: &str) -> Result<Self, RequestError> {
        let fields = toml_fields(text).map_err(RequestError::Toml)?;
        Request::from_fields(policies, fields, AmountUnit::Major)
    }

    fn from_fields(
        policies: &dyn PolicySet,
        fields: impl IntoIterator<Item = (String, serde_json::Value)>,
        unit: AmountUnit,
    ) -> Result<Self, RequestError> {
        let mut request = Request::default();
        for (name, value) in fields {
            match name.as_str() {
                "as_of" => {
                    let day = value.as_str().and_then(Day::parse_iso);
                    request.as_of =
                        Some(day.ok_or_else(|| request_field_error(&name, "expected a date such as \"2026-06-30\""))?);
                }
                "customer" => {
                    let text = value.as_str().ok_or_else(|| request_field_error(&name, "expected text"))?;
                    request.customer = Some(text.to_string());
                }
                _ => request.set_field(policies, (&name, &["as_of", "customer"]), value, unit)?,
            }
        }
        Ok(request)
    }

    /// Sets one field from JSON; null leaves it unknown, and `{"unknown": "late"}` says why its source did not give it,
    /// in a word of [`InputGap`]. `bureau` takes an object of the bureau's fields, `own` one of
    /// those of the lender's book, and `given` one of given metrics.
    ///
    /// # Errors
    /// If no version of the policy declares the field, or one declares another type.
    pub fn set(&mut self, policies: &dyn PolicySet, name: &str, value: serde_json::Value) -> Result<(), RequestError> {
        self.set_field(policies, (name, &[]), value, AmountUnit::Minor)
    }

    /// As [`Request::set`], with money in major units.
    pub(crate) fn set_written(
        &mut self,
        policies: &dyn PolicySet,
        name: &str,
        value: serde_json::Value,
    ) -> Result<(), RequestError> {
        self.set_field(policies, (name, &[]), value, AmountUnit::Major)
    }

    /// As [`Request::set`]; suggestions include `also_known` besides the declared names.
    fn set_field(
        &mut self,
        policies: &dyn PolicySet,
        (name, also_known): (&str, &[&str]),
        value: serde_json::Value,
        unit: AmountUnit,
    ) -> Result<(), RequestError> {
        let Some(source) = NESTED_SOURCES.into_iter().find(|source| source.word() == name) else {
            let value = fit_request_value(policies, InputSource::Request, (name, also_known), value, unit)?;
            self.given.insert(name.to_string(), value);
            return Ok(());
        };
        let serde_json::Value::Object(fields) = value else {
            return Err(request_field_error(name, "expected an object such as {\"score\": 612}"));
        };
        let fitted = fields.into_iter().map(|(field, value)| {
            let value = fit_request_value(policies, source, (&field, &[]), value, unit)?;
            Ok((field, value))
        });
        let fields: Vec<_> = fitted.collect::<Result<_, RequestError>>()?;
        let nested = self.given.entry(name.to_string()).or_insert_with(|| serde_json::json!({}));
        if let Some(nested) = nested.as_object_mut() {
            nested.extend(fields);
        }
        Ok(())
    }

    /// The fields that this policy declares.
    pub(crate) fn given_to(&self, policy: &Policy) -> Inputs {
        let mut inputs = Inputs::default();
        for input in policy.inputs() {
            let word = input.source.word();
            let value = match NESTED_SOURCES.contains(&input.source) {
                false => self.given.get(&input.name),
                true => self.given.get(word).and_then(|nested| nested.get(&input.name)),
            };
            let Some(value) = value else { continue };
            match read_gap(value) {
                Some(gap) => inputs.values.insert_gap(input.path(), gap),
                None => {
                    let read = request_lists::read_input_value(input, value);
                    read.into_iter().for_each(|value| inputs.values.insert(input.path(), value));
                }
            }
            match NESTED_SOURCES.contains(&input.source) {
                false => drop(inputs.given.insert(input.name.clone(), value.clone())),
                true => {
                    let nested = inputs.given.entry(word.into()).or_insert(serde_json::json!({}));
                    nested.as_object_mut().map(|nested| nested.insert(input.name.clone(), value.clone()));
                }
            }
        }
        inputs
    }
}

/// The sources whose fields are an object of their own in a request.
pub(crate) const NESTED_SOURCES: [InputSource; 3] = [InputSource::Bureau, InputSource::Own, InputSource::Given];

impl Inputs {
    /// Whether a given metric was given, perhaps as unknown.
    pub(crate) fn says(&self, name: &str) -> bool {
        self.given.get(InputSource::Given.word()).and_then(|given| given.get(name)).is_some()
    }
}

/// Why a field is unknown, as `{"unknown": "late"}` says.
fn read_gap(value: &serde_json::Value) -> Option<InputGap> {
    let fields = value.as_object().filter(|fields| fields.len() == 1)?;
    fields.get("unknown")?.as_str().and_then(InputGap::parse)
}

/// The value with money in minor units, if some policy declares the field and all that declare it accept the value.
fn fit_request_value(
    policies: &dyn PolicySet,
    source: InputSource,
    (name, also_known): (&str, &[&str]),
    value: serde_json::Value,
    unit: AmountUnit,
) -> Result<serde_json::Value, RequestError> {
    let shown = match source {
        InputSource::Request => name.to_owned(),
        InputSource::Bureau | InputSource::Own | InputSource::Given => format!("{}.{name}", source.word()),
    };
    let policies = policies.policies();
    let all = || {
        let inputs = policies.iter().flat_map(|policy| policy.inputs().iter().map(move |input| (policy, input)));
        inputs.filter(|(_, input)| input.source == source)
    };
    let mut fitted: Option<serde_json::Value> = None;
    let is_gap = source != InputSource::Given && read_gap(&value).is_some();
    if is_gap && all().any(|(_, input)| input.name == name) {
        return Ok(value);
    }
    let is_word = value.as_object().is_some_and(|fields| fields.len() == 1 && fields.contains_key("unknown"));
    if is_word && source != InputSource::Given {
        let words = InputGap::ALL.map(InputGap::word).join(", ");
        return Err(request_field_error(&shown, &format!("`unknown` says why, by one of the words {words}")));
    }
    for (policy, input) in all().filter(|(_, input)| input.name == name) {
        let currency = policy.header().currency;
        let minor = match input.fields.is_empty() {
            true => {
                in_minor(input.ty, &value, (currency, unit)).map_err(|wanted| request_field_error(&shown, &wanted))?
            }
            false => {
                let lists = all().filter(|(_, input)| input.name == name).flat_map(|(_, input)| &input.fields);
                let fields: Vec<&EntryField> = lists.collect();
                request_lists::in_minor(&fields, &value, (currency, unit))
                    .map_err(|wrong| request_field_error(&shown, &wrong))?
            }
        };
        if fitted.as_ref().is_some_and(|other| *other != minor) {
            let why = "versions of the policy count it in different units; give it in a JSON request, in minor units";
            return Err(request_field_error(&shown, why));
        }
        fitted = Some(minor);
    }
    if let Some(fitted) = fitted {
        return Ok(fitted);
    }
    Err(request_field_error(
        &shown,
        &explain_undeclared_field((name, also_known), source, all().map(|(_, input)| input.name.as_str())),
    ))
}

/// What to do about an undeclared field: the nearest name, and the declared ones.
fn explain_undeclared_field<'i>(
    (name, also_known): (&str, &[&str]),
    source: InputSource,
    declared: impl Iterator<Item = &'i str>,
) -> String {
    const SHOWN_MAX: usize = 20;
    let word = source.word();
    let mut known: Vec<&str> = Vec::new();
    // Versions may declare the same fields.
    declared.for_each(|input| {
        if !known.contains(&input) {
            known.push(input)
        }
    });
    let near = nearest_candidate(name, known.iter().chain(also_known).copied());
    let near = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
    let section = match source {
        InputSource::Given => "as given metrics".to_owned(),
        InputSource::Request | InputSource::Bureau | InputSource::Own => format!("under [{word}]"),
    };
    if known.is_empty() {
        return format!("{near}the policy declares nothing {section}");
    }
    let more = known.len().saturating_sub(SHOWN_MAX);
    known.truncate(SHOWN_MAX);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{near}the policy declares {section}: {}{more}", known.join(", "))
}

/// The fields of an object; no key twice.
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
                while let Some(name) = map.next_key::<String>()? {
                    let value = match NESTED_SOURCES.iter().any(|source| source.word() == name) {
                        true => serde_json::Value::Object(map.next_value::<Fields>()?.0.into_iter().collect()),
                        false => {
                            parse_exact_json(map.next_value::<&RawValue>()?.get()).map_err(serde::de::Error::custom)?
                        }
                    };
                    if fields.insert(name.clone(), value).is_some() {
                        return Err(serde::de::Error::custom(format!("`{name}` appears twice")));
                    }
                }
                Ok(Fields(fields))
            }
        }
        from.deserialize_map(Object)
    }
}

/// Parses a value. Refuses numbers that a JSON value cannot hold exactly: the decision must be about what was given.
fn parse_exact_json(text: &str) -> Result<serde_json::Value, String> {
    if let Some(number) = numbers_in_json(text).find(|number| !is_held(number)) {
        return Err(format!("`{number}` has more digits than a JSON number keeps here: round it to 15 digits"));
    }
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// The numbers in a text of JSON.
pub(crate) fn numbers_in_json(text: &str) -> impl Iterator<Item = &str> {
    let (mut quoted, mut escaped) = (false, false);
    let outside = move |c: char| {
        let is_quote = c == '"' && !escaped;
        quoted ^= is_quote;
        escaped = quoted && c == '\\' && !escaped;
        quoted || is_quote || !(c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E'))
    };
    text.split(outside).filter(|part| part.bytes().any(|byte| byte.is_ascii_digit()))
}

fn request_field_error(field: &str, problem: &str) -> RequestError {
    RequestError::Field { field: field.to_string(), problem: problem.to_string() }
}
