//! A request's JSON body: fields in the interface's order, each marked as shown or redacted. `client/exchange.rs`
//! redacts the same texts in errors, `sandbox/redact.rs` what the sandbox shows. Knows nothing of any one call.

use std::fmt;

use crate::base::secret::Secret;

/// Replaces personal data wherever a request is shown.
pub(crate) const PERSONAL: &str = "[personal]";
/// Replaces a secret.
pub(crate) const SECRET: &str = "[secret]";

/// A JSON object under construction. [`Body::bytes`] is sent; `Display` may be shown.
#[derive(Clone, Default)]
pub struct Body(Vec<(String, BodyField)>);

#[derive(Clone)]
enum BodyField {
    /// JSON that may be shown.
    Open(String),
    /// JSON that may not be shown, its mask, and the texts in it that must not appear in errors either.
    Redacted {
        json: String,
        texts: Vec<String>,
        mask: &'static str,
    },
    Object(Body),
}

impl Body {
    /// An object without fields.
    pub fn new() -> Self {
        Body::default()
    }

    fn with(mut self, name: &str, field: BodyField) -> Self {
        self.0.push((name.to_owned(), field));
        self
    }

    /// A text that may be shown.
    pub(crate) fn text(self, name: &str, text: &str) -> Self {
        self.with(name, BodyField::Open(quote_json_text(text)))
    }

    /// A text about a person.
    pub(crate) fn personal(self, name: &str, text: &str) -> Self {
        self.with(
            name,
            BodyField::Redacted { json: quote_json_text(text), texts: vec![text.to_owned()], mask: PERSONAL },
        )
    }

    /// The same, if there is one.
    pub(crate) fn personal_if(self, name: &str, text: Option<&str>) -> Self {
        match text {
            Some(text) => self.personal(name, text),
            None => self,
        }
    }

    /// A secret text.
    pub(crate) fn secret(self, name: &str, secret: &Secret) -> Self {
        let text = secret.expose();
        self.with(name, BodyField::Redacted { json: quote_json_text(text), texts: vec![text.to_owned()], mask: SECRET })
    }

    /// The same, if there is one.
    pub(crate) fn secret_if(self, name: &str, secret: Option<&Secret>) -> Self {
        match secret {
            Some(secret) => self.secret(name, secret),
            None => self,
        }
    }

    /// A number by its digits, so that it never passes through a float.
    pub(crate) fn number(self, name: &str, digits: impl fmt::Display) -> Self {
        self.with(name, BodyField::Open(digits.to_string()))
    }

    /// True or false.
    pub(crate) fn flag(self, name: &str, yes: bool) -> Self {
        self.with(name, BodyField::Open(yes.to_string()))
    }

    /// An object within this one.
    pub(crate) fn object(self, name: &str, object: Body) -> Self {
        self.with(name, BodyField::Object(object))
    }

    /// The same, if there is one.
    pub(crate) fn object_if(self, name: &str, object: Option<Body>) -> Self {
        match object {
            Some(object) => self.object(name, object),
            None => self,
        }
    }

    /// JSON in a format that the interface does not show: sent byte for byte, never shown. `texts` are the values in
    /// it.
    pub(crate) fn unknown(self, name: &str, json: &str, texts: Vec<String>) -> Self {
        self.with(name, BodyField::Redacted { json: json.to_owned(), texts, mask: PERSONAL })
    }

    /// The exact bytes that are sent.
    pub fn bytes(&self) -> Vec<u8> {
        let mut out = String::new();
        self.write(&mut out);
        out.into_bytes()
    }

    fn write(&self, out: &mut String) {
        out.push('{');
        for (index, (name, field)) in self.0.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            out.push_str(&quote_json_text(name));
            out.push(':');
            match field {
                BodyField::Open(json) | BodyField::Redacted { json, .. } => out.push_str(json),
                BodyField::Object(object) => object.write(out),
            }
        }
        out.push('}');
    }

    /// The texts to redact wherever an answer is shown, each with its mask.
    pub(crate) fn redactions(&self) -> Vec<(String, &'static str)> {
        let of_field = |field: &BodyField| match field {
            BodyField::Open(_) => Vec::new(),
            BodyField::Redacted { texts, mask, .. } => texts.iter().map(|text| (text.clone(), *mask)).collect(),
            BodyField::Object(object) => object.redactions(),
        };
        self.0.iter().flat_map(|(_, field)| of_field(field)).filter(|(text, _)| !text.is_empty()).collect()
    }

    fn show(&self, formatter: &mut fmt::Formatter<'_>, depth: usize) -> fmt::Result {
        formatter.write_str("{")?;
        for (index, (name, field)) in self.0.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            write!(formatter, "{comma}\n{:1$}{2}: ", "", depth * 2 + 2, quote_json_text(name))?;
            match field {
                BodyField::Open(json) => formatter.write_str(json)?,
                BodyField::Redacted { mask, .. } => formatter.write_str(&quote_json_text(mask))?,
                BodyField::Object(object) => object.show(formatter, depth + 1)?,
            }
        }
        write!(formatter, "\n{:1$}}}", "", depth * 2)
    }
}

/// The body over several lines, with masks in place of secrets and personal data.
impl fmt::Display for Body {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.show(formatter, 0)
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.0.iter().map(|(name, _)| name.as_str()).collect();
        write!(formatter, "Body({})", names.join(", "))
    }
}

fn quote_json_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
