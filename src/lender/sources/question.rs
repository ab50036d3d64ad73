//! What a source is queried: names with values, made of the request by templates such as `{request.bvn}`.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value as Json};

use crate::engine::decision::Request;
use crate::rules::InputSource;

/// Whom a question is about.
#[derive(Clone, Debug, Default)]
pub(crate) struct Subject {
    pub(crate) customer: Option<String>,
    pub(crate) reference: String,
    /// The request, with fields that no policy declares.
    pub(crate) request: Map<String, Json>,
}

impl Subject {
    /// Whether the request brings an input itself, if only to say that it is unknown.
    pub(super) fn has(&self, kind: InputSource, name: &str) -> bool {
        let fields = match kind {
            InputSource::Request => Some(&self.request),
            nested => self.request.get(nested.word()).and_then(Json::as_object),
        };
        fields.is_some_and(|fields| fields.contains_key(name))
    }

    fn value(&self, place: &Place) -> Option<Json> {
        let text = |text: &str| Some(Json::from(text)).filter(|_| !text.is_empty());
        match place {
            Place::Customer => text(self.customer.as_deref()?),
            Place::Reference => text(&self.reference).filter(|reference| reference != "-"),
            Place::Request(name) => {
                let value = self.request.get(name)?;
                let is_known = matches!(value, Json::String(_) | Json::Number(_) | Json::Bool(_));
                Some(value.clone()).filter(|value| is_known && value.as_str() != Some(""))
            }
        }
    }
}

/// Whether the request has a value of an input.
pub(super) fn is_given(request: &Request, kind: InputSource, name: &str) -> bool {
    match kind {
        InputSource::Request => request.given.contains_key(name),
        nested => request.given.get(nested.word()).is_some_and(|fields| fields.get(name).is_some()),
    }
}

/// A text with placeholders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Template(Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Place(Place),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    Customer,
    Reference,
    Request(String),
}

/// Everything that is escaped in a segment of a path.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

impl Template {
    pub(super) fn parse(text: &str) -> Result<Template, String> {
        let (mut parts, mut rest) = (Vec::new(), text);
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after.split_once('}').ok_or("has a placeholder that does not end with `}`")?;
            let place = match (name, name.strip_prefix("request.")) {
                ("customer", _) => Place::Customer,
                ("reference", _) => Place::Reference,
                (_, Some(field)) if !field.is_empty() => Place::Request(field.to_owned()),
                _ => {
                    let known = "`{customer}`, `{reference}` and `{request.NAME}`";
                    return Err(format!("has the placeholder `{{{name}}}`; there are {known}"));
                }
            };
            if !before.is_empty() {
                parts.push(Part::Text(before.to_owned()));
            }
            parts.push(Part::Place(place));
            rest = after;
        }
        if !rest.is_empty() {
            parts.push(Part::Text(rest.to_owned()));
        }
        Ok(Template(parts))
    }

    /// The fields of the request in it.
    pub(super) fn request_fields(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|part| match part {
            Part::Place(Place::Request(name)) => Some(name.as_str()),
            _ => None,
        })
    }

    /// The value; a single placeholder keeps its type. `None` if something in it is unknown.
    fn fill(&self, subject: &Subject) -> Option<Json> {
        match &self.0[..] {
            [Part::Place(place)] => subject.value(place),
            _ => self.fill_text(subject, str::to_owned).map(Json::String),
        }
    }

    fn fill_text(&self, subject: &Subject, write: impl Fn(&str) -> String) -> Option<String> {
        let part = |part: &Part| match part {
            Part::Text(text) => Some(text.clone()),
            Part::Place(place) => subject.value(place).map(|value| write(&plain_text(&value))),
        };
        self.0.iter().map(part).collect()
    }
}

/// A value without quotes.
pub(super) fn plain_text(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// How a source is queried.
#[derive(Clone, Debug)]
pub(super) struct QuestionTemplate {
    pub(super) url: Template,
    pub(super) send: Vec<(String, Template)>,
}

/// A question. It is personal, so it has no `Debug`.
#[derive(Clone)]
pub(super) struct Question {
    pub(super) url: String,
    pub(super) send: Map<String, Json>,
}

impl QuestionTemplate {
    pub(super) fn request_fields(&self) -> impl Iterator<Item = &str> {
        let sent = self.send.iter().flat_map(|(_, template)| template.request_fields());
        self.url.request_fields().chain(sent)
    }

    /// The question; `None` if something that it needs is unknown.
    pub(super) fn fill(&self, subject: &Subject) -> Option<Question> {
        let url = self.url.fill_text(subject, |value| utf8_percent_encode(value, SEGMENT).to_string())?;
        // Such a segment would lead elsewhere.
        if url.split(['/', '?', '#']).any(|segment| matches!(segment, "." | "..")) {
            return None;
        }
        let send = self.send.iter().map(|(name, template)| Some((name.clone(), template.fill(subject)?)));
        Some(Question { url, send: send.collect::<Option<_>>()? })
    }
}

impl Question {
    /// What tells one question from another.
    pub(super) fn key(&self) -> String {
        format!("{}\n{}", self.url, Json::Object(self.send.clone()))
    }
}
