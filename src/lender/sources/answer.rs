//! What sources answered, as inputs of a decision.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};
use serde_json_path::JsonPath;

use super::question::is_given;
use crate::engine::decision::Request;
use crate::engine::decision::toml_values::is_held;
use crate::engine::metrics::InputGap;
use crate::lender::config::{ENTRIES, FieldSetting, MoneyUnit};
use crate::rules::{Input, InputSource, Policies, PolicySet, Repr, Type, Unit};

/// An input that a source gives, and where it is in the answer.
pub(super) struct MappedField {
    pub(super) kind: InputSource,
    pub(super) name: String,
    place: FieldPlace,
}

enum FieldPlace {
    Value(JsonPath),
    Entries(JsonPath, Vec<(String, JsonPath)>),
    /// A column of a table.
    Column(String),
}

impl MappedField {
    /// Reads `"bureau.score" = "$.report.score"`.
    pub(super) fn parse(path: &str, setting: &FieldSetting, is_table: bool) -> Result<MappedField, String> {
        let (kind, name) = match path.split_once('.') {
            Some(("bureau", name)) => (InputSource::Bureau, name),
            Some(("own", name)) => (InputSource::Own, name),
            Some(("request", name)) => (InputSource::Request, name),
            _ => return Err("is not an input; write it as `bureau.NAME`, `own.NAME` or `request.NAME`".to_owned()),
        };
        let place = match setting {
            FieldSetting::Value(column) if is_table => FieldPlace::Column(column.clone()),
            FieldSetting::Value(path) => FieldPlace::Value(parse_path(path)?),
            FieldSetting::Entries(_) if is_table => return Err("is a list, which a file cannot give".to_owned()),
            FieldSetting::Entries(paths) => {
                let entries = paths.get(ENTRIES).ok_or("is a list without `entries`, the path to its entries")?;
                let fields = paths.iter().filter(|(name, _)| *name != ENTRIES);
                let fields = fields.map(|(name, path)| Ok((name.clone(), parse_path(path)?)));
                FieldPlace::Entries(parse_path(entries)?, fields.collect::<Result<_, String>>()?)
            }
        };
        Ok(MappedField { kind, name: name.to_owned(), place })
    }

    pub(super) fn path(&self) -> String {
        format!("{}.{}", self.kind.word(), self.name)
    }

    pub(super) fn column(&self) -> Option<&str> {
        match &self.place {
            FieldPlace::Column(column) => Some(column),
            FieldPlace::Value(_) | FieldPlace::Entries(..) => None,
        }
    }

    /// The input, without a value.
    pub(super) fn without_value(&self) -> FoundField {
        FoundField { kind: self.kind, name: self.name.clone(), value: Ok(Json::Null) }
    }

    /// The value in an answer, or nothing.
    pub(super) fn find(&self, answer: &Json) -> Result<Json, InputGap> {
        match &self.place {
            FieldPlace::Value(path) => single_value(path, answer),
            FieldPlace::Column(column) => Ok(answer.get(column).cloned().unwrap_or_default()),
            FieldPlace::Entries(path, fields) => {
                let entry = |entry: &Json| {
                    if !entry.is_object() {
                        return Err(InputGap::Malformed);
                    }
                    let field = |(name, path): &(String, JsonPath)| Ok((name.clone(), single_value(path, entry)?));
                    fields.iter().map(field).collect::<Result<Map<_, _>, InputGap>>().map(Json::Object)
                };
                // Without the list nothing is known: an empty one would say that there are none.
                match single_value(path, answer)? {
                    Json::Null => Ok(Json::Null),
                    Json::Array(entries) => entries.iter().map(entry).collect::<Result<_, _>>().map(Json::Array),
                    _ => Err(InputGap::Malformed),
                }
            }
        }
    }

    /// What is wrong with this field for a policy that declares the input; `None` if nothing is.
    pub(super) fn misfit(&self, input: &Input, money: Option<MoneyUnit>) -> Option<String> {
        let has_money = match &self.place {
            FieldPlace::Entries(_, fields) => {
                if input.fields.is_empty() {
                    return Some("is a list here, and one value in the policy".to_owned());
                }
                let declared = |name: &str| input.fields.iter().find(|field| field.name == name);
                if let Some((name, _)) = fields.iter().find(|(name, _)| declared(name).is_none()) {
                    return Some(format!("has the field `{name}`, which the policy does not declare"));
                }
                fields.iter().any(|(name, _)| declared(name).is_some_and(|field| field.ty.unit == Unit::Money))
            }
            _ if !input.fields.is_empty() => {
                return Some("is one value here, and a list of entries in the policy; give `entries`".to_owned());
            }
            _ => input.ty.unit == Unit::Money,
        };
        let wanted = "is money; say `money = \"major\"` or `money = \"minor\"`, the unit of the source";
        (has_money && money.is_none()).then(|| wanted.to_owned())
    }
}

fn parse_path(text: &str) -> Result<JsonPath, String> {
    let wrong = |error| format!("has the path `{text}`, which is not a JSONPath such as `$.report.score`: {error}");
    JsonPath::parse(text).map_err(|error: serde_json_path::ParseError| wrong(error.message().to_owned()))
}

/// The value that a path leads to; null without one. Of several values none is meant.
fn single_value(path: &JsonPath, answer: &Json) -> Result<Json, InputGap> {
    match path.query(answer).at_most_one() {
        Ok(found) => Ok(found.cloned().unwrap_or_default()),
        Err(_) => Err(InputGap::Malformed),
    }
}

/// How a source was queried, for the record. Nothing in it is personal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SourceNote {
    pub(crate) source: String,
    /// `answered`, `remembered` from an earlier question, or why nothing is known.
    pub(crate) result: String,
    /// When the source answered.
    pub(crate) at: String,
    pub(crate) took_ms: u64,
}

/// What a source gave.
#[derive(Clone)]
pub(super) struct SourceAnswer {
    pub(super) note: SourceNote,
    pub(super) money: Option<MoneyUnit>,
    pub(super) fields: Arc<[FoundField]>,
}

#[derive(Clone)]
pub(super) struct FoundField {
    pub(super) kind: InputSource,
    pub(super) name: String,
    pub(super) value: Result<Json, InputGap>,
}

impl FoundField {
    /// About how much memory it takes.
    pub(super) fn bytes(&self) -> usize {
        let value = self.value.as_ref().map_or(0, |value| value.to_string().len());
        // A value in memory is several times its text.
        64 + self.name.len() + 8 * value
    }
}

/// What all sources gave.
#[derive(Clone, Default)]
pub(crate) struct FoundInputs {
    pub(super) answers: Arc<[SourceAnswer]>,
    /// The fields of the request that sources are queried by: policies need not declare them.
    pub(super) queried_by: Arc<[String]>,
}

/// Shows no values, because they are personal.
impl fmt::Debug for FoundInputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.answers.iter().map(|answer| &answer.note)).finish()
    }
}

impl FoundInputs {
    /// How each source was queried.
    pub(crate) fn notes(&self) -> Vec<SourceNote> {
        self.answers.iter().map(|answer| answer.note.clone()).collect()
    }

    /// Whether sources are queried by any field of the request.
    pub(crate) fn is_queried_by_any(&self) -> bool {
        !self.queried_by.is_empty()
    }

    /// Whether sources are queried by this field of the request, so that no policy needs to declare it.
    pub(crate) fn queried_by(&self, field: &str) -> bool {
        self.queried_by.iter().any(|name| name == field)
    }

    /// Adds what the policies declare and the request lacks.
    pub(crate) fn add_to(&self, request: &mut Request, policies: &Policies) {
        for answer in &*self.answers {
            for field in &*answer.fields {
                add_field(request, policies, answer, field);
            }
        }
    }
}

/// A field that is unknown for this reason, as a request has it.
fn unknown_for(gap: InputGap) -> Json {
    json!({ "unknown": gap.word() })
}

fn add_field(request: &mut Request, policies: &Policies, answer: &SourceAnswer, field: &FoundField) {
    let FoundField { kind, name, value } = field;
    let all = policies.policies();
    let mut inputs = all.iter().flat_map(|policy| policy.inputs());
    let Some(input) = inputs.find(|input| input.source == *kind && input.name == *name) else { return };
    if is_given(request, *kind, name) {
        return;
    }
    let mut set = |value: Json, is_major: bool| {
        let (field, value) = match kind {
            InputSource::Request => (name.as_str(), value),
            nested => (nested.word(), json!({ name.as_str(): value })),
        };
        match is_major {
            true => request.set_written(policies, field, value),
            false => request.set(policies, field, value),
        }
    };
    let is_major = answer.money == Some(MoneyUnit::Major);
    // The policy may have been edited since the sources were held against it.
    let has_unit = answer.money.is_some() || !holds_money(input);
    let added = match value {
        Ok(value) if has_unit => set(loosen_value(input, value), is_major),
        Ok(_) => set(unknown_for(InputGap::Malformed), false),
        Err(gap) => set(unknown_for(*gap), false),
    };
    if added.is_err() {
        // The message may repeat the value.
        let (source, input) = (&answer.note.source, input.path());
        tracing::warn!(source, input, "a source gave a value that is not of the declared type; it counts as unknown");
        // The input is declared, so this is taken.
        let _ = set(unknown_for(InputGap::Malformed), false);
    }
}

/// Services write numbers as texts and dates with a midnight: the value as its type says, where nothing is guessed.
fn loosen_value(input: &Input, value: &Json) -> Json {
    let Json::Array(entries) = value else { return loosen(input.ty, value) };
    if input.fields.is_empty() {
        return entries.iter().map(|item| loosen(Type::declared(input.ty.unit), item)).collect();
    }
    let field = |name: &str, value: &Json| match input.fields.iter().find(|field| field.name == name) {
        Some(field) => loosen(field.ty, value),
        None => value.clone(),
    };
    let entry = |entry: &Json| match entry {
        Json::Object(fields) => {
            Json::Object(fields.iter().map(|(name, value)| (name.clone(), field(name, value))).collect())
        }
        other => other.clone(),
    };
    entries.iter().map(entry).collect()
}

/// Whether an input is money, or its entries have some.
fn holds_money(input: &Input) -> bool {
    input.ty.unit == Unit::Money || input.fields.iter().any(|field| field.ty.unit == Unit::Money)
}

fn loosen(ty: Type, value: &Json) -> Json {
    match value {
        Json::String(text) if text.trim().is_empty() => Json::Null,
        Json::String(text) if ty.unit == Unit::Date => match text.split_once(['T', ' ']) {
            Some((day, "00:00:00" | "00:00:00Z" | "00:00:00.000Z" | "00:00:00.000")) => day.into(),
            _ => text.trim().into(),
        },
        Json::String(text) if ty.repr == Repr::Boolean => match text.trim() {
            "true" | "TRUE" | "True" => true.into(),
            "false" | "FALSE" | "False" => false.into(),
            _ => value.clone(),
        },
        Json::String(text) if matches!(ty.repr, Repr::Int | Repr::Rational | Repr::Float) && !ty.unit.is_iso() => {
            let number = Some(text.trim()).filter(|text| is_held(text));
            let number = number.and_then(|text| serde_json::from_str::<serde_json::Number>(text).ok());
            number.map_or_else(|| value.clone(), Json::Number)
        }
        // Whether 1.10 was 1.1 is not known any more.
        Json::Number(number) if ty.repr == Repr::Text && !number.is_f64() => number.to_string().into(),
        other => other.clone(),
    }
}
